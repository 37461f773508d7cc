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
	// CornerText returns the note at the right of the breadcrumbs: counts, ages.
	CornerText() string
	// OnShow is called when the page comes to the top of the stack.
	OnShow() tea.Cmd
	// Update handles answers to the page's questions, and keys while IsTyping.
	Update(msg tea.Msg) tea.Cmd
	// View renders exactly h lines of w cells.
	View(w, h int) string
	// Cursor returns the cursor's position in the last view, or nil.
	Cursor() *tea.Cursor
	// ActionScopes returns the scopes of the available actions, narrowest first.
	ActionScopes() []action.Scope
	// DisabledReason says why an action is off, "" where it is on.
	DisabledReason(id action.ID) string
	// HandleAction runs an action of one of the scopes.
	HandleAction(id action.ID) tea.Cmd
	// IsTyping reports whether keys are text input.
	IsTyping() bool
	// HandleBack handles esc, for example to leave a mode, and reports whether it
	// did. Otherwise esc closes the page.
	HandleBack() bool
	// HandleMouse handles a click or wheel turn on the page.
	HandleMouse(m MouseInput) tea.Cmd
	// OnLeave is called when the page leaves the stack.
	OnLeave() tea.Cmd
	// PageLifetime returns the page's lifetime.
	PageLifetime() *Lifetime
	// ServiceInUse returns the account that the page shows: the profile's, or one read with
	// the operations key.
	ServiceInUse() *ProfileService
}

// Lead is the one thing that matters now on a page, and the key for it.
type Lead struct{ Text, Key, Does string }

// Leader is a page that has a lead, beside its title; of no text there is none.
type Leader interface{ LeadOf() Lead }

// MouseInput is a click or wheel turn, in cells of the page.
type MouseInput struct {
	X, Y   int
	Wheel  int  // rows to scroll, positive is down; 0 for a click
	Double bool // second click on the same cell
	Shift  bool // the shift key is held
}

// KnownPlace is a place that the palette can go to.
type KnownPlace struct {
	Name string // code and name, which are searched
	Kind string // for example "order"
	Open func() tea.Cmd
}

// Dragger is a page with something to drag; over is set when the button is
// released.
type Dragger interface {
	HandleDrag(m MouseInput, over bool) tea.Cmd
}

// Pointer is a page that reacts to mouse movement while TracksPointer.
type Pointer interface {
	HandlePointer(m MouseInput)
	TracksPointer() bool
}

// TextSelector is a page or dialog whose text can be selected: the mouse is left
// to the terminal.
type TextSelector interface{ SelectsText() }

// ProfileSwitchBlocker is a page or dialog with content that a switch of the
// profile would lose, such as a secret shown once. BlocksProfileSwitch returns
// the reason, or "".
type ProfileSwitchBlocker interface{ BlocksProfileSwitch() string }

// SecondCounter is a page that may count seconds: it is redrawn every second
// while CountsSeconds.
type SecondCounter interface{ CountsSeconds() bool }

// FilteredPage is a page with a filter.
type FilteredPage interface{ ApplyFilter(query string) }

// PlaceGuide is a page that adds places to the palette.
type PlaceGuide interface{ KnownPlaces() []KnownPlace }

// Env has the services that all pages share, by name. Functions take the service that
// they need.
type Env struct {
	Profile ProfileService
	Look    PageLook
	Clock   AppClock
	Files   FileAccess
	Nav     Navigator
	Changes HeldChanges
	Drafts  *ordering.Drafts // nil without a service
}

// PageLook is what pages are drawn with.
type PageLook struct {
	Theme    *theme.Theme
	Width    int              // of the window, in cells
	Height   int              // of the window, in cells
	Graphics picture.Graphics // the terminal's picture support
	Links    bool             // the terminal may support links
	Remote   bool             // the terminal is on another machine
	Units    format.Units     // of areas and times
	UIState  *session.UIState // saved table layouts; nil saves nothing
}

