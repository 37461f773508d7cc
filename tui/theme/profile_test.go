package theme_test

import (
	"fmt"
	"image/color"
	"io"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"flightdesk/tui/theme"
)

// palette is what a terminal makes of the sixteen colours as it ships.
type palette struct {
	name, page, text string
	isDark           bool
	colours          [16]string
}

var (
	xtermColours = [16]string{
		"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
		"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
	}
	vteColours = [16]string{
		"#000000", "#c00000", "#00c000", "#c0c000", "#0000c0", "#c000c0", "#00c0c0", "#c0c0c0",
		"#3f3f3f", "#ff3f3f", "#3fff3f", "#ffff3f", "#3f3fff", "#ff3fff", "#3fffff", "#ffffff",
	}
	linuxColours = [16]string{
		"#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa",
		"#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
	}
	solarizedColours = [16]string{
		"#073642", "#dc322f", "#859900", "#b58900", "#268bd2", "#d33682", "#2aa198", "#eee8d5",
		"#002b36", "#cb4b16", "#586e75", "#657b83", "#839496", "#6c71c4", "#93a1a1", "#fdf6e3",
	}
	palettes = []palette{
		{"xterm", "#000000", "#e5e5e5", true, xtermColours},
		{"xterm, light", "#ffffff", "#000000", false, xtermColours},
		{"VTE", "#000000", "#c0c0c0", true, vteColours},
		{"VTE, light", "#ffffff", "#000000", false, vteColours},
		{"the Linux console", "#000000", "#aaaaaa", true, linuxColours},
		{"Solarized", "#002b36", "#839496", true, solarizedColours},
		{"Solarized, light", "#fdf6e3", "#657b83", false, solarizedColours},
	}
)

// shown is what a terminal of a palette makes of a style: its text and ground.
func (p palette) shown(s lipgloss.Style) (fg, bg color.Color) {
	fg, bg = p.of(s.GetForeground(), p.text), p.of(s.GetBackground(), p.page)
	if s.GetReverse() {
		fg, bg = bg, fg
	}
	return fg, bg
}

func (p palette) of(c color.Color, own string) color.Color {
	for i := range p.colours {
		if c == lipgloss.Color(fmt.Sprint(i)) {
			return lipgloss.Color(p.colours[i])
		}
	}
	return lipgloss.Color(own)
}

// No text is harder to read than the terminal's own, or than the standard asks.
func TestSixteenColoursAreReadableInEveryPalette(t *testing.T) {
	for _, p := range palettes {
		th := named(t, "auto", p.isDark).ForProfile(colorprofile.ANSI, p.isDark)
		least := min(theme.Readable, theme.ContrastRatio(lipgloss.Color(p.text), lipgloss.Color(p.page)))
		for what, s := range stylesOf(th) {
			fg, bg := p.shown(s)
			if c := theme.ContrastRatio(fg, bg); c < least-0.001 {
				t.Errorf("%s: %s has a contrast of %.2f, below %.2f", p.name, what, c, least)
			}
		}
	}
}

func TestSixteenColoursTellWarningsApart(t *testing.T) {
	for _, isDark := range []bool{true, false} {
		th := named(t, "auto", isDark).ForProfile(colorprofile.ANSI, isDark)
		seen := map[string]theme.Role{}
		for _, r := range []theme.Role{theme.Text, theme.Attention, theme.Bad, theme.Accent} {
			s := th.Style(r).LipglossStyle()
			look := fmt.Sprint(s.GetForeground(), s.GetBold(), s.GetUnderline(), s.GetReverse())
			if other, ok := seen[look]; ok {
				t.Errorf("dark %t: roles %d and %d look alike", isDark, r, other)
			}
			seen[look] = r
		}
	}
}

