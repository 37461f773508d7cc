package operations

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// seen is an order as its client sees it, read with the client's key.
type seen struct {
	order     *api.Order
	record    *api.OrderRecord // nil where the second generation is not there
	packages  map[string][]api.DeliveryPackage
	callbacks []api.WebhookDelivery // of the order, the newest first
}

type seenAnswer = page.Answer[*seen]

// news is something that the client saw happen.
type news struct {
	at   time.Time
	text string
	role theme.Role
}

const mostNews = 12

// client is the client's end: one order, read again and again.
type client struct {
	b     page.Base
	code  string // of the order that is followed, "" for none
	now   *seen
	at    time.Time
	err   error
	asked page.Question
	news  []news // the newest first
}

// follow goes to an order, "" to none.
func (c *client) follow(code string) tea.Cmd {
	if code == c.code {
		return nil
	}
	c.code, c.now, c.err, c.news = code, nil, nil, nil
	c.asked.Drop()
	return c.read()
}

// read reads the order again, unless that is under way.
func (c *client) read() tea.Cmd {
	if c.code == "" || c.asked.Open() {
		return nil
	}
	api, code := c.b.Client, c.code
	return page.Ask(c.b, &c.asked, func(ctx context.Context) (*seen, error) { return look(ctx, api, code) })
}

// look reads what the client's key shows of an order.
func look(ctx context.Context, client *api.Client, code string) (*seen, error) {
	o, err := client.Orders.Get(ctx, code)
	if err != nil {
		return nil, err
	}
	s := &seen{order: o, packages: map[string][]api.DeliveryPackage{}}
	if s.record, err = client.Records.Get(ctx, o.UUID); err != nil {
		s.record = nil // without it quotes are not shown
	}
	for i := range o.Missions {
		m := &o.Missions[i]
		if !m.Status.IsDelivered() {
			continue
		}
		if s.packages[m.UUID], err = client.Missions.Packages(ctx, m.UUID); err != nil {
			return s, err
		}
	}
	s.callbacks = heard(ctx, client, code)
	return s, nil
}

// heard are the latest callbacks of an order; a key that may not read them has
// none to show.
func heard(ctx context.Context, client *api.Client, code string) (list []api.WebhookDelivery) {
	endpoints, err := client.Webhooks.List(ctx, api.ListOptions{Limit: 5})
	if err != nil {
		return nil
	}
	for _, e := range endpoints.Items {
		log, err := client.Webhooks.Deliveries(ctx, e.UUID, api.ListOptions{Limit: 20})
		if err != nil {
			continue
		}
		list = append(list, slices.DeleteFunc(log.Items, func(d api.WebhookDelivery) bool { return d.OrderCode != code })...)
	}
	slices.SortFunc(list, func(a, b api.WebhookDelivery) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt.Time), cmp.Compare(a.UUID, b.UUID))
	})
	return list
}

// take takes the order and reports whether it was that.
func (c *client) take(msg tea.Msg) bool {
	got, ok := msg.(seenAnswer)
	if !ok || !got.Of(&c.asked) {
		return false
	}
	if !got.Take() {
		return true
	}
	if c.err = got.Err; c.err != nil {
		return true
	}
	if c.now != nil {
		c.tell(changes(c.now, got.Value, c.b.Now().Location()))
	}
	c.now, c.at = got.Value, c.b.Now()
	return true
}

func (c *client) tell(found []news) {
	for i := range found {
		found[i].at = c.b.Now()
	}
	c.news = append(found, c.news...)
	c.news = c.news[:min(len(c.news), mostNews)]
}

