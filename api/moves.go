package api

// OrderMove is what a client can do to a placed order.
type OrderMove string

// The moves.
const (
	MoveCancel  OrderMove = "cancel"
	MoveArchive OrderMove = "archive"
	MoveReject  OrderMove = "reject"
)

// From lists the statuses in which an order takes the move. Cancelling also
// takes that no mission's data is delivered.
func (m OrderMove) From() []OrderStatus {
	switch m {
	case MoveCancel:
		return []OrderStatus{OrderBiddingWithQuote, OrderPendingOperator, OrderOperatorAssigned, OrderFlyingDateSet}
	case MoveArchive:
		return []OrderStatus{OrderCompleted, OrderCancelled, OrderRejected, OrderNotFeasible, OrderBiddingWithQuote}
	case MoveReject:
		return []OrderStatus{OrderBiddingWithQuote}
	default:
		return nil
	}
}

// To is the status of an order that was moved.
func (m OrderMove) To() OrderStatus {
	switch m {
	case MoveCancel:
		return OrderCancelled
	case MoveArchive:
		return OrderArchived
	case MoveReject:
		return OrderRejected
	default:
		return ""
	}
}

// Done is the move as something that was done: cancelled.
func (m OrderMove) Done() string { return string(m.To()) }

// Reasoned tells whether the move takes a reason.
func (m OrderMove) Reasoned() bool { return m == MoveArchive || m == MoveReject }
