package neworder

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/page"
)

// twins know which places there are already: of missions, and of drafts that
// were put aside.
type twins struct {
	missions map[uint64]*cache.Mission // by shape, of an order that is not over
	drafts   map[uint64]string         // names of drafts, by shape
	aside    int                       // drafts put aside
	version  int                       // of the fleet that missions are of
	asked    page.Question
}

// often is how much has to be new of the fleet while it is still being read
// until the places are gone through again.
const often = 50

// readTwins has the orders and the drafts read in the background.
func (p *NewOrder) readTwins() tea.Cmd {
	drafts := page.Ask(p.Base, &p.twins.asked, func(context.Context) (asideDrafts, error) {
		list, err := p.drafts.aside()
		shapes := map[uint64]string{}
		for _, k := range list {
			if k.draft == nil {
				continue
			}
			for _, s := range k.draft.in() {
				shapes[s.fingerprint()] = k.note.Name
			}
		}
		return asideDrafts{len(list), shapes}, err
	})
	if p.Cache == nil {
		return drafts
	}
	p.Cache.Refresh(false)
	p.index() // others may have read it already
	return tea.Batch(drafts, page.ReadFleet(p.Base))
}

// asideDrafts are the drafts put aside: how many, and their names by the shapes
// of their sites.
type asideDrafts struct {
	count  int
	shapes map[uint64]string
}

// tookTwins takes what was read of the orders, and has the rest read.
func (p *NewOrder) tookTwins() tea.Cmd {
	more := page.ReadFleet(p.Base)
	if more == nil || p.Cache.Version()-p.twins.version >= often {
		p.index()
	}
	return more
}

// index goes through what is known of the orders, where that is new.
func (p *NewOrder) index() {
	version := p.Cache.Version()
	if version == p.twins.version {
		return
	}
	p.twins.version = version
	p.twins.missions = map[uint64]*cache.Mission{}
	for _, m := range p.Cache.Now().Missions {
		if m.Shape != 0 && !m.Order.Status.IsAbandoned() {
			p.twins.missions[m.Shape] = m
		}
	}
	p.compare()
}

// fingerprint is the shape of the site's points; it is worked out once.
func (s *Site) fingerprint() uint64 {
	if s.print == 0 {
		points := make([]api.Point, 0, len(s.Points()))
		for _, p := range s.Points() {
			points = append(points, api.Point{Lat: p.Lat(), Lng: p.Lon()})
		}
		s.print = cache.Shape(points)
	}
	return s.print
}

// compare says of every site where else it is: in an order, in another draft,
// or twice in this one.
func (p *NewOrder) compare() {
	first := map[uint64]*Site{}
	for _, s := range p.draft.Sites {
		s.twin = ""
		shape := s.fingerprint()
		if shape == 0 || s.Placed || !s.In {
			continue
		}
		switch m, same := p.twins.missions[shape], first[shape]; {
		case same != nil:
			s.twin = "the same place as " + same.Name + " of this order"
		case m != nil && m.Order.OrderCode != p.draft.Again:
			s.twin = fmt.Sprintf("%s of %s is at this place already%s: %s", m.MissionCode, m.Order.OrderCode, alias(m.MissionName, s.Name), m.Status)
		case p.twins.drafts[shape] != "":
			s.twin = "the draft " + p.twins.drafts[shape] + " has this place, too"
		}
		if same := first[shape]; same == nil {
			first[shape] = s
		}
	}
}

// alias says under which other name a place is known.
func alias(there, here string) string {
	if there == here {
		return ", under this name"
	}
	return ", as " + there
}

// doubled are the sites that are somewhere else, too.
func (d *Draft) doubled() int {
	n := 0
	for _, s := range d.in() {
		if s.twin != "" {
			n++
		}
	}
	return n
}
