package commands

import (
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// RefuseQuote returns why no quote can be issued for an order, or "" if one can.
func RefuseQuote(o *ops.Order, _ *ops.Mission) string {
	if o.Status != api.OrderBiddingWithQuote {
		return o.OrderCode + " is " + InText(o.Status) + "; no more quotes are possible"
	}
	return ""
}

// RefuseExpiry says why no quote of an order can be made to expire, "" where q
// can; nil is none.
func RefuseExpiry(o *ops.Order, q *ops.Quote, now time.Time) string {
	if q == nil || !q.IsDecidable(now) {
		return o.OrderCode + " has no open quote; issue one first"
	}
	return ""
}

// RefuseEnd says why the service cannot end an order, "" where it can.
func RefuseEnd(o *ops.Order, _ *ops.Mission) string {
	if _, ok := api.EndingMove(o.Status); !ok {
		return o.OrderCode + " is already " + InText(o.Status)
	}
	return ""
}

// RefuseMissionMove returns the function that says why a mission of an order does not
// accept a move, "" where it does; m is nil where none is chosen.
func RefuseMissionMove(move api.MissionMove) func(o *ops.Order, m *ops.Mission) string {
	return func(o *ops.Order, m *ops.Mission) string {
		if why := refuseWithoutMission(o, m); why != "" || move.IsAllowed(m.Status) {
			return why
		}
		return m.MissionCode + " is " + InText(m.Status) + "; " + needs[move]
	}
}

// RefusePermission says why no flight permission of a mission can be recorded,
// "" where one can.
func RefusePermission(o *ops.Order, m *ops.Mission) string {
	why := refuseWithoutMission(o, m)
	if why == "" && (o.Status == api.OrderArchived || o.Status == api.OrderDeleted) {
		why = o.OrderCode + " is " + InText(o.Status)
	}
	return why
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
