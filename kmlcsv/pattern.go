package kmlcsv

import (
	"regexp"
	"sync"
)

// patterns has all patterns of the package, so that a test can compile them.
var patterns []func() *regexp.Regexp

// newPattern returns a function that returns a regular expression. The expression is compiled when it is first used:
// compiling all patterns of the package would add about 2 ms to every start of the program. The packages crs and shape
// compile their few patterns at the start, which takes less than 0.3 ms.
func newPattern(text string) func() *regexp.Regexp {
	pattern := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	patterns = append(patterns, pattern)
	return pattern
}
