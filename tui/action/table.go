package action

import "slices"

// The scopes.
const (
	Everywhere Scope = "everywhere"
	List       Scope = "list"   // a table of rows
	Table      Scope = "table"  // a list that can be filtered and sorted
	FilterLine Scope = "filter" // its filter, while it is typed
	Map        Scope = "map"    // a map in focus
	MapView    Scope = "view"   // a map in view
	Orders     Scope = "orders" // the list of orders
	Order      Scope = "order"  // one order
	Steps      Scope = "steps"  // any step of a new order
	Sites      Scope = "sites"  // step 1: choosing a file
	Missions   Scope = "missions"
	Form       Scope = "form"
	Calendar   Scope = "calendar"   // of a day in a form
	Deliveries Scope = "deliveries" // what was delivered
	Library    Scope = "library"    // purchased datasets
	Review     Scope = "review"
	Welcome    Scope = "welcome" // the first run
	Account    Scope = "account" // the form of an account
	Tried      Scope = "tried"   // what its key may do
	Fleet      Scope = "fleet"   // the missions of all orders
	Month      Scope = "month"   // a month of their flights
	Mission    Scope = "mission" // one mission
	Desk       Scope = "desk"    // the start page
	QuoteInbox Scope = "inbox"   // orders with open quotes
	Quotes     Scope = "quotes"  // the quotes of an order

	DecisionLog Scope = "decisions" // what was decided on quotes

	Wire Scope = "wire" // the requests of the run

	Webhooks    Scope = "webhooks"  // endpoints
	CallbackLog Scope = "callbacks" // the log of an endpoint
	Feed        Scope = "feed"      // events that are received
	Bench       Scope = "bench"     // the workbench for signatures
	Inspect     Scope = "inspect"   // the account as support sees it
	Story       Scope = "story"     // what happened to an order or a mission
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
	// LastProfile goes back to the profile that was shown before.
	LastProfile ID = "last-profile"
	Refresh     ID = "refresh"
	Undo        ID = "undo"
	Jump        ID = "jump"

	Downloads ID = "downloads"
	AreaUnits ID = "area-units"
	News      ID = "news"
	SiteTimes ID = "site-times"

	// Where the sections are gone to.
	GoDesk       ID = "go-desk"
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
	KeepFilter  ID = "keep-filter"
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

	Toggle    ID = "toggle"
	ToggleAll ID = "toggle-all"
	EditSite  ID = "edit-site"
	CycleType ID = "cycle-type"
	MarkSite  ID = "mark-site"
	ByHand    ID = "by-hand"
	Merge     ID = "merge"
	Split     ID = "split"
	FixSite   ID = "fix-site"
	FixAll    ID = "fix-all"
	NextFault ID = "next-fault"
	AddFile   ID = "add-file"
	SwapFile  ID = "swap-file"

	ChooseColumns ID = "choose-columns"
	Drafts        ID = "drafts"
	Templates     ID = "templates"
	DropDraft     ID = "drop-draft"
	Clear         ID = "clear"

	NextField ID = "next-field"
	PrevField ID = "previous-field"
	FieldDown ID = "field-down"
	KeepDay   ID = "keep-day"

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
	NoteQuote   ID = "note-quote"
	Differences ID = "differences"
	Decided     ID = "decided"
	SiteOrders  ID = "site-orders"
	Decisions   ID = "decisions"
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
	Bandwidth  ID = "bandwidth"
	FetchTo    ID = "fetch-to"
	Flat       ID = "flat"

	ShowWire     ID = "wire"
	CopyCurl     ID = "copy-curl"
	OnlyFailures ID = "only-failures"
	Pause        ID = "pause-wire"
	NextTab      ID = "next-tab"
	PrevTab      ID = "previous-tab"
	ScrollDown   ID = "scroll-down"
	ScrollUp     ID = "scroll-up"
	ShowStory    ID = "story"
	Routine      ID = "routine"

	NextPart    ID = "next-part"
	PrevPart    ID = "previous-part"
	CopyRequest ID = "copy-request"

	Register       ID = "register"
	DeleteEndpoint ID = "delete-endpoint"
	TestEvent      ID = "test-event"
	Workbench      ID = "workbench"
	CopyWords      ID = "copy-words"
	LiveFeed       ID = "live-feed"
	ListenFeed     ID = "listen"

	Place   ID = "place"
	Retry   ID = "retry"
	GoFault ID = "go-fault"
)

