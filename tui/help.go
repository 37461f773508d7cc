package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// openHelp opens the list of the current keys, which the user can search. The search also finds the keys of other
// pages and the places of the palette.
func (a *App) openHelp() tea.Cmd {
	th := a.ws.env.Look.Theme
	search := widget.NewInput(60)
	search.Hint = "type to search all pages"
	actions := action.ActionsOf(a.activeScopes()...)
	otherActions := a.otherActions()
	places := a.placeEntries()
	places.prepare()
	a.ws.dialogs.push(&widget.TextDialog{
		Title:  "Keys: " + a.ws.pages.top().Title(),
		Search: search,
		Text: func(w int) []string {
			query := strings.TrimSpace(strings.TrimPrefix(search.Value(), "/"))
			lines := helpLines(th, actions, a.disabledReason, query, w)
			if query != "" {
				lines = appendGroup(lines, placeLines(th, places, query, w))
				lines = appendGroup(lines, otherHelpLines(th, otherActions, query, w))
			}
			if len(lines) == 0 {
				return []string{th.PaintMuted("No matching keys or places")}
			}
			return lines
		},
	})
	return nil
}

// otherActions returns the actions of the pages that are not shown. Without an operations key, it leaves out the pages
// of Operations.
func (a *App) otherActions() []action.Action {
	active := a.activeScopes()
	hasOperations := a.ws.env.Profile.Ops != nil
	isExcluded := func(act action.Action) bool {
		return slices.Contains(active, act.Scope) || act.Scope.IsOperations() && !hasOperations
	}
	return slices.DeleteFunc(action.AllActions(), isExcluded)
}

// appendGroup appends the lines of a group after a blank line. It returns lines if the group is empty.
func appendGroup(lines, group []string) []string {
	if len(lines) > 0 && len(group) > 0 {
		lines = append(lines, "")
	}
	return append(lines, group...)
}

// Widths of the columns of the help.
const (
	helpKeysWidth  = 16
	helpLabelWidth = 34 // width of the keys and the title of an action, in cells
)

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
		facts := []widget.Fact{helpFact(act)}
		if reason := disabledReason(act); reason != "" {
			facts = append(facts, widget.Toned("", "unavailable: "+reason, theme.Attention))
		}
		lines = append(lines, widget.DialogFacts(th, helpLabelWidth, w, facts...)...)
	}
	return lines
}

// helpFact returns the keys, the title and the description of an action.
func helpFact(act action.Action) widget.Fact {
	label := format.FitLeft(act.KeyLabels(), helpKeysWidth) + act.Title
	return widget.Text(label, act.Help)
}

// otherHelpLines renders the actions of other pages that match a query. The title of each group of actions
// names the page on which their keys work.
func otherHelpLines(th *theme.Theme, actions []action.Action, query string, w int) []string {
	var lines []string
	lastScope := action.Scope("")
	for _, act := range matchingActions(actions, query) {
		if act.Scope != lastScope {
			title := th.PaintTitle(act.Scope.ScopeTitle()) + th.PaintMuted("  not on this page")
			lines = appendGroup(lines, []string{title})
			lastScope = act.Scope
		}
		lines = append(lines, widget.DialogFacts(th, helpLabelWidth, w, helpFact(act))...)
	}
	return lines
}

// maxHelpPlaces is the number of places that the help lists. The palette lists all of them.
const maxHelpPlaces = 6

// placeLines renders the orders, missions, pages and settings in the palette that match a query.
func placeLines(th *theme.Theme, places paletteEntries, query string, w int) []string {
	words := strings.Fields(foldWords(query))
	if len(words) == 0 {
		return nil
	}
	var lines []string
	found := 0
	for _, e := range places {
		if rankWords(words, e.text) < 0 {
			continue
		}
		found++
		if found <= maxHelpPlaces {
			description := e.does
			if description == "" {
				description = e.hint
			}
			lines = append(lines, widget.DialogFacts(th, helpLabelWidth, w, widget.Text(format.Clean(e.label), description))...)
		}
	}
	if found == 0 {
		return nil
	}
	title := th.PaintTitle("Palette") + th.PaintMuted("  press "+keyOf(action.Palette)+" and type the name")
	lines = append([]string{title}, lines...)
	if found > maxHelpPlaces {
		lines = append(lines, th.PaintMuted(fmt.Sprintf("… and %d more in the palette", found-maxHelpPlaces)))
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
