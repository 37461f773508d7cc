package quotes

import (
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
	quoting.QuoteComparison // Order is nil until it is loaded

	id           string // ID or code of the order
	actions      []page.Action[*offer]
	state        cache.EntryState
	logged       page.Request // reads the log of decisions
	sheet        sheet
	showsDecided bool // the user has unfolded the decided quotes
	listsDecided bool // the last view had room to list the decided quotes
	site         *page.SiteMap
	mapped       mappedOrder
}

// NewCompare returns the page of an order; id is its ID or its code. The page shows record until a newer record is
// loaded. record may be nil.
func NewCompare(env *page.Env, id string, record *api.OrderRecord) *ComparePage {
	c := &ComparePage{Base: page.NewBase(env), id: id, site: page.NewSiteMap()}
	c.sheet.QuoteComparison = &c.QuoteComparison
	c.sheet.marked = map[string]bool{}
	c.sheet.deciding = c.describePending
	c.actions = c.offerActions()
	if record != nil {
		c.setOrder(record)
	}
	return c
}

// offerActions returns the actions of the page.
func (c *ComparePage) offerActions() []page.Action[*offer] {
	noOther := func(*offer) string { return page.TextIf(len(c.Set.Open) < 2, "no other open quote") }
	return append([]page.Action[*offer]{
		{ID: action.NextQuote, WhyDisabled: noOther, Do: c.quoteStep(1)},
		{ID: action.PrevQuote, WhyDisabled: noOther, Do: c.quoteStep(-1)},
		{ID: action.Differences, WhyDisabled: c.differencesRefusal, Do: toggle(&c.sheet.onlyDiff)},
		{ID: action.MarkQuote, WhyDisabled: c.markRefusal, Do: c.markQuote},
		{ID: action.Terms, Do: c.showTerms},
		{ID: action.AcceptQuote, WhyDisabled: c.acceptRefusal, Do: func(o *offer) tea.Cmd {
			return c.confirmDecision(changes.QuoteAccepted, o)
		}},
		{ID: action.RejectQuote, WhyDisabled: c.rejectRefusal, Do: c.confirmReject},
	}, c.orderActions()...)
}

// orderActions returns the actions on the order, which need no selected quote.
func (c *ComparePage) orderActions() []page.Action[*offer] {
	return []page.Action[*offer]{
		{ID: action.ShowDecided, NeedsNoRow: true, WhyDisabled: c.decidedRefusal, Do: toggle(&c.showsDecided)},
		{ID: action.Export, NeedsNoRow: true, WhyDisabled: c.exportRefusal, Do: c.exportComparison},
		{ID: action.ShowOrder, NeedsNoRow: true, WhyDisabled: c.orderRefusal, Do: c.showOrder},
		{ID: action.Decisions, NeedsNoRow: true, Do: c.showDecisions},
		{ID: action.Refresh, NeedsNoRow: true, Do: c.refresh},
	}
}

// differencesRefusal returns why the view cannot be limited to differences, or "" if it can.
func (c *ComparePage) differencesRefusal(*offer) string {
	if len(c.Set.Open) < 2 {
		return "no other open quote"
	}
	if c.sheet.onlyDiff {
		return ""
	}
	c.At = c.Env.Clock.Now() // the page may not be drawn yet
	return page.TextIf(!c.sheet.hasSameTerms(), "all terms differ")
}

// describePending returns "accepting" or "rejecting" for a quote whose decision is pending, otherwise "".
func (c *ComparePage) describePending(o *offer) string {
	verb, _, _ := strings.Cut(c.Env.Changes.PendingFor(o.QuoteID), " ")
	return page.TextIf(verb != "", verb+"ing")
}

// exportRefusal returns why the comparison cannot be exported, or "" if it can.
func (c *ComparePage) exportRefusal(*offer) string {
	if reason := c.unknownReason("quotes"); reason != "" {
		return reason
	}
	return page.TextIf(len(c.Set.Open)+len(c.Set.Decided) == 0, "no quotes")
}

// orderRefusal returns why the order cannot be shown, or "" if it can.
func (c *ComparePage) orderRefusal(*offer) string {
	if c.Order != nil {
		return ""
	}
	return c.unknownReason("order")
}

// showOrder shows the page of the order.
func (c *ComparePage) showOrder(*offer) tea.Cmd {
	return c.Env.Nav.Show(page.OrderRoute{Order: cache.OrderOf(c.Order)})
}

