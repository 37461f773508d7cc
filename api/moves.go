package api

import (
	"slices"
	"strings"
)

// OrderMove ends a placed order or puts it away.
type OrderMove string

// The moves of orders. A client can make the first three, Operations
// the last three.
const (
	MoveCancel      OrderMove = "cancel"
	MoveArchive     OrderMove = "archive"
	MoveReject      OrderMove = "reject" // by the client or by Operations
	MoveNotFeasible OrderMove = "not-feasible"
	MoveDelete      OrderMove = "delete"
)

// AllowedFrom lists the statuses in which an order allows the move. [MoveCancel] also
// needs that no mission's data is delivered ([MissionStatus.IsDelivered]).
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

// IsAllowed reports whether an order of the status allows the move as far as is known here.
// The specification does not show the transitions: only the service can tell.
func (m OrderMove) IsAllowed(s OrderStatus) bool { return slices.Contains(m.AllowedFrom(), s) }

// ResultingStatus returns the status of an order that was moved.
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

// IsShownBy reports whether an order with which the service answered the move shows that it
// was made: by the status that we expect, or by one that is not known here.
func (m OrderMove) IsShownBy(s OrderStatus) bool {
	return s == m.ResultingStatus() || s != "" && !s.IsKnown()
}

// Means reports whether a status says what an expected one does: the same word, or an
// unknown one with its stem, as "canceled" and "orderCancelled" have that of "cancelled".
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

// PastTense returns the move in the past tense: "cancelled".
func (m OrderMove) PastTense() string {
	if m == MoveNotFeasible {
		return "reported as not feasible"
	}
	return string(m.ResultingStatus())
}

// NeedsReason reports whether the move needs a reason.
func (m OrderMove) NeedsReason() bool { return m != MoveCancel && m != MoveDelete }

// EndingMove returns the move by which Operations ends an order of the
// status: it rejects one without an accepted quote and reports any later one as
// not feasible. It is false where neither is allowed.
func EndingMove(s OrderStatus) (OrderMove, bool) {
	for _, m := range []OrderMove{MoveReject, MoveNotFeasible} {
		if m.IsAllowed(s) {
			return m, true
		}
	}
	return "", false
}

// LiveOrderStatuses lists the statuses of orders under way.
func LiveOrderStatuses() []OrderStatus {
	return []OrderStatus{OrderBiddingWithQuote, OrderPendingOperator, OrderOperatorAssigned, OrderFlyingDateSet}
}

// IsKnown reports whether the status is one of [OrderStatuses].
func (s OrderStatus) IsKnown() bool { return slices.Contains(OrderStatuses(), s) }

// IsLive reports whether an order of the status is under way. One whose status
// is not known counts as live, since more may come of it.
func (s OrderStatus) IsLive() bool { return !s.IsKnown() || slices.Contains(LiveOrderStatuses(), s) }

// IsAbandoned reports whether an order of the status came to nothing.
func (s OrderStatus) IsAbandoned() bool {
	return slices.Contains([]OrderStatus{OrderNotFeasible, OrderCancelled, OrderRejected, OrderDeleted}, s)
}

// HasAcceptedQuote reports whether an order of the status is being carried out
// or is completed; only then its missions move.
func (s OrderStatus) HasAcceptedQuote() bool {
	return slices.Contains(MoveNotFeasible.AllowedFrom(), s) || s == OrderCompleted
}

// MissionMove is a step that Operations takes with a mission.
type MissionMove string

// The moves of missions, in the order of a mission's life.
const (
	MoveAssignOperator MissionMove = "assign-operator"
	MoveSchedule       MissionMove = "schedule"
	MoveDeliver        MissionMove = "deliver"
	MoveAcceptDelivery MissionMove = "accept-delivery"
)

// AllowedFrom lists the statuses in which a mission allows the move. Its order also
// needs an accepted quote ([OrderStatus.HasAcceptedQuote]).
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

// IsAllowed reports whether a mission of the status allows the move.
func (m MissionMove) IsAllowed(s MissionStatus) bool { return slices.Contains(m.AllowedFrom(), s) }

// MissionStatus returns a mission's status after the move that the event reports, ""
// for an event that reports none.
func (e EventName) MissionStatus() MissionStatus {
	if i := slices.Index(EventNames(), e); i >= 0 {
		return MissionStatuses()[i+1] // the first one needs no move
	}
	return ""
}

// Rank returns how far a mission of the status is, from 0; -1 for a cancelled one
// and for a status that is not known.
func (s MissionStatus) Rank() int {
	if s == MissionCancelled {
		return -1
	}
	return slices.Index(MissionStatuses(), s)
}

// HasReached reports whether a mission of the status is as far as the other
// one. Of a cancelled mission and of a status that is not known that cannot be
// said.
func (s MissionStatus) HasReached(other MissionStatus) bool {
	return s.Rank() >= 0 && s.Rank() >= other.Rank()
}

// IsDelivered reports whether data of a mission of the status is delivered.
func (s MissionStatus) IsDelivered() bool { return s.HasReached(MissionDataDelivered) }
