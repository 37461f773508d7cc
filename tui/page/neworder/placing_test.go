package neworder_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// lossyService is the real service behind a connection that can lose orders and responses. It is the
// HTTP transport of the windows, so that a test can press keys while a request is being sent.
type lossyService struct {
	t         *testing.T
	server    *server.Server
	handler   http.Handler
	url       string
	drafts    string // folder
	changeLog string

	fault  string          // "drop" loses the order, "lost" loses the response, "late" delays the order until deliver; "" is none
	late   []*http.Request // requests that wait for deliver
	posts  int
	onPost func()
	onList func()
}

func newLossyService(t *testing.T) *lossyService {
	t.Helper()
	folder := t.TempDir()
	s := &lossyService{t: t, drafts: filepath.Join(folder, "drafts"), changeLog: filepath.Join(folder, "decisions.jsonl")}
	s.server = &server.Server{Demo: true, Now: func() time.Time { return tuitest.Clock }}
	if err := s.server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.server.Close() })
	s.handler = s.server.Handler()
	web := httptest.NewServer(s.handler)
	t.Cleanup(web.Close)
	s.url = web.URL
	return s
}

func (s *lossyService) RoundTrip(r *http.Request) (*http.Response, error) {
	isOrders := strings.HasSuffix(r.URL.Path, "/public/orders")
	if isOrders && r.Method == http.MethodGet && s.onList != nil {
		s.onList()
	}
	if !isOrders || r.Method != http.MethodPost {
		return http.DefaultTransport.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.posts++
	httptrace.ContextClientTrace(r.Context()).WroteHeaders()
	request := func() *http.Request {
		sent := httptest.NewRequestWithContext(s.t.Context(), r.Method, r.URL.Path, bytes.NewReader(body))
		sent.Header = r.Header.Clone()
		return sent
	}
	fault := s.fault
	switch fault {
	case "late":
		s.late = append(s.late, request())
	case "lost":
		s.handler.ServeHTTP(httptest.NewRecorder(), request())
	}
	if s.onPost != nil {
		s.onPost()
	}
	if fault != "" {
		return nil, io.ErrUnexpectedEOF
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return http.DefaultTransport.RoundTrip(r)
}

// deliver passes the late requests to the service.
func (s *lossyService) deliver() {
	for _, r := range s.late {
		s.handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	s.late = nil
}

// openWindow starts the app, connected to the service.
func (s *lossyService) openWindow() *apptest.Session {
	s.t.Helper()
	d := tuitest.New(s.t)
	account := s.server.Accounts()[0]
	base := s.url + server.PublicPath
	legacy := api.WithLegacyURL(s.url + server.LegacyPath)
	client, err := api.NewClient(base, api.WithKey(account.Key), legacy, api.WithTransport(s), api.WithBackoff(time.Millisecond))
	if err != nil {
		s.t.Fatal(err)
	}
	return apptest.OpenOn(s.t, d, base, account.Key, account.CompanyName, 120, 36, func(o *tui.Options) {
		o.Drafts, o.ChangesFile, o.Client = s.drafts, s.changeLog, client
	})
}

// copyDrafts copies the stored drafts, as if the program was killed now. restore writes them back.
func (s *lossyService) copyDrafts() (restore func()) {
	s.t.Helper()
	files := map[string][]byte{}
	names, _ := filepath.Glob(filepath.Join(s.drafts, "*.json"))
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			s.t.Error(err)
		}
		files[name] = data
	}
	return func() {
		for name, data := range files {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				s.t.Error(err)
			}
		}
	}
}

// draftFiles returns the number of stored drafts.
func (s *lossyService) draftFiles() int {
	names, _ := filepath.Glob(filepath.Join(s.drafts, "*.json"))
	return len(names)
}

// sitesOf returns the names of the sites of each order with a name, newest order first.
func (s *lossyService) sitesOf(d *apptest.Session, name string) (orders []string) {
	s.t.Helper()
	for o, err := range d.Client.Orders.All(s.t.Context()) {
		if err != nil {
			s.t.Fatal(err)
		}
		if o.OrderName != name {
			continue
		}
		full, err := d.Client.Orders.Get(s.t.Context(), o.OrderCode)
		if err != nil {
			s.t.Fatal(err)
		}
		var sites []string
		for i := range full.Missions {
			sites = append(sites, full.Missions[i].MissionName)
		}
		orders = append(orders, strings.Join(sites, " "))
	}
	return orders
}

