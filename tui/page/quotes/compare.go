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
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// ComparePage is the page that compares the quotes of an order.
type ComparePage struct {
	page.Base
	id     string // ID or code of the order
	record *api.OrderRecord
	others []*api.OrderRecord // orders at the same site whose quotes are compared as well
	joined bool               // others are shown
	sheet  comparisonSheet
	chosen string // ID of the selected quote
	state  cache.EntryState
	search bool // others are being loaded
	noted  page.Question
	file   *exportdialog.FileSaver
	whole  bool // list decided quotes
	height int  // of the last frame
}

// NewCompare returns the page of the order with an ID or code. The record holds what is
// known so far; it may be nil.
func NewCompare(env *page.Env, id string, record *api.OrderRecord) *ComparePage {
	c := &ComparePage{Base: page.NewBase(env), id: id}
	c.sheet = comparisonSheet{
		th:     env.Theme,
		marked: map[string]bool{},
		notes:  map[string]string{},
		orders: map[string]string{},
	}
	c.file = exportdialog.New(c.Base)
	if record != nil {
		c.setRecord(record)
	}
	return c
}

// Title returns the order's code and name.
func (c *ComparePage) Title() string {
	if c.record == nil {
		return quoting.OrderName(&api.OrderRecord{ID: c.id})
	}
	return strings.TrimSpace(quoting.OrderName(c.record) + " " + c.record.OrderName)
}

// CornerText returns the order's status.
func (c *ComparePage) CornerText() string {
	switch {
	case c.record == nil && c.state.Err == nil:
		return "reading…"
	case c.record == nil:
		return ""
	}
	b := c.sheet.board
	live := len(b.OpenOffers(c.Now()))
	parts := []string{labels.RecordLabel(c.record.StageStatus()).Label}
	if live == 0 && len(b.Open) > 0 {
		parts[0] = labels.OrderState(api.OrderBiddingWithQuote, labels.QuotesExpired).Label
	}
	for _, some := range []struct {
		n    int
		what string
	}{{live, "open"}, {len(b.Open) - live, "expired"}, {len(b.Decided), "decided"}} {
		if some.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", some.n, some.what))
		}
	}
	if c.Now().Sub(c.state.ReadAt) > staleAfter || c.state.Err != nil {
		parts = append(parts, "loaded "+format.Ago(c.state.ReadAt, c.Now()))
	}
	return strings.Join(parts, " · ")
}

// DataNeeds requests the order's quotes, and those of all orders while other orders are
// compared.
func (c *ComparePage) DataNeeds() []cache.Need {
	needs := []cache.Need{c.Cache.Records.NeedOf(c.id)}
	if c.joined || c.search {
		needs = append(needs, c.Cache.AllQuotes())
	}
	return needs
}

// OnShow takes the newest quotes of the cache, and reads the user's notes.
func (c *ComparePage) OnShow() tea.Cmd {
	return tea.Batch(c.updateFromCache(), c.readNotes())
}

func (c *ComparePage) refreshQuotes() tea.Cmd {
	c.Cache.RereadNeeds(c.DataNeeds()...)
	return nil
}

// updateFromCache takes the newest quotes of the cache.
func (c *ComparePage) updateFromCache() tea.Cmd {
	record, state := c.Cache.Records.Get(c.id)
	if state.Version != c.state.Version && !state.ReadAt.IsZero() {
		c.setRecord(record)
	}
	c.state = state
	return c.findOthers()
}

// CountsSeconds reports whether to redraw every second, because a quote expires soon.
func (c *ComparePage) CountsSeconds() bool {
	return expiresSoon(c.sheet.board.SoonestExpiry(c.Now()), c.Now())
}

type notesAnswer = page.QuestionAnswer[map[string]string]

func (c *ComparePage) readNotes() tea.Cmd {
	log, host := c.Decisions, c.Host
	if log == nil {
		return nil
	}
	return page.AskInBackground(c.Base, &c.noted, func(context.Context) (map[string]string, error) {
		_, err := log.Entries()
		return log.LastNotes(host), err
	})
}

