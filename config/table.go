package config

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// tomlDocument reads a TOML file key by key, to find every fault with its line. Decoding into a
// struct would stop at the first fault.
type tomlDocument struct {
	file   string
	home   string // replaces a leading ~
	md     toml.MetaData
	faults Faults
}

// maxFaults limits the number of reported faults. A file of another type can have thousands, and
// finding the line of each fault needs a pass through the file.
const maxFaults = 100

// tomlTable is one TOML table of a document.
type tomlTable struct {
	doc  *tomlDocument
	key  toml.Key       // nil for the document
	self toml.Primitive // empty for the document
	rows map[string]toml.Primitive
	used []string // keys that the program has looked up, even if the file does not have them
}

func decodeTOML(file, home, text string) (*tomlTable, error) {
	doc := &tomlDocument{file: file, home: home}
	root := &tomlTable{doc: doc}
	md, err := toml.Decode(text, &root.rows)
	if err != nil {
		return nil, Faults{syntaxFault(file, err)}
	}
	doc.md = md
	return root, nil
}

// quotesText matches error messages of package toml that quote the faulty text.
var quotesText = regexp.MustCompile("but found|nvalid |not a|out of range|numbers:")

// syntaxFault returns a syntax error of package toml as a fault. It replaces messages that quote the faulty
// text, because that text can be a misplaced API key.
func syntaxFault(file string, err error) Fault {
	var pe toml.ParseError
	if !errors.As(err, &pe) {
		return Fault{File: file, Problem: "not valid TOML"}
	}
	problem := strings.TrimSuffix(pe.Message, ".")
	if quotesText.MatchString(problem) {
		problem = "not a TOML value; put text in quotes"
	}
	problem = strings.ToLower(problem[:1]) + problem[1:]
	return Fault{
		File:    file,
		Line:    pe.Position.Line,
		Key:     oneLine(pe.LastKey),
		Problem: oneLine(problem),
	}
}

// primitiveProbe finds out the value and the line of a TOML key. Package toml reports the line of a key only
// in an error. UnmarshalTOML therefore keeps the value and then fails, and readPrimitive takes the line from
// the error.
type primitiveProbe struct{ value any }

func (p *primitiveProbe) UnmarshalTOML(v any) error {
	p.value = v
	return errors.New("line")
}

// readPrimitive returns the value of a key (a string, bool, int64, float64, time, []any or table)
// and its line. The line is 0 for an absent key and for a table without a line.
func (d *tomlDocument) readPrimitive(prim toml.Primitive) (value any, line int) {
	var p primitiveProbe
	var parseErr toml.ParseError
	_ = errors.As(d.md.PrimitiveDecode(prim, &p), &parseErr)
	return p.value, parseErr.Position.Line
}

// lineOf returns the line of a key.
func (t *tomlTable) lineOf(key string) int {
	_, line := t.doc.readPrimitive(t.rows[key])
	return line
}

// tableLine returns the line of the table, or of its first key.
func (t *tomlTable) tableLine() int {
	if t.key == nil {
		return 0
	}
	_, line := t.doc.readPrimitive(t.self)
	if keys := t.fileKeys(); line == 0 && len(keys) > 0 {
		line = t.lineOf(keys[0])
	}
	return line
}

// addFault records a problem of a key, or of the whole table if key is "".
func (t *tomlTable) addFault(key, format string, args ...any) {
	if len(t.doc.faults) >= maxFaults {
		return
	}
	fullKey := t.key
	line := 0
	if key != "" {
		fullKey = append(slices.Clone(t.key), key)
		line = t.lineOf(key)
	}
	if line == 0 {
		line = t.tableLine()
	}
	t.doc.faults = append(t.doc.faults, Fault{
		File:    t.doc.file,
		Line:    line,
		Key:     fullKey.String(),
		Problem: fmt.Sprintf(format, args...),
	})
}

// readValue returns the value of a key, or false if the key is absent or has another type. expected
// names the type for the error text.
func readValue[T any](t *tomlTable, key, expected string) (value T, ok bool) {
	t.used = append(t.used, key)
	prim, ok := t.rows[key]
	if !ok {
		return value, false
	}
	v, _ := t.doc.readPrimitive(prim)
	value, ok = v.(T)
	if !ok {
		t.addFault(key, "expected %s, not %s", expected, typeName(v))
	}
	return value, ok
}

