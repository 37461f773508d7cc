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

// bodyReader reads a body in one pass and notes every fault with its path. Its
// methods read the value that comes next. They return an error only where the
// body is no JSON, which ends the reading; everything else is a fault.
//
// The decoder is strict: duplicate names and invalid UTF-8 are no JSON.
type bodyReader struct {
	dec    *jsontext.Decoder
	body   []byte
	path   []pathStep
	faults []api.FieldError
	count  int // of all faults, kept or not
}

// pathStep is one part of a path: a member's name, or an index where name is "".
type pathStep struct {
	name  string
	index int
}

// bodyMember is a member that an object must have.
type bodyMember struct {
	name string
	read func() error
}

// readJSON reads the body with read, and returns a refusal that lists all
// faults, after those that the rest of the request has.
func readJSON(body []byte, faults []api.FieldError, read func(*bodyReader) error) error {
	r := &bodyReader{dec: jsontext.NewDecoder(bytes.NewBuffer(body)), body: body, faults: faults, count: len(faults)}
	err := read(r)
	if err == nil {
		err = r.expectEnd()
	}
	if err != nil {
		return malformedError(err)
	}
	return invalidRequest(r.faults, r.count)
}

// expectEnd makes sure that nothing follows the value.
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
	return newFault(api.CodeMalformedBody, "the body is not valid JSON: "+strings.TrimPrefix(err.Error(), "jsontext: "))
}

// invalidRequest returns the refusal of a request with faults, nil without any.
func invalidRequest(faults []api.FieldError, count int) error {
	if count == 0 {
		return nil
	}
	refusal := newFault(api.CodeValidationFailed, faults[0].Field+": "+faults[0].Message)
	if count > 1 {
		refusal.Message += fmt.Sprintf(", and %d more", count-1)
	}
	if count > len(faults) {
		refusal.Message += fmt.Sprintf("; the first %d are listed", len(faults))
	}
	refusal.Fields = faults
	return refusal
}

// noteFault notes a fault of the value at the current path.
func (r *bodyReader) noteFault(format string, args ...any) {
	r.count++
	if r.count <= maxFaults {
		r.faults = append(r.faults, api.FieldError{Field: r.faultPath(), Message: fmt.Sprintf(format, args...)})
	}
}

// faultAt notes a fault of a member of the value at the current path.
func (r *bodyReader) faultAt(name, format string, args ...any) {
	r.path = append(r.path, pathStep{name: name})
	r.noteFault(format, args...)
	r.path = r.path[:len(r.path)-1]
}

// faultPath writes the path as in missions[1].areaSize.
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

// kinds names the kinds of JSON value in messages.
var kinds = map[jsontext.Kind]string{
	'n': "null", 'f': "a boolean", 't': "a boolean", '"': "a text", '0': "a number", '{': "an object", '[': "a list",
}

// expectKind reports whether the next value is of the kind. One that is not is
// noted and skipped; null counts as missing.
func (r *bodyReader) expectKind(kind jsontext.Kind) (bool, error) {
	got := r.dec.PeekKind()
	switch {
	case got == kind:
		return true, nil
	case got == 'n':
		r.noteFault("is required")
	case kinds[got] != "":
		r.noteFault("must be %s, not %s", kinds[kind], kinds[got])
	}
	return false, r.dec.SkipValue()
}

// readObject reads an object with exactly these members, all of them required.
func (r *bodyReader) readObject(members ...bodyMember) error { return r.objectWith(members, nil) }

// objectWith reads an object that may have the optional members, too. An
// optional member that is null or an empty text counts as missing.
func (r *bodyReader) objectWith(required, optional []bodyMember) error {
	return r.readMembers(required, optional, func(int) {})
}

// readPatch reads an object that changes what it has members of. One that is null
// or an empty text clears.
func (r *bodyReader) readPatch(members []bodyMember, clears []func()) error {
	return r.readMembers(nil, members, func(i int) { clears[i]() })
}

