package page

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
	"flightdesk/tui/widget/table"
)

// Page is one page on the stack. All methods are called from the program's
// loop only; View and Update do no I/O.
type Page interface {
	// Title is the page's part of the breadcrumb.
	Title() string
	// CornerText is shown at the right of the breadcrumb: counts, ages.
	CornerText() string
	// OnShow is called when the page comes to the top of the stack.
	OnShow() tea.Cmd
	// Update takes answers to the page's questions, and keys while Typing.
	Update(msg tea.Msg) tea.Cmd
	// View draws the page into exactly h lines of w cells.
	View(w, h int) string
	// Cursor is where the terminal's cursor stands in the last view, nil for
	// nowhere.
	Cursor() *tea.Cursor
	// ActionScopes are those whose actions hold now, the narrowest first.
	ActionScopes() []action.Scope
	// DisabledReason says why an action is off, "" where it is on.
	DisabledReason(id action.ID) string
	// HandleAction performs an action of one of the scopes.
	HandleAction(id action.ID) tea.Cmd
	// IsTyping reports whether keys are text.
	IsTyping() bool
	// HandleBack takes esc for itself, to leave a map or a mode, and reports whether
	// it did; else esc leaves the page.
	HandleBack() bool
	// HandleMouse takes a click or a turn of the wheel on the page.
	HandleMouse(m MouseInput) tea.Cmd
	// OnLeave is called when the page leaves the stack.
	OnLeave() tea.Cmd
	// PageLifetime is the page's lifetime.
	PageLifetime() *Lifetime
}

// MouseInput is a click or a turn of the wheel, at a cell of the page's rectangle.
type MouseInput struct {
	X, Y   int
	Wheel  int  // rows turned, down where positive; 0 for a click
	Double bool // the second click on the same cell
	Shift  bool // with the shift key held
}

// KnownPlace is somewhere a page knows to go to.
type KnownPlace struct {
	Name string // code and name, as they are searched
	Kind string // order, mission
	Open func() tea.Cmd
}

// Dragger is a page on which something can be moved with the mouse's button
// held; over is when it was let go.
type Dragger interface {
	HandleDrag(m MouseInput, over bool) tea.Cmd
}

// Pointer is a page that can show something of what the mouse is over; Points
// reports whether it does at present.
type Pointer interface {
	HandlePointer(m MouseInput)
	TracksPointer() bool
}

// TextSelector is a page or a dialog whose text is to be selected: while it is on
// top the mouse is the terminal's.
type TextSelector interface{ SelectsText() }

// AccountShower is a page that knows which account it shows.
type AccountShower interface{ ServiceInUse() *ProfileService }

// Stayer is a page, or a dialog, that what is shown only once comes to; it would
// be lost with the profile. Stays says what holds that up, "" for nothing.
type ProfileSwitchBlocker interface{ BlocksProfileSwitch() string }

// SecondCounter is a page that may count down by the second: it is drawn each second
// while it says so. Ages change by the minute without it.
type SecondCounter interface{ CountsSeconds() bool }

// FilteredPage is a page that shows only what a filter leaves.
type FilteredPage interface{ ApplyFilter(query string) }

// PlaceGuide is a page that knows places to go to, for the palette.
type PlaceGuide interface{ KnownPlaces() []KnownPlace }

// Env is what all pages share. What needs a part of it takes that part.
type Env struct {
	ProfileService
	PageLook
	AppClock
	FileAccess
	Navigation
	HeldChanges
}

// ProfileService is a profile in use: what it connects with, and what is known of it.
type ProfileService struct {
	Client   *api.Client
	Ops      *api.Ops // the service's operations API; nil without a key of it
	NoOps    error    // why the key of Operations that is configured cannot be had
	Host     string   // as it is shown
	Account  string   // what it is called in reports and logs: its company, else the profile
	Company  string   // of the account, for new orders; "" where the profile does not say it
	ReadOnly bool     // nothing that changes the service is offered
	Viewed   bool     // the account is read with the key of the operations API, there being no other one

	Permissions session.Permissions // of the key, as far as they are known

	// The rest is nil without a service.
	Cache      *cache.Cache              // all orders and missions, as far as they are read
	Downloads  *downloads.State          // what is fetched, whatever page is shown
	Feed       *webhooks.EventFeed       // events that are received, whatever page is shown
	Secrets    *webhooks.EndpointSecrets // those of endpoints, as far as they are known
	Decisions  *ledger.Ledger            // what was sent, and notes on quotes; nil where that is not kept
	RequestLog *requestlog.Log           // the run's requests

	badges map[action.ID]SectionBadge
	quoted map[string]labels.QuoteCounts // of orders with open quotes, by id; nil until they are listed
}

