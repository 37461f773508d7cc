package ordering

import (
	"fmt"
	"time"

	"flightdesk/api"
)

// Remedy is what mends a fault, where its message does not say so.
type Remedy int

// The remedies.
const (
	NoRemedy Remedy = iota
	GiveCountry
	ShortenText
)

// Fault is something that keeps the order from being placed, and where it is
// mended: at a field of the form, or at a site.
type Fault struct {
	Field   string // of the form, "" for a site's
	Site    *Site
	Message string
	Remedy  Remedy
	Service bool // the service said so
}

// Text says a fault with what it is of.
func (f Fault) Text() string {
	switch {
	case f.Site != nil:
		return f.Site.Name + " " + f.Message
	case f.Field != "":
		return f.Field + " " + f.Message
	default:
		return f.Message
	}
}

// Faults are all that can be found before the order is sent.
func (d *Draft) Faults(now time.Time) []Fault {
	var faults []Fault
	in := d.Included()
	if len(in) == 0 {
		faults = append(faults, Fault{Message: "no site is included"})
	}
	for _, s := range in {
		faults = append(faults, s.Faults()...)
	}
	for _, f := range fields {
		if message := d.FieldFault(f.ID, now); message != "" {
			faults = append(faults, Fault{Field: f.ID, Message: message})
		}
	}
	return faults
}

// Faults are what keeps the site out of an order.
func (s *Site) Faults() []Fault {
	if s.Geometry == nil {
		return []Fault{{Site: s, Message: "has no usable coordinates"}}
	}
	var faults []Fault
	switch n := s.pointCount(); {
	case n < s.Type.MinPoints():
		faults = append(faults, Fault{Site: s, Message: fmt.Sprintf("has %d points; %s needs at least %d", n, s.Type, s.Type.MinPoints())})
	case n > api.MaxPoints:
		faults = append(faults, Fault{Site: s, Message: fmt.Sprintf("has %s points; a mission has at most %s", group(n), group(api.MaxPoints))})
	}
	for _, text := range []struct{ of, text string }{{"name", s.Name}, {"label", s.Label}, {"country", s.Country}} {
		if n := len([]rune(text.text)); n > api.MaxNameLength {
			message := fmt.Sprintf("has a %s of %d characters; at most %d", text.of, n, api.MaxNameLength)
			faults = append(faults, Fault{Site: s, Message: message, Remedy: ShortenText})
		}
	}
	if s.Country == "" {
		faults = append(faults, Fault{Site: s, Message: "has no country", Remedy: GiveCountry})
	}
	return faults
}
