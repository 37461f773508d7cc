package demodata

import (
	"context"
	"errors"
	"fmt"
	"time"

	"flightdesk/api"

	"flightdesk/api/server/demodata/product"
	"flightdesk/api/server/domain"
	"flightdesk/api/server/store"
)

// act makes the move of a step, of an order as it stands now.
func (s *Simulator) act(ctx context.Context, p pace, step SimulatorStep, d store.OrderDetail) error {
	now := s.Desk.Now()
	if step.Mission == nil {
		return s.actOnOrder(ctx, p, step, d, now)
	}
	m := *step.Mission
	pick := func(from []string, what string) string { return from[int(p.chance(m.Code, what)*float64(len(from)))] }
	switch step.Does {
	case AssignOperator:
		_, _, err := s.Desk.Missions.AssignOperator(ctx, m.UUID, pick(Operators(), AssignOperator))
		return err
	case RequestPermission:
		authority := "Civil aviation authority, " + m.Country
		_, _, err := s.Desk.Missions.SetPermission(ctx, m.UUID, store.Permission{Status: api.PermissionPending, Authority: &authority}, nil)
		return err
	case ScheduleFlight:
		return s.schedule(ctx, m, p.flight(now, m.Code), "Simulated dispatch", "")
	case GrantPermission:
		return s.grant(ctx, p, m, d.Permissions[m.ID], now)
	case Reschedule:
		return s.schedule(ctx, m, m.FlightDate.Add(p.length(20+4*p.chance(m.Code, "delay"))), "Simulated dispatch", pick(Weather(), Reschedule))
	case Deliver:
		return s.deliver(ctx, m, now)
	case AcceptDelivery:
		_, _, err := s.Desk.Missions.AcceptDelivery(ctx, m.UUID)
		return err
	}
	return fmt.Errorf("there is no step %q", step.Does)
}

func (s *Simulator) actOnOrder(ctx context.Context, p pace, step SimulatorStep, d store.OrderDetail, now time.Time) error {
	if step.Does == ReportNotFeasible {
		_, _, err := s.Desk.Orders.NotFeasible(ctx, step.Order.UUID, "the operator found the site too close to a heliport; there is no height left to fly at")
		return err
	}
	_, err := s.Desk.Quotes.Issue(ctx, step.Order.UUID, p.offer(d, now))
	return err
}

// flight is when a mission is flown: some time from now, on the quarter of an
// hour where the pace lets there be such.
func (p pace) flight(now time.Time, code string) time.Time {
	at := p.after(now, code, "flight", 30, 42)
	if at.Sub(now) > 6*time.Hour {
		at = at.Truncate(15 * time.Minute)
	}
	return at
}

func (s *Simulator) schedule(ctx context.Context, m store.Mission, at time.Time, by, note string) error {
	f := domain.Flight{Date: at, ScheduledBy: &by}
	if note != "" {
		f.Note = &note
	}
	_, _, err := s.Desk.Missions.Schedule(ctx, m.UUID, f)
	return err
}

// grant records a permission with its document.
func (s *Simulator) grant(ctx context.Context, p pace, m store.Mission, asked store.Permission, now time.Time) error {
	reference := fmt.Sprintf("SIM-%04d/%d", 1000+int(9000*p.chance(m.Code, "reference")), now.Year())
	day := m.FlightDate.Truncate(24 * time.Hour)
	granted := store.Permission{
		Status: api.PermissionGranted, Authority: asked.Authority, Reference: &reference,
		ValidFrom: day.AddDate(0, 0, -1), ValidTo: day.AddDate(0, 0, 14),
	}
	o, _, err := s.Desk.Missions.Find(ctx, nil, m.UUID)
	if err != nil {
		return err
	}
	permit, err := MakePermit(ctx, s.Desk, product.Permit{
		Mission: Survey(o, m), Place: m.LocationLabel + ", " + m.Country, Authority: textOf(asked.Authority), Reference: reference,
		ValidFrom: granted.ValidFrom, ValidTo: granted.ValidTo, Issued: now,
	})
	if err != nil {
		return err
	}
	if _, _, err = s.Desk.Missions.SetPermission(ctx, m.UUID, granted, &permit); err != nil {
		return errors.Join(err, s.Desk.Missions.Discard(context.WithoutCancel(ctx), permit))
	}
	return nil
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// deliver makes a mission's files and delivers them. One that is asked for
// before its flight is flown now.
func (s *Simulator) deliver(ctx context.Context, m store.Mission, now time.Time) error {
	if m.FlightDate.After(now) {
		if err := s.schedule(ctx, m, now, "Simulated dispatch", "flown earlier than planned"); err != nil {
			return err
		}
	}
	o, m, err := s.Desk.Missions.Find(ctx, nil, m.UUID)
	if err != nil {
		return err
	}
	files, err := MakeFiles(ctx, s.Desk, Survey(o, m), s.FileSize)
	if err != nil {
		return err
	}
	if _, _, err = s.Desk.Missions.Deliver(ctx, m.UUID, files); err != nil {
		return errors.Join(err, s.Desk.Missions.Discard(context.WithoutCancel(ctx), files...))
	}
	return nil
}
