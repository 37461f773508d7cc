package action

// ChangeKind is what of the service an action changes, or composes a change of.
type ChangeKind string

// The changes. A read-only profile has none of them, on whatever page; a key
// that lacks a scope takes away those of orders or of endpoints.
const (
	ChangesNothing    ChangeKind = ""
	ChangesOrders     ChangeKind = "orders" // and quotes
	ChangesEndpoints  ChangeKind = "endpoints"
	ChangesOperations ChangeKind = "operations" // by the operations API
)

var changes = map[ID]ChangeKind{
	NewOrder: ChangesOrders, OrderAgain: ChangesOrders, Place: ChangesOrders,
	CancelOrder: ChangesOrders, ArchiveOrder: ChangesOrders, RejectOrder: ChangesOrders,
	AcceptQuote: ChangesOrders, RejectQuote: ChangesOrders,

	IssueQuote: ChangesOperations, AssignOperator: ChangesOperations, ScheduleFlight: ChangesOperations,
	RecordPermit: ChangesOperations, Deliver: ChangesOperations, AcceptDelivery: ChangesOperations,
	ExpireQuote: ChangesOperations, EndOrder: ChangesOperations, EditRecord: ChangesOperations, SetNotices: ChangesOperations,
	TakeSnapshot: ChangesOperations, RestoreSnapshot: ChangesOperations, NewAccount: ChangesOperations,
	ChangeAccount: ChangesOperations, ApproveRequest: ChangesOperations, DeclineRequest: ChangesOperations,
	PlayRequest: ChangesOperations, AdvanceClock: ChangesOperations, SetFault: ChangesOperations,
	EndFaults: ChangesOperations, Reset: ChangesOperations, IssueKey: ChangesOperations, RevokeKey: ChangesOperations,
	TestEndpoint: ChangesOperations, ResendCallback: ChangesOperations, ResendNotice: ChangesOperations, SimPause: ChangesOperations,
	SimSlower: ChangesOperations, SimFaster: ChangesOperations, SimStep: ChangesOperations,

	Register: ChangesEndpoints, DeleteEndpoint: ChangesEndpoints,
	ListenFeed: ChangesEndpoints, // it registers one
}

// ChangeKind returns what the action changes at the service.
func (a Action) ChangeKind() ChangeKind { return changes[a.ID] }

// IsHarmful reports whether the action ends, deletes or sends something, so that it
// is not to be found before others.
func (a Action) IsHarmful() bool {
	switch a.ID {
	case NewOrder, OrderAgain:
		return false // they open a draft
	case Clear, DeleteDraft, StopFetch:
		return true
	default:
		return a.ChangeKind() != ChangesNothing
	}
}