// AppClock is the time and the timers.
type AppClock struct {
	Now func() time.Time // the service's time in the user's time zone
	// After sends msg after d. Tests replace it, so that they never wait.
	After       func(d time.Duration, msg tea.Msg) tea.Cmd
	IsScrolling func() bool // whether rows are only being scrolled past; nil is never
}

// FileAccess is where files are read and written.
type FileAccess struct {
	Home    string // the user's folder, or ""
	Folder  string // where the file picker begins
	Samples string // folder of sample survey files, or ""
	// Confined is set where no files but those of Folder and Samples can be used,
	// and the network of this machine cannot be.
	Confined bool
	// Free returns how many bytes may be written to a folder; nil leaves that to the disk.
	Free func(folder string) (int64, error)
	// Clipboard copies text and returns where it went, "" for the system's
	// clipboard. Nil if no clipboard is known.
	Clipboard func(text string) (into string, err error)
	// ReadClipboard returns the text of the clipboard, or an error. Nil if none can be read.
	ReadClipboard func() (string, error)

	Opener  func(path string) error // opens a file or folder with the system's program; may be nil
	Scratch func() (string, error)  // returns a temporary folder of the run, for files to open
}

// Navigator opens pages and dialogs. The stacks change immediately, so that the next key
// goes to the new page.
type Navigator interface {
	// Open opens a page on top.
	Open(Page) tea.Cmd
	// Show opens a page of any section.
	Show(Route) tea.Cmd
	// Instead replaces a page.
	Instead(old *Lifetime, with Route) tea.Cmd
	// Go opens the first page of a section, filtered if filter is not ""; nil if
	// the section is not offered.
	Go(section action.ID, filter string) tea.Cmd
	// Overlay opens a dialog.
	Overlay(widget.Dialog)
	// Interrupt opens a dialog by itself: it ignores keys of the moment before, which were
	// meant for something else.
	Interrupt(widget.Dialog)
	// OnTop reports whether a page is shown in a focused window.
	OnTop(*Lifetime) bool
	// InAccount returns the environment of any account, read with the operations key.
	InAccount(uuid, company string) *Env
}

// Route names a page of any section; the app makes it.
type Route interface{ isRoute() }

// The routes.
type (
	OrderRoute   struct{ Order *api.Order }
	MissionRoute struct{ Mission *cache.Mission }
	// EndpointRoute is the page of an endpoint, at the callback with an ID; "" is the newest.
	EndpointRoute struct{ UUID, Callback string }
	// StoryRoute is a timeline, at the entry with an ID; "" is the beginning.
	StoryRoute struct {
		Subject timeline.StorySubject
		Entry   string
	}
	AccountRoute struct{} // Inspect
	// NewOrderRoute is the new order page: with its own draft, an order again or a stored draft.
	NewOrderRoute struct {
		Again *api.Order
		Draft string
	}
)

func (OrderRoute) isRoute()    {}
func (MissionRoute) isRoute()  {}
func (EndpointRoute) isRoute() {}
func (StoryRoute) isRoute()    {}
func (AccountRoute) isRoute()  {}
func (NewOrderRoute) isRoute() {}

// HeldChanges sends changes of the service after a delay in which they can be
// undone.
type HeldChanges struct {
	Defer      func(HeldChange) tea.Cmd // sends a change after the delay, unless it is undone
	PendingFor func(of string) string   // text of a held or unanswered change of an entity, or ""
}

// PendingReason says that a change of an entity is held or not answered yet, "" if none is.
func (h *HeldChanges) PendingReason(of string) string {
	if h.PendingFor == nil || h.PendingFor(of) == "" {
		return ""
	}
	return "still pending: " + h.PendingFor(of)
}

// Lifetime is the lifetime of a page. Its context ends when the page leaves the
// stack.
type Lifetime struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// NewLifetime begins a page's lifetime.
func NewLifetime() *Lifetime {
	ctx, cancel := context.WithCancel(context.Background())
	return &Lifetime{ctx, cancel}
}

