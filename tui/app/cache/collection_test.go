package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
)

// source is a service that counts its requests.
type source struct {
	c     *Cache
	now   time.Time
	asked []string
	fails error
	rows  int
	gone  map[int]bool
	words *Collection[string]
	lists *Collection[ListRows[int]]
}

func newSource() *source {
	s := &source{now: time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)}
	s.c = &Cache{address: "here", now: func() time.Time { return s.now }, scheduler: newScheduler()}
	s.words = newCollection(s.c, "words", func(_ context.Context, key string) (string, error) {
		s.asked = append(s.asked, key)
		if key == "panics" {
			panic("a letter too many")
		}
		return fmt.Sprint(key, " ", len(s.asked)), s.fails
	})
	s.lists = listOf(s.c, "numbers", 30, listPaging[int]{
		id: func(i *int) string { return strconv.Itoa(*i) }, maxRows: 80,
		list: func(_ context.Context, key string, opts api.ListOptions) (*api.Page[int], error) {
			cursor, got := opts.Cursor, []int(nil)
			s.asked = append(s.asked, key+cursor)
			from, _ := strconv.Atoi(cursor)
			if cursor == "" {
				from = s.rows
			}
			for from--; from >= 0 && len(got) < 10; from-- {
				if !s.gone[from] {
					got = append(got, from)
				}
			}
			if from < 0 {
				return &api.Page[int]{Items: got}, s.fails
			}
			next := strconv.Itoa(from + 1)
			return &api.Page[int]{Items: got, NextCursor: &next, HasNextPage: true}, s.fails
		},
	})
	s.c.scheduler.background = []func() func(context.Context){s.words.pick, s.lists.pick}
	return s
}

// run runs the readings that are due, and returns the requests that they sent.
func (s *source) run(t *testing.T) []string {
	t.Helper()
	s.asked = nil
	for {
		var jobs []func(context.Context)
		for job := s.c.NextRead(); job != nil; job = s.c.NextRead() {
			jobs = append(jobs, job)
		}
		if len(jobs) > maxRequests {
			t.Errorf("%d requests at the same time", len(jobs))
		}
		if len(jobs) == 0 {
			return s.asked
		}
		for _, job := range jobs {
			job(t.Context())
		}
	}
}

func (s *source) reads(t *testing.T, want ...string) {
	t.Helper()
	if got := s.run(t); !slices.Equal(got, want) {
		t.Errorf("asked for %q, not for %q", got, want)
	}
}

func TestShownDataIsReadFirst(t *testing.T) {
	s := newSource()
	s.c.Prefetch(s.words.NeedOf("a", "b", "c", "d", "e", "f"))
	s.c.SetPageNeeds("page", s.words.NeedOf("f", "d"))
	s.reads(t, "f", "d", "a", "b", "c", "e")
}

func TestShownDataIsReadAgainWhenItIsStale(t *testing.T) {
	s := newSource()
	show := func(page string) { s.c.SetPageNeeds(page, s.words.NeedOf("a")) }
	show("one")
	s.reads(t, "a")
	s.now = s.now.Add(9 * time.Second)
	show("two") // the other page has read the data
	s.reads(t)
	s.now = s.now.Add(20 * time.Second)
	show("two")
	s.reads(t)
	show("three") // another page
	s.reads(t, "a")
	s.now = s.now.Add(30 * time.Second)
	show("three")
	s.reads(t, "a")
	s.c.RefreshNeeds(s.words.NeedOf("a"))
	s.reads(t, "a")
	s.c.MarkChanged()
	show("three")
	s.reads(t, "a")
}

func TestAReadingIsNotInterrupted(t *testing.T) {
	s := newSource()
	s.c.SetPageNeeds("page", s.words.NeedOf("a"))
	slow := s.c.NextRead()
	s.now = s.now.Add(time.Minute)
	s.c.SetPageNeeds("page", s.words.NeedOf("a"))
	s.reads(t)
	slow(t.Context())
	if value, _ := s.words.Get("a"); value != "a 1" {
		t.Errorf("%q", value)
	}
}

func TestAnEntryIsReadAgainWhenItsStampChanges(t *testing.T) {
	s := newSource()
	for _, c := range []struct {
		stamp string
		want  []string
	}{{"monday", []string{"a"}}, {"monday", nil}, {"tuesday", []string{"a"}}} {
		s.now = s.now.Add(time.Hour)
		s.c.SetPageNeeds("page", s.words.NeedStamped("a", c.stamp))
		s.reads(t, c.want...)
	}
}

