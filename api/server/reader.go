package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
)

// maxFaults is the maximum number of validation errors in an answer. Even an order with 1,000
// missions in which every field is invalid has fewer errors.
const maxFaults = 10_000

// bodyReader reads a JSON body in one pass. Each read method reads the next value. If a value is
// invalid, the method records a validation error with the path of the value, such as
// missions[1].areaSize, and reading continues. A method returns an error only if the body is not
// valid JSON.
//
// The decoder is strict: JSON with duplicate names or invalid UTF-8 is not valid.
type bodyReader struct {
	dec    *jsontext.Decoder
	body   []byte
	now    time.Time
	path   []pathStep
	faults []api.FieldError
	count  int // number of validation errors, including those beyond maxFaults
}

// pathStep is an element of a path: the name of a member or, if name is "", an index.
type pathStep struct {
	name  string
	index int
}

// checkedBody is implemented by bodies with rules for several members. checkMembers is
// called after all members were read.
type checkedBody interface{ checkMembers(r *bodyReader) }

// readJSON reads the body of a request into a struct, see [planBody]. now is the current time,
// because some values must be in the future. faults are validation errors that the caller has found
// in other parts of the request. If there are any validation errors, readJSON returns an error that
// lists faults and then the errors in the body.
func readJSON(body []byte, now time.Time, faults []api.FieldError, into any) error {
	r := &bodyReader{
		dec:    jsontext.NewDecoder(bytes.NewBuffer(body)),
		body:   body,
		now:    now,
		faults: faults,
		count:  len(faults),
	}
	err := r.readObject(into)
	if err == nil {
		err = r.expectEnd()
	}
	if err != nil {
		return malformedError(err)
	}
	return invalidRequest(r.faults, r.count)
}

// expectEnd checks that nothing follows the JSON value of the body.
func (r *bodyReader) expectEnd() error {
	_, err := r.dec.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.New("unexpected text after the JSON value")
}

func malformedError(err error) error {
	if errors.Is(err, io.EOF) {
		return newFault(api.CodeMalformedBody, "the body is empty")
	}
	return newFault(api.CodeMalformedBody,
		"the body is not valid JSON: "+strings.TrimPrefix(err.Error(), "jsontext: "))
}

// invalidRequest returns the error for a request with validation errors, or nil if there
// are none.
func invalidRequest(faults []api.FieldError, count int) error {
	if count == 0 {
		return nil
	}
	return domain.RefuseFields(faults, count)
}

// invalidMember returns the error for a request with one validation error.
func invalidMember(name, message string) error {
	return invalidRequest([]api.FieldError{{Field: name, Message: message}}, 1)
}

// addFault records an error of the value at the current path.
func (r *bodyReader) addFault(format string, args ...any) {
	r.count++
	if r.count <= maxFaults {
		r.faults = append(r.faults, api.FieldError{Field: r.faultPath(), Message: fmt.Sprintf(format, args...)})
	}
}

// faultAt records an error of the member name of the object at the current path.
func (r *bodyReader) faultAt(name, format string, args ...any) {
	r.path = append(r.path, pathStep{name: name})
	r.addFault(format, args...)
	r.path = r.path[:len(r.path)-1]
}

