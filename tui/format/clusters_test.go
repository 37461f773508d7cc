package format_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"flightdesk/tui/format"
)

// The widths are those that terminals were measured to have: names, texts and
// cells. The campaign of screenshots/terminals measures them.
func TestCleanedTextIsAsWideAsInTerminals(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "widths.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	format.SumCodePoints(true)
	defer format.SumCodePoints(false)
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		want, err := strconv.Atoi(parts[2])
		if err != nil {
			t.Fatal(err)
		}
		if got := format.Width(format.Clean(parts[1])); got != want {
			t.Errorf("%s takes %d cells, want %d", parts[0], got, want)
		}
		for w := range want + 3 {
			if got := format.Width(format.FitLeft(format.Clean(parts[1]), w)); got != w {
				t.Errorf("%s in %d cells takes %d", parts[0], w, got)
			}
		}
	}
}

func TestClustersAreReducedOnlyWhereCodePointsAreAddedUp(t *testing.T) {
	for in, want := range map[string]string{
		"👩\u200d🚀 crew": "👩 crew", "👍🏽": "👍", "❤\ufe0f": "❤", "1\ufe0f\u20e3": "1", "🇩🇪": "🇩🇪", "🏽": "🏽",
		"\u1112\u1161\u11ab": "\ud55c", "می\u200cخواهم": "می\u200cخواهم", "हिन्दी": "हिन्दी", "क्\u200dष": "क्\u200dष",
	} {
		if got := format.Clean(in); got != in {
			t.Errorf("by clusters %q becomes %q", in, got)
		}
		format.SumCodePoints(true)
		if got := format.Clean(in); got != want {
			t.Errorf("by code points %q becomes %q, want %q", in, got, want)
		}
		format.SumCodePoints(false)
	}
}