// scopeOf is the scope that a change takes of the profile's key.
var scopeOf = map[action.ChangeKind]api.Scope{
	action.ChangesOrders: api.ScopeOrdersWrite, action.ChangesEndpoints: api.ScopeWebhooksWrite,
}

// RefusalOf says why the profile cannot make a change, "" where nothing is known
// against it.
func (s *ProfileService) RefusalOf(change action.ChangeKind) string {
	switch {
	case change == action.ChangesNothing:
		return ""
	case s.ReadOnly:
		return "read-only mode"
	case s.Viewed && change != action.ChangesOperations:
		return "viewed with the operations key; only a key of the account can change it"
	default:
		return s.Permissions.RefusalOf(scopeOf[change])
	}
}

// PageLook is what pages are drawn with.
type PageLook struct {
	Theme    *theme.Theme
	Width    int              // of the window, in cells
	Height   int              // of the window, in cells
	Graphics picture.Graphics // of the terminal
	Links    bool             // the terminal may have use for links
	UIState  *session.UIState // how things are shown, kept for the profile; nil for nowhere
}

// AppClock is the time, and how it passes.
type AppClock struct {
	Now func() time.Time // by the service's clock, in the user's time zone
	// After sends msg after d. Tests replace it, so that none of them waits.
	After       func(d time.Duration, msg tea.Msg) tea.Cmd
	IsScrolling func() bool // whether keys come so fast that what they choose is only passed by; nil is never
}

// FileAccess are where files come from and go to.
type FileAccess struct {
	Home    string // the user's folder, "" where unknown
	Folder  string // where choosing a file begins
	Samples string // folder with sample survey files, "" for none
	// Clipboard puts text where it is known to arrive, and says what that is: ""
	// is the system's clipboard. Nil where nothing is known.
	Clipboard func(text string) (into string, err error)
	Opener    func(path string) error // opens a file or a folder with the system's program; nil where there is none
	Scratch   func() (string, error)  // a folder that ends with the run, for what Opener opens
}

// Navigation goes to other pages. What changes the stacks does so at once, so
// that the next key finds what this one opened.
type Navigation struct {
	Open    func(Page) tea.Cmd                  // puts a page on top
	Instead func(old *Lifetime, p Page) tea.Cmd // puts a page in another's place
	Overlay func(Dialog)                        // opens a dialog
	OnTop   func(*Lifetime) bool                // whether a page is the one on the screen, and somebody may look at it
	// Go goes to the first page of a section, with a filter where that is not "";
	// nil where the section is not offered.
	Go func(section action.ID, filter string) tea.Cmd

	OrderPage    func(*api.Order) Page                             // makes the page of an order
	OpenOrder    func(*api.Order) tea.Cmd                          // opens the page of an order
	OpenMission  func(*cache.Mission) tea.Cmd                      // opens the page of a mission
	OpenEndpoint func(uuid string) tea.Cmd                         // opens the page of a webhook endpoint
	OpenStory    func(of timeline.StorySubject, at string) tea.Cmd // opens the story of a subject, at the entry of an id or with "" at its beginning
	OpenInspect  func() tea.Cmd                                    // opens how the account is
	InAccount    func(uuid, company string) *Env                   // is for the pages of any account, which are read with the key of the operations API
	NewOrder     func() tea.Cmd                                    // opens the new order, or goes back to it
	OrderAgain   func(*api.Order) tea.Cmd                          // begins a new order from one that was read in full
	OpenDraft    func(name string) tea.Cmd                         // opens the new order on a draft that was put aside
	Drafts       func() func() []ordering.StoredDraft              // returns what lists in the background the drafts that are kept
	Probe        func(of ...api.Scope) tea.Cmd                     // asks the service whether the key has some scopes, without any named all
}

