package demodata

import (
	"context"
	"errors"
	"fmt"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// performStep makes the change of a step. The order must be up to date.
func (s *Simulator) performStep(ctx context.Context, p simulatorPace, step SimulatorStep, d store.OrderDetail) error {
	now := s.Service.Now()
	if step.Mission == nil {
		return s.actOnOrder(ctx, p, step, d, now)
	}
	m := *step.Mission
	pick := func(list []string, purpose string) string {
		return list[int(p.randomFor(m.Code, purpose)*float64(len(list)))]
	}
	switch step.Does {
	case AssignOperator:
		_, _, err := s.Service.Missions.AssignOperator(ctx, m.UUID, pick(worldTables().Operators, AssignOperator))
		return err
	case RequestPermission:
		asked := ops.PermissionInput{Status: api.PermissionPending, Authority: civilAuthority(m.Country)}
		_, _, err := s.Service.Missions.SetPermission(ctx, m.UUID, asked, nil)
		return err
	case ScheduleFlight:
		return scheduleMission(ctx, s.Service, m, p.flightTime(now, m.Code), "")
	case GrantPermission:
		return s.recordPermission(ctx, p, m, d.Permissions[m.ID], now)
	case Reschedule:
		later := m.FlightDate.Add(p.scaledLength(20 + 4*p.randomFor(m.Code, "delay")))
		return scheduleMission(ctx, s.Service, m, later, pick(worldTables().Weather, Reschedule))
	case Deliver:
		return DeliverSamples(ctx, s.Service, m, s.FileSize)
	case AcceptDelivery:
		_, _, err := s.Service.Missions.AcceptDelivery(ctx, m.UUID)
		return err
	}
	return fmt.Errorf("there is no step %q", step.Does)
}

func (s *Simulator) actOnOrder(
	ctx context.Context, p simulatorPace, step SimulatorStep, d store.OrderDetail, now time.Time,
) error {
	if step.Does == ReportNotFeasible {
		const reason = "the operator found the site too close to a heliport; there is no height left to fly at"
		_, _, err := s.Service.Orders.NotFeasible(ctx, step.Order.UUID, reason)
		return err
	}
	_, err := s.Service.Quotes.Issue(ctx, step.Order.UUID, p.nextOffer(d, now))
	return err
}

// flightTime returns the time of a mission's flight, after now. It is a multiple of 15
// minutes unless the speed makes that too coarse.
func (p simulatorPace) flightTime(now time.Time, code string) time.Time {
	at := p.timeAfter(now, code, "flight", 30, 42)
	if at.Sub(now) > 6*time.Hour {
		at = at.Truncate(15 * time.Minute)
	}
	return at
}

func scheduleMission(ctx context.Context, d *domain.Service, m store.Mission, at time.Time, note string) error {
	f := ops.FlightInput{
		FlightDate:  api.TimeOf(at),
		ScheduledBy: "Simulated dispatch",
		Note:        note,
	}
	_, _, err := d.Missions.Schedule(ctx, m.UUID, f)
	return err
}

// recordPermission grants a permission with a document.
func (s *Simulator) recordPermission(
	ctx context.Context, p simulatorPace, m store.Mission, asked store.Permission, now time.Time,
) error {
	reference := fmt.Sprintf("SIM-%04d/%d", 1000+int(9000*p.randomFor(m.Code, "reference")), now.Year())
	day := m.FlightDate.Truncate(24 * time.Hour)
	granted := ops.PermissionInput{
		Status: api.PermissionGranted, Authority: textOf(asked.Authority), Reference: reference,
		ValidFrom: api.TimeOf(day.AddDate(0, 0, -1)), ValidTo: api.TimeOf(day.AddDate(0, 0, 14)),
	}
	site := m.LocationLabel + ", " + m.Country
	document, err := permit{granted, site, m.Name, textOf(m.OperatorName)}.store(ctx, s.Service)
	if err != nil {
		return err
	}
	_, _, err = s.Service.Missions.SetPermission(ctx, m.UUID, granted, &document)
	if err != nil {
		return errors.Join(err, s.Service.Missions.DiscardFiles(context.WithoutCancel(ctx), document))
	}
	return nil
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// DeliverSamples creates the files of a mission and delivers them. size is the
// approximate size of the files of each type in bytes. A flight in the future is moved to
// now.
func DeliverSamples(ctx context.Context, d *domain.Service, m store.Mission, size int64) error {
	if now := d.Now(); m.FlightDate.After(now) {
		if err := scheduleMission(ctx, d, m, now, "flown earlier than planned"); err != nil {
			return err
		}
	}
	o, m, err := d.Missions.Find(ctx, nil, m.UUID)
	if err != nil {
		return err
	}
	files, err := MakeFiles(ctx, d, SurveyOf(o, m), size)
	if err != nil {
		return err
	}
	_, _, err = d.Missions.Deliver(ctx, m.UUID, files)
	if err != nil {
		return errors.Join(err, d.Missions.DiscardFiles(context.WithoutCancel(ctx), files...))
	}
	return nil
}
