package requests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// exchangeDetail is one exchange, in parts.
type exchangeDetail struct {
	env    *page.Env
	tabs   widget.Tabs
	x      *exchange
	scroll widget.Scroll

	// What was drawn last is kept: a body has up to a quarter of a million bytes.
	lines []string
	drawn bodyKey
}

type bodyKey struct {
	x      *exchange
	tab, w int
	th     *theme.Theme
}

func newExchangeDetail(env *page.Env) *exchangeDetail {
	tabs := []widget.Tab{{Title: "Response"}, {Title: "Request"}, {Title: "Timing"}, {Title: "curl"}}
	return &exchangeDetail{env: env, tabs: widget.Tabs{Tabs: tabs}}
}

// renderPart draws the part that is chosen of an exchange.
func (d *exchangeDetail) renderPart(x *exchange, w, h int) ([]string, bool) {
	if d.x != x {
		d.x = x
		d.scroll.ScrollToTop()
	}
	if h < 2 {
		return nil, false
	}
	if now := (bodyKey{d.x, d.tabs.At(), w, d.env.Theme}); d.drawn != now {
		d.lines, d.drawn = d.renderLines(w), now
	}
	shown := d.scroll.View(d.lines, h-1, d.env.Theme.Style(theme.Muted))
	return append([]string{d.tabs.View(d.env.Theme, w)}, shown...), false
}

func (d *exchangeDetail) renderLines(w int) []string {
	th, x := d.env.Theme, d.x
	lines := []string{" " + th.PaintTitle(x.Method) + " " + th.PaintText(x.Path), d.renderOutcome(), ""}
	switch d.tabs.At() {
	case 0:
		lines = append(lines, d.renderHeader(x.ResponseHeader())...)
		lines = append(lines, d.renderBody(x.ResponseBody.Text(), x.ResponseSize, x.Missing(false), w)...)
	case 1:
		lines = append(lines, d.renderHeader(x.RequestHeader())...)
		lines = append(lines, d.renderBody(x.RequestBody.Text(), x.RequestSize, x.Missing(true), w)...)
	case 2:
		lines = append(lines, d.renderTiming(w)...)
	default:
		for line := range strings.Lines(x.Curl()) {
			lines = append(lines, th.PaintLines(theme.Text, " ", strings.TrimSuffix(line, "\n"), w-2)...)
		}
		lines = append(lines, "", " "+th.PaintHint("y", "copy · the command uses $"+requestlog.Variable(x.URL)))
	}
	return detail.CutLines(lines, w)
}

// renderOutcome says in a line how it ended.
func (d *exchangeDetail) renderOutcome() string {
	th, x := d.env.Theme, d.x
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

func (d *exchangeDetail) renderHeader(h []requestlog.Header) []string {
	lines := make([]string, 0, len(h)+1)
	for _, line := range h {
		lines = append(
			lines,
			" "+d.env.Theme.PaintMuted(strings.ToLower(line.Name)+": ")+d.env.Theme.PaintText(line.Value),
		)
	}
	return append(lines, "")
}

// renderBody draws a body, JSON with indents and with what is not known marked.
func (d *exchangeDetail) renderBody(body []byte, size int64, missing string, w int) []string {
	th := d.env.Theme
	var lines []string
	switch {
	case size == 0:
		return []string{th.PaintMuted(" No body")}
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
		note := requestlog.Note(line)
		if note == "" {
			lines = append(lines, " "+th.PaintText(line))
			continue
		}
		shown := " " + th.PaintRole(
			theme.Attention,
			layout.CutLine(layout.Clean(line), max(8, w-layout.Width(note)-4)),
		)
		lines = append(lines, layout.FitEnds(shown, th.PaintRole(theme.Attention, note)+" ", w))
	}
	return lines
}

func (d *exchangeDetail) renderTiming(w int) []string {
	x := d.x
	return widget.FactLines(d.env.Theme, 12, w, widget.Texts(
		"started", x.Began.In(d.env.Now().Location()).Format("2006-01-02 15:04:05.000 -07:00"),
		"duration", x.Duration.Round(10*time.Microsecond).String()+" until the end of the response",
		"attempt", fmt.Sprint(x.Attempt),
		"sent", format.Bytes(x.RequestSize),
		"received", format.Bytes(x.ResponseSize),
		"request id", x.RequestID,
		"address", x.URL,
		"number", format.GroupInt(x.Number)+" since the start",
	)...)
}
