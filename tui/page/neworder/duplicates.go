package neworder

import (
	"context"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/page"
)

// twins know which places there are already: of missions, and of drafts that
// were put aside.
type twins struct {
	known   ordering.Known
	aside   int // drafts put aside
	version int // of the fleet that missions are of
	asked   page.Question
}

// often is how much has to be new of the fleet while it is still being read
// until the places are gone through again.
const often = 50

// readTwins has the orders and the drafts read in the background.
func (p *NewOrder) readTwins() tea.Cmd {
	drafts := page.Ask(p.Base, &p.twins.asked, func(context.Context) (asideDrafts, error) {
		list, err := p.drafts.Stored()
		shapes := map[uint64]string{}
		for _, k := range list {
			if k.Draft == nil {
				continue
			}
			for _, s := range k.Draft.Included() {
				shapes[s.Fingerprint()] = k.Note.Name
			}
		}
		return asideDrafts{len(list), shapes}, err
	})
	if p.Cache == nil {
		return drafts
	}
	p.index() // others may have read it already
	return drafts
}

// asideDrafts are the drafts put aside: how many, and their names by the shapes
// of their sites.
type asideDrafts struct {
	count  int
	shapes map[uint64]string
}

// Needs are the orders: what is in them is not ordered twice.
func (p *NewOrder) Needs() []cache.Need {
	if p.Cache == nil {
		return nil
	}
	return []cache.Need{p.Cache.AllMissions()}
}

// tookTwins takes what was read of the orders.
func (p *NewOrder) tookTwins() {
	reading, _ := p.Cache.Reading()
	if !reading || p.Cache.Version()-p.twins.version >= often {
		p.index()
	}
}

// index goes through what is known of the orders, where that is new.
func (p *NewOrder) index() {
	version := p.Cache.Version()
	if version == p.twins.version {
		return
	}
	p.twins.version = version
	p.twins.known.Missions = ordering.OpenMissions(p.Cache.Now().Missions)
	p.compare()
	p.steps[ordering.StepMissions].(*missions).count()
}

// compare marks the sites that exist elsewhere.
func (p *NewOrder) compare() { p.twins.known.Mark(p.draft) }
