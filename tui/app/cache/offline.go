package cache

import (
	"fmt"
	"os"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// format of the file; another one is not read.
const keptFormat = 3

// mostKept is the size of the largest file that is read.
const mostKept = 64 << 20

// keptData is what outlives a run: what lists say of orders, missions and quotes, by
// the keys of their collections. Links, addresses and members that are not known stay
// out of it, since they may be secrets or expire.
type keptData struct {
	Format   int                                         `json:"format"`
	Service  string                                      `json:"service"` // the address that it is of
	Orders   map[string]keptEntry[ListRows[api.Order]]   `json:"orders"`
	Missions map[string]keptEntry[[]Mission]             `json:"missions"`
	Quoted   map[string]keptEntry[[]*api.OrderRecord]    `json:"quoted"`
	Records  map[string]keptEntry[*api.OrderRecord]      `json:"records"` // of those that are quoted
	Packages map[string]keptEntry[[]api.DeliveryPackage] `json:"packages"`
	Files    map[string]keptEntry[[]api.DeliveryFile]    `json:"files"`
}

// keptEntry is an entry of a collection.
type keptEntry[T any] struct {
	Value T         `json:"value"`
	Stamp string    `json:"stamp,omitzero"`
	At    time.Time `json:"at"`
}

// keepEntries returns what is known, as lean leaves it.
func (c *Collection[T]) keepEntries(lean func(T) T) map[string]keptEntry[T] {
	kept := map[string]keptEntry[T]{}
	for key, e := range c.entries {
		if e.known {
			kept[key] = keptEntry[T]{lean(c.valueOf(e)), e.stamp, e.state.ReadAt}
		}
	}
	return kept
}

// putEntries adds what was kept, unless something newer is known.
func (c *Collection[T]) putEntries(kept map[string]keptEntry[T]) {
	for key, of := range kept {
		e := c.entryFor(key)
		if e.known || e.partly != nil {
			continue
		}
		e.value, e.known, e.stamp, e.wanted = of.Value, true, of.Stamp, of.Stamp
		e.state.ReadAt, e.state.Offline = of.At, true
		c.noteMoved(e)
	}
}

// Save writes what is known to a file that only its owner can read, where any
// of it was read in this run.
func (c *Cache) Save(path string) error {
	k, version := c.toKeep()
	if path == "" || k == nil {
		return nil
	}
	data, err := api.EncodeRecord(k)
	if err == nil {
		err = atomicfile.ReplaceFile(path, data)
	}
	if err != nil {
		return fmt.Errorf("save the offline copy: %w", err)
	}
	c.mu.Lock()
	c.saved = version
	c.mu.Unlock()
	return nil
}

// toKeep returns what is to be written; nil where that is nothing new.
func (c *Cache) toKeep() (k *keptData, version int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.Orders.entries[Account]
	if list == nil || !list.known || list.state.Offline || c.saved == c.version {
		return nil, 0 // nothing whole was read in this run
	}
	k = &keptData{
		Format:  keptFormat,
		Service: c.address,
		Orders: c.Orders.keepEntries(func(list ListRows[api.Order]) ListRows[api.Order] {
			list.Items = leanRows(func(o *api.Order) { o.Extra, o.Missions = nil, nil })(list.Items)
			return list
		}),
		Missions: c.missions.keepEntries(leanRows(func(m *Mission) { m.Extra = nil })),
		Quoted:   c.Quoted.keepEntries(leanRows(func(r **api.OrderRecord) { *r = leanRecord(*r) })),
		Records:  map[string]keptEntry[*api.OrderRecord]{},
		Packages: c.Packages.keepEntries(leanRows(func(p *api.DeliveryPackage) { p.Extra = nil })),
		Files:    c.Files.keepEntries(leanRows(func(f *api.DeliveryFile) { f.DownloadURL, f.Extra = "", nil })),
	}
	for id := range c.quoted.list { // without a stamp: they are read again, since not all of them is kept
		if e := c.Records.entries[id]; e != nil && e.known {
			k.Records[id] = keptEntry[*api.OrderRecord]{Value: leanRecord(c.Records.valueOf(e)), At: e.state.ReadAt}
		}
	}
	return k, c.version
}

// leanRows returns what does something to each of the rows of a copy.
func leanRows[T any](do func(*T)) func([]T) []T {
	return func(rows []T) []T {
		rows = slices.Clone(rows)
		for i := range rows {
			do(&rows[i])
		}
		return rows
	}
}

// leanRecord returns a record with what the lists show of it.
func leanRecord(r *api.OrderRecord) *api.OrderRecord {
	quotes := leanRows(func(q *api.Quote) { q.Extra = nil })
	return &api.OrderRecord{
		ID:               r.ID,
		OrderCode:        r.OrderCode,
		OrderName:        r.OrderName,
		AreaSize:         r.AreaSize,
		CompanyName:      r.CompanyName,
		DeliveryDeadline: r.DeliveryDeadline,
		OrderStatus:      r.OrderStatus,
		Status:           r.Status,
		MapTypes:         r.MapTypes,
		Quotes:           quotes(r.Quotes),
		RejectedQuotes:   quotes(r.RejectedQuotes),
	}
}

// Load takes what an earlier run has kept, as far as nothing newer is known,
// and reports whether there was any. A file that does not hold is as none.
func (c *Cache) Load(path string) bool {
	var k keptData
	info, err := os.Stat(path)
	if err != nil || info.Size() > mostKept {
		return false
	}
	data, err := os.ReadFile(path)
	if err != nil || api.DecodeRecord(data, &k) != nil || k.Format != keptFormat || k.Service != c.address {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.version
	c.Orders.putEntries(k.Orders)
	c.missions.putEntries(k.Missions)
	c.Quoted.putEntries(k.Quoted)
	c.Records.putEntries(k.Records)
	c.Packages.putEntries(k.Packages)
	c.Files.putEntries(k.Files)
	return c.version != before
}

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
func (c *Cache) compareMissions(code string, now, was []Mission) {
	o := c.orderByID(code)
	if o == nil {
		return
	}
	before := make(map[string]*Mission, len(was))
	for i := range was {
		before[was[i].UUID] = &was[i]
	}
	for _, m := range now {
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
