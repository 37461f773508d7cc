package webhooks

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// EndpointPage is the page of an endpoint: callbacks that were sent, and missing ones.
type EndpointPage struct {
	*listpage.Page[logEntry]
	book    *endpointBook
	uuid    string
	last    api.WebhookEndpoint // last known data; survives a deletion
	entries []*logEntry         // listed, after the filter for problems
	changes int                 // of the book when the entries were listed
	version int
	onlyBad bool
	tested  page.Question
	resend  *page.UndeliveredResender
}

// NewEndpoint returns the page of an endpoint for other sections. It loads its own
// data.
func NewEndpoint(env *page.Env, uuid string) *EndpointPage { return newEndpointPage(env, nil, uuid) }

// newEndpointPage returns the page of an endpoint that uses the section's book, or a
// new one if it is nil.
func newEndpointPage(env *page.Env, b *endpointBook, uuid string) *EndpointPage {
	base := page.NewBase(env)
	p := &EndpointPage{book: b, uuid: uuid, changes: -1, resend: page.NewResender(base)}
	if b == nil {
		p.book = newEndpointBook(base)
	}
	p.Page = listpage.NewPage(
		base,
		listpage.Source[logEntry]{State: p.logState, Refresh: p.book.refreshAll},
		listpage.Options[logEntry]{
			Name:    "callbacks",
			Example: "event:flight or code:>=500",
			One:     "callback",
			Many:    "callbacks",
			Scope:   action.CallbackLog,
			Columns: p.logColumns(base.Now),
			ID:      (*logEntry).entryID,
			Look: func(e *logEntry) (mark table.Cell, muted bool) {
				if e.entryOutcome() == failed {
					mark = table.Cell{Text: "!", Role: theme.Bad}
				}
				return mark, false
			},
			Stamp:       func(e *logEntry) string { return fmt.Sprint(e.entryOutcome()) },
			SplitDetail: func(e *logEntry, w, h int) string { return layout.FitBox(p.renderDetail(e, w), w, h) },
			Below: func(e *logEntry) string {
				if e.gap != nil {
					return base.Theme.PaintRole(theme.Bad, "! Missing")
				}
				return base.Theme.PaintTitle("Callback")
			},
			Open: func(*logEntry) tea.Cmd {
				if m := p.entryMission(); m != nil {
					return env.OpenMission(m)
				}
				return nil
			},
			Foot:  p.renderFoot,
			Blank: p.renderBlank,
		},
	)
	p.Detail.Least(50, 50)
	return p
}

// logState returns the endpoint's log as far as it is loaded.
func (p *EndpointPage) logState() (s listpage.State[logEntry]) {
	if p.changes != p.book.changes {
		p.listRows()
	}
	s.Rows, s.Version = p.entries, p.version
	l, h := p.book.logs[p.uuid], p.book.healths[p.uuid]
	switch {
	case l == nil:
		if s.Err = p.book.err; p.book.endpointByID(p.uuid) == nil {
			s.At = p.book.read
		}
	case h != nil || l.read.IsZero():
		s.At, s.Err = l.read, l.err
	}
	return s
}

// listRows lists the entries of the log again.
func (p *EndpointPage) listRows() {
	p.changes = p.book.changes
	p.version++
	p.entries = nil
	if h := p.book.healths[p.uuid]; h != nil {
		p.entries = listpage.Pointers(h.entries)
	}
	if p.onlyBad {
		p.entries = slices.DeleteFunc(p.entries, func(e *logEntry) bool { return e.entryOutcome() != failed })
	}
}

// shownEndpoint returns the endpoint, with its last known data if it was deleted.
func (p *EndpointPage) shownEndpoint() *api.WebhookEndpoint {
	if e := p.book.endpointByID(p.uuid); e != nil {
		p.last = *e
	}
	return &p.last
}

// Title returns the endpoint's address.
func (p *EndpointPage) Title() string { return cmp.Or(endpointName(p.shownEndpoint()), "Endpoint") }

// CornerText returns the endpoint's health.
func (p *EndpointPage) CornerText() string {
	l, h := p.book.logs[p.uuid], p.book.healths[p.uuid]
	switch {
	case p.book.endpointByID(p.uuid) == nil && !p.book.read.IsZero():
		return "deleted"
	case l == nil || h == nil:
		return "reading…"
	}
	text := fmt.Sprintf("%d delivered · %d failed", h.delivered, h.failed)
	if n := len(h.gaps); n > 0 {
		text += " · " + fmt.Sprint(n) + " missing"
	}
	return text + " · refreshed " + format.Ago(l.read, p.Now())
}

