package page

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/picture"
)

// Page is a page on a section's stack. All methods are called from the program's
// loop; View and Update do no I/O.
type Page interface {
	// Title returns the page's name in the breadcrumbs.
	Title() string
	// CornerText returns the note at the right of the breadcrumbs, such as the number and the age of the rows.
	CornerText() string
	// OnShow is called when the page is shown, because it becomes the top page of the stack, and when the
	// window gets the focus again.
	OnShow() tea.Cmd
	// Update handles messages of the app. While IsTyping returns true, it also gets the keys that have no action.
	Update(msg tea.Msg) tea.Cmd
	// View renders exactly h lines of w cells.
	View(w, h int) string
	// Cursor returns the cursor's position in the last view, or nil.
	Cursor() *tea.Cursor
	// ActionScopes returns the scopes of the available actions, narrowest first.
	ActionScopes() []action.Scope
	// DisabledReason returns why an action is disabled, or "".
	DisabledReason(id action.ID) string
	// HandleAction runs an action of one of the scopes.
	HandleAction(id action.ID) tea.Cmd
	// IsTyping reports whether keys are text input.
	IsTyping() bool
	// HandleBack handles esc, for example to leave a mode, and reports whether it did
	// anything. Otherwise esc closes the page.
	HandleBack() (cmd tea.Cmd, handled bool)
	// HandleMouse handles a click or wheel turn on the page.
	HandleMouse(m MouseInput) tea.Cmd
	// OnLeave is called when the page leaves the stack.
	OnLeave() tea.Cmd
	// PageLifetime returns the page's lifetime.
	PageLifetime() *Lifetime
	// ServiceInUse returns the clients and data of the account that the page shows: the profile's account, or
	// an account that is read with the operations key.
	ServiceInUse() *ProfileService
}

// Lead is the most important fact on a page, and the key for dealing with it.
type Lead struct {
	Text  string // "" shows no lead; parts that are separated by " · " are left out if there is no room for them
	Short string // replaces Text if there is no room for its first part; "" cuts the first part
	Key   string // "" for no key
	Does  string // what the key does, such as "to compare"
}

// Leader is a page that can have a lead, which is shown next to its title.
type Leader interface{ LeadOf() Lead }

// Part is a page about a part of something that has its own page, such as the quotes of an order.
type Part interface {
	// PartTitle returns the title without the name of the subject, such as "Quotes". The breadcrumbs show this title
	// after the page of the subject. isPart reports whether a page with the title parent is the page of the subject.
	PartTitle(parent string) (title string, isPart bool)
}

// BreadcrumbTitles returns the titles of the pages on a stack. A page that is a [Part] of an earlier page gets its
// title from PartTitle.
func BreadcrumbTitles(pages []Page) []string {
	titles := make([]string, len(pages))
	for i, p := range pages {
		titles[i] = p.Title()
		part, canBePart := p.(Part)
		if !canBePart {
			continue
		}
		for _, parent := range pages[:i] {
			if title, isPart := part.PartTitle(parent.Title()); isPart {
				titles[i] = title
			}
		}
	}
	return titles
}

// MouseInput is a click or wheel turn, in cells of the page.
type MouseInput struct {
	X, Y   int
	Wheel  int  // rows to scroll, positive is down; 0 for a click
	Double bool // the second click of a double click
	Shift  bool // the shift key is held
}

// KnownPlace is a place that the palette can open.
type KnownPlace struct {
	Name string // code and name, which the palette searches
	Kind string // for example "order"
	Open func() tea.Cmd
}

// Dragger is a page that handles movements of the mouse with the button held down. isReleased is true for
// the last call, when the button was released.
type Dragger interface {
	HandleDrag(m MouseInput, isReleased bool) tea.Cmd
}

// Pointer is a page that handles mouse movements while TracksPointer returns true.
type Pointer interface {
	HandlePointer(m MouseInput)
	TracksPointer() bool
}

// TextSelector is a page or dialog with text that the user can select with the mouse. While it is shown, the app gets
// no mouse events.
type TextSelector interface{ SelectsText() }

// ProfileSwitchBlocker is a page or dialog that a switch to another profile must not close. An example is a
// dialog with a secret that is shown only once. BlocksProfileSwitch returns why the profile cannot be switched,
// or "" if it can be.
type ProfileSwitchBlocker interface{ BlocksProfileSwitch() string }