// readMembers reads an object; absent is told which optional member is null or an
// empty text.
func (r *bodyReader) readMembers(required, optional []bodyMember, absent func(i int)) error {
	members := slices.Concat(required, optional)
	ok, err := r.expectKind('{')
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
		i := slices.IndexFunc(members, func(m bodyMember) bool { return m.name == name })
		r.path = append(r.path, pathStep{name: name})
		switch {
		case i < 0:
			r.skipUnknown(name, members)
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
func (r *bodyReader) isNothing() bool {
	kind := r.dec.PeekKind()
	if kind == '"' {
		rest := bytes.TrimLeft(r.body[r.dec.InputOffset():], ": \t\r\n")
		return bytes.HasPrefix(rest, []byte(`""`))
	}
	return kind == 'n'
}

func (r *bodyReader) skipUnknown(name string, members []bodyMember) {
	for _, m := range members {
		if strings.EqualFold(m.name, name) {
			r.noteFault("is not known; its name is written %s", m.name)
			return
		}
	}
	r.noteFault("is not known")
}

// readList reads a list, each element with read, and returns their number; -1
// where there is no list. From the limit on, elements are only counted.
func (r *bodyReader) readList(limit int, read func() error) (n int, err error) {
	ok, err := r.expectKind('[')
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

// readQuoted reads a text of any kind; ok is false where something else stands,
// which is a fault by then.
func (r *bodyReader) readQuoted() (s string, ok bool, err error) {
	if ok, err = r.expectKind('"'); !ok {
		return "", false, err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return "", false, err
	}
	return token.String(), true, nil
}

// readName reads a text of 1 to [api.MaxNameLength] characters.
func (r *bodyReader) readName(into *string) error { return r.readText(api.MaxNameLength, into) }

// readText reads a text of 1 to limit characters.
func (r *bodyReader) readText(limit int, into *string) error {
	s, ok, err := r.readQuoted()
	if !ok {
		return err
	}
	switch n := utf8.RuneCountInString(s); {
	case s == "":
		r.noteFault("is required")
	case strings.TrimSpace(s) == "":
		r.noteFault("must not be blank")
	case n > limit:
		r.noteFault("is %d characters long; the limit is %d", n, limit)
	case strings.ContainsRune(s, 0):
		r.noteFault("contains the character U+0000, which is not allowed")
	default:
		*into = s
	}
	return nil
}

// readChoice reads one of the known values of an enumeration.
func readChoice[T ~string](r *bodyReader, known []T, into *T) error {
	s, ok, err := r.readQuoted()
	if !ok {
		return err
	}
	switch {
	case s == "":
		r.noteFault("is required")
	case !slices.Contains(known, T(s)):
		r.noteFault("%q is not allowed; it must be one of %s", cutText(s, 60), listValues(known))
	default:
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

// readChoices reads a list of values of an enumeration, and returns how many there
// are; -1 where there is no list.
func readChoices[T ~string](r *bodyReader, known []T, into *[]T) (n int, err error) {
	*into = []T{}
	return r.readList(math.MaxInt, func() error {
		var one T
		if err := readChoice(r, known, &one); err != nil || one == "" {
			return err
		}
		if !slices.Contains(*into, one) { // repeated values are folded
			*into = append(*into, one)
		}
		return nil
	})
}

// readNumber reads a finite number from low to high.
func (r *bodyReader) readNumber(low, high float64, into *float64) error {
	ok, err := r.expectKind('0')
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
		r.noteFault("is too large for a number")
	case f < low && high == math.MaxFloat64:
		r.noteFault("must be %s or more", plainNumber(low))
	case f < low || f > high:
		r.noteFault("must be from %s to %s", plainNumber(low), plainNumber(high))
	default:
		*into = f + 0 // no negative zero
	}
	return nil
}

// plainNumber writes a number without an exponent.
func plainNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

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

// readDate reads a date-time with offset.
func (r *bodyReader) readDate(into *api.Time) error {
	s, ok, err := r.readQuoted()
	if !ok {
		return err
	}
	at, ok := parseDate(s)
	switch {
	case s == "":
		r.noteFault("is required")
	case !ok:
		r.noteFault("%q is not a date-time with offset like 2026-05-01T08:00:00+02:00", cutText(s, 60))
	case at.Year() < 1900:
		r.noteFault("is before the year 1900")
	default:
		*into = api.TimeOf(at)
	}
	return nil
}