// Context returns the context, cancelled when the page leaves the stack.
func (l *Lifetime) Context() context.Context { return l.ctx }

// End ends the lifetime.
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

// ServiceInUse returns the account that the page shows.
func (b Base) ServiceInUse() *ProfileService { return &b.Env.Profile }

// IsShown reports whether the page is shown in a focused window. Timers and reads
// stop when it is not; OnShow starts them again.
func (b Base) IsShown() bool { return b.Env.Nav != nil && b.Env.Nav.OnTop(b.life) }

// CornerText returns "".
func (b Base) CornerText() string { return "" }

// Freshness tells the age of what is shown.
func (b Base) Freshness(is cache.EntryState) string {
	switch {
	case is.IsUnread():
		return "reading…"
	case is.ReadAt.IsZero():
		return ""
	}
	return "refreshed " + format.Ago(is.ReadAt, b.Env.Clock.Now())
}

// KeptText says what is shown although it could not be read again.
func (b Base) KeptText(count string, at time.Time) string {
	if at.IsZero() {
		return "Showing " + count
	}
	return "Showing " + count + ", loaded " + format.Ago(at, b.Env.Clock.Now())
}

// OnShow does nothing.
func (b Base) OnShow() tea.Cmd { return nil }

// Cursor returns nil.
func (b Base) Cursor() *tea.Cursor { return nil }

// DisabledReason returns "": every action is enabled.
func (b Base) DisabledReason(action.ID) string { return "" }

// HandleBack returns false: esc closes the page.
func (b Base) HandleBack() bool { return false }

// HandleMouse does nothing.
func (b Base) HandleMouse(MouseInput) tea.Cmd { return nil }

// OnLeave does nothing.
func (b Base) OnLeave() tea.Cmd { return nil }

// IsTyping returns false.
func (b Base) IsTyping() bool { return false }

// Act is an action on something: the selected row, or what a page shows.
type Act[T any] struct {
	ID  action.ID
	Any bool           // it needs no row; Off and Do can get nil
	Off func(T) string // why it is off, "" where it is on; nil where it is always on
	Do  func(T) tea.Cmd

	Unlikely func(T) bool // it is on, but not offered in the footer; nil: it is offered
}

// FindAct returns what is done on an action, nil if it is none of these.
func FindAct[T any](acts []Act[T], id action.ID) *Act[T] {
	for i := range acts {
		if acts[i].ID == id {
			return &acts[i]
		}
	}
	return nil
}

// DisabledReason returns why the action is off, "" if it is on or nil.
func (a *Act[T]) DisabledReason(t T) string {
	if a == nil || a.Off == nil {
		return ""
	}
	return a.Off(t)
}

// IsUnlikely reports whether the action is on, but not offered in the footer.
func (a *Act[T]) IsUnlikely(t T) bool { return a != nil && a.Unlikely != nil && a.Unlikely(t) }

// UnlikelyActs is a page with actions that are on, but not offered in the footer.
type UnlikelyActs interface {
	IsUnlikely(id action.ID) bool
}

// Clicker is a dialog that handles clicks at cells of its box; done closes it.
// Keys in the footer can be clicked in every dialog.
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
	// NoteMsg shows a text that somebody sends to whoever uses the app.
	NoteMsg struct{ Title, Text string }
	// CrashMsg ends the app: something went wrong that never should. It is also the error
	// that the app ends with.
	CrashMsg struct {
		Reason any
		Stack  []byte
	}
	// UnitsMsg reports that areas or times are displayed differently.
	UnitsMsg struct{}
	// PermissionsMsg reports that the rights of the key are known.
	PermissionsMsg struct{}
	// CheckScopesMsg asks the service which scopes the key has.
	CheckScopesMsg struct{}
	// HeardMsg reports that the event feed has changed.
	HeardMsg struct{}
	// DraftsMsg reports that the stored drafts, or what is known of their orders, have changed.
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

