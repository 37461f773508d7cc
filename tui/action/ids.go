package action

// The scopes.
const (
	Everywhere      Scope = "everywhere"
	List            Scope = "list"            // a table of rows
	Table           Scope = "table"           // a list that can be filtered and sorted
	FilterLine      Scope = "filter"          // the filter of a table while it is typed
	Map             Scope = "map"             // a map with the focus
	MapView         Scope = "map-view"        // a visible map
	Orders          Scope = "orders"          // the list of orders
	Order           Scope = "order"           // one order
	NewOrderSteps   Scope = "new-order"       // any step of a new order
	NewOrderFiles   Scope = "new-order-files" // step 1: choosing a file
	NewOrderSites   Scope = "new-order-sites"
	NewOrderDetails Scope = "new-order-details"
	Calendar        Scope = "calendar"   // the calendar of a date field
	Deliveries      Scope = "deliveries" // delivered files
	LocalFile       Scope = "local-file" // a delivered file that was downloaded
	Library         Scope = "library"    // purchased datasets
	NewOrderReview  Scope = "new-order-review"
	Welcome         Scope = "welcome"      // the first run
	Account         Scope = "account"      // the form of an account
	MissionList     Scope = "mission-list" // the missions of all orders
	Month           Scope = "month"        // the calendar of flights
	Mission         Scope = "mission"      // one mission
	HomePage        Scope = "home"         // the start page
	QuoteInbox      Scope = "inbox"        // orders with open quotes
	Quotes          Scope = "quotes"       // the quotes of an order

	DecisionLog Scope = "decision-log" // the log of decisions on quotes

	RequestLog      Scope = "request-log"      // the requests of this run
	AccountRequests Scope = "account-requests" // the requests of an account in the service's log

	Webhooks        Scope = "webhooks"         // endpoints
	CallbackLog     Scope = "callbacks"        // the log of an endpoint
	LiveEvents      Scope = "live-events"      // events being received
	Inspect         Scope = "inspect"          // the diagnosis of an account
	InspectAccounts Scope = "inspect-accounts" // the list of accounts to inspect
	Timeline        Scope = "timeline"         // the history of an order or a mission
)

// The actions.
const (
	Help     ID = "help"
	Quit     ID = "quit"
	Suspend  ID = "suspend"
	Back     ID = "back"
	Palette  ID = "palette"
	Mouse    ID = "mouse"
	Profiles ID = "profiles"
	// LastProfile switches to the previous profile.
	LastProfile ID = "last-profile"
	EditProfile ID = "edit-profile"
	AddAccount  ID = "add-account"
	Refresh     ID = "refresh"
	Undo        ID = "undo"
	Redo        ID = "redo"
	Jump        ID = "jump"

	Downloads         ID = "downloads"
	AreaUnits         ID = "area-units"
	ShowNotifications ID = "notifications"
	SiteTimes         ID = "site-times"

	// The actions that open the sections.
	GoHome       ID = "go-home"
	GoOrders     ID = "go-orders"
	GoMissions   ID = "go-missions"
	GoQuotes     ID = "go-quotes"
	GoDeliveries ID = "go-deliveries"
	GoLibrary    ID = "go-library"
	GoOps        ID = "go-ops"
	GoWebhooks   ID = "go-webhooks"
	GoInspect    ID = "go-inspect"

	Down     ID = "down"
	Up       ID = "up"
	Top      ID = "top"
	Bottom   ID = "bottom"
	HalfDown ID = "half-down"
	HalfUp   ID = "half-up"
	Open     ID = "open"

	Filter      ID = "filter"
	ApplyFilter ID = "apply-filter"
	SortNext    ID = "sort-next"
	SortPrev    ID = "sort-previous"
	SortReverse ID = "sort-reverse"
	NextColumn  ID = "next-column"
	PrevColumn  ID = "previous-column"
	Columns     ID = "columns"
	CopyCell    ID = "copy-cell"
	CopyRow     ID = "copy-row"
	CopyTable   ID = "copy-table"
	Copied      ID = "copied"
	Export      ID = "export"

	MapIn    ID = "map-in"
	MapOut   ID = "map-out"
	MapFit   ID = "map-fit"
	MapZoom  ID = "map-zoom"
	MapLeft  ID = "map-left"
	MapRight ID = "map-right"
	MapUp    ID = "map-up"
	MapDown  ID = "map-down"
	FocusMap ID = "focus-map"

	MapNext   ID = "map-next"
	MapPrev   ID = "map-previous"
	MapGrid   ID = "map-grid"
	MapGlyphs ID = "map-glyphs"

	NewOrder     ID = "new-order"
	OrderAgain   ID = "order-again"
	CopyCode     ID = "copy-code"
	CancelOrder  ID = "cancel-order"
	ArchiveOrder ID = "archive-order"
	RejectOrder  ID = "reject-order"

	NextStep ID = "next-step"
	PrevStep ID = "previous-step"

	ChooseFile ID = "choose-file"
	Complete   ID = "complete"

	Toggle     ID = "toggle"
	ToggleAll  ID = "toggle-all"
	EditSite   ID = "edit-site"
	CycleType  ID = "cycle-type"
	MarkSite   ID = "mark-site"
	MarkRange  ID = "mark-range"
	RemoveFile ID = "remove-file"
	AddSite    ID = "add-site"
	Merge      ID = "merge"
	Split      ID = "split"
	FixSite    ID = "fix-site"
	FixAll     ID = "fix-all"
	NextFault  ID = "next-fault"
	AddFile    ID = "add-file"
	SwapFile   ID = "swap-file"

	ChooseColumns  ID = "choose-columns"
	CompareReading ID = "compare-reading"
	MakeShape      ID = "make-shape"
	EditCorners    ID = "edit-corners"
	ShowWarnings   ID = "show-warnings"
	Drafts         ID = "drafts"
	Templates      ID = "templates"
	DeleteDraft    ID = "delete-draft"
	Clear          ID = "clear"

	NextField ID = "next-field"
	PrevField ID = "previous-field"
	FieldDown ID = "field-down"
	SelectDay ID = "select-day"

	DayBefore   ID = "day-before"
	DayAfter    ID = "day-after"
	WeekBefore  ID = "week-before"
	WeekAfter   ID = "week-after"
	MonthBefore ID = "month-before"
	MonthAfter  ID = "month-after"

	Submit ID = "submit"

	TryDemo        ID = "try-demo"
	ConnectAccount ID = "connect-account"

	CycleView    ID = "cycle-view"
	NextOfDay    ID = "next-of-day"
	CalendarFile ID = "calendar-file"
	Permit       ID = "permit"
	OpenPermit   ID = "open-permit"
	Seen         ID = "seen"

	NextQuote   ID = "next-quote"
	PrevQuote   ID = "previous-quote"
	MarkQuote   ID = "mark-quote"
	AcceptQuote ID = "accept-quote"
	RejectQuote ID = "reject-quote"
	Terms       ID = "terms"
	Differences ID = "differences"
	ShowDecided ID = "show-decided"
	Decisions   ID = "decisions"
	CloseEntry  ID = "close-entry"
	ShowOrder   ID = "show-order"
	ShowQuotes  ID = "show-quotes"
	ShowData    ID = "show-deliveries"

	Fetch      ID = "fetch"
	FetchNew   ID = "fetch-new"
	PauseOne   ID = "pause"
	PauseAll   ID = "pause-all"
	StopFetch  ID = "stop-fetch"
	Preview    ID = "preview"
	OpenFile   ID = "open-file"
	OpenFolder ID = "open-folder"
	CopyPath   ID = "copy-path"
	Bandwidth  ID = "bandwidth"
	FetchTo    ID = "fetch-to"
	Flat       ID = "flat"
	Verify     ID = "verify"

	ShowRequests ID = "request-log"
	// ShowAccountRequests opens the requests of an account in the service's log.
	ShowAccountRequests ID = "account-requests"
	CopyCurl            ID = "copy-curl"
	OnlyFailures        ID = "only-failures"
	PauseRequests       ID = "pause-requests"
	NextGroup           ID = "next-group"
	PrevGroup           ID = "previous-group"
	NextTab             ID = "next-tab"
	PrevTab             ID = "previous-tab"
	ScrollDown          ID = "scroll-down"
	ScrollUp            ID = "scroll-up"
	ShowTimeline        ID = "timeline"
	ShowRecord          ID = "record"
	Routine             ID = "routine"

	NextPart    ID = "next-part"
	PrevPart    ID = "previous-part"
	CopyRequest ID = "copy-request"

	Register       ID = "register"
	DeleteEndpoint ID = "delete-endpoint"
	TestEvent      ID = "test-event"
	CheckSignature ID = "signature-check"
	CopyWords      ID = "copy-words"
	ShowLiveEvents ID = "live-events"
	ListenFeed     ID = "listen"

	Place   ID = "place"
	Retry   ID = "retry"
	GoFault ID = "go-fault"
)

