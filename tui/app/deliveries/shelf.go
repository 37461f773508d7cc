package deliveries

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

const (
	firstOrders = 200 // orders whose packages are read at first
	moreOrders  = 50  // further orders to read when the user scrolls to the end
)

// PackageShelf has the packages of an account, an order, a mission or a dataset. It must be used from one
// goroutine.
type PackageShelf struct {
	ShelfState

	Packages []*DeliveredPackage // packages with new files first, then by age
	Needs    []cache.Need

	cache    *cache.Cache
	client   *api.Client
	Files    *Downloads
	gather   func()
	changing int // number of needs that Reread reads again; 0 for all
	depth    int // maximum number of orders
	at       int // version of the cache

	known, before map[string]*DeliveredPackage // by mission and package ID
	listed        time.Time                    // when the first need was read
	orders        int                          // number of listed orders
}

// ShelfState is the state of the data of a shelf.
type ShelfState struct {
	ReadAt  time.Time // when all of it was last read; zero for never
	Err     error     // of the last reading
	Offline bool      // read in an earlier run
	More    bool      // older orders were not read
	Partial bool      // some data was never read
}

// NewShelf returns an empty shelf. Call one of its methods OfAccount, OfOrder or OfDataset
// next.
func NewShelf(c *cache.Cache, client *api.Client, files *Downloads) *PackageShelf {
	return &PackageShelf{
		cache:  c,
		client: client,
		Files:  files,
		depth:  firstOrders,
		at:     -1,
	}
}

// OfAccount makes the shelf have the packages of all orders.
func (s *PackageShelf) OfAccount() *PackageShelf {
	c := s.cache
	s.gather = func() {
		rows, state := c.Orders.Get(cache.Account)
		s.need(c.Orders.NeedRows(cache.Account, s.depth), state, "")
		s.orders = len(rows.Items)
		s.More = rows.More || len(rows.Items) > s.depth
		for i := range rows.Items[:min(len(rows.Items), s.depth)] {
			o := &rows.Items[i]
			if !canHaveDeliveries(api.RecordStatus(o.Status)) {
				continue
			}
			missions, state := c.MissionsOf(o)
			s.need(c.NeedMissions(o), state, o.OrderCode)
			s.order(o, missions, "")
		}
		if !state.IsUnread() {
			s.recorded(rows.Items)
		}
	}
	s.changing = 1 // what has changed shows in the list
	return s
}

// canHaveDeliveries reports whether an order with a status can have deliveries.
func canHaveDeliveries(s api.RecordStatus) bool {
	switch s {
	case api.RecordStatus(api.OrderBiddingWithQuote),
		api.RecordReviewing,
		api.RecordQuoteReceived,
		api.RecordRejected,
		api.RecordCancelled,
		api.RecordDeleted:
		return false
	}
	return true
}

// OfOrder makes the shelf have the packages of the order with the given code, or of one of
// its missions.
func (s *PackageShelf) OfOrder(code, mission string) *PackageShelf {
	c := s.cache
	s.gather = func() {
		o, state := c.Details.Get(code)
		_, record := c.Records.Get(code)
		if mission == "" && api.IsStatus(state.Err, http.StatusNotFound) &&
			!refused(record.Err) { // the v2 API may have it
			r, state := read(s, c.Records, code, "", "")
			s.addRecord(r, state)
			return
		}
		s.need(c.Details.NeedOf(code), state, "")
		if o != nil {
			s.order(o, columns.MissionsIn([]api.Order{*o}), mission)
			return
		}
		orders, _ := c.Orders.Get(cache.Account) // has what an earlier run has read
		if i := slices.IndexFunc(orders.Items, func(o api.Order) bool { return o.OrderCode == code }); i >= 0 {
			missions, _ := c.MissionsOf(&orders.Items[i])
			s.order(&orders.Items[i], missions, mission)
		}
	}
	return s
}

// OfDataset makes the shelf have the files of a dataset in the library.
func (s *PackageShelf) OfDataset(set *api.Dataset) *PackageShelf {
	s.gather = func() {
		got, state := read(s, s.cache.Purchased, set.ID, "", "")
		if state.ReadAt.IsZero() {
			return
		}
		p := s.put(set.ID, state.Version, func() fetch.Package { return got })
		p.Title, p.Place, p.Read = set.DatasetName, set.LocationLabel, state.ReadAt
		p.Location = ordering.MissionShape(api.MissionArea, set.LocationMap)
	}
	return s
}

