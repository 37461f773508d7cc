package cache

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// format of the file; another one is not read.
const keptFormat = 2

// mostKept is the size of the largest file that is read.
const mostKept = 64 << 20

// keptData is what outlives a run: what lists say of orders, missions and quotes.
// Links, addresses and members that are not known stay out of it, since they
// may be secrets or expire.
type keptData struct {
	Format  int         `json:"format"`
	Service string      `json:"service"` // the address that it is of
	At      time.Time   `json:"at"`
	Orders  []api.Order `json:"orders"`
	More    bool        `json:"more,omitzero"` // there are older ones
	Known   []keptOrder `json:"missions"`
	Quoted  *keptQuotes `json:"quotes,omitzero"`

	Delivered []keptDelivery `json:"deliveries,omitzero"`
}

// keptDelivery is what was delivered of a mission.
type keptDelivery struct {
	Mission  string                `json:"mission"`
	Stamp    string                `json:"stamp"`
	Packages []api.DeliveryPackage `json:"packages"`
	Files    [][]api.DeliveryFile  `json:"files"` // of each package, where they were read
}

type keptOrder struct {
	Order    string        `json:"order"`
	Code     string        `json:"code"`
	Stamp    string        `json:"stamp"` // of the order when they were read
	Missions []api.Mission `json:"missions"`
	Centres  []*api.Point  `json:"centres"`
	Shapes   []uint64      `json:"shapes"`
}

type keptQuotes struct {
	At     time.Time          `json:"at"`
	Orders []*api.OrderRecord `json:"orders"` // with their quotes where Full names them
	Full   []string           `json:"full"`
}

// Save writes what is known to a file that only its owner can read, where any
// of it was read in this run.
func (c *Cache) Save(path string) error {
	k, version, ok := c.toKeep()
	if path == "" || !ok {
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

// toKeep returns what is to be written; ok is false where that is nothing new.
func (c *Cache) toKeep() (k *keptData, version int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.Orders.entries[Account]
	if list == nil || !list.known || list.state.Offline || c.saved == c.version {
		return nil, 0, false // nothing whole was read in this run
	}
	k = &keptData{
		Format:  keptFormat,
		Service: c.address,
		At:      list.state.ReadAt,
		More:    list.value.More,
	}
	for _, o := range list.value.Items {
		e := c.missions.entries[o.OrderCode]
		o.Extra, o.Missions = nil, nil
		k.Orders = append(k.Orders, o)
		if e != nil && e.known {
			k.Known = append(k.Known, keptMissions(o, e))
		}
	}
	k.Quoted = c.keptQuoted()
	for mission, e := range c.Packages.entries {
		if e.known && len(e.value) > 0 {
			k.Delivered = append(k.Delivered, c.keptDelivery(mission, e))
		}
	}
	slices.SortFunc(k.Delivered, func(a, b keptDelivery) int { return cmp.Compare(a.Mission, b.Mission) })
	return k, c.version, true
}

// keptQuoted returns the records with quotes, nil where none were read in this run.
func (c *Cache) keptQuoted() *keptQuotes {
	q := c.Quoted.entries[Account]
	if q == nil || !q.known || q.state.Offline {
		return nil
	}
	kept := &keptQuotes{At: q.state.ReadAt}
	for _, r := range q.value {
		if e := c.Records.entries[r.ID]; e != nil && e.known { // whole where it was read
			kept.Full = append(kept.Full, r.ID)
			r = e.value
		}
		kept.Orders = append(kept.Orders, leanRecord(r))
	}
	return kept
}

// keptMissions returns the missions of an order.
func keptMissions(o api.Order, e *cacheEntry[[]Mission]) keptOrder {
	one := keptOrder{Order: o.UUID, Code: o.OrderCode, Stamp: e.stamp}
	for _, m := range e.value {
		m.Extra = nil
		one.Missions = append(one.Missions, m.Mission)
		one.Centres, one.Shapes = append(one.Centres, m.Centre), append(one.Shapes, m.Shape)
	}
	return one
}

// keptDelivery returns what was delivered of a mission without the files' links.
func (c *Cache) keptDelivery(mission string, e *cacheEntry[[]api.DeliveryPackage]) keptDelivery {
	one := keptDelivery{
		Mission:  mission,
		Stamp:    e.stamp,
		Packages: slices.Clone(e.value),
		Files:    make([][]api.DeliveryFile, len(e.value)),
	}
	for i := range one.Packages {
		one.Packages[i].Extra = nil
		files := c.Files.entries[one.Packages[i].UUID]
		if files == nil || !files.known {
			continue
		}
		one.Files[i] = slices.Clone(files.value)
		for j := range one.Files[i] {
			one.Files[i][j].DownloadURL, one.Files[i][j].Extra = "", nil
		}
	}
	return one
}

// leanRecord returns a record with what the lists show of it.
func leanRecord(r *api.OrderRecord) *api.OrderRecord {
	quotes := func(all []api.Quote) []api.Quote {
		clean := slices.Clone(all)
		for i := range clean {
			clean[i].Extra = nil
		}
		return clean
	}
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
	k := readKept(path)
	if k == nil || k.Service != c.address {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.version
	for _, one := range k.Known {
		if n := len(one.Missions); len(one.Centres) == n && len(one.Shapes) == n {
			all := make([]Mission, n)
			for i, m := range one.Missions {
				all[i] = Mission{m, nil, one.Centres[i], one.Shapes[i]}
			}
			c.missions.putValue(one.Code, all, one.Stamp, k.At)
		}
	}
	for _, one := range k.Delivered {
		c.Packages.putValue(one.Mission, one.Packages, one.Stamp, k.At)
		for i := range min(len(one.Packages), len(one.Files)) {
			if len(one.Files[i]) > 0 {
				c.Files.putValue(one.Packages[i].UUID, one.Files[i], one.Stamp, k.At)
			}
		}
	}
	if len(k.Orders) > 0 && c.placed == 0 {
		c.Orders.putValue(
			Account,
			ListRows[api.Order]{Items: k.Orders, More: k.More},
			"",
			k.At,
		)
	}
	if k.Quoted != nil {
		c.loadQuotes(k.Quoted)
	}
	return c.version != before
}

func (c *Cache) loadQuotes(k *keptQuotes) {
	if e := c.Quoted.entries[Account]; e != nil && e.known {
		return
	}
	all := slices.DeleteFunc(k.Orders, func(r *api.OrderRecord) bool { return r == nil })
	c.Quoted.putValue(Account, all, "", k.At)
	for _, r := range all {
		if slices.Contains(k.Full, r.ID) {
			c.Records.putValue(r.ID, r, "", k.At)
		}
	}
}

func readKept(path string) *keptData {
	info, err := os.Stat(path)
	if err != nil || info.Size() > mostKept {
		return nil
	}
	data, err := os.ReadFile(path)
	var k keptData
	if err != nil || api.DecodeRecord(data, &k) != nil || k.Format != keptFormat {
		return nil
	}
	return &k
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
