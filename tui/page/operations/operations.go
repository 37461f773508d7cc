package operations

import (
	"errors"
	"net/http"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// Section is Operations, if the profile has a key of the operations API.
var Section = page.Section{
	Go: action.GoOps, Name: "Operations", Short: "Ops",
	First:   func(env *page.Env) page.Page { return New(env) },
	Offered: func(env *page.Env) bool { return env.Ops != nil },
	Missing: func(env *page.Env) string {
		if env.NoOps != nil {
			return "could not read the key for the operations API: " + layout.Clean(env.NoOps.Error())
		}
		return "Operations needs an operations key; set ops_url and ops_credential in config.toml"
	},
}

const wide = 120 // cells from which on the detail stands beside the list

// pane is one part of a page of Operations.
type pane interface {
	Scopes() []action.Scope
	Typing() bool
	Cursor() *tea.Cursor
	Back() bool
	Disabled(id action.ID) string
	Do(id action.ID) tea.Cmd
	Mouse(m page.Mouse) tea.Cmd
	Jumps() []page.Jump
	View(w, h int) string
	Needs() []cache.Need
	Update(msg tea.Msg) tea.Cmd
}

// desk is what all pages of the section are made of: the state of the service
// above, and below it one of several panes.
type operations struct {
	page.Base
	world *world
	acts  *acts
	tabs  widget.Tabs
	panes []pane
	title string
	head  int // lines above the pane in the last view
}

func newDesk(env *page.Env, w *world, title string) *operations {
	d := &operations{Base: page.NewBase(env), world: w, title: title}
	if w.acts == nil {
		w.acts = &acts{b: d.Base} // of the page at the bottom, which stays
	}
	d.acts = w.acts
	return d
}

// add gives the page a pane.
func (d *operations) add(title string, p pane) {
	d.tabs.Tabs = append(d.tabs.Tabs, widget.Tab{Title: title})
	d.panes = append(d.panes, p)
}

func (d *operations) now() pane { return d.panes[d.tabs.At()] }

// Title is the page's name.
func (d *operations) Title() string { return d.title }

// Corner says what is on its way, or how old what is shown is.
func (d *operations) Corner() string {
	if d.acts.doing != "" {
		return d.acts.doing + "…"
	}
	return d.world.corner(d.Now())
}

// Needs is how the service is, and what the pane shows.
func (d *operations) Needs() []cache.Need { return append(d.world.needs(), d.now().Needs()...) }

// Update takes answers, and keys while text is typed.
func (d *operations) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := d.acts.take(msg); taken {
		return cmd
	}
	cmds := make([]tea.Cmd, len(d.panes))
	for i, p := range d.panes {
		cmds[i] = p.Update(msg)
	}
	return tea.Batch(cmds...)
}

// BlocksProfileSwitch says what is on its way: a new key is shown once, and what is refused is
// mended in the form that it came from.
func (d *operations) BlocksProfileSwitch() string { return d.acts.busy() }

// Scopes are the pane's, and what holds on every page of Operations.
func (d *operations) Scopes() []action.Scope {
	if d.now().Typing() {
		return d.now().Scopes()
	}
	return append(d.now().Scopes(), action.Ops)
}

// Typing is while the filter is typed.
func (d *operations) Typing() bool { return d.now().Typing() }

// Cursor stands in the filter while that is typed.
func (d *operations) Cursor() *tea.Cursor {
	c := d.now().Cursor()
	if c == nil {
		return nil
	}
	return tea.NewCursor(c.X, c.Y+d.head)
}

// Back leaves what the pane is in.
func (d *operations) Back() bool { return d.now().Back() }

// Disabled says why an action is off.
func (d *operations) Disabled(id action.ID) string {
	switch id {
	case action.NextTab, action.PrevTab:
		if len(d.panes) == 1 {
			return "only one tab"
		}
		return ""
	case action.Refresh:
		return ""
	case action.InspectAny:
		if account, _ := d.inspected(); account == "" {
			return "select an order or an account"
		}
		return ""
	}
	if why := d.world.disabled(id); why != "" {
		return why
	}
	return d.now().Disabled(id)
}

// Do performs an action.
func (d *operations) Do(id action.ID) tea.Cmd {
	switch id {
	case action.NextTab, action.PrevTab:
		n := 1
		if id == action.PrevTab {
			n = -1
		}
		d.tabs.Move(n)
		return nil
	case action.Refresh:
		d.Cache.Reread(d.Needs()...)
		return nil
	case action.InspectAny:
		return d.inspect()
	}
	if cmd, taken := d.pace(id); taken {
		return cmd
	}
	return d.now().Do(id)
}

// Mouse chooses a part, or is the pane's.
func (d *operations) Mouse(m page.Mouse) tea.Cmd {
	if len(d.panes) > 1 && m.Y == 0 && m.Wheel == 0 {
		d.tabs.Click(m.X)
		return nil
	}
	if m.Y < d.head && m.Wheel == 0 {
		return nil
	}
	m.Y -= d.head
	return d.now().Mouse(m)
}

// Drag moves the divider of the pane that has one.
func (d *operations) Drag(m page.Mouse, over bool) tea.Cmd {
	if pane, ok := d.now().(page.Dragger); ok {
		m.Y -= d.head
		return pane.Drag(m, over)
	}
	return nil
}

// Jumps are the pane's.
func (d *operations) Jumps() []page.Jump {
	jumps := d.now().Jumps()
	for i := range jumps {
		jumps[i].Y += d.head
	}
	return jumps
}

// View draws the parts' titles, the service's state, and the part that is
// chosen.
func (d *operations) View(w, h int) string {
	var head []string
	if len(d.panes) > 1 {
		head = append(head, d.tabs.View(d.Theme, w))
	}
	head = append(head, d.world.strip(d.Theme, d.Now(), w))
	if h > 20 {
		head = append(head, "")
	}
	head = head[:min(len(head), h)]
	d.head = len(head)
	return strings.TrimSuffix(layout.Box(head, w, d.head)+"\n"+d.now().View(w, h-d.head), "\n")
}

// problem says what went wrong with a question to Operations, whose key is not the
// account's.
func (d *operations) problem(err error, kept string, w int) []string {
	var e *api.Error
	if errors.As(err, &e) && e.Status == http.StatusUnauthorized {
		err = errors.New("operations API key rejected: " + e.Message + "; check ops_credential of the profile")
	}
	return page.Problem(d.Theme, err, kept, "r", w)
}

// The parts of the first page.
const (
	partQueue = iota
	partOrders
	partAccounts
	partRequests
	partTrials
)

// Page is the first page of the section.
type Page struct {
	*operations
	queue *queue
}

// New returns the first page.
func New(env *page.Env) *Page {
	d := newDesk(env, newWorld(env.Cache, env.Now), "Operations")
	p := &Page{operations: d, queue: newQueue(d, "desk-queue", true, d.world.works.read)}
	d.add("Queue", p.queue)
	d.add("Orders", newOrders(d, ""))
	d.add("Accounts", newAccounts(d))
	d.add("Key requests", newRequests(d))
	d.add("Test controls", newTrials(d))
	return p
}

// Update counts what waits in the parts' titles, and goes to an order that was
// just placed.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if placed, ok := msg.(page.PlacedMsg); ok {
		p.queue.List.Clear()
		p.queue.placed = placed.Order.UUID
	}
	cmd := p.operations.Update(msg)
	p.count()
	return cmd
}

// Places are the orders that wait.
func (p *Page) Places() []page.Place { return p.queue.places() }