// showDecisions opens the log of decisions.
func (c *ComparePage) showDecisions(*offer) tea.Cmd { return c.Env.Nav.Open(NewDecisions(c.Env)) }

// refresh loads the quotes again.
func (c *ComparePage) refresh(*offer) tea.Cmd {
	c.Env.Profile.Cache.RefreshNeeds(c.DataNeeds()...)
	return nil
}

// toggle returns an action that switches a setting on or off.
func toggle(setting *bool) func(*offer) tea.Cmd {
	return func(*offer) tea.Cmd {
		*setting = !*setting
		return nil
	}
}

// quoteStep returns an action that selects the quote n columns to the right of the selected
// quote, or to the left if n is negative.
func (c *ComparePage) quoteStep(n int) func(*offer) tea.Cmd {
	return func(*offer) tea.Cmd {
		c.chooseQuote(c.sheet.pickIndex() + n)
		return nil
	}
}

// Title returns the order's code and name.
func (c *ComparePage) Title() string {
	if c.Order == nil {
		return quoting.FullName(&api.OrderRecord{ID: c.id})
	}
	return quoting.FullName(c.Order)
}

// PartTitle returns the title "Quotes". isPart reports whether parent is the title of the page of the order.
func (c *ComparePage) PartTitle(parent string) (title string, isPart bool) {
	isOrder := c.Order != nil && parent == quoting.OrderName(c.Order)
	return "Quotes", isOrder || parent == c.id
}

// CornerText returns the order's status and the numbers of its quotes. If the data is old, it adds when the
// data was loaded.
func (c *ComparePage) CornerText() string {
	if c.hasUnknownQuotes() && c.state.Err != nil {
		return "" // the page shows the error
	}
	if c.hasUnknownQuotes() {
		return "reading…"
	}
	now := c.Env.Clock.Now()
	open := len(c.Set.OpenOffers(now))
	expired := len(c.Set.Open) - open // Set.Open includes expired quotes
	parts := []string{c.statusText(open, expired)}
	if open > 0 {
		parts = append(parts, fmt.Sprintf("%d open", open))
	}
	if expired > 0 {
		parts = append(parts, fmt.Sprintf("%d expired", expired))
	}
	if decided := c.describeDecided(); decided != "" {
		parts = append(parts, decided)
	}
	isOld := now.Sub(c.state.ReadAt) > staleAfter || c.state.Err != nil
	if isOld && !c.state.ReadAt.IsZero() {
		parts = append(parts, "loaded "+format.Ago(c.state.ReadAt, now))
	}
	return strings.Join(parts, " · ")
}

// statusText returns the status of an order with the given numbers of open and expired quotes.
func (c *ComparePage) statusText(open, expired int) string {
	stage := c.Order.StageStatus()
	awaitsDecision := stage == api.RecordQuoteReceived || stage == api.RecordReviewing ||
		api.OrderStatus(stage) == api.OrderBiddingWithQuote
	if !awaitsDecision {
		return format.RecordLabel(stage).Label
	}
	return format.OrderState(api.OrderBiddingWithQuote, format.QuoteStateOf(open, expired)).Label
}

// describeDecided returns the name of the accepted quote, such as "Offer 2 accepted". If no quote is accepted, it
// returns the number of decided quotes, or "" if no quote is decided.
func (c *ComparePage) describeDecided() string {
	if accepted := c.Set.AcceptedOffer(); accepted != nil {
		return accepted.DisplayName() + " accepted"
	}
	decided := len(c.Set.Decided)
	return page.TextIf(decided > 0, fmt.Sprintf("%d decided", decided))
}

// hasUnknownQuotes reports whether the quotes of the order are still unknown. If the page shows an order from a
// list without quotes, they are unknown until the order itself is loaded.
func (c *ComparePage) hasUnknownQuotes() bool {
	if c.Order == nil {
		return true
	}
	return len(c.Set.Open)+len(c.Set.Decided) == 0 && c.state.ReadAt.IsZero()
}

// unknownReason returns why the quotes or the order are unknown, or "" if they are known. subject is "quotes" or
// "order".
func (c *ComparePage) unknownReason(subject string) string {
	if !c.hasUnknownQuotes() {
		return ""
	}
	if c.state.Err != nil {
		return "the " + subject + " could not be loaded; press " + action.KeyOf(action.Refresh, action.Quotes)
	}
	return "still loading the " + subject
}