// ToPage makes the program's loop call a function for a page, Do if the page is open.
type ToPage struct {
	Life   *Lifetime
	Do     func() tea.Cmd
	Closed func() tea.Cmd // called instead if the page is closed; nil does nothing
}

// Question numbers the requests of a page, so that late answers can be
// recognized.
type Question struct{ asked, answered int }

// IsOpen reports whether an answer is pending.
func (q *Question) IsOpen() bool { return q.asked != q.answered }

// DropAnswer discards the pending answer.
func (q *Question) DropAnswer() { q.asked++; q.answered = q.asked }

// AskInBackground runs ask in the background and hands its answer to take in the program's
// loop. A late answer is dropped, as is one to a page that was closed.
func AskInBackground[T any](
	b Base, q *Question, ask func(ctx context.Context) (T, error), take func(T, error) tea.Cmd,
) tea.Cmd {
	q.asked++
	number, life := q.asked, b.life
	return func() tea.Msg {
		value, err := ask(life.ctx)
		return ToPage{Life: life, Do: func() tea.Cmd {
			if number != q.asked {
				return nil
			}
			q.answered = number
			return take(value, err)
		}}
	}
}

// DoLater does something for the page after d.
func (b Base) DoLater(d time.Duration, do func() tea.Cmd) tea.Cmd {
	return b.Env.Clock.After(d, ToPage{Life: b.life, Do: do})
}

// DownloadsTouched returns the command that has the state of the downloads, which were
// changed, read again.
func (p *ProfileService) DownloadsTouched() tea.Cmd {
	return SendMessage(deliveries.DownloadWork{Desk: p.Downloads, Free: p.Downloads.Free})
}

// DownloadsChangedMsg reports that files have changed their state. Ended is set
// when all downloads have ended, so that the files on disk are read again.
type DownloadsChangedMsg struct{ Ended bool }

// BackgroundCommand runs work on the downloads in the background and sends its result;
// nil if work is nil.
func BackgroundCommand(work func() deliveries.DownloadWork) tea.Cmd {
	if work == nil {
		return nil
	}
	return func() tea.Msg { return work() }
}

// HoldTime is how long a change of the service is held before it is sent.
const HoldTime = 8 * time.Second

// UndoNote says how long a change can be undone, and what is afterwards.
func (p *ProfileService) UndoNote(then string) string {
	return fmt.Sprintf("You can undo for %.0f s; %s.", HoldTime.Seconds(), then)
}

// HeldChange is a confirmed change of the service that is sent after [HoldTime],
// unless it is undone before. It is sent even if its page was closed.
type HeldChange struct {
	Text string // the change, verb first: cancel ORD-100240
	Done string // the message on success: Cancelled ORD-100240
	// Of is the ID of the changed entity, or "". Until a change is answered no
	// other one should be made: see [HeldChanges].PendingFor.
	Of   string
	Send func(ctx context.Context) error
}

// SentMsg reports that a held change was sent, with its result. The root shows it
// in the status row; pages reload what changed.
type SentMsg struct {
	Held HeldChange
	Err  error
}

// UndoMsg adds an undo step for a change of local data, and shows a message.
type UndoMsg struct {
	Text string // the change: removed Levee km 3
	// Undo reverts the change; ok is false if that is no longer possible.
	Undo func() (cmd tea.Cmd, ok bool)
	// Redo makes the change again; nil if it cannot.
	Redo   func() (cmd tea.Cmd, ok bool)
	Weight int  // size of the kept data, in sites
	Quiet  bool // show no message, the change is visible
}

// JumpTarget is a part of the page that a jump label activates.
type JumpTarget struct {
	X, Y int // position of the label in the page
	Do   func() tea.Cmd
}

// Jumper is a page that offers jump targets besides those of the frame.
type Jumper interface{ JumpTargets() []JumpTarget }

