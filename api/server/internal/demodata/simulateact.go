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

// performStep makes the move of a step, of an order as it stands now.
func (s *Simulator) performStep(ctx context.Context, p simulatorPace, step SimulatorStep, d store.OrderDetail) error {
	now := s.Desk.Now()
	if step.Mission == nil {
		return s.actOnOrder(ctx, p, step, d, now)
	}
	m := *step.Mission
	pick := func(from []string, what string) string { return from[int(p.chanceOf(m.Code, what)*float64(len(from)))] }
	switch step.Does {
	case AssignOperator:
		_, _, err := s.Desk.Missions.AssignOperator(ctx, m.UUID, pick(worldTables().Operators, AssignOperator))
		return err
	case RequestPermission:
		asked := ops.PermissionInput{Status: api.PermissionPending, Authority: civilAuthority(m.Country)}
		_, _, err := s.Desk.Missions.SetPermission(ctx, m.UUID, asked, nil)
		return err
	case ScheduleFlight:
		return scheduleMission(ctx, s.Desk, m, p.flightTime(now, m.Code), "")
	case GrantPermission:
		return s.recordPermission(ctx, p, m, d.Permissions[m.ID], now)
	case Reschedule:
		later := m.FlightDate.Add(p.scaledLength(20 + 4*p.chanceOf(m.Code, "delay")))
		return scheduleMission(ctx, s.Desk, m, later, pick(worldTables().Weather, Reschedule))
	case Deliver:
		return DeliverSamples(ctx, s.Desk, m, s.FileSize)
	case AcceptDelivery:
		_, _, err := s.Desk.Missions.AcceptDelivery(ctx, m.UUID)
		return err
	}
	return fmt.Errorf("there is no step %q", step.Does)
}

func (s *Simulator) actOnOrder(
	ctx context.Context, p simulatorPace, step SimulatorStep, d store.OrderDetail, now time.Time,
) error {
	if step.Does == ReportNotFeasible {
		const reason = "the operator found the site too close to a heliport; there is no height left to fly at"
		_, _, err := s.Desk.Orders.NotFeasible(ctx, step.Order.UUID, reason)
		return err
	}
	_, err := s.Desk.Quotes.Issue(ctx, step.Order.UUID, p.nextOffer(d, now))
	return err
}

// flightTime returns when a mission is flown: some time from now, on the quarter of an
// hour where the pace lets there be such.
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

// recordPermission records a permission with its document.
func (s *Simulator) recordPermission(
	ctx context.Context, p simulatorPace, m store.Mission, asked store.Permission, now time.Time,
) error {
	reference := fmt.Sprintf("SIM-%04d/%d", 1000+int(9000*p.chanceOf(m.Code, "reference")), now.Year())
	day := m.FlightDate.Truncate(24 * time.Hour)
	granted := ops.PermissionInput{
		Status: api.PermissionGranted, Authority: textOf(asked.Authority), Reference: reference,
		ValidFrom: api.TimeOf(day.AddDate(0, 0, -1)), ValidTo: api.TimeOf(day.AddDate(0, 0, 14)),
	}
	site := m.LocationLabel + ", " + m.Country
	document, err := permit{granted, site, m.Name, textOf(m.OperatorName)}.keep(ctx, s.Desk)
	if err != nil {
		return err
	}
	_, _, err = s.Desk.Missions.SetPermission(ctx, m.UUID, granted, &document)
	if err != nil {
		return errors.Join(err, s.Desk.Missions.DiscardFiles(context.WithoutCancel(ctx), document))
	}
	return nil
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// DeliverSamples makes a mission's files, each kind of about size bytes, and
// delivers them. One that is asked for before its flight is flown now.
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
