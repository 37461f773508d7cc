package cache

import (
	"time"

	"flightdesk/api"
)

// NewsKind is what has come.
type NewsKind string

// The kinds.
const (
	NewQuote  NewsKind = "quote"
	NewFlight NewsKind = "flight date"
	NewData   NewsKind = "data"
)

// News is something that has come since what it is about was read before.
type News struct {
	Kind    NewsKind
	Mission *Mission         // of a flight date, or of data
	Record  *api.OrderRecord // of a quote, with its quotes
	Quote   *api.Quote
}

// mostNews is how many are kept until they are asked for.
const mostNews = 100

// News is what has come since it was asked for last, the oldest first.
func (f *Cache) News() []News {
	f.mu.Lock()
	defer f.mu.Unlock()
	news := f.news
	f.news = nil
	return news
}

func (f *Cache) tell(n News) {
	if len(f.news) < mostNews {
		f.news = append(f.news, n)
	}
}

// compare tells what is new about missions that were read before.
func (f *Cache) compare(o *api.Order, before, now *known) {
	if before == nil || before.kept {
		return
	}
	was := make(map[string]*api.Mission, len(before.missions))
	for i := range before.missions {
		was[before.missions[i].UUID] = &before.missions[i]
	}
	for i := range now.missions {
		m := &now.missions[i]
		old := was[m.UUID]
		if old == nil {
			continue
		}
		switch {
		case m.Status == api.MissionDataDelivered && (old.Status != m.Status || m.UpdatedAt.After(old.UpdatedAt.Time)):
			f.tell(News{Kind: NewData, Mission: now.mission(i, o)})
		case m.Status != api.MissionCancelled && !m.FlightDate.IsZero() && !m.FlightDate.Equal(old.FlightDate.Time):
			f.tell(News{Kind: NewFlight, Mission: now.mission(i, o)})
		}
	}
}

// compareQuotes tells which quotes of an order are new: against what was read
// of it before, or where it had none when the quotes were listed before.
func (f *Cache) compareQuotes(id string, now *api.OrderRecord, at time.Time) {
	q := &f.quoted
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
		if !before[quote.QuoteID] && !quote.IsExpired(at) {
			f.tell(News{Kind: NewQuote, Record: now, Quote: quote})
		}
	}
	q.seen[id] = seen
}
