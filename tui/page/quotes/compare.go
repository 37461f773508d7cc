package quotes

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// ComparePage is the page that compares the quotes of an order.
type ComparePage struct {
	page.Base
	quoting.QuoteComparison // its order is nil until it is known

	id       string // ID or code of the order
	acts     []page.Act[*offer]
	state    cache.EntryState
	logged   page.Question
	marked   map[string]bool // by quote ID
	onlyDiff bool            // hide terms that are equal in all quotes
	whole    bool            // list decided quotes

	left, shown int // columns in the last view
	width       int // of each
	figures     int // width of the widest price, duration or date
}

// NewCompare returns the page of the order with an ID or code. The record holds what is
// known so far; it may be nil.
func NewCompare(env *page.Env, id string, record *api.OrderRecord) *ComparePage {
	c := &ComparePage{
		Base:   page.NewBase(env),
		id:     id,
		marked: map[string]bool{},
	}
	c.acts = c.offerActs()
	if record != nil {
		c.setOrder(record)
	}
	return c
}

// offerActs returns what is done on the page, most of it with the selected quote.
func (c *ComparePage) offerActs() []page.Act[*offer] {
	toggle := func(is *bool) func(*offer) tea.Cmd {
		return func(*offer) tea.Cmd {
			*is = !*is
			return nil
		}
	}
	step := func(n int) func(*offer) tea.Cmd {
		return func(*offer) tea.Cmd {
			c.chooseQuote(c.picked() + n)
			return nil
		}
	}
	unread := func(*offer) string { return page.TextIf(c.Order == nil, "still loading the order") }
	alone := func(*offer) string { return page.TextIf(len(c.Set.Open) < 2, "no other open quote") }
	return []page.Act[*offer]{
		{ID: action.NextQuote, Off: alone, Do: step(1)},
		{ID: action.PrevQuote, Off: alone, Do: step(-1)},
		{ID: action.Differences, Off: alone, Do: toggle(&c.onlyDiff)},
		{ID: action.MarkQuote, Off: c.markRefusal, Do: c.markQuote},
		{ID: action.Terms, Do: c.showTerms},
		{ID: action.AcceptQuote, Off: c.acceptRefusal, Do: func(o *offer) tea.Cmd {
			return c.confirmDecision(changes.QuoteAccepted, o)
		}},
		{
			ID:  action.RejectQuote,
			Off: func(o *offer) string { return c.decisionRefusal(o, len(c.marked) > 0) },
			Do:  c.confirmReject,
		},
		{ID: action.ShowDecided, Any: true, Off: func(*offer) string {
			return cmp.Or(
				page.TextIf(len(c.Set.Decided) == 0, "no decided quotes"),
				page.TextIf(len(c.Set.Open) == 0, "already shown"),
			)
		}, Do: toggle(&c.whole)},
		{ID: action.Export, Any: true, Off: func(*offer) string {
			return page.TextIf(len(c.Set.Open)+len(c.Set.Decided) == 0, "no quotes")
		}, Do: c.exportComparison},
		{ID: action.ShowOrder, Any: true, Off: unread, Do: func(*offer) tea.Cmd {
			return c.Env.Nav.Show(page.OrderRoute{Order: cache.OrderOf(c.Order)})
		}},
		{
			ID:  action.Decisions,
			Any: true,
			Do:  func(*offer) tea.Cmd { return c.Env.Nav.Open(NewDecisions(c.Env)) },
		},
		{ID: action.Refresh, Any: true, Do: func(*offer) tea.Cmd {
			c.Env.Profile.Cache.RereadNeeds(c.DataNeeds()...)
			return nil
		}},
	}
}

// Title returns the order's code and name.
func (c *ComparePage) Title() string {
	return quoting.FullName(cmp.Or(c.Order, &api.OrderRecord{ID: c.id}))
}