// Update handles new data, notes, decisions and messages of the dialogs.
func (c *ComparePage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ReadMsg, page.KeptMsg:
		return c.updateFromCache()
	case notesAnswer:
		if msg.TakeAnswer() && msg.Value != nil {
			c.sheet.notes = msg.Value
		}
	case page.SentMsg:
		return c.readNotes()
	default:
		cmd, _ := c.file.Update(msg)
		return cmd
	}
	return nil
}

// setRecord sets the order to show. The selected quote stays selected if it is still
// open.
func (c *ComparePage) setRecord(r *api.OrderRecord) {
	c.record = r
	b := quoting.NewSet(r, c.Now())
	for _, other := range c.others {
		b.AddOrder(other, c.Now())
	}
	c.sheet.board = b
	for id := range c.sheet.marked {
		if o := b.FindOffer(id); o == nil || o.Status != api.QuoteOpen {
			delete(c.sheet.marked, id)
		}
	}
	c.chooseQuote(max(0, slices.IndexFunc(b.Open, func(o *quoting.Offer) bool { return o.QuoteID == c.chosen })))
}

func (c *ComparePage) chooseQuote(i int) {
	open := c.sheet.board.Open
	c.sheet.chosen = max(0, min(len(open)-1, i))
	if len(open) > 0 {
		c.chosen = open[c.sheet.chosen].QuoteID
	}
}

// selectedQuote returns the selected quote, nil if none is open.
func (c *ComparePage) selectedQuote() *quoting.Offer {
	if len(c.sheet.board.Open) == 0 {
		return nil
	}
	return c.sheet.board.Open[c.sheet.chosen]
}

func (c *ComparePage) ActionScopes() []action.Scope { return []action.Scope{action.Quotes} }

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (c *ComparePage) DisabledReason(id action.ID) string {
	open, decided := len(c.sheet.board.Open), len(c.sheet.board.Decided)
	switch id {
	case action.AcceptQuote, action.RejectQuote:
		pick := c.selectedQuote()
		unread, unknown := false, false
		if id == action.AcceptQuote && pick != nil {
			unread, unknown = pick.FinalPrice.IsUnread(), !quoting.IsKnown(pick.FinalPrice)
		}
		return cmp.Or(
			c.decisionRefusal(pick, id == action.RejectQuote),
			reasonIf(unread, "its price is unreadable"),
			reasonIf(unknown, "it has no price"),
		)
	case action.Terms, action.NoteQuote:
		return reasonIf(open == 0, "no open quotes")
	case action.Differences, action.NextQuote, action.PrevQuote:
		return reasonIf(open < 2, "no other open quote")
	case action.MarkQuote:
		return c.markRefusal()
	case action.ShowDecided:
		return cmp.Or(reasonIf(decided == 0, "no decided quotes"), reasonIf(open == 0, "already shown"))
	case action.Export:
		return reasonIf(open+decided == 0, "no quotes")
	case action.SiteOrders, action.ShowOrder:
		return reasonIf(c.record == nil, "still loading the order")
	}
	return ""
}

// reasonIf returns the reason if the condition is true, "" otherwise.
func reasonIf(holds bool, reason string) string {
	if holds {
		return reason
	}
	return ""
}

// markRefusal returns why the selected quote cannot be marked to be rejected with
// others, "" if it can.
func (c *ComparePage) markRefusal() string {
	pick := c.selectedQuote()
	switch {
	case len(c.sheet.board.Open) < 2:
		return "no other open quote"
	case pick.QuoteID == "", pick.OrderID != c.record.ID, pick.IsExpired(c.Now()):
		return "cannot be rejected with the marked quotes"
	}
	return ""
}

