package action

// The scopes of the operations desk.
const (
	Ops         Scope = "ops"         // any page of the operations desk
	OpsWork     Scope = "opswork"     // an order or a mission there
	OpsQueue    Scope = "opsqueue"    // what waits for the desk
	OpsAccounts Scope = "opsaccounts" // the accounts
	OpsRequests Scope = "opsrequests" // requests for keys
	OpsTrials   Scope = "opstrials"   // clock, faults and reset
	OpsKeys     Scope = "opskeys"     // the keys of an account
	OpsOrders   Scope = "opsorders"   // orders of one account, or of all
	OpsHooks    Scope = "opshooks"    // the endpoints of an account
	OpsLog      Scope = "opslog"      // the callbacks of an endpoint
	OpsOrder    Scope = "opsorder"    // one order
	BothEnds    Scope = "bothends"    // desk and client side by side
)

// The actions of the operations desk.
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
	ShowBothEnds   ID = "both-ends"
	OtherEnd       ID = "other-end"

	NewAccount     ID = "new-account"
	ChangeAccount  ID = "change-account"
	IssueKey       ID = "issue-key"
	RevokeKey      ID = "revoke-key"
	PlayRequest    ID = "play-request"
	ApproveRequest ID = "approve-request"
	DeclineRequest ID = "decline-request"
	ResendCallback ID = "resend-callback"
	TestEndpoint   ID = "test-endpoint"

	AdvanceClock ID = "advance-clock"
	SetFault     ID = "set-fault"
	EndFaults    ID = "end-faults"
	Reset        ID = "reset"
)

// desk are the actions of the operations desk.
var desk = []Action{
	{Open, OpsQueue, []string{"enter"}, "open", "open the order as the desk sees it", 1},
	{ShowBothEnds, OpsQueue, []string{"v"}, "both ends", "the desk and the client's view, side by side", 9},

	{IssueQuote, OpsWork, []string{"i"}, "quote…", "issue a quote, with the usual price filled in", 2},
	{AssignOperator, OpsWork, []string{"a"}, "assign…", "give the mission its operator, or all of the order that have none", 2},
	{ScheduleFlight, OpsWork, []string{"s"}, "schedule…", "set the flight's date, or another one with a reason", 3},
	{RecordPermit, OpsWork, []string{"t"}, "permit…", "record the flight permission, with its document", 4},
	{Deliver, OpsWork, []string{"d"}, "deliver…", "deliver files that you choose, or sample files made for the order", 5},
	{AcceptDelivery, OpsWork, []string{"A"}, "accept…", "accept the delivery: the mission is completed", 6},
	{ExpireQuote, OpsWork, []string{"e"}, "expire…", "let the quote expire now: the service's clock goes there", 7},
	{EndOrder, OpsWork, []string{"X"}, "end order…", "reject an order that bids, or report one as not feasible, with a reason", 8},

	{OtherEnd, BothEnds, []string{"ctrl+w"}, "other end", "go to the client's end, or back to the desk's", 9},
	{Open, BothEnds, []string{"enter"}, "open", "the order as this end sees it; the client decides on quotes there", 1},

	{Open, OpsAccounts, []string{"enter"}, "open", "keys, orders and endpoints of the account", 1},
	{NewAccount, OpsAccounts, []string{"n"}, "new account…", "make an account", 2},
	{ChangeAccount, OpsAccounts, []string{"c"}, "change…", "change the account's contact and currency", 3},

	{Open, OpsRequests, []string{"enter"}, "whole", "read the request whole", 4},
	{ApproveRequest, OpsRequests, []string{"A"}, "approve…", "make the key that is asked for; it is shown once", 1},
	{DeclineRequest, OpsRequests, []string{"X"}, "decline…", "turn the request down, with a reason", 2},
	{PlayRequest, OpsRequests, []string{"n"}, "play a request…", "ask for a key as a client does in the dashboard", 3},

	{AdvanceClock, OpsTrials, []string{"c"}, "clock…", "move the service's clock ahead", 1},
	{ExpireQuote, OpsTrials, []string{"e"}, "expire next…", "move the clock to where the next open quote expires", 2},
	{SetFault, OpsTrials, []string{"f"}, "faults…", "have requests of clients go wrong, or answered late", 3},
	{EndFaults, OpsTrials, []string{"F"}, "end faults", "answer all requests rightly again", 4},
	{Reset, OpsTrials, []string{"delete"}, "reset…", "back to the orders that the service began with", 5},

	{IssueKey, OpsKeys, []string{"n"}, "new key…", "issue a key; it is shown once", 1},
	{RevokeKey, OpsKeys, []string{"delete"}, "revoke…", "end the key at once, once its last characters have been typed", 2},

	{Open, OpsOrders, []string{"enter"}, "open", "open the order as the desk sees it", 1},

	{Open, OpsHooks, []string{"enter"}, "log", "the callbacks that were sent to the endpoint", 1},
	{TestEndpoint, OpsHooks, []string{"t"}, "test…", "send a test event to the endpoint", 2},

	{ResendCallback, OpsLog, []string{"S"}, "send again…", "send the callback again, under the same id", 1},

	{Open, OpsOrder, []string{"enter"}, "whole", "read the mission or the quote whole", 1},
	{ShowBothEnds, OpsOrder, []string{"v"}, "both ends", "the desk and the client's view, side by side", 9},

	{NextTab, Ops, []string{"]", "tab"}, "next part", "the next part of the desk", 0},
	{PrevTab, Ops, []string{"[", "shift+tab"}, "part before", "the part of the desk before", 0},
	{SimPause, Ops, []string{"p"}, "pause", "pause the simulator, or go on with it", 10},
	{SimSlower, Ops, []string{"("}, "slower", "run the simulator slower", 12},
	{SimFaster, Ops, []string{")"}, "faster", "run the simulator faster", 12},
	{SimStep, Ops, []string{"="}, "step", "have the simulator take its next step at once", 11},
	{Refresh, Ops, []string{"r"}, "refresh", "read everything again", 13},
}
