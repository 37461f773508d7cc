package kmlcsv

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTidyLabel(t *testing.T) {
	for _, c := range []struct {
		raw, want    string
		dropped, cut bool
	}{
		{"Site A", "Site A", false, false},
		{"  Site \n\t A  ", "Site A", false, false},
		{"Köln\u00a0Nord", "Köln Nord", false, false},
		{" \r\n ", "", false, false},
		{"abc\u202etxt.exe\u200b", "abctxt.exe", true, false},
		{"\x1b[31mred\x07", "[31mred", true, false},
		{"a\xffb", "ab", true, false},
		{"family 👩‍👧", "family 👩‍👧", false, false},
		{strings.Repeat("é", 200), strings.Repeat("é", 200), false, false},
		{strings.Repeat("é", 201), strings.Repeat("é", 199) + "…", false, true},
		{strings.Repeat("é", 199) + " é", strings.Repeat("é", 199) + "…", false, true},
		{strings.Repeat("é", 198) + " éé", strings.Repeat("é", 198) + "…", false, true},
		{strings.Repeat("a", 5000), strings.Repeat("a", 199) + "…", false, true},
	} {
		got, dropped, cut := tidyLabel([]byte(c.raw), nil, maxLabel)
		if string(got) != c.want || dropped != c.dropped || cut != c.cut {
			t.Errorf("%q: %q, dropped %t, cut %t; want %q", c.raw, got, dropped, cut, c.want)
		}
		if n := utf8.RuneCount(got); n > maxLabel {
			t.Errorf("%q: %d characters", c.raw, n)
		}
		if again, _, _ := tidyLabel(got, nil, maxLabel); string(again) != string(got) {
			t.Errorf("%q is not tidy: %q", got, again)
		}
		if isTidy([]byte(c.raw)) && string(got) != strings.TrimSpace(c.raw) {
			t.Errorf("%q counts as tidy", c.raw)
		}
	}
}

func TestStripTags(t *testing.T) {
	for raw, want := range map[string]string{
		"<b>Site</b> &amp; <script>alert(1)</script>": "Site & alert(1)",
		"<![if x]>a < b<br/>c":                        "a < b c",
		"3 < 4 <":                                     "3 < 4 <",
		"Tom &amp;amp; Jerry":                         "Tom &amp; Jerry",
		"<font color=\"red\">x":                       "x",
		"open <tag":                                   "open <tag",
		"plain":                                       "plain",
	} {
		if got := string(stripTags([]byte(raw))); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}
