package commands

import (
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// RefuseQuote returns why no quote can be issued for an order, or "" if it is possible.
func RefuseQuote(o *ops.Order, _ *ops.Mission) string {
	const noQuotes = "; no more quotes are possible"
	if o.Status == api.OrderBiddingWithQuote {
		return ""
	}
	if o.Status.IsLive() {
		return withStatus(o.OrderCode, o.Status) + noQuotes
	}
	return o.OrderCode + " is " + InText(o.Status) + noQuotes
}

// RefuseExpiry returns why the quote q of an order cannot be made to expire, or "" if it is possible.
// q is nil if the order has no open quote.
func RefuseExpiry(o *ops.Order, q *ops.Quote, now time.Time) string {
	if q != nil && q.IsDecidable(now) {
		return ""
	}
	if q != nil {
		return "the selected quote is not open"
	}
	if RefuseQuote(o, nil) == "" {
		return o.OrderCode + " has no open quote; issue one first"
	}
	return o.OrderCode + " has no open quote"
}

// missionState returns why a move of a mission is not possible: the status of the mission and, unless
// the mission has ended, what the move requires.
func missionState(m *ops.Mission, move api.MissionMove) string {
	if m.Status == api.MissionCancelled || m.Status == api.MissionCompleted {
		return m.MissionCode + " is " + InText(m.Status)
	}
	return withStatus(m.MissionCode, m.Status) + "; " + needs[move]
}

// withStatus returns the code of an order or a mission in progress with the label of its status, as the screen shows
// it. The labels of these statuses are not words that follow "is", such as Awaiting operator and Flight scheduled.
func withStatus[T ~string](code string, status T) string {
	return code + " has the status " + format.Clean(format.Status(status).Label)
}

// RefuseEnd returns why the service cannot end an order, or "" if it is possible.
func RefuseEnd(o *ops.Order, _ *ops.Mission) string {
	if _, ok := api.EndingMove(o.Status); !ok {
		return o.OrderCode + " is already " + InText(o.Status)
	}
	return ""
}

// RefuseMissionMove returns a function for a move of a mission. The function returns why the move is
// not possible, or "" if it is possible. m is nil if no mission is selected.
func RefuseMissionMove(move api.MissionMove) func(o *ops.Order, m *ops.Mission) string {
	return func(o *ops.Order, m *ops.Mission) string {
		reason := refuseWithoutMission(o, m)
		if reason != "" {
			return reason
		}
		if move.IsAllowed(m.Status) {
			return ""
		}
		return missionState(m, move)
	}
}

// RefusePermission returns why no flight permission can be recorded for a mission, or "" if it is possible.
func RefusePermission(o *ops.Order, m *ops.Mission) string {
	reason := refuseWithoutMission(o, m)
	if reason != "" {
		return reason
	}
	if o.Status == api.OrderArchived || o.Status == api.OrderDeleted {
		return o.OrderCode + " is " + InText(o.Status)
	}
	return ""
}

func refuseWithoutMission(o *ops.Order, m *ops.Mission) string {
	if o.Status == api.OrderBiddingWithQuote {
		return o.OrderCode + " has no accepted quote yet; its client accepts one first"
	}
	if m == nil {
		return "no mission selected; select one"
	}
	return ""
}

var needs = map[api.MissionMove]string{
	api.MoveAssignOperator: "operators are assigned before the flight is scheduled",
	api.MoveSchedule:       "a flight needs an operator, and no data delivered yet",
	api.MoveDeliver:        "schedule a flight first",
	api.MoveAcceptDelivery: "no delivered data to accept",
}
