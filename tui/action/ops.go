package action

// The scopes of Operations.
const (
	Ops          Scope = "ops"           // any page of Operations
	OpsTask      Scope = "ops-task"      // an order or a mission there
	OpsQueue     Scope = "ops-queue"     // what waits for Operations
	OpsAccounts  Scope = "ops-accounts"  // the accounts
	OpsRequests  Scope = "ops-requests"  // requests for keys
	TestControls Scope = "test-controls" // clock, faults and reset
	OpsKeys      Scope = "ops-keys"      // the keys of an account
	OpsOrders    Scope = "ops-orders"    // orders of one account, or of all
	OpsEndpoints Scope = "ops-endpoints" // the endpoints of an account
	OpsOrder     Scope = "ops-order"     // one order
	ClientView   Scope = "client-view"   // desk and client side by side
)

// The actions of Operations.
const (
	SimPause  ID = "simulator-pause"
	SimSlower ID = "simulator-slower"
	SimFaster ID = "simulator-faster"
	SimStep   ID = "simulator-step"

	IssueQuote     ID = "issue-quote"
	AssignOperator ID = "assign-operator"
	ScheduleFlight ID = "schedule-flight"
	RecordPermit   ID = "record-permit"
	Deliver        ID = "deliver"
	AcceptDelivery ID = "accept-delivery"
	EndOrder       ID = "end-order"
	ExpireQuote    ID = "expire-quote"
	EditRecord     ID = "set-details"
	SetNotices     ID = "set-notifications"
	ShowClientView ID = "client-view"
	SwitchSide     ID = "switch-side"

	NewAccount     ID = "new-account"
	ChangeAccount  ID = "change-account"
	IssueKey       ID = "issue-key"
	RevokeKey      ID = "revoke-key"
	PlayRequest    ID = "play-request"
	ApproveRequest ID = "approve-request"
	DeclineRequest ID = "decline-request"
	ResendCallback ID = "resend-callback"
	ResendNotice   ID = "resend-notice"
	TestEndpoint   ID = "test-endpoint"

	AdvanceClock ID = "advance-clock"
	SetFault     ID = "set-fault"
	EndFaults    ID = "end-faults"
	Reset        ID = "reset"
	InspectAny   ID = "inspect-any"

	TakeSnapshot    ID = "take-snapshot"
	RestoreSnapshot ID = "restore-snapshot"
)

// operations are the actions of Operations.
var desk = []Action{
	{Open, OpsQueue, []string{"enter"}, "open", "Open the order in Operations", 1},
	{ShowClientView, OpsQueue, []string{"v"}, "client view", "Show Operations beside the client view", 9},

	{IssueQuote, OpsTask, []string{"i"}, "quote…", "Issue a quote; the usual price is filled in", 2},
	{AssignOperator, OpsTask, []string{"a"}, "assign…", "Assign an operator", 2},
	{ScheduleFlight, OpsTask, []string{"s"}, "schedule…", "Schedule the flight, or reschedule it with a reason", 3},
	{RecordPermit, OpsTask, []string{"t"}, "permit…", "Record the flight permission and its permit", 4},
	{Deliver, OpsTask, []string{"d"}, "deliver…", "Deliver files, or generate samples", 5},
	{AcceptDelivery, OpsTask, []string{"A"}, "accept…", "Accept the delivery; completes the mission", 6},
	{ExpireQuote, OpsTask, []string{"e"}, "expire…", "Advance the clock past the quote's expiry", 7},
	{EndOrder, OpsTask, []string{"X"}, "end order…", "Reject the order or report it not feasible", 8},

	{SwitchSide, ClientView, []string{"ctrl+w"}, "switch side", "Switch between Operations and client", 9},
	{Open, ClientView, []string{"enter"}, "open", "Open the order on this side", 1},
	{ShowQuotes, ClientView, []string{"c"}, "quotes", "Compare the order's quotes", 2},

	{Open, OpsAccounts, []string{"enter"}, "open", "Open the account: keys, orders, endpoints", 1},
	{NewAccount, OpsAccounts, []string{"n"}, "new account…", "Create an account", 2},
	{ChangeAccount, OpsAccounts, []string{"c"}, "edit…", "Edit contact and currency", 3},

	{Open, OpsRequests, []string{"enter"}, "details", "Show all details", 4},
	{ApproveRequest, OpsRequests, []string{"A"}, "approve…", "Issue the requested key; shown once", 1},
	{DeclineRequest, OpsRequests, []string{"X"}, "decline…", "Decline, with a reason", 2},
	{PlayRequest, OpsRequests, []string{"n"}, "simulate…", "Request a key as a client would", 3},

	{AdvanceClock, TestControls, []string{"c"}, "clock…", "Advance the clock", 1},
	{ExpireQuote, TestControls, []string{"e"}, "expire next…", "Advance the clock past the next expiry", 2},
	{SetFault, TestControls, []string{"f"}, "faults…", "Make client requests fail or slow down", 3},
	{EndFaults, TestControls, []string{"F"}, "clear faults", "Clear all faults", 4},
	{Reset, TestControls, []string{"delete"}, "reset…", "Restore the initial orders", 5},
	{TakeSnapshot, TestControls, []string{"k"}, "snapshot…", "Save a snapshot of everything", 5},
	{RestoreSnapshot, TestControls, []string{"b"}, "restore…", "Restore a snapshot", 5},

	{IssueKey, OpsKeys, []string{"n"}, "new key…", "Issue a key; shown once", 1},
	{RevokeKey, OpsKeys, []string{"delete"}, "revoke…", "Revoke the key", 2},

	{Open, OpsOrders, []string{"enter"}, "open", "Open the order in Operations", 1},

	{Open, OpsEndpoints, []string{"enter"}, "log", "Show the endpoint's callback log", 1},
	{TestEndpoint, OpsEndpoints, []string{"t"}, "test…", "Send a test event to the endpoint", 2},

	{Open, OpsOrder, []string{"enter"}, "details", "Show all details", 1},
	{EditRecord, OpsOrder, []string{"c"}, "edit…", "Edit contact, flight height and other details", 9},
	{SetNotices, OpsOrder, []string{"n"}, "notices…", "Set where completion notices are sent", 9},
	{ResendNotice, OpsOrder, []string{"S"}, "resend…", "Resend the completion notice with the same ID", 9},
	{ShowClientView, OpsOrder, []string{"v"}, "client view", "Show Operations beside the client view", 9},

	{NextTab, Ops, []string{"]", "tab"}, "next tab", "Show the next tab", 0},
	{PrevTab, Ops, []string{"[", "shift+tab"}, "previous tab", "Show the previous tab", 0},
	{SimPause, Ops, []string{"p"}, "pause", "Pause or resume the simulator", 10},
	{SimSlower, Ops, []string{"("}, "slower", "Slow the simulator down", 12},
	{SimFaster, Ops, []string{")"}, "faster", "Speed the simulator up", 12},
	{SimStep, Ops, []string{"="}, "step", "Run the next step or event", 11},
	{InspectAny, Ops, []string{"I"}, "inspect", "Inspect the account, or show the order's timeline", 9},
	{Refresh, Ops, []string{"r"}, "refresh", "Reload this page", 13},
}
