package cache

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"flightdesk/api"
)

const (
	atOnce    = 4                // requests at the same time
	mostRead  = 2000             // orders whose missions are read
	mostPages = 100              // of the list of orders
	justRead  = 10 * time.Second // younger data is not read again unless it must be
	allAnew   = 5 * time.Minute  // older data is read from the newest order to the last
)

// Mission is a mission with the order that it belongs to. Its shape is not
// kept, only where it is.
type Mission struct {
	api.Mission
	Order  *api.Order // as the list has it
	Centre api.Point
	Placed bool   // it has a Centre
	Shape  uint64 // of its points, 0 where they are not known; see [Shape]
}

// MissionOf is a mission of an order that was read by itself.
func MissionOf(m *api.Mission, of *api.Order) *Mission {
	one := &Mission{Mission: *m, Order: of, Shape: Shape(m.LocationMap)}
	if c := centre(m.LocationMap); c != nil {
		one.Centre, one.Placed = *c, true
	}
	return one
}

// known is what was read of an order.
type known struct {
	updated  time.Time
	status   api.OrderStatus
	missions []api.Mission
	centres  []*api.Point
	shapes   []uint64
	kept     bool // from an earlier run
}

// mission is the i-th one.
func (k *known) mission(i int, of *api.Order) *Mission {
	m := &Mission{Mission: k.missions[i], Order: of}
	if i < len(k.shapes) {
		m.Shape = k.shapes[i]
	}
	if c := k.centres[i]; c != nil {
		m.Centre, m.Placed = *c, true
	}
	return m
}

// Fleet is what was read so far. It may be used from several goroutines.
type Cache struct {
	client *api.Client
	now    func() time.Time

	mu       sync.Mutex
	version  int
	orders   []api.Order // newest first; never written to, since views share it
	ranking  []int       // what ranked made of it, nil where that is to be made anew
	read     map[string]*known
	faults   map[string]error // why an order's missions are not known
	claimed  map[string]bool
	packages map[string]*packages
	wanted   []string // missions whose packages are wanted

	quoted quoted
	news   []News

	list listing
	at   time.Time // when the list was read last
	err  error
	view *View

	keptAt time.Time // when orders were read, where an earlier run did; zero once this one has
	saved  int       // version on disk
}

// listing is the list of orders being read.
type listing struct {
	due, claimed, whole bool
	cursor              string
	pages               int
	got                 []api.Order
	wholeAt             time.Time
}

// New returns what knows nothing yet.
func New(client *api.Client, now func() time.Time) *Cache {
	return &Cache{
		client: client, now: now, read: map[string]*known{}, faults: map[string]error{},
		claimed: map[string]bool{}, packages: map[string]*packages{},
	}
}

// View is what is known at one moment. It is not written to.
type View struct {
	Version  int
	Orders   []api.Order // newest first
	Missions []*Mission  // of the orders read so far, in their order
	Read     int         // orders whose missions were read
	Left     int         // orders whose missions are not read, there being too many
	Listed   bool        // the list of orders was read to its end
	At       time.Time   // when it was read
	Kept     bool        // it was read in an earlier run; this one has no answer yet
	Err      error       // why it could not be read
	Fault    error       // why the missions of an order could not be read
	Faults   int         // orders of which that is so
}

// Refresh has the orders read again, unless that was done just now. With force
// it is done in any case, all of them, and what failed is tried again.
func (f *Cache) Refresh(force bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if f.list.due || !force && f.err == nil && !f.at.IsZero() && now.Sub(f.at) < justRead {
		return
	}
	f.list.due, f.list.cursor, f.list.got, f.list.pages = true, "", nil, 0
	f.list.whole = force || f.list.wholeAt.IsZero() || now.Sub(f.list.wholeAt) >= allAnew
	clear(f.faults)
}

// Next returns what is to be read next, nil where there is nothing or enough is
// being read. What it returns has to be run; another is asked for after it.
func (f *Cache) Next() func(context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.list.due && !f.list.claimed {
		f.list.claimed = true
		cursor := f.list.cursor
		return func(ctx context.Context) { f.readList(ctx, cursor) }
	}
	if len(f.claimed) >= atOnce {
		return nil
	}
	if read := f.nextQuotes(false); read != nil {
		return read
	}
	if o := f.due(); o != nil {
		f.claimed[o.UUID] = true
		order := *o
		return func(ctx context.Context) { f.readMissions(ctx, &order) }
	}
	if uuid := f.duePackages(); uuid != "" {
		f.claimed[uuid] = true
		return func(ctx context.Context) { f.readPackages(ctx, uuid) }
	}
	return f.nextQuotes(true)
}

// due is the order whose missions are to be read next, nil for none.
func (f *Cache) due() *api.Order {
	for _, i := range f.ranked() {
		o := &f.orders[i]
		if k := f.read[o.UUID]; k != nil && k.updated.Equal(o.UpdatedAt.Time) && k.status == o.Status {
			continue
		}
		if f.faults[o.UUID] == nil && !f.claimed[o.UUID] && o.OrderCode != "" {
			return o
		}
	}
	return nil
}

// ranked are the orders whose missions are read: those under way first.
func (f *Cache) ranked() []int {
	if f.ranking != nil {
		return f.ranking
	}
	ranked := make([]int, 0, len(f.orders))
	for _, live := range []bool{true, false} {
		for i := range f.orders {
			if f.orders[i].Status.IsLive() == live {
				ranked = append(ranked, i)
			}
		}
	}
	f.ranking = ranked[:min(len(ranked), mostRead)]
	return f.ranking
}

