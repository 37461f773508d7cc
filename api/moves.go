package api

import (
	"slices"
	"strings"
)

// OrderMove is a change of an order's status, such as cancelling it.
type OrderMove string

// The moves of orders. Clients can cancel, archive and reject; Operations can reject, report
// as not feasible and delete.
const (
	MoveCancel      OrderMove = "cancel"
	MoveArchive     OrderMove = "archive"
	MoveReject      OrderMove = "reject" // by the client or by Operations
	MoveNotFeasible OrderMove = "not-feasible"
	MoveDelete      OrderMove = "delete"
)

// AllowedFrom lists the statuses in which an order allows the move. [MoveCancel] also
// requires that no mission has delivered data ([MissionStatus.IsDelivered]).
func (m OrderMove) AllowedFrom() []OrderStatus {
	switch m {
	case MoveCancel:
		return LiveOrderStatuses()
	case MoveArchive:
		return []OrderStatus{
			OrderCompleted,
			OrderCancelled,
			OrderRejected,
			OrderNotFeasible,
			OrderBiddingWithQuote,
		}
	case MoveReject:
		return []OrderStatus{OrderBiddingWithQuote}
	case MoveNotFeasible:
		return []OrderStatus{OrderPendingOperator, OrderOperatorAssigned, OrderFlyingDateSet}
	case MoveDelete:
		return OrderStatuses()
	default:
		return nil
	}
}

// IsAllowed reports whether an order with the status is expected to allow the move. The
// specification does not show the transitions, so the service can decide otherwise.
func (m OrderMove) IsAllowed(s OrderStatus) bool { return slices.Contains(m.AllowedFrom(), s) }

// ResultingStatus returns the status of an order after the move.
func (m OrderMove) ResultingStatus() OrderStatus {
	switch m {
	case MoveCancel:
		return OrderCancelled
	case MoveArchive:
		return OrderArchived
	case MoveReject:
		return OrderRejected
	case MoveNotFeasible:
		return OrderNotFeasible
	case MoveDelete:
		return OrderDeleted
	default:
		return ""
	}
}

// IsShownBy reports whether s, the status of an order after the move, shows that the move was made. It returns true
// for the resulting status of the move, and for a status that this package does not know.
func (m OrderMove) IsShownBy(s OrderStatus) bool {
	return s == m.ResultingStatus() || (s != "" && !s.IsKnown())
}

// Means reports whether a status means the same as the expected status. This is the case if they
// are equal. Some services also spell a status in another way: "canceled" and "orderCancelled" mean
// "cancelled".
func (s OrderStatus) Means(expected OrderStatus) bool {
	if s == expected {
		return true
	}
	stem := map[OrderStatus]string{
		OrderCancelled: "cancel",
		OrderArchived:  "archiv",
		OrderRejected:  "reject",
	}[expected]
	return stem != "" && !s.IsKnown() && strings.Contains(strings.ToLower(string(s)), stem)
}

// PastTense returns the move in the past tense, such as "cancelled".
func (m OrderMove) PastTense() string {
	if m == MoveNotFeasible {
		return "reported as not feasible"
	}
	return string(m.ResultingStatus())
}

// NeedsReason reports whether the move needs a reason.
func (m OrderMove) NeedsReason() bool { return m != MoveCancel && m != MoveDelete }

// EndingMove returns the move with which the operations team ends an order with the status: [MoveReject] until a
// quote is accepted, and then [MoveNotFeasible]. It returns false if the status allows neither move.
func EndingMove(s OrderStatus) (OrderMove, bool) {
	for _, m := range []OrderMove{MoveReject, MoveNotFeasible} {
		if m.IsAllowed(s) {
			return m, true
		}
	}
	return "", false
}

// LiveOrderStatuses lists the statuses of orders that are in progress.
func LiveOrderStatuses() []OrderStatus {
	return []OrderStatus{OrderBiddingWithQuote, OrderPendingOperator, OrderOperatorAssigned, OrderFlyingDateSet}
}

// IsKnown reports whether the status is one of [OrderStatuses].
func (s OrderStatus) IsKnown() bool { return slices.Contains(OrderStatuses(), s) }

// IsLive reports whether an order with the status is in progress. An unknown status counts
// as live.
func (s OrderStatus) IsLive() bool { return !s.IsKnown() || slices.Contains(LiveOrderStatuses(), s) }

// IsAbandoned reports whether an order with the status has ended and will never be delivered.
func (s OrderStatus) IsAbandoned() bool {
	return slices.Contains([]OrderStatus{OrderNotFeasible, OrderCancelled, OrderRejected, OrderDeleted}, s)
}

// HasAcceptedQuote reports whether an order with the status is being carried out or is
// completed. Only then do its missions change their status.
func (s OrderStatus) HasAcceptedQuote() bool {
	return slices.Contains(MoveNotFeasible.AllowedFrom(), s) || s == OrderCompleted
}

// MissionMove is a change of a mission's status by Operations.
type MissionMove string

// The moves of missions, in chronological order.
const (
	MoveAssignOperator MissionMove = "assign-operator"
	MoveSchedule       MissionMove = "schedule"
	MoveDeliver        MissionMove = "deliver"
	MoveAcceptDelivery MissionMove = "accept-delivery"
)

// AllowedFrom lists the statuses in which a mission allows the move. The order of the mission
// must also have an accepted quote ([OrderStatus.HasAcceptedQuote]).
func (m MissionMove) AllowedFrom() []MissionStatus {
	switch m {
	case MoveAssignOperator:
		return []MissionStatus{MissionAwaitingPilot, MissionPilotAssigned}
	case MoveSchedule:
		return []MissionStatus{MissionPilotAssigned, MissionFlightScheduled}
	case MoveDeliver:
		return []MissionStatus{MissionFlightScheduled, MissionDataDelivered}
	case MoveAcceptDelivery:
		return []MissionStatus{MissionDataDelivered}
	default:
		return nil
	}
}

// IsAllowed reports whether a mission with the status allows the move.
func (m MissionMove) IsAllowed(s MissionStatus) bool { return slices.Contains(m.AllowedFrom(), s) }

// MissionStatus returns the mission status that the event reports, or "" for an unknown
// event.
func (e EventName) MissionStatus() MissionStatus {
	switch e {
	case EventOperatorAssigned:
		return MissionPilotAssigned
	case EventFlightScheduled:
		return MissionFlightScheduled
	case EventDataDelivered:
		return MissionDataDelivered
	case EventMissionCompleted:
		return MissionCompleted
	}
	return ""
}

// Rank returns the position of the status in a mission's progress, from 0. It is -1 for a
// cancelled mission and for an unknown status.
func (s MissionStatus) Rank() int {
	if s == MissionCancelled {
		return -1
	}
	return slices.Index(MissionStatuses(), s)
}

// HasReached reports whether a mission with status s has the status target or a later status. It is
// false for a cancelled mission and for an unknown status.
func (s MissionStatus) HasReached(target MissionStatus) bool {
	return s.Rank() >= 0 && s.Rank() >= target.Rank()
}

// IsDelivered reports whether a mission with the status has delivered data.
func (s MissionStatus) IsDelivered() bool { return s.HasReached(MissionDataDelivered) }
