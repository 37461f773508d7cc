package cache

import "flightdesk/api"

// NewsKind is what has come.
type NewsKind string

// The kinds.
const (
	NewQuote  NewsKind = "quote"
	NewFlight NewsKind = "flight date"
	NewData   NewsKind = "data"
)

// NewsItem is something that has come since what it is about was read before.
type NewsItem struct {
	Kind    NewsKind
	Mission *Mission         // of a flight date, or of data
	Record  *api.OrderRecord // of a quote, with its quotes
	Quote   *api.Quote
}

// mostNews is how many are kept until they are asked for.
const mostNews = 100

// News returns what has come since it was asked for last, the oldest first.
func (c *Cache) News() []NewsItem {
	c.mu.Lock()
	defer c.mu.Unlock()
	news := c.news
	c.news = nil
	return news
}

func (c *Cache) addNews(n NewsItem) {
	if len(c.news) < mostNews {
		c.news = append(c.news, n)
	}
}

// compareMissions tells what is new about missions that were read before.
func (c *Cache) compareMissions(code string, e, was *cacheEntry[[]Mission]) {
	o := c.orderByID(code)
	if !was.known || was.state.Offline || o == nil {
		return
	}
	before := make(map[string]*Mission, len(was.value))
	for i := range was.value {
		before[was.value[i].UUID] = &was.value[i]
	}
	for _, m := range e.value {
		old := before[m.UUID]
		if old == nil {
			continue
		}
		switch {
		case m.Status == api.MissionDataDelivered && (old.Status != m.Status || m.UpdatedAt.After(old.UpdatedAt.Time)):
			c.addNews(NewsItem{Kind: NewData, Mission: m.ofOrder(o)})
		case m.Status != api.MissionCancelled && !m.FlightDate.IsZero() && !m.FlightDate.Equal(old.FlightDate.Time):
			c.addNews(NewsItem{Kind: NewFlight, Mission: m.ofOrder(o)})
		}
	}
}

// compareQuotes tells which quotes of an order are new: against what was read
// of it before, or where it had none when the quotes were listed before.
func (c *Cache) compareQuotes(id string, now *api.OrderRecord) {
	q := &c.quoted
	if !q.list[id] {
		return
	}
	before := q.seen[id]
	if before == nil && q.first[id] {
		before = map[string]bool{} // only now is known what it had from the start
		for i := range now.Quotes {
			before[now.Quotes[i].QuoteID] = true
		}
	}
	seen := map[string]bool{}
	for i := range now.Quotes {
		quote := &now.Quotes[i]
		seen[quote.QuoteID] = true
		if !before[quote.QuoteID] && !quote.IsExpired(c.now()) {
			c.addNews(NewsItem{Kind: NewQuote, Record: now, Quote: quote})
		}
	}
	q.seen[id] = seen
}
