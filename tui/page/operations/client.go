package operations

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// clientOrder is an order as its client sees it, read with the client's key.
type clientOrder struct {
	order     *api.Order
	record    *api.OrderRecord // nil where the v2 API is not there
	packages  map[string][]api.DeliveryPackage
	callbacks []*api.WebhookDelivery // of the order, the newest first
	unread    bool                   // something of it was not read yet
}

// clientNews is something that the client saw happen.
type clientNews struct {
	at   time.Time
	text string
	role theme.Role
}

const mostNews = 12

// clientPane is the client's end: one order, as the cache has it.
type clientPane struct {
	b     page.Base
	code  string                // of the order that is followed, "" for none
	facts map[string]clientNews // when it was looked at last; nil before all of it was read
	news  []clientNews          // the newest first

	smap   *sitemap.SiteMap
	mapped *api.Order // whose missions are on it
}

// followOrder goes to an order, "" to none.
func (c *clientPane) followOrder(code string) {
	if code != c.code {
		c.code, c.facts, c.news = code, nil, nil
	}
}

// mostEndpoints is how many there are whose callbacks are looked at.
const mostEndpoints = 5

// clientNeeds returns what the client's key shows of the order.
func (c *clientPane) clientNeeds() []cache.Need {
	if c.code == "" {
		return nil
	}
	of := c.b.Cache
	needs := []cache.Need{of.Details.NeedOf(c.code)}
	if s, _ := c.knownOrder(); s != nil {
		needs = append(needs, of.Records.NeedOf(s.order.UUID), of.Packages.NeedOf(s.deliveredMissions()...))
	}
	return append(needs, of.Endpoints.NeedOf(cache.Account), of.Logs.NeedOf(c.endpointIDs()...))
}

// knownOrder returns what is known of the order, nil for nothing, and how that is.
func (c *clientPane) knownOrder() (*clientOrder, cache.EntryState) {
	of := c.b.Cache
	o, is := of.Details.Get(c.code)
	if o == nil {
		return nil, is
	}
	s := &clientOrder{order: o, packages: map[string][]api.DeliveryPackage{}}
	record, state := of.Records.Get(o.UUID)
	s.record, s.unread = record, state.IsUnread()
	for _, m := range s.deliveredMissions() {
		packages, state := of.Packages.Get(m)
		s.packages[m], s.unread = packages, s.unread || state.IsUnread()
		if is.Err == nil {
			is.Err = state.Err
		}
	}
	for _, endpoint := range c.endpointIDs() {
		log, _ := of.Logs.Get(endpoint)
		for i := range log.Items {
			if log.Items[i].OrderCode == c.code {
				s.callbacks = append(s.callbacks, &log.Items[i])
			}
		}
	}
	slices.SortFunc(s.callbacks, func(a, b *api.WebhookDelivery) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt.Time), cmp.Compare(a.UUID, b.UUID))
	})
	return s, is
}

// endpointIDs returns those of the client; a key that may not read them has none to
// show.
func (c *clientPane) endpointIDs() (ids []string) {
	list, _ := c.b.Cache.Endpoints.Get(cache.Account)
	for i := range list.Items[:min(mostEndpoints, len(list.Items))] {
		ids = append(ids, list.Items[i].UUID)
	}
	return ids
}

// deliveredMissions returns the missions that have packages.
func (s *clientOrder) deliveredMissions() (ids []string) {
	for i := range s.order.Missions {
		if m := &s.order.Missions[i]; m.Status.IsDelivered() {
			ids = append(ids, m.UUID)
		}
	}
	return ids
}

// noteNews notes what is new since the client looked before.
func (c *clientPane) noteNews() {
	s, _ := c.knownOrder()
	if s == nil || s.unread {
		return
	}
	is := s.changingFacts(c.b.Now().Location())
	if c.facts != nil {
		c.announceNews(changesSince(c.facts, is))
	}
	c.facts = is
}

func (c *clientPane) announceNews(found []clientNews) {
	for i := range found {
		found[i].at = c.b.Now()
	}
	c.news = append(found, c.news...)
	c.news = c.news[:min(len(c.news), mostNews)]
}

// changesSince returns what a client sees that is new since it looked before.
func changesSince(was, is map[string]clientNews) (found []clientNews) {
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if was[key].text != is[key].text {
			found = append(found, is[key])
		}
	}
	return found
}

