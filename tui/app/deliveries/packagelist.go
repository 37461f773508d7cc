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
	firstOrders = 200 // orders for which packages are read at first
	moreOrders  = 50  // further orders to read when the user scrolls to the end
)

// PackageList lists the delivered packages of an account, an order, a mission or a dataset, as the cache
// has them. It must be used from one goroutine.
type PackageList struct {
	PackageListState

	Packages []*DeliveredPackage // packages with new files first, then by age
	Needs    []cache.Need        // data that the cache must load for the packages

	cache  *cache.Cache
	client *api.Client
	Files  *Downloads
	gather func() // collects the packages from the cache; calls need for all data that it uses
	depth  int    // maximum number of orders

	listNeeds     int // number of needs that Reread reads again; 0 for all
	syncedVersion int // version of the cache at the last Sync

	known       map[string]*DeliveredPackage // by mission and package ID
	oldKnown    map[string]*DeliveredPackage // known before the current Sync
	firstReadAt time.Time                    // when the data of the first need was read
	orderCount  int                          // number of listed orders
	unread      int                          // number of needs without a response or an error yet
}

// PackageListState says how old and how complete the data of a [PackageList] is.
type PackageListState struct {
	ReadAt  time.Time // when all data was last loaded; zero if never
	Err     error     // first error of the last loading
	Offline bool      // the data is a copy on disk that an earlier run of the app saved
	More    bool      // there are older orders that were not loaded
	Partial bool      // some data was never loaded
}

// NewPackageList returns an empty list. Call OfAccount, OfOrder or OfDataset to choose its packages, and Sync
// to read them.
func NewPackageList(c *cache.Cache, client *api.Client, files *Downloads) *PackageList {
	return &PackageList{
		cache:         c,
		client:        client,
		Files:         files,
		depth:         firstOrders,
		syncedVersion: -1,
	}
}

// OfAccount chooses the packages of all orders of the account.
func (s *PackageList) OfAccount() *PackageList {
	s.gather = s.gatherAccount
	s.listNeeds = 1 // the list of orders shows which other data has changed
	return s
}

// gatherAccount adds the packages of the account's orders, and of orders that only the v2 API has.
func (s *PackageList) gatherAccount() {
	c := s.cache
	rows, listState := c.Orders.Get(cache.Account)
	s.need(c.Orders.NeedRows(cache.Account, s.depth), listState, "")
	s.orderCount = len(rows.Items)
	s.More = rows.More || len(rows.Items) > s.depth
	for i := range rows.Items[:min(len(rows.Items), s.depth)] {
		o := &rows.Items[i]
		if !canHaveDeliveries(api.RecordStatus(o.Status)) {
			continue
		}
		missions, missionState := c.MissionsOf(o)
		s.need(c.NeedMissions(o), missionState, o.OrderCode)
		s.addOrder(o, missions, !missionState.IsUnread(), "")
	}
	if !listState.IsUnread() {
		s.addOtherRecords(rows.Items)
	}
}

// canHaveDeliveries reports whether an order with the status s can have delivered files.
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

// OfOrder chooses the packages of the order with the given code or, unless mission is "", of that mission
// only.
func (s *PackageList) OfOrder(code, mission string) *PackageList {
	s.gather = func() { s.gatherOrder(code, mission) }
	return s
}

// gatherOrder adds the packages of an order, or of one of its missions. If the public API does not know
// the order, it adds the files that the v2 API lists. Until the order is loaded, it uses the data of the
// order in the list of orders.
func (s *PackageList) gatherOrder(code, mission string) {
	c := s.cache
	o, state := c.Details.Get(code)
	isUnknown := api.IsStatus(state.Err, http.StatusNotFound)
	wantsWholeOrder := mission == "" // the v2 API does not show which files belong to a mission
	if isUnknown && wantsWholeOrder && s.canReadRecord(code) {
		r, recordState := getCached(s, c.Records, code, "", "")
		s.addRecord(r, recordState)
		return
	}
	s.need(c.Details.NeedOf(code), state, "")
	if o != nil {
		s.addOrder(o, columns.MissionsIn([]api.Order{*o}), true, mission)
		return
	}
	s.addListedOrder(code, mission)
}

