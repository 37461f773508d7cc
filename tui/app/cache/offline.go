package cache

import (
	"fmt"
	"os"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// offlineFormat is the version of the offline copy's file format. Files of other versions are ignored.
const offlineFormat = 3

// maxOfflineBytes is the maximum size of an offline copy that Load reads.
const maxOfflineBytes = 64 << 20

// offlineData is the content of the offline copy, a file with the data that lists display. The maps have the same
// keys as the collections in [Cache]. Links, addresses and unknown members are not saved, because they may be
// secret or expire.
type offlineData struct {
	Format   int                                            `json:"format"`
	Service  string                                         `json:"service"` // address of the service
	Orders   map[string]offlineEntry[ListRows[api.Order]]   `json:"orders"`
	Missions map[string]offlineEntry[[]Mission]             `json:"missions"`
	Quoted   map[string]offlineEntry[[]*api.OrderRecord]    `json:"quoted"`
	Records  map[string]offlineEntry[*api.OrderRecord]      `json:"records"` // only orders with open quotes
	Packages map[string]offlineEntry[[]api.DeliveryPackage] `json:"packages"`
	Files    map[string]offlineEntry[[]api.DeliveryFile]    `json:"files"`
}

// offlineEntry is a saved entry of a [Collection].
type offlineEntry[T any] struct {
	Value T         `json:"value"`
	Stamp string    `json:"stamp,omitzero"` // see [entryTable.NeedStamped]; "" if the entry must be read again
	At    time.Time `json:"at"`             // when the value was read
}

// offlineEntries returns the complete entries for saving. lean removes the parts of a value that are not
// saved.
func (c *Collection[T]) offlineEntries(lean func(T) T) map[string]offlineEntry[T] {
	kept := map[string]offlineEntry[T]{}
	for key, e := range c.entries {
		if e.complete {
			kept[key] = offlineEntry[T]{lean(c.valueOf(e)), e.stamp, e.state.ReadAt}
		}
	}
	return kept
}

// addOfflineEntries adds saved entries to the collection, except entries that were already read in this
// run.
func (c *Collection[T]) addOfflineEntries(kept map[string]offlineEntry[T]) {
	for key, saved := range kept {
		e := c.entryFor(key)
		if e.complete || e.unfinished != nil {
			continue
		}
		e.value = saved.Value
		e.complete = true
		e.stamp = saved.Stamp
		e.wanted = saved.Stamp
		e.state.ReadAt = saved.At
		e.state.Offline = true
		c.markModified(e)
	}
}

// Save writes the offline copy to a file that only its owner can read. It writes nothing
// if nothing was read in this run.
func (c *Cache) Save(path string) error {
	offline, version := c.offlineCopy()
	if path == "" || offline == nil {
		return nil
	}
	data, err := api.EncodeRecord(offline)
	if err != nil {
		return fmt.Errorf("save the offline copy: %w", err)
	}
	if err := atomicfile.ReplaceFile(path, data); err != nil {
		return fmt.Errorf("save the offline copy: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saved = version
	return nil
}

// offlineCopy returns the data to save, and its version number. It returns nil if this version was already
// saved, or if the list of orders was not read in this run.
func (c *Cache) offlineCopy() (offline *offlineData, version int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.Orders.entries[Account]
	wasListed := list != nil && list.complete && !list.state.Offline
	isSaved := c.saved == c.version
	if isSaved || !wasListed {
		return nil, 0
	}
	offline = &offlineData{
		Format:   offlineFormat,
		Service:  c.address,
		Orders:   c.Orders.offlineEntries(leanOrders),
		Missions: c.missions.offlineEntries(leanRows(func(m *Mission) { m.Extra = nil })),
		Quoted:   c.Quoted.offlineEntries(leanRows(func(r **api.OrderRecord) { *r = leanRecord(*r) })),
		Records:  map[string]offlineEntry[*api.OrderRecord]{},
		Packages: c.Packages.offlineEntries(leanRows(func(p *api.DeliveryPackage) { p.Extra = nil })),
		Files:    c.Files.offlineEntries(leanRows(removeLink)),
	}
	for id := range c.quotedState.orderIDs { // lists display only records of orders with quotes
		e := c.Records.entries[id]
		if e == nil || !e.complete {
			continue
		}
		// The next run needs the members that leanRecord omits. It reads an entry without a stamp again.
		offline.Records[id] = offlineEntry[*api.OrderRecord]{
			Value: leanRecord(c.Records.valueOf(e)),
			At:    e.state.ReadAt,
		}
	}
	return offline, c.version
}

// leanOrders returns a list of orders without their missions and unknown members.
func leanOrders(list ListRows[api.Order]) ListRows[api.Order] {
	reduce := leanRows(func(o *api.Order) {
		o.Missions = nil
		o.Extra = nil
	})
	list.Items = reduce(list.Items)
	return list
}

func removeLink(f *api.DeliveryFile) {
	f.DownloadURL = ""
	f.Extra = nil
}

// leanRows returns a function that copies rows and applies reduce to each row of the copy.
func leanRows[T any](reduce func(*T)) func([]T) []T {
	return func(rows []T) []T {
		rows = slices.Clone(rows)
		for i := range rows {
			reduce(&rows[i])
		}
		return rows
	}
}

// leanRecord returns a record with only the members that lists display.
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

// Load reads the offline copy of an earlier run and reports whether it added data. Invalid
// files are ignored.
func (c *Cache) Load(path string) bool {
	offline := readOffline(path)
	if offline == nil || offline.Service != c.address {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	oldVersion := c.version
	c.Orders.addOfflineEntries(offline.Orders)
	c.missions.addOfflineEntries(offline.Missions)
	c.Quoted.addOfflineEntries(offline.Quoted)
	c.Records.addOfflineEntries(offline.Records)
	c.Packages.addOfflineEntries(offline.Packages)
	c.Files.addOfflineEntries(offline.Files)
	return c.version != oldVersion
}

// readOffline reads an offline copy, or returns nil if the file is invalid, too large or of another
// version.
func readOffline(path string) *offlineData {
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxOfflineBytes {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var offline offlineData
	if api.DecodeRecord(data, &offline) != nil || offline.Format != offlineFormat {
		return nil
	}
	return &offline
}