// decisionRefusal returns why the selected quote, or the marked ones instead, cannot be
// decided, "" if they can.
func (c *ComparePage) decisionRefusal(pick *quoting.Offer, marked bool) string {
	marked = marked && len(c.sheet.marked) > 0
	switch {
	case pick == nil:
		return "no open quotes"
	case marked && len(c.markedOffers()) == 0:
		return "the marked quotes have expired"
	case marked:
	case pick.QuoteID == "":
		return "the service gave it no ID"
	case pick.IsExpired(c.Now()):
		return "expired " + format.Ago(pick.ExpiryDate.Time, c.Now())
	}
	order := c.record.ID
	if !marked {
		order = pick.OrderID
	}
	if waits := c.pendingDecision(order); waits != "" {
		return "still pending: " + waits
	}
	return ""
}

func (c *ComparePage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.NextQuote:
		c.chooseQuote(c.sheet.chosen + 1)
	case action.PrevQuote:
		c.chooseQuote(c.sheet.chosen - 1)
	case action.MarkQuote:
		c.markQuote()
	case action.Differences:
		c.sheet.onlyDiff = !c.sheet.onlyDiff
	case action.ShowDecided:
		c.whole = !c.whole
	case action.Refresh:
		return c.refreshQuotes()
	case action.Terms:
		c.showTerms()
	case action.NoteQuote:
		c.editNote()
	case action.AcceptQuote:
		c.confirmAccept(c.selectedQuote())
	case action.RejectQuote:
		c.confirmReject()
	case action.SiteOrders:
		return c.toggleOthers()
	case action.Export:
		c.exportComparison()
	case action.Decisions:
		return c.Open(NewDecisions(c.Env))
	case action.ShowOrder:
		return openOrder(c.Base, c.record)
	}
	return nil
}

// openOrder opens the page of an order.
func openOrder(b page.Base, r *api.OrderRecord) tea.Cmd {
	return b.OpenOrder(cache.OrderOf(r))
}

func (c *ComparePage) markQuote() {
	id := c.selectedQuote().QuoteID
	if c.sheet.marked[id] {
		delete(c.sheet.marked, id)
	} else {
		c.sheet.marked[id] = true
	}
}

// showTerms shows all terms of the selected quote.
func (c *ComparePage) showTerms() {
	o := c.selectedQuote()
	c.Overlay(&dialog.Reader{Theme: c.Theme, Title: o.DisplayName(), Text: func(w int) []string {
		facts := []widget.Fact{
			widget.Text("Final price", o.PriceText()),
			widget.Text("Before discount", o.FullPriceText()),
			widget.Text("Discount", o.DiscountText()),
			widget.Text("Delivery", o.DeliveryBy.String()),
			widget.Text("Expires", cmp.Or(o.ExpiryDate.Raw, format.Moment(o.ExpiryDate.Time, c.Now()))),
			widget.Text("Description", o.Description),
			widget.Text("Your note", c.sheet.notes[o.QuoteID]),
			widget.Text("Quote ID", o.QuoteID),
		}
		facts = append(facts, widget.Facts(columns.UnknownMembers(o.Extra))...)
		return widget.BoxFacts(c.Theme, termWidth, w, facts...)
	}})
}

// termWidth is the width of field labels in dialogs about a quote.
const termWidth = 16

// editNote opens a form for a note on the selected quote. Notes stay on this machine.
func (c *ComparePage) editNote() {
	o := c.selectedQuote()
	f := form.New(
		500,
		c.Now,
		&form.Field{ID: "note", Label: "Note", Kind: form.Long, Help: "Stored on this machine only"},
	)
	f.Field("note").Set(c.sheet.notes[o.QuoteID])
	c.Overlay(
		&dialog.FormDialog{
			Theme: c.Theme,
			Title: "Note on " + o.DisplayName(),
			Form:  f,
			OnSave: func(f *form.Form) (tea.Cmd, bool) {
				return c.saveNote(o, strings.TrimSpace(f.Field("note").Value())), true
			},
		},
	)
}

