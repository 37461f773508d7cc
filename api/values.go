package api

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

// Date is a date in JSON, in the form 2026-05-01. A text that cannot be parsed is kept in Raw,
// with the zero time; null and "" are the zero Date.
type Date struct {
	time.Time
	Raw string
}

// DateOf returns the date of t in its own time zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{Time: time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
}

// String returns the date as in JSON.
func (d Date) String() string {
	if d.Time.IsZero() {
		return d.Raw
	}
	return d.Format(time.DateOnly)
}

// IsZero reports whether there is neither a date nor a text in Raw.
func (d Date) IsZero() bool { return d.Time.IsZero() && d.Raw == "" }

// MarshalJSON writes the date in the form 2026-05-01. If the time is zero, it writes Raw, which
// can be "".
func (d Date) MarshalJSON() ([]byte, error) {
	return quoteText(d.String())
}

// UnmarshalJSON accepts any JSON value.
func (d *Date) UnmarshalJSON(v []byte) error {
	*d = ParseDate(tolerant.Text(v))
	return nil
}

// Price is an amount of money. Its currency is in another field of the record. If the service
// sent something that is not an amount, Known is false and Raw has the text; such a price must
// not be compared or added.
type Price struct {
	Amount float64
	Known  bool
	Raw    string // what the service sent, unless that was a plain number

	currencies string // possible currency codes for the sign next to the amount: "JPY CNY" for ¥
}

// PriceOf returns an amount as a known Price.
func PriceOf(amount float64) Price { return Price{Amount: amount, Known: true} }

// IsUnread reports whether the service sent a price that could not be parsed.
func (p Price) IsUnread() bool { return !p.Known && p.Raw != "" }

// MarshalJSON writes the amount as a number, Raw if the price could not be parsed, or "".
func (p Price) MarshalJSON() ([]byte, error) {
	if !p.Known {
		return quoteText(p.Raw)
	}
	return json.Marshal(p.Amount)
}

// UnmarshalJSON accepts any JSON value.
func (p *Price) UnmarshalJSON(v []byte) error {
	*p = priceOf(v)
	return nil
}

// Days is a number of days. A text without a number, such as "soon", is kept in Raw.
type Days struct {
	Count int
	Known bool
	Raw   string
}

// DaysOf returns n as Days.
func DaysOf(n int) Days { return Days{Count: n, Known: true} }

// String returns a text such as "3 days", or Raw if the number is unknown.
func (d Days) String() string {
	if !d.Known {
		return d.Raw
	}
	if d.Count == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", d.Count)
}

// MarshalJSON writes the text of [Days.String].
func (d Days) MarshalJSON() ([]byte, error) {
	return quoteText(d.String())
}

// inDays matches a whole number of days or weeks, with or without its unit.
var inDays = regexp.MustCompile(`(?i)^\+?(\d{1,6})(?:\.0+)?\s*(days?|d|weeks?|w)?\.?$`)

// UnmarshalJSON accepts any JSON value.
func (d *Days) UnmarshalJSON(v []byte) error {
	text := strings.TrimSpace(tolerant.Text(v))
	*d = Days{Raw: text}
	found := inDays.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return nil //nolint:nilerr // a text without a number stays in Raw
	}
	if strings.HasPrefix(strings.ToLower(found[2]), "w") {
		n *= 7
	}
	*d = DaysOf(n)
	return nil
}

// ParseDate parses a date in any form that services send. If the text is a time, ParseDate returns the
// date at the UTC offset in the text.
func ParseDate(s string) Date {
	t := parseTime(s)
	if t.IsZero() {
		return Date{Raw: t.Raw}
	}
	return DateOf(t.Time)
}

// filesOfRecord is the JSON form of [DeliveryFiles] by kind.
type filesOfRecord struct {
	BaseFiles     []string                 `json:"baseFiles"`
	ProcessedData map[Deliverable][]string `json:"processedData"`
	Extra         ExtraMembers             `json:",embed"`
}

// MarshalJSON writes the links by kind, or as a list.
func (f DeliveryFiles) MarshalJSON() ([]byte, error) {
	if f.Links != nil {
		return json.Marshal(f.Links)
	}
	byKind := filesOfRecord{BaseFiles: f.BaseFiles, ProcessedData: f.ProcessedData, Extra: f.Extra}
	return json.Marshal(byKind, json.Deterministic(true))
}

// UnmarshalJSON accepts an object, a list of links or one link. Other values count as empty.
func (f *DeliveryFiles) UnmarshalJSON(b []byte) error {
	*f = DeliveryFiles{}
	switch v := jsontext.Value(b); v.Kind() {
	case '{':
		var files filesOfRecord
		if err := DecodeRecord(b, &files); err != nil {
			return err
		}
		*f = DeliveryFiles{
			BaseFiles:     files.BaseFiles,
			ProcessedData: files.ProcessedData,
			Extra:         files.Extra,
		}
	case '[':
		records.DecodeList(v, &f.Links)
	case '"':
		if s := tolerant.Text(v); s != "" {
			f.Links = []string{s}
		}
	}
	return nil
}
