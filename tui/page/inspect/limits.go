package inspect

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page/grouplist"
	pagewire "flightdesk/tui/page/requests"
	"flightdesk/tui/theme"
)

func (a *AccountPage) orderLine(o *api.Order, w int) string {
	th := a.Theme
	return layout.CutLine(
		" "+th.PaintRole(theme.Accent, layout.FitLeft(o.OrderCode, 12))+th.PaintText(a.Client.Mask(o.OrderName)),
		w,
	)
}

// requestRun is what the requests of the run tell of limits and failures.
type requestRun struct {
	all, failed, silent int // requests, answers of failure, no answers
	slowed              []*requestlog.Exchange
	large               []*requestlog.Exchange
	limits              []timeline.EntryField // the rate limits that the service told last
	told                *requestlog.Exchange  // by which answer
}

// summarizeRun reads what the requests tell, the newest first.
func summarizeRun(kept []*requestlog.Exchange) requestRun {
	r := requestRun{all: len(kept)}
	for _, x := range kept {
		switch {
		case x.Status == 0:
			r.silent++
		case x.Status >= http.StatusBadRequest && x.Status != http.StatusNotFound: // to be not there is an answer
			r.failed++
		}
		switch x.Status {
		case http.StatusTooManyRequests:
			r.slowed = append(r.slowed, x)
		case http.StatusRequestEntityTooLarge, http.StatusInsufficientStorage:
			r.large = append(r.large, x)
		}
		if r.told == nil {
			if r.limits = limitsOf(x); r.limits != nil {
				r.told = x
			}
		}
	}
	return r
}

// limitsOf returns the rate limits that an answer told, nil for none.
func limitsOf(x *requestlog.Exchange) []timeline.EntryField {
	var all []timeline.EntryField
	for _, h := range x.ResponseHeader() {
		name := strings.ToLower(h.Name)
		if strings.HasPrefix(name, "ratelimit") || strings.HasPrefix(name, "x-ratelimit") ||
			strings.HasPrefix(name, "x-rate-limit") {
			all = append(all, timeline.EntryField{Name: name, Value: h.Value})
		}
	}
	return all
}

// headerValue returns the value of a header of the answer, "" where there is none.
func headerValue(x *requestlog.Exchange, name string) string {
	for _, h := range x.ResponseHeader() {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// limitsGroup returns the limits that were met in this run.
func (a *AccountPage) limitsGroup(now time.Time) grouplist.ItemGroup {
	kept, _ := a.RequestLog.Newest()
	r := summarizeRun(kept)
	wireWith := func(query string) func() tea.Cmd {
		return func() tea.Cmd { return a.Open(pagewire.NewWith(a.Env, query)) }
	}
	g := grouplist.ItemGroup{Title: "Requests and limits"}
	x := grouplist.GroupItem{ID: "run requests", Glyph: "✓", Role: theme.Good, Code: "requests", Right: "w shows them", Text: fmt.Sprintf("%s, none failed", format.GroupDigits(float64(r.all), 0)), Open: wireWith("")}
	if bad := r.failed + r.silent; bad > 0 {
		x.Glyph, x.Role, x.Open = "!", theme.Attention, wireWith("")
		x.Text = fmt.Sprintf("%s: %d rejected or failed, %d without a response", format.GroupDigits(float64(r.all), 0), r.failed, r.silent)
	}
	g.Items = append(g.Items, x)
	x = grouplist.GroupItem{ID: "run rate", Glyph: "✓", Role: theme.Good, Code: "rate limit", Text: "not reached: no 429 responses", Open: wireWith("code:429")}
	if n := len(r.slowed); n > 0 {
		x.Glyph, x.Role, x.Loud = "!", theme.Bad, theme.Bad
		x.Text = "reached: " + format.Count(n, "response", "responses") + " of 429"
		if wait := headerValue(r.slowed[0], "Retry-After"); wait != "" {
			x.Text += ", last: wait " + wait + " s"
		}
		x.Right = format.Ago(r.slowed[0].At, now)
	}
	x.More = func(w int) []string {
		facts := r.limits
		if r.told != nil {
			facts = append(facts, timeline.EntryField{Name: "Source", Value: r.told.Method + " " + r.told.Path})
		}
		lines := a.renderFacts(w, "The rate limit", facts...)
		if r.told == nil {
			lines = append(lines, a.renderParagraph("No response had a rate limit header.", w)...)
		}
		return lines
	}
	g.Items = append(g.Items, x)
	if r.told != nil {
		parts := make([]string, len(r.limits))
		for i, f := range r.limits {
			parts[i] = strings.TrimPrefix(strings.TrimPrefix(f.Name, "x-"), "ratelimit-") + " " + f.Value
		}
		told := r.told
		g.Items = append(g.Items, grouplist.GroupItem{
			ID: "run told", Glyph: "·", Role: theme.Text, Code: "told", Text: strings.Join(parts, ", "), Right: format.Ago(told.At, now),
			Open: func() tea.Cmd { return a.Open(pagewire.NewAt(a.Env, told.Number)) },
		})
	}
	if n := len(r.large); n > 0 {
		last := r.large[0]
		g.Items = append(g.Items, grouplist.GroupItem{
			ID: "run large", Glyph: "!", Role: theme.Bad, Code: "size", Text: format.Count(n, "request was", "requests were") + " too large or not to be stored",
			Right: format.Ago(last.At, now), Open: func() tea.Cmd { return a.Open(pagewire.NewAt(a.Env, last.Number)) },
		})
	}
	if n := len(a.account.Endpoints); n > 0 {
		x = grouplist.GroupItem{ID: "run endpoints", Glyph: "·", Role: theme.Text, Code: "endpoints", Text: format.Count(n, "registered", "registered")}
		x.Open = func() tea.Cmd { return a.Go(action.GoWebhooks, "") }
		g.Items = append(g.Items, x)
	}
	return g
}

// askReport asks for a file and writes what the page shows, all of it.
func (a *AccountPage) askReport() {
	now := a.Now()
	var parts []timeline.ReportPart
	lines := 0
	for _, g := range a.accountGroups(now) {
		p := timeline.ReportPart{Title: g.Title, Note: g.Note, None: g.None}
		for _, x := range g.Items {
			p.Lines = append(
				p.Lines,
				timeline.PartLine{ID: x.ID, Glyph: x.Glyph, Code: x.Code, Text: x.Text, Right: x.Right, Role: x.Role},
			)
			lines++
		}
		parts = append(parts, p)
	}
	r := timeline.AccountReport(parts, a.Account, a.Host, now, a.Client.Mask)
	a.saver.AskForFile(
		reportJob("Save report", format.Count(lines, "line", "lines"), r),
		"account-"+now.Format(time.DateOnly)+".md",
	)
}
