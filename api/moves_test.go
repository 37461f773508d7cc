package api

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestEachOrderStatusAllowsItsMoves(t *testing.T) {
	all := []OrderMove{MoveCancel, MoveArchive, MoveReject, MoveNotFeasible}
	for status, want := range map[OrderStatus][]OrderMove{
		OrderBiddingWithQuote: {MoveCancel, MoveArchive, MoveReject},
		OrderPendingOperator:  {MoveCancel, MoveNotFeasible},
		OrderOperatorAssigned: {MoveCancel, MoveNotFeasible},
		OrderFlyingDateSet:    {MoveCancel, MoveNotFeasible},
		OrderCompleted:        {MoveArchive},
		OrderNotFeasible:      {MoveArchive},
		OrderCancelled:        {MoveArchive},
		OrderRejected:         {MoveArchive},
		OrderArchived:         nil,
		OrderDeleted:          nil,
		"inReview":            nil,
	} {
		got := slices.DeleteFunc(slices.Clone(all), func(m OrderMove) bool { return !m.IsAllowed(status) })
		if !slices.Equal(got, want) {
			t.Errorf("%s allows %v, want %v", status, got, want)
		}
		if status.IsKnown() != MoveDelete.IsAllowed(status) {
			t.Errorf("%s: delete allowed is %t", status, MoveDelete.IsAllowed(status))
		}
	}
}

func TestAMoveKnowsItsResultAndItsReason(t *testing.T) {
	for _, c := range []struct {
		move   OrderMove
		to     OrderStatus
		done   string
		reason bool
	}{
		{MoveCancel, OrderCancelled, "cancelled", false},
		{MoveArchive, OrderArchived, "archived", true},
		{MoveReject, OrderRejected, "rejected", true},
		{MoveNotFeasible, OrderNotFeasible, "reported as not feasible", true},
		{MoveDelete, OrderDeleted, "deleted", false},
	} {
		if c.move.ResultingStatus() != c.to || c.move.PastTense() != c.done || c.move.NeedsReason() != c.reason {
			t.Errorf("%s: %s, %s, needs a reason %t", c.move, c.move.ResultingStatus(), c.move.PastTense(), c.move.NeedsReason())
		}
	}
}

func TestOperationsEndsAnOrderAsItsStatusAllows(t *testing.T) {
	for _, status := range append(OrderStatuses(), "inReview") {
		want := OrderMove("")
		switch status {
		case OrderBiddingWithQuote:
			want = MoveReject
		case OrderPendingOperator, OrderOperatorAssigned, OrderFlyingDateSet:
			want = MoveNotFeasible
		}
		if got, ok := EndingMove(status); got != want || ok != (want != "") {
			t.Errorf("%s is ended by %q, want %q", status, got, want)
		}
	}
}

func TestAnOrderStatusIsLiveAbandonedOrCarriedOut(t *testing.T) {
	type kind struct{ live, abandoned, accepted bool }
	for status, want := range map[OrderStatus]kind{
		OrderBiddingWithQuote: {live: true},
		OrderPendingOperator:  {live: true, accepted: true},
		OrderOperatorAssigned: {live: true, accepted: true},
		OrderFlyingDateSet:    {live: true, accepted: true},
		OrderCompleted:        {accepted: true},
		OrderNotFeasible:      {abandoned: true},
		OrderCancelled:        {abandoned: true},
		OrderRejected:         {abandoned: true},
		OrderArchived:         {},
		OrderDeleted:          {abandoned: true},
		"inReview":            {live: true},
	} {
		if got := (kind{status.IsLive(), status.IsAbandoned(), status.HasAcceptedQuote()}); got != want {
			t.Errorf("%s is %+v, want %+v", status, got, want)
		}
	}
}

func TestEachMissionStatusAllowsItsMoves(t *testing.T) {
	moves := []MissionMove{MoveAssignOperator, MoveSchedule, MoveDeliver, MoveAcceptDelivery}
	for status, want := range map[MissionStatus][]MissionMove{
		MissionAwaitingPilot:   {MoveAssignOperator},
		MissionPilotAssigned:   {MoveAssignOperator, MoveSchedule},
		MissionFlightScheduled: {MoveSchedule, MoveDeliver},
		MissionDataDelivered:   {MoveDeliver, MoveAcceptDelivery},
		MissionCompleted:       nil,
		MissionCancelled:       nil,
		"onHold":               nil,
	} {
		got := slices.DeleteFunc(slices.Clone(moves), func(m MissionMove) bool { return !m.IsAllowed(status) })
		if !slices.Equal(got, want) {
			t.Errorf("%s allows %v, want %v", status, got, want)
		}
	}
}

func TestAnEventLeadsToTheStatusOfItsMission(t *testing.T) {
	for _, c := range []struct {
		event  EventName
		status MissionStatus
	}{
		{EventOperatorAssigned, MissionPilotAssigned},
		{EventFlightScheduled, MissionFlightScheduled},
		{EventDataDelivered, MissionDataDelivered},
		{EventMissionCompleted, MissionCompleted},
		{"", ""},
		{EventOrderCompleted, ""},
	} {
		if got := c.event.MissionStatus(); got != c.status {
			t.Errorf("%s leads to %q, want %q", c.event, got, c.status)
		}
	}
}

func TestMissionStatusesAreRanked(t *testing.T) {
	statuses := MissionStatuses()
	for i, s := range statuses[:len(statuses)-1] {
		if s.Rank() != i || !s.HasReached(MissionAwaitingPilot) || s.HasReached(statuses[i+1]) && s != MissionCompleted {
			t.Errorf("%s has rank %d", s, s.Rank())
		}
	}
	for _, s := range []MissionStatus{MissionCancelled, "onHold", ""} {
		if s.Rank() != -1 || s.HasReached(MissionAwaitingPilot) || s.IsDelivered() {
			t.Errorf("%q has rank %d", s, s.Rank())
		}
	}
	if MissionFlightScheduled.IsDelivered() || !MissionDataDelivered.IsDelivered() || !MissionCompleted.IsDelivered() {
		t.Error("a mission is delivered from dataDelivered on")
	}
}

func TestAQuoteExpires(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		expiry  Time
		expired bool
	}{
		{"in a moment", TimeOf(now.Add(1)), false},
		{"now", TimeOf(now), true},
		{"a year ago", TimeOf(now.AddDate(-1, 0, 0)), true},
		{"not sent", Time{}, false},
		{"not read", Time{Raw: "next week"}, false},
		{"so early that nobody means it", TimeOf(time.Unix(math.MinInt32, 0)), true},
	} {
		if q := (Quote{ExpiryDate: c.expiry}); q.IsExpired(now) != c.expired {
			t.Errorf("%s: expired %t", c.name, !c.expired)
		}
	}
}
