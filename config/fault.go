package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing wrong with a configuration file.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitzero"` // from 1; 0 where no line can be named
	Key     string `json:"key,omitzero"`  // dotted path, "" for the file as a whole
	Problem string `json:"problem"`       // what is wrong and what to do; never a value that could be a key
}

// Error returns file:line: key: problem.
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.Key != "" {
		b.WriteString(": " + f.Key)
	}
	b.WriteString(": " + f.Problem)
	return b.String()
}

// Faults are all the faults of a file, by line; never empty when returned as
// an error.
type Faults []Fault

// Error returns one line: the first fault, and how many more there are.
func (f Faults) Error() string {
	switch len(f) {
	case 0:
		return "no errors"
	case 1:
		return f[0].Error()
	default:
		return fmt.Sprintf("%s (%d more; run flightdesk config check)", f[0].Error(), len(f)-1)
	}
}

func (f Faults) sortByLine() {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key))
	})
}