// changes are what a client sees that is new since it looked before.
func changes(before, now *seen, zone *time.Location) []news {
	was, is := before.facts(zone), now.facts(zone)
	var found []news
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
	facts := map[string]news{"1 " + s.order.UUID: {text: st.Glyph + " the order is " + st.Word, role: st.Role}}
	for _, q := range s.quotes() {
		facts["2 "+q.QuoteID] = news{text: "◆ quote " + q.QuoteName + ", " + sum(q.FinalPrice, q.Currency), role: theme.Attention}
	}
	for i := range s.order.Missions {
		m := &s.order.Missions[i]
		st := labels.MissionStatus(m.Status)
		facts["3 "+m.MissionCode] = news{text: st.Glyph + " " + m.MissionCode + " is " + st.Word + byWhom(m), role: st.Role}
		if !m.FlightDate.IsZero() {
			facts["4 "+m.MissionCode] = news{text: "◎ " + m.MissionCode + " flies " + m.FlightDate.In(zone).Format("Mon 2 Jan 15:04"), role: theme.InProgress}
		}
		for _, p := range s.packages[m.UUID] {
			facts["5 "+p.UUID] = news{text: "↓ " + m.MissionCode + ": " + format.Count(p.FileCount, "file", "files") + ", " + labels.Delivery(p.Status).Word, role: theme.Good}
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

// view draws what the client of a name sees in lines of w cells, h at most.
func (c *client) view(name string, w, h int) []string {
	th := c.b.Theme
	switch {
	case c.code == "":
		return []string{"", layout.Text(th.Style(theme.Text), " No order is followed yet."), "", layout.Text(th.Style(theme.Muted), " The client places one in 2 Orders with n.")}
	case c.now == nil && api.IsStatus(c.err, 403, 404):
		return []string{
			"", layout.Text(th.Style(theme.Text), " "+c.code+" belongs to another client."), "",
			layout.Text(th.Style(theme.Muted), " This app has a key of "+cmp.Or(name, "an account of its own")+"."),
		}
	case c.now == nil && c.err != nil:
		return page.Problem(th, c.err, "", "r", w)
	case c.now == nil:
		return []string{"", layout.Text(th.Style(theme.Muted), " "+c.code+" …")}
	}
	lines := c.orderLines(w)
	if c.err != nil {
		lines = append(append(lines, ""), page.Problem(th, c.err, "what the client saw "+format.Ago(c.at, c.b.Now()), "r", w)...)
	}
	lines = append(append(lines, c.newsLines(max(4, min(8, h-len(lines)-5)))...), "")
	lines = append(lines, c.callbackLines(w)...)
	for i := range lines {
		lines[i] = layout.Cut(lines[i], w)
	}
	return lines
}

// orderLines are the order, its quotes, missions and deliveries.
func (c *client) orderLines(w int) []string {
	th, s, now := c.b.Theme, c.now, c.b.Now()
	muted, text := th.Style(theme.Muted), th.Style(theme.Text)
	st := labels.OrderState(s.order.Status, s.quoted(now))
	lines := []string{
		" " + layout.Text(th.Style(theme.Accent), s.order.OrderCode) + "  " + layout.Text(th.Title, s.order.OrderName),
		" " + layout.Text(th.Style(st.Role), st.Glyph+" "+st.Word) + layout.Text(muted, " · "+st.Means),
		"",
	}
	if path := way(s.order, now); path != nil {
		lines = append(append(lines, layout.Lines(widget.ViewSteps(th, path, w, widget.StepsHeight(path, w)))...), "")
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
				format.Count(p.FileCount, "file", "files"), format.Bytes(p.TotalSize), p.Status)))
		}
	}
	return append(lines, "")
}

// callbackLines are the callbacks that the client's endpoints got of the order.
func (c *client) callbackLines(w int) []string {
	th, list := c.b.Theme, c.now.callbacks
	if len(list) == 0 {
		return nil
	}
	lines := []string{layout.Ends(layout.Text(th.Title, " Callbacks"), layout.Text(th.Style(theme.Muted), fmt.Sprint(len(list)))+" ", w)}
	for i := range list[:min(3, len(list))] {
		x := &list[i]
		o := outcome(x)
		lines = append(lines, layout.Text(th.Style(theme.Muted), "   "+layout.Left(format.Age(x.CreatedAt.Time, c.b.Now()), 8)+"  ")+
			layout.Text(th.Style(theme.Text), labels.Event(x.Event).Label)+"  "+layout.Text(th.Style(o.Role), o.Text))
	}
	return lines
}

// newsLines are what the client saw happen, h lines at most.
func (c *client) newsLines(h int) []string {
	th := c.b.Theme
	lines := []string{layout.Text(th.Title, " Seen since")}
	if len(c.news) == 0 {
		return append(lines, layout.Text(th.Style(theme.Muted), "   nothing new; what the desk does appears here"))
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
