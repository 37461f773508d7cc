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
	{Open, Orders, []string{"enter"}, "open", "open the order", 1},
	{NewOrder, Orders, []string{"n"}, "new order", "new order from a KML or CSV file", 2},
	{OrderAgain, Orders, []string{"o"}, "again", "begin a new order with the sites and the form of this one", 3},
	{ShowQuotes, Orders, []string{"v"}, "quotes", "the quotes of the order, side by side", 3},
	{ShowData, Orders, []string{"f"}, "deliveries", "what was delivered of the order, to fetch it", 3},
	{ShowStory, Orders, []string{"s"}, "story", "what happened to the order, from every source", 3},
	{Refresh, Orders, []string{"r"}, "refresh", "read the list again", 3},
	{CancelOrder, Orders, []string{"C"}, "cancel…", "cancel the order and its missions, once its code has been typed", 4},
	{ArchiveOrder, Orders, []string{"Z"}, "archive…", "put the order away, with a reason", 5},
	{RejectOrder, Orders, []string{"X"}, "reject…", "turn the order down before a quote is accepted, with a reason", 6},

	{Open, Order, []string{"enter"}, "mission", "open the mission that is selected", 1},
	{ShowQuotes, Order, []string{"v"}, "quotes", "the quotes of the order, side by side", 2},
	{ShowData, Order, []string{"f"}, "deliveries", "what was delivered of the order, to fetch it", 2},
	{ShowStory, Order, []string{"s"}, "story", "what happened to the order, from every source", 2},
	{Refresh, Order, []string{"r"}, "refresh", "read the order again", 2},
	{FocusMap, Order, []string{"m"}, "map", "move the map with the keys, or the list again", 3},
	{CopyCode, Order, []string{"y"}, "copy code", "copy the order's code", 4},
	{NewOrder, Order, []string{"n"}, "new order", "new order from a KML or CSV file", 5},
	{OrderAgain, Order, []string{"o"}, "again", "begin a new order with the sites and the form of this one", 5},
	{CancelOrder, Order, []string{"C"}, "cancel…", "cancel the order and its missions, once its code has been typed", 6},
	{ArchiveOrder, Order, []string{"Z"}, "archive…", "put the order away, with a reason", 7},
	{RejectOrder, Order, []string{"X"}, "reject…", "turn the order down before a quote is accepted, with a reason", 8},

	{ChooseFile, Sites, []string{"enter"}, "choose", "read the file, or go into the folder", 1},
	{Complete, Sites, []string{"tab"}, "complete", "complete the path with what is marked", 2},
	{Up, Sites, []string{"up"}, "up", "mark the entry above", 0},
	{Down, Sites, []string{"down"}, "down", "mark the entry below", 0},
	{HalfUp, Sites, []string{"pgup"}, "page up", "mark half a page up", 0},
	{HalfDown, Sites, []string{"pgdown"}, "page down", "mark half a page down", 0},
	{ChooseColumns, Sites, []string{"ctrl+g"}, "columns", "choose the columns of a CSV by hand", 3},
	{MarkSite, Sites, []string{"shift+down"}, "mark", "mark the file, to read several at once", 0},
	{ByHand, Sites, []string{"ctrl+n"}, "by hand", "a site without a file, from coordinates", 91},
	{NextStep, Sites, []string{"ctrl+s"}, "missions", "go on with the sites read so far", 3},

	{Toggle, Missions, []string{"space"}, "in/out", "take the site into the order, or leave it out", 1},
	{EditSite, Missions, []string{"e"}, "edit", "edit name, label and country", 2},
	{CycleType, Missions, []string{"t"}, "type", "area, linear or asset, as far as the points allow", 5},
	{FixSite, Missions, []string{"f"}, "fix", "take the fix that the warning offers", 3},
	{AddFile, Missions, []string{"a"}, "add file", "add the sites of another file", 7},
	{ByHand, Missions, []string{"i"}, "by hand", "a site without a file: coordinates typed or pasted, or the middle of the map while that is in focus", 7},
	{MarkSite, Missions, []string{"V", "shift+down"}, "mark", "mark the site, to merge or change several at once", 0},
	{Merge, Missions, []string{"c"}, "merge", "make one site of those marked, or of this one and the next of its type", 8},
	{Split, Missions, []string{"s"}, "split", "make a site of each point of an asset, or cut a line into parts", 8},
	{FocusMap, Missions, []string{"m"}, "map", "move the map with the keys, or the list again", 7},
	{ToggleAll, Missions, []string{"ctrl+a"}, "all in/out", "take all sites in, or leave all out", 0},
	{FixAll, Missions, []string{"F"}, "fix all", "take every fix that is offered", 0},
	{NextFault, Missions, []string{"!"}, "next warning", "go to the next site with a warning", 6},
	{SwapFile, Missions, []string{"x"}, "swap file", "read the site's file anew, with latitude and longitude exchanged", 0},
	{Templates, Missions, []string{"p", "ctrl+t"}, "templates…", "fill the form from a template, save it as one, or delete one", 0},
	{ChooseColumns, Missions, []string{"ctrl+g"}, "columns", "choose the columns of the site's CSV by hand, and read it anew", 0},
	{Clear, Missions, []string{"delete", "backspace"}, "drop", "drop the site from the draft", 0},
	{NextStep, Missions, []string{"]", "enter", "ctrl+s"}, "order", "go on to the order form", 2},
	{PrevStep, Missions, []string{"[", "ctrl+b"}, "sites", "back to the files", 0},

	{NextField, Form, []string{"tab", "enter"}, "next", "next field", 1},
	{FieldDown, Form, []string{"down"}, "below", "the calendar of a day, or the next field", 0},
	{PrevField, Form, []string{"shift+tab", "up"}, "previous", "previous field", 0},
	{Submit, Form, []string{"ctrl+s"}, "review", "go on to the review", 2},
	{Templates, Form, []string{"ctrl+t"}, "templates…", "fill the form from a template, save it as one, or delete one", 4},
	{PrevStep, Form, []string{"ctrl+b"}, "missions", "back to the missions", 3},

	{Place, Review, []string{"S"}, "place order…", "place the order, after one question", 1},
	{PrevStep, Review, []string{"[", "ctrl+b"}, "order form", "back to the order form", 2},
	{NextTab, Review, []string{"tab"}, "curl, map", "the request as JSON, as a curl command, or on the map", 3},
	{PrevTab, Review, []string{"shift+tab"}, "tab before", "the tab before", 0},
	{NextPart, Review, []string{"right", "l"}, "next order", "of several orders the next one's request", 0},
	{PrevPart, Review, []string{"left", "h"}, "order before", "of several orders the request of the one before", 0},
	{CopyRequest, Review, []string{"y"}, "copy", "copy the request as it is sent, or the curl command", 4},
	{FocusMap, Review, []string{"m"}, "map", "move the map of the request with the keys, or not", 0},
	{Templates, Review, []string{"p", "ctrl+t"}, "templates…", "fill the form from a template, save it as one, or delete one", 5},
	{GoFault, Review, []string{"enter", "!"}, "go to fault", "go to the field that the service refused", 3},
	{Retry, Review, []string{"r"}, "try again", "try again, after looking whether the order is there", 4},

	{Open, Deliveries, []string{"enter"}, "open", "open or shut the package, or see more of the file", 5},
	{Fetch, Deliveries, []string{"f"}, "fetch", "fetch what is marked, or else what is selected; a package means all its files", 1},
	{FetchNew, Deliveries, []string{"F"}, "fetch all new", "fetch everything that no fetch has brought yet", 2},
	{PauseOne, Deliveries, []string{"p"}, "pause", "pause what is marked or selected, or go on with it", 3},
	{PauseAll, Deliveries, []string{"P"}, "pause all", "pause all downloads, or go on with them", 0},
	{StopFetch, Deliveries, []string{"C"}, "stop…", "take what is marked or selected out of the downloads, and remove its part", 4},
	{Preview, Deliveries, []string{"v"}, "preview", "look at a file that is here: pictures, GeoJSON, CSV, text", 6},
	{OpenFile, Deliveries, []string{"o"}, "open with", "open the file with the system's program for it", 7},
	{OpenFolder, Deliveries, []string{"O"}, "folder", "open the folder with the system's file manager", 8},
	{Bandwidth, Deliveries, []string{"b"}, "bandwidth…", "bound what all downloads take of the line together", 9},
	{FetchTo, Deliveries, []string{"t"}, "to…", "choose the folder to fetch into", 10},
	{Toggle, Deliveries, []string{"space"}, "mark", "mark the row, to fetch or pause several", 0},
	{ToggleAll, Deliveries, []string{"ctrl+a"}, "mark all", "mark all rows that are shown, or none", 0},
	{Flat, Deliveries, []string{"x"}, "flat", "show files alone, to sort and filter them, or below their packages", 0},
	{FocusMap, Deliveries, []string{"m"}, "map", "move the map with the keys, or the list again", 0},
	{Refresh, Deliveries, []string{"r"}, "refresh", "read what was delivered again", 11},

	{Open, Library, []string{"enter"}, "files", "see the files of the dataset", 1},
	{Fetch, Library, []string{"f"}, "fetch", "fetch all files of the dataset", 2},
	{OpenFolder, Library, []string{"O"}, "folder", "open the folder with the system's file manager", 4},
	{FocusMap, Library, []string{"m"}, "map", "move the map with the keys, or the list again", 5},
	{Refresh, Library, []string{"r"}, "refresh", "read the library again", 6},

	{KeepDay, Calendar, []string{"enter"}, "take", "take the day that is marked", 1},
	{DayBefore, Calendar, []string{"left"}, "day before", "mark the day before", 0},
	{DayAfter, Calendar, []string{"right"}, "day after", "mark the day after", 0},
	{WeekBefore, Calendar, []string{"up"}, "week before", "mark the day a week before", 0},
	{WeekAfter, Calendar, []string{"down"}, "week after", "mark the day a week after", 0},
	{MonthBefore, Calendar, []string{"pgup"}, "month before", "mark the day a month before", 2},
	{MonthAfter, Calendar, []string{"pgdown"}, "month after", "mark the day a month after", 3},

	{Open, Welcome, []string{"enter"}, "choose", "take what is marked", 1},
	{TryDemo, Welcome, []string{"d"}, "demo", "try the demo: a service in this process, with orders to try", 2},
	{ConnectAccount, Welcome, []string{"c"}, "connect", "connect an account of a service", 3},

	{NextField, Account, []string{"tab", "down", "enter"}, "next", "next field", 1},
	{PrevField, Account, []string{"shift+tab", "up"}, "previous", "previous field", 0},
	{Submit, Account, []string{"ctrl+s"}, "try the key", "ask the service what the key may do; nothing is kept yet", 2},

	{Open, Tried, []string{"enter"}, "keep", "keep the account and open it", 1},

	{Drafts, Steps, []string{"ctrl+l"}, "drafts…", "the drafts that were put aside: take one up, begin another, forget one", 0},
	{DropDraft, Steps, []string{"ctrl+x"}, "drop draft…", "forget this draft and begin anew, after one question", 0},

	{Open, Desk, []string{"enter"}, "open", "go to what is chosen", 1},
	{NewOrder, Desk, []string{"n"}, "new order", "new order from a KML or CSV file", 2},
	{ShowData, Desk, []string{"f"}, "deliveries", "what was delivered of the mission that is chosen, to fetch it", 3},
	{Seen, Desk, []string{"x"}, "seen", "take what moved as seen; what moves from now on is new", 3},
	{FocusMap, Desk, []string{"m"}, "map", "move the map with the keys, or the list again", 4},
	{Refresh, Desk, []string{"r"}, "refresh", "read everything again", 5},

	{Open, Fleet, []string{"enter"}, "open", "open the mission", 1},
	{CycleView, Fleet, []string{"v"}, "view", "list, map or month", 2},
	{ShowOrder, Fleet, []string{"o"}, "order", "open the mission's order", 3},
	{ShowData, Fleet, []string{"f"}, "deliveries", "what was delivered of the mission, to fetch it", 3},
	{ShowStory, Fleet, []string{"s"}, "story", "what happened to the mission, from every source", 3},
	{CalendarFile, Fleet, []string{"i"}, "calendar…", "write flights and deadlines of the missions shown to a calendar file, .ics", 5},
	{Refresh, Fleet, []string{"r"}, "refresh", "read orders and missions again", 4},

	{DayBefore, Month, []string{"left", "h"}, "day before", "go to the day before", 0},
	{DayAfter, Month, []string{"right", "l"}, "day", "go to the day after", 6},
	{WeekBefore, Month, []string{"up", "k"}, "week before", "go a week back", 0},
	{WeekAfter, Month, []string{"down", "j"}, "week", "go a week on", 7},
	{MonthBefore, Month, []string{"[", "pgup"}, "month before", "go to the month before", 0},
	{MonthAfter, Month, []string{"]", "pgdown"}, "month", "go to the month after", 8},
	{NextOfDay, Month, []string{"tab"}, "next of day", "choose the next mission of the day", 9},

	{ShowOrder, Mission, []string{"o"}, "order", "open the mission's order", 1},
	{ShowData, Mission, []string{"f"}, "deliveries", "what was delivered of the mission, to fetch it", 2},
	{ShowStory, Mission, []string{"s"}, "story", "what happened to the mission, from every source", 2},
	{OpenPermit, Mission, []string{"p"}, "permit", "open the document of the flight permission with the system's program for it", 2},
	{Permit, Mission, []string{"P"}, "save permit…", "save the document of the flight permission to a file", 2},
	{CopyCode, Mission, []string{"y"}, "copy code", "copy the mission's code", 4},
	{Refresh, Mission, []string{"r"}, "refresh", "read the mission again", 3},

	{Open, QuoteInbox, []string{"enter"}, "compare", "compare the order's quotes, and decide", 1},
	{ShowOrder, QuoteInbox, []string{"o"}, "order", "open the order's own page", 2},
	{Decisions, QuoteInbox, []string{"i"}, "decisions", "what was decided from this machine", 3},
	{Refresh, QuoteInbox, []string{"r"}, "refresh", "read the quotes again", 4},

	{PrevQuote, Quotes, []string{"left", "h"}, "before", "choose the quote before", 0},
	{NextQuote, Quotes, []string{"right", "l"}, "choose", "choose the next quote", 1},
	{AcceptQuote, Quotes, []string{"A"}, "accept…", "accept the chosen quote, once its amount has been typed", 2},
	{RejectQuote, Quotes, []string{"X"}, "reject…", "reject the marked quotes, or the chosen one", 3},
	{Terms, Quotes, []string{"enter"}, "terms", "read the chosen quote whole", 4},
	{MarkQuote, Quotes, []string{"space"}, "mark", "mark the quote, to reject several together", 5},
	{Differences, Quotes, []string{"d"}, "differences", "show only the terms in which the quotes differ", 6},
	{NoteQuote, Quotes, []string{"t"}, "note", "write a note on the quote; it stays on this machine", 7},
	{SiteOrders, Quotes, []string{"c"}, "same site", "compare with the quotes of other orders at this site", 8},
	{Decided, Quotes, []string{"v"}, "decided", "list the quotes that are decided", 9},
	{Decisions, Quotes, []string{"i"}, "decisions", "what was decided from this machine", 10},
	{ShowOrder, Quotes, []string{"o"}, "order", "open the order's own page", 11},
	{Export, Quotes, []string{"E"}, "export…", "write the comparison to a file, Markdown or CSV", 12},
	{Refresh, Quotes, []string{"r"}, "refresh", "read the quotes again", 13},

	{Open, DecisionLog, []string{"enter"}, "whole", "read the decision whole", 1},

	{Open, Wire, []string{"enter"}, "open", "show the exchange, in a narrow window in place of the list", 1},
	{CopyCurl, Wire, []string{"c"}, "copy curl", "copy the request as a curl command, without the key", 2},
	{OnlyFailures, Wire, []string{"b"}, "failures", "only requests that failed, or all again", 3},
	{Pause, Wire, []string{"p"}, "pause", "hold newer requests back, or go on", 4},
	{Export, Wire, []string{"E"}, "save HAR…", "write the requests that are shown to an HTTP archive", 5},
	{NextTab, Wire, []string{"]"}, "next part", "answer, request, timing, curl", 6},
	{PrevTab, Wire, []string{"["}, "part before", "the part of the exchange before", 0},
	{ScrollDown, Wire, []string{"J", "shift+down"}, "scroll", "half a page down in the exchange", 7},
	{ScrollUp, Wire, []string{"K", "shift+up"}, "scroll up", "half a page up in the exchange", 0},

	{Open, Webhooks, []string{"enter"}, "log", "the log of the endpoint's callbacks, with the gaps in it", 1},
	{Register, Webhooks, []string{"n"}, "register…", "register an endpoint; its secret is shown once", 2},
	{LiveFeed, Webhooks, []string{"L"}, "live feed", "events as they are received here", 3},
	{Workbench, Webhooks, []string{"i"}, "workbench", "learn why a signature holds or not, and send a test event", 4},
	{TestEvent, Webhooks, []string{"t"}, "test event…", "send a signed test event to an address of this machine", 5},
	{DeleteEndpoint, Webhooks, []string{"delete", "backspace"}, "delete…", "delete the endpoint, once its host has been typed", 6},
	{Refresh, Webhooks, []string{"r"}, "refresh", "read endpoints and their logs again", 7},

	{Open, CallbackLog, []string{"enter"}, "mission", "open the mission that the callback is about", 1},
	{OnlyFailures, CallbackLog, []string{"b"}, "failures", "only callbacks that failed and gaps, or all again", 2},
	{ShowStory, CallbackLog, []string{"s"}, "story", "what happened to the mission, from every source", 2},
	{ShowOrder, CallbackLog, []string{"o"}, "order", "open the mission's order", 3},
	{CopyWords, CallbackLog, []string{"c"}, "copy words", "copy what is known of the callback or gap as a sentence", 4},
	{LiveFeed, CallbackLog, []string{"L"}, "live feed", "events as they are received here", 4},
	{Workbench, CallbackLog, []string{"i"}, "workbench", "learn why a signature holds or not, and send a test event", 5},
	{TestEvent, CallbackLog, []string{"t"}, "test event…", "send a signed test event to an address of this machine", 6},
	{DeleteEndpoint, CallbackLog, []string{"delete", "backspace"}, "delete…", "delete the endpoint, once its host has been typed", 7},
	{Refresh, CallbackLog, []string{"r"}, "refresh", "read the log again", 8},

	{Open, Feed, []string{"enter"}, "mission", "open the mission that the event is about", 1},
	{ListenFeed, Feed, []string{"L"}, "listen…", "begin to listen, or end it", 2},
	{ShowStory, Feed, []string{"s"}, "story", "what happened to the mission, from every source", 3},
	{ShowOrder, Feed, []string{"o"}, "order", "open the mission's order", 3},
	{Workbench, Feed, []string{"i"}, "workbench", "learn why a signature holds or not, and send a test event", 4},
	{TestEvent, Feed, []string{"t"}, "test event…", "send a signed test event to an address of this machine", 5},
	{Refresh, Feed, []string{"r"}, "refresh", "read the missions again", 6},

	{NextField, Bench, []string{"tab", "enter"}, "next", "next field", 1},
	{PrevField, Bench, []string{"shift+tab", "up"}, "previous", "previous field", 0},
	{FieldDown, Bench, []string{"down"}, "below", "the field below", 0},
	{TestEvent, Bench, []string{"ctrl+t"}, "test event…", "send a signed test event to an address of this machine", 2},
	{Clear, Bench, []string{"ctrl+x"}, "clear", "empty all fields", 3},

	{Open, Inspect, []string{"enter"}, "open", "go to what is chosen", 1},
	{ShowStory, Inspect, []string{"s"}, "story", "what happened to the mission or order that is chosen, from every source", 2},
	{Refresh, Inspect, []string{"r"}, "refresh", "find out and read everything again", 3},
	{Export, Inspect, []string{"E"}, "report…", "write what is known of the account to a report, Markdown or JSON", 4},

	{Open, Story, []string{"enter"}, "open", "open what the entry is known from; in a narrow window read it whole first", 1},
	{ShowOrder, Story, []string{"o"}, "order", "open the order's own page", 2},
	{OnlyFailures, Story, []string{"b"}, "failures", "only what went wrong, or all again", 3},
	{Routine, Story, []string{"v"}, "requests", "list requests that only read something, too, or leave them out", 4},
	{Export, Story, []string{"E"}, "report…", "write what is listed to a report, Markdown or JSON", 5},
	{Refresh, Story, []string{"r"}, "refresh", "read the story again", 6},
	{ScrollDown, Story, []string{"J", "shift+down"}, "scroll", "down in the entry", 0},
	{ScrollUp, Story, []string{"K", "shift+up"}, "scroll up", "up in the entry", 0},

	{MapLeft, Map, []string{"left", "h"}, "left", "pan left", 0},
	{MapRight, Map, []string{"right", "l"}, "right", "pan right", 0},
	{MapUp, Map, []string{"up", "k"}, "up", "pan up", 0},
	{MapDown, Map, []string{"down", "j"}, "down", "pan down", 0},
	{MapZoom, MapView, []string{"z"}, "zoom to", "show only what is selected on the map", 8},
	{MapFit, MapView, []string{"0"}, "fit", "show everything on the map", 8},
	{MapIn, MapView, []string{"+", "="}, "zoom in", "zoom the map in", 9},
	{MapOut, MapView, []string{"-"}, "zoom out", "zoom the map out", 9},
	{MapNext, MapView, []string{"}"}, "next on map", "select the next one on the map", 0},
	{MapPrev, MapView, []string{"{"}, "previous on map", "select the one before on the map", 0},
	{MapGrid, MapView, []string{"#"}, "grid", "show or hide lines of latitude and longitude", 0},
	{MapGlyphs, MapView, []string{"%"}, "glyphs", "draw the map in braille, in blocks or in ASCII", 0},

	{Down, List, []string{"j", "down"}, "down", "next row", 0},
	{Up, List, []string{"k", "up"}, "up", "row before", 0},
	{Top, List, []string{"g", "home"}, "first", "first row", 0},
	{Bottom, List, []string{"G", "end"}, "last", "last row", 0},
	{HalfDown, List, []string{"ctrl+d", "pgdown"}, "half page down", "half a page down", 0},
	{HalfUp, List, []string{"ctrl+u", "pgup"}, "half page up", "half a page up", 0},

	{Back, Everywhere, []string{"esc"}, "back", "back to the page before; nothing typed is lost", 90},
	{GoMissions, Everywhere, []string{"3"}, "missions", "go to the missions of all orders", 0},
	{GoDesk, Everywhere, []string{"1"}, "desk", "go to the desk: what is to be decided, and what moved", 0},
	{GoOrders, Everywhere, []string{"2"}, "orders", "go to the orders", 0},
	{GoQuotes, Everywhere, []string{"4"}, "quotes", "go to the quotes that are to be decided", 0},
	{GoDeliveries, Everywhere, []string{"5"}, "deliveries", "go to what was delivered", 0},
	{GoLibrary, Everywhere, []string{"6"}, "library", "go to the purchased datasets", 0},
	{GoInspect, Everywhere, []string{"8"}, "inspect", "go to the account as support sees it", 0},
	{GoOps, Everywhere, []string{"9"}, "operations", "go to the operations desk: the service's side of the story", 0},
	{GoWebhooks, Everywhere, []string{"7"}, "webhooks", "go to the webhooks: endpoints, callbacks, events", 0},
	{Filter, Table, []string{"/"}, "filter", "show only rows with these words, or column:word", 20},
	{KeepFilter, FilterLine, []string{"enter"}, "keep", "keep the filter and go on in the list", 1},
	{Complete, FilterLine, []string{"tab"}, "complete", "complete the column or the value", 2},
	{Down, FilterLine, []string{"down"}, "down", "next row", 0},
	{Up, FilterLine, []string{"up"}, "up", "row before", 0},
	{SortNext, Table, []string{">"}, "sort by next", "sort by the next column", 0},
	{SortPrev, Table, []string{"<"}, "sort by previous", "sort by the column before", 0},
	{SortReverse, Table, []string{"R"}, "reverse", "turn the order of the rows round", 0},
	{PrevColumn, Table, []string{"h", "left"}, "cell left", "the cell at the left, to copy it", 0},
	{NextColumn, Table, []string{"l", "right"}, "cell right", "the cell at the right, to copy it", 0},
	{Columns, Table, []string{"|"}, "columns…", "choose, order and size the columns; kept for the profile", 21},
	{CopyCell, Table, []string{"y"}, "copy cell", "copy the cell, of a day the time in full", 0},
	{CopyRow, Table, []string{"Y"}, "copy row", "copy the row, with tabs between its cells", 0},
	{CopyTable, Table, []string{"ctrl+y"}, "copy table", "copy the rows that are shown, as spreadsheets take them", 0},
	{Export, Table, []string{"E"}, "export…", "write the rows that are shown to a CSV or JSON file", 22},

	{Palette, Everywhere, []string{":", "ctrl+p"}, "palette", "find an action, an order or a theme by a few letters", 0},
	{Help, Everywhere, []string{"?", "f1"}, "help", "all keys of this page", 98},
	{ShowWire, Everywhere, []string{"w"}, "wire", "the requests of this run and their answers", 0},
	{Profiles, Everywhere, []string{"ctrl+o"}, "profile", "go over to another profile", 0},
	{LastProfile, Everywhere, []string{"`", "alt+o"}, "last profile", "go back to the profile that was shown before this one", 0},
	{Jump, Everywhere, []string{";"}, "jump", "label the parts of the screen; the label's key goes there", 0},
	{Undo, Everywhere, []string{"u"}, "undo", "stop what has not been sent yet, or take back the last change", 0},
	{Downloads, Everywhere, []string{"D"}, "downloads", "show or hide the panel of what is being fetched", 0},
	{News, Everywhere, []string{"N"}, "news", "go to what came last, a quote, a flight date or data, and then to what came before", 0},
	{AreaUnits, Everywhere, []string{"U"}, "units", "areas by size, in hectares, km² or acres; kept for the profile", 0},
	{SiteTimes, Everywhere, []string{"T"}, "times", "flights by the clock of the site, or by this machine's; kept for the profile", 0},
	{Mouse, Everywhere, []string{"M"}, "mouse", "leave the mouse to the terminal, to select text, or take it back", 0},
	{Suspend, Everywhere, []string{"ctrl+z"}, "suspend", "to the shell; fg comes back", 0},
	{Quit, Everywhere, []string{"q", "ctrl+c"}, "quit", "leave; drafts are kept", 99},
}