// CornerText returns the order's status.
func (c *ComparePage) CornerText() string {
	r, set := c.Order, c.Set
	switch {
	case r == nil && c.state.Err == nil:
		return "reading…"
	case r == nil:
		return ""
	}
	live, text := len(set.OpenOffers(c.Env.Clock.Now())), format.RecordLabel(r.StageStatus()).Label
	if live == 0 && len(set.Open) > 0 {
		text = format.OrderState(api.OrderBiddingWithQuote, format.QuotesExpired).Label
	}
	for i, n := range []int{live, len(set.Open) - live} {
		if n > 0 {
			text += fmt.Sprintf(" · %d %s", n, []string{"open", "expired"}[i])
		}
	}
	if n := len(set.Decided); n > 0 && set.Decided[0].Status == api.QuoteAccepted {
		text += " · " + set.Decided[0].DisplayName() + " accepted"
	} else if n > 0 {
		text += fmt.Sprintf(" · %d decided", n)
	}
	if c.Env.Clock.Now().Sub(c.state.ReadAt) > staleAfter || c.state.Err != nil {
		text += " · loaded " + format.Ago(c.state.ReadAt, c.Env.Clock.Now())
	}
	return text
}

// DataNeeds requests the order's quotes.
func (c *ComparePage) DataNeeds() []cache.Need {
	return []cache.Need{c.Env.Profile.Cache.Records.NeedOf(c.id)}
}

// OnShow shows the newest quotes of the cache and reads the log of decisions.
func (c *ComparePage) OnShow() tea.Cmd {
	c.updateFromCache()
	return c.readLog()
}

// updateFromCache shows the newest quotes of the cache.
func (c *ComparePage) updateFromCache() {
	record, state := c.Env.Profile.Cache.Records.Get(c.id)
	if state.Version != c.state.Version && !state.ReadAt.IsZero() {
		c.setOrder(record)
	}
	c.state = state
}

// CountsSeconds reports whether to redraw every second, because a quote expires soon.
func (c *ComparePage) CountsSeconds() bool {
	return expiresSoon(c.Set.SoonestExpiry(c.Env.Clock.Now()), c.Env.Clock.Now())
}

// readLog reads the log of decisions, which decided quotes are compared with.
func (c *ComparePage) readLog() tea.Cmd {
	log := c.Env.Profile.Decisions
	return page.AskInBackground(c.Base, &c.logged, func(context.Context) (struct{}, error) {
		return struct{}{}, log.Refresh()
	}, func(struct{}, error) tea.Cmd { return nil })
}

// Update handles new data and decisions.
func (c *ComparePage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg:
		c.updateFromCache()
	case page.SentMsg:
		return c.readLog()
	}
	return nil
}

// setOrder sets the order to show. The selected quote stays selected if it is still open.
func (c *ComparePage) setOrder(r *api.OrderRecord) {
	was := c.Pick
	r = withoutArchived(c.Env, r)
	c.Order = r
	c.Set = quoting.NewSet(c.Env.Clock.Now(), r)
	for id := range c.marked {
		if o := c.Set.FindOffer(id); o == nil || o.Status != api.QuoteOpen {
			delete(c.marked, id)
		}
	}
	c.chooseQuote(slices.IndexFunc(c.Set.Open, func(o *offer) bool { return was != nil && o.QuoteID == was.QuoteID }))
}

// picked returns which of the open quotes is selected, -1 for none.
func (c *ComparePage) picked() int { return slices.Index(c.Set.Open, c.Pick) }

// chooseQuote selects an open quote, the nearest one where there is none at i.
func (c *ComparePage) chooseQuote(i int) {
	c.Pick = nil
	if n := len(c.Set.Open); n > 0 {
		c.Pick = c.Set.Open[max(0, min(n-1, i))]
	}
}

// ActionScopes returns the page's scope.
func (c *ComparePage) ActionScopes() []action.Scope { return []action.Scope{action.Quotes} }

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (c *ComparePage) DisabledReason(id action.ID) string {
	act := page.FindAct(c.acts, id)
	if act != nil && !act.Any && c.Pick == nil {
		return "no open quotes"
	}
	return act.DisabledReason(c.Pick)
}

// HandleAction performs an action.
func (c *ComparePage) HandleAction(id action.ID) tea.Cmd {
	if act := page.FindAct(c.acts, id); act != nil {
		return act.Do(c.Pick)
	}
	return nil
}

