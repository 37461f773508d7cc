package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// MissingCallback is a callback that an endpoint should have received, and of which its
// log has no row.
type MissingCallback struct {
	Mission *Mission
	Event   api.EventName
	// It happened between these, which are the same where that is known.
	From, To time.Time
	Probable bool   // the log names no missions: what it has may be another one's
	Source   string // what is known of it comes from: planning v2, AeroScan

	row *api.WebhookDelivery // the one of the log that is about it
}

// GapID names a missing callback, the same as long as it is missing.
func (m *MissingCallback) GapID() string {
	return m.Mission.UUID + " " + string(m.Event) + " " + m.To.UTC().Format(time.RFC3339Nano)
}

const (
	// grace is how young an event may be without a callback.
	grace = 15 * time.Second
	// lateRow is how much later a row may be that does not name its mission.
	lateRow = 2 * time.Minute
)

// FindMissing returns the missing callbacks of an endpoint, the newest first: it
// compares how far missions are with the log and with what was received. Of what
// happened before the endpoint was there, or before its log is known, nothing is said.
func FindMissing(
	missions []Mission, e *Endpoint, heard []webhooks.ReceivedEvent, now time.Time,
) []MissingCallback {
	var open []*MissingCallback
	for i := range missions {
		for _, h := range expectedEvents(&missions[i]) {
			wanted := len(e.Events) == 0 || slices.Contains(e.Events, h.Event)
			if wanted && !h.From.Before(e.CreatedAt.Time) && !h.From.Before(e.Since) && now.Sub(h.To) >= grace {
				open = append(open, &h)
			}
		}
	}
	rows, taken := map[rowAbout][]*api.WebhookDelivery{}, map[*api.WebhookDelivery]bool{}
	for i := range e.Log {
		key := rowAbout{e.Log[i].MissionUID, e.Log[i].Event}
		rows[key] = append(rows[key], &e.Log[i])
	}
	matchRows(open, rows, taken, true)
	matchRows(open, rows, taken, false)
	received := map[rowAbout][]time.Time{}
	for i := range heard {
		x := &heard[i].Event
		key := rowAbout{x.Data.Mission.UUID, x.Event}
		received[key] = append(received[key], x.Timestamp.Time)
	}
	var gaps []MissingCallback
	for _, h := range open {
		if h.row == nil && !h.wasReceived(received[rowAbout{h.Mission.UUID, h.Event}]) {
			h.Probable = len(rows[rowAbout{"", h.Event}]) > 0
			gaps = append(gaps, *h)
		}
	}
	slices.SortStableFunc(gaps, func(a, b MissingCallback) int { return b.To.Compare(a.To) })
	return gaps
}

// rowAbout is what rows of a log are about.
type rowAbout struct {
	mission string // "" of rows that name none
	event   api.EventName
}

// rowPair is a row that may be about something that happened.
type rowPair struct {
	h        *MissingCallback
	row      *api.WebhookDelivery
	distance time.Duration
}