// The scopes of Operations.
const (
	Ops          Scope = "ops"           // any page of Operations
	OpsTask      Scope = "ops-task"      // an order or a mission of any account
	OpsQueue     Scope = "ops-queue"     // orders and missions with tasks for Operations
	OpsAccounts  Scope = "ops-accounts"  // the accounts
	OpsRequests  Scope = "ops-requests"  // requests for keys
	TestControls Scope = "test-controls" // clock, faults and reset
	OpsKeys      Scope = "ops-keys"      // the keys of an account
	OpsOperators Scope = "ops-operators" // operations users
	OpsAudit     Scope = "ops-audit"     // the log of changes by operations users
	OpsOrders    Scope = "ops-orders"    // the orders of one account, or of all accounts
	OpsEndpoints Scope = "ops-endpoints" // the endpoints of an account
	OpsVisits    Scope = "visits"        // sessions over SSH
	OpsOrder     Scope = "ops-order"     // one order of any account
	ClientView   Scope = "client-view"   // Operations and the client's view side by side
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
	SetNotices     ID = "set-notices"
	ShowClientView ID = "client-view"
	SwitchSide     ID = "switch-side"

	NewAccount     ID = "new-account"
	ChangeAccount  ID = "change-account"
	IssueKey       ID = "issue-key"
	RevokeKey      ID = "revoke-key"
	AddOperator    ID = "add-operator"
	RotateOperator ID = "rotate-operator"
	RevokeOperator ID = "revoke-operator"
	PlayRequest    ID = "play-request"
	ApproveRequest ID = "approve-request"
	DeclineRequest ID = "decline-request"
	ResendCallback ID = "resend-callback"
	ResendNotice   ID = "resend-notice"
	TestEndpoint   ID = "test-endpoint"
	SendNote       ID = "send-note"
	NoteToAll      ID = "note-to-all"
	ShowCodes      ID = "show-codes"
	PlayForAll     ID = "play-for-all"
	ResetAccount   ID = "reset-account"

	AdvanceClock ID = "advance-clock"
	SetFault     ID = "set-fault"
	EndFaults    ID = "end-faults"
	Reset        ID = "reset"
	InspectAny   ID = "inspect-any"
)