func TestOldDataStaysIfItCannotBeReadAgain(t *testing.T) {
	s := newSource()
	s.c.Prefetch(s.words.NeedOf("a"))
	s.run(t)
	read := s.now
	s.now, s.fails = s.now.Add(time.Minute), errors.New("not today")
	s.c.Prefetch(s.words.NeedOf("a"))
	if _, state := s.words.Get("a"); !state.Loading {
		t.Error("it is due, and not said to be on its way")
	}
	s.run(t)
	value, state := s.words.Get("a")
	if value != "a 1" || !state.ReadAt.Equal(read) || state.Err == nil || state.Loading {
		t.Errorf("%q, %+v", value, state)
	}
	version := s.words.Version()
	s.fails = nil
	s.c.Prefetch(s.words.NeedOf("a")) // a failed reading is repeated for the next page
	s.run(t)
	if _, state := s.words.Get("a"); state.Err != nil || s.words.Version() == version {
		t.Errorf("%+v", state)
	}
}

func TestAPanicIsTheEntrysError(t *testing.T) {
	s := newSource()
	s.c.Prefetch(s.words.NeedOf("panics", "a"))
	s.reads(t, "panics", "a")
	if _, state := s.words.Get("panics"); state.Err == nil || s.c.scheduler.running != 0 {
		t.Errorf("%+v, %d still run", state, s.c.scheduler.running)
	}
}

func TestALateResponseIsDropped(t *testing.T) {
	s := newSource()
	s.c.Prefetch(s.words.NeedOf("a"))
	late := s.c.NextRead()
	s.c.RefreshNeeds(s.words.NeedOf("a"))
	s.c.NextRead()(t.Context())
	late(t.Context())
	if value, state := s.words.Get("a"); value != "a 1" || state.Loading || s.c.scheduler.running != 0 {
		t.Errorf("%q, %+v, %d still run", value, state, s.c.scheduler.running)
	}
}