// canReadRecord reports whether the v2 API may have the record of an order. It is false after the v2 API
// rejected the request.
func (s *PackageList) canReadRecord(code string) bool {
	_, state := s.cache.Records.Get(code)
	return !refused(state.Err)
}

// addListedOrder adds the packages of an order, or of one of its missions, from the list of orders. It
// adds nothing if the order is not in the list.
func (s *PackageList) addListedOrder(code, mission string) {
	c := s.cache
	orders, _ := c.Orders.Get(cache.Account)
	for i := range orders.Items {
		if orders.Items[i].OrderCode == code {
			missions, state := c.MissionsOf(&orders.Items[i])
			s.addOrder(&orders.Items[i], missions, !state.IsUnread(), mission)
			return
		}
	}
}

// OfDataset chooses the files of a dataset in the library.
func (s *PackageList) OfDataset(set *api.Dataset) *PackageList {
	s.gather = func() {
		purchased, state := getCached(s, s.cache.Purchased, set.ID, "", "")
		if state.ReadAt.IsZero() {
			return
		}
		p := s.put(set.ID, state.Version, func() fetch.Package { return purchased })
		p.Title = set.DatasetName
		p.Place = set.LocationLabel
		p.Location = ordering.MissionShape(api.MissionArea, set.LocationMap)
	}
	return s
}

// Deepen also reads the packages of older orders, if there are any and all others were loaded.
func (s *PackageList) Deepen() {
	if s.More && s.depth <= s.orderCount && !s.Partial && s.Err == nil {
		s.depth += moreOrders
		s.syncedVersion = -1
	}
}

// Reread makes the cache load the data of the packages again.
func (s *PackageList) Reread() {
	for _, p := range s.Packages {
		p.isRanked = false
	}
	needs := s.Needs
	if s.listNeeds > 0 {
		needs = needs[:min(s.listNeeds, len(needs))]
	}
	s.cache.RefreshNeeds(needs...)
}

// Sync updates the packages from the cache. It returns false if the cache has not changed since the last
// Sync.
func (s *PackageList) Sync() bool {
	version := s.cache.Version()
	if version == s.syncedVersion {
		return false
	}
	s.syncedVersion = version
	s.PackageListState = PackageListState{ReadAt: s.ReadAt}
	s.firstReadAt = time.Time{}
	s.Packages = nil
	s.Needs = nil
	s.unread = 0
	s.oldKnown = s.known
	s.known = map[string]*DeliveredPackage{}
	s.gather()
	for _, p := range s.Packages {
		s.Files.setTitle(p.ID, p.Title)
	}
	if !s.Partial && s.Err == nil {
		s.ReadAt = s.firstReadAt
	}
	s.Sort()
	return true
}

// Sort sorts packages with new files first, then by age. A package with new files stays among the first
// while its files are downloaded, until the user reloads.
func (s *PackageList) Sort() {
	for _, p := range s.Packages {
		if !p.isRanked {
			p.isRanked = p.isInspected
			p.hadNewFiles = len(p.NewFiles(s.Files).Files) > 0
		}
	}
	slices.SortStableFunc(s.Packages, func(x, y *DeliveredPackage) int {
		if x.hadNewFiles && !y.hadNewFiles {
			return -1
		}
		if y.hadNewFiles && !x.hadNewFiles {
			return 1
		}
		return y.Created.Compare(x.Created)
	})
}

// need adds data that must be loaded to Needs, and updates the [PackageListState] with the state of that data.
// name is put before its error, if any.
func (s *PackageList) need(n cache.Need, state cache.EntryState, name string) {
	if len(s.Needs) == 0 {
		s.firstReadAt = state.ReadAt
		s.Offline = state.Offline
	}
	s.Needs = append(s.Needs, n)
	if state.IsUnread() {
		s.Partial = true
		s.unread++
	}
	if s.Err != nil || state.Err == nil {
		return
	}
	s.Err = state.Err
	if name != "" {
		s.Err = fmt.Errorf("%s: %w", name, state.Err)
	}
}