// SecondCounter is a page that is redrawn every second while CountsSeconds returns true.
type SecondCounter interface{ CountsSeconds() bool }

// FilteredPage is a page with a filter.
type FilteredPage interface{ ApplyFilter(query string) }

// PlaceGuide is a page that adds places to the palette.
type PlaceGuide interface{ KnownPlaces() []KnownPlace }

// Env has the services that all pages share, grouped by purpose. A function that needs only one group gets only
// that group as an argument.
type Env struct {
	Profile ProfileService
	Look    PageLook
	Clock   AppClock
	Files   FileAccess
	Nav     Navigator
	Changes HeldChanges
	Drafts  *ordering.Drafts // nil if the app is not connected to a service
}

// PageLook has the size of the window, the abilities of the terminal, and the settings with which pages are
// drawn.
type PageLook struct {
	Theme    *theme.Theme
	Width    int              // width of the window in cells
	Height   int              // height of the window in cells
	Graphics picture.Graphics // the terminal's picture support
	Links    bool             // the terminal may support links
	Remote   bool             // the terminal is on another machine
	CanEdit  bool             // the app can edit the profile
	Units    format.Units     // units in which areas and times are shown
	UIState  *session.UIState // saved table layouts; nil saves nothing
}

// AppClock provides the current time and timers.
type AppClock struct {
	Now func() time.Time // the service's time in the user's time zone
	// After returns the command that sends msg after the time d. Tests replace it by a function that does not
	// wait.
	After func(d time.Duration, msg tea.Msg) tea.Cmd
	// IsScrolling reports whether the user is scrolling past rows without reading them; nil
	// means never.
	IsScrolling func() bool
}

// ScrollsPast reports whether the user is scrolling past rows without reading them.
func (c *AppClock) ScrollsPast() bool { return c.IsScrolling != nil && c.IsScrolling() }

// FileAccess has the folders and functions for reading, writing and opening files.
type FileAccess struct {
	Home    string // the user's home folder, or "" if unknown
	Folder  string // folder that the file picker shows first
	Samples string // folder of sample survey files, or ""
	// Confined is true if the user is a guest, who uses the app in a terminal on another machine. A guest can only
	// use the files in Folder and Samples, and cannot use the network of this machine.
	Confined bool
	// Free returns how many bytes the user may still write to a folder. If it is nil, only the
	// size of the disk limits the user.
	Free func(folder string) (int64, error)
	// Clipboard copies text to a clipboard. It returns the name of this clipboard, or "" for the clipboard of the
	// system. Clipboard is nil if there is no clipboard.
	Clipboard func(text string) (into string, err error)
	// ReadClipboard returns the text of the clipboard. It is nil if no clipboard can be read.
	ReadClipboard func() (string, error)

	Opener  func(path string) error // opens a file or folder with the system's program; may be nil
	Scratch func() (string, error)  // returns a temporary folder for files that another program opens
}

// Navigator opens pages and dialogs. The stacks change immediately, so that the next key
// goes to the new page.
type Navigator interface {
	// Open opens a page on top of the current page.
	Open(Page) tea.Cmd
	// Show opens the page of a route, which can be a page of any section.
	Show(Route) tea.Cmd
	// Instead replaces a page by the page of a route. old is the lifetime of the page to replace.
	Instead(old *Lifetime, with Route) tea.Cmd
	// Go opens the first page of a section and filters its rows; the filter "" shows all rows. Go returns nil if
	// the section is not available.
	Go(section action.ID, filter string) tea.Cmd
	// Overlay opens a dialog that the user asked for.
	Overlay(widget.Dialog)
	// Interrupt opens a dialog that the user did not ask for. The dialog ignores keys for a
	// moment, because they were meant for the page or dialog below.
	Interrupt(widget.Dialog)
	// OnTop reports whether the page with this lifetime is shown, and the window has the focus.
	OnTop(*Lifetime) bool
	// InAccount returns the environment for pages of another account, which is read with the
	// operations key.
	InAccount(uuid, company string) *Env
}

// Route identifies a page of any section. The app makes the page of a route, so that a section
// need not import the packages of other sections.
type Route interface{ isRoute() }

