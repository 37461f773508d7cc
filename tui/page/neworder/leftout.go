package neworder

import (
	"slices"
	"strings"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/theme"
)

// leftOutSites are sites that the order does not include, all for the same reason.
type leftOutSites struct {
	reason string
	byUser bool // the user excluded the sites
	sites  []*ordering.Site
}

// isLeftOutByUser reports whether a site is left out because the user excluded it. It returns false for a site
// without coordinates, even if the user has excluded it: a site can lose its coordinates when its file is read
// again, and then the missing coordinates are the reason.
func isLeftOutByUser(s *ordering.Site) bool { return s.Edited.In && s.Geometry != nil }

// leftOutReason returns why a site is not included in the order.
func leftOutReason(s *ordering.Site) string {
	if isLeftOutByUser(s) {
		return "excluded by you"
	}
	if len(s.Warnings) > 0 {
		return s.Warnings[0]
	}
	if s.Geometry == nil {
		return "no usable coordinates"
	}
	return "excluded in Sites"
}

// findLeftOut returns the sites of a draft that are neither included nor placed, grouped by their reasons.
func findLeftOut(d *ordering.Draft) []leftOutSites {
	var groups []leftOutSites
	for _, site := range d.Sites {
		if site.In || site.Placed {
			continue
		}
		reason := leftOutReason(site)
		i := slices.IndexFunc(groups, func(g leftOutSites) bool { return g.reason == reason })
		if i < 0 {
			i = len(groups)
			groups = append(groups, leftOutSites{reason: reason, byUser: isLeftOutByUser(site)})
		}
		groups[i].sites = append(groups[i].sites, site)
	}
	return groups
}

// describe returns the names of the sites, or their number if there are more than two, and the reason, such as
// "Gauge 7: line 31: it has no coordinates" or "12 sites: excluded by you".
func (g *leftOutSites) describe() string {
	if len(g.sites) > 2 {
		return siteCount(len(g.sites)) + ": " + g.reason
	}
	var names []string
	for _, site := range g.sites {
		names = append(names, site.Name)
	}
	return joinWarning(strings.Join(names, ", "), g.reason)
}

// maxLeftOut is the number of reasons for leaving out sites that the review lists.
const maxLeftOut = 3

// leftOutMark begins the lines about sites that are left out.
const leftOutMark = " – "

// addLeftOut adds a line for each reason to leave out sites, with these sites. If there are more than [maxLeftOut]
// reasons, the last line has only the number of the remaining sites.
func (s *reviewSummary) addLeftOut() {
	groups := findLeftOut(s.draft)
	for _, group := range groups[:min(len(groups), maxLeftOut)] {
		role := theme.Attention
		if group.byUser {
			role = theme.Muted
		}
		s.addNote(role, leftOutMark, "Left out: "+group.describe())
	}
	if len(groups) <= maxLeftOut {
		return
	}
	others := 0
	for _, group := range groups[maxLeftOut:] {
		others += len(group.sites)
	}
	s.addNote(theme.Attention, leftOutMark, "Left out: "+siteCount(others)+" for other reasons; see Sites")
}