const (
	monday  = "name,country,lat,lng\nMON1,Germany,51.1,7.1\nMON2,Germany,51.2,7.2\n"
	tuesday = "name,country,lat,lng\nTUE1,Germany,53.1,9.1\nTUE2,Germany,53.2,9.2\nTUE3,Germany,53.3,9.3\n"
)

// toReviewOf goes from the list to the review of a new order from a file.
func toReviewOf(d *apptest.Session, content string) {
	d.WriteFile("week.csv", content)
	d.ToReview("week")
}

// The first window sends an order in each state that a killed window can leave. The second window
// then places an order with the same name.
func TestAnOrderThatWasNotSentIsNeverShownAsPlaced(t *testing.T) {
	for name, tt := range map[string]struct {
		fault   string // fault while the first window sends
		deliver bool   // the first order arrives before the second
		file    string // file that the second window opens
		ask     string // what the second window asks before it sends
		want    []string
	}{
		"placed, the same":     {"", false, monday, "has the same name and has 2 of these", []string{"MON1 MON2", "MON1 MON2"}},
		"placed, another":      {"", false, tuesday, "has the same name", []string{"TUE1 TUE2 TUE3", "MON1 MON2"}},
		"lost, another":        {"drop", false, tuesday, "week (2 missions), sent at ", []string{"TUE1 TUE2 TUE3"}},
		"lost, the same":       {"drop", false, monday, "week, sent just now, is not confirmed.", []string{"MON1 MON2"}},
		"arrived, another":     {"late", true, tuesday, "ORD-100250 (2 missions), sent at ", []string{"TUE1 TUE2 TUE3", "MON1 MON2"}},
		"still late, another":  {"late", false, tuesday, "week (2 missions), sent at ", []string{"MON1 MON2", "TUE1 TUE2 TUE3"}},
		"still late, the same": {"late", false, monday, "week, sent just now, is not confirmed.", []string{"MON1 MON2"}},
		"arrived, the same":    {"late", true, monday, "", []string{"MON1 MON2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLossyService(t)
			first := s.openWindow()
			defer first.Close() // its draft stays locked until the end of the test
			toReviewOf(first, monday)
			s.fault = tt.fault
			first.Press("S", "enter")
			if tt.fault != "" {
				first.RequireText("The order may exist")
			}
			s.fault = ""
			if tt.deliver {
				s.deliver()
			}
			second := s.openWindow()
			toReviewOf(second, tt.file)
			posts := s.posts
			second.Press("S", "enter")
			if tt.ask == "" {
				second.RequireText("was already placed")
			} else {
				second.RequireText("Place another order?", tt.ask)
				if s.posts != posts {
					t.Error("sent before a person has decided")
				}
				second.Type("place")
				second.Press("enter")
				second.RequireText(second.NewestOrder().OrderCode + " placed")
			}
			s.deliver()
			if got := s.sitesOf(second, "week"); !slices.Equal(got, tt.want) {
				t.Errorf("the service has %q, not %q", got, tt.want)
			}
			most := 1 // the draft of the first window, unless its order was placed
			if tt.fault == "" {
				most = 0
			}
			if n := s.draftFiles(); n > most {
				t.Errorf("%d drafts are left, not %d", n, most)
			}
		})
	}
}

func TestAConfirmedOrderDoesNotComeBackAsADraft(t *testing.T) {
	s := newLossyService(t)
	var restore func()
	s.onPost = func() { restore = s.copyDrafts() }
	first := s.openWindow()
	toReviewOf(first, monday)
	first.Press("S", "enter")
	first.RequireText(first.NewestOrder().OrderCode + " placed")
	first.Close()
	restore() // as if the program was killed before it deleted the draft
	if s.draftFiles() != 1 {
		t.Fatal("no draft was on disk when the order was sent")
	}
	second := s.openWindow()
	second.Press("1")
	second.SeesNot("Drafts")
	if n := s.draftFiles(); n != 0 {
		t.Errorf("%d drafts are left of an order that was placed", n)
	}
	second.Press("n")
	second.RequireText("[1 Files]")
	second.SeesNot("resumed")
}

