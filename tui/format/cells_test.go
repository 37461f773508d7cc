package format_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/format"
)

func TestCleanMakesTextHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                  "plain",
		"two\nlines\tand a tab":  "two lines and a tab",
		"\x1b[2J\x1b]0;evil\x07": "␛[2J␛]0;evil␇",
		"csi \u009b31m":          "csi \uFFFD31m",
		"\u202Egnp.exe":          "\uFFFDgnp.exe",
		"zero\u200Bwidth\uFEFF":  "zero‹200B›width‹FEFF›",
		"word\u2060joiner":       "word‹2060›joiner",
		"bad \xff byte":          "bad \uFFFD byte",
		"Größe 東京 👩‍🚀":           "Größe 東京 👩‍🚀",
		"del\x7f":                "del␡",
	} {
		if got := format.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLettersTakeACellInEveryTerminal(t *testing.T) {
	for r := range rune(0x3000) {
		s := "a" + string(r) + "é" + string(r) + "z"
		narrow := ansi.StringWidth(s) == 5 && ansi.StringWidthWc(s) == 5
		if latin := r >= 0xa1 && r <= 0x2ff && r != 0xad || r == '–'; latin && (!narrow || format.Clean(s) != s) || format.Width(s) != ansi.StringWidth(s) {
			t.Errorf(
				"%U takes %d and %d cells, and is counted as %d", r, ansi.StringWidth(s), ansi.StringWidthWc(s),
				format.Width(s),
			)
		}
	}
}

func TestCutting(t *testing.T) {
	for _, c := range []struct {
		name, got, want string
	}{
		{"fits", format.CutLine("abc", 3), "abc"},
		{"end", format.CutLine("abcdef", 4), "abc…"},
		{"wide", format.CutLine("東京タワー", 5), "東京…"},
		{"nothing", format.CutLine("abc", 0), ""},
		{"middle", format.CutMiddle("quay_ortho_2cm_final.tif", 12), "quay_o…l.tif"},
		{"middle, narrow", format.CutMiddle("abcdefghij", 5), "abcd…"},
		{"left", format.FitLeft("ab", 4), "ab  "},
		{"right", format.FitRight("ab", 4), "  ab"},
		{"ends", format.FitEnds("left", "right", 12), "left   right"},
		{"ends, tight", format.FitEnds("left side", "right", 9), "le… right"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

// odd is what names from outside are made of.
var odd = []string{"a", " ", "ß", "東", "👩‍🚀", "é", "\x1b[31m", "\u202e", "\n", "ש", "🇩🇪", "\u0301", "\u200c", "ｗ"}

func oddText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(odd[r.IntN(len(odd))])
	}
	return b.String()
}

func TestNothingLeavesItsRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	style := lipgloss.NewStyle().Bold(true)
	for range 5000 {
		w, h := r.IntN(30), r.IntN(6)
		lines := make([]string, r.IntN(8))
		for i := range lines {
			lines[i] = format.CleanText(style, oddText(r, 30))
		}
		box := format.FitBox(lines, w, h)
		checkBox(t, "Box", box, w, h)
		if h > 0 && w > 0 {
			over := format.LayOver(box, format.FitBox(lines, r.IntN(12)+1, r.IntN(4)+1), r.IntN(w), r.IntN(h))
			checkBox(t, "Over", over, w, h)
		}
		if got := format.Width(format.FitEnds(lines0(lines), "right", w)); got != w {
			t.Fatalf("Ends is %d cells, want %d", got, w)
		}
	}
}

func lines0(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}

func checkBox(t *testing.T, what, box string, w, h int) {
	t.Helper()
	if h == 0 {
		if box != "" {
			t.Fatalf("%s of no height is %q", what, box)
		}
		return
	}
	lines := format.SplitLines(box)
	if len(lines) != h {
		t.Fatalf("%s has %d lines, want %d", what, len(lines), h)
	}
	for _, line := range lines {
		if got := ansi.StringWidth(line); got != w {
			t.Fatalf("%s: a line of %d cells, want %d: %q", what, got, w, line)
		}
	}
}
