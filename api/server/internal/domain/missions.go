package domain

import (
	"context"
	"errors"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// errNoChange is the error that a missionChange returns if the mission is already as requested.
// Then nothing is saved, and the request succeeds.
var errNoChange = errors.New("no change")

// missionChange checks whether a mission of an order can change, and changes it. It returns
// the event to announce.
type missionChange func(*domainMove, store.Order, *store.Mission, time.Time) (api.EventName, error)

// moveMission changes a mission and updates the status of its order in a transaction. It
// returns the order and the mission after the change, or unchanged if change returns
// errNoChange. doing names the task in errors.
func (d Missions) moveMission(
	ctx context.Context, uuid, doing string, change missionChange,
) (store.Order, store.Mission, error) {
	var order store.Order
	var mission store.Mission
	err := d.runMove(ctx, func(mv *domainMove) error {
		var err error
		order, mission, err = mv.changeMission(uuid, change)
		return err
	})
	if err != nil && !errors.Is(err, errNoChange) {
		return order, mission, wrapStoreError(err, doing)
	}
	return order, mission, nil
}

// changeMission changes a mission, updates the status of its order, and announces the event
// of the change. If change returns an error, changeMission returns it with the unchanged order
// and mission.
func (m *domainMove) changeMission(uuid string, change missionChange) (store.Order, store.Mission, error) {
	order, missions, err := m.tx.OrderOfMission(uuid)
	if err != nil {
		return order, store.Mission{}, refuseMissing(err, noMission)
	}
	mission := findMission(missions, uuid)
	unchanged := *mission
	now := laterOf(m.parts.Now(), mission.Updated)
	event, err := change(m, order, mission, now)
	if err != nil {
		return order, unchanged, err
	}
	mission.Updated = now
	if err := store.Update(m.tx, mission); err != nil {
		return order, unchanged, err
	}
	if err := m.followMissions(&order, missions, now); err != nil {
		return order, unchanged, err
	}
	return order, *mission, m.announceEvent(event, order, *mission)
}

// findMission returns the mission with a UUID in a list that contains it.
func findMission(missions []store.Mission, uuid string) *store.Mission {
	i := slices.IndexFunc(missions, func(m store.Mission) bool { return m.UUID == uuid })
	return &missions[i]
}

// followMissions updates the status of an order after a change of its missions. If that completes
// the order, it notifies the client.
func (m *domainMove) followMissions(o *store.Order, missions []store.Mission, now time.Time) error {
	before := o.Status
	o.Status = statusFromMissions(missions)
	o.Updated = laterOf(now, o.Updated)
	if err := store.Update(m.tx, o); err != nil {
		return err
	}
	isCompletion := o.Status == api.OrderCompleted && o.Status != before
	if !isCompletion {
		return nil
	}
	return m.announceCompletion(*o)
}

// statusFromMissions returns the status of an order with an accepted quote, which depends
// on its least advanced mission.
func statusFromMissions(missions []store.Mission) api.OrderStatus {
	least := slices.MinFunc(missions, func(a, b store.Mission) int { return a.Status.Rank() - b.Status.Rank() })
	switch least.Status {
	case api.MissionAwaitingPilot:
		return api.OrderPendingOperator
	case api.MissionPilotAssigned:
		return api.OrderOperatorAssigned
	case api.MissionFlightScheduled:
		return api.OrderFlyingDateSet
	default:
		return api.OrderCompleted
	}
}

// checkInProgress returns an error unless the order is in progress and the mission has one of the
// allowed statuses. change describes the refused change in the error, such as "a delivery".
func checkInProgress(o store.Order, m store.Mission, change string, allowed []api.MissionStatus) error {
	if o.Status == api.OrderBiddingWithQuote {
		return refuseRequest(api.CodeConflict, "%s needs an accepted quote before %s", o.Code, change)
	}
	if !o.Status.HasAcceptedQuote() {
		return refuseRequest(api.CodeConflict, "%s is %s; too late for %s", o.Code, o.Status, change)
	}
	if !slices.Contains(allowed, m.Status) {
		return refuseRequest(api.CodeConflict, "%s is %s, which does not allow %s", m.Code, m.Status, change)
	}
	return nil
}

// AssignOperator assigns an operator to a mission. The operator can change until a flight
// is scheduled.
func (d Missions) AssignOperator(ctx context.Context, uuid, operator string) (store.Order, store.Mission, error) {
	assign := func(_ *domainMove, o store.Order, m *store.Mission, _ time.Time) (api.EventName, error) {
		isAssigned := m.OperatorName != nil && *m.OperatorName == operator
		allowed := api.MoveAssignOperator.AllowedFrom()
		if isAssigned {
			allowed = append(allowed, api.MissionFlightScheduled, api.MissionDataDelivered, api.MissionCompleted)
		}
		if err := checkInProgress(o, *m, "an operator", allowed); err != nil {
			return "", err
		}
		if isAssigned {
			return "", errNoChange
		}
		m.Status = api.MissionPilotAssigned
		m.OperatorName = &operator
		return api.EventOperatorAssigned, nil
	}
	return d.moveMission(ctx, uuid, "assign operator", assign)
}

// Schedule sets the flight date of a mission, which can change until data is delivered.
// Each date is a new version of the planning.
func (d Missions) Schedule(ctx context.Context, uuid string, f ops.FlightInput) (store.Order, store.Mission, error) {
	schedule := func(mv *domainMove, o store.Order, m *store.Mission, now time.Time) (api.EventName, error) {
		if err := checkInProgress(o, *m, "a flight date", api.MoveSchedule.AllowedFrom()); err != nil {
			return "", err
		}
		p := store.Planning{
			MissionID:   m.ID,
			Status:      api.ScheduleConfirmed,
			FlightDate:  f.FlightDate.UTC().Truncate(time.Millisecond),
			ScheduledBy: optionalText(f.ScheduledBy),
			Note:        optionalText(f.Note),
			FlightZone:  zoneOf(f.FlightDate),
			Created:     now,
		}
		if m.Status == api.MissionFlightScheduled {
			p.Status = api.ScheduleRescheduled
		}
		m.Status = api.MissionFlightScheduled
		m.FlightDate = p.FlightDate
		m.FlightZone = p.FlightZone
		return api.EventFlightScheduled, mv.tx.InsertPlanning(&p)
	}
	return d.moveMission(ctx, uuid, "schedule", schedule)
}

// CheckDeliveryAllowed returns an error if data cannot be delivered for a mission, because of its
// status or the status of its order.
func CheckDeliveryAllowed(o store.Order, m store.Mission) error {
	return checkInProgress(o, m, "a delivery", api.MoveDeliver.AllowedFrom())
}

// Deliver adds stored files to a mission as a package.
func (d Missions) Deliver(
	ctx context.Context, uuid string, files []store.File,
) (m store.Mission, p store.Package, err error) {
	deliver := func(mv *domainMove, o store.Order, m *store.Mission, now time.Time) (api.EventName, error) {
		if err := checkOrdered(o, files); err != nil {
			return "", err
		}
		if err := CheckDeliveryAllowed(o, *m); err != nil {
			return "", err
		}
		p = store.Package{
			UUID:      newUUID(now),
			MissionID: m.ID,
			Name:      m.Name + ", " + now.Format(time.DateOnly),
			Status:    api.DeliveryDelivered,
			Created:   now,
		}
		m.Status = api.MissionDataDelivered
		store.SetAuditSubject(ctx, p.UUID)
		return api.EventDataDelivered, insertPackage(mv.tx, &p, files)
	}
	_, m, err = d.moveMission(ctx, uuid, "deliver", deliver)
	return m, p, err
}

// insertPackage stores a package and its files, and sets the count and the total size of the files.
func insertPackage(tx *store.Tx, p *store.Package, files []store.File) error {
	p.FileCount = len(files)
	p.TotalSize = 0
	for _, f := range files {
		p.TotalSize += f.Size
	}
	if err := tx.InsertPackage(p); err != nil {
		return err
	}
	for i, f := range files {
		f.PackageID = &p.ID
		f.Position = i
		f.Created = p.Created
		if err := store.Insert(tx, &f); err != nil {
			return err
		}
	}
	return nil
}

// checkOrdered returns an error for files of a type that is not among the order's
// deliverables.
func checkOrdered(o store.Order, files []store.File) error {
	var faults []api.FieldError
	for i, f := range files {
		if !slices.ContainsFunc(o.Deliverables, f.Kind.IsSameProduct) {
			faults = append(faults, api.FieldError{
				Field:   fieldAt("fileDataType", i),
				Message: string(f.Kind) + " is not among the order's deliverables",
			})
		}
	}
	if faults == nil {
		return nil
	}
	return RefuseFields(faults, len(faults))
}

// AcceptDelivery completes a mission whose data is delivered.
func (d Missions) AcceptDelivery(ctx context.Context, uuid string) (store.Order, store.Mission, error) {
	accept := func(mv *domainMove, o store.Order, m *store.Mission, _ time.Time) (api.EventName, error) {
		if err := checkInProgress(o, *m, "accepting a delivery", api.MoveAcceptDelivery.AllowedFrom()); err != nil {
			return "", err
		}
		m.Status = api.MissionCompleted
		return api.EventMissionCompleted, mv.tx.AcceptPackages(m.ID)
	}
	return d.moveMission(ctx, uuid, "accept delivery", accept)
}

// SetPermission sets or replaces the flight permission of a mission. permit is the document
// of the permission, or nil.
func (d Missions) SetPermission(
	ctx context.Context, uuid string, in ops.PermissionInput, permit *store.File,
) (mission store.Mission, p store.Permission, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		o, missions, err := tx.OrderOfMission(uuid)
		if err != nil {
			return refuseMissing(err, noMission)
		}
		if err := checkChangeable(o); err != nil {
			return err
		}
		mission = *findMission(missions, uuid)
		p = store.Permission{
			MissionID: mission.ID,
			Status:    in.Status,
			Authority: optionalText(in.Authority),
			Reference: optionalText(in.Reference),
			ValidFrom: in.ValidFrom.UTC(),
			ValidTo:   in.ValidTo.UTC(),
			FromZone:  zoneOf(in.ValidFrom),
			ToZone:    zoneOf(in.ValidTo),
			Updated:   d.Now().UTC().Truncate(time.Millisecond),
		}
		if permit != nil {
			permit.Created = p.Updated
			if err := store.Insert(tx, permit); err != nil {
				return err
			}
			p.PermitID = &permit.ID
		}
		return store.Replace(tx, &p)
	})
	return mission, p, wrapStoreError(err, "record flight permission")
}

// zoneOf returns the UTC offset of a time in seconds.
func zoneOf(t api.Time) int {
	_, seconds := t.Zone()
	return seconds
}
