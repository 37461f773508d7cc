package demodata

import (
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

// findOrder returns the row in world.toml of an account's order with the given name, or an empty
// row if there is none.
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

// flawsOf returns what is wrong with the delivery of the i-th mission. It returns no flaws if the
// row has no i-th site.
func (o demoOrder) flawsOf(i int) deliveryFlaws {
	if i >= len(o.Sites) {
		return deliveryFlaws{}
	}
	return o.Sites[i].Flaws
}

// sourceID returns the ID of the mission data from which sample files are created. The ID is a hash
// of the names, so it is the same each time the demo world is created.
func sourceID(names ...string) string {
	hash := fnv.New128a()
	for _, name := range names {
		_, _ = hash.Write(append([]byte(name), 0)) // never fails
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// deliverMission adds a package of sample files to the i-th mission of an order. If isCorrected
// is true, it adds two packages: a first one, and later a corrected one without photos. If the
// world is created again at another time, the files are the same except for the day of the flight
// in them.
func (m *worldMaker) deliverMission(
	order *domain.PastOrder,
	i int,
	isCorrected bool,
	flaws deliveryFlaws,
	samples sampleLister,
) {
	mission := &order.Missions[i]
	name := order.Request.Missions[i].MissionName
	id := sourceID(samples.fileOwner(order.AccountUUID), order.Request.Order.OrderName, name)
	source := deliverySource(order, i, flaws)
	delivered, status := deliveryOf(mission)
	if !isCorrected {
		only := m.makePackage(name, status, delivered)
		only.Files = samples.listFiles(m, id, source, only.Created)
		mission.Packages = []domain.PastPackage{only}
		return
	}
	// The corrected package is made before the first one: the order of the random numbers determines the
	// UUIDs of the demo.
	corrected := m.makePackage(name, status, delivered)
	corrected.Name += ", corrected"
	correctedSource := source
	correctedSource.Deliverables = withoutPhotos(source.Deliverables)
	corrected.Files = samples.listFiles(m, sourceID(id, "corrected"), correctedSource, corrected.Created)

	firstDelivered := timeBetween(mission.FlightDate, delivered, 1, 2) // half-way
	first := m.makePackage(name, status, firstDelivered)
	first.Files = samples.listFiles(m, id, source, first.Created)
	mission.Packages = []domain.PastPackage{first, corrected}
}

// deliveryOf returns when the data of a mission was delivered, and the status of the delivery.
func deliveryOf(mission *domain.PastMission) (time.Time, api.DeliveryStatus) {
	if mission.Status != api.MissionCompleted {
		return mission.Updated, api.DeliveryDelivered
	}
	// The last change was the acceptance. The data was delivered three quarters of the way from
	// the flight to the acceptance.
	return timeBetween(mission.FlightDate, mission.Updated, 3, 4), api.DeliveryAccepted
}

// deliverySource returns the mission data from which the sample files of the i-th mission of an
// order are created.
func deliverySource(order *domain.PastOrder, i int, flaws deliveryFlaws) product.Mission {
	isMissing := func(d api.Deliverable) bool { return slices.Contains(flaws.Missing, d) }
	ordered := slices.Clone(withPhotos(order.Request.Order.Deliverables))
	return product.Mission{
		Location:     order.Request.Missions[i].LocationMap,
		Deliverables: slices.DeleteFunc(ordered, isMissing),
		Flown:        order.Missions[i].FlightDate,
		Partial:      flaws.Partial,
		InDegrees:    flaws.InDegrees,
	}
}

// makePackage returns a delivery package. The caller adds the files.
func (m *worldMaker) makePackage(
	missionName string,
	status api.DeliveryStatus,
	created time.Time,
) domain.PastPackage {
	created = created.Truncate(time.Second)
	return domain.PastPackage{Package: store.Package{
		UUID:    m.newUUID(created),
		Name:    missionName + ", " + created.Format(time.DateOnly),
		Status:  status,
		Created: created,
	}}
}

// withPhotos returns the deliverables, and adds photos if they are missing.
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
	id := sourceID(samples.fileOwner(a.UUID), d.Name)
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
