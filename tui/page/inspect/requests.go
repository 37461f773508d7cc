package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// exchange is a request and its response.
type exchange = session.Exchange

// RequestsPage is the page of the requests that this app sent since its start, newest first.
type RequestsPage struct {
	*page.List[*exchange]
	tabs    widget.Tabs // tabs of the details, such as the request and the response
	log     *session.RequestLog
	now     func() time.Time
	size    int // size of the listed requests, in bytes
	version int // version of the log when the requests were listed
	paused  bool
	listed  page.ListState[*exchange] // the listed requests

	// The details that were rendered last, because rendering them again is slow: a body can have 250,000 bytes.
	lines    []string
	linesFor renderKey
}

// renderKey identifies rendered details: they are rendered again if it changes.
type renderKey struct {
	number int // number of the exchange in the log
	tab    int
	width  int
	theme  *theme.Theme
}

// NewRequests returns the page of requests, filtered by query.
func NewRequests(env *page.Env, query string) *RequestsPage {
	p := &RequestsPage{log: env.Profile.RequestLog, now: env.Clock.Now}
	p.version = -1 // differs from the version of every log, so that logState lists the requests at first
	p.tabs.Tabs = []widget.Tab{{Title: "Response"}, {Title: "Request"}, {Title: "Timing"}, {Title: "curl"}}
	source := page.ListSource[*exchange]{State: p.logState}
	togglePause := func(*exchange) tea.Cmd {
		p.paused = !p.paused
		return nil
	}
	p.List = page.NewList(page.NewBase(env), source, page.ListOptions[*exchange]{
		Title:    "Request log",
		Example:  "method:POST or code:>=400",
		Singular: "request",
		Order:    page.RowOrder{Column: "Time", Descending: true},
		Scope:    action.RequestLog,
		Columns:  columns.AbbreviatePaths(columns.Requests(env.Clock.Now)),
		ID:       func(x *exchange) string { return strconv.Itoa(x.Number) },
		Problems: page.RowProblems[*exchange]{
			Has:    (*exchange).Failed,
			None:   "No failed requests since the start.",
			Unsure: p.unsure,
		},
		RenderDetails: p.renderDetails,
		Layout:        page.ListLayout{MinDetailWidth: 50, ListPercent: 50},
		Empty: "No requests yet.\n" +
			"Requests since the start appear here with their responses; secrets are masked.",
		Actions: []page.Action[*exchange]{
			{ID: action.CopyCurl, Do: p.copyCurl},
			{ID: action.NextTab, Do: func(*exchange) tea.Cmd { return p.moveTab(1) }},
			{ID: action.PrevTab, Do: func(*exchange) tea.Cmd { return p.moveTab(-1) }},
			{ID: action.PauseRequests, NeedsNoRow: true, Do: togglePause},
		},
	})
	p.Scroll.Pinned = 1 // the titles of the tabs
	p.ApplyFilter(query)
	return p
}

// NewRequestAt returns the page, with the details of the request that has the given number.
func NewRequestAt(env *page.Env, number int) *RequestsPage {
	p := NewRequests(env, "")
	p.InPlace = p.Grid.Select(strconv.Itoa(number))
	return p
}

// CornerText returns the number and size of the listed requests, or while the page is paused the
// number of newer requests.
func (p *RequestsPage) CornerText() string {
	if p.paused {
		return "paused · " + format.GroupInt(p.log.Version()-p.version) + " newer"
	}
	return fmt.Sprintf(
		"last %s of up to %s · %s",
		format.GroupInt(len(p.listed.Rows)),
		format.GroupDigits(session.MaxExchanges, 0),
		format.Bytes(int64(p.size)),
	)
}

// logState returns the requests in the log. While the page is paused, it leaves out the requests that were sent after
// the pause began.
func (p *RequestsPage) logState() page.ListState[*exchange] {
	if !p.paused && p.version != p.log.Version() {
		p.version = p.log.Version()
		p.listed = page.ListState[*exchange]{Version: p.version + 1, At: p.now()}
		p.listed.Rows, p.size = p.log.Newest()
	}
	return p.listed
}

// unsure returns the text that is shown if none of the listed requests has failed, but requests that are not listed may
// have failed. These are the requests since a pause, and old requests that are no longer in the log. If all requests
// are listed, unsure returns "".
func (p *RequestsPage) unsure() string {
	if p.paused {
		return "No failed requests up to the pause."
	}
	listed := len(p.listed.Rows)
	if p.version > listed {
		return "No failed requests among the last " + format.GroupInt(listed) + "; older ones are not kept."
	}
	return ""
}

func (p *RequestsPage) copyCurl(x *exchange) tea.Cmd {
	return p.Env.Files.CopyText(x.Curl(), "the curl command, which reads the key from $"+session.Variable(x.URL))
}

// moveTab moves from the current tab of the details to the tab n places further. In a narrow window it also shows
// the details instead of the list.
func (p *RequestsPage) moveTab(n int) tea.Cmd {
	p.InPlace = true
	p.tabs.Move(n)
	p.Scroll.ScrollToTop()
	return nil
}

// HandleMouse shows the tab whose title is clicked, and passes other input to the list.
func (p *RequestsPage) HandleMouse(m page.MouseInput) tea.Cmd {
	side, x := p.PaneUnder(m)
	onTitles := m.Y == 0 && m.Wheel == 0 && (side == 1 || p.CoversList())
	if onTitles && p.tabs.ClickTitle(x) {
		p.Scroll.ScrollToTop()
		return nil
	}
	return p.List.HandleMouse(m)
}

