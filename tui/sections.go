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

// stacks holds a stack of pages for each section.
type stacks struct {
	stackOf map[action.ID][]page.Page
	section action.ID // the current one
}

// allPages returns the pages of every stack, the current stack first.
func (s *stacks) allPages() []page.Page {
	pages := slices.Clone(s.pages())
	for _, known := range sections {
		if known.Go != s.section {
			pages = append(pages, s.stackOf[known.Go]...)
		}
	}
	return pages
}

// findPage returns the section and stack position of the first page that matches.
func (s *stacks) findPage(fits func(page.Page) bool) (section action.ID, i int, ok bool) {
	for id, pages := range s.stackOf {
		if i := slices.IndexFunc(pages, fits); i >= 0 {
			return id, i, true
		}
	}
	return "", 0, false
}

// pages returns the current stack.
func (s *stacks) pages() []page.Page { return s.stackOf[s.section] }

func (s *stacks) top() page.Page { return s.pages()[len(s.pages())-1] }

func (s *stacks) open(p page.Page) tea.Cmd {
	s.stackOf[s.section] = append(s.pages(), p)
	return p.OnShow()
}

// replacePage replaces a page, on whichever stack it is.
func (s *stacks) replacePage(old *page.Lifetime, p page.Page) tea.Cmd {
	section, i, ok := s.findPage(func(p page.Page) bool { return p.PageLifetime() == old })
	if !ok {
		return nil
	}
	left := s.stackOf[section][i].OnLeave()
	old.End()
	s.stackOf[section][i] = p
	return tea.Batch(left, p.OnShow())
}

// closePages closes pages, which ends their lifetimes.
func closePages(pages []page.Page) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range slices.Backward(pages) {
		cmds = append(cmds, p.OnLeave())
		p.PageLifetime().End()
	}
	return tea.Batch(cmds...)
}

// closeDownTo closes pages until n are left.
func (s *stacks) closeDownTo(n int) tea.Cmd {
	pages := s.pages()
	n = min(n, len(pages))
	s.stackOf[s.section] = pages[:n]
	return closePages(pages[n:])
}

// backTo returns to the i-th page of the stack.
func (s *stacks) backTo(i int) tea.Cmd {
	if i < 0 || i >= len(s.pages())-1 {
		return nil
	}
	return tea.Batch(s.closeDownTo(i+1), s.top().OnShow())
}

func (s *stacks) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range s.allPages() {
		cmds = append(cmds, p.Update(msg))
	}
	return tea.Batch(cmds...)
}