// table is ordered as the help shows it.
var table = slices.Concat(pages, desk)

// pages are the actions of the pages of an account, and those that hold everywhere.
var pages = []Action{
	{Open, Orders, []string{"enter"}, "open", "Open the order", 1},
	{NewOrder, Orders, []string{"n"}, "new order", "Create an order from survey files", 2},
	{OrderAgain, Orders, []string{"a"}, "order again", "Create an order with these sites and settings", 3},
	{ShowQuotes, Orders, []string{"c"}, "quotes", "Compare the order's quotes", 3},
	{ShowData, Orders, []string{"f"}, "deliveries", "Show the deliveries", 3},
	{ShowStory, Orders, []string{"s"}, "timeline", "Show the timeline from all sources", 3},
	{Refresh, Orders, []string{"r"}, "refresh", "Reload this page", 3},
	{CancelOrder, Orders, []string{"C"}, "cancel…", "Cancel the order and its missions", 4},
	{ArchiveOrder, Orders, []string{"Z"}, "archive…", "Archive the order, with a reason", 5},
	{RejectOrder, Orders, []string{"X"}, "reject…", "Reject an order without an accepted quote", 6},

	{Open, Order, []string{"enter"}, "mission", "Open the mission", 1},
	{ShowQuotes, Order, []string{"c"}, "quotes", "Compare the order's quotes", 2},
	{ShowData, Order, []string{"f"}, "deliveries", "Show the deliveries", 2},
	{ShowStory, Order, []string{"s"}, "timeline", "Show the timeline from all sources", 2},
	{Refresh, Order, []string{"r"}, "refresh", "Reload this page", 2},
	{FocusMap, Order, []string{"m"}, "map", "Switch the keys between map and list", 3},
	{CopyCode, Order, []string{"y"}, "copy code", "Copy the code", 4},
	{NewOrder, Order, []string{"n"}, "new order", "Create an order from survey files", 5},
	{OrderAgain, Order, []string{"a"}, "order again", "Create an order with these sites and settings", 5},
	{CancelOrder, Order, []string{"C"}, "cancel…", "Cancel the order and its missions", 6},
	{ArchiveOrder, Order, []string{"Z"}, "archive…", "Archive the order, with a reason", 7},
	{RejectOrder, Order, []string{"X"}, "reject…", "Reject an order without an accepted quote", 8},

	{ChooseFile, Sites, []string{"enter"}, "open", "Read the file, or open the folder", 1},
	{Complete, Sites, []string{"tab"}, "complete", "Complete the path, column or value", 2},
	{Up, Sites, []string{"up"}, "up", "Previous row", 0},
	{Down, Sites, []string{"down"}, "down", "Next row", 0},
	{HalfUp, Sites, []string{"pgup"}, "half page up", "Half a page up", 0},
	{HalfDown, Sites, []string{"pgdown"}, "half page down", "Half a page down", 0},
	{ChooseColumns, Sites, []string{"ctrl+g"}, "CSV columns", "Assign the CSV columns", 3},
	{MarkSite, Sites, []string{"shift+down"}, "mark", "Mark several files or sites", 0},
	{ByHand, Sites, []string{"ctrl+n"}, "add site", "Add a site from coordinates", 91},
	{NextStep, Sites, []string{"ctrl+s"}, "sites", "Continue to the sites", 3},

	{Toggle, Missions, []string{"space"}, "include", "Include or exclude the site", 1},
	{EditSite, Missions, []string{"e"}, "edit", "Edit place, name, label and country", 2},
	{CycleType, Missions, []string{"t"}, "type", "Change the type, if the points allow it", 5},
	{FixSite, Missions, []string{"f"}, "fix", "Apply the suggested fix", 3},
	{AddFile, Missions, []string{"a"}, "add file", "Add sites from another file", 7},
	{ByHand, Missions, []string{"i"}, "add site", "Add a site from coordinates or the map", 7},
	{MarkSite, Missions, []string{"V", "shift+down"}, "mark", "Mark several files or sites", 0},
	{Merge, Missions, []string{"c"}, "merge", "Merge the marked sites, or this and the next", 8},
	{Split, Missions, []string{"s"}, "split", "Split an asset into points, or a line into parts", 8},
	{FocusMap, Missions, []string{"m"}, "map", "Switch the keys between map and list", 7},
	{ToggleAll, Missions, []string{"ctrl+a"}, "include all", "Include all sites, or none", 0},
	{FixAll, Missions, []string{"F"}, "fix all", "Apply every suggested fix", 0},
	{NextFault, Missions, []string{"!"}, "next warning", "Go to the next warning", 6},
	{SwapFile, Missions, []string{"x"}, "swap lat/lon", "Swap latitude and longitude in the whole file", 0},
	{Templates, Missions, []string{"p", "ctrl+t"}, "templates…", "Apply, save or delete a template", 0},
	{ChooseColumns, Missions, []string{"ctrl+g"}, "CSV columns", "Assign the CSV columns", 0},
	{Clear, Missions, []string{"delete", "backspace"}, "remove", "Remove the site from the draft", 0},
	{NextStep, Missions, []string{"]", "enter", "ctrl+s"}, "details", "Continue to the details", 2},
	{PrevStep, Missions, []string{"[", "ctrl+b"}, "files", "Back to the files", 0},

	{NextField, Form, []string{"tab", "enter"}, "next", "Next field", 1},
	{FieldDown, Form, []string{"down"}, "calendar", "Open the calendar, or go to the next field", 0},
	{PrevField, Form, []string{"shift+tab", "up"}, "previous", "Previous field", 0},
	{Submit, Form, []string{"ctrl+s"}, "review", "Continue to the review", 2},
	{Templates, Form, []string{"ctrl+t"}, "templates…", "Apply, save or delete a template", 4},
	{PrevStep, Form, []string{"ctrl+b"}, "sites", "Back to the sites", 3},

	{Place, Review, []string{"S"}, "place order…", "Place the order", 1},
	{PrevStep, Review, []string{"[", "ctrl+b"}, "details", "Back to the details", 2},
	{NextTab, Review, []string{"tab"}, "next tab", "Show the next tab", 3},
	{PrevTab, Review, []string{"shift+tab"}, "previous tab", "Show the previous tab", 0},
	{NextPart, Review, []string{"right", "l"}, "next order", "Show the next order's request", 0},
	{PrevPart, Review, []string{"left", "h"}, "previous order", "Show the previous order's request", 0},
	{CopyRequest, Review, []string{"y"}, "copy", "Copy the request, or the curl command", 4},
	{FocusMap, Review, []string{"m"}, "map", "Switch the keys between map and list", 0},
	{Templates, Review, []string{"p", "ctrl+t"}, "templates…", "Apply, save or delete a template", 5},
	{GoFault, Review, []string{"enter", "!"}, "go to error", "Go to the rejected field", 3},
	{Retry, Review, []string{"r"}, "retry", "Check whether the order exists, then retry", 4},

	{Open, Deliveries, []string{"enter"}, "open", "Open the selection", 5},
	{Fetch, Deliveries, []string{"f"}, "download", "Download the marked files, or the selection", 1},
	{FetchNew, Deliveries, []string{"F"}, "download new", "Download all new files", 2},
	{PauseOne, Deliveries, []string{"p"}, "pause", "Pause or resume the download", 3},
	{PauseAll, Deliveries, []string{"P"}, "pause all", "Pause or resume all downloads", 0},
	{StopFetch, Deliveries, []string{"C"}, "cancel…", "Cancel the download, delete partial files", 4},
	{Preview, Deliveries, []string{"v"}, "preview", "Preview a downloaded file", 6},
	{OpenFile, Deliveries, []string{"o"}, "open file", "Open the file in its default app", 7},
	{OpenFolder, Deliveries, []string{"O"}, "open folder", "Open the folder in the file manager", 8},
	{Bandwidth, Deliveries, []string{"B"}, "speed limit…", "Limit the total download speed", 9},
	{FetchTo, Deliveries, []string{"e"}, "folder…", "Choose the download folder", 10},
	{Toggle, Deliveries, []string{"space"}, "mark", "Mark or unmark the row", 0},
	{ToggleAll, Deliveries, []string{"ctrl+a"}, "mark all", "Mark all rows, or none", 0},
	{Flat, Deliveries, []string{"x"}, "flat list", "List files without packages", 0},
	{FocusMap, Deliveries, []string{"m"}, "map", "Switch the keys between map and list", 0},
	{Refresh, Deliveries, []string{"r"}, "refresh", "Reload this page", 11},

	{Open, Library, []string{"enter"}, "open", "Open the dataset", 1},
	{Fetch, Library, []string{"f"}, "download", "Download the marked files, or the selection", 2},
	{OpenFolder, Library, []string{"O"}, "open folder", "Open the folder in the file manager", 4},
	{FocusMap, Library, []string{"m"}, "map", "Switch the keys between map and list", 5},
	{Refresh, Library, []string{"r"}, "refresh", "Reload this page", 6},

	{KeepDay, Calendar, []string{"enter"}, "select", "Select this day", 1},
	{DayBefore, Calendar, []string{"left"}, "previous day", "Previous day", 0},
	{DayAfter, Calendar, []string{"right"}, "day", "Next day", 0},
	{WeekBefore, Calendar, []string{"up"}, "previous week", "Previous week", 0},
	{WeekAfter, Calendar, []string{"down"}, "week", "Next week", 0},
	{MonthBefore, Calendar, []string{"pgup"}, "previous month", "Previous month", 2},
	{MonthAfter, Calendar, []string{"pgdown"}, "month", "Next month", 3},

	{Open, Welcome, []string{"enter"}, "select", "Select this entry", 1},
	{TryDemo, Welcome, []string{"d"}, "demo", "Try the demo; no account needed", 2},
	{ConnectAccount, Welcome, []string{"c"}, "connect", "Connect an account", 3},

	{NextField, Account, []string{"tab", "down", "enter"}, "next", "Next field", 1},
	{PrevField, Account, []string{"shift+tab", "up"}, "previous", "Previous field", 0},
	{Submit, Account, []string{"ctrl+s"}, "test key", "Test the key; nothing is saved yet", 2},

	{Open, Tried, []string{"enter"}, "save", "Save the account and open it", 1},

	{Drafts, Steps, []string{"ctrl+l"}, "drafts…", "Open or delete other drafts", 0},
	{DropDraft, Steps, []string{"ctrl+x"}, "delete draft…", "Delete this draft and start over", 0},

	{Open, Desk, []string{"enter"}, "open", "Open the selection", 1},
	{NewOrder, Desk, []string{"n"}, "new order", "Create an order from survey files", 2},
	{ShowData, Desk, []string{"f"}, "deliveries", "Show the deliveries", 3},
	{Seen, Desk, []string{"x"}, "mark seen", "Mark all changes as seen", 3},
	{FocusMap, Desk, []string{"m"}, "map", "Switch the keys between map and list", 4},
	{Refresh, Desk, []string{"r"}, "refresh", "Reload this page", 5},

	{Open, Fleet, []string{"enter"}, "open", "Open the mission", 1},
	{CycleView, Fleet, []string{"v"}, "view", "Switch between list, map and month", 2},
	{ShowOrder, Fleet, []string{"o"}, "order", "Open the order", 3},
	{ShowData, Fleet, []string{"f"}, "deliveries", "Show the deliveries", 3},
	{ShowStory, Fleet, []string{"s"}, "timeline", "Show the timeline from all sources", 3},
	{CalendarFile, Fleet, []string{"i"}, "calendar…", "Export flights and deadlines as .ics", 5},
	{Refresh, Fleet, []string{"r"}, "refresh", "Reload this page", 4},

	{DayBefore, Month, []string{"left", "h"}, "previous day", "Previous day", 0},
	{DayAfter, Month, []string{"right", "l"}, "day", "Next day", 6},
	{WeekBefore, Month, []string{"up", "k"}, "previous week", "Previous week", 0},
	{WeekAfter, Month, []string{"down", "j"}, "week", "Next week", 7},
	{MonthBefore, Month, []string{"[", "pgup"}, "previous month", "Previous month", 0},
	{MonthAfter, Month, []string{"]", "pgdown"}, "month", "Next month", 8},
	{NextOfDay, Month, []string{"tab"}, "next mission", "Select the day's next mission", 9},

	{ShowOrder, Mission, []string{"o"}, "order", "Open the order", 1},
	{ShowData, Mission, []string{"f"}, "deliveries", "Show the deliveries", 2},
	{ShowStory, Mission, []string{"s"}, "timeline", "Show the timeline from all sources", 2},
	{OpenPermit, Mission, []string{"O"}, "permit", "Open the flight permit", 2},
	{Permit, Mission, []string{"E"}, "save permit…", "Save the flight permit", 2},
	{CopyCode, Mission, []string{"y"}, "copy code", "Copy the code", 4},
	{Refresh, Mission, []string{"r"}, "refresh", "Reload this page", 3},

	{Open, QuoteInbox, []string{"enter"}, "compare", "Compare the order's quotes and decide", 1},
	{ShowOrder, QuoteInbox, []string{"o"}, "order", "Open the order", 2},
	{Decisions, QuoteInbox, []string{"i"}, "decision log", "Show decisions made on this machine", 3},
	{Refresh, QuoteInbox, []string{"r"}, "refresh", "Reload this page", 4},

	{PrevQuote, Quotes, []string{"left", "h"}, "previous", "Select the previous quote", 0},
	{NextQuote, Quotes, []string{"right", "l"}, "next quote", "Select the next quote", 1},
	{AcceptQuote, Quotes, []string{"A"}, "accept…", "Accept the quote; you type its amount", 2},
	{RejectQuote, Quotes, []string{"X"}, "reject…", "Reject the marked quotes, or the selection", 3},
	{Terms, Quotes, []string{"enter"}, "terms", "Show all terms", 4},
	{MarkQuote, Quotes, []string{"space"}, "mark", "Mark quotes to reject together", 5},
	{Differences, Quotes, []string{"d"}, "differences", "Show only terms that differ", 6},
	{NoteQuote, Quotes, []string{"e"}, "note", "Add a note, stored on this machine", 7},
	{SiteOrders, Quotes, []string{"a"}, "nearby", "Include quotes of orders within 2 km", 8},
	{Decided, Quotes, []string{"v"}, "decided", "Show decided quotes", 9},
	{Decisions, Quotes, []string{"i"}, "decision log", "Show decisions made on this machine", 10},
	{ShowOrder, Quotes, []string{"o"}, "order", "Open the order", 11},
	{Export, Quotes, []string{"E"}, "export…", "Export the comparison as Markdown or CSV", 12},
	{Refresh, Quotes, []string{"r"}, "refresh", "Reload this page", 13},

	{Open, DecisionLog, []string{"enter"}, "details", "Show all details", 1},

	{Open, Wire, []string{"enter"}, "open", "Show the request and its answer", 1},
	{CopyCurl, Wire, []string{"y"}, "copy curl", "Copy as curl, without the key", 2},
	{OnlyFailures, Wire, []string{"b"}, "failures", "Show only failures, or all", 3},
	{Pause, Wire, []string{"p"}, "pause", "Pause or resume updates", 4},
	{Export, Wire, []string{"E"}, "export HAR…", "Export the shown requests as a HAR file", 5},
	{NextTab, Wire, []string{"]"}, "next tab", "Show the next tab", 6},
	{PrevTab, Wire, []string{"["}, "previous tab", "Show the previous tab", 0},
	{ScrollDown, Wire, []string{"J", "shift+down"}, "scroll", "Scroll the details down", 7},
	{ScrollUp, Wire, []string{"K", "shift+up"}, "scroll up", "Scroll the details up", 0},

	{Open, Webhooks, []string{"enter"}, "log", "Show the endpoint's callback log", 1},
	{Register, Webhooks, []string{"n"}, "register…", "Register an endpoint; its secret is shown once", 2},
	{LiveFeed, Webhooks, []string{"L"}, "live events", "Show events received by the app", 3},
	{Workbench, Webhooks, []string{"V"}, "verify", "Find out why a signature fails", 4},
	{TestEvent, Webhooks, []string{"t"}, "test event…", "Send a signed test event to a receiver", 5},
	{DeleteEndpoint, Webhooks, []string{"delete", "backspace"}, "delete…", "Delete the endpoint", 6},
	{Refresh, Webhooks, []string{"r"}, "refresh", "Reload this page", 7},

	{Open, CallbackLog, []string{"enter"}, "mission", "Open the mission of the callback", 1},
	{OnlyFailures, CallbackLog, []string{"b"}, "failures", "Show only failures, or all", 2},
	{ShowStory, CallbackLog, []string{"s"}, "timeline", "Show the timeline from all sources", 2},
	{ShowOrder, CallbackLog, []string{"o"}, "order", "Open the order", 3},
	{CopyWords, CallbackLog, []string{"y"}, "copy summary", "Copy a summary sentence", 4},
	{LiveFeed, CallbackLog, []string{"L"}, "live events", "Show events received by the app", 4},
	{Workbench, CallbackLog, []string{"V"}, "verify", "Find out why a signature fails", 5},
	{TestEvent, CallbackLog, []string{"t"}, "test event…", "Send a signed test event to a receiver", 6},
	{DeleteEndpoint, CallbackLog, []string{"delete", "backspace"}, "delete…", "Delete the endpoint", 7},
	{Refresh, CallbackLog, []string{"r"}, "refresh", "Reload this page", 8},

	{Open, Feed, []string{"enter"}, "mission", "Open the mission of the event", 1},
	{ListenFeed, Feed, []string{"L"}, "listen…", "Start or stop receiving events", 2},
	{ShowStory, Feed, []string{"s"}, "timeline", "Show the timeline from all sources", 3},
	{ShowOrder, Feed, []string{"o"}, "order", "Open the order", 3},
	{Workbench, Feed, []string{"V"}, "verify", "Find out why a signature fails", 4},
	{TestEvent, Feed, []string{"t"}, "test event…", "Send a signed test event to a receiver", 5},
	{Refresh, Feed, []string{"r"}, "refresh", "Reload this page", 6},

	{NextField, Bench, []string{"tab", "enter"}, "next", "Next field", 1},
	{PrevField, Bench, []string{"shift+tab", "up"}, "previous", "Previous field", 0},
	{FieldDown, Bench, []string{"down"}, "next field", "Go to the field below", 0},
	{TestEvent, Bench, []string{"ctrl+t"}, "test event…", "Send a signed test event to a receiver", 2},
	{Clear, Bench, []string{"ctrl+x"}, "clear", "Clear all fields", 3},

	{Open, Inspect, []string{"enter"}, "open", "Open the selection", 1},
	{ShowStory, Inspect, []string{"s"}, "timeline", "Show the timeline from all sources", 2},
	{Refresh, Inspect, []string{"r"}, "refresh", "Reload this page", 3},
	{Export, Inspect, []string{"E"}, "report…", "Export a report as Markdown or JSON", 4},

	{Open, Story, []string{"enter"}, "open", "Open the source of the entry", 1},
	{ShowOrder, Story, []string{"o"}, "order", "Open the order", 2},
	{OnlyFailures, Story, []string{"b"}, "failures", "Show only failures, or all", 3},
	{Routine, Story, []string{"v"}, "reads", "Show or hide read requests", 4},
	{Export, Story, []string{"E"}, "report…", "Export a report as Markdown or JSON", 5},
	{Refresh, Story, []string{"r"}, "refresh", "Reload this page", 6},
	{ScrollDown, Story, []string{"J", "shift+down"}, "scroll", "Scroll the details down", 0},
	{ScrollUp, Story, []string{"K", "shift+up"}, "scroll up", "Scroll the details up", 0},

	{MapLeft, Map, []string{"left", "h"}, "left", "Pan left", 0},
	{MapRight, Map, []string{"right", "l"}, "right", "Pan right", 0},
	{MapUp, Map, []string{"up", "k"}, "up", "Pan up", 0},
	{MapDown, Map, []string{"down", "j"}, "down", "Pan down", 0},
	{MapZoom, MapView, []string{"z"}, "zoom to", "Zoom to the selection", 8},
	{MapFit, MapView, []string{"0"}, "fit", "Zoom to everything", 8},
	{MapIn, MapView, []string{"+", "="}, "zoom in", "Zoom in", 9},
	{MapOut, MapView, []string{"-"}, "zoom out", "Zoom out", 9},
	{MapNext, MapView, []string{"}"}, "next marker", "Select the next marker", 0},
	{MapPrev, MapView, []string{"{"}, "prev. marker", "Select the previous marker", 0},
	{MapGrid, MapView, []string{"#"}, "grid", "Show or hide the coordinate grid", 0},
	{MapGlyphs, MapView, []string{"%"}, "map style", "Draw with braille, blocks or ASCII", 0},

	{Down, List, []string{"j", "down"}, "down", "Next row", 0},
	{Up, List, []string{"k", "up"}, "up", "Previous row", 0},
	{Top, List, []string{"g", "home"}, "first", "First row", 0},
	{Bottom, List, []string{"G", "end"}, "last", "Last row", 0},
	{HalfDown, List, []string{"ctrl+d", "pgdown"}, "half page down", "Half a page down", 0},
	{HalfUp, List, []string{"ctrl+u", "pgup"}, "half page up", "Half a page up", 0},

	{Back, Everywhere, []string{"esc"}, "back", "Go back; input is kept", 90},
	{GoMissions, Everywhere, []string{"3"}, "missions", "Go to Missions", 0},
	{GoDesk, Everywhere, []string{"1"}, "home", "Go to Home", 0},
	{GoOrders, Everywhere, []string{"2"}, "orders", "Go to Orders", 0},
	{GoQuotes, Everywhere, []string{"4"}, "quotes", "Go to Quotes", 0},
	{GoDeliveries, Everywhere, []string{"5"}, "deliveries", "Go to Deliveries", 0},
	{GoLibrary, Everywhere, []string{"6"}, "library", "Go to Library", 0},
	{GoInspect, Everywhere, []string{"8"}, "inspect", "Go to Inspect", 0},
	{GoOps, Everywhere, []string{"9"}, "operations", "Go to Operations", 0},
	{GoWebhooks, Everywhere, []string{"7"}, "webhooks", "Go to Webhooks", 0},
	{Filter, Table, []string{"/"}, "filter", "Filter by words or column:value", 20},
	{KeepFilter, FilterLine, []string{"enter"}, "apply", "Apply the filter", 1},
	{Complete, FilterLine, []string{"tab"}, "complete", "Complete the path, column or value", 2},
	{Down, FilterLine, []string{"down"}, "down", "Next row", 0},
	{Up, FilterLine, []string{"up"}, "up", "Previous row", 0},
	{SortNext, Table, []string{">"}, "sort next", "Sort by the next column", 0},
	{SortPrev, Table, []string{"<"}, "sort previous", "Sort by the previous column", 0},
	{SortReverse, Table, []string{"R"}, "reverse", "Reverse the sort order", 0},
	{PrevColumn, Table, []string{"h", "left"}, "previous cell", "Select the previous cell", 0},
	{NextColumn, Table, []string{"l", "right"}, "next cell", "Select the next cell", 0},
	{Columns, Table, []string{"|"}, "columns…", "Show, hide, order and resize columns", 21},
	{CopyCell, Table, []string{"y"}, "copy cell", "Copy the cell; dates in full", 0},
	{CopyRow, Table, []string{"Y"}, "copy row", "Copy the row, tab-separated", 0},
	{CopyTable, Table, []string{"ctrl+y"}, "copy table", "Copy the shown rows for a spreadsheet", 0},
	{Export, Table, []string{"E"}, "export…", "Export the shown rows as CSV or JSON", 22},

	{Palette, Everywhere, []string{":", "ctrl+p"}, "palette", "Search actions, orders, profiles and themes", 0},
	{Help, Everywhere, []string{"?", "f1"}, "help", "Show all keys of this page", 98},
	{ShowWire, Everywhere, []string{"w"}, "request log", "Show requests since the start", 0},
	{Profiles, Everywhere, []string{"ctrl+o"}, "switch profile", "Switch to another profile", 0},
	{LastProfile, Everywhere, []string{"`", "alt+o"}, "last profile", "Switch to the previous profile", 0},
	{Jump, Everywhere, []string{";"}, "jump", "Label visible items; type a label to go there", 0},
	{Undo, Everywhere, []string{"u"}, "undo", "Stop the pending action, or undo the last change", 0},
	{Downloads, Everywhere, []string{"D"}, "downloads", "Show or hide downloads", 0},
	{News, Everywhere, []string{"N"}, "notifications", "Go to the latest notification, then older ones", 0},
	{AreaUnits, Everywhere, []string{"U"}, "units", "Change area units: automatic, ha, km², acres", 0},
	{SiteTimes, Everywhere, []string{"T"}, "time zone", "Show flights in site time or local time", 0},
	{Copied, Everywhere, []string{"alt+y"}, "copied text", "Show the last copied text, to select it", 0},
	{Mouse, Everywhere, []string{"M"}, "mouse", "Turn mouse support off, to select text, or on", 0},
	{Suspend, Everywhere, []string{"ctrl+z"}, "suspend", "Suspend to the shell; fg resumes", 0},
	{Quit, Everywhere, []string{"q", "ctrl+c"}, "quit", "Quit flightdesk", 99},
}
