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

// seen is an order as its client sees it, read with the client's key.
type seen struct {
	order     *api.Order
	record    *api.OrderRecord // nil where the v2 API is not there
	packages  map[string][]api.DeliveryPackage
	callbacks []*api.WebhookDelivery // of the order, the newest first
	unread    bool                   // something of it was not read yet
}

// news is something that the client saw happen.
type news struct {
	at   time.Time
	text string
	role theme.Role
}

const mostNews = 12

// client is the client's end: one order, as the cache has it.
type client struct {
	b     page.Base
	code  string          // of the order that is followed, "" for none
	facts map[string]news // when it was looked at last; nil before all of it was read
	news  []news          // the newest first

	smap   *sitemap.Map
	mapped *api.Order // whose missions are on it
}

// follow goes to an order, "" to none.
func (c *client) follow(code string) {
	if code != c.code {
		c.code, c.facts, c.news = code, nil, nil
	}
}

// mostEndpoints is how many there are whose callbacks are looked at.
const mostEndpoints = 5

// needs are what the client's key shows of the order.
func (c *client) needs() []cache.Need {
	if c.code == "" {
		return nil
	}
	of := c.b.Cache
	needs := []cache.Need{of.Details.Of(c.code)}
	if s, _ := c.seen(); s != nil {
		needs = append(needs, of.Records.Of(s.order.UUID), of.Packages.Of(s.delivered()...))
	}
	return append(needs, of.Endpoints.Of(cache.Account), of.Logs.Of(c.endpoints()...))
}