// changingFacts returns what can change, by what it is about.
func (s *clientOrder) changingFacts(zone *time.Location) map[string]clientNews {
	st := labels.OrderStatus(s.order.Status)
	facts := map[string]clientNews{"1 " + s.order.UUID: {text: st.Glyph + " order: " + st.Label, role: st.Role}}
	for _, q := range s.openQuotes() {
		facts["2 "+q.QuoteID] = clientNews{text: "◆ quote " + q.QuoteName + ", " + priceText(q.FinalPrice, q.Currency), role: theme.Attention}
	}
	for i := range s.order.Missions {
		m := &s.order.Missions[i]
		st := labels.MissionStatus(m.Status)
		facts["3 "+m.MissionCode] = clientNews{text: st.Glyph + " " + m.MissionCode + " is " + st.Label + byWhom(m), role: st.Role}
		if !m.FlightDate.IsZero() {
			facts["4 "+m.MissionCode] = clientNews{text: "◎ " + m.MissionCode + " flies " + m.FlightDate.In(zone).Format("Mon 2 Jan 15:04"), role: theme.InProgress}
		}
		for _, p := range s.packages[m.UUID] {
			facts["5 "+p.UUID] = clientNews{text: "↓ " + m.MissionCode + ": " + format.Count(p.FileCount, "file", "files") + ", " + labels.DeliveryLabel(p.Status).Label, role: theme.Good}
		}
	}
	return facts
}

func byWhom(m *api.Mission) string {
	if m.Status == api.MissionPilotAssigned && m.OperatorName != nil {
		return ", " + *m.OperatorName
	}
	return ""
}

func priceText(p api.Price, currency string) string {
	if !p.Known {
		return format.None
	}
	return format.Money(p.Amount, currency)
}

// openQuotes returns those that the client can decide.
func (s *clientOrder) openQuotes() []api.Quote {
	if s.record == nil {
		return nil
	}
	return s.record.Quotes
}

// isDecidable tells whether there is a quote that has not expired.
func (s *clientOrder) isDecidable(now time.Time) bool {
	return slices.ContainsFunc(s.openQuotes(), func(q api.Quote) bool { return !q.IsExpired(now) })
}

// quoteCounts returns what the client knows of the order's quotes.
func (s *clientOrder) quoteCounts(now time.Time) labels.QuoteCounts {
	switch {
	case s.record == nil:
		return labels.QuotesUnread
	case len(s.openQuotes()) == 0:
		return labels.QuotesNone
	case s.isDecidable(now):
		return labels.QuotesReady
	default:
		return labels.QuotesExpired
	}
}

// leastClientMap is the height from which on there is a map.
const leastClientMap = 8

// renderClient draws what the client of a name sees, with the order's missions on a map
// where there is room below.
func (c *clientPane) renderClient(name string, w, h int) string {
	lines := c.renderLines(name, w, h)
	s, _ := c.knownOrder()
	rest := h - len(lines) - 1
	if s == nil || len(s.order.Missions) == 0 || rest < leastClientMap || c.b.Theme.Linear {
		return layout.FitBox(lines, w, h)
	}
	if c.mapped != s.order {
		c.mapped = s.order
		c.smap.SetFeatures(sitemap.MissionFeatures(s.order.Missions))
		c.smap.FitAll()
	}
	rule := c.b.Theme.Rule.Render(strings.Repeat("─", w))
	return layout.FitBox(append(lines, rule), w, len(lines)+1) + "\n" + c.smap.View(c.b.Theme, w, rest)
}

// renderLines draws what the client of a name sees in lines of w cells, h at most.
func (c *clientPane) renderLines(name string, w, h int) []string {
	th := c.b.Theme
	s, is := c.knownOrder()
	switch {
	case c.code == "":
		return []string{"", layout.CleanText(th.Style(theme.Text), " No order selected."), "", layout.CleanText(th.Style(theme.Muted), " Clients place orders in 2 Orders with n.")}
	case s == nil && api.IsStatus(is.Err, 403, 404):
		return []string{
			"", layout.CleanText(th.Style(theme.Text), " "+c.code+" belongs to another client."), "",
			layout.CleanText(th.Style(theme.Muted), " The key of this profile is for "+cmp.Or(name, "another account")+"."),
		}
	case s == nil && is.Err != nil:
		return page.RenderProblem(th, is.Err, "", "r", w)
	case s == nil:
		return []string{"", layout.CleanText(th.Style(theme.Muted), " "+c.code+" …")}
	}
	lines := c.orderLines(s, w)
	if is.Err != nil {
		lines = append(append(lines, ""), page.RenderProblem(th, is.Err, "Showing data loaded "+format.Ago(is.ReadAt, c.b.Now()), "r", w)...)
	}
	lines = append(append(lines, c.newsLines(max(4, min(8, h-len(lines)-5)))...), "")
	lines = append(lines, c.callbackLines(s.callbacks, w, max(3, min(mostCallbacks, h-len(lines)-2)))...)
	for i := range lines {
		lines[i] = layout.CutLine(lines[i], w)
	}
	return lines
}