// TableRow is a key of a table with its value.
type TableRow struct {
	Key   string
	Value any                 // text, flag, list or credential; readRows needs a pointer to it
	check func(string) string // returns what is wrong with a text, or ""
}

// readRows reads the keys of a table. It sets the value that each row points to, unless the key of the row
// is absent or has an invalid value.
func (t *tomlTable) readRows(all []TableRow) {
	for _, r := range all { // the flags first, because the check of an address depends on allow_http
		if flag, isFlag := r.Value.(*bool); isFlag {
			*flag, _ = readValue[bool](t, r.Key, "true or false")
		}
	}
	for _, r := range all {
		switch value := r.Value.(type) {
		case *string:
			t.readText(r.Key, value, r.check)
		case *[]string:
			*value = t.readList(r.Key)
		case *Credential:
			*value = t.readCredential(r.Key)
		}
	}
}

// readText reads a text that is not empty and passes check.
func (t *tomlTable) readText(key string, value *string, check func(string) string) {
	text, ok := readValue[string](t, key, "quoted text")
	if !ok {
		return
	}
	if text == "" {
		t.addFault(key, "empty; set a value or remove the key")
		return
	}
	if problem := check(text); problem != "" {
		t.addFault(key, "%s", problem)
		return
	}
	*value = text
}

// readList reads a non-empty list of non-empty strings.
func (t *tomlTable) readList(key string) []string {
	items, ok := readValue[[]any](t, key, `a list of strings such as ["pass", "show", "flightdesk"]`)
	var list []string
	for i, item := range items {
		text, isText := item.(string)
		if !isText || (i == 0 && text == "") {
			t.addFault(key, "item %d: expected text, not %s", i+1, typeName(item))
			return nil
		}
		list = append(list, text)
	}
	if ok && len(list) == 0 {
		t.addFault(key, "empty list; start it with the program to run")
	}
	return list
}

// readTable reads a table. It returns nil if the key is absent or not a table.
func (t *tomlTable) readTable(key string) *tomlTable {
	sub := &tomlTable{doc: t.doc, key: append(slices.Clone(t.key), key), self: t.rows[key]}
	if _, ok := readValue[map[string]any](t, key, fmt.Sprintf("a table [%s]", sub.key)); !ok {
		return nil
	}
	_ = t.doc.md.PrimitiveDecode(sub.self, &sub.rows) // a table can be read as one
	return sub
}

// readTables yields the subtables under a key by their names, in file order.
func (t *tomlTable) readTables(key string) iter.Seq2[string, *tomlTable] {
	return func(yield func(string, *tomlTable) bool) {
		all := t.readTable(key)
		if all == nil {
			return
		}
		for _, name := range all.fileKeys() {
			if sub := all.readTable(name); sub != nil && !yield(name, sub) {
				return
			}
		}
	}
}

// fileKeys returns the keys of the table in file order.
func (t *tomlTable) fileKeys() []string {
	var keys []string
	for _, key := range t.doc.md.Keys() {
		n := len(t.key)
		if len(key) > n && slices.Equal(key[:n], t.key) && !slices.Contains(keys, key[n]) {
			keys = append(keys, key[n])
		}
	}
	return keys
}

// addUnknownKeys records a fault for every key that was not read.
func (t *tomlTable) addUnknownKeys() {
	for _, key := range t.fileKeys() {
		if slices.Contains(t.used, key) {
			continue
		}
		advice := "known keys are " + strings.Join(slices.Sorted(slices.Values(t.used)), ", ")
		if near := nearestWord(key, t.used); near != "" {
			advice = "did you mean " + near + "?"
		}
		t.addFault(key, "unknown key; %s", advice)
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

// nearestWord returns the most similar known word within two edits, or "".
func nearestWord(word string, known []string) string {
	word = strings.ReplaceAll(strings.ToLower(word), "-", "_")
	for edits := range 3 {
		for _, k := range known {
			if edits < len(k)/2 && isWithinEdits(word, k, edits) {
				return k
			}
		}
	}
	return ""
}

// isWithinEdits reports whether a becomes b with at most the given number of added, removed or replaced
// letters.
func isWithinEdits(a, b string, edits int) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a = a[1:]
		b = b[1:]
	}
	if edits == 0 || a == "" || b == "" {
		return len(a)+len(b) <= edits
	}
	edits--
	return isWithinEdits(a[1:], b, edits) || isWithinEdits(a, b[1:], edits) || isWithinEdits(a[1:], b[1:], edits)
}
