package quotes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

const staleAfter = 15 * time.Second // older data is shown with its age

// Section is the "Quotes" section of the app.
var Section = page.Section{
	Go: action.GoQuotes, Name: "Quotes", Short: "Quo",
	First: NewInbox,
}

// standing is how the open quotes of an order stand.
type standing = quoting.OpenStanding

// QuoteInbox is the page of orders with open quotes, soonest expiry first.
type QuoteInbox struct {
	*page.List[*standing]
	known  cache.OpenQuotes
	state  page.ListState[*standing]
	mapped *api.Order // on the map
}

// NewInbox returns the page of open quotes.
func NewInbox(env *page.Env) page.Page {
	p, base := &QuoteInbox{}, page.NewBase(env)
	p.List = page.NewList(base, p.inboxSource(env.Profile.Cache), page.ListOptions[*standing]{
		Title:   "Quotes",
		Name:    "quotes",
		Example: "price:<5000 or levee",
		One:     "order",
		Scope:   action.QuoteInbox,
		Lead:    func() page.Lead { return NextDecision(env, "enter", "compares") },
		Columns: p.inboxColumns(env.Clock.Now),
		ID:      func(s *standing) string { return s.ID },
		Failed:  func(s *standing) bool { return s.Fault != nil },
		Muted:   (*standing).HasExpired,
		Stamp: func(s *standing) string {
			var ids []string
			for _, o := range s.Set.Open {
				ids = append(ids, o.QuoteID)
			}
			slices.Sort(ids)
			return strings.Join(ids, " ")
		},
		Place: func(s *standing) (string, string) { return quoting.FullName(s.OrderRecord), "◆ quotes" },
		Lines: p.renderLines,
		Needs: func(s *standing) []cache.Need {
			if s.OrderCode == "" {
				return nil
			}
			return []cache.Need{env.Profile.Cache.Details.NeedOf(s.OrderCode)}
		},
		Open: func(s *standing) tea.Cmd { return env.Nav.Open(NewCompare(env, s.ID, p.known.Full[s.ID])) },
		Acts: []page.Act[*standing]{
			{ID: action.ShowOrder, Do: func(s *standing) tea.Cmd {
				return env.Nav.Show(page.OrderRoute{Order: cache.OrderOf(s.OrderRecord)})
			}},
			{
				ID:  action.Decisions,
				Any: true,
				Do:  func(*standing) tea.Cmd { return env.Nav.Open(NewDecisions(env)) },
			},
		},
		Empty: "No open quotes.\nQuotes appear here once the service has reviewed an order.",
		Keys:  []page.RowKey{{Key: "i", Text: "decision log"}},
		Foot:  p.renderFault,
	})
	p.updateFromCache()
	return p
}

// inboxSource returns the orders with open quotes, all with their quotes.
func (p *QuoteInbox) inboxSource(c *cache.Cache) page.ListSource[*standing] {
	return page.ListSource[*standing]{
		State: func() page.ListState[*standing] { return p.state },
		Needs: func(int) []cache.Need { return []cache.Need{c.AllQuotes()} },
		Refresh: func() tea.Cmd {
			c.RefreshQuotes(true)
			return nil
		},
	}
}

// CornerText returns the number of orders to decide, and the age of the data.
func (p *QuoteInbox) CornerText() string {
	k := &p.known
	if k.At.IsZero() || k.Kept {
		return p.List.CornerText()
	}
	open := countUndecided(p.state.Rows)
	text := format.Count(open, "order") + " to decide"
	if n := len(p.state.Rows) - open; n > 0 {
		text += fmt.Sprintf(" · %d with expired quotes", n)
	}
	if k.Left > 0 {
		text += fmt.Sprintf(
			" · quotes of %d of %d loaded",
			len(p.state.Rows)-k.Left,
			len(p.state.Rows),
		)
	}
	return text + " · refreshed " + format.Ago(k.At, p.Env.Clock.Now())
}

// OnShow takes the newest quotes of the cache.
func (p *QuoteInbox) OnShow() tea.Cmd {
	p.updateFromCache()
	return nil
}

// Update handles new data and messages of the list.
func (p *QuoteInbox) Update(msg tea.Msg) tea.Cmd {
	if _, read := msg.(page.ReadMsg); read {
		p.updateFromCache()
	}
	return p.List.Update(msg)
}

// CountsSeconds reports whether to redraw every second, because a quote expires soon.
func (p *QuoteInbox) CountsSeconds() bool {
	next := p.nextOffer()
	if next != nil && !next.ExpiryDate.After(p.Env.Clock.Now()) {
		p.sortOrders()
		next = p.nextOffer()
	}
	return expiresSoon(next, p.Env.Clock.Now())
}

// expiresSoon reports whether a quote, nil for none, expires soon enough to count its
// seconds.
func expiresSoon(o *offer, now time.Time) bool {
	return o != nil && UrgencyRole(o.ExpiryDate, now) != theme.Text
}

// nextOffer returns the quote that expires next, of all orders, nil for none.
func (p *QuoteInbox) nextOffer() *offer {
	if len(p.state.Rows) == 0 {
		return nil
	}
	return quoting.LeastOf(p.state.Rows[0].Live, (*offer).Expiry)
}

// updateFromCache takes the newest quotes of the cache.
func (p *QuoteInbox) updateFromCache() {
	if k := p.Env.Profile.Cache.Quotes(); k.Version != p.known.Version {
		p.known = k
		p.sortOrders()
	}
}

// sortOrders takes how the quotes of the orders stand now.
func (p *QuoteInbox) sortOrders() {
	k := &p.known
	p.state = page.ListState[*standing]{
		Rows: quoting.StandingsOf(k, p.Env.Clock.Now()), Version: p.state.Version + 1, At: k.At, Err: k.Err, Offline: k.Kept,
	}
	ShowQuoted(p.Env, p.state.Rows)
	p.Sync()
}