// markRefusal returns why a quote cannot be marked to be rejected with others, "" if it
// can.
func (c *ComparePage) markRefusal(o *offer) string {
	return cmp.Or(
		page.TextIf(len(c.Set.Open) < 2, "no other open quote"),
		page.TextIf(
			o.QuoteID == "" || o.IsExpired(c.Env.Clock.Now()),
			"cannot be rejected with the marked quotes",
		),
	)
}

// acceptRefusal returns why a quote cannot be accepted, "" if it can.
func (c *ComparePage) acceptRefusal(o *offer) string {
	return cmp.Or(
		c.decisionRefusal(o, false),
		page.TextIf(o.FinalPrice.IsUnread(), "its price is unreadable"),
		page.TextIf(!quoting.IsKnown(o.FinalPrice), "it has no price"),
	)
}

// decisionRefusal returns why a quote, or the marked ones instead, cannot be decided, "" if
// they can.
func (c *ComparePage) decisionRefusal(o *offer, marked bool) string {
	switch {
	case marked && len(c.markedOffers()) == 0:
		return "the marked quotes have expired"
	case marked:
	case o.QuoteID == "":
		return "the service gave it no ID"
	case o.IsExpired(c.Env.Clock.Now()):
		return "expired " + format.Ago(o.ExpiryDate.Time, c.Env.Clock.Now())
	}
	return c.Env.Changes.PendingReason(c.Order.ID)
}

// SelectQuote selects an open quote by its ID.
func (c *ComparePage) SelectQuote(id string) {
	c.chooseQuote(slices.IndexFunc(c.Set.Open, func(o *offer) bool { return o.QuoteID == id }))
}

func (c *ComparePage) markQuote(o *offer) tea.Cmd {
	if c.marked[o.QuoteID] {
		delete(c.marked, o.QuoteID)
	} else {
		c.marked[o.QuoteID] = true
	}
	return nil
}

// showTerms shows all terms of a quote.
func (c *ComparePage) showTerms(o *offer) tea.Cmd {
	facts := append(c.termFacts(o), widget.Text("Quote ID", o.QuoteID))
	facts = append(facts, widget.Facts(columns.UnknownMembers(o.Extra))...)
	return c.Env.ShowFacts(o.DisplayName(), termWidth, facts...)
}

// termWidth is the width of field labels in dialogs about a quote.
const termWidth = 17

// HandleMouse selects the quote that is clicked; the wheel selects the previous or next
// one.
func (c *ComparePage) HandleMouse(m page.MouseInput) tea.Cmd {
	if m.Wheel != 0 {
		c.chooseQuote(c.picked() + max(-1, min(1, m.Wheel)))
		return nil
	}
	if len(c.Set.Open) == 0 || m.X < labelWidth {
		return nil
	}
	if i := (m.X - labelWidth + 1) / max(1, c.width); i < c.shown {
		c.chooseQuote(c.left + i)
		if m.Double {
			return c.HandleAction(action.Terms)
		}
	}
	return nil
}

// leastSheet is the least number of lines for the quotes, whatever else is shown.
const leastSheet = 12

// View renders the open quotes, the description of the selected one, and the decided
// quotes.
func (c *ComparePage) View(w, h int) string {
	c.At, c.Set.Units = c.Env.Clock.Now(), c.Env.Look.Units
	var problem []string
	if c.state.Err != nil {
		kept := ""
		if c.Order != nil {
			kept = "Showing quotes loaded " + format.Ago(c.state.ReadAt, c.At)
		}
		problem = c.Env.Look.RenderProblem(c.state.Err, kept, w)
	}
	var lines []string
	switch {
	case c.Order == nil && c.state.Err == nil:
		lines = c.Env.Look.RenderSection(page.DetailSection{Title: "Quotes", Unread: true}, w)
	case c.Order == nil:
	case len(c.Set.Open) == 0:
		lines = append([]string{""}, c.renderDecided(w, h-1-len(problem))...)
	default:
		c.layOut(w)
		foot := slices.Concat(problem, c.renderFoot(w, h))
		if c.Env.Look.Theme.Linear {
			lines = append(c.renderLinear(w), foot...)
			return format.FitBox(lines, w, max(h, len(lines)))
		}
		terms := c.termLines()
		free := h - headHeight - len(terms) - len(foot) - 1
		if described := c.descriptionLines(free); described != nil {
			terms = append(terms, described...)
		} else {
			foot = append(c.renderDescription(w, free), foot...)
		}
		foot = foot[:min(len(foot), max(0, h-leastSheet))]
		if lines = c.renderSheet(terms, h-len(foot)); len(lines)+len(foot) < h {
			lines = append(lines, "")
		}
		return format.FitBox(append(lines, foot...), w, h)
	}
	return format.FitBox(append(lines, problem...), w, h)
}

