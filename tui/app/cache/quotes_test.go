package cache_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
)

// quoting is a service whose n orders all have a quote. Broken orders cannot be read.
type quoting struct {
	client *api.Client
	mu     sync.Mutex
	n      int
	broken map[string]bool
	reads  []string
	stamp  time.Time // updatedAt of the first order
	status string    // of the first order; "" is biddingWithQuote
}

func (s *quoting) start(t *testing.T) *cache.Cache {
	t.Helper()
	return s.startAt(t, func() time.Time { return noon })
}

func (s *quoting) startAt(t *testing.T, now func() time.Time) *cache.Cache {
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
		default: // lists of orders, and missions
			items := ""
			if strings.HasSuffix(r.URL.Path, "/missions") {
				s.reads = append(s.reads, "missions")
			} else {
				var all []string
				for i := range s.n {
					at := noon.Add(-time.Hour)
					if i == 0 && !s.stamp.IsZero() {
						at = s.stamp
					}
					status := "biddingWithQuote"
					if i == 0 && s.status != "" {
						status = s.status
					}
					all = append(all, fmt.Sprintf(`{"uuid":"o-%d","orderCode":"ORD-%d","status":%q,"updatedAt":%q}`, i, i, status, at.Format(time.RFC3339)))
				}
				items = strings.Join(all, ",")
			}
			fmt.Fprintf(w, `{"success":true,"message":"","data":{"data":[%s],"nextCursor":null,"hasNextPage":false}}`, items)
		}
	}))
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL, api.WithKey("fd_test_key"), api.WithLegacyURL(web.URL), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	return cache.New(client, now)
}

func TestTheFirstQuotesAreReadBeforeMissions(t *testing.T) {
	s := &quoting{n: 130}
	f := s.start(t)
	f.RefreshQuotes(false)
	f.RefreshOrders(false)
	readAll(t.Context(), f)
	q := f.Quotes()
	if len(q.Listed) != 130 || len(q.Full) != 130 || q.Left != 0 || q.ReadFault() != nil || q.RecordOf(q.Listed[7]).Quotes[0].QuoteID != "q-o-7" {
		t.Errorf("%d listed, %d read, %d left, %v", len(q.Listed), len(q.Full), q.Left, q.ReadFault())
	}
	last, first := 0, -1
	for i, id := range s.reads {
		if id == "missions" {
			last = i // of the missions; the list of orders is read at the same time as the first quotes
		}
		if id == "o-120" {
			first = i
		}
	}
	if last > first {
		t.Errorf("missions were read as number %d, after the hundred and twentieth quote, %d", last, first)
	}
}

func TestAPageOfQuotesReadsQuotesBeforeMissions(t *testing.T) {
	s := &quoting{n: 130}
	f := s.start(t)
	f.RefreshOrders(false)
	f.SetPageNeeds("quotes", f.AllQuotes())
	f.NextRead()(t.Context())
	readAll(t.Context(), f)
	if at := s.reads[len(s.reads)-1]; at != "missions" {
		t.Errorf("%s was read last", at)
	}
}

func TestAnUnreadableQuoteIsReportedAndOthersAreKept(t *testing.T) {
	s := &quoting{n: 3, broken: map[string]bool{"o-1": true}}
	f := s.start(t)
	f.RefreshQuotes(false)
	readAll(t.Context(), f)
	if q := f.Quotes(); len(q.Full) != 2 || q.Faults["o-1"] == nil || q.ReadFault() == nil || q.Err != nil || q.Left != 0 {
		t.Errorf("%+v", q)
	}
	s.broken = nil
	f.RefreshQuotes(false) // failed readings are repeated at once
	readAll(t.Context(), f)
	if q := f.Quotes(); len(q.Full) != 3 || q.ReadFault() != nil {
		t.Errorf("%d read, %v", len(q.Full), q.ReadFault())
	}
}

