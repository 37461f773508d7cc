package cli

import (
	"strings"
	"testing"
)

// What a service says reaches no terminal raw; the ends of lines stay.
func TestWriteClean(t *testing.T) {
	var out strings.Builder
	to := newPaper(&out)
	textPart("a,\x1b[2Jb\r\n\u202ec\nlast")(to)
	if err := to.Flush(); err != nil || out.String() != "a,␛[2Jb\r\n\uFFFDc\nlast" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