// Deepen reads the packages of older orders.
func (s *PackageShelf) Deepen() {
	if s.More && s.depth <= s.orders && !s.Partial && s.Err == nil {
		s.depth += moreOrders
		s.at = -1
	}
}

// Reread reads the data again.
func (s *PackageShelf) Reread() {
	for _, p := range s.Packages {
		p.ranked = false
	}
	s.cache.RereadNeeds(s.Needs[:min(cmp.Or(s.changing, len(s.Needs)), len(s.Needs))]...)
}

// Sync updates the packages from the cache and reports whether they may have changed.
func (s *PackageShelf) Sync() bool {
	version := s.cache.Version()
	if version == s.at {
		return false
	}
	s.at = version
	s.ShelfState = ShelfState{ReadAt: s.ReadAt}
	s.listed = time.Time{}
	s.Packages = nil
	s.Needs = nil
	s.before = s.known
	s.known = map[string]*DeliveredPackage{}
	s.gather()
	if !s.Partial && s.Err == nil {
		s.ReadAt = s.listed
	}
	s.Sort()
	return true
}

// Sort sorts packages with new files first, then by age. A package keeps its position
// while it is downloaded, until everything is read again.
func (s *PackageShelf) Sort() {
	for _, p := range s.Packages {
		if !p.ranked {
			p.ranked = p.looked
			p.had = len(p.NewFiles(s.Files).Files) > 0
		}
	}
	slices.SortStableFunc(s.Packages, func(x, y *DeliveredPackage) int {
		if x.had && !y.had {
			return -1
		}
		if y.had && !x.had {
			return 1
		}
		return y.Created.Compare(x.Created)
	})
}

// need adds a need and records the state of its data. The name of the data precedes its error.
func (s *PackageShelf) need(n cache.Need, state cache.EntryState, name string) {
	if len(s.Needs) == 0 {
		s.listed = state.ReadAt
		s.Offline = state.Offline
	}
	s.Needs = append(s.Needs, n)
	if state.IsUnread() {
		s.Partial = true
	}
	if s.Err != nil || state.Err == nil {
		return
	}
	s.Err = state.Err
	if name != "" {
		s.Err = fmt.Errorf("%s: %w", name, state.Err)
	}
}

// read returns the value of a key and adds its need. The value is read again if the stamp
// differs, or without a stamp when it is stale.
func read[V any](s *PackageShelf, of *cache.Collection[V], key, stamp, what string) (V, cache.EntryState) {
	value, state := of.Get(key)
	s.need(of.NeedStamped(key, stamp), state, what)
	return value, state
}

// put adds a package, and reuses the existing one if its version is the same.
func (s *PackageShelf) put(key string, version int, build func() fetch.Package) *DeliveredPackage {
	p := s.before[key]
	if p == nil || p.version != version {
		again := &DeliveredPackage{Package: build(), version: version}
		if p != nil {
			again.inheritKnown(p)
		}
		p = again
	}
	s.known[key] = p
	s.Packages = append(s.Packages, p)
	return p
}

// order adds the packages of an order's missions, and the files of the order's record that
// they do not have. With a mission ID it adds only the packages of that mission. A service
// without records has no record files.
func (s *PackageShelf) order(o *api.Order, missions []*cache.Mission, mission string) {
	stamp := ""
	if !o.UpdatedAt.IsZero() {
		stamp = cache.OrderStamp(o)
	}
	before := len(s.Packages)
	for _, m := range missions {
		switch m.Status {
		case api.MissionAwaitingPilot, api.MissionPilotAssigned, api.MissionFlightScheduled:
			continue // nothing was delivered yet
		}
		if mission == "" || m.UUID == mission {
			s.mission(o, m, stamp)
		}
	}
	of, id := slices.Clone(s.Packages[before:]), cache.OrderIdentity(o)
	over := o.Status == api.OrderCompleted || o.Status == api.OrderArchived
	_, known := s.cache.Records.Get(id)
	if mission != "" || len(of) == 0 && !over || refused(known.Err) {
		return
	}
	r, state := read(s, s.cache.Records, id, stamp, o.OrderCode)
	if p := s.addRecord(r, state, of...); p != nil && len(missions) > 0 {
		s.locate(p, missions[0])
	}
}

