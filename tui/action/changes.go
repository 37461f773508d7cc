package action

import "slices"

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

var changes = map[ChangeKind][]ID{
	ChangesOrders: {
		NewOrder, OrderAgain, Place, CancelOrder, ArchiveOrder, RejectOrder, AcceptQuote, RejectQuote,
	},
	ChangesOperations: {
		IssueQuote, AssignOperator, ScheduleFlight, RecordPermit, Deliver, AcceptDelivery, ExpireQuote, EndOrder,
		EditRecord, SetNotices, NewAccount, ChangeAccount, ApproveRequest,
		DeclineRequest, PlayRequest, AdvanceClock, SetFault, EndFaults, Reset, IssueKey, RevokeKey, TestEndpoint,
		ResendCallback, ResendNotice, SimPause, SimSlower, SimFaster, SimStep,
	},
	ChangesEndpoints: { // listening registers one
		Register, DeleteEndpoint, ListenFeed,
	},
}

// ChangeKind returns what the action changes at the service.
func (a Action) ChangeKind() ChangeKind {
	for kind, ids := range changes {
		if slices.Contains(ids, a.ID) {
			return kind
		}
	}
	return ChangesNothing
}

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
