package server

import (
	"fmt"
	"math"
	"net/http"
	"net/mail"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// bodyMember is a member of a JSON object in a request. It is described by the tag "check" of a
// struct field, which is a list of words:
//
//   - "required" or "optional"
//   - "clears": null and "" set an optional member to its zero value. Without this word, they leave
//     the member unchanged.
//   - the kind of the value: a key of textRules, numberRanges or durationLimits, or a kind of
//     deliverables, see [bodyReader.readProducts]
type bodyMember struct {
	name     string
	index    []int // of the field
	kind     string
	required bool
	clears   bool
}

// maxMembers is the maximum number of fields of a struct that planBody describes.
const maxMembers = 64

// bodyPlans caches the results of planBody by struct type.
var bodyPlans sync.Map

// planBody returns the members of a JSON object that is read into a struct of type t. Each field
// with the tag "check" is a member.
func planBody(t reflect.Type) []bodyMember {
	if cached, ok := bodyPlans.Load(t); ok {
		return cached.([]bodyMember)
	}
	var members []bodyMember
	for _, field := range reflect.VisibleFields(t) {
		tag, ok := field.Tag.Lookup("check")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		m := bodyMember{name: name, index: field.Index}
		m.applyTag(tag)
		members = append(members, m)
	}
	if len(members) > maxMembers {
		panic(fmt.Sprintf("%s has more than %d members", t, maxMembers))
	}
	bodyPlans.Store(t, members)
	return members
}

// applyTag sets the member's rules from its tag "check", such as "required,snapshot".
func (m *bodyMember) applyTag(tag string) {
	for word := range strings.SplitSeq(tag, ",") {
		switch word {
		case "required":
			m.required = true
		case "clears":
			m.clears = true
		case "optional":
		default:
			m.kind = word
		}
	}
}

// textRule is the rule for a kind of text.
type textRule struct {
	limit int                 // maximum length in characters
	blank bool                // the text may be empty or blank
	check func(string) string // returns what is wrong with the text, or ""
}

var textRules = map[string]textRule{
	"name":        {limit: api.MaxNameLength},
	"label":       {limit: api.MaxNameLength, blank: true},
	"text":        {limit: api.MaxTextLength},
	"remark":      {limit: api.MaxTextLength, blank: true},
	"certificate": {limit: maxCertificates},
	"email":       {limit: api.MaxNameLength, blank: true, check: checkEmail},
	"currency": {
		limit: api.MaxNameLength,
		blank: true,
		check: checkCurrency,
	},
	"url":      {limit: api.MaxURLLength, check: checkAddress},
	"path":     {limit: api.MaxNameLength, check: checkPathPrefix},
	"userName": {limit: api.MaxNameLength, check: ops.CheckName},
	"snapshot": {limit: 64, check: checkSnapshotName},
}

// numberRange is the rule for a kind of number.
type numberRange struct {
	low, high float64
	whole     bool
}

var numberRanges = map[string]numberRange{
	"lat":     {low: -90, high: 90},
	"lng":     {low: -180, high: 180},
	"area":    {high: math.MaxFloat64},
	"price":   {high: ops.MaxPrice},
	"percent": {high: 100},
	"height":  {high: 10_000}, // metres
	"share":   {high: 1},
	"speed":   {low: ops.MinSpeed, high: ops.MaxSpeed},
	"days":    {low: 1, high: ops.MaxDeliveryDays, whole: true},
	"status":  {low: http.StatusBadRequest, high: 599, whole: true},
	"limit":   {low: 1, high: api.MaxPageLimit, whole: true},
	"page":    {high: math.MaxInt32, whole: true},
}

// durationLimits has the maximum duration for each kind of duration, see [bodyMember].
var durationLimits = map[string]time.Duration{
	"latency": ops.MaxFaultLatency * time.Second,
	"ahead":   maxAhead,
	"overlap": maxOverlap,
}

// readValue reads the next value into the variable that into points to. The type of the variable
// decides how the value is read. kind selects the rule that the value must follow, see
// [bodyMember].
func (r *bodyReader) readValue(kind string, into any) error {
	switch v := into.(type) {
	case *string:
		return r.readText(textRules[kind], v)
	case *float64:
		return r.readNumber(numberRanges[kind], v)
	case *int:
		return r.readInteger(numberRanges[kind], v)
	case *bool:
		return r.readBoolean(v)
	case *confirmation:
		return r.readConfirmation(v)
	case *api.Time:
		return r.readDate(v)
	case *api.Date:
		return r.readDay(v)
	case *api.Duration:
		return r.readDuration(durationLimits[kind], &v.Duration)
	case *missionList:
		return r.readMissions(v)
	default:
		return r.readListed(kind, v)
	}
}

// readListed reads a list if into points to a slice. Otherwise it calls readEnumOrObject.
func (r *bodyReader) readListed(kind string, into any) error {
	switch v := into.(type) {
	case *[]string:
		return r.readNames(v)
	case *[]api.Point:
		return r.readPoints(v)
	case *[]api.Sensor:
		return readSome(r, api.Sensors(), "sensor", v)
	case *[]api.Scope:
		return readSome(r, api.Scopes(), "scope", v)
	case *[]api.EventName:
		return r.readEvents(v)
	case *[]api.Deliverable:
		return r.readProducts(kind, v)
	default:
		return r.readEnumOrObject(v)
	}
}

// readEnumOrObject reads one value of an enumeration if into points to an enumeration type, such as
// api.OrderType. Otherwise it reads an object into a struct.
func (r *bodyReader) readEnumOrObject(into any) error {
	switch v := into.(type) {
	case *api.OrderType:
		return readChoice(r, api.OrderTypes(), v)
	case *api.MissionType:
		return readChoice(r, api.MissionTypes(), v)
	case *api.MissionObjective:
		return readChoice(r, api.MissionObjectives(), v)
	case *api.IndustryAssetType:
		return readChoice(r, api.IndustryAssetTypes(), v)
	case *api.PermissionStatus:
		return readChoice(r, api.PermissionStatuses(), v)
	case *api.RecordStatus:
		return readChoice(r, api.RecordStatuses(), v)
	case *api.EventName:
		return readChoice(r, api.EventNames(), v)
	case *ops.Role:
		return readChoice(r, ops.Roles(), v)
	case *ops.CallbackFault:
		return readChoice(r, ops.CallbackFaults(), v)
	case *quoteDecision:
		return readChoice(r, []quoteDecision{acceptQuote, rejectQuote}, v)
	default:
		return r.readObject(v)
	}
}

// readSome reads a list of values of an enumeration, which must not be empty. what is the word for
// a value in the validation error.
func readSome[T ~string](r *bodyReader, known []T, what string, into *[]T) error {
	n, err := readChoices(r, known, into)
	if n == 0 && err == nil {
		r.addFault("needs at least one %s", what)
	}
	return err
}

// readProducts reads a list of deliverables. kind decides which deliverables the list can have:
//
//   - "products": all products of deliveries
//   - "filters": up to api.MaxLibraryFilters products of deliveries
//   - "": the deliverables of an order
func (r *bodyReader) readProducts(kind string, into *[]api.Deliverable) error {
	known := api.DeliveryProducts()
	if kind == "" {
		known = api.Deliverables()
	}
	n, err := readChoices(r, known, into)
	if kind == "filters" && n > api.MaxLibraryFilters {
		r.addFault("has %d values; the limit is %d", n, api.MaxLibraryFilters)
	}
	return err
}

// readEvents reads the list of events that an endpoint subscribes to. The list must have at least
// one event and no event twice.
func (r *bodyReader) readEvents(into *[]api.EventName) error {
	*into = []api.EventName{}
	n, err := r.readList(math.MaxInt, func() error {
		var event api.EventName
		if err := readChoice(r, api.EventNames(), &event); err != nil {
			return err
		}
		if event == "" { // not valid
			return nil
		}
		if slices.Contains(*into, event) {
			r.addFault("%q is given twice", event)
			return nil
		}
		*into = append(*into, event)
		return nil
	})
	if n == 0 && err == nil {
		r.addFault("needs at least one event; omit it for all events")
	}
	return err
}

// maxCategories is the maximum length of each list of categories of a dataset.
const maxCategories = 50

// readNames reads a list of up to [maxCategories] names.
func (r *bodyReader) readNames(into *[]string) error {
	n, err := r.readList(maxCategories, func() error {
		var name string
		err := r.readText(textRules["name"], &name)
		*into = append(*into, name)
		return err
	})
	if n > maxCategories {
		r.addFault("has %d values; the limit is %d", n, maxCategories)
	}
	return err
}

// readPoints reads the points of a location. An empty list is read as an empty slice, not
// nil.
func (r *bodyReader) readPoints(into *[]api.Point) error {
	*into = []api.Point{}
	n, err := r.readList(api.MaxPoints, func() error {
		*into = append(*into, api.Point{})
		last := &(*into)[len(*into)-1]
		return r.readObject(last)
	})
	if n < 0 { // not a list
		*into = nil
	} else if err == nil && n > api.MaxPoints {
		r.addFault("has %d points; the limit is %d", n, api.MaxPoints)
	}
	return err
}

// readDuration reads a duration of at most high.
func (r *bodyReader) readDuration(high time.Duration, into *time.Duration) error {
	s, ok, err := r.readQuoted()
	if err != nil {
		return err
	}
	if !ok {
		return nil
	}
	d, err := api.ParseDuration(s)
	switch {
	case s == "":
		r.addFault("is required")
	case err != nil:
		r.addFault("%q is not a valid duration; use 90s, 36h or 7d", cutText(s, 40))
	case d <= 0:
		r.addFault("must be greater than zero")
	case d > high:
		r.addFault("must be from %s to %s", time.Nanosecond, high)
	default:
		*into = d
	}
	return nil
}

var dateOnly = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// readDay reads a date without a time.
func (r *bodyReader) readDay(into *api.Date) error {
	s, ok, err := r.readQuoted()
	if err != nil {
		return err
	}
	if !ok {
		return nil
	}
	*into = api.ParseDate(s)
	if into.Time.IsZero() || !dateOnly.MatchString(s) {
		r.addFault("%q is not a date like 2026-05-01", cutText(s, 60))
	}
	return nil
}

// checkEmail returns what is wrong with an e-mail address, or "". The address must not contain a
// name, as in "Ann <ann@example.com>". No address is also accepted.
func checkEmail(s string) string {
	if s == "" {
		return ""
	}
	a, err := mail.ParseAddress(s)
	isPrintable := !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) })
	if err != nil || a.Address != s || !isPrintable {
		return "is not an e-mail address"
	}
	return ""
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// checkCurrency returns what is wrong with a currency code of ISO 4217, or "".
func checkCurrency(s string) string {
	if !currencyCode.MatchString(s) {
		return "must be a currency code of three capital letters, as in EUR"
	}
	return ""
}

// checkAddress returns what is wrong with the URL of an endpoint, or "". The IP addresses of the
// host are not checked here, but whenever a callback is sent.
func checkAddress(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f || c == utf8.RuneError }) {
		return "contains characters that are not valid in a URL"
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || !portIsValid(u):
		return "is not an absolute URL like https://example.com/hook"
	case u.Scheme != "https":
		return "must begin with https://"
	case u.User != nil:
		return "must be without user and password"
	case strings.Contains(s, "#"):
		return "must be without fragment"
	}
	return ""
}

func portIsValid(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

func checkPathPrefix(s string) string {
	if !strings.HasPrefix(s, "/") {
		return "must begin with a slash"
	}
	return ""
}

func checkSnapshotName(s string) string {
	if !snapshotName.MatchString(s) {
		return "must be letters, digits, -, _ and dots within, at most 64 characters"
	}
	return ""
}
