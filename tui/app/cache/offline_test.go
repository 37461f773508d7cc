package cache_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
)

func TestTheOfflineCopyIsUsedUntilTheServiceResponds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known", "prod.json")
	now := noon
	s := &service{n: 150, updated: map[int]time.Time{}}
	f := s.start(t, func() time.Time { return now })
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a run that has read nothing keeps something")
	}
	f.RefreshOrders(false)
	readAll(t.Context(), f)
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}

	now = now.Add(time.Hour)
	next := cache.New(s.client, func() time.Time { return now })
	if !next.Load(path) {
		t.Fatal("nothing was kept")
	}
	if v := next.Now(); !v.Kept || !v.At.Equal(noon) || len(v.Orders) != 150 || len(v.Missions) != 150 || v.Missions[0].Centre == nil {
		t.Errorf("kept are %d orders, %d missions, of %v", len(v.Orders), len(v.Missions), v.At)
	}
	s.updated[3] = noon.Add(time.Minute) // after the offline copy was saved
	s.reads = nil
	next.RefreshOrders(false)
	readAll(t.Context(), next)
	if v := next.Now(); v.Kept || !v.At.Equal(now) || v.Read != 150 || strings.Join(s.reads, " ") != "ORD-3" {
		t.Errorf("kept %v, %d read, again %v", v.Kept, v.Read, s.reads)
	}
	if news := next.News(); news != nil {
		t.Errorf("what came between the runs is told as news: %v", news)
	}
	if next.Load(path) && next.Now().Kept {
		t.Error("what is kept takes the place of what was answered")
	}
}

func TestTheOfflineCopyHasQuotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.json")
	s := &quoting{n: 3}
	f := s.start(t)
	f.RefreshOrders(false)
	f.RefreshQuotes(false)
	readAll(t.Context(), f)
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	next := cache.New(s.client, func() time.Time { return noon })
	next.Load(path)
	if q := next.Quotes(); !q.Kept || len(q.Listed) != 3 || q.RecordOf(q.Listed[1]).Quotes[0].QuoteID != "q-o-1" {
		t.Errorf("%+v", q)
	}
	next.RefreshQuotes(false)
	readAll(t.Context(), next)
	if q := next.Quotes(); q.Kept || len(q.Full) != 3 {
		t.Errorf("%+v", q)
	}
	if news := next.News(); news != nil {
		t.Errorf("quotes that were there are told: %v", news)
	}
	if other, err := api.NewClient("http://127.0.0.1:1"); err != nil || cache.New(other, time.Now).Load(path) {
		t.Errorf("another service's is taken, %v", err)
	}
}