// HeldChanges are those of the service that wait a while before they leave.
type HeldChanges struct {
	Defer      func(HeldChange) tea.Cmd // sends it after a while, unless it is stopped
	PendingFor func(of string) string   // what changes it and is held or not answered yet, "" for nothing
}

// Life is the lifetime of one page: its context ends when the page leaves the
// stack.
type Lifetime struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// NewLife begins a page's lifetime.
func NewLifetime() *Lifetime {
	ctx, cancel := context.WithCancel(context.Background())
	return &Lifetime{ctx, cancel}
}

// Context returns cancelled when the page leaves the stack.
func (l *Lifetime) Context() context.Context { return l.ctx }

// End ends the lifetime.
func (l *Lifetime) End() { l.cancel() }

// Base gives a page its lifetime and the answers most pages give.
type Base struct {
	*Env
	life *Lifetime
}

// NewBase begins a page.
func NewBase(env *Env) Base { return Base{env, NewLifetime()} }

// PageLifetime returns the page's lifetime.
func (b Base) PageLifetime() *Lifetime { return b.life }

// ServiceInUse returns the account that the page shows, and what it is read with.
func (b Base) ServiceInUse() *ProfileService { return &b.ProfileService }

// IsShown tells whether the page is the one on the screen, in a window that has the
// keys as far as is known. What ticks or reads by
// itself stops where it is not, and begins again with Start.
func (b Base) IsShown() bool { return b.OnTop != nil && b.OnTop(b.life) }

// CornerText returns "".
func (b Base) CornerText() string { return "" }

// OnShow does nothing.
func (b Base) OnShow() tea.Cmd { return nil }

// Cursor returns nil.
func (b Base) Cursor() *tea.Cursor { return nil }

// DisabledReason returns on for every action.
func (b Base) DisabledReason(action.ID) string { return "" }

// HandleBack leaves the page.
func (b Base) HandleBack() bool { return false }

// HandleMouse does nothing.
func (b Base) HandleMouse(MouseInput) tea.Cmd { return nil }

// OnLeave does nothing.
func (b Base) OnLeave() tea.Cmd { return nil }

// IsTyping returns false.
func (b Base) IsTyping() bool { return false }

// Dialog is an overlay that takes all keys until it is closed.
type Dialog interface {
	// Update takes a message; done closes the dialog. What the dialog was asked
	// for it hands to the function that it was made with, as a typed result.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	// View draws the box within w by h cells, of any smaller size.
	View(w, h int) string
	// Cursor is relative to the box, nil for nowhere.
	Cursor() *tea.Cursor
}

// Clicker is a dialog that can be clicked, at a cell of its box; done closes
// it. What its foot names can be clicked in every dialog.
type Clicker interface {
	HandleClick(x, y int) (cmd tea.Cmd, done bool)
}

// Turner is a dialog with a list in which up and down move, and so does the
// wheel.
type Turner interface{ ScrollsWithWheel() }

// Messages from pages to the root.
type (
	// ToastMsg shows a line in the status row for some seconds.
	ToastMsg struct {
		Role theme.Role
		Text string
	}
	// CrashMsg ends the app: something went wrong that never should.
	CrashMsg struct {
		Reason any
		Stack  []byte
	}
	// UnitsMsg tells every page that areas or times are told otherwise now.
	UnitsMsg struct{}
	// KeptMsg tells every page that the fleet knows what an earlier run has kept.
	KeptMsg struct{}
	// PermissionsMsg tells every page that it was found out what the key allows.
	PermissionsMsg struct{}
	// HeardMsg tells every page that the feed has changed.
	HeardMsg struct{}
	// PlacedMsg tells every page that an order was placed.
	PlacedMsg struct{ Order *api.Order }
)

