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
	"flightdesk/tui/page"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/page/listpage"
)

// exchange is a request and its answer.
type exchange = requestlog.Exchange

// RequestsPage is the requests of the run, the newest first.
type RequestsPage struct {
	*listpage.Page[exchange]
	detail  *exchangeDetail
	log     *requestlog.Log
	size    int
	version int
	paused  bool
	listed  listpage.State[exchange]
}

// New returns the page.
func New(env *page.Env) *RequestsPage {
	base := page.NewBase(env)
	p := &RequestsPage{log: env.RequestLog, detail: newExchangeDetail(env), version: -1}
	p.Page = listpage.NewPage(
		base,
		listpage.Source[exchange]{State: p.logState},
		listpage.Options[exchange]{
			Title:   "Request log",
			Name:    "requests",
			Example: "method:POST or code:>=400",
			One:     "request",
			Scope:   action.RequestLog,
			Columns: columns.Requests(env.Now),
			ID:      func(x *exchange) string { return strconv.Itoa(x.Number) },
			Failed:  (*exchange).Failed,
			Fine:    "No failed requests",
			Lines:   p.detail.renderPart,
			Least:   [2]int{50, 50},
			Share:   50,
			Empty: [2]string{
				"No requests yet.",
				"Requests since the start appear here with their responses; secrets are masked.",
			},
			Acts: []listpage.Act[exchange]{
				{ID: action.CopyCurl, Do: p.copyCurl},
				{ID: action.NextTab, Do: p.turnPart(1)},
				{ID: action.PrevTab, Do: p.turnPart(-1)},
				{ID: action.ScrollDown, Do: p.scrollHalf(1)},
				{ID: action.ScrollUp, Do: p.scrollHalf(-1)},
				{ID: action.PauseRequests, Any: true, Do: func(*exchange) tea.Cmd {
					p.paused = !p.paused
					return nil
				}},
				{ID: action.Export, Any: true, Do: p.askHAR},
			},
		},
	)
	return p
}

// NewAt returns the page with the exchange of a number selected and shown.
func NewAt(env *page.Env, number int) *RequestsPage {
	p := New(env)
	p.InPlace = p.Grid.Select(strconv.Itoa(number))
	return p
}

// NewWith returns the page with a filter.
func NewWith(env *page.Env, query string) *RequestsPage {
	p := New(env)
	p.ApplyFilter(query)
	return p
}

// CornerText counts what is kept, and what a pause holds back.
func (p *RequestsPage) CornerText() string {
	if p.paused {
		return "paused · " + format.GroupInt(p.log.Version()-p.version) + " newer"
	}
	return fmt.Sprintf(
		"last %s of up to %s · %s",
		format.GroupInt(len(p.listed.Rows)),
		format.GroupDigits(requestlog.MaxKept, 0),
		format.Bytes(int64(p.size)),
	)
}

// logState takes what was asked since it was called last.
func (p *RequestsPage) logState() listpage.State[exchange] {
	if !p.paused && p.version != p.log.Version() {
		p.version = p.log.Version()
		p.listed = listpage.State[exchange]{Version: p.version + 1, At: p.detail.env.Now()}
		p.listed.Rows, p.size = p.log.Newest()
	}
	return p.listed
}

func (p *RequestsPage) copyCurl(x *exchange) tea.Cmd {
	what := "the curl command, which reads the key from $" + requestlog.Variable(x.URL)
	return p.CopyText(x.Curl(), what)
}

// turnPart returns what shows another part of the exchange, over the list where there
// is no room beside it.
func (p *RequestsPage) turnPart(n int) func(*exchange) tea.Cmd {
	return func(*exchange) tea.Cmd {
		p.InPlace = true
		p.detail.tabs.Move(n)
		p.detail.scroll.ScrollToTop()
		return nil
	}
}

// scrollHalf returns what scrolls the exchange by half a page.
func (p *RequestsPage) scrollHalf(n int) func(*exchange) tea.Cmd {
	return func(*exchange) tea.Cmd {
		p.detail.scroll.Move(n * p.detail.scroll.HalfPage())
		return nil
	}
}

// askHAR asks for a file and writes the requests that are listed.
func (p *RequestsPage) askHAR(*exchange) tea.Cmd {
	var shown []*exchange
	rows := p.Grid.FilteredRows()
	for i := len(rows) - 1; i >= 0; i-- { // an archive has the oldest first
		shown = append(shown, p.Rows()[rows[i]])
	}
	count := format.Count(len(shown), "request")
	exportdialog.AskForFile(p.Base, exportdialog.ExportJob{
		Title: "Export requests", Help: count + ", as HTTP archive (HAR 1.2); secrets masked", Says: count,
		Write: func(to io.Writer, _ string) error { return requestlog.WriteHAR(to, shown) },
	}, "requests-"+p.Now().Format(time.DateOnly)+".har")
	return nil
}

// HandleMouse selects a row, opens it with a second click, and chooses a part.
func (p *RequestsPage) HandleMouse(m page.MouseInput) tea.Cmd {
	side, x := p.Detail.PaneUnder(m)
	switch {
	case p.Detail.TakeDivider(m):
	case side == 0 && !p.CoversList():
		return p.Page.HandleMouse(m)
	case m.Wheel != 0:
		p.detail.scroll.Move(m.Wheel)
	case m.Y == 0 && p.detail.tabs.ClickTitle(x):
		p.detail.scroll.ScrollToTop()
	}
	return nil
}
