package fleet_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/fleet"
)

// quoting answers like a service whose n orders all have a quote; those that
// are broken cannot be read.
type quoting struct {
	mu     sync.Mutex
	n      int
	broken map[string]bool
	reads  []string
}

func (s *quoting) start(t *testing.T) *fleet.Fleet {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, id, one := strings.Cut(r.URL.Path, "/getorder/")
		switch {
		case strings.HasSuffix(r.URL.Path, "getorderslist"):
			var all []string
			for i := range s.n {
				all = append(all, fmt.Sprintf(`{"id":"o-%d","orderStatus":"quoteReceived"}`, i))
			}
			fmt.Fprintf(w, "[%s]", strings.Join(all, ","))
		case one && !s.broken[id]:
			s.reads = append(s.reads, id)
			fmt.Fprintf(w, `{"id":%q,"orderStatus":"quoteReceived","status":"quoteReceived","quotes":[{"quoteId":"q-%s"}]}`, id, id)
		case one:
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"success":false,"message":"not today","data":{"code":"conflict"}}`)
		default: // orders and missions
			s.reads = append(s.reads, "other")
			items := `{"uuid":"p-1","orderCode":"ORD-1","status":"flyingDateSet"}`
			if strings.HasSuffix(r.URL.Path, "/missions") {
				items = ""
			}
			fmt.Fprintf(w, `{"success":true,"message":"","data":{"data":[%s],"nextCursor":null,"hasNextPage":false}}`, items)
		}
	}))
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL, api.WithKey("fd_test_key"), api.WithLegacyURL(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	return fleet.New(client, func() time.Time { return noon })
}

func TestQuotesOfAllOrdersAreReadTheFirstBeforeMissions(t *testing.T) {
	s := &quoting{n: 130}
	f := s.start(t)
	f.RefreshQuotes(false)
	f.Refresh(false)
	readAll(t.Context(), f)
	q := f.Quotes()
	if len(q.Listed) != 130 || len(q.Full) != 130 || q.Left != 0 || q.Fault() != nil || q.Of(q.Listed[7]).Quotes[0].QuoteID != "q-o-7" {
		t.Errorf("%d listed, %d read, %d left, %v", len(q.Listed), len(q.Full), q.Left, q.Fault())
	}
	last, first := 0, -1
	for i, id := range s.reads {
		if id == "other" {
			last = i // that of the missions, the list comes beside the first quotes
		}
		if id == "o-120" {
			first = i
		}
	}
	if last > first {
		t.Errorf("missions were read as number %d, after the hundred and twentieth quote, %d", last, first)
	}
}

func TestAHurryReadsQuotesBeforeMissions(t *testing.T) {
	s := &quoting{n: 130}
	f := s.start(t)
	f.RefreshQuotes(false)
	f.Next()(t.Context())
	f.HurryQuotes()
	f.Refresh(false)
	readAll(t.Context(), f)
	if at := s.reads[len(s.reads)-1]; at != "other" {
		t.Errorf("%s was read last", at)
	}
}

func TestAQuoteThatCannotBeReadIsSaidAndTheRestKept(t *testing.T) {
	s := &quoting{n: 3, broken: map[string]bool{"o-1": true}}
	f := s.start(t)
	f.RefreshQuotes(false)
	readAll(t.Context(), f)
	if q := f.Quotes(); len(q.Full) != 2 || q.Faults["o-1"] == nil || q.Fault() == nil || q.Err != nil || q.Left != 0 {
		t.Errorf("%+v", q)
	}
	s.broken = nil
	f.RefreshQuotes(false) // what failed is tried again at once
	readAll(t.Context(), f)
	if q := f.Quotes(); len(q.Full) != 3 || q.Fault() != nil {
		t.Errorf("%d read, %v", len(q.Full), q.Fault())
	}
}
