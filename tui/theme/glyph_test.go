package theme_test

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
)

func TestSetsDrawWhatTheTerminalHas(t *testing.T) {
	const frame = "\x1b[1m◇ Großröhrsdorf · 東京\x1b[m │ Ёлка e\u0301 ▌▏ ⠿"
	for _, tt := range []struct {
		set  theme.GlyphSet
		want string
	}{
		{theme.Unicode, frame},
		{theme.Console, "\x1b[1m~ Großröhrsdorf · 東京\x1b[m │ Ёлка e\u0301 ▌  +"},
		{theme.ASCII, "\x1b[1m~ Großröhrsdorf - 東京\x1b[m | Ёлка e\u0301 =- +"},
		{theme.Narrow, "\x1b[1m~ Grosröhrsdorf - 東京\x1b[m | ???? e\u0301 =- +"},
		{theme.Bytes, "\x1b[1m~ Grosrohrsdorf - ????\x1b[m | ???? e =- +"},
	} {
		got := tt.set.DrawText(frame)
		if got != tt.want {
			t.Errorf("set %d draws %q, want %q", tt.set, got, tt.want)
		}
		if w := ansi.StringWidthWc(got); w != ansi.StringWidthWc(frame) {
			t.Errorf("set %d takes %d cells", tt.set, w)
		}
	}
}

func TestBrailleComesBackAsItsDots(t *testing.T) {
	for pattern, want := range map[int]rune{
		0:          ' ',
		0b11:       '"',
		0b11000000: '_',
		0b01100110: '/',
		0xff:       '+',
		0b01010101: '|',
		0b1001:     '\\',
	} {
		if got, ok := theme.ASCIIShape(theme.BrailleDots(pattern)); got != want || !ok {
			t.Errorf("%08b is %q, want %q", pattern, got, want)
		}
	}
}

func TestTheTerminalDecidesOnTheSet(t *testing.T) {
	const silent = -1
	for _, tt := range []struct {
		name    string
		setting string
		vars    map[string]string
		column  int // that is told after the probe
		want    theme.GlyphSet
	}{
		{"UTF-8", "", map[string]string{"LANG": "de_DE.UTF-8"}, 21, theme.Unicode},
		{"no answer", "auto", nil, silent, theme.Unicode},
		{"wide", "auto", map[string]string{"LANG": "ja_JP.UTF-8"}, 22, theme.Narrow},
		{"bytes", "", nil, 23, theme.Bytes},
		{"an answer to something else", "", nil, 3, theme.Unicode},
		{"C, no answer", "", map[string]string{"LANG": "C"}, silent, theme.Bytes},
		{"C in a terminal with UTF-8", "", map[string]string{"LANG": "en_GB.UTF-8", "LC_ALL": "C"}, 21, theme.ASCII},
		{"Latin-1", "", map[string]string{"LC_CTYPE": "de_DE.ISO-8859-1"}, 23, theme.Bytes},
		{"a console", "", map[string]string{"TERM": "linux"}, 21, theme.Console},
		{"asked for", "ascii", nil, 21, theme.ASCII},
		{"asked for, wide", "ascii", nil, 22, theme.Narrow},
		{"Unicode asked for", "unicode", map[string]string{"LANG": "C"}, 22, theme.Unicode},
	} {
		t.Run(tt.name, func(t *testing.T) {
			terminal := theme.TerminalOf(tt.setting, func(name string) string { return tt.vars[name] })
			if tt.column != silent {
				terminal.TakeColumn(tt.column)
			}
			if got := terminal.GlyphSet(); got != tt.want {
				t.Errorf("set %d, want %d", got, tt.want)
			}
		})
	}
}
