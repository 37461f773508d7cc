package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// Printed JSON controls no terminal, and a program decodes the original text.
func TestPrintedJSONIsHarmless(t *testing.T) {
	const name = "a\u009b2J\x7f\u202eb\U000e0041 é"
	var out strings.Builder
	if err := printValue(&out, map[string]string{"name": name}); err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"a\u009b2J\u007f\u202eb\udb40\udc41 é"}` + "\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
	var read map[string]string
	if err := json.Unmarshal([]byte(out.String()), &read); err != nil || read["name"] != name {
		t.Errorf("reads as %q, %v", read, err)
	}
}

// Names of members, which a service chooses, control no terminal, even without colours.
func TestPrintedFactsAreHarmless(t *testing.T) {
	const clipboard = "\x1b]52;c;aGk=\x07"
	var out strings.Builder
	to := newTextWriter(&out)
	to.writeFacts([][2]string{{"+ note" + clipboard, "a" + clipboard}, {"Order", "ORD-1"}})
	_ = to.Flush()
	if want := "+ note␛]52;c;aGk=␇  a␛]52;c;aGk=␇\nOrder               ORD-1\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}
