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
		name := o.Request.Order.OrderName
		maker := newWorldMaker(now, first, o.AccountUUID, name, "packages")
		table := samples.findOrder(o.AccountUUID, name)
		for j := range o.Missions {
			if o.Missions[j].Status.IsDelivered() {
				isCorrected := table.Twice && j == 0
				maker.deliverMission(o, j, isCorrected, table.flawsOf(j), samples)
			}
		}
	}
	for _, a := range samples.accounts {
		for _, d := range a.Datasets {
			maker := newWorldMaker(now, first, a.UUID, d.Name)
			w.Datasets = append(w.Datasets, maker.makeDataset(a, d, samples))
		}
	}
}

// findOrder returns the row of an account's order with a name, or an empty row.
func (l sampleLister) findOrder(accountUUID, name string) demoOrder {
	for _, a := range l.accounts {
		if a.UUID != accountUUID {
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

// flawsOf returns the flaws in the delivery of the i-th mission.
func (o demoOrder) flawsOf(i int) deliveryFlaws {
	if i >= len(o.Sites) {
		return deliveryFlaws{}
	}
	return o.Sites[i].Flaws
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

// deliverMission adds the package of the i-th mission of an order. If isCorrected, it adds a
// first package and later a corrected package, which has no photos. The sources of the files do
// not depend on the time, so the files are the same each time, except for the day of the flight.
func (m *worldMaker) deliverMission(
	o *domain.PastOrder,
	i int,
	isCorrected bool,
	flaws deliveryFlaws,
	samples sampleLister,
) {
	mission := &o.Missions[i]
	input := o.Request.Missions[i]
	delivered := mission.Updated
	status := api.DeliveryDelivered
	if mission.Status == api.MissionCompleted {
		delivered = timeBetween(mission.FlightDate, mission.Updated, 3, 4)
		status = api.DeliveryAccepted
	}
	makePackage := func(id, remark string, kinds []api.Deliverable, at time.Time) domain.PastPackage {
		at = at.Truncate(time.Second)
		source := product.Mission{
			Location:     input.LocationMap,
			Deliverables: kinds,
			Flown:        mission.FlightDate,
			Partial:      flaws.Partial,
			InDegrees:    flaws.InDegrees,
		}
		return domain.PastPackage{
			Package: store.Package{
				UUID:    m.newUUID(at),
				Name:    input.MissionName + ", " + at.Format(time.DateOnly) + remark,
				Status:  status,
				Created: at,
			},
			Files: samples.listFiles(m, id, source, at),
		}
	}
	id := sourceID(cmp.Or(samples.like, o.AccountUUID), o.Request.Order.OrderName, input.MissionName)
	isMissing := func(d api.Deliverable) bool { return slices.Contains(flaws.Missing, d) }
	kinds := slices.DeleteFunc(slices.Clone(withPhotos(o.Request.Order.Deliverables)), isMissing)
	if !isCorrected {
		mission.Packages = []domain.PastPackage{makePackage(id, "", kinds, delivered)}
		return
	}
	corrected := makePackage(sourceID(id, "corrected"), ", corrected", withoutPhotos(kinds), delivered)
	first := makePackage(id, "", kinds, timeBetween(mission.FlightDate, delivered, 1, 2))
	mission.Packages = []domain.PastPackage{first, corrected}
}

// withPhotos returns deliverables and photos.
func withPhotos(kinds []api.Deliverable) []api.Deliverable {
	if slices.Contains(kinds, api.DeliverableJPG) {
		return kinds
	}
	return append(slices.Clone(kinds), api.DeliverableJPG)
}

// withoutPhotos returns the deliverables that are not photos. If all are photos, it returns all.
func withoutPhotos(kinds []api.Deliverable) []api.Deliverable {
	others := slices.DeleteFunc(slices.Clone(kinds), isPhoto)
	if len(others) == 0 {
		return kinds
	}
	return others
}

func isPhoto(d api.Deliverable) bool { return d == api.DeliverableJPG || d == "raw" }

// makeDataset returns a dataset of an account with its files.
func (m *worldMaker) makeDataset(a demoAccount, d demoDataset, samples sampleLister) domain.PastDataset {
	created := m.now.AddDate(0, -d.MonthsAgo, 0).Add(-m.durationBetween(time.Hour, 9*day))
	location, _ := d.Area.drawRing(m.rng)
	completed := created.AddDate(0, -1, 0)
	source := product.Mission{Location: location, Deliverables: d.Deliverables, Flown: completed}
	id := sourceID(cmp.Or(samples.like, a.UUID), d.Name)
	return domain.PastDataset{
		AccountUUID: a.UUID,
		Dataset: store.Dataset{
			UUID:          m.newUUID(created),
			Name:          d.Name,
			Categories:    d.Categories,
			Description:   d.Description,
			SDGGoals:      d.Goals,
			LocationLabel: d.Label,
			LocationMap:   location,
			DateCompleted: completed.Format(time.DateOnly),
			Created:       created,
		},
		Files: samples.listFiles(m, id, source, created),
	}
}