// renderDescription renders the description of the selected quote below the terms, if the
// descriptions have no room in their columns. It has at most h lines, but at least two.
func (c *ComparePage) renderDescription(w, h int) []string {
	text := strings.TrimSpace(c.Pick.Description)
	if text == "" || c.onlyDiff && c.isSameDescription() {
		return nil
	}
	th := c.Env.Look.Theme
	lines := th.PaintLines(theme.Muted, " ", c.Pick.DisplayName()+": “"+text+"”", w-3)
	if fit := max(2, h); len(lines) > fit {
		lines = lines[:fit]
		lines[fit-1] += th.PaintMuted("…")
	}
	return lines
}

// renderFoot renders what is marked, why nothing can be decided, and the decided quotes.
func (c *ComparePage) renderFoot(w, h int) (lines []string) {
	th := c.Env.Look.Theme
	if n := len(c.marked); n > 0 {
		marked := fmt.Sprintf(" ▪ %s marked; ", format.Count(n, "quote"))
		lines = append(lines, th.PaintRole(theme.Attention, marked)+th.PaintHint("X", "reject together"))
	}
	if len(c.Set.OpenOffers(c.Env.Clock.Now())) == 0 {
		why := "No open quotes."
		if len(c.Set.Open) > 0 {
			why = quoting.AllExpired
		}
		lines = append(lines, th.PaintLines(theme.Attention, " ", why, w-2)...)
	}
	count := format.Count(len(c.Set.Decided), "decided quote")
	switch {
	case len(c.Set.Decided) == 0:
		return lines
	case !c.whole:
		return append(lines, th.PaintMuted(" ▸ "+count+"  ")+th.PaintHint("v", "show"))
	}
	return append(append(lines, th.PaintMuted(" ▾ "+count)), c.renderDecided(w, h)...)
}

// renderDecided renders the decided quotes in at most h lines, each with what was decided
// here and noted, and the next step.
func (c *ComparePage) renderDecided(w, h int) []string {
	if len(c.Set.Decided) == 0 {
		return []string{
			c.Env.Look.Theme.PaintText(" No quotes yet."),
			c.Env.Look.Theme.PaintMuted(" They appear here once the order is reviewed."),
		}
	}
	list := offerList{env: c.Env, set: &quoting.OfferSet{Decided: c.Set.Decided}}
	list.about = func(o *offer) (text string) {
		e := c.Env.Profile.Decisions.LastDecision(c.Env.Profile.Host, o.QuoteID)
		if e != nil && string(e.Kind) == string(o.Status) {
			text = "by you " + format.Moment(e.At, c.Env.Clock.Now())
		}
		return text
	}
	return list.renderLines(w, h)
}

// exportComparison opens the dialog that writes the comparison to a file.
func (c *ComparePage) exportComparison(*offer) tea.Cmd {
	all := c.QuoteComparison
	all.At = c.Env.Clock.Now()
	count := format.Count(len(all.Set.Open)+len(all.Set.Decided), "quote")
	c.AskForFile(page.ExportJob{
		Title: "Export comparison",
		Help:  count + ", as CSV",
		Says:  "the comparison of " + count,
		Write: func(to io.Writer, _ string) error { return all.WriteCSV(to) },
	}, "quotes-"+page.SafeName(quoting.OrderName(all.Order))+"-"+all.At.Format(time.DateOnly)+".csv")
	return nil
}
