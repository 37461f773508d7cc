package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/BurntSushi/toml"
)

// document reads a TOML file key by key, so that every fault is found and has
// its line, where decoding into a struct would stop at the first one.
type document struct {
	file   string
	md     toml.MetaData
	faults Faults
}

// maxFaults is how many faults of a file are reported. Somebody else's file
// can have thousands, and each one takes a walk through the file for its line.
const maxFaults = 100

// table is one TOML table of a document.
type table struct {
	doc  *document
	key  toml.Key       // nil for the document itself
	self toml.Primitive // nothing for the document itself
	rows map[string]toml.Primitive
	used []string // keys that were asked for, known or not
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
		return Fault{File: file, Problem: "not valid TOML"}
	}
	problem := strings.TrimSuffix(pe.Message, ".")
	for _, quoting := range []string{"but found", "nvalid ", "not a", "out of range", "numbers:"} {
		if strings.Contains(problem, quoting) {
			problem = "not a TOML value; put text in quotes"
		}
	}
	problem = strings.ToLower(problem[:1]) + problem[1:]
	return Fault{File: file, Line: pe.Position.Line, Key: oneLine(visible(pe.LastKey)), Problem: oneLine(visible(problem))}
}

// visible replaces control characters of the file.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// probe is how a primitive is looked at. The library reports an unmarshaler's
// error with the line of its key, which is the only way to that line.
type probe struct {
	got any
	err error
}

func (p *probe) UnmarshalTOML(v any) error {
	p.got = v
	return p.err
}

// value is a string, bool, int64, float64, a time, a []any, or a table.
func (d *document) value(prim toml.Primitive) any {
	var p probe
	_ = d.md.PrimitiveDecode(prim, &p) // it has none of its own
	return p.got
}

// line is where a key stands, 0 for a table without a line of its own.
func (d *document) line(prim toml.Primitive) int {
	var pe toml.ParseError
	if !errors.As(d.md.PrimitiveDecode(prim, &probe{err: errors.New("line")}), &pe) {
		return 0
	}
	return pe.Position.Line
}

// line is where the table begins: of one without a line of its own, its first
// key.
func (t *table) line() int {
	if t.key == nil {
		return 0
	}
	if line := t.doc.line(t.self); line > 0 {
		return line
	}
	for _, key := range t.doc.md.Keys() {
		if len(key) > len(t.key) && slices.Equal(key[:len(t.key)], t.key) {
			return t.doc.line(t.rows[key[len(t.key)]])
		}
	}
	return 0
}

// fault notes what is wrong with a key of the table, with "" the table.
func (t *table) fault(key, format string, args ...any) {
	if len(t.doc.faults) >= maxFaults {
		return
	}
	full, line := t.key, 0
	if key != "" {
		full = append(slices.Clone(t.key), key)
	}
	if prim, ok := t.rows[key]; ok {
		line = t.doc.line(prim)
	}
	if line == 0 {
		line = t.line()
	}
	t.doc.faults = append(t.doc.faults, Fault{File: t.doc.file, Line: line, Key: full.String(), Problem: fmt.Sprintf(format, args...)})
}

func (t *table) take(key string) (v any, ok bool) {
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
	s, ok := v.(string)
	switch {
	case !ok:
		t.fault(key, "expected quoted text, not %s", typeName(v))
		return ""
	case s == "":
		t.fault(key, "empty; set a value or remove the key")
		return ""
	}
	if problem := check(s); problem != "" {
		t.fault(key, "%s", problem)
		return ""
	}
	return s
}

func (t *table) flag(key string) bool {
	v, ok := t.take(key)
	if !ok {
		return false
	}
	b, ok := v.(bool)
	if !ok {
		t.fault(key, "expected true or false, not %s", typeName(v))
	}
	return b
}

// list reads a list of texts, at least one, none empty.
func (t *table) list(key string) []string {
	v, ok := t.take(key)
	if !ok {
		return nil
	}
	items, ok := v.([]any)
	if !ok {
		t.fault(key, `expected a list of strings such as ["pass", "show", "flightdesk"], not %s`, typeName(v))
		return nil
	}
	list := make([]string, len(items))
	for i, item := range items {
		s, ok := item.(string)
		if !ok || i == 0 && s == "" {
			t.fault(key, "item %d: expected text, not %s", i+1, typeName(item))
			return nil
		}
		list[i] = s
	}
	if len(list) == 0 {
		t.fault(key, "empty list; start it with the program to run")
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
			return fmt.Sprintf(`not a valid duration; use one above 0 and up to %s, such as "20s"`, limit)
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
	sub := &table{doc: t.doc, key: append(slices.Clone(t.key), key), self: t.rows[key]}
	if _, ok := v.(map[string]any); !ok {
		t.fault(key, "expected a table [%[2]s], not %[1]s", typeName(v), sub.key)
		return nil
	}
	if err := t.doc.md.PrimitiveDecode(t.rows[key], &sub.rows); err != nil {
		t.fault(key, "could not read this table")
		return nil
	}
	return sub
}

// keys are the keys of the table in the order of the file.
func (t *table) keys() []string {
	keys := make([]string, 0, len(t.rows))
	seen := map[string]bool{}
	for _, key := range t.doc.md.Keys() {
		if len(key) <= len(t.key) || !slices.Equal(key[:len(t.key)], t.key) || seen[key[len(t.key)]] {
			continue
		}
		seen[key[len(t.key)]] = true
		keys = append(keys, key[len(t.key)])
	}
	return keys
}

// unknown makes a fault of every key that nobody asked for.
func (t *table) unknown() {
	for _, key := range t.keys() {
		if slices.Contains(t.used, key) {
			continue
		}
		if near := nearest(key, t.used); near != "" {
			t.fault(key, "unknown key; did you mean %s?", near)
			continue
		}
		t.fault(key, "unknown key; known keys are %s", strings.Join(slices.Sorted(slices.Values(t.used)), ", "))
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