// renderDetails renders the current tab of an exchange below the titles of the tabs.
func (p *RequestsPage) renderDetails(x *exchange, w, _ int) ([]string, bool) {
	key := renderKey{x.Number, p.tabs.At(), w, p.Env.Look.Theme}
	if p.linesFor != key {
		p.lines = p.renderExchange(x, w)
		p.linesFor = key
	}
	return append([]string{p.tabs.View(p.Env.Look.Theme, w)}, p.lines...), false
}

func (p *RequestsPage) renderExchange(x *exchange, w int) []string {
	th := p.Env.Look.Theme
	lines := []string{
		" " + th.PaintTitle(x.Method) + " " + th.PaintText(x.Path),
		p.renderOutcome(x),
		"",
	}
	switch p.tabs.At() {
	case 0:
		missing := x.Missing(false)
		lines = append(lines, p.renderMessage(x.ResponseHeader, x.ResponseBody, x.ResponseSize, missing, w)...)
	case 1:
		missing := x.Missing(true)
		lines = append(lines, p.renderMessage(x.RequestHeader, x.RequestBody, x.RequestSize, missing, w)...)
	case 2:
		lines = append(lines, p.renderTiming(x, w)...)
	default:
		lines = append(lines, p.renderCurl(x, w)...)
	}
	return page.CutLines(lines, w)
}

func (p *RequestsPage) renderCurl(x *exchange, w int) []string {
	th := p.Env.Look.Theme
	var lines []string
	for line := range strings.Lines(x.Curl()) {
		lines = append(lines, th.PaintLines(theme.Text, " ", strings.TrimSuffix(line, "\n"), w-2)...)
	}
	copyKey := action.KeyOf(action.CopyCurl, action.RequestLog)
	hint := th.PaintHint(copyKey, "copy · the command uses $"+session.Variable(x.URL))
	return append(lines, "", " "+hint)
}

// renderOutcome renders the status, duration and size of a response in one line.
func (p *RequestsPage) renderOutcome(x *exchange) string {
	th := p.Env.Look.Theme
	if x.Status == 0 {
		return th.PaintRole(theme.Bad, " ✗ failed") + th.PaintMuted("  "+x.Err)
	}
	status := th.PaintRole(theme.Good, " ✓ "+x.Code())
	if x.Failed() {
		status = th.PaintRole(theme.Bad, " ✗ "+x.Code())
	}
	ms := format.GroupDigits(float64(x.Duration)/float64(time.Millisecond), 0)
	took := fmt.Sprintf("  %s ms  %s", ms, format.Bytes(x.ResponseSize))
	if x.Attempt > 1 {
		took += fmt.Sprintf("  attempt %d", x.Attempt)
	}
	return status + th.PaintMuted(took)
}

// renderMessage renders headers and a body of the given size. If a part of the body is not stored, the text missing
// says which part.
func (p *RequestsPage) renderMessage(
	headers []session.Header,
	body session.Body,
	size int64,
	missing string,
	w int,
) []string {
	th := p.Env.Look.Theme
	var lines []string
	for _, h := range headers {
		lines = append(lines, " "+th.PaintMuted(strings.ToLower(h.Name)+": ")+th.PaintText(h.Value))
	}
	lines = append(lines, "")
	if size == 0 {
		return append(lines, th.PaintMuted(" No body"))
	}
	if missing != "" {
		lines = append(lines, th.PaintRole(theme.Attention, fmt.Sprintf(" %s, %s", format.Bytes(size), missing)))
	}
	for line := range strings.Lines(indentJSON(body.Text())) {
		lines = append(lines, renderBodyLine(th, strings.TrimRight(line, "\r\n"), w))
	}
	return lines
}

// indentJSON returns JSON with indentation. Other text is returned unchanged.
func indentJSON(text []byte) string {
	var indented bytes.Buffer
	if json.Indent(&indented, text, "", "  ") != nil {
		return string(text)
	}
	return indented.String()
}

// renderBodyLine renders a line of a body. A field or value that the app does not know is
// marked.
func renderBodyLine(th *theme.Theme, line string, w int) string {
	note := session.LineNote(line)
	if note == "" {
		return " " + th.PaintText(line)
	}
	text := format.CutLine(format.Clean(line), max(8, w-format.Width(note)-4))
	return format.FitEnds(" "+th.PaintRole(theme.Attention, text), th.PaintRole(theme.Attention, note)+" ", w)
}

func (p *RequestsPage) renderTiming(x *exchange, w int) []string {
	end := " until the end of the response"
	if x.Status == 0 {
		end = " until it failed"
	}
	return widget.FactLines(p.Env.Look.Theme, 12, w, widget.Texts(
		"started", x.Began.In(p.Env.Clock.Now().Location()).Format("Mon 2 Jan 15:04:05.000"),
		"duration", x.Duration.Round(10*time.Microsecond).String()+end,
		"attempt", fmt.Sprint(x.Attempt),
		"sent", format.Bytes(x.RequestSize),
		"received", format.Bytes(x.ResponseSize),
		"request id", x.RequestID,
		"address", x.URL,
		"number", format.GroupInt(x.Number)+" since the start",
	)...)
}
