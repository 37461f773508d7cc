package api

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Time is an ISO 8601 date-time of the wire. A text that is none is kept in
// Raw, with the zero time; null and "" are the zero Time.
type Time struct {
	time.Time
	Raw string
}

// At returns t as a Time of the wire.
func At(t time.Time) Time { return Time{Time: t} }

// IsRead reports whether the wire had a time that was read; Raw may say
// something all the same.
func (t Time) IsRead() bool { return t.Unix() != time.Time{}.Unix() }

// timeLayouts are what services send for date-times, the specified one first.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05Z07:00", time.DateOnly}

// MarshalJSONTo writes RFC 3339 with offset, or null for the zero Time.
func (t Time) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch {
	case !t.IsZero():
		return enc.WriteToken(jsontext.String(t.Format(time.RFC3339Nano)))
	case t.Raw != "":
		return enc.WriteToken(jsontext.String(t.Raw))
	default:
		return enc.WriteToken(jsontext.Null)
	}
}

// UnmarshalJSONFrom reads any JSON value; it never refuses one.
func (t *Time) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*t = parseTime(textOf(v))
	return nil
}

func parseTime(s string) Time {
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return Time{Time: at}
		}
	}
	return Time{Raw: s}
}