// DataNeeds requests the data of the book, this endpoint's log first.
func (p *EndpointPage) DataNeeds() []cache.Need {
	log := p.Cache.Logs.NeedOf(p.uuid)
	if h := p.book.healths[p.uuid]; h != nil && h.pending > 0 {
		log = p.Cache.Logs.NeedStamped(p.uuid, p.readStamp())
	}
	needs := []cache.Need{log}
	if d := p.selectedRow(); d != nil && p.Cache.Operations != nil {
		stamp := fmt.Sprint("finished after ", attemptCount(d))
		if d.IsPending() {
			stamp = p.readStamp()
		}
		needs = append(needs, p.Cache.Operations.Histories.NeedStamped(d.UUID, stamp))
	}
	return append(needs, p.book.bookNeeds()...)
}

// readStamp returns a stamp that changes regularly while callbacks are pending, to
// reload the log.
func (p *EndpointPage) readStamp() string {
	return fmt.Sprint("pending at ", p.Now().Unix()/pendingSeconds)
}

// pendingSeconds is how often a pending callback is read again, in seconds.
const pendingSeconds = 2

// callbackHistory returns what the operations API has of the selected callback, nil where
// that is not known.
func (p *EndpointPage) callbackHistory(d *api.WebhookDelivery) *api.CallbackHistory {
	if p.Cache.Operations == nil {
		return nil
	}
	h, _ := p.Cache.Operations.Histories.Get(d.UUID)
	return h
}

// OnShow shows what is known, which the cache keeps up to date.
func (p *EndpointPage) OnShow() tea.Cmd { return p.book.startReading() }

// Update handles new data, and results of test events and resent callbacks.
func (p *EndpointPage) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := p.book.updateBook(msg); taken {
		return cmd
	}
	if msg, ok := msg.(testAnswer); ok {
		return reportTested(p.Base, &p.tested, msg)
	}
	if cmd, taken := p.resend.Update(msg); taken {
		return cmd
	}
	return p.Page.Update(msg)
}

// logColumns returns the columns of callbacks, sent or missing.
func (p *EndpointPage) logColumns(now func() time.Time) []columns.Column[logEntry] {
	logged := func(value func(*api.WebhookDelivery) columns.Cell) func(*logEntry) columns.Cell {
		return func(e *logEntry) columns.Cell {
			if e.row == nil {
				return columns.NoCell()
			}
			return value(e.row)
		}
	}
	return []columns.Column[logEntry]{
		{ColumnSpec: columns.ColumnSpec{Title: "Created", Name: "createdAt", Kind: columns.Date}, Value: func(e *logEntry) columns.Cell {
			return columns.Cell{Text: formatTime(e.entryTime(), now()), Time: e.entryTime(), Known: true}
		}},
		{ColumnSpec: columns.ColumnSpec{Title: "Event", Name: "event", Width: 17}, Value: func(e *logEntry) columns.Cell { return columns.TextCell(labels.EventWord(e.entryEvent()).Label) }},
		{ColumnSpec: columns.ColumnSpec{Title: "Mission", Name: "missionCode", Width: 10, Drop: 2}, Value: func(e *logEntry) columns.Cell { return columns.TextOr(p.missionCode(e)) }},
		{ColumnSpec: columns.ColumnSpec{Title: "Order", Name: "orderCode", Width: 10, Drop: 6}, Value: func(e *logEntry) columns.Cell { return columns.TextOr(p.orderCode(e)) }},
		{ColumnSpec: columns.ColumnSpec{Title: "Result", Name: "result", Kind: columns.Status, Width: 11}, Value: func(e *logEntry) columns.Cell {
			if e.row == nil {
				return columns.StateCell(labels.Missing, -1)
			}
			return columns.CallbackState(e.row)
		}},
		{ColumnSpec: columns.ColumnSpec{Title: "Code", Name: "responseCode", Kind: columns.Number, Drop: 4}, Value: logged(func(d *api.WebhookDelivery) columns.Cell {
			if d.ResponseCode == nil || *d.ResponseCode == 0 {
				return columns.NoCell()
			}
			return columns.NumOf(d.ResponseCode)
		})},
		{ColumnSpec: columns.ColumnSpec{Title: "Attempts", Name: "attempts", Kind: columns.Number, Drop: 3}, Value: logged(func(d *api.WebhookDelivery) columns.Cell { return columns.NumOf(d.Attempts) })},
		{ColumnSpec: columns.ColumnSpec{Title: "Note", Name: "error", Width: 18, Fill: 1, Drop: 5}, Value: func(e *logEntry) columns.Cell {
			if e.row == nil {
				return columns.TextCell("not in the log, not received").WithTone(theme.Bad)
			}
			return callbackNote(e.row)
		}},
		{ColumnSpec: columns.ColumnSpec{Title: "ID", Name: "uuid", Width: 10, Off: true, Drop: 7}, Value: logged(func(d *api.WebhookDelivery) columns.Cell { return columns.TextCell(d.UUID) })},
	}
}

