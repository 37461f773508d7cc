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
func offered(env *page.Env) []page.Section {
	if env.Client == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(sections), func(s page.Section) bool {
		return s.Offered != nil && !s.Offered(env)
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
		return tea.Batch(a.stacks.closeDownTo(1), a.stacks.top().Start())
	}
	a.stacks.now = s.Go
	if len(a.stacks.pages()) == 0 {
		return a.stacks.open(s.First(a.env))
	}
	return a.stacks.top().Start()
}

// goTo goes to the first page of a section, with a filter where there is one.
func (a *App) goTo(id action.ID, filter string) tea.Cmd {
	s, ok := section(offered(a.env), id)
	if !ok {
		return nil
	}
	var cmds []tea.Cmd
	if a.stacks.now != s.Go {
		cmds = append(cmds, a.goSection(s))
	}
	cmds = append(cmds, a.stacks.closeDownTo(1))
	if p, is := a.stacks.top().(page.Filterer); is && filter != "" {
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
			a.mouse.add(hits, 0, y)
			return layout.Ends(line, try.hint, a.w)
		}
	}
	line, hits := a.navWith(func(s page.Section) string {
		if s.Go == a.stacks.now {
			return s.Name
		}
		return ""
	})
	a.mouse.add(hits, 0, y)
	return layout.Left(line, a.w)
}

// navWith draws the sections under the names that they are given, and says
// where each one stands.
func (a *App) navWith(name func(page.Section) string) (line string, hits []hit) {
	th := a.env.Theme
	for _, s := range offered(a.env) {
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
