package ops_test

import (
	"strings"
	"testing"

	"flightdesk/api/ops"
)

func TestTheNameOfAUserHasAtMost32Characters(t *testing.T) {
	for name, isValid := range map[string]bool{
		"a":                     true,
		"a.b-c_d":               true,
		strings.Repeat("a", 32): true,
		strings.Repeat("a", 33): false,
		"":                      false,
		"a.":                    false,
		".a":                    false,
		"A":                     false,
		"a\n":                   false,
		"a/b":                   false,
	} {
		if ops.IsUserName(name) != isValid {
			t.Errorf("%q: %v", name, !isValid)
		}
	}
}