// orderLines returns the order, its quotes, missions and deliveries.
func (c *clientPane) orderLines(s *clientOrder, w int) []string {
	th, now := c.b.Theme, c.b.Now()
	muted, text := th.Style(theme.Muted), th.Style(theme.Text)
	st := labels.OrderState(s.order.Status, s.quoteCounts(now))
	lines := []string{
		" " + layout.CleanText(th.Style(theme.Accent), s.order.OrderCode) + "  " + layout.CleanText(th.Title, s.order.OrderName),
		" " + layout.CleanText(th.Style(st.Role), st.Glyph+" "+st.Label) + layout.CleanText(muted, " · "+st.Description),
		"",
	}
	if path := orderSteps(s.order, now); path != nil {
		lines = append(append(lines, widget.StepLines(th, path, w)...), "")
	}
	if quotes := s.openQuotes(); len(quotes) > 0 {
		title := " Quotes to decide"
		if !s.isDecidable(now) {
			title = " Quotes"
		}
		lines = append(lines, layout.CleanText(th.Title, title))
		for i := range quotes {
			q := &quotes[i]
			mark, role := "◆", theme.Attention
			if q.IsExpired(now) {
				mark, role = "◇", theme.Muted
			}
			left := layout.CleanText(th.Style(role), "   "+mark+" ") + layout.CleanText(text, q.QuoteName)
			right := layout.CleanText(text, priceText(q.FinalPrice, q.Currency)) + layout.CleanText(muted, "  "+q.DeliveryBy.String()+"  "+format.TimeLeft(q.ExpiryDate.Time, now, false)+" ")
			lines = append(lines, layout.FitEnds(left, right, w))
		}
		lines = append(lines, "")
	}
	lines = append(lines, layout.CleanText(th.Title, " Missions"))
	for i := range s.order.Missions {
		m := &s.order.Missions[i]
		st := labels.MissionStatus(m.Status)
		right := ""
		if !m.FlightDate.IsZero() {
			right = format.Moment(m.FlightDate.Time, now)
		} else if m.OperatorName != nil {
			right = *m.OperatorName
		}
		lines = append(lines, layout.FitEnds("   "+layout.CleanText(th.Style(st.Role), st.Glyph+" "+m.MissionCode)+"  "+layout.CleanText(text, m.MissionName),
			layout.CleanText(muted, right)+" ", w))
		for _, p := range s.packages[m.UUID] {
			lines = append(lines, layout.CleanText(th.Style(theme.Good), "     ↓ ")+layout.CleanText(text, fmt.Sprintf("%s, %s, %s",
				format.Count(p.FileCount, "file", "files"), format.Bytes(p.TotalSize), labels.DeliveryLabel(p.Status).Label)))
		}
	}
	return append(lines, "")
}

// mostCallbacks are those that are listed at most.
const mostCallbacks = 8

// callbackLines returns the callbacks that the client's endpoints got of the order,
// n at most.
func (c *clientPane) callbackLines(list []*api.WebhookDelivery, w, n int) []string {
	th := c.b.Theme
	if len(list) == 0 {
		return nil
	}
	lines := []string{layout.FitEnds(layout.CleanText(th.Title, " Callbacks"), layout.CleanText(th.Style(theme.Muted), fmt.Sprint(len(list)))+" ", w)}
	n = min(n, len(list))
	for _, x := range list[:n] {
		o := columns.CallbackState(x)
		lines = append(lines, layout.CleanText(th.Style(theme.Muted), "   "+layout.FitLeft(format.Age(x.CreatedAt.Time, c.b.Now()), 8)+"  ")+
			layout.CleanText(th.Style(theme.Text), layout.FitLeft(labels.EventWord(x.Event).Label, 17))+"  "+layout.CleanText(th.Style(o.Role), o.Text))
	}
	if more := format.BeyondView(0, len(list)-n, false); more != "" {
		lines = append(lines, layout.CleanText(th.Style(theme.Muted), "   "+more))
	}
	return lines
}

// newsLines returns what the client saw happen, h lines at most.
func (c *clientPane) newsLines(h int) []string {
	th := c.b.Theme
	lines := []string{layout.CleanText(th.Title, " Changes since")}
	if len(c.news) == 0 {
		return append(lines, layout.CleanText(th.Style(theme.Muted), "   No changes yet"))
	}
	for _, n := range c.news[:min(len(c.news), h-1)] {
		lines = append(lines, layout.CleanText(th.Style(theme.Muted), "   "+n.at.Format(time.TimeOnly)+"  ")+layout.CleanText(th.Style(n.role), n.text))
	}
	return lines
}

// stages are an order's way, and how far each status has come on it.
var stages = []string{"placed", "accepted", "operator", "flight", "done"}

var reached = map[api.OrderStatus]int{
	api.OrderBiddingWithQuote: 0, api.OrderPendingOperator: 1, api.OrderOperatorAssigned: 2, api.OrderFlyingDateSet: 3, api.OrderCompleted: 4,
}

// orderSteps returns an order's, nil where it has left it.
func orderSteps(o *api.Order, now time.Time) []widget.Step {
	at, known := reached[o.Status]
	if !known {
		return nil
	}
	path := make([]widget.Step, len(stages))
	for i, name := range stages {
		path[i].Name = name
		switch {
		case i < at, at == len(stages)-1:
			path[i].State = widget.Done
		case i == at:
			path[i].State, path[i].Role = widget.Current, labels.OrderStatus(o.Status).Role
		}
	}
	path[0].When = format.Day(o.CreatedAt.Time, now)
	return path
}
