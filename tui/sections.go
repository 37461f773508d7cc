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

// findSection returns the section that an action opens, or nil.
func findSection(id action.ID) *page.Section {
	for i := range sections {
		if sections[i].Go == id {
			return &sections[i]
		}
	}
	return nil
}

// missingReason returns why the profile lacks what an action opens: a section, the request log or
// the downloads. It returns "" if nothing is missing, and for actions that open something else.
func (ws *workspace) missingReason(id action.ID) string {
	section := findSection(id)
	profile := &ws.env.Profile
	needsService := section != nil || id == action.ShowRequests || id == action.Downloads
	if needsService && profile.Client == nil {
		return "not connected to a service yet"
	}
	needsAccount := section != nil && !section.Operations || id == action.Downloads
	if needsAccount && profile.NoAccount {
		return "needs a key of an account; this profile has an operations key only"
	}
	if section != nil && section.Missing != nil {
		return section.Missing(ws.env)
	}
	return ""
}

// goSection shows a section with the pages that were open in it. If the section is already shown
// goSection returns to its first page.
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

// goTo shows the first page of a section, filtered if filter is not "". It returns nil if the
// profile lacks the section.
func (ws *workspace) goTo(id action.ID, filter string) tea.Cmd {
	if ws.missingReason(id) != "" {
		return nil
	}
	var shown tea.Cmd
	if ws.pages.section != id {
		shown = ws.goSection(findSection(id))
	}
	cmd := tea.Batch(shown, ws.pages.closeDownTo(1))
	if p, ok := ws.pages.top().(page.FilteredPage); ok && filter != "" {
		p.ApplyFilter(filter)
	}
	return cmd
}

// drawNavigation renders the row of the section names, and the key of the palette if there is
// room for it. If there is not enough room, it shortens the names from the last to the first, and
// then leaves them out in the same order, until the row fits.
func (a *App) drawNavigation() frameRow {
	w := a.ws.env.Look.Width
	var names frameRow
	for _, size := range nameSizes(len(sections)) {
		names = a.drawNames(size.full, size.named)
		if format.Width(names.text) < w {
			break
		}
	}
	paletteHint := a.ws.env.Look.Theme.PaintHint(keyOf(action.Palette), "palette ")
	if format.Width(names.text)+format.Width(paletteHint) < w {
		return frameRow{format.FitEnds(names.text, paletteHint, w), names.hits}
	}
	return frameRow{format.FitLeft(names.text, w), names.hits}
}

// nameSize is how many sections have their full name, and how many have a name at all.
type nameSize struct{ full, named int }

// nameSizes returns the sizes of the names of n sections, from the longest to the shortest.
func nameSizes(n int) []nameSize {
	var sizes []nameSize
	for full := n; full >= 0; full-- {
		sizes = append(sizes, nameSize{full, n})
	}
	for named := n - 1; named >= 0; named-- {
		sizes = append(sizes, nameSize{0, named})
	}
	return sizes
}

// drawNames renders the sections that the profile has: with full names up to the section with
// index fullEnd, with short names up to shortEnd, and only with their keys from there on. The
// current section always has its full name.
func (a *App) drawNames(fullEnd, shortEnd int) frameRow {
	var r frameRow
	for i := range sections {
		s := &sections[i]
		if a.ws.missingReason(s.Go) != "" {
			continue
		}
		name := ""
		if s.Go == a.ws.pages.section || i < fullEnd {
			name = s.Name
		} else if i < shortEnd {
			name = s.Short
		}
		r.addPart("", a.drawName(s, name), func() tea.Cmd { return a.ws.goSection(s) })
	}
	return r
}

// drawName renders the key, the name and the badge of a section. The current section is in
// brackets.
func (a *App) drawName(s *page.Section, name string) string {
	th := a.ws.env.Look.Theme
	style := th.Style(theme.Muted)
	left := " "
	right := " "
	if s.Go == a.ws.pages.section {
		style = th.Section
		left = style.Render("[")
		right = style.Render("]")
	}
	text := format.CleanText(style, strings.TrimSpace(keyOf(s.Go)+" "+name))
	if badge := a.ws.env.BadgeOf(s.Go); badge.Text != "" {
		text += " " + th.PaintRole(badge.Role, badge.Text)
	}
	return left + text + right
}