// getCached returns the cached value of a key and makes sure that it is loaded. stamp is a version of the
// value, such as the time of the last change: the value is loaded again if its stamp differs. Without a
// stamp, the value is loaded again when it is old. Errors begin with name.
func getCached[V any](s *PackageList, c *cache.Collection[V], key, stamp, name string) (V, cache.EntryState) {
	value, state := c.Get(key)
	s.need(c.NeedStamped(key, stamp), state, name)
	return value, state
}

// put adds a package to the list. If the list had the same version of the package before this Sync, put
// adds that package again, with its state; otherwise it calls build.
func (s *PackageList) put(key string, version int, build func() fetch.Package) *DeliveredPackage {
	old := s.oldKnown[key]
	p := old
	if old == nil || old.version != version {
		p = &DeliveredPackage{Package: build(), version: version}
		if old != nil {
			p.copyFileInfo(old)
		}
	}
	s.known[key] = p
	s.Packages = append(s.Packages, p)
	return p
}

// addOrder adds the packages of an order's missions. If mission is not "", it adds only the packages of
// that mission. Otherwise it also adds a package with the files that only the v2 API lists for the order.
func (s *PackageList) addOrder(o *api.Order, missions []*cache.Mission, areMissionsRead bool, mission string) {
	stamp := ""
	if !o.UpdatedAt.IsZero() {
		stamp = cache.OrderStamp(o)
	}
	oldCount := len(s.Packages)
	oldUnread := s.unread // addMission counts the missions without known files
	for _, m := range missions {
		isWanted := mission == "" || m.UUID == mission
		if isWanted && canHavePackages(m.Status) {
			s.addMission(o, m, stamp)
		}
	}
	if mission != "" {
		return
	}
	delivered := slices.Clone(s.Packages[oldCount:])
	isDone := o.Status == api.OrderCompleted || o.Status == api.OrderArchived
	canHaveRecordFiles := isDone || len(delivered) > 0
	if !canHaveRecordFiles {
		return
	}
	// The record is requested while files of missions are still unknown, to be there when they are. Until then it would
	// seem to have files that belong to the missions.
	record, state := s.readRecordOf(o, stamp)
	areFilesKnown := areMissionsRead && s.unread == oldUnread
	if record != nil && areFilesKnown {
		s.addRecordOf(record, state, missions, delivered)
	}
}

// readRecordOf returns the record of an order in the v2 API from the cache, which loads it if necessary.
// It returns nil if the service rejects such requests.
func (s *PackageList) readRecordOf(o *api.Order, stamp string) (*api.OrderRecord, cache.EntryState) {
	id := cache.OrderIdentity(o)
	_, state := s.cache.Records.Get(id)
	if refused(state.Err) {
		return nil, state
	}
	return getCached(s, s.cache.Records, id, stamp, o.OrderCode)
}

// addRecordOf adds a package with the files that only the v2 API lists for an order. Files in delivered,
// the packages of the order's missions, are left out.
func (s *PackageList) addRecordOf(
	r *api.OrderRecord, state cache.EntryState, missions []*cache.Mission, delivered []*DeliveredPackage,
) {
	p := s.addRecord(r, state, delivered...)
	if p != nil && len(missions) > 0 {
		s.locate(p, missions[0]) // the files are of the order; any of its missions shows where it is
	}
}

// canHavePackages reports whether a mission with the status s can have delivered packages.
func canHavePackages(s api.MissionStatus) bool {
	switch s {
	case api.MissionAwaitingPilot, api.MissionPilotAssigned, api.MissionFlightScheduled:
		return false
	}
	return true
}

