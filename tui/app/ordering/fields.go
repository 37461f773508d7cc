package ordering

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// FieldKind says what kind of value a field has, such as a text, a date or one of several options.
type FieldKind int

// The kinds of fields.
const (
	TextField    FieldKind = iota // required, up to [api.MaxNameLength] characters
	DateField                     // required, a day or time for [format.ParseDate]
	OneField                      // one of its options
	ManyField                     // one or more of its options
	DerivedField                  // derived from the sites; only a command can set it
)

// OrderField describes a field of an order that users fill in. The form, the order file of the command
// line, templates and validation use it.
type OrderField struct {
	ID      string // its name in the API
	Label   string
	Help    string
	About   string // longer explanation, in sentences
	Limits  string // valid values
	Kind    FieldKind
	Options []format.Option
}

// deadlineField is the ID of the field with the deadline, the last day of an order.
const deadlineField = "deadline"

var fields = []OrderField{
	{
		ID:     "companyName",
		Label:  "Company",
		Help:   "Company placing the order",
		About:  "The company that places the order. It is filled in from your account, or from your orders where they all name the same one.",
		Limits: nameLimits,
		Kind:   TextField,
	},
	{
		ID:     "orderName",
		Label:  "Order name",
		Help:   "Name of the order",
		About:  "What the order is called in lists, searches and reports. The name of the first file or site is suggested.",
		Limits: nameLimits,
		Kind:   TextField,
	},
	{
		ID:      "orderType",
		Label:   "Order type",
		Kind:    DerivedField,
		Options: format.WordOptions(api.OrderTypes()),
	},
	{
		ID:      "sensors",
		Label:   "Sensors",
		About:   "What the sites are recorded with. Thermal maps need a thermal camera, NDVI a multispectral one.",
		Limits:  "Required; select any",
		Kind:    ManyField,
		Options: format.WordOptions(api.Sensors()),
	},
	{
		ID:      "deliverables",
		Label:   "Products",
		About:   "The products you receive of each site. Photos are part of every order.",
		Limits:  "Required; select any",
		Kind:    ManyField,
		Options: productOptions(),
	},
	{
		ID:      "missionObjective",
		Label:   "Objective",
		About:   "What the data is for.",
		Limits:  "Required; select one",
		Kind:    OneField,
		Options: format.WordOptions(api.MissionObjectives()),
	},
	{
		ID:      "industryAssetType",
		Label:   "Asset type",
		About:   "What is surveyed. It applies to all sites of the order.",
		Limits:  "Required; select one",
		Kind:    OneField,
		Options: format.WordOptions(api.IndustryAssetTypes()),
	},
	{
		ID:     "startDate",
		Label:  "Start",
		Help:   "1 Dec, 2w, KW 50, next Monday, 2026-12-01",
		About:  "The first day of the order's period.",
		Limits: "Required; a date in words or digits",
		Kind:   DateField,
	},
	{
		ID:     deadlineField,
		Label:  "Deadline",
		Help:   "End of January, KW 50, 6w; on or after the start date",
		About:  "The day by which the order is due, until it ends. Missions without data by then are shown as overdue.",
		Limits: "Required; on or after the start date",
		Kind:   DateField,
	},
}

// nameLimits explains to the user which order names are valid.
var nameLimits = fmt.Sprintf("Required; up to %d characters, at least one letter or digit", api.MaxNameLength)

// productOptions returns the products to choose from. Photos are part of every order, so they are marked
// as fixed.
func productOptions() []format.Option {
	options := format.WordOptions(api.Deliverables())
	for i := range options {
		options[i].Fixed = options[i].Value == string(api.DeliverableJPG)
	}
	return options
}

// OrderFields lists the fields of an order in the order of the form. Callers must not
// modify them.
func OrderFields() []OrderField { return fields }

// FieldByID returns the field with the given ID. ok is false if there is none.
func FieldByID(id string) (f OrderField, ok bool) {
	for _, f := range fields {
		if f.ID == id {
			return f, true
		}
	}
	return OrderField{}, false
}

// RefusalOf returns an error for the first value that is not an option of the field. A field without
// options accepts every value.
func (f OrderField) RefusalOf(values []string) error {
	if len(f.Options) == 0 {
		return nil
	}
	known := make([]string, len(f.Options))
	for i, o := range f.Options {
		known[i] = o.Value
	}
	for _, v := range values {
		if !slices.Contains(known, v) {
			return fmt.Errorf("unknown value %q; use %s", v, strings.Join(known, ", "))
		}
	}
	return nil
}

// withAlways returns values and, before them, the fixed options that are part of every order.
func (f OrderField) withAlways(values []string) []string {
	for _, o := range slices.Backward(f.Options) {
		if o.Fixed && !slices.Contains(values, o.Value) {
			values = append([]string{o.Value}, values...)
		}
	}
	return values
}

// FieldFault returns what is wrong with the value of a field, such as "is required; select one", or "" if
// it is valid.
func (d *Draft) FieldFault(id string, now time.Time) string {
	f, _ := FieldByID(id)
	value := d.FieldValue(id)
	switch f.Kind {
	case DateField:
		return d.dateFault(id, value, now)
	case TextField:
		return textFault(value)
	case OneField, ManyField:
		if value == "" {
			return "is required; select one"
		}
	case DerivedField:
	}
	return ""
}

func textFault(value string) string {
	if value == "" {
		return "is required"
	}
	if message := TooLong(value); message != "" {
		return "is " + message
	}
	if !strings.ContainsFunc(value, isLetterOrDigit) {
		return "needs a letter or digit"
	}
	return ""
}

