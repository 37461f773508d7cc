package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// openHelp opens the keys of the page, which can be searched.
func (a *App) openHelp() tea.Cmd {
	th := a.ws.env.Look.Theme
	search := widget.NewInput(60)
	search.Hint = "type to search"
	a.ws.dialogs.push(&widget.TextDialog{
		Title:  "Keys: " + a.ws.pages.top().Title(),
		Search: search,
		Text: func(w int) []string {
			query := strings.TrimPrefix(search.Value(), "/")
			return helpLines(th, action.ActionsOf(a.activeScopes()...), a.disabledReason, query, w)
		},
	})
	return nil
}

// helpLines renders the actions that have every word of the query in their keys, title
// or description, grouped by scope. disabledReason returns why an action is disabled, or "".
func helpLines(
	th *theme.Theme, actions []action.Action, disabledReason func(action.Action) string, query string, w int,
) []string {
	var lines []string
	lastScope := action.Scope("")
	words := strings.Fields(format.Fold(query))
	for _, act := range actions {
		text := format.Fold(act.KeyLabels() + " " + act.Title + " " + act.Help + " " + act.Scope.ScopeTitle())
		if rankWords(words, text) < 0 {
			continue
		}
		if act.Scope != lastScope {
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			lastScope = act.Scope
			lines = append(lines, th.PaintTitle(act.Scope.ScopeTitle()))
		}
		facts := []widget.Fact{widget.Text(format.FitLeft(act.KeyLabels(), 16)+act.Title, act.Help)}
		if why := disabledReason(act); why != "" {
			facts = append(facts, widget.Toned("", "unavailable: "+why, theme.Attention))
		}
		lines = append(lines, widget.DialogFacts(th, 34, w, facts...)...)
	}
	if len(lines) == 0 {
		return []string{th.PaintMuted("No matching keys")}
	}
	return lines
}
