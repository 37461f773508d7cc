package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
)

// maxFaults bounds the answer to a body that is nothing but faults. An order
// of 1,000 missions without any right field has fewer.
const maxFaults = 10_000

// reader reads a body in one pass and notes every fault with its path. Its
// methods read the value that comes next. They return an error only where the
// body is no JSON, which ends the reading; everything else is a fault.
//
// The decoder is strict: duplicate names and invalid UTF-8 are no JSON.
type reader struct {
	dec    *jsontext.Decoder
	body   []byte
	path   []step
	faults []api.FieldError
	count  int // of all faults, kept or not
}

// step is one part of a path: a member's name, or an index where name is "".
type step struct {
	name  string
	index int
}

// member is a member that an object must have.
type member struct {
	name string
	read func() error
}

// readJSON reads the body with read, and returns a refusal that lists all
// faults, after those that the rest of the request has.
func readJSON(body []byte, faults []api.FieldError, read func(*reader) error) error {
	r := &reader{dec: jsontext.NewDecoder(bytes.NewBuffer(body)), body: body, faults: faults, count: len(faults)}
	err := read(r)
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return malformed(err)
	}
	return invalid(r.faults, r.count)
}

// end makes sure that nothing follows the value.
func (r *reader) end() error {
	_, err := r.dec.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.New("unexpected text after the JSON value")
}

func malformed(err error) error {
	if errors.Is(err, io.EOF) {
		return fault(api.CodeMalformedBody, "the body is empty")
	}
	return fault(api.CodeMalformedBody, "the body is not valid JSON: "+strings.TrimPrefix(err.Error(), "jsontext: "))
}

// invalid returns the refusal of a request with faults, nil without any.
func invalid(faults []api.FieldError, count int) error {
	if count == 0 {
		return nil
	}
	refusal := fault(api.CodeValidationFailed, faults[0].Field+": "+faults[0].Message)
	if count > 1 {
		refusal.Message += fmt.Sprintf(", and %d more", count-1)
	}
	if count > len(faults) {
		refusal.Message += fmt.Sprintf("; the first %d are listed", len(faults))
	}
	refusal.Fields = faults
	return refusal
}

// fault notes a fault of the value at the current path.
func (r *reader) fault(format string, args ...any) {
	r.count++
	if r.count <= maxFaults {
		r.faults = append(r.faults, api.FieldError{Field: r.where(), Message: fmt.Sprintf(format, args...)})
	}
}

// faultAt notes a fault of a member of the value at the current path.
func (r *reader) faultAt(name, format string, args ...any) {
	r.path = append(r.path, step{name: name})
	r.fault(format, args...)
	r.path = r.path[:len(r.path)-1]
}

