package neworder

import (
	"maps"
	"slices"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// marks are the sites that the next action is for.
type marks struct {
	ids    map[int]bool
	before map[int]bool // those that were marked when the range began
	from   int          // site at which it begins, 0 for no range
}

// clear takes all marks off, and reports whether there were any.
func (m *marks) clear() bool {
	was := len(m.ids) > 0
	*m = marks{ids: map[int]bool{}}
	return was
}

// begin begins a range.
func (m *marks) begin(s *ordering.Site) { m.from, m.before = s.ID, maps.Clone(m.ids) }

// extend marks what is between the range's beginning and a site, of those that
// are listed in this order.
func (m *marks) extend(listed []*ordering.Site, to *ordering.Site) {
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

// mark marks a site, or takes the mark off, and goes on to the next.
func (m *missions) mark(s *ordering.Site) {
	m.marks.from = 0
	if m.marks.ids[s.ID] {
		delete(m.marks.ids, s.ID)
	} else {
		m.marks.ids[s.ID] = true
	}
	m.list.Grid.Move(1)
}

// markRange begins a range at a site, which grows with the selection, or ends
// the one there is.
func (m *missions) markRange(s *ordering.Site) {
	if m.marks.from != 0 {
		m.marks.from = 0
		return
	}
	m.marks.begin(s)
}

// markTo marks from the site selected before to the one that is now.
func (m *missions) markTo(before *ordering.Site) {
	if m.marks.from == 0 && before != nil {
		m.marks.begin(before)
	}
	m.follow()
	m.marks.from = 0
}

// listed are the sites that the filter leaves, in the order of the table.
func (m *missions) listed() []*ordering.Site {
	rows := m.list.Grid.Rows()
	sites := make([]*ordering.Site, len(rows))
	for i, row := range rows {
		sites[i] = m.shown[row]
	}
	return sites
}

// markedSites are those that are marked, listed and not placed.
func (m *missions) markedSites() []*ordering.Site {
	if len(m.marks.ids) == 0 {
		return nil
	}
	return slices.DeleteFunc(m.listed(), func(s *ordering.Site) bool { return !m.marks.ids[s.ID] || s.Placed })
}

// chosen are the sites that an action is for: those marked, or else the
// selected one.
func (m *missions) chosen() []*ordering.Site {
	if marked := m.markedSites(); len(marked) > 0 {
		return marked
	}
	return []*ordering.Site{m.current()}
}

// marksLine says how many sites are marked, and how many of them are not
// listed; "" for none.
func (m *missions) marksLine() string {
	n := len(m.marks.ids)
	if n == 0 {
		return ""
	}
	text := group(n) + " marked"
	if hidden := n - len(m.markedSites()); hidden > 0 {
		text += ", " + group(hidden) + " of them not affected (hidden or placed)"
	}
	if m.marks.from != 0 {
		text += " · move to extend, V to end"
	}
	return " " + layout.Text(m.p.Theme.Style(theme.Accent), "• "+text) +
		layout.Text(m.p.Theme.Style(theme.Muted), " · ") + layout.Text(m.p.Theme.Key, "esc") + layout.Text(m.p.Theme.Style(theme.Muted), " unmark")
}

// siteCount counts sites in words; one is named.
func siteCount(sites []*ordering.Site) string {
	if len(sites) == 1 {
		return sites[0].Name
	}
	return format.Count(len(sites), "site", "sites")
}
