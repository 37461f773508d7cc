package deliveries

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// Of is what was delivered of one order, or of one of its missions.
type Of struct {
	browser
	code    string // of the order
	mission string // id of the mission, "" for all of the order
	asked   page.Question
	read    time.Time
	err     error
}

// NewOf returns the page of an order's deliveries, or with a mission's id of
// that one's.
func NewOf(env *page.Env, orderCode, mission string) *Of {
	o := &Of{code: orderCode, mission: mission}
	o.begin(env, "deliveries")
	return o
}

// Title is what the page has.
func (o *Of) Title() string { return "Deliveries" }

// Corner counts what is new.
func (o *Of) Corner() string {
	switch {
	case o.asked.Open():
		return "reading…"
	case o.read.IsZero():
		return ""
	default:
		return o.freshness() + " · refreshed " + format.Ago(o.read, o.Now())
	}
}

type ofAnswer = page.Answer[*order]

// Start reads the packages where they were not read just now.
func (o *Of) Start() tea.Cmd {
	if o.asked.Open() || o.err == nil && !o.read.IsZero() && o.Now().Sub(o.read) < staleAfter {
		return nil
	}
	return o.refresh()
}

func (o *Of) refresh() tea.Cmd {
	r := reader{o.Client, o.Cache, o.Downloads.Probe(), o.Downloads.Dir(), o.Now()}
	code, mission := o.code, o.mission
	return page.Ask(o.Base, &o.asked, func(ctx context.Context) (*order, error) { return r.of(ctx, code, mission) })
}

// Update takes the answer.
func (o *Of) Update(msg tea.Msg) tea.Cmd {
	answer, ok := msg.(ofAnswer)
	switch {
	case !ok:
		return o.hear(msg)
	case answer.Take():
		if o.err = answer.Err; o.err == nil {
			o.read = o.Now()
			o.set(answer.Value.packages)
		}
		o.dimmed = o.err != nil
	}
	return nil
}

// Scopes are the page's.
func (o *Of) Scopes() []action.Scope { return o.scopes() }

// Back clears marks and the filter first.
func (o *Of) Back() bool { return o.back() }

// Do performs an action.
func (o *Of) Do(id action.ID) tea.Cmd {
	if id == action.Refresh {
		return o.refresh()
	}
	return o.do(id)
}

// View draws the packages.
func (o *Of) View(w, h int) string {
	switch {
	case len(o.packages) == 0 && o.err != nil:
		return layout.Box(page.Problem(o.Theme, o.err, "", "r", w), w, h)
	case len(o.packages) == 0 && o.read.IsZero():
		return o.list.Loading(w, h)
	case len(o.packages) == 0:
		return layout.Box([]string{"", layout.Text(o.Theme.Style(theme.Text), " No deliveries yet. Data appears here once released.")}, w, h)
	case o.err != nil:
		problem := page.Problem(o.Theme, o.err, "the packages as read "+format.Ago(o.read, o.Now()), "r", w)
		problem = problem[:min(len(problem), h/2)]
		return layout.Box(append(layout.Lines(o.view(w, h-len(problem))), problem...), w, h)
	}
	return o.view(w, h)
}
