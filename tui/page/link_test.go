package page_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
)

func TestLinkShowsItsText(t *testing.T) {
	look := &page.PageLook{Theme: tuitest.LoadTheme(t, "dark"), Links: true}
	for target, linked := range map[string]bool{"https://host/": true, "ssh://host/": false} {
		got := look.RenderLink(theme.Text, "a \x1b[31mfile", target)
		if strings.Contains(got, "\x1b]8;;"+target) != linked || strings.Contains(got, "\x1b]8;") != linked {
			t.Errorf("%s: want a link %v, got %q", target, linked, got)
		}
		if text := ansi.Strip(got); text != "a ␛[31mfile" || format.Width(got) != format.Width(text) {
			t.Errorf("%s reads %q", target, text)
		}
	}
	if got := look.RenderLink(theme.Text, "", "https://host/"); got != "" {
		t.Errorf("no text reads %q", got)
	}
	cut := format.CutLine(look.RenderLink(theme.Text, "a long name", "https://host/"), 6)
	if ansi.Strip(cut) != "a lon…" || strings.Count(cut, "\x1b]8;;") != 2 {
		t.Errorf("a cut link is %q: it has to end", cut)
	}
}
