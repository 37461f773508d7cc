package action

// changes are the actions that change something at the service, or ask for it
// to be changed. A read-only profile has none of them, on whatever page.
var changes = map[ID]bool{
	Place: true, CancelOrder: true, ArchiveOrder: true, RejectOrder: true, AcceptQuote: true, RejectQuote: true,

	IssueQuote: true, AssignOperator: true, ScheduleFlight: true, RecordPermit: true, Deliver: true, AcceptDelivery: true,
	ExpireQuote: true, EndOrder: true, NewAccount: true, ChangeAccount: true, ApproveRequest: true, DeclineRequest: true,
	PlayRequest: true, AdvanceClock: true, SetFault: true, EndFaults: true, Reset: true, IssueKey: true, RevokeKey: true,
	TestEndpoint: true, ResendCallback: true, SimPause: true, SimSlower: true, SimFaster: true, SimStep: true,

	// The endpoints of an account; listening registers one.
	Register: true, DeleteEndpoint: true, ListenFeed: true,
}

// Changes tells whether the action changes something at the service.
func (a Action) Changes() bool { return changes[a.ID] }