// HandleMouse selects the quote that is clicked; the wheel selects the previous or next
// one.
func (c *ComparePage) HandleMouse(m page.MouseInput) tea.Cmd {
	if m.Wheel != 0 {
		c.chooseQuote(c.sheet.chosen + max(-1, min(1, m.Wheel)))
		return nil
	}
	if len(c.sheet.board.Open) == 0 || m.X < labelWidth {
		return nil
	}
	shown, width := c.sheet.fitColumns(c.Width)
	if i := (m.X - labelWidth + 1) / width; i < shown {
		c.chooseQuote(c.sheet.left + i)
		if m.Double {
			return c.HandleAction(action.Terms)
		}
	}
	return nil
}

// View renders the open quotes, the description of the selected one, and the decided
// quotes.
func (c *ComparePage) View(w, h int) string {
	c.height = h
	c.sheet.now = c.Now()
	switch {
	case c.record == nil && c.state.Err != nil:
		return layout.FitBox(page.RenderProblem(c.Theme, c.state.Err, "", "r", w), w, h)
	case c.record == nil:
		return layout.FitBox(c.renderLoading(w), w, h)
	}
	c.sheet.layOut(w)
	foot := c.renderFoot(w)
	if c.state.Err != nil {
		foot = append(
			page.RenderProblem(
				c.Theme,
				c.state.Err,
				"Showing quotes loaded "+format.Ago(c.state.ReadAt, c.Now()),
				"r",
				w,
			),
			foot...)
	}
	if len(c.sheet.board.Open) == 0 {
		return layout.FitBox(append(c.renderStory(w), foot...), w, h)
	}
	if c.Theme.Linear && len(c.sheet.board.Open) > 0 {
		lines := append(c.sheet.renderLinear(), foot...)
		return layout.FitBox(lines, w, max(h, len(lines)))
	}
	foot = foot[:min(len(foot), max(0, h-leastSheet))]
	lines := c.sheet.renderLines(w, h-len(foot))
	if len(lines)+len(foot) < h && len(foot) > 0 {
		lines = append(lines, "")
	}
	return layout.FitBox(append(lines, foot...), w, h)
}

// renderLoading renders a placeholder in the layout of the quotes.
func (c *ComparePage) renderLoading(w int) []string {
	lines := []string{"", ""}
	for _, name := range []string{"", "Before discount", "Final price", "", "Per ha", "Delivery", "", "Expires"} {
		lines = append(
			lines,
			c.Theme.PaintMuted(
				layout.CutLine(layout.FitLeft(" "+name, labelWidth)+strings.Repeat("░░░░░░░░░░░░░░░      ", 3), w),
			),
		)
	}
	return lines
}

// leastSheet is the least number of lines for the quotes, whatever else is shown.
const leastSheet = 12

// tooLong reports whether a description does not fit into its column.
func (c *ComparePage) tooLong(text string) bool {
	n := len(layout.Wrap(layout.Clean(strings.TrimSpace(text)), max(1, c.sheet.width)))
	return !c.Theme.Linear && (n > mostLines || n > 1 && c.height < tallEnough)
}

// tallEnough is the number of lines that all terms and several descriptions need.
const tallEnough = headHeight + 14 + mostLines

// renderExpired explains that no open quote can be decided, and what to do.
func renderExpired(th *theme.Theme, w int) (lines []string) {
	lines = append(lines, th.PaintLines(theme.Attention, " ", quoting.AllExpired, w-2)...)
	return lines
}

// renderFoot renders the description of the selected quote and the decided quotes.
func (c *ComparePage) renderFoot(w int) []string {
	th := c.Theme
	var lines []string
	if o := c.selectedQuote(); o != nil && c.tooLong(o.Description) {
		said := layout.Wrap(o.DisplayName()+": “"+strings.TrimSpace(o.Description)+"”", w-3)
		for _, l := range said[:min(2, len(said))] {
			lines = append(lines, " "+th.PaintMuted(l))
		}
	}
	if n := len(c.sheet.marked); n > 0 {
		lines = append(
			lines,
			th.PaintRole(theme.Attention, fmt.Sprintf(" ▪ %s marked; ", format.Count(n, "quote", "quotes")))+
				th.PaintHint("X", "reject together"),
		)
	}
	if len(c.sheet.board.Open) == 0 {
		return lines
	}
	if len(c.sheet.board.OpenOffers(c.Now())) == 0 {
		lines = append(lines, renderExpired(th, w)...)
	}
	return append(lines, c.renderDecided(w)...)
}

