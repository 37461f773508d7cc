package demodata

import (
	"cmp"
	"encoding/hex"
	"hash/fnv"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// deliverMissions adds packages to the missions whose data is delivered, and datasets to
// the accounts. The orders must be sorted already.
func deliverMissions(w *domain.SeedWorld, samples sampleLister, now, first time.Time) {
	for i := range w.Orders {
		o := &w.Orders[i]
		m := newWorldMaker(now, first, o.AccountUUID, o.Request.Order.OrderName, "packages")
		twice := samples.findOrder(o.AccountUUID, o.Request.Order.OrderName).Twice
		for j := range o.Missions {
			if o.Missions[j].Status.IsDelivered() {
				m.deliverMission(o, j, twice && j == 0, samples)
			}
		}
	}
	for _, a := range samples.accounts {
		for _, d := range a.Datasets {
			w.Datasets = append(w.Datasets, newWorldMaker(now, first, a.UUID, d.Name).makeDataset(a, d, samples))
		}
	}
}

// findOrder returns the order of an account with a name, from its table.
func (l sampleLister) findOrder(account, name string) demoOrder {
	for _, a := range l.accounts {
		if a.UUID != account {
			continue
		}
		for _, o := range a.Orders {
			if o.Name == name {
				return o
			}
		}
	}
	return demoOrder{}
}

// sourceID returns an ID for the source of files, which is always the same for the same
// names.
func sourceID(names ...string) string {
	hash := fnv.New128a()
	for _, name := range names {
		_, _ = hash.Write(append([]byte(name), 0)) // never fails
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// deliverMission adds the package of a mission; if twice, also an earlier one, and the
// later one has no photos. The sources of the files do not depend on the time, so the
// files are the same each time.
func (m *worldMaker) deliverMission(o *domain.PastOrder, i int, twice bool, samples sampleLister) {
	past := &o.Missions[i]
	in := o.Request.Missions[i]
	kinds := slices.Clone(o.Request.Order.Deliverables)
	if !slices.Contains(kinds, api.DeliverableJPG) {
		kinds = append(kinds, api.DeliverableJPG)
	}
	from := product.Mission{Location: in.LocationMap, Deliverables: kinds}
	last := past.Updated
	status := api.DeliveryDelivered
	if past.Status == api.MissionCompleted {
		last = past.FlightDate.Add(past.Updated.Sub(past.FlightDate) * 3 / 4)
		status = api.DeliveryAccepted
	}
	made := func(id, remark string, at time.Time) domain.PastPackage {
		at = at.Truncate(time.Second)
		return domain.PastPackage{Package: store.Package{
			UUID:    m.newUUID(at),
			Name:    in.MissionName + ", " + at.Format(time.DateOnly) + remark,
			Status:  status,
			Created: at,
		}, Files: samples.listFiles(m, id, from, at)}
	}
	id := sourceID(cmp.Or(samples.like, o.AccountUUID), o.Request.Order.OrderName, in.MissionName)
	if !twice {
		past.Packages = []domain.PastPackage{made(id, "", last)}
		return
	}
	if others := slices.DeleteFunc(slices.Clone(kinds), isPhoto); len(others) > 0 {
		from.Deliverables = others
	}
	second := made(sourceID(id, "corrected"), ", corrected", last)
	from.Deliverables = kinds
	past.Packages = []domain.PastPackage{made(id, "", past.FlightDate.Add(last.Sub(past.FlightDate)/2)), second}
}

func isPhoto(d api.Deliverable) bool { return d == api.DeliverableJPG || d == "raw" }

func (m *worldMaker) makeDataset(a demoAccount, d demoDataset, samples sampleLister) domain.PastDataset {
	at := m.now.AddDate(0, -d.MonthsAgo, 0).Add(-m.durationBetween(time.Hour, 9*day))
	location, _ := d.Area.drawRing(m.rng)
	from := product.Mission{Location: location, Deliverables: d.Deliverables}
	return domain.PastDataset{AccountUUID: a.UUID, Dataset: store.Dataset{
		UUID:          m.newUUID(at),
		Name:          d.Name,
		Categories:    d.Categories,
		Description:   d.Description,
		SDGGoals:      d.Goals,
		LocationLabel: d.Label,
		LocationMap:   location,
		DateCompleted: at.AddDate(0, -1, 0).Format(time.DateOnly),
		Created:       at,
	}, Files: samples.listFiles(m, sourceID(cmp.Or(samples.like, a.UUID), d.Name), from, at)}
}
