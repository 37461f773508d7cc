package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/server"
)

// delivered returns a service in this process that does not listen, and an order whose files are
// delivered.
func delivered(t *testing.T) (*server.Server, *api.Client, *api.Order) {
	t.Helper()
	s := start(t, &server.Server{})
	c, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.NewOrder(t.Context(), c, server.StageDelivered)
	if err != nil {
		t.Fatal(err)
	}
	return s, c, o
}

func TestFilesAreDownloadedWithoutANetwork(t *testing.T) {
	s, c, o := delivered(t)
	q, err := fetch.New(fetch.Options{Dir: t.TempDir(), Transport: s.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	packages, err := fetch.Order(t.Context(), c, o.OrderCode)
	if err != nil || len(packages) != 1 {
		t.Fatal(packages, err)
	}
	if _, err := q.Add(packages[0], fetch.Waiting); err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if n := q.Summary().Count[fetch.Done]; n < 2 || n != len(packages[0].Files) {
		t.Errorf("%d of %d files are done", n, len(packages[0].Files))
	}
}

func TestAMountedHandlerLinksToWhereItIsMounted(t *testing.T) {
	s, _, o := delivered(t)
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	key, err := s.IssueKey(t.Context(), accountOf(t, s), api.Scopes())
	if err != nil {
		t.Fatal(err)
	}
	c, err := api.NewClient(web.URL+server.PublicPath, api.WithKey(key))
	if err != nil {
		t.Fatal(err)
	}
	packages, err := c.Missions.Packages(t.Context(), o.Missions[0].UUID)
	if err != nil {
		t.Fatal(err)
	}
	files, err := c.Files.List(t.Context(), packages[0].UUID)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.DownloadURL, web.URL+"/files/") {
			t.Fatalf("the link is %s", f.DownloadURL)
		}
		resp, err := http.Get(f.DownloadURL)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil || n != f.FileSize {
			t.Errorf("%s has %d bytes, %v", f.FileName, n, err)
		}
	}
}

// Wait returns the error of a failed download, at once if the host name cannot exist.
func TestWaitingForDownloadsReportsFailures(t *testing.T) {
	_, c, o := delivered(t)
	q, err := fetch.New(fetch.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	packages, err := fetch.Order(t.Context(), c, o.OrderCode)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		if _, err := q.Add(p, fetch.Waiting); err != nil {
			t.Fatal(err)
		}
	}
	err = q.Wait(t.Context())
	if err == nil || !strings.Contains(err.Error(), "flightdesk.invalid") || strings.Contains(err.Error(), "/files/") {
		t.Errorf("got %v", err)
	}
}

func TestServerThatIsNotStarted(t *testing.T) {
	s := &server.Server{}
	if _, err := s.Client(); err == nil || !strings.Contains(err.Error(), "call Start first") {
		t.Errorf("client: %v", err)
	}
	if _, err := s.Ops(); err == nil || !strings.Contains(err.Error(), "call Start first") {
		t.Errorf("ops: %v", err)
	}
	if _, err := s.IssueKey(t.Context(), "a", nil); err == nil {
		t.Error("a key is issued")
	}
}

func accountOf(t *testing.T, s *server.Server) string {
	t.Helper()
	desk, err := s.Ops()
	if err != nil {
		t.Fatal(err)
	}
	page, err := desk.Accounts.List(t.Context(), api.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return page.Items[0].UUID
}
