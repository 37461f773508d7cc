package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/server"
)

// service is a demo service with deliveries, on a network connection and with a clock that can be
// advanced.
type service struct {
	*server.Server
	t      *testing.T
	client *api.Client
	ahead  atomic.Int64
	order  string
	files  int
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{t: t}
	s.Server = &server.Server{Demo: true, Now: func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Listen(context.WithoutCancel(t.Context()), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var err error
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	s.client, err = api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key), api.WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	s.deliver()
	return s
}

// deliver delivers three files for the first mission with a flight, through the operations API.
func (s *service) deliver() {
	s.t.Helper()
	for o, err := range s.client.Orders.All(s.t.Context()) {
		if err != nil {
			s.t.Fatal(err)
		}
		detail, err := s.client.Orders.Get(s.t.Context(), o.OrderCode)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, m := range detail.Missions {
			if m.Status != api.MissionFlightScheduled {
				continue
			}
			s.upload(m.UUID, detail.Deliverables)
			s.order = o.OrderCode
			return
		}
	}
	s.t.Fatal("the demo has no scheduled flight")
}

func (s *service) upload(mission string, kinds []api.Deliverable) {
	s.t.Helper()
	var body strings.Builder
	const edge = "edge-of-parts"
	for i, kind := range []api.Deliverable{"jpg", kinds[len(kinds)-1], "jpg"} {
		fmt.Fprintf(&body, "--%s\r\nContent-Disposition: form-data; name=\"fileDataType\"\r\n\r\n%s\r\n", edge, kind)
		fmt.Fprintf(&body, "--%s\r\nContent-Disposition: form-data; name=\"files\"; filename=\"Same.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n%s\r\n",
			edge, strings.Repeat(string(rune('a'+i)), 1000+i))
		s.files++
	}
	fmt.Fprintf(&body, "--%s--\r\n", edge)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.Ready().OpsURL+"/missions/"+mission+"/deliver", strings.NewReader(body.String()))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "multipart/form-data; boundary="+edge)
	req.Header.Set("Authorization", "Bearer "+s.Ready().OpsKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusCreated {
		s.t.Fatalf("deliver: %d %s", resp.StatusCode, answer)
	}
	http.DefaultClient.CloseIdleConnections()
}

func newQueue(t *testing.T, dir string) *fetch.Queue {
	t.Helper()
	q, err := fetch.New(fetch.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func TestOrderReturnsThePackagesOfAllMissions(t *testing.T) {
	s := newService(t)
	packages, err := fetch.Order(t.Context(), s.client, s.order)
	if err != nil || len(packages) != 1 || len(packages[0].Files) != 3 {
		t.Fatalf("%+v, %v", packages, err)
	}
	p := packages[0]
	if size, exact := p.TotalSize(); size != 3003 || !exact || p.Order != s.order || len(p.OnlyProducts("jpg").Files) != 2 {
		t.Errorf("%d bytes, %+v", size, p)
	}
	s.ahead.Store(int64(25 * time.Hour)) // the links have expired
	dir := t.TempDir()
	q := newQueue(t, dir)
	if _, err := q.Add(p, fetch.Waiting); err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, it := range q.Snapshot() {
		content, err := os.ReadFile(it.Path)
		if it.State != fetch.Done || it.Verified != fetch.ByReprDigest || err != nil || len(content) != 1000+i {
			t.Errorf("%+v: %d bytes, %v", it, len(content), err)
		}
	}
	q.Close()
	names := []string{"Same.jpg", "Same (2).jpg", "Same (3).jpg"}
	for i, it := range q.Snapshot() {
		if want := filepath.Join(dir, s.order, p.Mission, "v1", names[i]); it.Path != want {
			t.Errorf("%s, want %s", it.Path, want)
		}
	}
	m, err := fetch.ReadManifest(filepath.Join(dir, s.order, p.Mission, "v1"))
	if err != nil || m.Service != s.BaseURL() || m.MissionUID != p.MissionUID || m.ID != p.ID || len(m.Files) != 3 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestFindMission(t *testing.T) {
	s := newService(t)
	packages, err := fetch.Order(t.Context(), s.client, s.order)
	if err != nil {
		t.Fatal(err)
	}
	m, err := fetch.FindMission(t.Context(), s.client, strings.ToLower(packages[0].Mission))
	if err != nil || m.UUID != packages[0].MissionUID {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := fetch.FindMission(t.Context(), s.client, "MSN-0"); !errors.Is(err, fetch.ErrNoMission) {
		t.Errorf("error %v", err)
	}
	if _, err := fetch.Order(t.Context(), s.client, "ORD-0"); !api.IsStatus(err, http.StatusNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestAMissingScopeIsReported(t *testing.T) {
	s := newService(t)
	key, err := s.IssueKey(t.Context(), s.Accounts()[0].UUID, []api.Scope{api.ScopeOrdersRead})
	if err != nil {
		t.Fatal(err)
	}
	c, err := api.NewClient(s.BaseURL(), api.WithKey(key))
	if err != nil {
		t.Fatal(err)
	}
	_, err = fetch.Order(t.Context(), c, s.order)
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeMissingScope || !strings.HasPrefix(err.Error(), "mission MSN-") {
		t.Errorf("error %v", err)
	}
}