// RowTargets returns the rows of a table's last view, whose first line is line y.
// A label acts like a click on the row.
func RowTargets(t *widget.Table, y int, mouse func(MouseInput) tea.Cmd) []JumpTarget {
	jumps := make([]JumpTarget, t.ShownRows())
	for i := range jumps {
		at := MouseInput{X: 1, Y: y + 1 + i}
		jumps[i] = JumpTarget{Y: at.Y, Do: func() tea.Cmd { return mouse(at) }}
	}
	return jumps
}

// listMover is a list of lines or rows.
type listMover interface {
	Move(n int)
	Len() int
	HalfPage() int
}

// MoveList runs an action of the list scope on a table or scrolling text, and
// reports whether it was one.
func MoveList(t listMover, id action.ID) bool {
	half, all := t.HalfPage(), t.Len()
	n, is := map[action.ID]int{
		action.Down: 1, action.Up: -1, action.HalfDown: half, action.HalfUp: -half, action.Top: -all, action.Bottom: all,
	}[id]
	if is {
		t.Move(n)
	}
	return is
}

// CalendarMoves are how many days and months actions move the day that is selected.
var CalendarMoves = map[action.ID][2]int{
	action.DayBefore: {-1, 0}, action.DayAfter: {1, 0}, action.WeekBefore: {-7, 0}, action.WeekAfter: {7, 0},
	action.MonthBefore: {0, -1}, action.MonthAfter: {0, 1},
}

// AsOf returns the age of offline data while no answer has arrived.
func AsOf(at, now time.Time, asking bool) string {
	text := "as of " + format.Ago(at, now)
	if at.IsZero() {
		text = "never loaded"
	}
	if asking {
		text += " · loading…"
	}
	return text
}

// CachedReader is a page that shows data of the cache. DataNeeds returns what the
// page needs, most urgent first. It is read while the page is shown, again when
// it is stale, and [ReadMsg] reports each time that something was read. DataNeeds
// is called after every message, so it must be fast.
type CachedReader interface{ DataNeeds() []cache.Need }

// ReadMsg reports that data was read, a few times a second at most, and at once
// when nothing more is missing.
type ReadMsg struct{}

// Section is a numbered part of the app with a stack of pages, which stays as it
// was left while another section is shown.
//
// A page adds a section with
//
//  1. an action in tui/action: its name in ids.go and its row in actions.tsv, in the
//     scope everywhere; its key is the number, 0 for the tenth;
//
//  2. a value of Section in the page's package;
//
//  3. that value in the list in tui/sections.go, whose order is that of the navigation.
//
// Navigation, palette, help and mouse use it from there. A page that is only
// opened by other pages needs none of this: see [Navigator].Open.
type Section struct {
	Go         action.ID       // the action that opens it
	Name       string          // name in the navigation, one word
	Short      string          // name in narrow windows, four letters at most
	First      func(*Env) Page // returns its first page
	Operations bool            // it needs no account, only an operations key
	// Missing returns why the section is not offered, which its key shows, "" if it is;
	// nil if it always is.
	Missing func(*Env) string
}

// SectionBadge is the count behind a section's name.
type SectionBadge struct {
	Text string // "3", or "!1" for trouble; "" for none
	Role theme.Role
}

// ViewAccount returns the environment for pages of another account.
func (e *Env) ViewAccount(known *cache.Cache, company string) *Env {
	of := *e
	of.Profile.Cache, of.Profile.Company, of.Profile.Viewed = known, company, true
	of.Profile.Permissions, of.Profile.badges, of.Profile.quoted = session.Permissions{}, nil, nil
	return &of
}

// FollowLook copies how pages are drawn from another environment.
func (e *Env) FollowLook(of *Env) { e.Look, e.Files = of.Look, of.Files }

// SetBadge sets the badge of the section that an action opens. Call it in Update
// only.
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
	Text   string  // for example "2 downloads  38 %  41 MB/s"
	Done   float64 // 0 to 1; negative if unknown
	Failed bool    // it has failed and needs the user
	Over   bool    // it has ended
}
