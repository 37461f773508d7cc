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

// exchange is a request and its answer.
type exchange = session.Exchange

// RequestsPage is the requests of the run, the newest first.
type RequestsPage struct {
	*page.List[*exchange]
	tabs    widget.Tabs
	log     *session.RequestLog
	now     func() time.Time // also before there is a list
	size    int
	version int
	paused  bool
	listed  page.ListState[*exchange]

	// What was drawn last is kept: a body has up to a quarter of a million bytes.
	lines []string
	drawn [2]any // the part in its width, and the theme
}

// NewRequests returns the page, with a filter.
func NewRequests(env *page.Env, query string) *RequestsPage {
	base := page.NewBase(env)
	p := &RequestsPage{log: env.Profile.RequestLog, now: env.Clock.Now, version: -1}
	p.tabs.Tabs = []widget.Tab{{Title: "Response"}, {Title: "Request"}, {Title: "Timing"}, {Title: "curl"}}
	p.List = page.NewList(
		base,
		page.ListSource[*exchange]{State: p.logState},
		page.ListOptions[*exchange]{
			Title:       "Request log",
			Example:     "method:POST or code:>=400",
			One:         "request",
			Scope:       action.RequestLog,
			Columns:     columns.Requests(env.Clock.Now),
			ID:          func(x *exchange) string { return strconv.Itoa(x.Number) },
			Failed:      (*exchange).Failed,
			Fine:        "No failed requests",
			Lines:       p.renderPart,
			LeastDetail: 50,
			Share:       50,
			Empty: "No requests yet.\n" +
				"Requests since the start appear here with their responses; secrets are masked.",
			Acts: []page.Act[*exchange]{
				{ID: action.CopyCurl, Do: p.copyCurl},
				{ID: action.NextTab, Do: p.turnPart(1)},
				{ID: action.PrevTab, Do: p.turnPart(-1)},
				{ID: action.PauseRequests, Any: true, Do: func(*exchange) tea.Cmd {
					p.paused = !p.paused
					return nil
				}},
			},
		},
	)
	p.Scroll.Pinned = 1 // the tabs
	p.ApplyFilter(query)
	return p
}

// NewRequestAt returns the page with the exchange of a number selected and shown.
func NewRequestAt(env *page.Env, number int) *RequestsPage {
	p := NewRequests(env, "")
	p.InPlace = p.Grid.Select(strconv.Itoa(number))
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
		format.GroupDigits(session.MaxExchanges, 0),
		format.Bytes(int64(p.size)),
	)
}

// logState takes what was asked since it was called last.
func (p *RequestsPage) logState() page.ListState[*exchange] {
	if !p.paused && p.version != p.log.Version() {
		p.version = p.log.Version()
		p.listed = page.ListState[*exchange]{Version: p.version + 1, At: p.now()}
		p.listed.Rows, p.size = p.log.Newest()
	}
	return p.listed
}

func (p *RequestsPage) copyCurl(x *exchange) tea.Cmd {
	what := "the curl command, which reads the key from $" + session.Variable(x.URL)
	return p.Env.Files.CopyText(x.Curl(), what)
}

// turnPart returns what shows another part of the exchange, over the list where there
// is no room beside it.
func (p *RequestsPage) turnPart(n int) func(*exchange) tea.Cmd {
	return func(*exchange) tea.Cmd {
		p.InPlace = true
		p.tabs.Move(n)
		p.Scroll.ScrollToTop()
		return nil
	}
}

// HandleMouse selects a row, opens it with a second click, and chooses a part.
func (p *RequestsPage) HandleMouse(m page.MouseInput) tea.Cmd {
	side, x := p.PaneUnder(m)
	if m.Y == 0 && m.Wheel == 0 && (side == 1 || p.CoversList()) && p.tabs.ClickTitle(x) {
		p.Scroll.ScrollToTop()
		return nil
	}
	return p.List.HandleMouse(m)
}