// seen is what is known of the order, nil for nothing, and how that is.
func (c *client) seen() (*seen, cache.State) {
	of := c.b.Cache
	o, is := of.Details.Get(c.code)
	if o == nil {
		return nil, is
	}
	s := &seen{order: o, packages: map[string][]api.DeliveryPackage{}}
	record, state := of.Records.Get(o.UUID)
	s.record, s.unread = record, state.Unread()
	for _, m := range s.delivered() {
		packages, state := of.Packages.Get(m)
		s.packages[m], s.unread = packages, s.unread || state.Unread()
		if is.Err == nil {
			is.Err = state.Err
		}
	}
	for _, endpoint := range c.endpoints() {
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

// endpoints are those of the client; a key that may not read them has none to
// show.
func (c *client) endpoints() (ids []string) {
	list, _ := c.b.Cache.Endpoints.Get(cache.Account)
	for i := range list.Items[:min(mostEndpoints, len(list.Items))] {
		ids = append(ids, list.Items[i].UUID)
	}
	return ids
}

// delivered are the missions that have packages.
func (s *seen) delivered() (ids []string) {
	for i := range s.order.Missions {
		if m := &s.order.Missions[i]; m.Status.IsDelivered() {
			ids = append(ids, m.UUID)
		}
	}
	return ids
}

// look notes what is new since the client looked before.
func (c *client) look() {
	s, _ := c.seen()
	if s == nil || s.unread {
		return
	}
	is := s.facts(c.b.Now().Location())
	if c.facts != nil {
		c.tell(changes(c.facts, is))
	}
	c.facts = is
}

func (c *client) tell(found []news) {
	for i := range found {
		found[i].at = c.b.Now()
	}
	c.news = append(found, c.news...)
	c.news = c.news[:min(len(c.news), mostNews)]
}

// changes are what a client sees that is new since it looked before.
func changes(was, is map[string]news) (found []news) {
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if was[key].text != is[key].text {
			found = append(found, is[key])
		}
	}
	return found
}

// facts are what can change, by what it is about.
func (s *seen) facts(zone *time.Location) map[string]news {
	st := labels.OrderStatus(s.order.Status)
	facts := map[string]news{"1 " + s.order.UUID: {text: st.Glyph + " order: " + st.Label, role: st.Role}}
	for _, q := range s.quotes() {
		facts["2 "+q.QuoteID] = news{text: "◆ quote " + q.QuoteName + ", " + sum(q.FinalPrice, q.Currency), role: theme.Attention}
	}
	for i := range s.order.Missions {
		m := &s.order.Missions[i]
		st := labels.MissionStatus(m.Status)
		facts["3 "+m.MissionCode] = news{text: st.Glyph + " " + m.MissionCode + " is " + st.Label + byWhom(m), role: st.Role}
		if !m.FlightDate.IsZero() {
			facts["4 "+m.MissionCode] = news{text: "◎ " + m.MissionCode + " flies " + m.FlightDate.In(zone).Format("Mon 2 Jan 15:04"), role: theme.InProgress}
		}
		for _, p := range s.packages[m.UUID] {
			facts["5 "+p.UUID] = news{text: "↓ " + m.MissionCode + ": " + format.Count(p.FileCount, "file", "files") + ", " + labels.Delivery(p.Status).Label, role: theme.Good}
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

func sum(p api.Price, currency string) string {
	if !p.Known {
		return format.None
	}
	return format.Money(p.Amount, currency)
}

// quotes are those that the client can decide.
func (s *seen) quotes() []api.Quote {
	if s.record == nil {
		return nil
	}
	return s.record.Quotes
}

// decidable tells whether there is a quote that has not expired.
func (s *seen) decidable(now time.Time) bool {
	return slices.ContainsFunc(s.quotes(), func(q api.Quote) bool { return !q.IsExpired(now) })
}

// quoted is what the client knows of the order's quotes.
func (s *seen) quoted(now time.Time) labels.Quotes {
	switch {
	case s.record == nil:
		return labels.QuotesUnread
	case len(s.quotes()) == 0:
		return labels.QuotesNone
	case s.decidable(now):
		return labels.QuotesReady
	default:
		return labels.QuotesExpired
	}
}

// leastClientMap is the height from which on there is a map.
const leastClientMap = 8

// whole draws what the client of a name sees, with the order's missions on a map
// where there is room below.
func (c *client) whole(name string, w, h int) string {
	lines := c.view(name, w, h)
	s, _ := c.seen()
	rest := h - len(lines) - 1
	if s == nil || len(s.order.Missions) == 0 || rest < leastClientMap || c.b.Theme.Linear {
		return layout.Box(lines, w, h)
	}
	if c.mapped != s.order {
		c.mapped = s.order
		c.smap.SetFeatures(sitemap.Missions(s.order.Missions))
		c.smap.FitAll()
	}
	rule := c.b.Theme.Rule.Render(strings.Repeat("─", w))
	return layout.Box(append(lines, rule), w, len(lines)+1) + "\n" + c.smap.View(c.b.Theme, w, rest)
}

// view draws what the client of a name sees in lines of w cells, h at most.
func (c *client) view(name string, w, h int) []string {
	th := c.b.Theme
	s, is := c.seen()
	switch {
	case c.code == "":
		return []string{"", layout.Text(th.Style(theme.Text), " No order selected."), "", layout.Text(th.Style(theme.Muted), " Clients place orders in 2 Orders with n.")}
	case s == nil && api.IsStatus(is.Err, 403, 404):
		return []string{
			"", layout.Text(th.Style(theme.Text), " "+c.code+" belongs to another client."), "",
			layout.Text(th.Style(theme.Muted), " The key of this profile is for "+cmp.Or(name, "another account")+"."),
		}
	case s == nil && is.Err != nil:
		return page.Problem(th, is.Err, "", "r", w)
	case s == nil:
		return []string{"", layout.Text(th.Style(theme.Muted), " "+c.code+" …")}
	}
	lines := c.orderLines(s, w)
	if is.Err != nil {
		lines = append(append(lines, ""), page.Problem(th, is.Err, "Showing data loaded "+format.Ago(is.ReadAt, c.b.Now()), "r", w)...)
	}
	lines = append(append(lines, c.newsLines(max(4, min(8, h-len(lines)-5)))...), "")
	lines = append(lines, c.callbackLines(s.callbacks, w, max(3, min(mostCallbacks, h-len(lines)-2)))...)
	for i := range lines {
		lines[i] = layout.Cut(lines[i], w)
	}
	return lines
}

// orderLines are the order, its quotes, missions and deliveries.
func (c *client) orderLines(s *seen, w int) []string {
	th, now := c.b.Theme, c.b.Now()
	muted, text := th.Style(theme.Muted), th.Style(theme.Text)
	st := labels.OrderState(s.order.Status, s.quoted(now))
	lines := []string{
		" " + layout.Text(th.Style(theme.Accent), s.order.OrderCode) + "  " + layout.Text(th.Title, s.order.OrderName),
		" " + layout.Text(th.Style(st.Role), st.Glyph+" "+st.Label) + layout.Text(muted, " · "+st.Description),
		"",
	}
	if path := way(s.order, now); path != nil {
		lines = append(append(lines, widget.StepLines(th, path, w)...), "")
	}
	if quotes := s.quotes(); len(quotes) > 0 {
		title := " Quotes to decide"
		if !s.decidable(now) {
			title = " Quotes"
		}
		lines = append(lines, layout.Text(th.Title, title))
		for i := range quotes {
			q := &quotes[i]
			mark, role := "◆", theme.Attention
			if q.IsExpired(now) {
				mark, role = "◇", theme.Muted
			}
			left := layout.Text(th.Style(role), "   "+mark+" ") + layout.Text(text, q.QuoteName)
			right := layout.Text(text, sum(q.FinalPrice, q.Currency)) + layout.Text(muted, "  "+q.DeliveryBy.String()+"  "+format.Left(q.ExpiryDate.Time, now, false)+" ")
			lines = append(lines, layout.Ends(left, right, w))
		}
		lines = append(lines, "")
	}
	lines = append(lines, layout.Text(th.Title, " Missions"))
	for i := range s.order.Missions {
		m := &s.order.Missions[i]
		st := labels.MissionStatus(m.Status)
		right := ""
		if !m.FlightDate.IsZero() {
			right = format.Moment(m.FlightDate.Time, now)
		} else if m.OperatorName != nil {
			right = *m.OperatorName
		}
		lines = append(lines, layout.Ends("   "+layout.Text(th.Style(st.Role), st.Glyph+" "+m.MissionCode)+"  "+layout.Text(text, m.MissionName),
			layout.Text(muted, right)+" ", w))
		for _, p := range s.packages[m.UUID] {
			lines = append(lines, layout.Text(th.Style(theme.Good), "     ↓ ")+layout.Text(text, fmt.Sprintf("%s, %s, %s",
				format.Count(p.FileCount, "file", "files"), format.Bytes(p.TotalSize), labels.Delivery(p.Status).Label)))
		}
	}
	return append(lines, "")
}

// mostCallbacks are those that are listed at most.
const mostCallbacks = 8

// callbackLines are the callbacks that the client's endpoints got of the order,
// n at most.
func (c *client) callbackLines(list []*api.WebhookDelivery, w, n int) []string {
	th := c.b.Theme
	if len(list) == 0 {
		return nil
	}
	lines := []string{layout.Ends(layout.Text(th.Title, " Callbacks"), layout.Text(th.Style(theme.Muted), fmt.Sprint(len(list)))+" ", w)}
	n = min(n, len(list))
	for _, x := range list[:n] {
		o := columns.CallbackState(x)
		lines = append(lines, layout.Text(th.Style(theme.Muted), "   "+layout.Left(format.Age(x.CreatedAt.Time, c.b.Now()), 8)+"  ")+
			layout.Text(th.Style(theme.Text), layout.Left(labels.Event(x.Event).Label, 17))+"  "+layout.Text(th.Style(o.Role), o.Text))
	}
	if more := format.Beyond(0, len(list)-n, false); more != "" {
		lines = append(lines, layout.Text(th.Style(theme.Muted), "   "+more))
	}
	return lines
}

// newsLines are what the client saw happen, h lines at most.
func (c *client) newsLines(h int) []string {
	th := c.b.Theme
	lines := []string{layout.Text(th.Title, " Changes since")}
	if len(c.news) == 0 {
		return append(lines, layout.Text(th.Style(theme.Muted), "   No changes yet"))
	}
	for _, n := range c.news[:min(len(c.news), h-1)] {
		lines = append(lines, layout.Text(th.Style(theme.Muted), "   "+n.at.Format(time.TimeOnly)+"  ")+layout.Text(th.Style(n.role), n.text))
	}
	return lines
}

// stages are an order's way, and how far each status has come on it.
var stages = []string{"placed", "accepted", "operator", "flight", "done"}

var reached = map[api.OrderStatus]int{
	api.OrderBiddingWithQuote: 0, api.OrderPendingOperator: 1, api.OrderOperatorAssigned: 2, api.OrderFlyingDateSet: 3, api.OrderCompleted: 4,
}

// way is an order's, nil where it has left it.
func way(o *api.Order, now time.Time) []widget.Step {
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