// faultPath formats the current path, such as missions[1].areaSize.
func (r *bodyReader) faultPath() string {
	var b strings.Builder
	for _, s := range r.path {
		switch {
		case s.name == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case !plainName.MatchString(s.name):
			fmt.Fprintf(&b, "[%q]", cutText(s.name, 60))
		case b.Len() > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	if b.Len() == 0 {
		return "body"
	}
	return b.String()
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,59}$`)

// cutText shortens a text to n characters.
func cutText(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}

// kinds are the names of JSON types in messages.
var kinds = map[jsontext.Kind]string{
	'n': "null",
	'f': "a boolean",
	't': "a boolean",
	'"': "a text",
	'0': "a number",
	'{': "an object",
	'[': "a list",
}

// expectKind reports whether the next value has the given JSON type. If it has another type,
// expectKind records a validation error and skips the value. For null, the error says that the
// value is required.
func (r *bodyReader) expectKind(kind jsontext.Kind) (bool, error) {
	next := r.dec.PeekKind()
	if next == kind {
		return true, nil
	}
	if next == 'n' {
		r.addFault("is required")
	} else if kinds[next] != "" {
		r.addFault("must be %s, not %s", kinds[kind], kinds[next])
	}
	return false, r.dec.SkipValue()
}

// readObject reads an object into the struct that into points to.
func (r *bodyReader) readObject(into any) error {
	isObject, err := r.expectKind('{')
	if err != nil {
		return err
	}
	if !isObject {
		return nil
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	object := reflect.ValueOf(into).Elem()
	members := planBody(object.Type())
	var seen [maxMembers]bool // by index in members
	for r.dec.PeekKind() != '}' {
		i, err := r.readNextMember(members, object)
		if err != nil {
			return err
		}
		if i >= 0 {
			seen[i] = true
		}
	}
	r.requireMembers(members, seen)
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	if checked, ok := into.(checkedBody); ok {
		checked.checkMembers(r)
	}
	return nil
}

// requireMembers records a validation error for each required member that is missing in the object.
// seen[i] is true if the object has members[i].
func (r *bodyReader) requireMembers(members []bodyMember, seen [maxMembers]bool) {
	for i, m := range members {
		if m.required && !seen[i] {
			r.faultAt(m.name, "is required")
		}
	}
}

// readNextMember reads the name and the value of the next member of an object. It returns
// the index of the member in members, or -1 if the name is not known.
func (r *bodyReader) readNextMember(members []bodyMember, object reflect.Value) (int, error) {
	token, err := r.dec.ReadToken()
	if err != nil {
		return -1, err
	}
	name := token.String()
	i := slices.IndexFunc(members, func(m bodyMember) bool { return m.name == name })
	r.path = append(r.path, pathStep{name: name})
	if i < 0 {
		r.addUnknown(name, members)
		err = r.dec.SkipValue()
	} else {
		err = r.readMember(members[i], object)
	}
	r.path = r.path[:len(r.path)-1]
	return i, err
}

// readMember reads the value of a member into its field in object. If the member is optional, null
// and "" have the same effect as if the member was missing; but see clears in [bodyMember].
func (r *bodyReader) readMember(m bodyMember, object reflect.Value) error {
	field := object.FieldByIndex(m.index)
	isMissing := !m.required && r.isNothing()
	if field.Kind() == reflect.Pointer && (m.clears || !isMissing) {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	if isMissing {
		return r.dec.SkipValue()
	}
	return r.readValue(m.kind, field.Addr().Interface())
}

// isNothing reports whether the next value is null or "", without reading it.
func (r *bodyReader) isNothing() bool {
	kind := r.dec.PeekKind()
	if kind == '"' {
		rest := bytes.TrimLeft(r.body[r.dec.InputOffset():], ": \t\r\n")
		return bytes.HasPrefix(rest, []byte(`""`))
	}
	return kind == 'n'
}

func (r *bodyReader) addUnknown(name string, members []bodyMember) {
	for _, m := range members {
		if strings.EqualFold(m.name, name) {
			r.addFault("is not known; its name is written %s", m.name)
			return
		}
	}
	r.addFault("is not known")
}

// readList reads a list and returns the number of its elements, or -1 if the value is not
// a list. It calls read for each element; elements beyond the limit are only counted.
func (r *bodyReader) readList(limit int, read func() error) (int, error) {
	isList, err := r.expectKind('[')
	if err != nil {
		return -1, err
	}
	if !isList {
		return -1, nil
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return -1, err
	}
	n := 0
	for r.dec.PeekKind() != ']' {
		if n >= limit {
			err = r.dec.SkipValue()
		} else {
			r.path = append(r.path, pathStep{index: n})
			err = read()
			r.path = r.path[:len(r.path)-1]
		}
		if err != nil {
			return n, err
		}
		n++
	}
	_, err = r.dec.ReadToken()
	return n, err
}

// readQuoted reads a string. If the value is not a string, readQuoted records a validation
// error, and ok is false.
func (r *bodyReader) readQuoted() (s string, ok bool, err error) {
	isString, err := r.expectKind('"')
	if err != nil {
		return "", false, err
	}
	if !isString {
		return "", false, nil
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return "", false, err
	}
	return token.String(), true, nil
}

// readText reads a string that follows a rule.
func (r *bodyReader) readText(rule textRule, into *string) error {
	s, ok, err := r.readQuoted()
	if err != nil {
		return err
	}
	if !ok {
		return nil
	}
	if fault := rule.findFault(s); fault != "" {
		r.addFault("%s", fault)
		return nil
	}
	*into = s
	return nil
}

// findFault returns what is wrong with a text, or "".
func (rule textRule) findFault(s string) string {
	if s == "" && !rule.blank {
		return "is required"
	}
	if strings.TrimSpace(s) == "" && !rule.blank {
		return "must not be blank"
	}
	if n := utf8.RuneCountInString(s); n > rule.limit {
		return fmt.Sprintf("is %d characters long; the limit is %d", n, rule.limit)
	}
	if strings.ContainsRune(s, 0) {
		return "contains the character U+0000, which is not allowed"
	}
	if rule.check != nil {
		return rule.check(s)
	}
	return ""
}

// readChoice reads one of the known values of an enumeration.
func readChoice[T ~string](r *bodyReader, known []T, into *T) error {
	s, ok, err := r.readQuoted()
	if err != nil {
		return err
	}
	if !ok {
		return nil
	}
	if s == "" {
		r.addFault("is required")
	} else if !slices.Contains(known, T(s)) {
		r.addFault("%q is not allowed; it must be one of %s", cutText(s, 60), listValues(known))
	} else {
		*into = T(s)
	}
	return nil
}

func listValues[T ~string](values []T) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}

// readChoices reads a list of values of an enumeration without duplicates. It returns the
// number of values including duplicates, or -1 if the value is not a list.
func readChoices[T ~string](r *bodyReader, known []T, into *[]T) (int, error) {
	*into = []T{}
	return r.readList(math.MaxInt, func() error {
		var value T
		if err := readChoice(r, known, &value); err != nil {
			return err
		}
		isValid := value != ""
		if isValid && !slices.Contains(*into, value) {
			*into = append(*into, value)
		}
		return nil
	})
}

// readNumber reads a number within a range.
func (r *bodyReader) readNumber(in numberRange, into *float64) error {
	isNumber, err := r.expectKind('0')
	if err != nil {
		return err
	}
	if !isNumber {
		return nil
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(token.String(), 64)
	switch {
	case err != nil || math.IsInf(f, 0):
		r.addFault("is too large for a number")
	case f < in.low && in.high == math.MaxFloat64:
		r.addFault("must be %s or more", plainNumber(in.low))
	case f < in.low || f > in.high:
		r.addFault("must be from %s to %s", plainNumber(in.low), plainNumber(in.high))
	case in.whole && f != math.Trunc(f):
		r.addFault("must be a whole number from %s to %s", plainNumber(in.low), plainNumber(in.high))
	default:
		*into = f + 0 // converts -0 to 0
	}
	return nil
}

// readInteger reads a whole number within a range. If it is not valid, the variable at into
// keeps its value.
func (r *bodyReader) readInteger(in numberRange, into *int) error {
	number := float64(*into)
	if err := r.readNumber(in, &number); err != nil {
		return err
	}
	*into = int(number)
	return nil
}

// plainNumber formats a number without an exponent.
func plainNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// dateTime matches a date-time of ISO 8601 with a UTC offset, written in capital letters. The
// seconds and the minutes of the offset are optional. [time.Parse] is not strict enough: it also
// accepts other forms, and offsets that do not exist.
var dateTime = regexp.MustCompile(
	`^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$`,
)

// parseDate parses a date-time with a UTC offset. As in RFC 3339, the letters can be small and a
// second can have any number of decimals. Decimals after the ninth are ignored.
func parseDate(s string) (t time.Time, ok bool) {
	parts := dateTime.FindStringSubmatch(strings.ToUpper(s))
	if parts == nil {
		return time.Time{}, false
	}
	minutes := parts[1]
	seconds := parts[2]
	offset := parts[3]
	if seconds == "" {
		seconds = ":00"
	}
	if offset != "Z" {
		digits := strings.ReplaceAll(offset, ":", "") // such as +0200 or +02
		if len(digits) == len("+02") {
			digits += "00"
		}
		offset = digits[:3] + ":" + digits[3:]
	}
	t, err := time.Parse(time.RFC3339, minutes+seconds+offset)
	return t, err == nil
}

// readDate reads a date-time with offset.
func (r *bodyReader) readDate(into *api.Time) error {
	s, ok, err := r.readQuoted()
	if err != nil {
		return err
	}
	if !ok {
		return nil
	}
	t, isDate := parseDate(s)
	switch {
	case s == "":
		r.addFault("is required")
	case !isDate:
		r.addFault("%q is not a date-time with offset like 2026-05-01T08:00:00+02:00", cutText(s, 60))
	case t.Year() < 1900:
		r.addFault("is before the year 1900")
	default:
		*into = api.TimeOf(t)
	}
	return nil
}

// readBoolean reads true or false.
func (r *bodyReader) readBoolean(into *bool) error {
	if kind := r.dec.PeekKind(); kind != 't' && kind != 'f' {
		_, err := r.expectKind('t')
		return err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	*into = token.Bool()
	return nil
}

// confirmation is a member that must be true.
type confirmation bool

// readConfirmation reads true.
func (r *bodyReader) readConfirmation(into *confirmation) error {
	count := r.count
	err := r.readBoolean((*bool)(into))
	if err == nil && r.count == count && !*into {
		r.addFault("must be true")
	}
	return err
}

// checkFuture adds a validation error if a time is not in the future.
func (r *bodyReader) checkFuture(name string, at api.Time) {
	if !at.IsZero() && !at.After(r.now) {
		r.faultAt(name, "is in the past")
	}
}

// checkPeriod adds a validation error if a period ends before it begins.
func (r *bodyReader) checkPeriod(from, to api.Time, end, beginning string) {
	if !from.IsZero() && !to.IsZero() && to.Before(from.Time) {
		r.faultAt(end, "must not be before %s", beginning)
	}
}