// callbackNote returns a remark on a callback's result.
func callbackNote(d *api.WebhookDelivery) table.Cell {
	switch {
	case d.IsPending():
		return table.Cell{Text: "sending", Role: theme.Pending}
	case !d.Success:
		return table.Cell{Text: failureReason(d)}
	case d.Attempts != nil && *d.Attempts > 1:
		return table.Cell{Text: "after several attempts", Role: theme.Muted}
	default:
		return table.Cell{}
	}
}

// missionCode returns the mission code of an entry, or the beginning of its ID if the
// mission is unknown.
func (p *EndpointPage) missionCode(e *logEntry) string {
	if e.gap != nil {
		return e.gap.Mission.Code
	}
	if m := p.book.findMission(e.row.MissionUID); m != nil {
		return m.MissionCode
	}
	return e.row.MissionUID[:min(8, len(e.row.MissionUID))]
}

func (p *EndpointPage) orderCode(e *logEntry) string {
	if e.gap != nil {
		return e.gap.Mission.Order
	}
	if m := p.book.findMission(e.row.MissionUID); m != nil && e.row.OrderCode == "" {
		return m.OrderCode
	}
	return e.row.OrderCode
}

// entryMission returns the mission of the selected entry, nil if unknown.
func (p *EndpointPage) entryMission() *cache.Mission {
	if e := p.Current(); e != nil {
		return p.book.findMission(e.entryMission())
	}
	return nil
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *EndpointPage) DisabledReason(id action.ID) string {
	switch id {
	case action.Open, action.ShowOrder, action.ShowTimeline:
		switch {
		case p.Current() == nil:
			return "no callback"
		case p.entryMission() == nil:
			return "its mission is not loaded"
		}
	case action.CopyWords:
		if p.Current() == nil {
			return "no callback"
		}
	case action.ResendCallback:
		return p.resend.DisabledReason(p.selectedCallback(), len(p.failedCallbacks()))
	case action.DeleteEndpoint:
		return p.book.deleteRefusal(p.book.endpointByID(p.uuid))
	}
	return p.Page.DisabledReason(id)
}

func (p *EndpointPage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.ShowOrder:
		return p.OpenOrder(p.entryMission().Order)
	case action.ShowTimeline:
		m := p.entryMission()
		return p.OpenStory(
			timeline.StorySubject{Order: m.Order.OrderCode, Mission: m.UUID},
			p.timelineEntry(p.Current()),
		)
	case action.CopyWords:
		return page.CopyText(&p.FileAccess, p.describeEntry(p.Current()), "the summary")
	case action.ResendCallback:
		p.resend.AskToResend(p.selectedCallback(), p.failedCallbacks(), endpointName(p.shownEndpoint()))
	case action.OnlyFailures:
		p.onlyBad = !p.onlyBad
		p.listRows()
	case action.ShowLiveEvents:
		return p.Open(newLiveFeed(p.Env, p.book))
	case action.CheckSignature:
		return p.Open(newSignatureCheck(p.Env, p.shownEndpoint()))
	case action.TestEvent:
		return askTest(p.Base, p.shownEndpoint(), &p.tested)
	case action.DeleteEndpoint:
		p.book.confirmDelete(p.shownEndpoint())
	default:
		return p.Page.HandleAction(id)
	}
	return nil
}

// selectedCallback returns the selected callback to resend, nil if none or a missing
// one is selected.
func (p *EndpointPage) selectedCallback() *timeline.UndeliveredItem {
	d := p.selectedRow()
	if d == nil {
		return nil
	}
	s := timeline.CallbackSending(d, "")
	return &s
}

