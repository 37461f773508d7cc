package tui_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"unicode"
)

// drawn has the characters that are drawings. A screen reader spells or skips them.
var drawn = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x2190, Hi: 0x21FF, Stride: 1},
	{Lo: 0x22A0, Hi: 0x22FF, Stride: 1},
	{Lo: 0x2300, Hi: 0x23FF, Stride: 1},
	{Lo: 0x2500, Hi: 0x27BF, Stride: 1},
	{Lo: 0x2800, Hi: 0x28FF, Stride: 1},
}}

func TestPlainPrintsNoShapes(t *testing.T) {
	lines := []string{
		"2", "enter", "esc", "3", "enter", "esc", "4", "enter", "esc", "5", "6", "w", "enter", "esc", "n",
		":esc", "9", "?",
	}
	var out string
	synctest.Test(t, func(t *testing.T) { out = spoken(t, plainDemo(t), lines...) })
	found := map[rune]string{}
	for line := range strings.SplitSeq(out, "\n") {
		for _, r := range line {
			if unicode.Is(drawn, r) {
				found[r] = line
			}
		}
	}
	for r, line := range found {
		t.Errorf("%c (%U) is in %q", r, r, line)
	}
	if strings.Count(out, "== ") < 8 {
		t.Errorf("pages are missing:\n%s", out)
	}
}
