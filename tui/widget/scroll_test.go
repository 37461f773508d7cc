package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprint(i + 1)
	}
	return lines
}

func TestScrollCountsHiddenLines(t *testing.T) {
	var s widget.Scroll
	for _, c := range []struct {
		key, want string
	}{
		{"", "1 2 3 4 | ↓ 6 more"},
		{"j", "2 3 4 5 | ↑ 1 · ↓ 5 more"},
		{"pgdown", "6 7 8 9 | ↑ 5 · ↓ 1 more"},
		{"space", "7 8 9 10 | ↑ 6 more"},
		{"down", "7 8 9 10 | ↑ 6 more"},
		{"k", "6 7 8 9 | ↑ 5 · ↓ 1 more"},
		{"g", "1 2 3 4 | ↓ 6 more"},
		{"up", "1 2 3 4 | ↓ 6 more"},
		{"end", "7 8 9 10 | ↑ 6 more"},
	} {
		if moved := s.HandleKey(c.key, false); moved != (c.key != "") {
			t.Errorf("%q moves: %v", c.key, moved)
		}
		shown := s.View(numbered(10), 5, theme.Style{})
		if got := strings.Join(shown[:4], " ") + " |" + shown[4]; got != c.want {
			t.Errorf("%q shows %q, not %q", c.key, got, c.want)
		}
	}
	if s.HandleKey("j", true) || s.HandleKey("space", true) {
		t.Error("what is typed scrolls")
	}
	if got := s.View(numbered(5), 5, theme.Style{}); strings.Join(got, " ") != "1 2 3 4 5" {
		t.Errorf("what fits is shown as %q", got)
	}
}

func TestScrollKeepsTheSelectedRowVisible(t *testing.T) {
	var s widget.Scroll
	drawn := 0
	for _, c := range []struct {
		at   int
		want string
	}{{0, "1 2 3"}, {3, "2 3 4"}, {2, "2 3 4"}, {99_999, "99998 99999 100000"}, {0, "1 2 3"}} {
		drawn = 0
		got := s.DrawRows(100_000, c.at, 4, theme.Style{}, func(i int) string { drawn++; return fmt.Sprint(i + 1) })
		if strings.Join(got[:3], " ") != c.want || drawn != 3 {
			t.Errorf("with row %d %q is shown, and %d were drawn", c.at, got, drawn)
		}
	}
	if _, ok := s.LineAt(3); ok {
		t.Error("the row that says how many more there are is one of them")
	}
	if line, ok := s.LineAt(2); !ok || line != 2 {
		t.Errorf("in the third row stands line %d", line)
	}
}
