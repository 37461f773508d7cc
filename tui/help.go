package tui

import (
	"strings"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// matchesQuery reports whether an action has every word of the query in its keys,
// title or description.
func matchesQuery(act action.Action, query string) bool {
	text := format.Fold(act.KeyLabels() + " " + act.Title + " " + act.Help + " " + act.Scope.ScopeTitle())
	for _, word := range strings.Fields(format.Fold(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// actionLines renders the matching actions, grouped by scope.
func (a *App) actionLines(query string, w int) []string {
	th := a.env.Theme
	last, wide := action.Scope(""), 34
	var lines []string
	for _, act := range action.ActionsOf(a.activeScopes()...) {
		if !matchesQuery(act, query) || !isThere(a.env, act) {
			continue
		}
		if act.Scope != last {
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			lines = append(
				lines,
				layout.CleanText(th.RaisedStyle(theme.Text).Bold(true), act.Scope.ScopeTitle()),
			)
			last = act.Scope
		}
		role := theme.Text
		why := a.disabledReason(act)
		if why != "" {
			role = theme.Muted
		}
		keys := th.PaintRaised(theme.Accent, layout.FitLeft(act.KeyLabels(), 16))
		for i, part := range layout.Wrap(act.Help, max(12, w-wide)) {
			before := keys + th.PaintRaised(role, layout.FitLeft(act.Title, wide-16))
			if i > 0 {
				before = th.PaintRaised(role, layout.BlankCells(wide))
			}
			lines = append(lines, before+th.PaintRaised(role, part))
		}
		for _, part := range layout.Wrap("unavailable: "+why, max(12, w-wide)) {
			if why != "" {
				lines = append(lines, th.PaintRaised(theme.Attention, layout.BlankCells(wide)+part))
			}
		}
	}
	if len(lines) == 0 {
		lines = []string{th.PaintRaised(theme.Muted, "No matching keys")}
	}
	return lines
}

// isThere reports whether an action is available or has a reason to show. Actions
// of sections that are not offered are hidden.
func isThere(env *page.Env, act action.Action) bool {
	_, known := findSection(sections, act.ID)
	_, has := findSection(offeredSections(env), act.ID)
	return !known || has || missingReason(env, act.ID) != ""
}

// missingReason returns why the section that an action opens is not offered, ""
// if it is offered or has no reason.
func missingReason(env *page.Env, id action.ID) string {
	if id == action.ShowRequests && env.RequestLog == nil {
		return "not connected to a service yet"
	}
	s, known := findSection(sections, id)
	if _, has := findSection(offeredSections(env), id); !known || has || s.Missing == nil || env.Client == nil {
		return ""
	}
	return s.Missing(env)
}
