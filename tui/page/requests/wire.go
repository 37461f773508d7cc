package requests

import (
	"fmt"
	"io"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

const (
	poll = time.Second // while the page is on the screen
	wide = 120         // cells from which on the exchange stands beside the list
)

// Page is the requests of the run, the newest first.
type Page struct {
	page.Base
	list     *listpage.List
	detail   *detail
	split    *listpage.SplitDetail
	saver    *exportdialog.Saver
	log      *requestlog.Log
	all      []*requestlog.Exchange // as they were taken from the log
	rows     []*requestlog.Exchange // those of them that are listed
	size     int
	version  int
	paused   bool
	failures bool
	alone    bool // in a narrow window the exchange is shown in place of the list
	polls    int
}

// New returns the page.
func New(env *page.Env) *Page {
	p := &Page{Base: page.NewBase(env), log: env.RequestLog, detail: newDetail(env)}
	p.list = listpage.New(p.Base, "requests", "method:POST or code:>=400", columns.Specs(columns.Requests(env.Now))...)
	p.list.Empty = "No request has all of that; "
	p.saver = exportdialog.New(p.Base)
	p.split = listpage.NewSplitView(p.list, p.listView, p.detail.view)
	p.split.Share(50, 50, 50)
	p.take()
	return p
}

// NewAt returns the page with the exchange of a number selected and shown.
func NewAt(env *page.Env, number int) *Page {
	p := New(env)
	p.alone = p.list.Grid.Select(strconv.Itoa(number))
	return p
}

// NewWith returns the page with a filter.
func NewWith(env *page.Env, query string) *Page {
	p := New(env)
	p.list.Search(query)
	return p
}

// Title is the page's name.
func (p *Page) Title() string { return "Wire" }

// Corner counts what is kept, and what a pause holds back.
func (p *Page) Corner() string {
	if p.paused {
		return "paused, " + format.Group(float64(p.log.Version()-p.version), 0) + " newer"
	}
	return fmt.Sprintf("%s of %s kept · %s", format.Group(float64(len(p.all)), 0), format.Group(requestlog.MaxKept, 0), format.Bytes(int64(p.size)))
}

// pollMsg looks for newer requests, of the newest start.
type pollMsg struct{ number int }

// Start looks for newer requests now and again while the page is shown.
func (p *Page) Start() tea.Cmd {
	p.polls++
	return page.Later(p.Base, poll, pollMsg{p.polls})
}

// Update takes answers.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(pollMsg); ok {
		if msg.number == p.polls && p.Shown() {
			return page.Later(p.Base, poll, msg)
		}
		return nil
	}
	if cmd, taken := p.saver.Update(msg); taken {
		return cmd
	}
	cmd, _ := p.list.Update(msg)
	return cmd
}

// follow takes what came since the last view.
func (p *Page) follow() {
	if !p.paused && p.version != p.log.Version() {
		p.take()
	}
}

func (p *Page) take() {
	p.version = p.log.Version()
	p.all, p.size = p.log.Newest()
	p.fill()
}

func (p *Page) fill() {
	p.rows = p.all
	if p.failures {
		p.rows = nil
		for _, x := range p.all {
			if x.Failed() {
				p.rows = append(p.rows, x)
			}
		}
	}
	rows := p.rows
	p.list.Grid.Set(table.Source{
		Len:  len(rows),
		ID:   func(i int) string { return strconv.Itoa(rows[i].Number) },
		Cell: columns.Cells(columns.Requests(p.Now), func(i int) *requestlog.Exchange { return rows[i] }),
		Look: func(i int) (table.Cell, bool) {
			if rows[i].Failed() {
				return table.Cell{Text: "!", Role: theme.Bad}, false
			}
			return table.Cell{}, false
		},
	})
}

func (p *Page) current() *requestlog.Exchange {
	if i, ok := p.list.Grid.Current(); ok {
		return p.rows[i]
	}
	return nil
}

// Scopes are the page's and those of the list.
func (p *Page) Scopes() []action.Scope {
	p.follow() // a key is about what is there by now, drawn or not
	return p.list.Scopes(action.Wire)
}

// Typing is while the filter is typed.
func (p *Page) Typing() bool { return p.list.Typing() }

// Cursor stands in the filter while that is typed.
func (p *Page) Cursor() *tea.Cursor { return p.list.Cursor() }

// Back goes back to the list, then clears the filter.
func (p *Page) Back() bool {
	if p.alone && p.Width < wide {
		p.alone = false
		return true
	}
	return p.list.Clear()
}