// ShowQuoted publishes how the quotes of orders stand, and shows the number of orders to
// decide beside the section's name.
func ShowQuoted(env *page.Env, orders []*standing) {
	quoted, open := map[string]format.QuoteCounts{}, countUndecided(orders)
	for _, s := range orders {
		quoted[s.ID] = format.QuotesReady
		if s.HasExpired() {
			quoted[s.ID] = format.QuotesExpired
		}
	}
	env.SetQuoted(quoted)
	count := page.TextIf(open > 0, fmt.Sprint(open))
	env.SetBadge(action.GoQuotes, page.SectionBadge{Text: count, Role: theme.Attention})
}

// countUndecided returns the number of orders with quotes that can still be decided.
func countUndecided(orders []*standing) (n int) {
	for _, s := range orders {
		if !s.HasExpired() {
			n++
		}
	}
	return n
}

// renderFault explains why the quotes of the selected order could not be loaded.
func (p *QuoteInbox) renderFault(w int) []string {
	if s := p.Current(); s != nil && s.Fault != nil {
		return p.Env.Look.RenderProblem(s.Fault, "", w)
	}
	return nil
}

// renderLines renders the quotes of an order, and puts its missions on the map once they
// are loaded.
func (p *QuoteInbox) renderLines(s *standing, w, h int) ([]string, bool) {
	o, _ := p.Env.Profile.Cache.Details.Get(s.OrderCode)
	if o != nil && o != p.mapped {
		p.mapped = o
		p.Map.Model.SetFeatures(page.MissionFeatures(o.Missions))
		p.Map.Model.FitAll()
	}
	th := p.Env.Look.Theme
	name := " " + th.PaintRole(
		theme.Accent,
		quoting.OrderName(s.OrderRecord),
	) + "  " + th.PaintTitle(
		s.OrderName,
	)
	head := []string{format.CutLine(name, w), th.PaintMuted(format.CutLine(" "+s.CompanyName, w))}
	lines := page.JoinParts(head, RenderQuotes(p.Env, s.OrderRecord, "enter", w, max(6, h*2/3)))
	return lines, o != nil && len(o.Missions) > 0
}

// inboxColumns returns the columns of an order with its quotes. The time left of the
// quote that expires next has seconds.
func (p *QuoteInbox) inboxColumns(now func() time.Time) []columns.Column[*standing] {
	quoted := func(value func(s *standing) columns.Cell) func(s *standing) columns.Cell {
		return func(s *standing) columns.Cell {
			switch {
			case s.Full:
				return value(s)
			case s.Fault != nil:
				return columns.NoCell()
			}
			return columns.TextCell("…").WithTone(theme.Muted)
		}
	}
	return columns.MakeColumns("inbox", columns.Values[*standing]{
		"orderCode":  func(s *standing) columns.Cell { return columns.TextCell(quoting.OrderName(s.OrderRecord)) },
		"quotes":     quoted(func(s *standing) columns.Cell { return columns.NumberCell(len(s.Set.Open)) }),
		"finalPrice": quoted(cheapestCell),
		"deliveryBy": quoted(fastestCell),
		"expiryDate": quoted(func(s *standing) columns.Cell {
			if s.Expires.IsZero() {
				return unreadExpiry(s)
			}
			text := format.TimeLeft(s.Expires, now(), s == p.state.Rows[0])
			return columns.Cell{
				Text:  text,
				Role:  UrgencyRole(api.TimeOf(s.Expires), now()),
				Time:  s.Expires,
				Known: true,
			}
		}),
	})
}

// cheapestCell returns the lowest price, or the number of currencies if there are
// several.
func cheapestCell(s *standing) columns.Cell {
	if several := quoting.Currencies(s.Choices()); len(several) > 1 {
		return columns.TextCell(fmt.Sprintf("%d currencies", len(several))).WithTone(theme.Attention)
	}
	best := quoting.LeastOf(s.Choices(), (*offer).Price)
	if best == nil {
		return columns.NoCell()
	}
	return columns.PriceCell(best.FinalPrice, best.Currency)
}

func fastestCell(s *standing) columns.Cell {
	best := quoting.LeastOf(s.Choices(), (*offer).DeliveryDays)
	if best == nil {
		return columns.NoCell()
	}
	return columns.DaysCell(best.DeliveryBy)
}

// unreadExpiry returns what a service sent in place of an expiry.
func unreadExpiry(s *standing) columns.Cell {
	for _, o := range s.Choices() {
		if o.ExpiryDate.Raw != "" {
			return columns.TextCell(o.ExpiryDate.Raw).WithTone(theme.Attention)
		}
	}
	return columns.NoCell()
}

// NextDecision returns the open quotes that expire next, with their prices, and the key
// that opens them.
func NextDecision(env *page.Env, key, does string) page.Lead {
	q, now := env.Profile.Cache.Quotes(), env.Clock.Now()
	for _, s := range quoting.StandingsOf(&q, now) {
		if s.Expires.IsZero() || s.HasExpired() {
			continue
		}
		text := []string{"Quote expires in " + format.TimeLeft(s.Expires, now, false), s.OrderName}
		least := quoting.LeastOf(s.Choices(), (*offer).Price)
		if least != nil && len(quoting.Currencies(s.Choices())) == 1 {
			text = append(text, "from "+format.Money(least.FinalPrice.Amount, least.Currency))
		}
		return page.Lead{Text: strings.Join(text, " · "), Key: key, Does: does}
	}
	return page.Lead{}
}
