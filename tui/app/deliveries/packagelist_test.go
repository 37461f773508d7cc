package deliveries

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/cache"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// service has n completed orders of one mission each, with a package of a file.
type service struct {
	client *api.Client
	now    time.Time

	mu      sync.Mutex
	n       int
	updated map[int]time.Duration
	gone    map[int]bool
	reads   map[string]int // by the last part of the path
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	what := parts[len(parts)-1]
	s.reads[what]++
	var items []string
	more, next := false, "null"
	switch what {
	case "missions":
		items = []string{fmt.Sprintf(`{"uuid":"m-%s","missionCode":"MSN-%s","missionName":"Levee","status":"dataDelivered"}`, parts[1], parts[1])}
	case "delivery-packages":
		items = []string{fmt.Sprintf(`{"uuid":"p-%s","version":1,"createdAt":"2026-11-24T08:00:00Z"}`, parts[1])}
	case "files":
		items = []string{`{"uuid":"f","fileName":"map.tif","fileDataType":"_2dMap","fileSize":7,"downloadUrl":"http://127.0.0.1:1/SECRET","secret":"SECRET"}`}
	case "orders":
		from := 0
		_, _ = fmt.Sscan(r.URL.Query().Get("cursor"), &from)
		for i := from; i < min(from+100, s.n); i++ {
			if !s.gone[i] {
				at := noon.Add(s.updated[i] - time.Duration(i)*time.Minute).Format(time.RFC3339)
				items = append(items, fmt.Sprintf(`{"uuid":"o-%d","orderCode":"ORD-%d","status":"completed","updatedAt":%q}`, i, i, at))
			}
		}
		if more = from+100 < s.n; more {
			next = fmt.Sprintf("%q", fmt.Sprint(from+100))
		}
	}
	_, _ = fmt.Fprintf(w, `{"success":true,"message":"","data":{"data":[%s],"nextCursor":%s,"hasNextPage":%v}}`, strings.Join(items, ","), next, more)
}

func serve(t *testing.T, n int) *service {
	t.Helper()
	s := &service{n: n, now: noon, updated: map[int]time.Duration{}, gone: map[int]bool{}, reads: map[string]int{}}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL, api.WithKey("fd_test_key"), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	return s
}

// list returns the packages of the account.
func (s *service) list(t *testing.T) (*PackageList, *cache.Cache) {
	t.Helper()
	c := cache.New(s.client, func() time.Time { return s.now })
	files := NewDownloads(fetch.Options{Dir: t.TempDir()}, nil)
	return NewPackageList(c, s.client, files).OfAccount(), c
}

// fill reads all that the list needs.
func fill(t *testing.T, c *cache.Cache, s *PackageList) {
	t.Helper()
	for again := true; again; again = s.Partial && s.Err == nil {
		c.LoadNeeds(t.Context(), func() []cache.Need {
			s.Sync()
			return s.Needs
		})
		s.Sync()
	}
}

func TestPackageListHasFirstOrdersUntilDeepened(t *testing.T) {
	s := serve(t, 230)
	list, c := s.list(t)
	fill(t, c, list)
	if len(list.Packages) != 200 || !list.More || list.Partial || list.Err != nil || !list.ReadAt.Equal(noon) {
		t.Fatalf("%d packages, %+v", len(list.Packages), list.PackageListState)
	}
	list.Deepen()
	fill(t, c, list)
	if len(list.Packages) != 230 || list.More {
		t.Errorf("%d packages, %+v", len(list.Packages), list.PackageListState)
	}
	if s.reads["files"] != 230 || s.reads["missions"] != 230 {
		t.Errorf("read %v", s.reads)
	}
}

// The record of an order has the files of its missions, too, so that they would be downloaded twice.
func TestARecordHasNoPackageBeforeTheFilesOfTheMissionsAreRead(t *testing.T) {
	s := serve(t, 1)
	s.serveRecords(t)
	list, c := s.list(t)
	load := func(needs ...cache.Need) { c.LoadNeeds(t.Context(), func() []cache.Need { return needs }) }
	load(c.Orders.NeedOf(cache.Account))
	load(c.Records.NeedOf("o-0"))
	list.Sync()
	if r, state := c.Records.Get("o-0"); r == nil || r.DeliveryFiles.Len() != 1 {
		t.Fatalf("the record has no file: %v, %v", r, state.Err)
	}
	if len(list.Packages) > 0 {
		t.Errorf("package %q can have files of a mission", list.Packages[0].Title)
	}
	fill(t, c, list)
	if len(list.Packages) != 2 {
		t.Errorf("%d packages, not those of the mission and of the record", len(list.Packages))
	}
}

