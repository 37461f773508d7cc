package cache

import (
	"time"

	"flightdesk/api"
)

// NewsKind says what has changed, for instance that data was delivered.
type NewsKind string

// The kinds of news.
const (
	NewQuote    NewsKind = "quote"
	NewFlight   NewsKind = "flight date"
	NewData     NewsKind = "data"
	UpdatedData NewsKind = "updated data" // a mission with delivered data was updated: the data may have changed
)

// NewsItem is a notification for the user: something on the service has changed since it was last read.
type NewsItem struct {
	Kind         NewsKind
	Mission      *Mission         // set for news about flight dates and data
	WasScheduled bool             // the flight was scheduled for another date before
	Record       *api.OrderRecord // set for news about quotes
	Quote        *api.Quote
}

// maxNews limits how many items are stored until News is called.
const maxNews = 100

// newsQueue has the notifications that News has not returned yet, oldest first.
type newsQueue struct{ items []NewsItem }

// add adds items. It drops items if the queue is full.
func (q *newsQueue) add(items ...NewsItem) {
	room := maxNews - len(q.items)
	q.items = append(q.items, items[:min(len(items), room)]...)
}

// takeAll removes and returns the items.
func (q *newsQueue) takeAll() []NewsItem {
	items := q.items
	q.items = nil
	return items
}

// News returns the items since the last call, oldest first.
func (c *Cache) News() []NewsItem {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.news.takeAll()
}

// compareMissions compares the missions of an order with the same missions before. For changes such as a
// new flight date, it adds notifications to the queue.
func (c *Cache) compareMissions(code string, now, before []Mission) {
	o := c.orderByID(code)
	if o == nil {
		return
	}
	oldMissions := make(map[string]*Mission, len(before))
	for i := range before {
		oldMissions[before[i].UUID] = &before[i]
	}
	for _, m := range now {
		old := oldMissions[m.UUID]
		if old == nil {
			continue
		}
		if kind := missionNews(old, &m); kind != "" {
			c.news.add(NewsItem{
				Kind:         kind,
				Mission:      m.ofOrder(o),
				WasScheduled: old.Status == api.MissionFlightScheduled,
			})
		}
	}
}

// missionNews compares a mission with the same mission before. It returns the kind of notification, or ""
// if there is nothing to report.
func missionNews(old, now *Mission) NewsKind {
	isDelivered := now.Status == api.MissionDataDelivered
	if isDelivered && old.Status != now.Status {
		return NewData
	}
	if isDelivered && now.UpdatedAt.After(old.UpdatedAt.Time) {
		return UpdatedData
	}
	hasNewDate := !now.FlightDate.IsZero() && !now.FlightDate.Equal(old.FlightDate.Time)
	if hasNewDate && now.Status != api.MissionCancelled {
		return NewFlight
	}
	return ""
}

// findNews returns notifications about new quotes of an order that was just read. It reports nothing when
// the quotes that an order had at the start of the program are read for the first time.
func (q *quotedOrders) findNews(id string, record *api.OrderRecord, now time.Time) []NewsItem {
	if !q.orderIDs[id] {
		return nil
	}
	known, wasRead := q.seen[id]
	q.seen[id] = quoteIDs(record)
	isOld := !wasRead && q.first[id] // the quotes can be older than this run
	if isOld {
		return nil
	}
	var news []NewsItem
	for i := range record.Quotes {
		quote := &record.Quotes[i]
		if !known[quote.QuoteID] && !quote.IsExpired(now) {
			news = append(news, NewsItem{Kind: NewQuote, Record: record, Quote: quote})
		}
	}
	return news
}

// quoteIDs returns the set of the IDs of a record's open quotes.
func quoteIDs(r *api.OrderRecord) map[string]bool {
	ids := make(map[string]bool, len(r.Quotes))
	for i := range r.Quotes {
		ids[r.Quotes[i].QuoteID] = true
	}
	return ids
}
