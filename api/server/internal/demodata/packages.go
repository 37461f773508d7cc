package demodata

import (
	_ "embed" // of what files amount to
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// The files of the world are made when they are first opened, since making all
// of them takes seconds. What they amount to is listed here, by package; a test
// makes them all and compares, and with -update writes the list anew.
//
//go:embed files.json
var listedFiles []byte

// listedFile is a file of a package.
type listedFile struct {
	Name      string          `json:"name"`
	Kind      api.Deliverable `json:"kind"`
	MediaType string          `json:"mediaType"`
	Size      int64           `json:"size"` // bytes
	SHA256    string          `json:"sha256"`
}

var listed = sync.OnceValue(func() (all map[string][]listedFile) {
	if err := json.Unmarshal(listedFiles, &all); err != nil {
		panic(fmt.Sprintf("files.json: %v", err)) // it is part of the program
	}
	return all
})

// firstMission is the number of the world's first mission.
const firstMission = 300501

// deliverMissions gives the missions whose data is delivered their packages, and the
// accounts their datasets. Orders are in their order by now. It returns what
// the files of each package are made from.
func deliverMissions(w *domain.SeedWorld, now, first time.Time) map[string]product.Mission {
	sources := map[string]product.Mission{}
	number := firstMission
	for i := range w.Orders {
		o := &w.Orders[i]
		m := newWorldMaker(now, first, o.AccountUUID, o.Request.Order.OrderName, "packages")
		twice := tableOf(o.AccountUUID, o.Request.Order.OrderName).twice
		for j := range o.Missions {
			past := &o.Missions[j]
			if past.Status.IsDelivered() {
				from := missionSource(*o, j, fmt.Sprintf("MSN-%d", number))
				past.Packages = m.packagesOf(*past, from, twice && j == 0, sources)
			}
			number++
		}
	}
	for _, a := range demoAccounts() {
		for _, d := range a.datasets {
			w.Datasets = append(w.Datasets, newWorldMaker(now, first, a.UUID, d.name).datasetOf(a, d, sources))
		}
	}
	return sources
}

// tableOf returns what the tables say of an order.
func tableOf(account, name string) demoOrder {
	for _, a := range demoAccounts() {
		if a.UUID != account {
			continue
		}
		if i := slices.IndexFunc(a.orders, func(o demoOrder) bool { return o.name == name }); i >= 0 {
			return a.orders[i]
		}
	}
	return demoOrder{}
}

// fileSeed names what files are made for, the same each time.
func fileSeed(names ...string) string {
	hash := fnv.New128a()
	for _, name := range names {
		_, _ = hash.Write(append([]byte(name), 0)) // never fails
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// missionSource returns what the files of an order's mission are made from. Nothing of it
// is of the moment, so that they are the same each time.
func missionSource(o domain.PastOrder, i int, code string) product.Mission {
	in := o.Request.Missions[i]
	kinds := append([]api.Deliverable{}, o.Request.Order.Deliverables...)
	if !slices.Contains(kinds, api.DeliverableJPG) {
		kinds = append(kinds, api.DeliverableJPG)
	}
	return product.Mission{
		UUID: fileSeed(o.AccountUUID, o.Request.Order.OrderName, in.MissionName), Code: code, Name: in.MissionName,
		Type: in.MissionType, Location: in.LocationMap, Deliverables: kinds, Operator: *o.Missions[i].OperatorName,
	}
}

// packagesOf returns a mission's: one, or a second one without the photos.
func (m *worldMaker) packagesOf(past domain.PastMission, from product.Mission, twice bool, sources map[string]product.Mission) []domain.PastPackage {
	last := past.Updated
	if past.Status == api.MissionCompleted {
		last = past.FlightDate.Add(past.Updated.Sub(past.FlightDate) * 3 / 4)
	}
	made := func(key string, from product.Mission, at time.Time) domain.PastPackage {
		sources[key] = from
		at = at.Truncate(time.Second)
		p := domain.PastPackage{Package: store.Package{
			UUID: m.newUUID(at), Name: from.Name + ", " + at.Format(time.DateOnly), Status: api.DeliveryDelivered, Created: at,
		}, Files: m.packageFiles(key, at)}
		if past.Status == api.MissionCompleted {
			p.Status = api.DeliveryAccepted
		}
		return p
	}
	key := "sample-" + from.UUID
	if !twice {
		return []domain.PastPackage{made(key, from, last)}
	}
	corrected := from
	corrected.UUID = fileSeed(from.UUID, "corrected")
	if kinds := slices.DeleteFunc(slices.Clone(from.Deliverables), isPhoto); len(kinds) > 0 {
		corrected.Deliverables = kinds
	}
	early := past.FlightDate.Add(last.Sub(past.FlightDate) / 2)
	second := made("sample-"+corrected.UUID, corrected, last)
	second.Name += ", corrected"
	return []domain.PastPackage{made(key, from, early), second}
}

func isPhoto(d api.Deliverable) bool { return d == api.DeliverableJPG || d == "raw" }

// packageFiles returns those of a package, as they are listed.
func (m *worldMaker) packageFiles(key string, at time.Time) (all []store.File) {
	for i, f := range listed()[key] {
		all = append(all, store.File{
			UUID: m.newUUID(at), Name: f.Name, Kind: f.Kind, MediaType: f.MediaType, Size: f.Size, SHA256: f.SHA256,
			Place: filePlace(key, i), Created: at,
		})
	}
	return all
}

// filePlace returns where a package's file is in the file store.
func filePlace(key string, i int) string { return fmt.Sprintf("%s-%d", key, i) }

// enlargeFiles has the files of packages and datasets be as they are made of a size.
// How large each one is, and its digest, is known once it is made.
func enlargeFiles(w *domain.SeedWorld, sources map[string]product.Mission, size int64, first time.Time) {
	for i := range w.Orders {
		for j := range w.Orders[i].Missions {
			for k := range w.Orders[i].Missions[j].Packages {
				p := &w.Orders[i].Missions[j].Packages[k]
				p.Files = resizeFiles(p.Files, sources, size, first)
			}
		}
	}
	for i := range w.Datasets {
		w.Datasets[i].Files = resizeFiles(w.Datasets[i].Files, sources, size, first)
	}
}

func resizeFiles(small []store.File, sources map[string]product.Mission, size int64, first time.Time) (all []store.File) {
	at := small[0].Created
	key := small[0].Place[:strings.LastIndexByte(small[0].Place, '-')]
	made, err := product.Files(sources[key], size)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", key, err)) // the tables are part of the program
	}
	kinds := map[api.Deliverable]int64{}
	for _, f := range made {
		kinds[f.Kind]++
	}
	m := newWorldMaker(at, first, key)
	for i, f := range made {
		all = append(all, store.File{
			UUID: m.newUUID(at), Name: f.Name, Kind: f.Kind, MediaType: f.MediaType, Size: size / kinds[f.Kind], SHA256: small[0].SHA256,
			Place: filePlace(fmt.Sprintf("%s-%d", key, size), i), Created: at,
		})
	}
	return all
}

// demoDataset is one that an account has purchased.
type demoDataset struct {
	name, description, label string
	categories, goals        []string
	kinds                    []api.Deliverable
	shape                    areaShape
	monthsAgo                int
}

func (m *worldMaker) datasetOf(a demoAccount, d demoDataset, sources map[string]product.Mission) domain.PastDataset {
	at := m.now.AddDate(0, -d.monthsAgo, 0).Add(-m.durationBetween(time.Hour, 9*day))
	location, _ := d.shape.draw(m.rng)
	id := fileSeed(a.UUID, d.name)
	key := "sample-" + id
	sources[key] = product.Mission{
		UUID: id, Code: "library", Name: d.name, Type: api.MissionArea, Location: location, Deliverables: d.kinds,
	}
	return domain.PastDataset{AccountUUID: a.UUID, Dataset: store.Dataset{
		UUID: m.newUUID(at), Name: d.name, Categories: d.categories, Description: d.description, SDGGoals: d.goals,
		LocationLabel: d.label, LocationMap: location, DateCompleted: at.AddDate(0, -1, 0).Format(time.DateOnly), Created: at,
	}, Files: m.packageFiles(key, at)}
}
