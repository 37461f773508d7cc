package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// openHelp opens the list of the current keys, which the user can search.
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

// helpLines renders the actions that match a query, with a title before each scope.
// disabledReason returns why an action is disabled, or "".
func helpLines(
	th *theme.Theme, actions []action.Action, disabledReason func(action.Action) string, query string, w int,
) []string {
	var lines []string
	lastScope := action.Scope("")
	for _, act := range matchingActions(actions, query) {
		if act.Scope != lastScope {
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, th.PaintTitle(act.Scope.ScopeTitle()))
			lastScope = act.Scope
		}
		label := format.FitLeft(act.KeyLabels(), 16) + act.Title
		facts := []widget.Fact{widget.Text(label, act.Help)}
		if reason := disabledReason(act); reason != "" {
			facts = append(facts, widget.Toned("", "unavailable: "+reason, theme.Attention))
		}
		lines = append(lines, widget.DialogFacts(th, 34, w, facts...)...)
	}
	if len(lines) == 0 {
		return []string{th.PaintMuted("No matching keys")}
	}
	return lines
}

// matchingActions returns the actions that have every word of the query in their keys, title,
// description or scope.
func matchingActions(actions []action.Action, query string) []action.Action {
	words := strings.Fields(format.Fold(query))
	var matching []action.Action
	for _, act := range actions {
		text := act.KeyLabels() + " " + act.Title + " " + act.Help + " " + act.Scope.ScopeTitle()
		if rankWords(words, format.Fold(text)) >= 0 {
			matching = append(matching, act)
		}
	}
	return matching
}
