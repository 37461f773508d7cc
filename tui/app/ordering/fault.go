package ordering

import (
	"fmt"
	"time"

	"flightdesk/api"
)

// OrderFault is something that keeps the order from being placed, and where it is
// mended: at a field of the form, or at a site.
type OrderFault struct {
	Field   string // of the form, "" for a site's
	Site    *Site
	Message string
	ByText  bool // its texts are to be edited, which its message does not say
}

// FaultText says a fault with what it is of.
func (f OrderFault) FaultText() string {
	switch {
	case f.Site != nil:
		return f.Site.Name + " " + f.Message
	case f.Field != "":
		return f.Field + " " + f.Message
	default:
		return f.Message
	}
}

// FindFaults returns all that can be found before the order is sent.
func (d *Draft) FindFaults(now time.Time) []OrderFault {
	var faults []OrderFault
	in := d.IncludedSites()
	if len(in) == 0 {
		faults = append(faults, OrderFault{Message: "no site is included"})
	}
	for _, s := range in {
		faults = append(faults, s.FindFaults()...)
	}
	for _, f := range fields {
		if message := d.FieldFault(f.ID, now); message != "" {
			faults = append(faults, OrderFault{Field: f.ID, Message: message})
		}
	}
	return faults
}

// IsFaulty reports whether an order with the site would be refused.
func (s *Site) IsFaulty() bool {
	return s.Geometry == nil || s.In && !s.Placed && len(s.FindFaults()) > 0
}

// FindFaults returns what keeps the site out of an order.
func (s *Site) FindFaults() []OrderFault {
	if s.Geometry == nil {
		return []OrderFault{{Site: s, Message: "has no usable coordinates"}}
	}
	var faults []OrderFault
	add := func(byText bool, format string, args ...any) {
		faults = append(faults, OrderFault{Site: s, Message: fmt.Sprintf(format, args...), ByText: byText})
	}
	switch n := s.pointCount(); {
	case n < s.Type.MinPoints():
		add(false, "has %d points; %s needs at least %d", n, s.Type, s.Type.MinPoints())
	case n > api.MaxPoints:
		add(false, "has %s points; a mission has at most %s", groupDigits(n), groupDigits(api.MaxPoints))
	}
	for _, text := range []struct{ of, text string }{{"name", s.Name}, {"label", s.Label}, {"country", s.Country}} {
		if n := len([]rune(text.text)); n > api.MaxNameLength {
			add(true, "has a %s of %d characters; at most %d", text.of, n, api.MaxNameLength)
		}
	}
	if s.Country == "" {
		add(true, "has no country")
	}
	return faults
}