// where writes the path as in missions[1].areaSize.
func (r *reader) where() string {
	var b strings.Builder
	for _, s := range r.path {
		switch {
		case s.name == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case !plainName.MatchString(s.name):
			fmt.Fprintf(&b, "[%q]", cut(s.name, 60))
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

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}

// kinds names the kinds of JSON value in messages.
var kinds = map[jsontext.Kind]string{
	'n': "null", 'f': "a boolean", 't': "a boolean", '"': "a text", '0': "a number", '{': "an object", '[': "a list",
}

// expect reports whether the next value is of the kind. One that is not is
// noted and skipped; null counts as missing.
func (r *reader) expect(kind jsontext.Kind) (bool, error) {
	got := r.dec.PeekKind()
	switch {
	case got == kind:
		return true, nil
	case got == 'n':
		r.fault("is required")
	case kinds[got] != "":
		r.fault("must be %s, not %s", kinds[kind], kinds[got])
	}
	return false, r.dec.SkipValue()
}

// object reads an object with exactly these members, all of them required.
func (r *reader) object(members ...member) error { return r.objectWith(members, nil) }

// objectWith reads an object that may have the optional members, too. An
// optional member that is null or an empty text counts as missing.
func (r *reader) objectWith(required, optional []member) error {
	return r.members(required, optional, func(int) {})
}

// patch reads an object that changes what it has members of. One that is null
// or an empty text clears.
func (r *reader) patch(members []member, clears []func()) error {
	return r.members(nil, members, func(i int) { clears[i]() })
}

// members reads an object; absent is told which optional member is null or an
// empty text.
func (r *reader) members(required, optional []member, absent func(i int)) error {
	members := slices.Concat(required, optional)
	ok, err := r.expect('{')
	if !ok {
		return err
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	seen := make([]bool, len(members))
	for r.dec.PeekKind() != '}' {
		token, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		i := slices.IndexFunc(members, func(m member) bool { return m.name == name })
		r.path = append(r.path, step{name: name})
		switch {
		case i < 0:
			r.unknown(name, members)
			err = r.dec.SkipValue()
		case i >= len(required) && r.isNothing():
			absent(i - len(required))
			err = r.dec.SkipValue()
		default:
			seen[i] = true
			err = members[i].read()
		}
		if err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
	}
	for i, m := range required {
		if !seen[i] {
			r.faultAt(m.name, "is required")
		}
	}
	_, err = r.dec.ReadToken()
	return err
}

// isNothing reports whether the next value is null or an empty text.
func (r *reader) isNothing() bool {
	kind := r.dec.PeekKind()
	if kind == '"' {
		rest := bytes.TrimLeft(r.body[r.dec.InputOffset():], ": \t\r\n")
		return bytes.HasPrefix(rest, []byte(`""`))
	}
	return kind == 'n'
}

func (r *reader) unknown(name string, members []member) {
	for _, m := range members {
		if strings.EqualFold(m.name, name) {
			r.fault("is not known; its name is written %s", m.name)
			return
		}
	}
	r.fault("is not known")
}

// list reads a list, each element with read, and returns their number; -1
// where there is no list. From the limit on, elements are only counted.
func (r *reader) list(limit int, read func() error) (n int, err error) {
	ok, err := r.expect('[')
	if !ok {
		return -1, err
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return -1, err
	}
	for r.dec.PeekKind() != ']' {
		if n >= limit {
			err = r.dec.SkipValue()
		} else {
			r.path = append(r.path, step{index: n})
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

// quoted reads a text of any kind; ok is false where something else stands,
// which is a fault by then.
func (r *reader) quoted() (s string, ok bool, err error) {
	if ok, err = r.expect('"'); !ok {
		return "", false, err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return "", false, err
	}
	return token.String(), true, nil
}

// name reads a text of 1 to [api.MaxNameLength] characters.
func (r *reader) name(into *string) error { return r.text(api.MaxNameLength, into) }

// text reads a text of 1 to limit characters.
func (r *reader) text(limit int, into *string) error {
	s, ok, err := r.quoted()
	if !ok {
		return err
	}
	switch n := utf8.RuneCountInString(s); {
	case s == "":
		r.fault("is required")
	case strings.TrimSpace(s) == "":
		r.fault("must not be blank")
	case n > limit:
		r.fault("is %d characters long; the limit is %d", n, limit)
	case strings.ContainsRune(s, 0):
		r.fault("contains the character U+0000, which is not allowed")
	default:
		*into = s
	}
	return nil
}

// choice reads one of the known values of an enumeration.
func choice[T ~string](r *reader, known []T, into *T) error {
	s, ok, err := r.quoted()
	if !ok {
		return err
	}
	switch {
	case s == "":
		r.fault("is required")
	case !slices.Contains(known, T(s)):
		r.fault("%q is not allowed; it must be one of %s", cut(s, 60), enumerated(known))
	default:
		*into = T(s)
	}
	return nil
}

func enumerated[T ~string](values []T) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}

// choices reads a list of values of an enumeration, and returns how many there
// are; -1 where there is no list.
func choices[T ~string](r *reader, known []T, into *[]T) (n int, err error) {
	*into = []T{}
	return r.list(math.MaxInt, func() error {
		var one T
		if err := choice(r, known, &one); err != nil || one == "" {
			return err
		}
		if !slices.Contains(*into, one) { // repeated values are folded
			*into = append(*into, one)
		}
		return nil
	})
}

// number reads a finite number from low to high.
func (r *reader) number(low, high float64, into *float64) error {
	ok, err := r.expect('0')
	if !ok {
		return err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(token.String(), 64)
	switch {
	case err != nil || math.IsInf(f, 0):
		r.fault("is too large for a number")
	case f < low && high == math.MaxFloat64:
		r.fault("must be %s or more", plain(low))
	case f < low || f > high:
		r.fault("must be from %s to %s", plain(low), plain(high))
	default:
		*into = f + 0 // no negative zero
	}
	return nil
}

// plain writes a number without an exponent.
func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// dateTime is a date-time of ISO 8601 with offset, its seconds and the minutes
// of its offset left out or not. Package time alone takes more than that, and
// offsets that there are not.
var dateTime = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$`)

// parseDate reads a date-time with offset.
func parseDate(s string) (at time.Time, ok bool) {
	part := dateTime.FindStringSubmatch(s)
	if part == nil {
		return at, false
	}
	if part[2] == "" {
		part[2] = ":00"
	}
	offset := part[3]
	if digits := strings.ReplaceAll(offset, ":", ""); offset != "Z" {
		offset = digits[:3] + ":" + (digits[3:] + "00")[:2]
	}
	at, err := time.Parse(time.RFC3339, part[1]+part[2]+offset)
	return at, err == nil
}

// date reads a date-time with offset.
func (r *reader) date(into *api.Time) error {
	s, ok, err := r.quoted()
	if !ok {
		return err
	}
	at, ok := parseDate(s)
	switch {
	case s == "":
		r.fault("is required")
	case !ok:
		r.fault("%q is not a date-time with offset like 2026-05-01T08:00:00+02:00", cut(s, 60))
	case at.Year() < 1900:
		r.fault("is before the year 1900")
	default:
		*into = api.At(at)
	}
	return nil
}