func TestQuotesOfAnUnchangedOrderAreNotReadAgain(t *testing.T) {
	now := noon
	s := &quoting{n: 3, stamp: noon.Add(-time.Hour)}
	f := s.startAt(t, func() time.Time { return now })
	round := func(force bool) string {
		now = now.Add(30 * time.Second)
		f.RefreshOrders(false)
		readAll(t.Context(), f) // the list of orders first; meanwhile the clock does not advance
		s.reads = nil
		f.RefreshQuotes(force)
		readAll(t.Context(), f)
		return strings.Join(s.reads, " ")
	}
	round(false)
	if got := round(false); got != "" {
		t.Errorf("read again: %s", got)
	}
	s.stamp = s.stamp.Add(time.Minute)
	if got := round(false); got != "o-0" {
		t.Errorf("the order that changed is o-0, read was %s", got)
	}
	if got := round(true); got != "o-0 o-1 o-2" {
		t.Errorf("by force is read %s", got)
	}
	now = now.Add(5 * time.Minute)
	if got := round(false); got != "o-0 o-1 o-2" {
		t.Errorf("after a while is read %s", got)
	}
}

func TestQuotesOfARemovedOrderDisappear(t *testing.T) {
	s := &quoting{n: 3}
	f := s.start(t)
	f.RefreshQuotes(false)
	f.RefreshOrders(false)
	readAll(t.Context(), f)
	s.n = 2
	f.RefreshOrders(true)
	readAll(t.Context(), f)
	if q := f.Quotes(); len(q.Listed) != 2 || q.Full["o-2"] != nil {
		t.Errorf("%d orders have quotes, of the one that is gone %v", len(q.Listed), q.Full["o-2"])
	}
	if r, _ := f.Records.Get("o-2"); r != nil {
		t.Errorf("%+v is still there", r)
	}
}

func TestAnArchivedOrderNeedsNoDecision(t *testing.T) {
	s := &quoting{n: 3}
	f := s.start(t)
	f.RefreshQuotes(false)
	f.RefreshOrders(false)
	readAll(t.Context(), f)
	before := f.Quotes()
	s.status = "archived"
	f.RefreshOrders(true)
	readAll(t.Context(), f)
	after := f.Quotes()
	if len(before.Listed) != 3 || len(after.Listed) != 2 || after.Listed[0].ID != "o-1" || after.Version == before.Version {
		t.Errorf("%d orders need a decision, once one is archived %d", len(before.Listed), len(after.Listed))
	}
}

func TestANewQuoteIsReportedOnce(t *testing.T) {
	now := noon
	s := &quoting{n: 2}
	f := s.startAt(t, func() time.Time { return now })
	round := func() (told []string) {
		now = now.Add(30 * time.Second)
		f.RefreshQuotes(false)
		readAll(t.Context(), f)
		for _, n := range f.News() {
			told = append(told, string(n.Kind)+" "+n.Quote.QuoteID)
		}
		return told
	}
	if got := round(); got != nil {
		t.Errorf("what was there from the start is told: %v", got)
	}
	s.n = 3 // an order has received its first quote
	if got := fmt.Sprint(round()); got != "[quote q-o-2]" {
		t.Errorf("told %s", got)
	}
	if got := round(); got != nil {
		t.Errorf("told again: %v", got)
	}
}

func TestAnOrderWithQuotesIsListedAsSoonAsItsRecordIsRead(t *testing.T) {
	s := &quoting{n: 2}
	f := s.start(t)
	f.RefreshQuotes(false)
	readAll(t.Context(), f)
	f.RefreshNeeds(f.Records.NeedOf("o-2")) // the list of orders with quotes is older than its quote
	readAll(t.Context(), f)
	if q := f.Quotes(); len(q.Listed) != 3 || q.Full["o-2"] == nil {
		t.Errorf("%d orders have quotes, want 3", len(q.Listed))
	}
	news := f.News()
	if len(news) != 1 || news[0].Kind != cache.NewQuote || news[0].Quote.QuoteID != "q-o-2" {
		t.Errorf("the news are %+v, want the quote of the order", news)
	}
	f.RefreshNeeds(f.Records.NeedOf("o-0", "o-2"))
	readAll(t.Context(), f)
	if news := f.News(); news != nil {
		t.Errorf("after the records were read again, the news are %+v", news)
	}
}
