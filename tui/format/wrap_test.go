package format_test

import (
	"slices"
	"testing"

	"flightdesk/tui/format"
)

func TestTextIsWrappedAtBlanks(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"a short text", "two words", 20, []string{"two words"}},
		{"a long text", "three short words", 11, []string{"three short", "words"}},
		{"an ID", "Callback 01a1de25-2a20-74e0", 20, []string{"Callback", "01a1de25-2a20-74e0"}},
		{"a host", "to hooks.nord-wind.example", 23, []string{"to", "hooks.nord-wind.example"}},
		{"a value and its unit", "6 files, 248.5 kB", 15, []string{"6 files,", "248.5 kB"}},
		{"a day", "valid from 23 Nov", 13, []string{"valid from", "23 Nov"}},
		{"a price", "Express, 1,724.00 EUR", 18, []string{"Express,", "1,724.00 EUR"}},
		{"blanks between columns", "MSN-1  Block A", 20, []string{"MSN-1  Block A"}},
		{"a URL longer than a line", "https://gis.example/ingest/survey", 25, []string{"https://gis.example/", "ingest/survey"}},
		{"a host that just fits", "hooks.example.org/ingest", 17, []string{"hooks.example.org", "/ingest"}},
		{
			"an e-mail address", "E-mail kaethe.brueggemann@nordlicht-windkraft.example", 30,
			[]string{"E-mail", "kaethe.brueggemann", "@nordlicht-windkraft.example"},
		},
		{
			"an e-mail address with a long name", "first.second.third.fourth@a.example", 22,
			[]string{"first.second.third", ".fourth@a.example"},
		},
		{
			"an e-mail address for three lines", "kaethe@nordlicht-windkraft.example", 12,
			[]string{"kaethe@", "nordlicht-", "windkraft.", "example"},
		},
		{"a word longer than a line", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"a character wider than a line", "苫", 1, []string{"苫"}},
		{"a price longer than a line", "1,724.00 EUR", 8, []string{"1,724.00", "EUR"}},
		{"a blank after a full line", "abcd ", 4, []string{"abcd"}},
		{"only blanks", "   ", 2, []string{""}},
		{"no text", "", 5, []string{""}},
		{"no room", "text", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := format.Wrap(c.text, c.width); !slices.Equal(got, c.want) {
				t.Errorf("wrapped as %q, want %q", got, c.want)
			}
		})
	}
}