// addMission adds the packages of a mission.
func (s *PackageList) addMission(o *api.Order, m *cache.Mission, stamp string) {
	m.OrderCode = cmp.Or(m.OrderCode, o.OrderCode)
	missionName := "mission " + m.MissionCode
	packages, _ := getCached(s, s.cache.Packages, m.UUID, stamp, missionName)
	for i := range packages {
		listed := &packages[i]
		files, state := getCached(s, s.cache.Files, listed.UUID, stamp, missionName+", package "+listed.Name)
		if state.ReadAt.IsZero() {
			continue
		}
		build := func() fetch.Package {
			return fetch.DeliveredPackage(s.client, &m.Mission, listed, files, s.linkTime(state))
		}
		p := s.put(m.UUID+"/"+listed.UUID, state.Version, build)
		p.Title = m.MissionName
		if listed.Version > 0 {
			p.Title += fmt.Sprintf(" v%d", listed.Version)
		}
		p.Title += " " + m.MissionCode // the end of a long title is not cut
		p.Where = []cache.Need{s.cache.Details.NeedStamped(o.OrderCode, cache.OrderStamp(o))}
		s.locate(p, m)
	}
}

// linkTime returns the local time at which the download links in a cache entry were created. The saved
// copy for offline use has no links, so linkTime returns a time long ago, as if they had expired.
func (s *PackageList) linkTime(state cache.EntryState) time.Time {
	if state.Offline {
		return time.Unix(0, 0)
	}
	return time.Now().Add(state.ReadAt.Sub(s.client.Now()))
}

// locate sets the place and the location of a package to those of its mission. The location is the shape
// of the mission or, if that is unknown, its centre.
func (s *PackageList) locate(p *DeliveredPackage, m *cache.Mission) {
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

// addRecord adds a package with the files that the v2 API lists for an order, without the files that
// delivered has. It returns the package, or nil if no files are left.
func (s *PackageList) addRecord(
	r *api.OrderRecord, state cache.EntryState, delivered ...*DeliveredPackage,
) *DeliveredPackage {
	if r == nil || state.Offline {
		return nil
	}
	version := state.Version
	var others []fetch.Package
	for _, p := range delivered {
		version += p.version
		others = append(others, p.Package)
	}
	p := s.put("record/"+cmp.Or(r.ID, r.OrderCode), version, func() fetch.Package {
		return fetch.RecordPackage(s.client, r, s.linkTime(state)).WithoutFilesOf(others...)
	})
	if len(p.Files) == 0 {
		s.Packages = s.Packages[:len(s.Packages)-1]
		return nil
	}
	p.Title = strings.TrimSpace(p.Name + " record " + r.OrderCode)
	p.Location = ordering.MissionShape(api.MissionArea, r.LocationMap)
	return p
}

// addOtherRecords adds the deliveries of orders that only the v2 API has. The list of these orders has
// neither files nor times of changes. A record is therefore loaded again if its status or its number of
// files changes.
func (s *PackageList) addOtherRecords(orders []api.Order) {
	records := s.cache.Recorded
	rows, listState := records.Get(cache.Account)
	if refused(listState.Err) {
		return
	}
	s.need(records.NeedRows(cache.Account, s.depth), listState, "order records")
	isListed := make(map[string]bool, 2*len(orders)) // by UUID and by code
	for i := range orders {
		isListed[orders[i].UUID] = true
		isListed[orders[i].OrderCode] = true
	}
	for i := range rows.Items[:min(len(rows.Items), s.depth)] {
		r := &rows.Items[i]
		hasListedCode := r.OrderCode != "" && isListed[r.OrderCode]
		if !isListed[r.ID] && !hasListedCode {
			s.addOtherRecord(r)
		}
	}
}

// addOtherRecord adds the deliveries of an order that only the v2 API has, if it can have any.
func (s *PackageList) addOtherRecord(r *api.OrderRecord) {
	status := r.StageStatus()
	files := r.DeliveryFiles.Len()
	if files == 0 && !canHaveDeliveries(status) {
		return
	}
	id := cmp.Or(r.ID, r.OrderCode)
	nameInErrors := cmp.Or(r.OrderCode, r.ID) // people know the code
	stamp := fmt.Sprint(status, files)
	record, state := getCached(s, s.cache.Records, id, stamp, nameInErrors)
	s.addRecord(record, state)
}

// refused reports whether the service rejects a request permanently, so that a repeated request would fail
// as well.
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
