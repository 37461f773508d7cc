package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/home"
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/page/library"
	"flightdesk/tui/page/missions"
	"flightdesk/tui/page/operations"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/page/webhooks"
	"flightdesk/tui/theme"
)

// sections are the app's, by their numbers. The first one offered is where the
// app begins. page.Section says how one is added.
var sections = []page.Section{
	home.Section,
	orders.Section,
	missions.Section,
	quotes.Section,
	deliveries.Section,
	library.Section,
	webhooks.Section,
	inspect.Section,
	operations.Section,
}

// offered are the sections that are there: none before there is a service.
func (a *App) offered() []page.Section {
	if a.env.Client == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(sections), func(s page.Section) bool {
		return s.Offered != nil && !s.Offered(a.env)
	})
}

// section is the one that an action goes to.
func section(of []page.Section, id action.ID) (page.Section, bool) {
	i := slices.IndexFunc(of, func(s page.Section) bool { return s.Go == id })
	if i < 0 {
		return page.Section{}, false
	}
	return of[i], true
}

// goSection shows a section as it was left, or where it is on the screen
// already, its first page.
func (a *App) goSection(s page.Section) tea.Cmd {
	if a.stacks.now == s.Go {
		return tea.Batch(a.closeDownTo(1), a.top().Start())
	}
	a.stacks.now = s.Go
	if len(a.pages()) == 0 {
		return a.open(s.First(a.env))
	}
	return a.top().Start()
}

// goTo goes to the first page of a section, with a filter where there is one.
func (a *App) goTo(id action.ID, filter string) tea.Cmd {
	s, ok := section(a.offered(), id)
	if !ok {
		return nil
	}
	var cmds []tea.Cmd
	if a.stacks.now != s.Go {
		cmds = append(cmds, a.goSection(s))
	}
	cmds = append(cmds, a.closeDownTo(1))
	if p, is := a.top().(page.Filterer); is && filter != "" {
		p.Filter(filter)
	}
	return tea.Batch(cmds...)
}

// number is the key that goes to a section.
func number(s page.Section) string {
	for _, act := range action.In(action.Everywhere) {
		if act.ID == s.Go {
			return action.Label(act.Keys[0])
		}
	}
	return ""
}

// nav is the row of sections: with their names where there is room, then with
// short ones, and in the narrowest windows with numbers, but for the one on the
// screen.
func (a *App) nav(y int) string {
	th := a.env.Theme
	palette := layout.Text(th.Key, ":") + " " + layout.Text(th.Style(theme.Muted), "palette") + " "
	for _, try := range []struct {
		name func(page.Section) string
		hint string
	}{
		{func(s page.Section) string { return s.Name }, palette},
		{func(s page.Section) string { return s.Short }, palette},
		{func(s page.Section) string { return s.Short }, ""},
	} {
		if line, hits := a.navWith(try.name); layout.Width(line)+layout.Width(try.hint) < a.w {
			a.hit(hits, 0, y)
			return layout.Ends(line, try.hint, a.w)
		}
	}
	line, hits := a.navWith(func(s page.Section) string {
		if s.Go == a.stacks.now {
			return s.Name
		}
		return ""
	})
	a.hit(hits, 0, y)
	return layout.Left(line, a.w)
}

// navWith draws the sections under the names that they are given, and says
// where each one stands.
func (a *App) navWith(name func(page.Section) string) (line string, hits []hit) {
	th := a.env.Theme
	for _, s := range a.offered() {
		text := number(s)
		if n := name(s); n != "" {
			text += " " + n
		}
		before, style, after := " ", th.Style(theme.Muted), " "
		if s.Go == a.stacks.now {
			before, style, after = th.Section.Render("["), th.Section, th.Section.Render("]")
		}
		part := before + layout.Text(style, text)
		if b := a.env.Badge(s.Go); b.Text != "" {
			part += " " + layout.Text(th.Style(b.Role), b.Text)
		}
		part += after
		hits = append(hits, hit{x: layout.Width(line), w: layout.Width(part), do: func() tea.Cmd { return a.goSection(s) }})
		line += part
	}
	return line, hits
}

// stacks are the sections' pages, each section's a stack.
type stacks struct {
	of  map[action.ID][]page.Page
	now action.ID // the section on the screen
}

// all are the pages of every stack, those on the screen first.
func (s *stacks) all() []page.Page {
	pages := slices.Clone(s.of[s.now])
	for _, known := range sections {
		if known.Go != s.now {
			pages = append(pages, s.of[known.Go]...)
		}
	}
	return pages
}

// find is the section and the place on its stack of the page that fits.
func (s *stacks) find(fits func(page.Page) bool) (section action.ID, i int, ok bool) {
	for id, pages := range s.of {
		if i := slices.IndexFunc(pages, fits); i >= 0 {
			return id, i, true
		}
	}
	return "", 0, false
}

// pages is the stack on the screen.
func (a *App) pages() []page.Page { return a.stacks.of[a.stacks.now] }

func (a *App) top() page.Page { return a.pages()[len(a.pages())-1] }

func (a *App) setPages(pages []page.Page) { a.stacks.of[a.stacks.now] = pages }

func (a *App) open(p page.Page) tea.Cmd {
	a.setPages(append(a.pages(), p))
	return p.Start()
}

// instead puts a page in the place of another, wherever that is.
func (a *App) instead(old *page.Lifetime, p page.Page) tea.Cmd {
	id, i, ok := a.stacks.find(func(p page.Page) bool { return p.Life() == old })
	if !ok {
		return nil
	}
	pages := a.stacks.of[id]
	left := pages[i].Leave()
	old.End()
	pages[i] = p
	return tea.Batch(left, p.Start())
}

// closeDownTo closes pages until n are left.
func (a *App) closeDownTo(n int) tea.Cmd {
	var cmds []tea.Cmd
	for len(a.pages()) > n {
		cmds = append(cmds, a.close())
	}
	return tea.Batch(cmds...)
}

// close takes the page on top off the stack and ends its life.
func (a *App) close() tea.Cmd {
	cmd := a.top().Leave()
	a.top().Life().End()
	a.setPages(a.pages()[:len(a.pages())-1])
	return cmd
}

// backTo goes back to the i-th page of the stack.
func (a *App) backTo(i int) tea.Cmd {
	if i < 0 || i >= len(a.pages())-1 {
		return nil
	}
	return tea.Batch(a.closeDownTo(i+1), a.top().Start())
}

func (a *App) back() tea.Cmd { return a.backTo(len(a.pages()) - 2) }

// deliver hands an answer to the page that asked, wherever it is.
func (a *App) deliver(msg page.ToPage) tea.Cmd {
	for _, p := range a.stacks.all() {
		if p.Life() == msg.Life {
			return p.Update(msg.Msg)
		}
	}
	return nil
}

func (a *App) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range a.stacks.all() {
		cmds = append(cmds, p.Update(msg))
	}
	return tea.Batch(cmds...)
}