// The routes.
type (
	OrderRoute   struct{ Order *api.Order }
	MissionRoute struct{ Mission *cache.Mission }
	// EndpointRoute is the page of the webhook endpoint with the given UUID. Callback is the ID of the callback
	// to select; "" selects the newest callback.
	EndpointRoute struct{ UUID, Callback string }
	// StoryRoute is the page with the timeline of an order or mission. Entry is the ID of the entry to select; ""
	// selects the first failure or, if there is none, the newest entry.
	StoryRoute struct {
		Subject timeline.StorySubject
		Entry   string
	}
	// AccountRoute is the page that diagnoses the account.
	AccountRoute struct{}
	// NewOrderRoute is the page on which the user drafts and places an order. The draft is a copy of an earlier order,
	// a stored draft or, for the zero value, the current draft.
	NewOrderRoute struct {
		Again *api.Order // the order to repeat, or nil
		Draft string     // ID of a stored draft, or ""
	}
)

func (OrderRoute) isRoute()    {}
func (MissionRoute) isRoute()  {}
func (EndpointRoute) isRoute() {}
func (StoryRoute) isRoute()    {}
func (AccountRoute) isRoute()  {}
func (NewOrderRoute) isRoute() {}

// HeldChanges sends changes to the service after a delay, in which the user can undo them.
type HeldChanges struct {
	// Defer sends a change after the delay, unless the user undoes it.
	Defer func(HeldChange) tea.Cmd
	// PendingFor returns the text of a pending change of the order, quote or endpoint with the given ID, or "" if
	// there is none. A change is pending until the service has responded to it.
	PendingFor func(id string) string
}

// PendingReason returns why the order or endpoint with the given ID should not be changed now: another change
// of it is pending. It returns "" if no change is pending.
func (h *HeldChanges) PendingReason(id string) string {
	if h.PendingFor == nil || h.PendingFor(id) == "" {
		return ""
	}
	return "still pending: " + h.PendingFor(id)
}

// Lifetime identifies a page. Its context ends when the page leaves the stack.
type Lifetime struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// NewLifetime begins a page's lifetime.
func NewLifetime() *Lifetime {
	ctx, cancel := context.WithCancel(context.Background())
	return &Lifetime{ctx, cancel}
}

// Context returns the context of the page. It is cancelled when the page leaves the stack.
func (l *Lifetime) Context() context.Context { return l.ctx }

// End cancels the context of the page.
func (l *Lifetime) End() { l.cancel() }

// Base implements the methods of Page that most pages share.
type Base struct {
	Env  *Env
	life *Lifetime
}

// NewBase returns the base of a new page.
func NewBase(env *Env) Base { return Base{env, NewLifetime()} }

// PageLifetime returns the page's lifetime.
func (b Base) PageLifetime() *Lifetime { return b.life }

// ServiceInUse returns the clients and data of the account that the page shows.
func (b Base) ServiceInUse() *ProfileService { return &b.Env.Profile }

// IsShown reports whether the page is shown and the window has the focus. A page that is not shown
// stops its timers and reads, and starts them again in OnShow.
func (b Base) IsShown() bool { return b.Env.Nav != nil && b.Env.Nav.OnTop(b.life) }

// CornerText returns "".
func (b Base) CornerText() string { return "" }

// Freshness returns when cached data was loaded, such as "refreshed 12 m ago". It returns "reading…" until the
// first response.
func (b Base) Freshness(state cache.EntryState) string {
	if state.IsUnread() {
		return "reading…"
	}
	if state.ReadAt.IsZero() {
		return ""
	}
	return "refreshed " + format.Ago(state.ReadAt, b.Env.Clock.Now())
}

// KeptText describes the data that is still shown after a failed read: a count such as "17 rows",
// and when the data was loaded.
func (b Base) KeptText(count string, loadedAt time.Time) string {
	if loadedAt.IsZero() {
		return "Showing " + count
	}
	return "Showing " + count + ", loaded " + format.Ago(loadedAt, b.Env.Clock.Now())
}

// OnShow does nothing.
func (b Base) OnShow() tea.Cmd { return nil }

// Cursor returns nil.
func (b Base) Cursor() *tea.Cursor { return nil }

// DisabledReason returns "", so every action is enabled.
func (b Base) DisabledReason(action.ID) string { return "" }

// HandleBack returns false, so esc closes the page.
func (b Base) HandleBack() (tea.Cmd, bool) { return nil, false }

// HandleMouse does nothing.
func (b Base) HandleMouse(MouseInput) tea.Cmd { return nil }

// OnLeave does nothing.
func (b Base) OnLeave() tea.Cmd { return nil }

// IsTyping returns false.
func (b Base) IsTyping() bool { return false }

