package cli

import (
	"strings"
	"testing"
)

// Text of a service is printed without control characters; line ends stay.
func TestTextOfAServiceIsPrintedWithoutControlCharacters(t *testing.T) {
	var out strings.Builder
	to := newTextWriter(&out)
	textPart("a,\x1b[2Jb\r\n\u202ec\nlast")(to)
	if err := to.Flush(); err != nil || out.String() != "a,␛[2Jb\r\n\uFFFDc\nlast" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
