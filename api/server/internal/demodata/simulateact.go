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

// performStep carries out a step by calling package domain. d must be the current state of the
// order.
func (s *Simulator) performStep(ctx context.Context, p simulatorPace, step SimulatorStep, d store.OrderDetail) error {
	now := s.Service.Now()
	if step.Mission == nil {
		return s.moveOrder(ctx, p, step, d, now)
	}
	return s.moveMission(ctx, p, step.Does, *step.Mission, d, now)
}

// moveMission carries out a step of a mission. does is the kind of the step, such as
// AssignOperator.
func (s *Simulator) moveMission(
	ctx context.Context, p simulatorPace, does string, m store.Mission, d store.OrderDetail, now time.Time,
) error {
	missions := s.Service.Missions
	switch does {
	case AssignOperator:
		operator := p.pickText(worldTables().Operators, m.Code, AssignOperator)
		_, _, err := missions.AssignOperator(ctx, m.UUID, operator)
		return err
	case RequestPermission:
		requested := ops.PermissionInput{Status: api.PermissionPending, Authority: civilAuthority(m.Country)}
		_, _, err := missions.SetPermission(ctx, m.UUID, requested, nil)
		return err
	case ScheduleFlight:
		return scheduleMission(ctx, s.Service, m, p.flightTime(now, m.Code), "")
	case GrantPermission:
		return s.grantPermission(ctx, p, m, d.Permissions[m.ID], now)
	case Reschedule:
		delay := p.scaledLength(20 + 4*p.randomFor(m.Code, "delay"))
		weather := p.pickText(worldTables().Weather, m.Code, Reschedule)
		return scheduleMission(ctx, s.Service, m, m.FlightDate.Add(delay), weather)
	case Deliver:
		return DeliverSamples(ctx, s.Service, m, s.FileSize)
	case AcceptDelivery:
		_, _, err := missions.AcceptDelivery(ctx, m.UUID)
		return err
	}
	return fmt.Errorf("there is no step %q", does)
}

// moveOrder carries out a step of a whole order: it issues a quote, or reports that the order is
// not feasible.
func (s *Simulator) moveOrder(
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
// minutes, unless the simulator is so fast that the flight is within a few hours.
func (p simulatorPace) flightTime(now time.Time, code string) time.Time {
	flight := p.timeAfter(now, code, "flight", 30, 42)
	if flight.Sub(now) > 6*time.Hour {
		return flight.Truncate(15 * time.Minute)
	}
	return flight
}

func scheduleMission(ctx context.Context, d *domain.Service, m store.Mission, flight time.Time, note string) error {
	_, _, err := d.Missions.Schedule(ctx, m.UUID, ops.FlightInput{
		FlightDate:  api.TimeOf(flight),
		ScheduledBy: "Simulated dispatch",
		Note:        note,
	})
	return err
}

// grantPermission grants a permission that was requested, with a document.
func (s *Simulator) grantPermission(
	ctx context.Context, p simulatorPace, m store.Mission, requested store.Permission, now time.Time,
) error {
	number := 1000 + int(9000*p.randomFor(m.Code, "reference"))
	flightDay := m.FlightDate.Truncate(24 * time.Hour)
	granted := ops.PermissionInput{
		Status:    api.PermissionGranted,
		Authority: textOf(requested.Authority),
		Reference: fmt.Sprintf("SIM-%04d/%d", number, now.Year()),
		ValidFrom: api.TimeOf(flightDay.AddDate(0, 0, -1)),
		ValidTo:   api.TimeOf(flightDay.AddDate(0, 0, 14)),
	}
	content := permit{
		PermissionInput: granted,
		site:            m.LocationLabel + ", " + m.Country,
		mission:         m.Name,
		operator:        textOf(m.OperatorName),
	}
	document, err := content.store(ctx, s.Service)
	if err != nil {
		return err
	}
	_, _, err = s.Service.Missions.SetPermission(ctx, m.UUID, granted, &document)
	if err != nil {
		return errors.Join(err, s.Service.Missions.DiscardFiles(context.WithoutCancel(ctx), document))
	}
	return nil
}

// textOf returns a text, or "" if there is none.
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
