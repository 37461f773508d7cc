package theme_test

import (
	"testing"

	"flightdesk/tui/theme"
)

// A style renders as Lip Gloss does.
func TestStylesRenderAsTheirLooks(t *testing.T) {
	for _, name := range theme.ThemeNames() {
		th := named(t, name, true)
		link := th.Style(theme.Accent).Hyperlink("https://example.com/x")
		for what, s := range map[string]theme.Style{
			"text": th.Style(theme.Text), "warning": th.SelectedStyle(theme.Attention).Bold(), "rule": th.Rule, "link": link,
			"reverse": th.RaisedStyle(theme.Muted).Reverse(), "underlined": th.Style(theme.Text).Underline(), "none": {},
		} {
			for _, text := range []string{"a", "two words ", "äöü 苫前 👩‍🚀", "a\nb", "a\tb", "\x1b[1mbold\x1b[m"} {
				if got, want := s.Render(text), s.LipglossStyle().Render(text); got != want {
					t.Errorf("%s, %s: %q, want %q", name, what, got, want)
				}
			}
		}
	}
}