// serveRecords gives the client the v2 API, in which the first order has a file that its mission does not have.
func (s *service) serveRecords(t *testing.T) {
	t.Helper()
	v2 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/getorder/") {
			_, _ = fmt.Fprint(w, `{"success":true,"data":[]}`)
			return
		}
		_, _ = fmt.Fprint(w, `{"success":true,"data":{"id":"o-0","orderCode":"ORD-0","status":"completed","deliveryFiles":["http://127.0.0.1:1/raw.tif"]}}`)
	}))
	t.Cleanup(v2.Close)
	client, err := api.NewClient(s.client.BaseURL(), api.WithKey("fd_test_key"), api.WithLegacyURL(v2.URL))
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
}

func TestOnlyThePackagesOfOrdersThatHaveChangedAreReadAgain(t *testing.T) {
	s := serve(t, 20)
	list, c := s.list(t)
	fill(t, c, list)
	first := list.known["m-ORD-7/p-m-ORD-7"]
	s.now, s.reads = s.now.Add(time.Hour), map[string]int{}
	s.updated[3], s.gone[5] = time.Hour, true
	list.Reread()
	fill(t, c, list)
	if s.reads["files"] != 1 || s.reads["delivery-packages"] != 1 || s.reads["missions"] != 1 {
		t.Errorf("read %v", s.reads)
	}
	if len(list.Packages) != 19 || list.known["m-ORD-7/p-m-ORD-7"] != first {
		t.Errorf("%d packages; the one that has not changed is the same: %v", len(list.Packages), list.known["m-ORD-7/p-m-ORD-7"] == first)
	}
	if files, state := c.Files.Get("p-m-ORD-5"); files != nil || !state.ReadAt.IsZero() {
		t.Errorf("the files of an order that is gone are kept: %v", files)
	}
}

func TestWhatWasDeliveredIsKeptWithoutLinks(t *testing.T) {
	s := serve(t, 3)
	list, c := s.list(t)
	c.RefreshOrders(false)
	fill(t, c, list)
	path := filepath.Join(t.TempDir(), "known.json")
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "SECRET") {
		t.Errorf("kept %s, %v", text, err)
	}
	s.now, s.reads = s.now.Add(time.Hour), map[string]int{}
	list, c = s.list(t)
	if !c.Load(path) {
		t.Fatal("nothing was kept")
	}
	list.Sync()
	if len(list.Packages) != 3 || !list.Offline || list.Packages[0].Title != "Levee v1 MSN-ORD-0" || list.Packages[0].Files[0].Name != "map.tif" {
		t.Errorf("%d packages, %+v", len(list.Packages), list.PackageListState)
	}
	fill(t, c, list)
	if list.Offline || s.reads["files"] != 0 || len(list.Packages) != 3 {
		t.Errorf("%+v; read %v", list.PackageListState, s.reads)
	}
}

func TestADownloadedPackageStaysInItsPlace(t *testing.T) {
	pack := func(name string, age time.Duration) *DeliveredPackage {
		return &DeliveredPackage{Title: name, isInspected: true, Package: fetch.Package{
			PackageInfo: fetch.PackageInfo{Created: noon.Add(-age)}, Files: []fetch.File{{ID: name, Name: name + ".tif"}},
		}, States: make([]fetch.FileState, 1)}
	}
	s := &PackageList{Packages: []*DeliveredPackage{pack("old", time.Hour), pack("new", 0)}, Files: &Downloads{}}
	s.Sort()
	if s.Packages[0].Title != "new" {
		t.Fatalf("the first package is %s", s.Packages[0].Title)
	}
	s.Packages[0].States[0] = fetch.FileState{Whole: true, Known: true}
	s.Sort()
	if s.Packages[0].Title != "new" {
		t.Error("a package moves while it is downloaded")
	}
}