// exportComparison opens the dialog that writes the comparison to a file.
func (c *ComparePage) exportComparison() {
	all := quoting.QuoteComparison{
		Order:      c.record,
		OrderNames: c.sheet.orders,
		Set:        c.sheet.board,
		Pick:       c.selectedQuote(),
		Notes:      c.sheet.notes,
		Host:       c.Host,
		Now:        c.Now(),
	}
	count := format.Count(len(all.Set.Open)+len(all.Set.Decided), "quote", "quotes")
	c.file.AskForFile(exportdialog.ExportJob{
		Title: "Export comparison",
		Help:  count + ", as Markdown (.md) or CSV (.csv)",
		Says:  "the comparison of " + count,
		Write: func(to io.Writer, ending string) error { return all.Write(to, strings.EqualFold(ending, ".csv")) },
	}, "quotes-"+exportdialog.SafeName(quoting.OrderName(c.record))+"-"+c.Now().Format(time.DateOnly)+".md")
}

// RenderOffers renders an order's quotes in at most h lines of w cells: price, delivery
// and status.
func RenderOffers(th *theme.Theme, r *api.OrderRecord, is cache.EntryState, now time.Time, w, h int) []string {
	lines := []string{th.PaintTitle(" Quotes")}
	switch {
	case r == nil && is.Err != nil:
		return append(append(lines, ""), page.RenderProblem(th, is.Err, "", "r", w)...)
	case r == nil:
		return append(lines, "", th.PaintMuted(" Loading quotes…"))
	}
	b := quoting.NewSet(r, now)
	if n := len(b.OpenOffers(now)); n > 0 {
		lines[0] = layout.FitEnds(lines[0], th.PaintMuted(format.Count(n, "quote", "quotes")+" to decide "), w)
	}
	all := slices.Concat(b.Open, b.Decided)
	if len(all) == 0 {
		return append(lines, "", th.PaintMuted(" No quotes yet."))
	}
	for i, o := range all {
		offer := offerLines(th, &b, o, now, w)
		if left := len(all) - i; len(lines)+1+len(offer) >= h && (left > 1 || len(lines)+1+len(offer) > h) {
			return append(lines, "", th.PaintMuted(" "+format.BeyondView(0, left, false)))
		}
		lines = append(append(lines, ""), offer...)
	}
	if len(b.OpenOffers(now)) > 0 && len(lines)+2 <= h {
		lines = append(lines, "", " "+th.PaintHint("c", "compare and decide"))
	}
	return lines
}

// offerLines renders a quote: name and price, then delivery, status and what it is best
// in.
func offerLines(th *theme.Theme, b *quoting.OfferSet, o *quoting.Offer, now time.Time, w int) []string {
	st := labels.QuoteLabel(o.Status, o.IsExpired(now))
	state, role := st.Label, st.Role
	if o.Status == api.QuoteOpen && !o.IsExpired(now) && o.ExpiryDate.IsRead() {
		state, role = format.TimeLeft(o.ExpiryDate.Time, now, false)+" left", UrgencyRole(o.ExpiryDate, now)
	}
	price := o.PriceText()
	name := layout.CutLine(layout.Clean(o.DisplayName()), max(8, w-layout.Width(price)-6))
	delivery := ""
	if o.DeliveryBy.Known {
		delivery = o.DeliveryBy.String() + " · "
	}
	lines := []string{
		layout.FitEnds(" "+th.PaintRole(st.Role, st.Glyph+" ")+th.PaintText(name), th.PaintText(price)+" ", w),
		layout.CutLine(th.PaintMuted("   "+delivery)+th.PaintRole(role, state), w),
	}
	if best := b.BestWords(o, now); len(best) > 0 {
		lines = append(lines, th.PaintLines(theme.Good, "   ", strings.Join(best, ", "), w-4)...)
	}
	return lines
}
