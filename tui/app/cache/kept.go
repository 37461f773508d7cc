package cache

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// format of the file; another one is not read.
const keptFormat = 1

// mostKept is the size of the largest file that is read.
const mostKept = 64 << 20

// kept is what outlives a run: what lists say of orders, missions and quotes.
// Links, addresses and members that are not known stay out of it, since they
// may be secrets or expire.
type kept struct {
	Format  int         `json:"format"`
	Service string      `json:"service"` // the address that it is of
	At      time.Time   `json:"at"`
	Orders  []api.Order `json:"orders"`
	Known   []keptOrder `json:"missions"`
	Quoted  *keptQuotes `json:"quotes,omitzero"`
}

type keptOrder struct {
	Order    string          `json:"order"`
	Updated  time.Time       `json:"updated"`
	Status   api.OrderStatus `json:"status"`
	Missions []api.Mission   `json:"missions"`
	Centres  []*api.Point    `json:"centres"`
	Shapes   []uint64        `json:"shapes"`
}

type keptQuotes struct {
	At     time.Time          `json:"at"`
	Orders []*api.OrderRecord `json:"orders"` // with their quotes where Full names them
	Full   []string           `json:"full"`
}

// Save writes what is known to a file that only its owner can read, where any
// of it was read in this run.
func (f *Cache) Save(path string) error {
	k, version, ok := f.toKeep()
	if path == "" || !ok {
		return nil
	}
	data, err := json.Marshal(k)
	if err == nil {
		err = atomicfile.ReplacePrivate(path, data)
	}
	if err != nil {
		return fmt.Errorf("keep what is known for when the service is away: %w", err)
	}
	f.mu.Lock()
	f.saved = version
	f.mu.Unlock()
	return nil
}

// toKeep is what is to be written; ok is false where that is nothing new.
func (f *Cache) toKeep() (k *kept, version int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.list.wholeAt.IsZero() || f.saved == f.version {
		return nil, 0, false // nothing whole was read in this run
	}
	k = &kept{Format: keptFormat, Service: f.client.BaseURL(), At: f.at}
	for i := range f.orders[:min(len(f.orders), mostPages*api.MaxPageLimit)] {
		o := f.orders[i]
		o.Extra, o.Missions = nil, nil
		k.Orders = append(k.Orders, o)
		known := f.read[o.UUID]
		if known == nil {
			continue
		}
		one := keptOrder{Order: o.UUID, Updated: known.updated, Status: known.status, Centres: known.centres, Shapes: known.shapes, Missions: make([]api.Mission, len(known.missions))}
		for j := range known.missions {
			one.Missions[j] = known.missions[j]
			one.Missions[j].Extra, one.Missions[j].LocationMap = nil, nil
		}
		k.Known = append(k.Known, one)
	}
	if q := &f.quoted; !q.at.IsZero() {
		k.Quoted = &keptQuotes{At: q.at}
		for _, r := range q.list {
			if full := q.full[r.ID]; full != nil {
				k.Quoted.Full = append(k.Quoted.Full, r.ID)
				r = full
			}
			k.Quoted.Orders = append(k.Quoted.Orders, lean(r))
		}
	}
	return k, f.version, true
}

// lean is a record with what the lists show of it.
func lean(r *api.OrderRecord) *api.OrderRecord {
	quotes := func(all []api.Quote) []api.Quote {
		clean := make([]api.Quote, len(all))
		for i := range all {
			clean[i] = all[i]
			clean[i].Extra = nil
		}
		return clean
	}
	return &api.OrderRecord{
		ID: r.ID, OrderCode: r.OrderCode, OrderName: r.OrderName, AreaSize: r.AreaSize, CompanyName: r.CompanyName, DeliveryDeadline: r.DeliveryDeadline,
		OrderStatus: r.OrderStatus, Status: r.Status, MapTypes: r.MapTypes, Quotes: quotes(r.Quotes), RejectedQuotes: quotes(r.RejectedQuotes),
	}
}

// Load takes what an earlier run has kept, as far as nothing newer is known,
// and reports whether there was any. A file that does not hold is as none.
func (f *Cache) Load(path string) bool {
	k := read(path)
	if k == nil || k.Service != f.client.BaseURL() {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	loaded := f.loadOrders(k)
	loaded = f.loadQuotes(k.Quoted) || loaded
	if loaded {
		f.version++
	}
	return loaded
}

// loadOrders takes orders and missions. Those of an order that has not changed
// since need not be read again.
func (f *Cache) loadOrders(k *kept) bool {
	for _, one := range k.Known {
		if f.read[one.Order] == nil && len(one.Centres) == len(one.Missions) {
			f.read[one.Order] = &known{one.Updated, one.Status, one.Missions, one.Centres, one.Shapes, true}
		}
	}
	if !f.list.wholeAt.IsZero() || len(f.list.got) > 0 || len(k.Orders) == 0 {
		return len(k.Known) > 0
	}
	f.setOrders(k.Orders)
	f.keptAt = k.At
	return true
}

func (f *Cache) loadQuotes(k *keptQuotes) bool {
	q := &f.quoted
	if k == nil || !q.at.IsZero() {
		return false
	}
	full := map[string]bool{}
	for _, id := range k.Full {
		full[id] = true
	}
	q.full, q.keptAt = map[string]*api.OrderRecord{}, k.At
	for _, r := range k.Orders {
		if r == nil {
			continue
		}
		q.list = append(q.list, r)
		if full[r.ID] {
			q.full[r.ID] = r
		}
	}
	q.version++
	return len(q.list) > 0
}

func read(path string) *kept {
	file, err := os.Open(path)
	if path == "" || err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, mostKept+1))
	var k kept
	if err != nil || len(data) > mostKept || json.Unmarshal(data, &k) != nil || k.Format != keptFormat {
		return nil
	}
	return &k
}