func TestAnUnconfirmedOrderIsCheckedAutomatically(t *testing.T) {
	s := newLossyService(t)
	s.fault = "late"
	var restore func()
	s.onPost = func() { restore = s.copyDrafts() }
	first := s.openWindow()
	toReviewOf(first, monday)
	first.Press("S", "enter")
	first.Close()
	restore()
	second := s.openWindow()
	second.Press("1")
	second.RequireText("Drafts", "2 sites, saved ", "sent at 09:42, not confirmed")
	second.Advance(2 * time.Minute)
	second.RequireText("sent at 09:42, not confirmed")
	s.deliver()
	second.Advance(time.Minute)
	second.RequireText("Confirmed: placed ORD-")
	second.SeesNot("Drafts", "not confirmed")
	if n := s.draftFiles(); n != 0 {
		t.Errorf("%d drafts are left of an order that was placed", n)
	}
	if got := s.sitesOf(second, "week"); !slices.Equal(got, []string{"MON1 MON2"}) {
		t.Errorf("the service has %q", got)
	}
}

// The draft is shown when the service confirms its order.
func TestAnOrderThatIsFoundFinishesItsOpenDraft(t *testing.T) {
	s := newLossyService(t)
	s.fault = "late"
	d := s.openWindow()
	toReviewOf(d, monday)
	d.Press("S", "enter")
	d.RequireText("The order may exist")
	s.deliver()
	d.Advance(2 * time.Minute)
	d.RequireText("Orders › "+d.NewestOrder().OrderCode, "already placed")
	if n := s.draftFiles(); n != 0 {
		t.Errorf("%d drafts are left of an order that was placed", n)
	}
}

func TestASiteThatWasChangedAfterItWasSentStaysInTheDraft(t *testing.T) {
	s := newLossyService(t)
	s.fault = "late"
	d := s.openWindow()
	toReviewOf(d, monday)
	d.Press("S", "enter")
	d.RequireText("The order may exist")
	d.Press("[", "ctrl+b", "G", "e", "ctrl+u")
	d.Type("MON2 moved")
	d.Press("enter")
	s.deliver()
	d.Press("]", "ctrl+s", "r")
	d.RequireText("as it was sent; sites that were changed since stay in the draft", "1 mission", "MON2 moved")
	if n := s.draftFiles(); n != 1 {
		t.Errorf("%d drafts are left", n)
	}
}

func TestEscWhilePlacingShowsTheOutcome(t *testing.T) {
	for fault, want := range map[string]string{
		"lost": "placed",
		"late": "week sent, not confirmed · n in Orders to check",
	} {
		t.Run("fault "+fault, func(t *testing.T) {
			s := newLossyService(t)
			s.fault = fault
			d := s.openWindow()
			d.Press("1")
			toReviewOf(d, monday)
			s.onPost = func() { d.Press("esc") }
			d.Press("S", "enter")
			d.RequireText("[1 Home]", want)
			d.SeesNot("Draft saved")
			s.onPost = nil
			s.deliver()
			if fault == "late" {
				d.RequireText("sent at 09:42, not confirmed")
				d.Advance(2 * time.Minute)
			}
			d.SeesNot("sent at 09:42, not confirmed")
			if got := s.sitesOf(d, "week"); !slices.Equal(got, []string{"MON1 MON2"}) {
				t.Errorf("the service has %q", got)
			}
			d.Press("n")
			d.RequireText("[1 Files]")
		})
	}
}

func TestEscBeforeSendingSaysThatNothingWasSent(t *testing.T) {
	s := newLossyService(t)
	d := s.openWindow()
	toReviewOf(d, monday)
	s.onList = func() { // while the app looks for similar orders
		s.onList = nil
		d.Press("esc")
	}
	d.Press("S", "enter")
	d.RequireText("Placing stopped, week was not sent · n in Orders to continue")
	if s.posts != 0 {
		t.Error("sent all the same")
	}
	d.Press("n")
	d.RequireText("✓ Ready to place")
}