// matchRows gives each row to what it is about, the nearest first: those that name
// their mission, or those that do not.
func matchRows(
	open []*MissingCallback,
	rows map[rowAbout][]*api.WebhookDelivery,
	taken map[*api.WebhookDelivery]bool,
	named bool,
) {
	var pairs []rowPair
	for _, h := range open {
		if h.row != nil {
			continue
		}
		about := rowAbout{"", h.Event}
		if named {
			about.mission = h.Mission.UUID
		}
		for _, row := range rows[about] {
			if d, fits := h.rowDistance(row, named); fits {
				pairs = append(pairs, rowPair{h, row, d})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b rowPair) int { return cmp.Compare(a.distance, b.distance) })
	for _, p := range pairs {
		if p.h.row == nil && !taken[p.row] {
			p.h.row, taken[p.row] = p.row, true
		}
	}
}

// rowDistance returns how far a row's time is from the event's, and whether the row can
// be about it at all.
func (m *MissingCallback) rowDistance(row *api.WebhookDelivery, named bool) (d time.Duration, fits bool) {
	at := row.CreatedAt.Time
	switch {
	case row.OrderCode != "" && row.OrderCode != m.Mission.OrderCode, at.Before(m.From.Add(-early)):
		return 0, false
	case at.Before(m.From):
		return m.From.Sub(at), true
	case at.After(m.To):
		d = at.Sub(m.To)
	}
	return d, named || d <= lateRow
}

// wasReceived reports whether an event of these times, which the log does not show, was
// this one.
func (m *MissingCallback) wasReceived(times []time.Time) bool {
	return slices.ContainsFunc(times, func(at time.Time) bool {
		return !at.Before(m.From.Add(-early)) && !at.After(m.To.Add(lateRow))
	})
}

// DescribeGap describes a missing callback in a sentence.
func (m *MissingCallback) DescribeGap(now time.Time) string {
	text := fmt.Sprintf(
		"%s: %s %s (%s), no callback was delivered.",
		strings.TrimSpace(m.Mission.OrderCode+" "+m.Mission.MissionCode),
		strings.ToLower(format.Word(m.Event).Label),
		m.DescribeTime(now),
		m.Source,
	)
	if m.Probable {
		text += " Probable: log rows do not name missions."
	}
	return format.Clean(text)
}

// DescribeTime says when it happened, as far as that is known.
func (m *MissingCallback) DescribeTime(now time.Time) string {
	if m.From.Equal(m.To) {
		return "on " + format.Moment(m.To, now)
	}
	return "between " + format.Moment(m.From, now) + " and " + format.Moment(m.To, now)
}

// expectedEvents returns the events that a mission's state tells of, in the order of its
// life.
func expectedEvents(m *Mission) (all []MissingCallback) {
	flights, packages, operator := m.flightDates(), m.releases(), textOrEmpty(m.OperatorName)
	if m.Status.HasReached(api.MissionPilotAssigned) || operator != "" {
		h := m.eventByStatus(api.EventOperatorAssigned)
		if operator != "" {
			h.Source = "operator " + operator
		}
		if len(flights) > 0 { // the operator came before
			h.To = flights[0].To
		}
		all = append(all, h)
	}
	all = append(append(all, flights...), packages...)
	if m.Status == api.MissionCompleted {
		h := m.eventByStatus(api.EventMissionCompleted)
		if len(all) > 0 { // it came after all else
			h.From = all[len(all)-1].From
		}
		all = append(all, h)
	}
	return all
}

// eventByStatus returns an event that is known by the mission's status alone.
func (m *Mission) eventByStatus(event api.EventName) MissingCallback {
	source := "the mission is " + format.Status(m.Status).Label
	return MissingCallback{
		Mission: m,
		Event:   event,
		From:    m.CreatedAt.Time,
		To:      m.UpdatedAt.Time,
		Source:  source,
	}
}

// flightDates returns the dates that were set, oldest first.
func (m *Mission) flightDates() (all []MissingCallback) {
	if (m.Unread || m.PlanningErr != nil) && m.Status.HasReached(api.MissionFlightScheduled) {
		return []MissingCallback{m.eventByStatus(api.EventFlightScheduled)}
	}
	for _, p := range m.Planning {
		source := fmt.Sprintf("planning v%d", p.Version)
		if p.ScheduledBy != nil && *p.ScheduledBy != "" {
			source += ", " + *p.ScheduledBy
		}
		if p.SchedulingStatus == api.ScheduleConfirmed || p.SchedulingStatus == api.ScheduleRescheduled {
			all = append(all, MissingCallback{
				Mission: m,
				Event:   api.EventFlightScheduled,
				From:    p.CreatedAt.Time,
				To:      p.CreatedAt.Time,
				Source:  source,
			})
		}
	}
	return sortByTime(all)
}

// releases returns the releases of data, oldest first.
func (m *Mission) releases() (all []MissingCallback) {
	if (m.Unread || m.PackagesErr != nil) && m.Status.HasReached(api.MissionDataDelivered) {
		return []MissingCallback{m.eventByStatus(api.EventDataDelivered)}
	}
	for _, p := range m.Packages {
		all = append(all, MissingCallback{
			Mission: m, Event: api.EventDataDelivered, From: p.CreatedAt.Time, To: p.CreatedAt.Time,
			Source: fmt.Sprintf("delivery package v%d", p.Version),
		})
	}
	return sortByTime(all)
}

func sortByTime(all []MissingCallback) []MissingCallback {
	slices.SortStableFunc(all, func(a, b MissingCallback) int { return a.To.Compare(b.To) })
	return all
}
