package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// document reads a TOML file key by key, so that every fault is found and has
// its line, where decoding into a struct would stop at the first one.
type document struct {
	file   string
	md     toml.MetaData
	faults Faults
}

// table is one TOML table of a document.
type table struct {
	doc  *document
	key  toml.Key
	line int
	rows map[string]toml.Primitive
	used []string // keys that were asked for, known or not
}

// value is what a key holds: a string, bool, int64, float64, a time, a []any,
// or a table.
type value struct {
	any
	line int
}

func decode(file string, data []byte) (*document, *table, error) {
	doc := &document{file: file}
	root := &table{doc: doc}
	var err error
	if doc.md, err = toml.Decode(string(data), &root.rows); err != nil {
		return nil, nil, Faults{syntaxFault(file, err)}
	}
	return doc, root, nil
}

// syntaxFault words the library's syntax error without the text that it
// quotes, which may be a key pasted where none belongs.
func syntaxFault(file string, err error) Fault {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return Fault{File: file, Problem: "this is no TOML"}
	}
	problem := strings.TrimSuffix(pe.Message, ".")
	for _, quoting := range []string{"but found", "nvalid ", "not a", "out of range", "numbers:"} {
		if strings.Contains(problem, quoting) {
			problem = "this is no TOML value; text stands between quotes"
		}
	}
	return Fault{File: file, Line: pe.Position.Line, Key: pe.LastKey, Problem: strings.ToLower(problem[:1]) + problem[1:]}
}

// probe is how a primitive's value and line are got at: the library reports an
// unmarshaler's error with the position of the key.
type probe struct{ got any }

var errProbe = errors.New("probe")

func (p *probe) UnmarshalTOML(v any) error {
	p.got = v
	return errProbe
}

func (d *document) value(prim toml.Primitive) value {
	var p probe
	var pe toml.ParseError
	if !errors.As(d.md.PrimitiveDecode(prim, &p), &pe) {
		return value{p.got, 0}
	}
	return value{p.got, pe.Position.Line}
}

func (t *table) fault(line int, key, format string, args ...any) {
	full := t.key
	if key != "" {
		full = append(slices.Clone(t.key), key)
	}
	if line == 0 {
		line = t.line
	}
	t.doc.faults = append(t.doc.faults, Fault{File: t.doc.file, Line: line, Key: full.String(), Problem: fmt.Sprintf(format, args...)})
}

func (t *table) take(key string) (v value, ok bool) {
	t.used = append(t.used, key)
	prim, ok := t.rows[key]
	if !ok {
		return v, false
	}
	return t.doc.value(prim), true
}

// text reads a string that is not empty and passes check; "" where the key is
// absent or at fault. check returns what is wrong, or nothing.
func (t *table) text(key string, check func(string) string) string {
	v, ok := t.take(key)
	if !ok {
		return ""
	}
	s, ok := v.any.(string)
	switch {
	case !ok:
		t.fault(v.line, key, "this is %s where text between quotes belongs", typeName(v.any))
		return ""
	case s == "":
		t.fault(v.line, key, "this is empty; leave the key out or fill it in")
		return ""
	}
	if problem := check(s); problem != "" {
		t.fault(v.line, key, "%s", problem)
		return ""
	}
	return s
}

func (t *table) flag(key string) bool {
	v, ok := t.take(key)
	if !ok {
		return false
	}
	b, ok := v.any.(bool)
	if !ok {
		t.fault(v.line, key, "this is %s where true or false belongs", typeName(v.any))
	}
	return b
}

// list reads a list of texts, at least one, none empty.
func (t *table) list(key string) []string {
	v, ok := t.take(key)
	if !ok {
		return nil
	}
	items, ok := v.any.([]any)
	if !ok {
		t.fault(v.line, key, `this is %s where a list of texts belongs, as in ["pass", "show", "flightdesk"]`, typeName(v.any))
		return nil
	}
	list := make([]string, len(items))
	for i, item := range items {
		s, ok := item.(string)
		if !ok || i == 0 && s == "" {
			t.fault(v.line, key, "item %d is %s where text belongs", i+1, typeName(item))
			return nil
		}
		list[i] = s
	}
	if len(list) == 0 {
		t.fault(v.line, key, "the list is empty; it starts with the program to run")
	}
	return list
}

// duration reads a text like "20s", more than nothing and at most limit.
func (t *table) duration(key string, limit time.Duration) time.Duration {
	var d time.Duration
	t.text(key, func(s string) (problem string) {
		var err error
		if d, err = time.ParseDuration(s); err != nil || d <= 0 || d > limit {
			d = 0
			return fmt.Sprintf(`this is no duration above 0 and up to %s, as in "20s"`, limit)
		}
		return ""
	})
	return d
}

// table reads a table; nil where the key is absent or at fault.
func (t *table) table(key string) *table {
	v, ok := t.take(key)
	if !ok {
		return nil
	}
	sub := &table{doc: t.doc, key: append(slices.Clone(t.key), key), line: v.line}
	if _, ok := v.any.(map[string]any); !ok {
		t.fault(v.line, key, "this is %s where a table belongs, [%s]", typeName(v.any), sub.key)
		return nil
	}
	if err := t.doc.md.PrimitiveDecode(t.rows[key], &sub.rows); err != nil {
		t.fault(v.line, key, "this table cannot be read")
		return nil
	}
	if sub.line == 0 {
		sub.line = sub.firstLine()
	}
	return sub
}

// firstLine is the line of a table that no line of its own declares.
func (t *table) firstLine() int {
	first := 0
	for name := range t.rows {
		v := t.doc.value(t.rows[name])
		if v.line > 0 && (first == 0 || v.line < first) {
			first = v.line
		}
	}
	return first
}

func (t *table) keys() []string { return slices.Sorted(maps.Keys(t.rows)) }

// unknown makes a fault of every key that nobody asked for.
func (t *table) unknown() {
	for _, key := range t.keys() {
		if slices.Contains(t.used, key) {
			continue
		}
		v := t.doc.value(t.rows[key])
		if near := nearest(key, t.used); near != "" {
			t.fault(v.line, key, "unknown key; %s is meant, perhaps", near)
			continue
		}
		t.fault(v.line, key, "unknown key; known here are %s", strings.Join(slices.Sorted(slices.Values(t.used)), ", "))
	}
}

func typeName(v any) string {
	switch v := v.(type) {
	case string:
		if v == "" {
			return "empty text"
		}
		return "text"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case time.Time:
		return "a date"
	case []any:
		return "a list"
	case []map[string]any:
		return "a list of tables"
	default:
		return "a table"
	}
}

// nearest returns the known word within two edits, "" if there is none.
func nearest(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := edits(strings.ReplaceAll(strings.ToLower(word), "-", "_"), k); d < least && d < len(k)/2 {
			best, least = k, d
		}
	}
	return best
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