// DataNeeds returns the data that the page needs: the order's quotes and its sites.
func (c *ComparePage) DataNeeds() []cache.Need {
	data := c.Env.Profile.Cache
	needs := []cache.Need{data.Records.NeedOf(c.id)}
	if c.Order != nil && c.Order.OrderCode != "" {
		needs = append(needs, data.Details.NeedOf(c.Order.OrderCode))
	}
	return needs
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

// CountsSeconds reports whether a quote expires within an hour. The page then shows the remaining seconds, and is
// redrawn every second.
func (c *ComparePage) CountsSeconds() bool {
	return isLastHour(c.Set.SoonestExpiry(c.Env.Clock.Now()), c.Env.Clock.Now())
}

// readLog reloads the log of decisions from disk, because the page shows which quotes the user decided on this
// machine.
func (c *ComparePage) readLog() tea.Cmd {
	log := c.Env.Profile.ChangeLog
	reload := func(context.Context) (struct{}, error) { return struct{}{}, log.Refresh() }
	done := func(struct{}, error) tea.Cmd { return nil }
	return page.RunInBackground(c.Base, &c.logged, reload, done)
}

// Update shows new quotes after they were loaded, and reloads the log after a decision was sent.
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
func (c *ComparePage) setOrder(record *api.OrderRecord) {
	record = withoutArchived(c.Env, record)
	c.Order = record
	c.Set = quoting.NewSet(c.Env.Clock.Now(), record)
	for id := range c.sheet.marked {
		o := c.Set.FindOffer(id)
		if o == nil || o.Status != api.QuoteOpen {
			delete(c.sheet.marked, id)
		}
	}
	if c.Pick == nil {
		c.chooseQuote(0)
	} else {
		c.SelectQuote(c.Pick.QuoteID)
	}
}

// chooseQuote selects the open quote with index i. If i is out of range, it selects the first or the last quote.
func (c *ComparePage) chooseQuote(i int) {
	c.Pick = nil
	if n := len(c.Set.Open); n > 0 {
		c.Pick = c.Set.Open[max(0, min(n-1, i))]
	}
}

// ActionScopes returns the page's scope.
func (c *ComparePage) ActionScopes() []action.Scope { return []action.Scope{action.Quotes} }

// DisabledReason returns why an action is disabled, or "" if it is enabled.
func (c *ComparePage) DisabledReason(id action.ID) string {
	act := page.FindAction(c.actions, id)
	isAboutQuote := act != nil && !act.NeedsNoRow
	if !isAboutQuote || c.Pick != nil {
		return act.DisabledReason(c.Pick)
	}
	if reason := c.unknownReason("quotes"); reason != "" {
		return reason
	}
	return "no open quotes"
}

// HandleAction performs an action.
func (c *ComparePage) HandleAction(id action.ID) tea.Cmd {
	if act := page.FindAction(c.actions, id); act != nil {
		return act.Do(c.Pick)
	}
	return nil
}

// markRefusal returns why a quote cannot be marked, or "" if it can. Marked quotes are rejected together.
func (c *ComparePage) markRefusal(o *offer) string {
	if len(c.Set.Open) < 2 {
		return "no other open quote"
	}
	cannotReject := o.QuoteID == "" || o.IsExpired(c.Env.Clock.Now())
	return page.TextIf(cannotReject, "cannot be rejected with the marked quotes")
}

// acceptRefusal returns why a quote cannot be accepted, or "" if it can.
func (c *ComparePage) acceptRefusal(o *offer) string {
	if refusal := c.decisionRefusal(o); refusal != "" {
		return refusal
	}
	if o.FinalPrice.IsUnread() {
		return "its price is unreadable"
	}
	return page.TextIf(!quoting.IsKnown(o.FinalPrice), "it has no price")
}

// rejectRefusal returns why the marked quotes cannot be rejected. If no quote is marked, it returns why the quote o
// cannot be rejected. It returns "" if rejecting is possible.
func (c *ComparePage) rejectRefusal(o *offer) string {
	if len(c.sheet.marked) == 0 {
		return c.decisionRefusal(o)
	}
	if len(c.markedOffers()) == 0 {
		return "the marked quotes have expired"
	}
	return c.Env.Changes.PendingReason(c.Order.ID)
}

// decisionRefusal returns why a quote cannot be decided, or "" if it can.
func (c *ComparePage) decisionRefusal(o *offer) string {
	if o.QuoteID == "" {
		return "the service gave it no ID"
	}
	now := c.Env.Clock.Now()
	if o.IsExpired(now) {
		return "expired " + format.Ago(o.ExpiryDate.Time, now)
	}
	return c.Env.Changes.PendingReason(c.Order.ID)
}

// decidedRefusal returns why the decided quotes cannot be shown or hidden, or "" if they can.
func (c *ComparePage) decidedRefusal(*offer) string {
	if reason := c.unknownReason("quotes"); reason != "" {
		return reason
	}
	if len(c.Set.Decided) == 0 {
		return "no decided quotes"
	}
	return page.TextIf(len(c.Set.Open) == 0 || c.listsDecided, "already shown")
}

// SelectQuote selects an open quote by its ID.
func (c *ComparePage) SelectQuote(id string) {
	c.chooseQuote(slices.IndexFunc(c.Set.Open, func(o *offer) bool { return o.QuoteID == id }))
}

// markQuote marks a quote, or removes its mark.
func (c *ComparePage) markQuote(o *offer) tea.Cmd {
	if c.sheet.marked[o.QuoteID] {
		delete(c.sheet.marked, o.QuoteID)
	} else {
		c.sheet.marked[o.QuoteID] = true
	}
	return nil
}

// showTerms shows all terms of a quote.
func (c *ComparePage) showTerms(o *offer) tea.Cmd {
	facts := append(c.sheet.termFacts(o), widget.Text("Quote ID", o.QuoteID))
	facts = append(facts, widget.Facts(columns.UnknownMembers(o.Extra))...)
	return c.Env.ShowFacts(o.DisplayName(), termWidth, facts...)
}

// termWidth is the width of field labels in dialogs about a quote.
const termWidth = 17

// HandleMouse selects the clicked quote and shows its terms on a double click. The wheel selects
// the previous or next quote.
func (c *ComparePage) HandleMouse(m page.MouseInput) tea.Cmd {
	if m.Wheel != 0 {
		c.chooseQuote(c.sheet.pickIndex() + max(-1, min(1, m.Wheel)))
		return nil
	}
	if len(c.Set.Open) == 0 || m.X < labelWidth {
		return nil
	}
	if i := (m.X - labelWidth + 1) / max(1, c.sheet.width); i < c.sheet.visibleCount {
		c.chooseQuote(c.sheet.firstVisible + i)
		if m.Double {
			return c.HandleAction(action.Terms)
		}
	}
	return nil
}

// leastSheet is the minimum height of the comparison of quotes, in lines. In a low window, lines at the foot of the
// page are left out, so that the comparison keeps this height.
const leastSheet = 12

// View renders the open quotes, the description of the selected one, and the decided quotes.
func (c *ComparePage) View(w, h int) string {
	c.At = c.Env.Clock.Now()
	c.sheet.theme = c.Env.Look.Theme
	c.Set.Units = c.Env.Look.Units
	problem := c.renderProblem(w)
	if c.hasUnknownQuotes() && c.state.Err == nil {
		section := page.DetailSection{Title: "Quotes", Unread: true}
		return format.FitBox(c.Env.Look.RenderSection(section, w, action.Quotes), w, h)
	}
	if c.hasUnknownQuotes() {
		return format.FitBox(problem, w, h)
	}
	if len(c.Set.Open) == 0 {
		return c.renderOnlyDecided(problem, w, h)
	}
	c.sheet.layOut(w)
	foot := slices.Concat(problem, c.renderFoot(w))
	if c.Env.Look.Theme.Linear {
		c.listsDecided = false
		lines := slices.Concat(c.sheet.renderLinear(w), foot, c.renderFold(w, h))
		return format.FitBox(lines, w, max(h, len(lines)))
	}
	return c.renderOpen(foot, w, h)
}

// renderOnlyDecided renders the page of an order without open quotes: the decided quotes, the lines in problem, and the
// fields of the order if there is room. problem says why the newest quotes could not be loaded.
func (c *ComparePage) renderOnlyDecided(problem []string, w, h int) string {
	foot := problem
	if len(c.Set.Decided) > 0 {
		orderKey := action.KeyOf(action.ShowOrder, action.Quotes)
		foot = append([]string{" " + c.Env.Look.Theme.PaintHint(orderKey, "order")}, problem...)
	}
	lines := append([]string{""}, c.renderDecided(w, h-1-len(foot))...)
	lines = append(lines, foot...)
	room := h - len(lines) - 1
	order, _ := c.renderOrder(w, room)
	if len(order) > 0 {
		lines = append(lines, "")
		lines = append(lines, order...)
	}
	return format.FitBox(lines, w, h)
}

// renderProblem renders why the order could not be loaded, or returns nil if it could.
func (c *ComparePage) renderProblem(w int) []string {
	if c.state.Err == nil {
		return nil
	}
	kept := ""
	if !c.hasUnknownQuotes() {
		kept = "Showing the listed quotes"
		if !c.state.ReadAt.IsZero() {
			kept = "Showing quotes loaded " + format.Ago(c.state.ReadAt, c.At)
		}
	}
	return c.Env.Look.RenderProblem(c.state.Err, kept, w, action.Quotes)
}

// renderOpen renders the page of an order with quotes: at the top the comparison of the open quotes, below it
// the order with its sites and decided quotes, and at the bottom the lines of foot. The descriptions of the
// quotes are part of the comparison if they fit. Otherwise the description of the selected quote is above foot.
func (c *ComparePage) renderOpen(foot []string, w, h int) string {
	fold := c.renderFold(w, h)
	terms := c.sheet.termLines(nil)
	free := h - c.sheet.headHeight() - len(terms) - len(foot) - len(fold)
	descriptions := c.sheet.descriptionLines(free)
	if descriptions == nil {
		foot = append(c.renderDescription(w, free), foot...)
	}
	deliveries := c.sheet.deliveryLines()
	isSpacious := descriptions != nil && len(descriptions)+len(deliveries) <= free
	if isSpacious || !c.hasRoomForDates(w, free-len(descriptions)) {
		terms = c.sheet.termLines(deliveries)
	}
	terms = append(terms, descriptions...)

	sheetHeight := c.sheet.headHeight() + len(terms)
	order, hasDecided := c.renderOrder(w, h-sheetHeight-len(foot)-len(fold))
	c.listsDecided = hasDecided
	if !hasDecided {
		foot = append(foot, fold...)
	}
	foot = foot[:min(len(foot), max(0, h-leastSheet))]
	lines := append(c.sheet.renderSheet(terms, h-len(foot)), order...)
	if len(lines)+len(foot) < h {
		lines = append(lines, "")
	}
	return format.FitBox(append(lines, foot...), w, h)
}

// renderDescription renders the description of the selected quote in at most h lines; if h is less than 2, in at most 2
// lines. It returns nil if there is no description, or if only differences are shown and all quotes have the same
// description. All visible quotes get the same number of lines.
func (c *ComparePage) renderDescription(w, h int) []string {
	if c.sheet.onlyDiff && c.sheet.isSameDescription() {
		return nil
	}
	th := c.Env.Look.Theme
	wrap := func(o *offer) []string {
		text := strings.TrimSpace(o.Description)
		if text == "" {
			return nil
		}
		return th.PaintLines(theme.Muted, " ", o.DisplayName()+": “"+text+"”", w-3)
	}
	height := 0
	for _, o := range c.sheet.visibleQuotes() {
		height = max(height, len(wrap(o)))
	}
	height = min(height, max(2, h))
	lines := wrap(c.Pick)
	if len(lines) > height {
		lines = lines[:height]
		lines[height-1] += th.PaintMuted("…")
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines
}

// renderHiddenExpiry renders how much time is left to decide the quote that expires first, if this is urgent and
// the column of the quote is out of view. Otherwise it returns nil. In plain mode no quote is out of view.
func (c *ComparePage) renderHiddenExpiry(w int) []string {
	now := c.Env.Clock.Now()
	first := c.Set.SoonestExpiry(now)
	th := c.Env.Look.Theme
	if th.Linear || !isUrgent(first, now) || slices.Contains(c.sheet.visibleQuotes(), first) {
		return nil
	}
	step := action.NextQuote
	if slices.Index(c.Set.Open, first) < c.sheet.firstVisible {
		step = action.PrevQuote
	}
	hint := "  " + th.PaintHint(action.KeyOf(step, action.Quotes), "towards it")
	text := " " + first.DisplayName() + " expires first, in " + format.TimeLeft(first.ExpiryDate.Time, now, isLastHour(first, now))
	text = format.CutLine(format.Clean(text), w-format.Width(hint))
	return []string{th.PaintRole(UrgencyRole(first.ExpiryDate, now), text) + hint}
}

// renderFoot renders the lines below the comparison: a warning about an urgent quote that is out of view, the number of
// marked quotes and, if all quotes are decided or expired, a line that says that no quote is open.
func (c *ComparePage) renderFoot(w int) []string {
	th := c.Env.Look.Theme
	lines := append(c.renderHiddenExpiry(w), c.renderMarked()...)
	if len(c.Set.OpenOffers(c.Env.Clock.Now())) == 0 {
		why := "No open quotes."
		if len(c.Set.Open) > 0 {
			why = quoting.AllExpired
		}
		lines = append(lines, th.PaintLines(theme.Attention, " ", why, w-2)...)
	}
	return lines
}

// renderFold renders a line with the number of decided quotes. If the decided quotes are hidden, the line has
// the key that shows them; otherwise the decided quotes follow the line. renderFold returns nil if no quote is
// decided.
func (c *ComparePage) renderFold(w, h int) []string {
	if len(c.Set.Decided) == 0 {
		return nil
	}
	th := c.Env.Look.Theme
	count := format.Count(len(c.Set.Decided), "decided quote")
	if !c.showsDecided {
		showKey := action.KeyOf(action.ShowDecided, action.Quotes)
		return []string{th.PaintMuted(" ▹ "+count+"  ") + th.PaintHint(showKey, "show")}
	}
	return append([]string{th.PaintMuted(" ▿ " + count)}, c.renderDecided(w, h)...)
}

// renderMarked renders the number of marked quotes, and the key that rejects them. It returns nil if no quote is
// marked.
func (c *ComparePage) renderMarked() []string {
	marked := len(c.sheet.marked)
	if marked == 0 {
		return nil
	}
	th := c.Env.Look.Theme
	line := th.PaintRole(theme.Attention, " ▪ "+format.Count(marked, "quote")+" marked")
	if key := c.Env.Profile.KeyOf(action.RejectQuote, action.Quotes); key != "" {
		line += th.PaintRole(theme.Attention, "; ") + th.PaintHint(key, "reject together")
	}
	return []string{line}
}

// renderDecided renders the decided quotes in at most h lines, each with the time of the user's
// decision if the user made it on this machine.
func (c *ComparePage) renderDecided(w, h int) []string {
	th := c.Env.Look.Theme
	if len(c.Set.Decided) == 0 {
		next := describeStage(c.Order)
		if isAwaitingQuotes(c.Order) {
			next = "They appear here once the order is reviewed."
		}
		return []string{th.PaintText(" " + noQuotesText(c.Order)), th.PaintMuted(" " + next)}
	}
	list := offerList{
		env:   c.Env,
		set:   &quoting.OfferSet{Decided: c.Set.Decided},
		about: c.describeOwnDecision,
	}
	return list.renderLines(w, h)
}

// describeOwnDecision returns when the user decided a quote on this machine, or "" if someone
// else decided it.
func (c *ComparePage) describeOwnDecision(o *offer) string {
	decision := c.ownDecision(o)
	if decision == nil {
		return ""
	}
	return "by you " + format.Moment(decision.At, c.Env.Clock.Now())
}

// ownDecision returns the decision on a quote that the user made on this machine, or nil if someone else decided it.
func (c *ComparePage) ownDecision(o *offer) *changes.Change {
	decision := c.Env.Profile.ChangeLog.LastDecision(c.Env.Profile.Host, o.QuoteID)
	if decision == nil || string(decision.Kind) != string(o.Status) {
		return nil
	}
	return decision
}

// exportComparison opens the dialog that writes the comparison to a file.
func (c *ComparePage) exportComparison(*offer) tea.Cmd {
	comparison := c.QuoteComparison
	comparison.At = c.Env.Clock.Now()
	count := format.Count(len(comparison.Set.Open)+len(comparison.Set.Decided), "quote")
	order := page.SafeName(quoting.OrderName(comparison.Order))
	name := "quotes-" + order + "-" + comparison.At.Format(time.DateOnly) + ".csv"
	job := page.ExportJob{
		Title: "Export comparison",
		Help:  count + ", as CSV",
		Noun:  "the comparison of " + count,
		Write: func(to io.Writer, _ string) error { return comparison.WriteCSV(to) },
	}
	page.PromptForFile(c.Base, job, name)
	return nil
}