// Action implements an action on an object: the selected row of a list, or the object of a page.
type Action[T any] struct {
	ID          action.ID
	NeedsNoRow  bool           // the action works without a selected row; WhyDisabled and Do may then get nil
	WhyDisabled func(T) string // returns why the action is disabled, or ""; nil if it is always enabled
	Do          func(T) tea.Cmd

	// Unlikely reports whether the user is unlikely to want the action although it is enabled. The footer then
	// leaves it out. nil means never.
	Unlikely func(T) bool
}

// FindAction returns the page's Action with the given ID, or nil.
func FindAction[T any](actions []Action[T], id action.ID) *Action[T] {
	for i := range actions {
		if actions[i].ID == id {
			return &actions[i]
		}
	}
	return nil
}

// DisabledReason returns why the action is disabled for an object, or "". A nil action is enabled.
func (a *Action[T]) DisabledReason(object T) string {
	if a == nil || a.WhyDisabled == nil {
		return ""
	}
	return a.WhyDisabled(object)
}

// IsUnlikely reports whether the user is unlikely to want the action, although it is enabled. The footer leaves
// the action out.
func (a *Action[T]) IsUnlikely(object T) bool {
	return a != nil && a.Unlikely != nil && a.Unlikely(object)
}

// UnlikelyActions is a page with enabled actions that the user is unlikely to want. The footer leaves these
// actions out.
type UnlikelyActions interface {
	IsUnlikely(id action.ID) bool
}

// NextStepGuide is a page that suggests an action, such as the next step of an order. The footer shows the key
// of that action first.
type NextStepGuide interface {
	// NextAction returns the action for the next step, or "" if there is none.
	NextAction() action.ID
}

// Clicker is a dialog that handles clicks on its content. x and y are cells of the dialog's box. If done is true, the
// dialog is closed. A dialog needs no Clicker for clicks on the keys in the footer, which the app handles.
type Clicker interface {
	HandleClick(x, y int) (cmd tea.Cmd, done bool)
}

// Messages from pages to the root.
type (
	// ToastMsg shows a line in the status row for some seconds.
	ToastMsg struct {
		Role theme.Role
		Text string
	}
	// NoteMsg shows a text that another person sends to the user.
	NoteMsg struct{ Title, Text string }
	// CrashMsg ends the app after a panic. It is also the error that Run returns.
	CrashMsg struct {
		Reason any
		Stack  []byte
	}
	// UnitsMsg reports that the units of areas or times have changed.
	UnitsMsg struct{}
	// PermissionsMsg reports that the app has learned which rights the API key has.
	PermissionsMsg struct{}
	// CheckScopesMsg asks the service which scopes the key has.
	CheckScopesMsg struct{}
	// HeardMsg reports that the event feed has received an event or has changed its state.
	HeardMsg struct{}
	// DraftsMsg reports that the stored drafts or their orders have changed.
	DraftsMsg struct{}
	// PlacedMsg reports that an order was placed.
	PlacedMsg struct{ Order *api.Order }
)

// Error returns the failure without its stack.
func (c *CrashMsg) Error() string { return fmt.Sprintf("internal error: %v", c.Reason) }