// Disabled says what cannot be done without a request.
func (p *Page) Disabled(id action.ID) string {
	switch id {
	case action.Open, action.CopyCurl, action.NextTab, action.PrevTab, action.ScrollDown, action.ScrollUp:
		if p.current() == nil {
			return "no request is selected"
		}
	}
	return p.list.Disabled(id)
}

// Do performs an action.
func (p *Page) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		p.alone = true
	case action.CopyCurl:
		return page.Copy(&p.Env.Files, p.current().Curl(), "the curl command; the key comes from $"+requestlog.Variable(p.current().URL))
	case action.NextTab:
		p.turn(1)
	case action.PrevTab:
		p.turn(-1)
	case action.ScrollDown:
		p.detail.scroll(p.detail.height / 2)
	case action.ScrollUp:
		p.detail.scroll(-p.detail.height / 2)
	case action.OnlyFailures:
		p.failures = !p.failures
		p.fill()
	case action.Pause:
		p.paused = !p.paused
	case action.Export:
		p.askHAR()
	default:
		cmd, _ := p.list.Do(id)
		return cmd
	}
	return nil
}

// turn shows another part of the exchange, over the list where there is no room
// beside it.
func (p *Page) turn(n int) {
	p.alone = true
	p.detail.tabs.Move(n)
	p.detail.top = 0
}

// askHAR asks for a file and writes the requests that are listed.
func (p *Page) askHAR() {
	var shown []*requestlog.Exchange
	rows := p.list.Grid.Rows()
	for i := len(rows) - 1; i >= 0; i-- { // an archive has the oldest first
		shown = append(shown, p.rows[rows[i]])
	}
	count := format.Count(len(shown), "request", "requests")
	p.saver.Ask(exportdialog.Job{
		Title: "Save requests", Help: count + " shown, as HTTP archive (HAR 1.2); secrets are masked", Says: count,
		Write: func(to io.Writer, _ string) error { return requestlog.WriteHAR(to, shown) },
	}, "requests-"+p.Now().Format(time.DateOnly)+".har")
}

// Mouse selects a row, opens it with a second click, and chooses a part.
func (p *Page) Mouse(m page.Mouse) tea.Cmd {
	if p.split.Grab(m, p.Width) {
		return nil
	}
	side, x, _ := p.split.At(m, p.Width)
	beside := side != 0 || p.alone && p.Width < wide
	switch {
	case beside && m.Wheel != 0:
		p.detail.scroll(m.Wheel)
	case beside && m.Y == 0:
		if p.detail.tabs.Click(x) {
			p.detail.top = 0
		}
	case !beside && p.list.Mouse(m) && m.Double:
		p.alone = true
	}
	return nil
}

// Drag moves the divider between the list and the request.
func (p *Page) Drag(m page.Mouse, over bool) tea.Cmd { return p.split.Drag(m, over) }

// Jumps are the rows.
func (p *Page) Jumps() []page.Jump {
	if p.alone && p.Width < wide {
		return nil
	}
	return page.Rows(&p.list.Grid.Table, 0, 0, p.Mouse)
}

// View draws the list, and the exchange beside it or in its place.
func (p *Page) View(w, h int) string {
	p.follow()
	p.detail.set(p.current())
	switch {
	case len(p.rows) == 0:
		return layout.Box(p.empty(), w, h)
	case w >= wide:
		return p.split.View(p.Theme, w, h)
	case p.alone && !p.list.Typing(): // a filter is typed below the list
		return p.detail.view(w, h)
	}
	return p.listView(w, h)
}

func (p *Page) listView(w, h int) string {
	var foot []string
	if p.failures {
		foot = append(foot, layout.Text(p.Theme.Style(theme.Attention), " failures only")+layout.Text(p.Theme.Style(theme.Muted), ", ")+
			layout.Text(p.Theme.Key, "b")+layout.Text(p.Theme.Style(theme.Muted), " shows all"))
	}
	p.list.Grid.Margin = 0
	if p.Width >= wide {
		p.list.Grid.Margin = 1
	}
	return p.list.View(w, h, true, foot...)
}

func (p *Page) empty() []string {
	th := p.Theme
	if p.failures {
		return []string{
			"", layout.Text(th.Style(theme.Good), " ✓ No request of this run has failed."), "",
			" " + layout.Text(th.Key, "b") + layout.Text(th.Style(theme.Muted), " shows all requests"),
		}
	}
	return []string{
		"", layout.Text(th.Style(theme.Text), " Nothing was asked of the service yet."), "",
		layout.Text(th.Style(theme.Muted), " Every request of this run appears here, with its answer; secrets are masked."),
	}
}
