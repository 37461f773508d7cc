package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// helpDialog lists the available actions, those of the page first, and searches
// them.
type helpDialog struct {
	env    *page.Env
	off    func(action.Action) string // returns why an action is disabled
	title  string
	scopes []action.Scope
	query  *widget.Field
	scroll widget.Scroll
}

func newHelpDialog(env *page.Env, title string, scopes []action.Scope, off func(action.Action) string) *helpDialog {
	h := &helpDialog{env: env, off: off, title: title, scopes: scopes, query: widget.NewField(60)}
	h.query.Hint = "type to search"
	return h
}

// Update edits the search, scrolls and closes.
func (h *helpDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	name := ""
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name = key.String()
	}
	switch name {
	case "esc", "?", "f1", "enter":
		return nil, true
	}
	if h.scroll.HandleKey(name, true) {
		return nil, false
	}
	before := h.query.Value()
	h.query.Update(msg)
	if h.query.Value() != before {
		h.scroll.ScrollToTop()
	}
	return nil, false
}

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
func (h *helpDialog) actionLines(w int) []string {
	th := h.env.Theme
	last, wide := action.Scope(""), 34
	var lines []string
	for _, act := range action.ActionsOf(h.scopes...) {
		if !matchesQuery(act, h.query.Value()) || !isThere(h.env, act) {
			continue
		}
		if act.Scope != last {
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, layout.CleanText(th.RaisedStyle(theme.Text).Bold(true), act.Scope.ScopeTitle()))
			last = act.Scope
		}
		role := theme.Text
		why := h.off(act)
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
	return lines
}

// View renders the search field and the matching actions.
func (h *helpDialog) View(w, height int) string {
	w = h.env.Theme.NarrowWidth(w, 92)
	th := h.env.Theme
	lines := h.actionLines(w - 4)
	if len(lines) == 0 {
		lines = []string{th.PaintRaised(theme.Muted, "No matching keys")}
	}
	typed := h.query.View(w-6, th.RaisedStyle(theme.Text), th.RaisedStyle(theme.Muted))
	search := th.PaintRaised(theme.Accent, "/ ") + strings.TrimRight(typed, " ")
	shown := h.scroll.View(lines, height-3, th.RaisedStyle(theme.Muted))
	hint := "? close"
	if len(lines) > height-3 {
		hint = "↓ ↑ scroll   ? close"
	}
	return dialog.DrawFrame(th, h.title, hint, append([]string{search}, shown...), w)
}

// ScrollsWithWheel implements page.Turner.
func (h *helpDialog) ScrollsWithWheel() {}

// Cursor returns the cursor of the search field.
func (h *helpDialog) Cursor() *tea.Cursor { return tea.NewCursor(4+h.query.CursorCell(), 1) }

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
	s, known := findSection(sections, id)
	if _, has := findSection(offeredSections(env), id); !known || has || s.Missing == nil || env.Client == nil {
		return ""
	}
	return s.Missing(env)
}