// renderPart draws the part that is chosen of an exchange, below the titles of all.
func (p *RequestsPage) renderPart(x *exchange, w, _ int) ([]string, bool) {
	if now := [2]any{fmt.Sprint(x.Number, p.tabs.At(), w), p.Env.Look.Theme}; p.drawn != now {
		p.lines, p.drawn = p.renderExchange(x, w), now
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
		lines = append(lines, p.renderMessage(
			x.ResponseHeader,
			x.ResponseBody,
			x.ResponseSize,
			x.Missing(false),
			w,
		)...)
	case 1:
		lines = append(lines, p.renderMessage(
			x.RequestHeader,
			x.RequestBody,
			x.RequestSize,
			x.Missing(true),
			w,
		)...)
	case 2:
		lines = append(lines, p.renderTiming(x, w)...)
	default:
		for line := range strings.Lines(x.Curl()) {
			lines = append(lines, th.PaintLines(theme.Text, " ", strings.TrimSuffix(line, "\n"), w-2)...)
		}
		lines = append(
			lines,
			"",
			" "+th.PaintHint("y", "copy · the command uses $"+session.Variable(x.URL)),
		)
	}
	return page.CutLines(lines, w)
}

// renderOutcome says in a line how it ended.
func (p *RequestsPage) renderOutcome(x *exchange) string {
	th := p.Env.Look.Theme
	if x.Status == 0 {
		return th.PaintRole(theme.Bad, " ✗ failed") + th.PaintMuted("  "+x.Err)
	}
	ms := format.GroupDigits(float64(x.Duration)/float64(time.Millisecond), 0)
	took := fmt.Sprintf("  %s ms  %s", ms, format.Bytes(x.ResponseSize))
	if x.Attempt > 1 {
		took += fmt.Sprintf("  attempt %d", x.Attempt)
	}
	role, text := theme.Good, " ✓ "
	if x.Failed() {
		role, text = theme.Bad, " ✗ "
	}
	return th.PaintRole(role, text+x.Code()) + th.PaintMuted(took)
}

// renderMessage draws a header and a body, JSON with indents and with what is not known
// marked.
func (p *RequestsPage) renderMessage(
	h []session.Header,
	kept session.Body,
	size int64,
	missing string,
	w int,
) (lines []string) {
	th, body := p.Env.Look.Theme, kept.Text()
	for _, line := range h {
		lines = append(
			lines,
			" "+th.PaintMuted(strings.ToLower(line.Name)+": ")+th.PaintText(line.Value),
		)
	}
	lines = append(lines, "")
	switch {
	case size == 0:
		return append(lines, th.PaintMuted(" No body"))
	case missing != "":
		lines = append(
			lines,
			th.PaintRole(theme.Attention, fmt.Sprintf(" %s, %s", format.Bytes(size), missing)),
		)
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "", "  ") == nil {
		body = pretty.Bytes()
	}
	for line := range strings.Lines(string(body)) {
		line = strings.TrimRight(line, "\r\n")
		note := session.NoteLine(line)
		if note == "" {
			lines = append(lines, " "+th.PaintText(line))
			continue
		}
		shown := " " + th.PaintRole(
			theme.Attention,
			format.CutLine(format.Clean(line), max(8, w-format.Width(note)-4)),
		)
		lines = append(lines, format.FitEnds(shown, th.PaintRole(theme.Attention, note)+" ", w))
	}
	return lines
}

func (p *RequestsPage) renderTiming(x *exchange, w int) []string {
	return widget.FactLines(p.Env.Look.Theme, 12, w, widget.Texts(
		"started", x.Began.In(p.Env.Clock.Now().Location()).Format("2006-01-02 15:04:05.000 -07:00"),
		"duration", x.Duration.Round(10*time.Microsecond).String()+" until the end of the response",
		"attempt", fmt.Sprint(x.Attempt),
		"sent", format.Bytes(x.RequestSize),
		"received", format.Bytes(x.ResponseSize),
		"request id", x.RequestID,
		"address", x.URL,
		"number", format.GroupInt(x.Number)+" since the start",
	)...)
}
