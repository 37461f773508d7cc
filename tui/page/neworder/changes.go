package neworder

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

// performChange performs what changes the sites that are chosen.
func (m *sitesStep) performChange(id action.ID, s *ordering.Site) tea.Cmd {
	sites := m.chosenSites()
	switch id {
	case action.Toggle:
		alone := len(m.marks.ids) == 0
		cmd := m.applyChange(page.UndoMsg{Text: toggleTitle(sites), Quiet: alone}, sites, func() { toggleSites(sites) })
		if alone { // one alone is gone on from
			m.list.Grid.Move(1)
			m.followSelection()
		}
		return cmd
	case action.ToggleAll:
		sites = slices.DeleteFunc(m.listedSites(), func(s *ordering.Site) bool { return s.Placed })
		return m.applyChange(page.UndoMsg{Text: toggleTitle(sites)}, sites, func() { toggleSites(sites) })
	case action.CycleType:
		return m.applyChange(page.UndoMsg{Text: "changed the type of " + siteCount(sites), Quiet: len(sites) == 1}, sites, func() { cycleTypes(sites) })
	case action.FixSite:
		return m.applyChange(page.UndoMsg{Text: "fixed " + s.Name}, []*ordering.Site{s}, s.ApplyFix)
	case action.FixAll:
		sites = slices.DeleteFunc(slices.Clone(m.shown), func(s *ordering.Site) bool { return !isFixable(s) })
		return m.applyChange(page.UndoMsg{Text: "applied " + format.Count(len(sites), "fix", "fixes")}, sites, func() {
			for _, s := range sites {
				s.ApplyFix()
			}
		})
	case action.Clear:
		return m.applyChange(page.UndoMsg{Text: "removed " + siteNames(sites)}, nil, func() {
			for _, s := range sites {
				m.p.draft.RemoveSite(s)
			}
			m.marks.clearMarks()
		})
	case action.RemoveFile:
		file := m.p.draft.FileOf(s)
		text := "removed " + file.Name() + ", " + format.Count(len(m.p.draft.SitesFrom(file)), "site", "sites")
		return m.applyChange(page.UndoMsg{Text: text}, nil, func() {
			m.p.draft.RemoveFile(file)
			m.marks.clearMarks()
		})
	}
	return nil
}

// applyChange changes sites, or where none are given adds some or takes some away. u
// undoes it and ctrl+r does it again, as long as the draft is the same and no part of it was placed since.
func (m *sitesStep) applyChange(done page.UndoMsg, sites []*ordering.Site, change func()) tea.Cmd {
	d, placed, selected := m.p.draft, len(m.p.draft.Placed), m.currentSite()
	was := d.TakeSnapshot(sites)
	done.Weight = was.KeptSites()
	change()
	if sites == nil {
		m.reloadSites(nil)
	} else {
		m.noteChanged()
	}
	done.Undo = func() (tea.Cmd, bool) {
		if m.p.draft != d || d.Pending || len(d.Placed) != placed {
			return nil, false
		}
		was.SwapState()
		now := m.p.steps[ordering.StepMissions].(*sitesStep)
		now.reloadSites(selected)
		if d.Step != ordering.StepMissions {
			return tea.Batch(m.p.noteChange(), m.p.currentStep().enterStep()), true
		}
		return m.p.noteChange(), true
	}
	done.Redo = done.Undo
	return tea.Batch(m.p.noteChange(), page.SendMessage(done))
}

// toggleTitle says what toggle does to sites.
func toggleTitle(sites []*ordering.Site) string {
	if willExclude(sites) {
		return "excluded " + siteCount(sites)
	}
	return "included " + siteCount(sites)
}

// willExclude reports whether all sites are in that can be.
func willExclude(sites []*ordering.Site) bool {
	return !slices.ContainsFunc(sites, func(s *ordering.Site) bool { return !s.In && s.Geometry != nil })
}

// toggleSites takes sites in that can be, or where all are in leaves them out.
func toggleSites(sites []*ordering.Site) {
	out := willExclude(sites)
	for _, s := range sites {
		s.In, s.Edited.In = !out && s.Geometry != nil, true
	}
}

// cycleTypes gives sites the type after that of the first, as far as their points
// allow it.
func cycleTypes(sites []*ordering.Site) {
	types := sites[0].AllowedTypes()
	next := types[(slices.Index(types, sites[0].Type)+1)%len(types)]
	for _, s := range sites {
		if slices.Contains(s.AllowedTypes(), next) {
			s.Type, s.Edited.Type = next, true
			s.MeasureSize()
		}
	}
}
