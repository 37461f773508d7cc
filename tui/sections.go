package tui

import (
	"slices"
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
// room for it. If there is not enough room, it shortens the names one after the other, and then leaves
// them out from the last to the first, until the row fits.
func (a *App) drawNavigation() frameRow {
	w := a.ws.env.Look.Width
	names := fullNames()
	row := a.drawNames(names)
	for _, shorten := range nameSteps() {
		if format.Width(row.text) < w {
			break
		}
		shorten(names)
		row = a.drawNames(names)
	}
	paletteHint := a.ws.env.Look.Theme.PaintHint(keyOf(action.Palette), "palette ")
	if format.Width(row.text)+format.Width(paletteHint) < w {
		return frameRow{format.FitEnds(row.text, paletteHint, w), row.hits}
	}
	return frameRow{format.FitLeft(row.text, w), row.hits}
}

// sectionNames has the shown name of each section, by the action that opens it.
type sectionNames map[action.ID]string

func fullNames() sectionNames {
	names := sectionNames{}
	for i := range sections {
		names[sections[i].Go] = sections[i].Name
	}
	return names
}

// shortenFirst has the sections whose short names are words. Their names are shortened before the names of
// the other sections.
var shortenFirst = []action.ID{action.GoDeliveries, action.GoOps, action.GoWebhooks, action.GoLibrary}

// nameSteps returns the functions that make the names of the sections shorter, in the order in which they
// are called until the names fit.
func nameSteps() []func(sectionNames) {
	var steps []func(sectionNames)
	shorten := func(s *page.Section) {
		steps = append(steps, func(names sectionNames) { names[s.Go] = s.Short })
	}
	for _, id := range shortenFirst {
		if s := findSection(id); s != nil {
			shorten(s)
		}
	}
	for i := range slices.Backward(sections) {
		shorten(&sections[i])
	}
	for i := range slices.Backward(sections) {
		steps = append(steps, func(names sectionNames) { names[sections[i].Go] = "" })
	}
	return steps
}

// drawNames renders the keys and names of the sections that the profile has. The current section always has
// its full name.
func (a *App) drawNames(names sectionNames) frameRow {
	var r frameRow
	for i := range sections {
		s := &sections[i]
		if a.ws.missingReason(s.Go) != "" {
			continue
		}
		name := names[s.Go]
		if s.Go == a.ws.pages.section {
			name = s.Name
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