func TestSimultaneousReadingsShareARequest(t *testing.T) {
	s := newSource()
	s.c.Prefetch(s.words.NeedOf("a"))
	s.run(t)
	if value, err := s.words.LoadNow(t.Context(), "a"); value != "a 1" || err != nil || len(s.asked) != 1 {
		t.Errorf("%q, %v, asked for %q", value, err, s.asked)
	}
	if value, _ := s.words.reread(t.Context(), "a", maxRequests); value != "a 2" {
		t.Errorf("read again is %q", value)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range maxRequests { // all requests are in use
		s.c.Prefetch(s.words.NeedOf("b", "c", "d", "e"))
		s.c.NextRead()
	}
	if _, err := s.words.LoadNow(gone, "f"); err == nil {
		t.Error("more is asked for at the same time than may be")
	}
}

func TestAListIsReadAsFarAsNeeded(t *testing.T) {
	s := newSource()
	s.rows = 100
	s.c.SetPageNeeds("page", s.lists.NeedOf("n"))
	s.reads(t, "n", "n90", "n80")
	s.c.SetPageNeeds("page", s.lists.NeedRows("n", 45))
	s.reads(t, "n70", "n60") // the rows after the known rows
	s.c.SetPageNeeds("page", s.lists.NeedRows("n", 1000))
	s.reads(t, "n50", "n40", "n30") // the maximum number of rows
	if rows, _ := s.lists.Get("n"); len(rows.Items) != 80 || !rows.More || rows.Items[79] != 20 {
		t.Errorf("%d rows, %v", len(rows.Items), rows.More)
	}
}

func TestRemovedRowsDisappearFromAList(t *testing.T) {
	s := newSource()
	s.rows = 25
	s.c.Prefetch(s.lists.NeedOf("n"))
	s.reads(t, "n", "n15", "n5")
	s.now = s.now.Add(time.Minute)
	s.rows, s.gone = 27, map[int]bool{20: true, 3: true}
	s.c.Prefetch(s.lists.NeedOf("n"))
	s.reads(t, "n") // the page ends with a known row
	rows, _ := s.lists.Get("n")
	if slices.Contains(rows.Items, 20) || !slices.Contains(rows.Items, 26) || len(rows.Items) != 26 {
		t.Errorf("known are %v", rows.Items)
	}
	s.now = s.now.Add(5 * time.Minute)
	s.c.Prefetch(s.lists.NeedOf("n"))
	s.run(t)
	if rows, _ := s.lists.Get("n"); slices.Contains(rows.Items, 3) || len(rows.Items) != 25 {
		t.Errorf("known are %v", rows.Items)
	}
}

func TestAListIsShownWhileItIsRead(t *testing.T) {
	s := newSource()
	s.rows = 30
	s.c.Prefetch(s.lists.NeedOf("n"))
	s.c.NextRead()(t.Context())
	if rows, state := s.lists.Get("n"); len(rows.Items) != 10 || !state.Loading {
		t.Errorf("%d rows, %+v", len(rows.Items), state)
	}
	s.c.Prefetch(s.words.NeedOf("a"))
	s.c.SetPageNeeds("page", s.words.NeedOf("a"))
	s.reads(t, "a", "n20", "n10") // a more urgent reading runs between the pages
	if rows, state := s.lists.Get("n"); len(rows.Items) != 30 || state.Loading {
		t.Errorf("%d rows, %+v", len(rows.Items), state)
	}
}

func TestAnIncompleteResponseIsShownWithItsError(t *testing.T) {
	for fails, want := range map[error]string{&api.IncompleteError{Read: 10, Reason: "it ends here"}: "a 1", errors.New("not today"): ""} {
		s := newSource()
		s.fails = fails
		s.c.Prefetch(s.words.NeedOf("a"))
		s.run(t)
		if got, state := s.words.Get("a"); got != want || !errors.Is(state.Err, fails) {
			t.Errorf("%v: %q, %+v", fails, got, state)
		}
	}
}

func TestATestServiceIsReadMoreOften(t *testing.T) {
	s := newSource()
	s.words.live = true
	needs := []Need{s.words.NeedOf("a"), s.lists.NeedOf("n")}
	s.c.SetPageNeeds("page", needs...)
	s.reads(t, "a", "n")
	s.now = s.now.Add(simulationAge)
	s.c.SetPageNeeds("page", needs...)
	s.reads(t) // this service is not a simulation
	s.c.isSimulation = true
	s.c.SetPageNeeds("page", needs...)
	s.reads(t, "a")
	s.now = s.now.Add(simulationAge - time.Millisecond)
	s.c.SetPageNeeds("page", needs...)
	s.reads(t)
}

func TestDeliveriesAreStoredWithoutLinks(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"success":true,"message":"","data":{"data":[{"uuid":"o-1","orderCode":"ORD-1"}],"nextCursor":null,"hasNextPage":false}}`)
	}))
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL, api.WithKey("fd_test_key"), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC) }
	c := New(client, now)
	c.RefreshOrders(false)
	for job := c.NextRead(); job != nil; job = c.NextRead() {
		job(t.Context())
	}
	type packages = offlineEntry[[]api.DeliveryPackage]
	c.Packages.addOfflineEntries(map[string]packages{
		"m-2": {[]api.DeliveryPackage{{UUID: "p-2", Version: 2}}, "second", now()},
		"m-1": {[]api.DeliveryPackage{{UUID: "p-1", Version: 1}, {UUID: "p-0"}}, "first", now()},
		"m-3": {nil, "nothing", now()},
	})
	files := []api.DeliveryFile{{UUID: "f-1", FileName: "map.tif", DownloadURL: "https://data.example/?signature=secret"}}
	c.Files.addOfflineEntries(map[string]offlineEntry[[]api.DeliveryFile]{"p-1": {files, "first", now()}})
	path := filepath.Join(t.TempDir(), "prod.json")
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "secret") ||
		strings.Index(string(text), "m-1") > strings.Index(string(text), "m-2") {
		t.Errorf("the file is %s, %v", text, err)
	}
	next := New(client, now)
	if !next.Load(path) {
		t.Fatal("nothing was kept")
	}
	for mission, want := range map[string]string{"m-1": "p-1 p-0", "m-2": "p-2", "m-3": ""} {
		packages, state := next.Packages.Get(mission)
		var ids []string
		for _, p := range packages {
			ids = append(ids, p.UUID)
		}
		if got := strings.Join(ids, " "); got != want || !state.Offline {
			t.Errorf("%s has %q, %+v", mission, got, state)
		}
	}
	if files, _ := next.Files.Get("p-1"); len(files) != 1 || files[0].FileName != "map.tif" {
		t.Errorf("its files are %v", files)
	}
	if _, state := next.Files.Get("p-0"); state.Offline {
		t.Error("files that were not read are kept")
	}
}