func TestThe256ColoursAreReadableAndDistinct(t *testing.T) {
	for _, name := range []string{"dark", "light"} {
		th := named(t, name, name == "dark").ForProfile(colorprofile.ANSI256, name == "dark")
		for what, s := range stylesOf(th) {
			fg, bg := s.GetForeground(), s.GetBackground()
			if bg == (lipgloss.NoColor{}) {
				bg = th.PageColor()
			}
			if c := theme.ContrastRatio(fg, bg); c < theme.Readable {
				t.Errorf("%s: %s has a contrast of %.2f", name, what, c)
			}
		}
		for _, kind := range []string{"live", "test", "demo"} {
			if th.BandStyle(kind).LipglossStyle().GetBackground() == th.SelectedStyle(theme.Text).LipglossStyle().GetBackground() {
				t.Errorf("%s: the selection looks like the %s band", name, kind)
			}
		}
		for _, r := range []theme.Role{theme.Text, theme.Muted} {
			if r, g, b, _ := th.Style(r).LipglossStyle().GetForeground().RGBA(); r != g || g != b {
				t.Errorf("%s: a grey is not grey", name)
			}
		}
	}
}

func TestThemesStayAsTheyAreWithAllColours(t *testing.T) {
	th := named(t, "dark", true)
	if th.ForProfile(colorprofile.TrueColor, true) != th {
		t.Error("a theme changes although the terminal has all colours")
	}
	if plain := th.ForProfile(colorprofile.ASCII, true); plain.PageColor() != nil || !plain.SelectedStyle(theme.Text).LipglossStyle().GetReverse() {
		t.Error("without colours the theme is not plain")
	}
}

func named(t *testing.T, name string, isDark bool) *theme.Theme {
	t.Helper()
	th, err := theme.NamedTheme(name, isDark)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// stylesOf are all styles that texts have.
func stylesOf(th *theme.Theme) map[string]lipgloss.Style {
	all := map[string]lipgloss.Style{
		"a title":     th.Title.LipglossStyle(),
		"a key":       th.Key.LipglossStyle(),
		"the section": th.Section.LipglossStyle(),
	}
	for r := theme.Text; r <= theme.Bad; r++ {
		all[fmt.Sprintf("role %d on the page", r)] = th.Style(r).LipglossStyle()
		all[fmt.Sprintf("role %d in an overlay", r)] = th.RaisedStyle(r).LipglossStyle()
		all[fmt.Sprintf("role %d on the selected row", r)] = th.SelectedStyle(r).LipglossStyle()
	}
	for _, kind := range []string{"live", "test", "demo", "other"} {
		all["the band "+kind] = th.BandStyle(kind).LipglossStyle()
	}
	return all
}

// The padding of a cell is neither underlined nor left out of the selected row.
func TestSixteenColoursLeaveBlanksAlone(t *testing.T) {
	for _, isDark := range []bool{true, false} {
		th := named(t, "auto", isDark).ForProfile(colorprofile.ANSI, isDark)
		for r := theme.Text; r <= theme.Bad; r++ {
			if got := th.SelectedStyle(r).Render("a b"); strings.Count(got, "\x1b[") != 2 {
				t.Errorf("role %d on the selected row is drawn in parts: %q", r, got)
			}
		}
		if got := th.Style(theme.Attention).Render("a "); !strings.HasSuffix(got, "m ") && !strings.HasSuffix(got, "m \x1b[m") || strings.Contains(got, "a \x1b") {
			t.Errorf("the blank after a text is underlined: %q", got)
		}
	}
}

func TestScreenShowsSixteenColoursUnlessItSaysMore(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want colorprofile.Profile
	}{
		{[]string{"TERM=screen", "STY=1.tty"}, colorprofile.ANSI},
		{[]string{"TERM=screen", "STY=1.tty", "COLORTERM=truecolor"}, colorprofile.ANSI},
		{[]string{"TERM=screen-256color", "STY=1.tty"}, colorprofile.ANSI256},
		{[]string{"TERM=screen"}, colorprofile.ANSI256}, // tmux calls itself so, too
	} {
		if got := theme.DetectProfile(io.Discard, append(c.env, "TTY_FORCE=1")); got != c.want {
			t.Errorf("%q: %v, want %v", c.env, got, c.want)
		}
	}
}
