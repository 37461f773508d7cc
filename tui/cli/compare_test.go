package cli

import (
	"strings"
	"testing"
)

// What a service says reaches no terminal raw; the ends of lines stay.
func TestWriteClean(t *testing.T) {
	var out strings.Builder
	if err := writeClean(&out, "a,\x1b[2Jb\r\n\u202ec\nlast"); err != nil || out.String() != "a,␛[2Jb\r\n\uFFFDc\nlast" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
