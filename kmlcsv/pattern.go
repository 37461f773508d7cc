package kmlcsv

import (
	"regexp"
	"sync"
)

// newPattern returns a function that returns a regular expression. The expression is compiled on first use, because
// compiling all patterns of the package takes about 2 ms, which every start of the program would take longer.
func newPattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
