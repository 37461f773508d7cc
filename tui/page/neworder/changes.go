package neworder

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

// change performs what changes the sites that are chosen.
func (m *missions) change(id action.ID, s *ordering.Site) tea.Cmd {
	sites := m.chosen()
	switch id {
	case action.Toggle:
		alone := len(m.marks.ids) == 0
		cmd := m.apply(page.UndoMsg{Text: toggling(sites), Quiet: alone}, sites, func() { toggle(sites) })
		if alone { // one alone is gone on from
			m.list.Grid.Move(1)
			m.follow()
		}
		return cmd
	case action.ToggleAll:
		sites = slices.DeleteFunc(m.listed(), func(s *ordering.Site) bool { return s.Placed })
		return m.apply(page.UndoMsg{Text: toggling(sites)}, sites, func() { toggle(sites) })
	case action.CycleType:
		return m.apply(page.UndoMsg{Text: "changed the type of " + siteCount(sites), Quiet: len(sites) == 1}, sites, func() { cycle(sites) })
	case action.FixSite:
		return m.apply(page.UndoMsg{Text: "fixed " + s.Name}, []*ordering.Site{s}, s.ApplyFix)
	case action.FixAll:
		sites = slices.DeleteFunc(slices.Clone(m.shown), func(s *ordering.Site) bool { return !fixable(s) })
		return m.apply(page.UndoMsg{Text: "applied " + format.Count(len(sites), "fix", "fixes")}, sites, func() {
			for _, s := range sites {
				s.ApplyFix()
			}
		})
	case action.Clear:
		return m.apply(page.UndoMsg{Text: "removed " + siteNames(sites)}, nil, func() {
			for _, s := range sites {
				m.p.draft.Remove(s)
			}
			m.marks.clear()
		})
	case action.RemoveFile:
		file := m.p.draft.FileOf(s)
		text := "removed " + file.Name() + ", " + format.Count(len(m.p.draft.SitesFrom(file)), "site", "sites")
		return m.apply(page.UndoMsg{Text: text}, nil, func() {
			m.p.draft.RemoveFile(file)
			m.marks.clear()
		})
	}
	return nil
}

// apply changes sites, or where none are given adds some or takes some away. u
// undoes it and ctrl+r does it again, as long as the draft is the same and no part of it was placed since.
func (m *missions) apply(done page.UndoMsg, sites []*ordering.Site, change func()) tea.Cmd {
	d, placed, selected := m.p.draft, len(m.p.draft.Placed), m.current()
	was := d.Snapshot(sites)
	done.Weight = was.Weight()
	change()
	if sites == nil {
		m.reload(nil)
	} else {
		m.changed()
	}
	done.Undo = func() (tea.Cmd, bool) {
		if m.p.draft != d || d.Pending || len(d.Placed) != placed {
			return nil, false
		}
		was.Swap()
		now := m.p.steps[ordering.StepMissions].(*missions)
		now.reload(selected)
		if d.Step != ordering.StepMissions {
			return tea.Batch(m.p.touched(), m.p.step().enter()), true
		}
		return m.p.touched(), true
	}
	done.Redo = done.Undo
	return tea.Batch(m.p.touched(), page.Send(done))
}

// toggling says what toggle does to sites.
func toggling(sites []*ordering.Site) string {
	if excludes(sites) {
		return "excluded " + siteCount(sites)
	}
	return "included " + siteCount(sites)
}

// excludes reports whether all sites are in that can be.
func excludes(sites []*ordering.Site) bool {
	return !slices.ContainsFunc(sites, func(s *ordering.Site) bool { return !s.In && s.Geometry != nil })
}

// toggle takes sites in that can be, or where all are in leaves them out.
func toggle(sites []*ordering.Site) {
	out := excludes(sites)
	for _, s := range sites {
		s.In, s.Edited.In = !out && s.Geometry != nil, true
	}
}

// cycle gives sites the type after that of the first, as far as their points
// allow it.
func cycle(sites []*ordering.Site) {
	types := sites[0].AllowedTypes()
	next := types[(slices.Index(types, sites[0].Type)+1)%len(types)]
	for _, s := range sites {
		if slices.Contains(s.AllowedTypes(), next) {
			s.Type, s.Edited.Type = next, true
			s.Measure()
		}
	}
}