// SendMessage returns the command that sends msg.
func SendMessage(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// ShowToast returns the command that shows a message in the status row.
func ShowToast(role theme.Role, text string) tea.Cmd { return SendMessage(ToastMsg{role, text}) }

// ToPage is a message for a page. The program's loop calls Do if the page with the lifetime Life is still open.
type ToPage struct {
	Life   *Lifetime
	Do     func() tea.Cmd
	Closed func() tea.Cmd // called instead of Do if the page is closed; may be nil
}

// Request numbers the runs of a background request of a page. If the request is started again before the
// service has responded, the page ignores the response to the earlier run. The zero value is ready to use.
type Request struct {
	started  int // number of the last run
	finished int // number of the last run whose response was handled
}

// IsRunning reports whether the last run has no response yet.
func (r *Request) IsRunning() bool { return r.started != r.finished }

// Cancel makes the page ignore the response to the current run.
func (r *Request) Cancel() {
	r.started++
	r.finished = r.started
}

// RunInBackground calls run in the background and then handle with its result in the program's loop. It does not
// call handle if the same request was started again in the meantime, or if the page was closed.
func RunInBackground[T any](
	b Base, r *Request, run func(ctx context.Context) (T, error), handle func(T, error) tea.Cmd,
) tea.Cmd {
	return RunToEnd(b, r, run, handle, nil)
}

// RunToEnd does the same as RunInBackground, but it also reports a result that arrives after the page was
// closed. It then calls closed instead of handle. closed may be nil.
func RunToEnd[T any](
	b Base, r *Request, run func(ctx context.Context) (T, error), handle, closed func(T, error) tea.Cmd,
) tea.Cmd {
	r.started++
	number := r.started
	life := b.life
	return func() tea.Msg {
		value, err := run(life.ctx)
		msg := ToPage{Life: life, Do: func() tea.Cmd {
			if number != r.started {
				return nil
			}
			r.finished = number
			return handle(value, err)
		}}
		if closed != nil {
			msg.Closed = func() tea.Cmd { return closed(value, err) }
		}
		return msg
	}
}

// DoLater calls a function after d, unless the page is closed before.
func (b Base) DoLater(d time.Duration, do func() tea.Cmd) tea.Cmd {
	return b.Env.Clock.After(d, ToPage{Life: b.life, Do: do})
}

// DownloadsTouched returns the command that a page sends after it has changed the downloads. It makes the app
// show the new state of the downloads.
func (p *ProfileService) DownloadsTouched() tea.Cmd {
	return SendMessage(deliveries.DownloadWork{Downloads: p.Downloads, Free: p.Downloads.Free})
}

// DownloadsChangedMsg reports that the states of files have changed. Ended is true if all
// downloads have ended; pages then read the files on disk again.
type DownloadsChangedMsg struct{ Ended bool }

// BackgroundCommand returns the command that runs work on the downloads, or nil if work is nil.
func BackgroundCommand(work func() deliveries.DownloadWork) tea.Cmd {
	if work == nil {
		return nil
	}
	return func() tea.Msg { return work() }
}

// HoldTime is how long a change is held before it is sent to the service.
const HoldTime = 8 * time.Second

// UndoNote returns a sentence that says how long the user can undo a change, such as "You can undo for 8 s; then it is
// final." The argument then, here "it is final", is the end of the sentence.
func (p *ProfileService) UndoNote(then string) string {
	return fmt.Sprintf("You can undo for %.0f s; %s.", HoldTime.Seconds(), then)
}

// HeldChange is a confirmed change that is sent to the service after [HoldTime], unless the user undoes it. It is
// sent even if its page was closed before.
type HeldChange struct {
	Text string // the change, verb first: cancel ORD-100240
	Done string // the message on success: Cancelled ORD-100240
	// Of is the ID of the changed entity, or "". The user should not make another change of the entity until the
	// service has answered; see [HeldChanges].PendingFor.
	Of string
	// Parts are the IDs of the parts of the entity that the change is about, such as the quotes that it decides.
	Parts []string
	Send  func(ctx context.Context) error
}

// SentMsg reports the result of a held change. The app shows the result, and pages reload the changed data.
type SentMsg struct {
	Held HeldChange
	Err  error
}

// UndoMsg adds an undo step for a change of local data, and shows a message.
type UndoMsg struct {
	Text string // the change: removed Levee km 3
	// Undo reverts the change; ok is false if that is no longer possible.
	Undo func() (cmd tea.Cmd, ok bool)
	// Redo makes the change again; nil if that is not possible.
	Redo   func() (cmd tea.Cmd, ok bool)
	Weight int  // number of survey sites that the step keeps in memory; the app drops old steps if there are too many
	Quiet  bool // no message is shown, because the user can see the change
}

// JumpTarget is a place on the page that the user can activate with the keyboard: in jump mode the app shows a
// key at each place.
type JumpTarget struct {
	X, Y int // position of the label in the page
	Do   func() tea.Cmd
}

// Jumper is a page with jump targets, in addition to the targets of the frame.
type Jumper interface{ JumpTargets() []JumpTarget }

// RowTargets returns a jump target for each visible row of a table. y is the line of the page in which the
// table's header is. When a target is chosen, it calls click as if the user had clicked the row.
func RowTargets(t *widget.Table, y int, click func(MouseInput) tea.Cmd) []JumpTarget {
	targets := make([]JumpTarget, t.ShownRows())
	for i := range targets {
		input := MouseInput{X: 1, Y: y + t.LineOf(i)}
		targets[i] = JumpTarget{Y: input.Y, Do: func() tea.Cmd { return click(input) }}
	}
	return targets
}

// listMover is a table or another list with a selection that the user can move.
type listMover interface {
	Move(n int)
	Len() int
	HalfPage() int
}

// MoveList performs an action that moves the selection of a list. It returns false if the action does
// not move the selection.
func MoveList(list listMover, id action.ID) bool {
	switch id {
	case action.Down:
		list.Move(1)
	case action.Up:
		list.Move(-1)
	case action.HalfDown:
		list.Move(list.HalfPage())
	case action.HalfUp:
		list.Move(-list.HalfPage())
	case action.Top:
		list.Move(-list.Len())
	case action.Bottom:
		list.Move(list.Len())
	default:
		return false
	}
	return true
}

// CalendarMoves has the actions that move the selected day of a calendar. Each value is a number of days and a number
// of months by which the action moves the selected day.
var CalendarMoves = map[action.ID][2]int{
	action.DayBefore:   {-1, 0},
	action.DayAfter:    {1, 0},
	action.WeekBefore:  {-7, 0},
	action.WeekAfter:   {7, 0},
	action.MonthBefore: {0, -1},
	action.MonthAfter:  {0, 1},
}

// AsOf returns the age of offline data, such as "as of 12 m ago". If isLoading is true, it adds that newer data
// is being loaded.
func AsOf(at, now time.Time, isLoading bool) string {
	text := "as of " + format.Ago(at, now)
	if at.IsZero() {
		text = "never loaded"
	}
	if isLoading {
		text += " · loading…"
	}
	return text
}

// CachedReader is a page that shows cached data. DataNeeds returns the data that the page needs, most urgent
// first. While the page is shown, the app loads this data, and reloads it when it is out of date. DataNeeds is
// called after every message, so it must be fast.
type CachedReader interface{ DataNeeds() []cache.Need }

// ReadMsg reports that data was read. It is sent at most a few times per second, and immediately
// once no data is missing.
type ReadMsg struct{}

// Section is a numbered part of the app with a stack of pages. The stack is kept while another
// section is shown.
//
// To add a section, add
//
//  1. an action in tui/action: its name in ids.go and its row in actions.tsv, in the scope
//     everywhere; its key is the section's number, 0 for the tenth;
//
//  2. a value of Section in the package of the section's first page;
//
//  3. that value to the list in tui/sections.go, which has the order of the navigation.
//
// Navigation, palette, help and mouse then use the section. A page that only other pages open is
// not a section; see [Navigator].Open.
type Section struct {
	Go         action.ID       // the action that opens the section
	Name       string          // name in the navigation, one word
	Short      string          // name in narrow windows, at most five letters
	First      func(*Env) Page // returns the section's first page
	Operations bool            // the section needs only an operations key, no account
	// Missing returns why the section is not offered, or "". It is nil if the section is always offered.
	Missing func(*Env) string
}

// SectionBadge is the short text after a section's name in the navigation, usually a count.
type SectionBadge struct {
	Text string // for example "3", or "!1" for a problem; "" for no badge
	Role theme.Role
}

// ViewAccount returns a copy of the environment for pages of another account. accountCache has the data of that
// account, and company is its name.
func (e *Env) ViewAccount(accountCache *cache.Cache, company string) *Env {
	viewed := *e
	viewed.Profile.Cache = accountCache
	viewed.Profile.Company = company
	viewed.Profile.Viewed = true
	viewed.Profile.Permissions = session.Permissions{}
	viewed.Profile.badges = nil
	viewed.Profile.quoted = nil
	return &viewed
}

// FollowLook copies the settings for drawing pages and the access to files from another environment.
func (e *Env) FollowLook(other *Env) {
	e.Look = other.Look
	e.Files = other.Files
}

// SetBadge sets the badge of the section that an action opens. Call it only in Update.
func (e *Env) SetBadge(section action.ID, b SectionBadge) {
	if e.Profile.badges == nil {
		e.Profile.badges = map[action.ID]SectionBadge{}
	}
	e.Profile.badges[section] = b
}

// BadgeOf returns a section's badge.
func (e *Env) BadgeOf(section action.ID) SectionBadge { return e.Profile.badges[section] }

// WorkMsg updates or ends an entry of background work, in the status row and the
// terminal's tab.
type WorkMsg struct {
	ID     string  // identifies the work
	Text   string  // for example "2 downloads  38%  41 MB/s"
	Done   float64 // progress from 0 to 1; negative if unknown
	Failed bool    // the work has failed and needs the user
	Over   bool    // the work has ended
}