// SendMessage turns a message into a command.
func SendMessage(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// ShowToast shows a line in the status row.
func ShowToast(role theme.Role, text string) tea.Cmd { return SendMessage(ToastMsg{role, text}) }

// ToPage is a message for one page; it is dropped when the page is gone.
type ToPage struct {
	Life *Lifetime
	Msg  tea.Msg
}

// Question numbers what a page asks for, so that late answers can be told.
type Question struct{ asked, answered int }

// IsOpen reports whether an answer is awaited.
func (q *Question) IsOpen() bool { return q.asked != q.answered }

// DropAnswer makes the answer that is awaited a late one.
func (q *Question) DropAnswer() { q.asked++; q.answered = q.asked }

// QuestionAnswer is what a question brought.
type QuestionAnswer[T any] struct {
	Value    T
	Err      error
	question *Question
	number   int
}

// TakeAnswer marks the question answered and reports whether this is the answer to
// its last asking; any other is late and must be dropped.
func (a QuestionAnswer[T]) TakeAnswer() bool {
	if a.number != a.question.asked {
		return false
	}
	a.question.answered = a.number
	return true
}

// Answers reports whether it answers q.
func (a QuestionAnswer[T]) Answers(q *Question) bool { return a.question == q }

// AskInBackground runs f in the background and sends its Answer to the page.
func AskInBackground[T any](b Base, q *Question, f func(ctx context.Context) (T, error)) tea.Cmd {
	q.asked++
	number, life := q.asked, b.life
	return func() tea.Msg {
		value, err := f(life.ctx)
		return ToPage{life, QuestionAnswer[T]{value, err, q, number}}
	}
}

// SendLater sends msg to the page after d.
func SendLater(b Base, d time.Duration, msg tea.Msg) tea.Cmd {
	return b.After(d, ToPage{b.life, msg})
}

// DownloadsTouchedMsg says that something was asked of the download queue, so
// that its state is read again.
type DownloadsTouchedMsg struct{ Desk *downloads.State }

// DownloadsTouched returns the command that says so.
func DownloadsTouched(env *Env) tea.Cmd {
	desk := env.Downloads
	return func() tea.Msg { return DownloadsTouchedMsg{desk} }
}

// DownloadsChangedMsg tells every page that files are in other states than
// before. Ended reports whether nothing is left to do: the files on disk are to
// be read again then.
type DownloadsChangedMsg struct{ Ended bool }

// BackgroundCommand runs work in the background and sends its result; it is nil if work
// is.
func BackgroundCommand[T any](work func() T) tea.Cmd {
	if work == nil {
		return nil
	}
	return func() tea.Msg { return work() }
}

// HoldTime is how long what changes the service is held back, so that it can
// be taken back.
const HoldTime = 8 * time.Second

// Held is a change of the service that was asked for and confirmed, but leaves
// only after [HoldTime]. Until then u stops it. It leaves whatever page is
// shown then, also when the one that asked is gone.
type HeldChange struct {
	Text string // what is to be done, verb first: cancel ORD-100240
	Done string // what is said once it is done: Cancelled ORD-100240
	// Of is what it changes, by its id. While one change of it has not been
	// answered no other should be asked for: see [Env.Waits]. "" for nothing.
	Of   string
	Send func(ctx context.Context) error
}

// SentMsg tells every page that something held has left, and what came of it.
// The root says so in the status row; pages read anew what it changed.
type SentMsg struct {
	Held HeldChange
	Err  error
}

// UndoMsg keeps how a change can be taken back, which u does, the newest first.
// It is for what only this program knows. Sending it shows a toast.
type UndoMsg struct {
	Text string // what was done: removed Levee km 3
	// Undo makes it undone; ok false where that is no longer possible.
	Undo func() (cmd tea.Cmd, ok bool)
	// Redo does it again; nil where it cannot be.
	Redo   func() (cmd tea.Cmd, ok bool)
	Weight int  // how much is kept for that, in sites
	Quiet  bool // what was done is seen: there is no toast
}

// JumpTarget is a part of the page that a label goes to.
type JumpTarget struct {
	X, Y int // where the label stands, in cells of the page's rectangle
	Do   func() tea.Cmd
}

// Jumper is a page that knows its parts. The sections, the pages below and the
// keys of the footer have labels on every page.
type Jumper interface{ JumpTargets() []JumpTarget }

// RowTargets returns the rows of a table's last view, the table's first line at line y. A
// label does what a click on its row does.
func RowTargets(t *table.Table, x, y int, mouse func(MouseInput) tea.Cmd) []JumpTarget {
	jumps := make([]JumpTarget, t.ShownRows())
	for i := range jumps {
		at := MouseInput{X: x + 1, Y: y + 1 + i}
		jumps[i] = JumpTarget{X: x, Y: at.Y, Do: func() tea.Cmd { return mouse(at) }}
	}
	return jumps
}

// listMover is a list of lines or rows.
type listMover interface {
	Move(n int)
	Len() int
	HalfPage() int
}

// MoveList performs an action of the list scope on a table, or on a text that
// scrolls, and reports whether it was one.
func MoveList(t listMover, id action.ID) bool {
	switch id {
	case action.Down:
		t.Move(1)
	case action.Up:
		t.Move(-1)
	case action.Top:
		t.Move(-t.Len())
	case action.Bottom:
		t.Move(t.Len())
	case action.HalfDown:
		t.Move(t.HalfPage())
	case action.HalfUp:
		t.Move(-t.HalfPage())
	default:
		return false
	}
	return true
}

// AsOf says how old what an earlier run has kept is, as long as this one has no
// answer.
func AsOf(at, now time.Time, asking bool) string {
	text := "as of " + format.Ago(at, now)
	if asking {
		text += " · loading…"
	}
	return text
}

// CachedReader is a page that shows what the cache reads. It says what it needs, the
// most urgent first; that is read while the page is on the screen, again once it
// is stale, and each time [ReadMsg] tells that something was read. It is asked
// after every message, so it does little more than name collections and keys.
type CachedReader interface{ DataNeeds() []cache.Need }

// ReadMsg tells the page on the screen that something was read, a few times a
// second at most, and as soon as there is nothing more that it waits for.
type ReadMsg struct{}

// Section is a part of the app that has a number and a stack of pages of its
// own, which stays as it was left while another section is on the screen.
//
// A page adds its section in three lines:
//
//  1. an action to go there, in the scope Everywhere of action's table; its key
//     is the section's number, and one from 1 to 9;
//  2. a value of Section in the page's own package;
//  3. that value in the list in tui/sections.go.
//
// Navigation, palette, help and mouse know it from then on. A page that only
// opens from others needs none of this: they hand it to [Env.Open].
type Section struct {
	Go    action.ID       // the action that goes there
	Name  string          // in the navigation, one word
	Short string          // its name in narrow windows, four letters at most
	First func(*Env) Page // makes the page at the bottom of its stack, when it is first shown
	// Offered tells whether the section is there at all; nil is always.
	Offered func(*Env) bool
	// Missing tells why it is not offered, which its key then says; "" or nil
	// hides the key.
	Missing func(*Env) string
}

// SectionBadge is what stands behind a section's name: how many things wait there.
type SectionBadge struct {
	Text string // 3, or !1 for trouble; "" for nothing
	Role theme.Role
}

// ViewAccount returns the environment for pages of an account of another cache.
func (e *Env) ViewAccount(known *cache.Cache, company string) *Env {
	of := *e
	of.Cache, of.Account, of.Company, of.Viewed = known, company, company, true
	of.Permissions, of.badges, of.quoted = session.Permissions{}, nil, nil
	return &of
}

// FollowLook takes how pages are drawn from another one.
func (e *Env) FollowLook(of *Env) { e.PageLook, e.FileAccess = of.PageLook, of.FileAccess }

// SetBadge shows a badge behind the section that an action goes to. Pages call
// it in Update.
func (e *Env) SetBadge(section action.ID, b SectionBadge) {
	if e.badges == nil {
		e.badges = map[action.ID]SectionBadge{}
	}
	e.badges[section] = b
}

// BadgeOf returns a section's badge.
func (e *Env) BadgeOf(section action.ID) SectionBadge { return e.badges[section] }

// WorkMsg shows, or ends, something that runs in the background, in the status
// row and in the terminal's tab.
type WorkMsg struct {
	ID     string  // tells it from other work
	Text   string  // what the status row says: 2 downloads  38 %  41 MB/s
	Done   float64 // share that is done, 0 to 1; negative where that is not known
	Failed bool    // it stands still and needs somebody
	Over   bool    // it has ended and is shown no longer
}