// isLetterOrDigit reports whether a character is a letter or a digit. Every character beyond Latin-1 counts
// as a letter.
func isLetterOrDigit(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r > unicode.MaxLatin1
}

// parseFieldDate parses the value of the field with the given ID, which is the start date or the deadline.
// A period such as "KW 50" means its first day in the start date and its last day in the deadline.
func parseFieldDate(id, value string, now time.Time) (format.DayOrTime, error) {
	if id == deadlineField {
		return format.ParseLastDay(value, now)
	}
	return format.ParseDate(value, now)
}

func (d *Draft) dateFault(id, value string, now time.Time) string {
	date, err := parseFieldDate(id, value, now)
	if err != nil {
		return err.Error()
	}
	if id != deadlineField {
		return ""
	}
	start, err := parseFieldDate("startDate", d.FieldValue("startDate"), now)
	if err == nil && date.End().Before(start.Start()) {
		return "is before the start date, " + format.ExactDate(start, now) + ": enter a later date"
	}
	return ""
}

// FindPastDates returns a message for each date field with a date in the past. Past dates do not make an
// order invalid, because a service may accept them.
func (d *Draft) FindPastDates(now time.Time) []OrderFault {
	var past []OrderFault
	for _, f := range fields {
		if f.Kind != DateField {
			continue
		}
		date, err := parseFieldDate(f.ID, d.FieldValue(f.ID), now)
		if err == nil && date.End().Before(now) {
			message := format.ExactDate(date, now) + " is in the past"
			past = append(past, OrderFault{Field: f.ID, Message: message})
		}
	}
	return past
}

// isSameDate reports whether a date that a service returned can be the date that was sent. Some services
// store only the day, in the time zone of the request or in UTC.
func isSameDate(got, sent api.Time) bool {
	day := sent.Format(time.DateOnly)
	if got.Equal(sent.Time) || got.Format(time.DateOnly) == day {
		return true
	}
	if got.In(sent.Location()).Format(time.DateOnly) == day {
		return true
	}
	return got.Equal(sent.UTC().Truncate(24 * time.Hour))
}

// OrderFault is a reason why an order cannot be placed. It names the field or the site that the user must
// correct.
type OrderFault struct {
	Field   string // ID of the field, or ""
	Site    *Site  // site with the fault, or nil
	Message string
	ByText  bool // the fault is in a text of the site, such as its name
}

// FaultText returns the message with the name of the field or site.
func (f OrderFault) FaultText() string {
	subject := f.Field
	if f.Site != nil {
		subject = f.Site.Name
	}
	return strings.TrimSpace(subject + " " + f.Message)
}

// FaultsOfService converts the errors in a response of the service to faults. sites are the sites of the
// request in order, to find the site of an error such as "missions[2].country".
func FaultsOfService(fields []api.FieldError, sites []*Site) []OrderFault {
	faults := make([]OrderFault, len(fields))
	for i, f := range fields {
		faults[i] = OrderFault{Field: strings.TrimPrefix(f.Field, "order."), Message: f.Message}
		var site int
		var member string
		found, _ := fmt.Sscanf(f.Field, "missions[%d].%s", &site, &member)
		if found > 0 && site >= 0 && site < len(sites) {
			faults[i] = OrderFault{Site: sites[site], Message: strings.TrimSpace(member + " " + f.Message)}
		}
	}
	return faults
}

// FindFaults returns all faults of the order that can be found without sending it.
func (d *Draft) FindFaults(now time.Time) []OrderFault {
	var faults []OrderFault
	included := d.IncludedSites()
	if len(included) == 0 {
		faults = append(faults, OrderFault{Message: "no site is included"})
	}
	for _, s := range included {
		faults = append(faults, s.FindFaults()...)
	}
	for _, f := range fields {
		if message := d.FieldFault(f.ID, now); message != "" {
			faults = append(faults, OrderFault{Field: f.ID, Message: message})
		}
	}
	return faults
}

// LacksCountry reports whether an included site with coordinates has no country.
func (d *Draft) LacksCountry() bool {
	return slices.ContainsFunc(d.IncludedSites(), func(s *Site) bool {
		return s.Geometry != nil && s.Country == ""
	})
}

// IsFaulty reports whether the site is unusable: it has no geometry, or it is included and the service
// would reject it.
func (s *Site) IsFaulty() bool {
	return s.Geometry == nil || s.In && !s.Placed && len(s.FindFaults()) > 0
}

// FindFaults returns what is wrong with the site.
func (s *Site) FindFaults() []OrderFault {
	if s.Geometry == nil {
		return []OrderFault{{Site: s, Message: "has no usable coordinates"}}
	}
	var faults []OrderFault
	if message := s.pointsFault(); message != "" {
		faults = append(faults, OrderFault{Site: s, Message: message})
	}
	texts := []struct{ name, value string }{{"name", s.Name}, {"label", s.Label}, {"country", s.Country}}
	for _, text := range texts {
		if message := TooLong(text.value); message != "" {
			message = fmt.Sprintf("has a %s that is %s", text.name, message)
			faults = append(faults, OrderFault{Site: s, Message: message, ByText: true})
		}
	}
	if s.Country == "" {
		faults = append(faults, OrderFault{Site: s, Message: "has no country", ByText: true})
	}
	return faults
}

// pointsFault returns a message if the site has too few or too many points for its mission type, or "".
func (s *Site) pointsFault() string {
	n := len(s.Points())
	if n < s.Type.MinPoints() {
		return fmt.Sprintf("has %d points; %s needs at least %d", n, s.Type, s.Type.MinPoints())
	}
	if n > api.MaxPoints {
		return fmt.Sprintf("has %s points; a mission has at most %s", groupDigits(n), groupDigits(api.MaxPoints))
	}
	return ""
}
