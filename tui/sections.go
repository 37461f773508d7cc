package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/page/operations"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/page/webhooks"
	"flightdesk/tui/theme"
)

// sections are the app's sections in the order of their keys. See page.Section
// for adding one.
var sections = []page.Section{
	orders.HomeSection,
	orders.OrdersSection,
	orders.MissionsSection,
	quotes.Section,
	deliveries.DeliveriesSection,
	deliveries.LibrarySection,
	webhooks.Section,
	inspect.Section,
	operations.Section,
}

// findSection returns the section that an action opens, nil for none.
func findSection(id action.ID) *page.Section {
	for i := range sections {
		if sections[i].Go == id {
			return &sections[i]
		}
	}
	return nil
}

// missingReason returns why what an action opens is not there, "" if it is.
func (ws *workspace) missingReason(id action.ID) string {
	s := findSection(id)
	switch {
	case ws.env.Profile.Client == nil && (s != nil || id == action.ShowRequests || id == action.Downloads):
		return "not connected to a service yet"
	case ws.env.Profile.NoAccount && (s != nil && !s.Operations || id == action.Downloads):
		return "needs a key of an account; this profile has an operations key only"
	case s != nil && s.Missing != nil:
		return s.Missing(ws.env)
	}
	return ""
}

// goSection shows a section as it was left. If it is already shown it returns to
// its first page.
func (ws *workspace) goSection(s *page.Section) tea.Cmd {
	if ws.pages.section == s.Go {
		return tea.Batch(ws.pages.closeDownTo(1), ws.pages.top().OnShow())
	}
	ws.pages.section = s.Go
	if len(ws.pages.pages()) == 0 {
		return ws.pages.open(s.First(ws.env))
	}
	return ws.pages.top().OnShow()
}

// goTo shows the first page of a section, filtered if filter is not empty.
func (ws *workspace) goTo(id action.ID, filter string) tea.Cmd {
	if ws.missingReason(id) != "" {
		return nil
	}
	var shown tea.Cmd
	if ws.pages.section != id {
		shown = ws.goSection(findSection(id))
	}
	cmd := tea.Batch(shown, ws.pages.closeDownTo(1))
	if p, is := ws.pages.top().(page.FilteredPage); is && filter != "" {
		p.ApplyFilter(filter)
	}
	return cmd
}

// drawNavigation renders the section names, the last ones shortened or left out as far as
// needed, and the way to the palette if there is room for it.
func (a *App) drawNavigation() frameRow {
	palette, w := a.ws.env.Look.Theme.PaintHint(":", "palette "), a.ws.env.Look.Width
	var r frameRow
	for named := 2 * len(sections); named >= 0; named-- {
		r = a.drawNames(named)
		if width := format.Width(r.text); width+format.Width(palette) < w {
			return frameRow{format.FitEnds(r.text, palette, w), r.hits}
		} else if width < w {
			break
		}
	}
	return frameRow{format.FitLeft(r.text, w), r.hits}
}

// drawNames renders so many of the sections with a name, then those again with their
// full names; the current one always has its own.
func (a *App) drawNames(named int) frameRow {
	var r frameRow
	th := a.ws.env.Look.Theme
	for i := range sections {
		s := &sections[i]
		name := s.Name
		switch {
		case a.ws.missingReason(s.Go) != "":
			continue
		case s.Go == a.ws.pages.section || i < named-len(sections):
		case i < named:
			name = s.Short
		default:
			name = ""
		}
		text := strings.TrimSpace(keyOf(s.Go) + " " + name)
		before, style, after := " ", th.Style(theme.Muted), " "
		if s.Go == a.ws.pages.section {
			before, style, after = th.Section.Render("["), th.Section, th.Section.Render("]")
		}
		part := before + format.CleanText(style, text)
		if b := a.ws.env.BadgeOf(s.Go); b.Text != "" {
			part += " " + th.PaintRole(b.Role, b.Text)
		}
		r.addPart("", part+after, func() tea.Cmd { return a.ws.goSection(s) })
	}
	return r
}