func (f *Cache) setOrders(orders []api.Order) { f.orders, f.ranking = slices.Clip(orders), nil }

// readList reads a page of the orders.
func (f *Cache) readList(ctx context.Context, cursor string) {
	got, err := f.client.Orders.List(ctx, api.ListOptions{Limit: api.MaxPageLimit, Cursor: cursor})
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &f.list
	l.claimed = false
	if cursor != l.cursor || !l.due || ctx.Err() != nil {
		return // asked for anew meanwhile, or the page has left
	}
	f.version++
	if f.err = err; err != nil {
		l.due = false
		return
	}
	l.pages++
	l.got = append(l.got, got.Items...)
	more := got.HasNextPage && got.NextCursor != nil && *got.NextCursor != cursor && l.pages < mostPages
	if more && (l.whole || !f.reaches(got.Items)) {
		l.cursor = *got.NextCursor
		if l.wholeAt.IsZero() && f.keptAt.IsZero() {
			f.setOrders(l.got) // what is appended later comes behind it
		}
		return
	}
	f.listed(more)
}

// listed takes the list that was read, to its end or where it reaches what was
// known.
func (f *Cache) listed(more bool) {
	l := &f.list
	l.due, f.at, f.keptAt = false, f.now(), time.Time{}
	if l.whole || !more {
		f.setOrders(l.got)
		l.wholeAt = f.at
	} else {
		f.setOrders(merge(l.got, f.orders))
	}
	l.got = nil
	for i := range f.orders { // what was kept of them holds, and what differs from now on is new
		if k := f.read[f.orders[i].UUID]; k != nil && k.updated.Equal(f.orders[i].UpdatedAt.Time) && k.status == f.orders[i].Status {
			k.kept = false
		}
	}
}

// reaches tells whether the orders go on into those that are known.
func (f *Cache) reaches(items []api.Order) bool {
	if len(items) == 0 {
		return true
	}
	last := items[len(items)-1].UUID
	return slices.ContainsFunc(f.orders, func(o api.Order) bool { return o.UUID == last })
}

func merge(newest, before []api.Order) []api.Order {
	seen := make(map[string]bool, len(newest))
	for i := range newest {
		seen[newest[i].UUID] = true
	}
	merged := slices.Clone(newest)
	for i := range before {
		if !seen[before[i].UUID] {
			merged = append(merged, before[i])
		}
	}
	return merged
}

// readMissions reads the missions of an order, all its pages.
func (f *Cache) readMissions(ctx context.Context, o *api.Order) {
	var missions []api.Mission
	var err error
	for opts := (api.ListOptions{}); ; {
		var got *api.Page[api.Mission]
		if got, err = f.client.Missions.List(ctx, o.OrderCode, opts); err != nil {
			break
		}
		missions = append(missions, got.Items...)
		if !got.HasNextPage || got.NextCursor == nil || *got.NextCursor == opts.Cursor || len(got.Items) == 0 {
			break
		}
		opts.Cursor = *got.NextCursor
	}
	k := &known{updated: o.UpdatedAt.Time, status: o.Status, missions: missions, centres: make([]*api.Point, len(missions))}
	for i := range missions {
		k.centres[i] = centre(missions[i].LocationMap)
		k.shapes = append(k.shapes, Shape(missions[i].LocationMap))
		missions[i].LocationMap = nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.claimed, o.UUID)
	switch {
	case err == nil:
		f.compare(o, f.read[o.UUID], k)
		f.read[o.UUID] = k
	case ctx.Err() != nil:
		return
	default:
		f.faults[o.UUID] = err
	}
	f.version++
}

// centre is the middle of the box around points, the short way round the
// world; nil without points.
func centre(points []api.Point) *api.Point {
	if len(points) == 0 {
		return nil
	}
	low, high := points[0], points[0]
	for _, p := range points {
		p.Lng = near(p.Lng, points[0].Lng)
		low.Lat, high.Lat = min(low.Lat, p.Lat), max(high.Lat, p.Lat)
		low.Lng, high.Lng = min(low.Lng, p.Lng), max(high.Lng, p.Lng)
	}
	return &api.Point{Lat: (low.Lat + high.Lat) / 2, Lng: near((low.Lng+high.Lng)/2, 0)}
}

// near is a longitude as it is written within half a turn of another.
func near(lng, to float64) float64 {
	switch {
	case lng-to > 180:
		return lng - 360
	case to-lng > 180:
		return lng + 360
	default:
		return lng
	}
}

// Now is what is known.
func (f *Cache) Now() *View {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.view != nil && f.view.Version == f.version {
		return f.view
	}
	v := &View{Version: f.version, Orders: f.orders, Listed: !f.list.wholeAt.IsZero(), At: f.at, Err: f.err, Faults: len(f.faults)}
	if !f.keptAt.IsZero() {
		v.At, v.Kept, v.Listed = f.keptAt, true, true
	}
	v.Left = max(0, len(f.orders)-mostRead)
	for i := range v.Orders {
		o := &v.Orders[i]
		v.Fault = cmp.Or(v.Fault, f.faults[o.UUID])
		k := f.read[o.UUID]
		if k == nil {
			continue
		}
		v.Read++
		for j := range k.missions {
			v.Missions = append(v.Missions, k.mission(j, o))
		}
	}
	f.view = v
	return v
}

// Version changes when what is known does.
func (f *Cache) Version() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}
