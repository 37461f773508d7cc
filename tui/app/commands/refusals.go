package commands

import (
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
)

// RefuseQuote says why no quote can be issued for an order, "" where one can.
func RefuseQuote(o *api.OpsOrder) string {
	if o.Status != api.OrderBiddingWithQuote {
		return o.OrderCode + " is " + strings.ToLower(statusOf(o)) + "; no more quotes are possible"
	}
	return ""
}

// RefuseExpiry says why no quote of an order can be made to expire, "" where q
// can; nil is none.
func RefuseExpiry(o *api.OpsOrder, q *api.OpsQuote, now time.Time) string {
	if q == nil || !q.IsDecidable(now) {
		return o.OrderCode + " has no open quote"
	}
	return ""
}

// RefuseEnd says why the service cannot end an order, "" where it can.
func RefuseEnd(o *api.OpsOrder) string {
	if _, ok := api.EndingMove(o.Status); !ok {
		return o.OrderCode + " is already " + strings.ToLower(statusOf(o))
	}
	return ""
}

// DescribeEnd returns what the move is called by which the service ends an order, ""
// where there is none.
func DescribeEnd(o *api.OpsOrder) string {
	move, _ := api.EndingMove(o.Status)
	return map[api.OrderMove]string{api.MoveReject: "reject", api.MoveNotFeasible: "report not feasible"}[move]
}

// RefuseMissionMove says why a mission of an order does not accept a move, ""
// where it does; m is nil where none is chosen.
func RefuseMissionMove(o *api.OpsOrder, m *api.OpsMission, move api.MissionMove) string {
	switch {
	case o.Status == api.OrderBiddingWithQuote:
		return o.OrderCode + " is waiting for the client to accept a quote"
	case m == nil:
		return noMission
	case !move.IsAllowed(m.Status):
		return m.MissionCode + " is " + strings.ToLower(
			layout.Clean(labels.MissionStatus(m.Status).Label),
		) + "; " + needs[move]
	}
	return ""
}

// RefusePermission says why no flight permission of a mission can be recorded,
// "" where one can.
func RefusePermission(o *api.OpsOrder, m *api.OpsMission) string {
	switch {
	case m == nil && o.Status == api.OrderBiddingWithQuote:
		return o.OrderCode + " is waiting for the client to accept a quote"
	case m == nil:
		return noMission
	case o.Status == api.OrderArchived || o.Status == api.OrderDeleted:
		return o.OrderCode + " is " + strings.ToLower(statusOf(o))
	}
	return ""
}

const noMission = "no mission selected"

var needs = map[api.MissionMove]string{
	api.MoveAssignOperator: "operators are assigned before the flight is scheduled",
	api.MoveSchedule:       "a flight needs an operator, and no data delivered yet",
	api.MoveDeliver:        "schedule a flight first",
	api.MoveAcceptDelivery: "no delivered data to accept",
}

func statusOf(o *api.OpsOrder) string { return layout.Clean(labels.OrderStatus(o.Status).Label) }
