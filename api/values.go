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

// Date is a day of the wire, as in 2026-05-01. A text that is none is kept in
// Raw, with the zero time; null and "" are the zero Date.
type Date struct {
	time.Time
	Raw string
}

// DateOf returns the day of t in its own time zone as a Date of the wire.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{Time: time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
}

// String returns the day as on the wire.
func (d Date) String() string {
	if d.Time.IsZero() {
		return d.Raw
	}
	return d.Format(time.DateOnly)
}

// IsZero reports whether there is no day; Raw may say something all the same.
func (d Date) IsZero() bool { return d.Time.IsZero() && d.Raw == "" }

// MarshalJSON writes the day.
func (d Date) MarshalJSON() ([]byte, error) {
	return quoteText(d.String())
}

// UnmarshalJSON reads any JSON value; it never refuses one.
func (d *Date) UnmarshalJSON(v []byte) error {
	*d = ParseDate(tolerant.Text(v))
	return nil
}

// Price is an amount of money in the currency that stands with it. What is no
// amount is not Known; a Raw text then says what was sent, and nothing is to be
// concluded from it.
type Price struct {
	Amount float64
	Known  bool
	Raw    string // as it was sent, where that was no plain number

	currencies string // codes that a sign or code beside the amount may mean
}

// PriceOf returns an amount as a Price of the wire.
func PriceOf(amount float64) Price { return Price{Amount: amount, Known: true} }

// IsUnread reports whether a price was sent that could not be read.
func (p Price) IsUnread() bool { return !p.Known && p.Raw != "" }

// MarshalJSON writes a number, what was sent where it was not read, or "".
func (p Price) MarshalJSON() ([]byte, error) {
	if !p.Known {
		return quoteText(p.Raw)
	}
	return json.Marshal(p.Amount)
}

// UnmarshalJSON reads any JSON value; it never refuses one.
func (p *Price) UnmarshalJSON(v []byte) error {
	*p = priceOf(v)
	return nil
}

// Days is a number of days. A text that gives none, as "soon", is kept in Raw.
type Days struct {
	Count int
	Known bool
	Raw   string
}

// DaysOf returns a number of days as Days of the wire.
func DaysOf(n int) Days { return Days{Count: n, Known: true} }

// String returns the days in words, or what was sent.
func (d Days) String() string {
	switch {
	case !d.Known:
		return d.Raw
	case d.Count == 1:
		return "1 day"
	}
	return fmt.Sprintf("%d days", d.Count)
}

// MarshalJSON writes the days in words.
func (d Days) MarshalJSON() ([]byte, error) {
	return quoteText(d.String())
}

// inDays is a whole number of days or weeks, with or without its unit.
var inDays = regexp.MustCompile(`(?i)^\+?(\d{1,6})(?:\.0+)?\s*(days?|d|weeks?|w)?\.?$`)

// UnmarshalJSON reads any JSON value; it never refuses one.
func (d *Days) UnmarshalJSON(v []byte) error {
	text := strings.TrimSpace(tolerant.Text(v))
	*d = Days{Raw: text}
	found := inDays.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return nil //nolint:nilerr // what is no number stays a text
	}
	if strings.HasPrefix(strings.ToLower(found[2]), "w") {
		n *= 7
	}
	*d = DaysOf(n)
	return nil
}

// ParseDate parses a day as it is written on the wire; of a time it is the day in the offset
// that was written.
func ParseDate(s string) Date {
	t := parseTime(s)
	if t.IsZero() {
		return Date{Raw: t.Raw}
	}
	return DateOf(t.Time)
}

// filesOfRecord is how [DeliveryFiles] with kinds look on the wire.
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
	return json.Marshal(filesOfRecord{f.BaseFiles, f.ProcessedData, f.Extra}, json.Deterministic(true))
}

// UnmarshalJSON reads an object, a list of links or one link; anything else is
// none.
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