// selectedRow returns the selected log row, nil if none or a missing callback is
// selected.
func (p *EndpointPage) selectedRow() *api.WebhookDelivery {
	if e := p.Current(); e != nil {
		return e.row
	}
	return nil
}

// failedCallbacks returns all failed callbacks, including those hidden by a filter.
func (p *EndpointPage) failedCallbacks() (all []timeline.UndeliveredItem) {
	if h := p.book.healths[p.uuid]; h != nil {
		for i := range h.entries {
			if d := h.entries[i].row; d != nil && outcomeOf(d) == failed {
				all = append(all, timeline.CallbackSending(d, ""))
			}
		}
	}
	return all
}

// timelineEntry returns the ID of an entry in the timeline.
func (p *EndpointPage) timelineEntry(e *logEntry) string {
	if e.row != nil {
		return timeline.CallbackID(e.row)
	}
	return timeline.MissingID(p.uuid, e.gap)
}

// renderFoot reports that the filter for problems is on.
func (p *EndpointPage) renderFoot(int) []string {
	if !p.onlyBad {
		return nil
	}
	th := p.Theme
	return []string{th.PaintRole(theme.Attention, " problems only") + th.PaintMuted(" · ") +
		th.PaintHint("b", "shows all")}
}

// renderBlank renders an empty log, or why it could not be loaded.
func (p *EndpointPage) renderBlank(err error, w int) []string {
	th, l := p.Theme, p.book.logs[p.uuid]
	switch {
	case err != nil && l == nil:
		return p.book.renderProblem(w)
	case err != nil:
		return page.RenderProblem(th, err, "", "r", w)
	case l == nil:
		return []string{"", th.PaintText(" This endpoint was deleted.")}
	case p.onlyBad:
		return []string{
			"", th.PaintRole(theme.Good, " ✓ No failed or missing callbacks."), "",
			" " + th.PaintHint("b", "shows all"),
		}
	}
	return []string{
		"", th.PaintText(" No callbacks yet."), "",
		th.PaintMuted(" Callbacks appear here as they are sent."),
	}
}

// renderAttempts renders the attempts that the service lists, and when the next one is
// due.
func (p *EndpointPage) renderAttempts(h *api.CallbackHistory, w int) (lines []string) {
	th, zone := p.Theme, p.Now().Location()
	var resent time.Time
	for i := range h.Attempts {
		a := &h.Attempts[i]
		if at := a.ResentAt.Time; !at.IsZero() && !at.Equal(resent) {
			resent = at
			lines = append(
				lines,
				renderFact(th, "Resent", "by "+a.ResentBy+", "+at.In(zone).Format("2 Jan 2006 15:04:05"), w),
			)
		}
		glyph, role := "✓", theme.Good
		if a.Error != nil {
			glyph, role = "✗", theme.Bad
		}
		sent := a.SentAt.In(zone).Format("2 Jan 2006 15:04:05")
		text := fmt.Sprintf("%s %s, %d ms: %s", glyph, sent, a.DurationMillis, attemptResult(a))
		lines = append(lines, renderWrapped(th, role, fmt.Sprint("Attempt ", a.Number), text, w)...)
	}
	if next := h.NextAttemptAt.Time; !next.IsZero() {
		lines = append(lines, factIn(th, theme.Pending, "Next", next.In(zone).Format("2 Jan 2006 15:04:05"), w))
	}
	return lines
}

// renderEvidence renders the last request's headers and the beginning of the answer.
func (p *EndpointPage) renderEvidence(d *api.WebhookDelivery, w int) (lines []string) {
	th, h := p.Theme, p.callbackHistory(d)
	if h == nil || len(h.Attempts) == 0 {
		return nil
	}
	last := &h.Attempts[len(h.Attempts)-1]
	for _, name := range slices.Sorted(maps.Keys(last.Headers)) {
		lines = append(lines, renderWrapped(th, theme.Muted, "Header", name+": "+last.Headers[name], w)...)
	}
	if answer := strings.TrimSpace(last.Answer); answer != "" {
		lines = append(lines, renderWrapped(th, theme.Text, "Answer", layout.Clean(answer), w)...)
	}
	return append(lines, renderWrapped(th, theme.Text, "Body", last.Body, w)...)
}

// attemptResult returns the result of an attempt.
func attemptResult(a *api.CallbackAttempt) string {
	switch {
	case a.ResponseCode != 0:
		return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", a.ResponseCode, http.StatusText(a.ResponseCode)))
	case a.Error != nil:
		return *a.Error
	}
	return "delivered"
}
