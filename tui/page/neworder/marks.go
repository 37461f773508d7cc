package neworder

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// siteMarks are the sites that the next action is for.
type siteMarks struct {
	ids    map[int]bool
	before map[int]bool // those that were marked when the range began
	from   int          // site at which it begins, 0 for no range
}

// clearMarks takes all marks off, and reports whether there were any.
func (m *siteMarks) clearMarks() bool {
	was := len(m.ids) > 0
	*m = siteMarks{ids: map[int]bool{}}
	return was
}

// beginRange begins a range.
func (m *siteMarks) beginRange(s *ordering.Site) { m.from, m.before = s.ID, maps.Clone(m.ids) }

// extendRange marks what is between the range's beginning and a site, of those that
// are listed in this order.
func (m *siteMarks) extendRange(listed []*ordering.Site, to *ordering.Site) {
	a := slices.IndexFunc(listed, func(s *ordering.Site) bool { return s.ID == m.from })
	b := slices.Index(listed, to)
	if m.from == 0 || a < 0 || b < 0 {
		return
	}
	m.ids = maps.Clone(m.before)
	for _, s := range listed[min(a, b) : max(a, b)+1] {
		m.ids[s.ID] = true
	}
}

// markSite marks a site, or takes the mark off, and goes on to the next.
func (m *sitesStep) markSite(s *ordering.Site) tea.Cmd {
	m.marks.from = 0
	if m.marks.ids[s.ID] {
		delete(m.marks.ids, s.ID)
	} else {
		m.marks.ids[s.ID] = true
	}
	m.list.Grid.Move(1)
	m.followSelection()
	return nil
}

// markRange begins a range at a site, which grows with the selection, or ends
// the one there is.
func (m *sitesStep) markRange(s *ordering.Site) tea.Cmd {
	if m.marks.from != 0 {
		m.marks.from = 0
		return nil
	}
	m.marks.beginRange(s)
	m.followSelection()
	return nil
}

// markTo marks from the site selected before to the one that is now.
func (m *sitesStep) markTo(before *ordering.Site) {
	if m.marks.from == 0 && before != nil {
		m.marks.beginRange(before)
	}
	m.followSelection()
	m.marks.from = 0
}

// listedSites returns the sites that the filter leaves, in the order of the table.
func (m *sitesStep) listedSites() []*ordering.Site {
	rows := m.list.Grid.FilteredRows()
	sites := make([]*ordering.Site, len(rows))
	for i, row := range rows {
		sites[i] = m.shown[row]
	}
	return sites
}

// markedSites returns those that are marked, listed and not placed.
func (m *sitesStep) markedSites() []*ordering.Site {
	if len(m.marks.ids) == 0 {
		return nil
	}
	return slices.DeleteFunc(m.listedSites(), func(s *ordering.Site) bool { return !m.marks.ids[s.ID] || s.Placed })
}

// chosenSites returns the sites that an action is for: those marked, or else the
// selected one.
func (m *sitesStep) chosenSites() []*ordering.Site {
	if marked := m.markedSites(); len(marked) > 0 {
		return marked
	}
	return []*ordering.Site{m.currentSite()}
}

// marksLine says how many sites are marked, and how many of them are not
// listed; "" for none.
func (m *sitesStep) marksLine() string {
	n := len(m.marks.ids)
	if n == 0 {
		return ""
	}
	text := groupDigits(n) + " marked"
	if hidden := n - len(m.markedSites()); hidden > 0 {
		text += ", " + groupDigits(hidden) + " of them not affected (hidden or placed)"
	}
	if m.marks.from != 0 {
		text += " · move to extend, V to end"
	}
	return " " + m.p.Theme.PaintRole(theme.Accent, "• "+text) +
		m.p.Theme.PaintMuted(" · ") + m.p.Theme.PaintHint("esc", "unmark")
}

// siteCount counts sites in words; one is named.
func siteCount(sites []*ordering.Site) string {
	if len(sites) == 1 {
		return sites[0].Name
	}
	return format.Count(len(sites), "site", "sites")
}
