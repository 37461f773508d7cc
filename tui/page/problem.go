package page

import (
	"errors"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// RenderProblem says in lines what went wrong with a question, what was kept and
// which key tries again. Kept says what is still on the page, "" where that is
// nothing.
func RenderProblem(th *theme.Theme, err error, kept, again string, w int) []string {
	what, advice := labels.ExplainError(err)
	if errors.Is(err, api.ErrNoLegacy) {
		advice, again = "Its address is missing in the profile: alt+e adds it.", "" // reading again cannot help
	}
	bad, text, muted := th.Style(theme.Bad), th.Style(theme.Text), th.Style(theme.Muted)
	var lines []string
	for i, part := range layout.Wrap(what, w-4) {
		mark := "   "
		if i == 0 {
			mark = " ! "
		}
		lines = append(lines, layout.CleanText(bad, mark+part))
	}
	if advice != "" {
		for _, part := range layout.Wrap(advice, w-4) {
			lines = append(lines, layout.CleanText(text, "   "+part))
		}
	}
	if kept != "" {
		lines = append(lines, layout.CleanText(muted, "   "+kept))
	}
	if again != "" {
		lines = append(lines, "   "+layout.CleanText(th.Key, again)+layout.CleanText(muted, " retry"))
	}
	return lines
}