// mission adds the packages of a mission.
func (s *PackageShelf) mission(o *api.Order, m *cache.Mission, stamp string) {
	m.OrderCode = cmp.Or(m.OrderCode, o.OrderCode)
	packages, _ := read(s, s.cache.Packages, m.UUID, stamp, "mission "+m.MissionCode)
	for i := range packages {
		one := &packages[i]
		files, state := read(
			s,
			s.cache.Files,
			one.UUID,
			stamp,
			"mission "+m.MissionCode+", package "+one.Name,
		)
		if state.ReadAt.IsZero() {
			continue
		}
		p := s.put(m.UUID+"/"+one.UUID, state.Version, func() fetch.Package {
			return fetch.DeliveredPackage(s.client, &m.Mission, one, files, s.asked(state))
		})
		p.Title, p.Read = m.MissionName, state.ReadAt
		if one.Version > 0 {
			p.Title += fmt.Sprintf(" v%d", one.Version)
		}
		p.Where = []cache.Need{s.cache.Details.NeedStamped(o.OrderCode, cache.OrderStamp(o))}
		p.Title += " " + m.MissionCode // the end of a long title is not cut
		s.locate(p, m)
	}
}

// asked returns when links were created, by the local clock. The offline copy has no
// links, so they count as expired.
func (s *PackageShelf) asked(state cache.EntryState) time.Time {
	if state.Offline {
		return time.Unix(0, 0)
	}
	return time.Now().Add(state.ReadAt.Sub(s.client.Now()))
}

// locate sets the place and the location of a package from its mission: the mission's points if
// they are known, otherwise its centre.
func (s *PackageShelf) locate(p *DeliveredPackage, m *cache.Mission) {
	p.Place = cmp.Or(format.ValueOf(m.City), m.LocationLabel)
	points := m.LocationMap
	if len(points) == 0 {
		order, _ := s.cache.Details.Get(m.OrderCode)
		points = format.ValueOf(columns.FindMission(order, m.UUID)).LocationMap
	}
	p.Location = ordering.MissionShape(m.MissionType, points)
	if p.Location == nil && m.Centre != nil {
		p.Location = orb.Point{m.Centre.Lng, m.Centre.Lat}
	}
}

// addRecord adds a package with the files of a record that the other packages do not have, and
// returns the package, or nil if there are no such files.
func (s *PackageShelf) addRecord(
	r *api.OrderRecord, state cache.EntryState, beside ...*DeliveredPackage,
) *DeliveredPackage {
	if r == nil || state.Offline {
		return nil
	}
	version, others := state.Version, make([]fetch.Package, len(beside))
	for i, p := range beside {
		version += p.version
		others[i] = p.Package
	}
	p := s.put("record/"+cmp.Or(r.ID, r.OrderCode), version, func() fetch.Package {
		return fetch.RecordPackage(s.client, r, s.asked(state)).WithoutFilesOf(others...)
	})
	if len(p.Files) == 0 {
		s.Packages = s.Packages[:len(s.Packages)-1]
		return nil
	}
	p.Title, p.Read = strings.TrimSpace(p.Name+" record "+r.OrderCode), state.ReadAt
	p.Location = ordering.MissionShape(api.MissionArea, r.LocationMap)
	return p
}

// recorded adds the deliveries of orders that only the v2 API has. Its list has no files
// and no change times, so a record is read again when its status or number of files
// changes.
func (s *PackageShelf) recorded(orders []api.Order) {
	of := s.cache.Recorded
	rows, state := of.Get(cache.Account)
	if refused(state.Err) {
		return
	}
	s.need(of.NeedRows(cache.Account, s.depth), state, "order records")
	listed := make(map[string]bool, 2*len(orders))
	for i := range orders {
		listed[orders[i].UUID], listed[orders[i].OrderCode] = true, true
	}
	for i := range rows.Items[:min(len(rows.Items), s.depth)] {
		r := &rows.Items[i]
		if listed[r.ID] || r.OrderCode != "" && listed[r.OrderCode] ||
			!canHaveDeliveries(r.StageStatus()) && r.DeliveryFiles.Len() == 0 {
			continue
		}
		stamp, what := fmt.Sprint(r.StageStatus(), r.DeliveryFiles.Len()), cmp.Or(r.OrderCode, r.ID)
		full, state := read(s, s.cache.Records, cmp.Or(r.ID, r.OrderCode), stamp, what)
		s.addRecord(full, state)
	}
}

// refused reports whether the service rejects a request permanently.
func refused(err error) bool {
	if errors.Is(err, api.ErrNoLegacy) {
		return true
	}
	var rejected *api.Error
	if !errors.As(err, &rejected) {
		return false
	}
	isClientError := rejected.Status >= 400 && rejected.Status < 500
	return isClientError && rejected.Status != http.StatusTooManyRequests
}
