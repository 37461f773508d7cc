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

// RequestsPage is the requests of the run, the newest first.
type RequestsPage struct {
	*listpage.Page[requestlog.Exchange]
	detail   *exchangeDetail
	saver    *exportdialog.FileSaver
	log      *requestlog.Log
	all      []*requestlog.Exchange // as they were taken from the log
	size     int
	version  int
	paused   bool
	failures bool
	listed   listpage.State[requestlog.Exchange]
}

// New returns the page.
func New(env *page.Env) *RequestsPage {
	base := page.NewBase(env)
	p := &RequestsPage{log: env.RequestLog, detail: newExchangeDetail(env), saver: exportdialog.New(base), version: -1}
	p.Page = listpage.NewPage(
		base,
		listpage.Source[requestlog.Exchange]{State: p.logState},
		listpage.Options[requestlog.Exchange]{
			Title:   "Request log",
			Name:    "requests",
			Example: "method:POST or code:>=400",
			One:     "request",
			Scope:   action.RequestLog,
			Columns: columns.Requests(env.Now),
			ID:      func(x *requestlog.Exchange) string { return strconv.Itoa(x.Number) },
			Look: func(x *requestlog.Exchange) (mark table.Cell, muted bool) {
				if x.Failed() {
					mark = table.Cell{Text: "!", Role: theme.Bad}
				}
				return mark, false
			},
			SplitDetail: p.detail.renderPart,
			Blank:       func(error, int) []string { return p.renderEmpty() },
			Foot:        p.renderFoot,
		},
	)
	p.Detail.Share(50)
	p.Detail.Least(50, 50)
	return p
}

// NewAt returns the page with the exchange of a number selected and shown.
func NewAt(env *page.Env, number int) *RequestsPage {
	p := New(env)
	p.InPlace = p.List.Grid.Select(strconv.Itoa(number))
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
		return "paused · " + format.GroupDigits(float64(p.log.Version()-p.version), 0) + " newer"
	}
	return fmt.Sprintf(
		"last %s of up to %s · %s",
		format.GroupDigits(float64(len(p.all)), 0),
		format.GroupDigits(requestlog.MaxKept, 0),
		format.Bytes(int64(p.size)),
	)
}

// Update takes answers.
func (p *RequestsPage) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := p.saver.Update(msg); taken {
		return cmd
	}
	return p.Page.Update(msg)
}

// logState takes what was asked since it was called last.
func (p *RequestsPage) logState() listpage.State[requestlog.Exchange] {
	if !p.paused && p.version != p.log.Version() {
		p.version = p.log.Version()
		p.all, p.size = p.log.Newest()
		p.chooseRequests()
	}
	return p.listed
}

// chooseRequests lists all requests, or those that failed.
func (p *RequestsPage) chooseRequests() {
	rows := p.all
	if p.failures {
		rows = nil
		for _, x := range p.all {
			if x.Failed() {
				rows = append(rows, x)
			}
		}
	}
	p.listed = listpage.State[requestlog.Exchange]{Rows: rows, Version: p.listed.Version + 1, At: p.detail.env.Now()}
}

// DisabledReason says what cannot be done without a request.
func (p *RequestsPage) DisabledReason(id action.ID) string {
	switch id {
	case action.Open, action.CopyCurl, action.NextTab, action.PrevTab, action.ScrollDown, action.ScrollUp:
		if p.Current() == nil {
			return "no request selected"
		}
	}
	return p.List.DisabledReason(id)
}

// HandleAction performs an action.
func (p *RequestsPage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.CopyCurl:
		return page.CopyText(
			&p.FileAccess,
			p.Current().Curl(),
			"the curl command, which reads the key from $"+requestlog.Variable(p.Current().URL),
		)
	case action.NextTab:
		p.turnPart(1)
	case action.PrevTab:
		p.turnPart(-1)
	case action.ScrollDown:
		p.detail.scroll.Move(p.detail.scroll.HalfPage())
	case action.ScrollUp:
		p.detail.scroll.Move(-p.detail.scroll.HalfPage())
	case action.OnlyFailures:
		p.failures = !p.failures
		p.chooseRequests()
	case action.PauseRequests:
		p.paused = !p.paused
	case action.Export:
		p.askHAR()
	default:
		return p.Page.HandleAction(id)
	}
	return nil
}

// turnPart shows another part of the exchange, over the list where there is no room
// beside it.
func (p *RequestsPage) turnPart(n int) {
	p.InPlace = true
	p.detail.tabs.Move(n)
	p.detail.scroll.ScrollToTop()
}

// askHAR asks for a file and writes the requests that are listed.
func (p *RequestsPage) askHAR() {
	var shown []*requestlog.Exchange
	rows := p.List.Grid.FilteredRows()
	for i := len(rows) - 1; i >= 0; i-- { // an archive has the oldest first
		shown = append(shown, p.listed.Rows[rows[i]])
	}
	count := format.Count(len(shown), "request", "requests")
	p.saver.AskForFile(exportdialog.ExportJob{
		Title: "Export requests", Help: count + ", as HTTP archive (HAR 1.2); secrets masked", Says: count,
		Write: func(to io.Writer, _ string) error { return requestlog.WriteHAR(to, shown) },
	}, "requests-"+p.Now().Format(time.DateOnly)+".har")
}

// HandleMouse selects a row, opens it with a second click, and chooses a part.
func (p *RequestsPage) HandleMouse(m page.MouseInput) tea.Cmd {
	side, x, _ := p.Detail.PaneUnder(m)
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

func (p *RequestsPage) renderFoot(int) []string {
	if !p.failures {
		return nil
	}
	muted := p.Theme.Style(theme.Muted)
	return []string{
		p.Theme.PaintRole(
			theme.Attention,
			" Failures only",
		) + layout.CleanText(
			muted,
			", ",
		) + layout.CleanText(
			p.Theme.Key,
			"b",
		) + layout.CleanText(
			muted,
			" show all",
		),
	}
}

func (p *RequestsPage) renderEmpty() []string {
	th := p.Theme
	if p.failures {
		return []string{
			"", th.PaintRole(theme.Good, " ✓ No failed requests"), "",
			" " + th.PaintHint("b", "show all requests"),
		}
	}
	return []string{
		"", th.PaintText(" No requests yet."), "",
		th.PaintMuted(" Requests since the start appear here with their responses; secrets are masked."),
	}
}
