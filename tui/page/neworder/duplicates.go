package neworder

import (
	"context"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/page"
)

// duplicateIndex know which places there are already: of missions, and of drafts that
// were put aside.
type duplicateIndex struct {
	known   ordering.KnownPlaces
	aside   int // drafts put aside
	version int // of the cache when its missions were indexed last
	asked   page.Question
}

// reindexAfter is how many changes of the cache, while orders are still being read, have
// the places of their missions indexed again.
const reindexAfter = 50

// readDuplicates reads the stored drafts in the background, and indexes the orders that have
// been read.
func (p *NewOrder) readDuplicates() tea.Cmd {
	read := func(context.Context) (known storedDrafts, _ error) {
		list, err := p.drafts.StoredDrafts()
		known.count, known.shapes = len(list), map[uint64]string{}
		for _, k := range list {
			if k.Draft == nil {
				continue
			}
			for _, s := range k.Draft.IncludedSites() {
				known.shapes[s.Fingerprint()] = k.Title
			}
		}
		return known, err
	}
	drafts := page.AskInBackground(p.base, &p.twins.asked, read, func(known storedDrafts, err error) tea.Cmd {
		if err == nil {
			p.twins.known.Drafts, p.twins.aside = known.shapes, known.count
			p.markTwins()
		}
		return nil
	})
	if p.Cache == nil {
		return drafts
	}
	p.indexOrders() // others may have read it already
	return drafts
}

// storedDrafts are the drafts put aside: how many, and their names by the shapes
// of their sites.
type storedDrafts struct {
	count  int
	shapes map[uint64]string
}

// DataNeeds returns the orders: what is in them is not ordered twice.
func (p *NewOrder) DataNeeds() []cache.Need {
	if p.Cache == nil {
		return nil
	}
	return []cache.Need{p.Cache.AllMissions()}
}

// reindexOrders indexes the orders again once enough of them are new.
func (p *NewOrder) reindexOrders() {
	reading, _ := p.Cache.ReadingPage()
	if !reading || p.Cache.Version()-p.twins.version >= reindexAfter {
		p.indexOrders()
	}
}

// indexOrders indexes the places of the missions in the cache, where that has changed.
func (p *NewOrder) indexOrders() {
	version := p.Cache.Version()
	if version == p.twins.version {
		return
	}
	p.twins.version = version
	p.twins.known.Missions = ordering.OpenMissions(p.Cache.Now().Missions)
	p.markTwins()
	p.sites.countSites()
}

// markTwins marks the sites that exist elsewhere.
func (p *NewOrder) markTwins() { p.twins.known.MarkKnown(p.draft) }
