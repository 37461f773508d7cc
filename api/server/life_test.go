package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

func TestDataFolderIsReadAfterARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	ctx := context.Background()

	first := &server.Server{Dir: dir, Demo: true}
	if err := first.Start(ctx); err != nil {
		t.Fatal(err)
	}
	c := client(t, first)
	placed, err := c.Orders.Create(ctx, survey(), "k")
	if err != nil {
		t.Fatal(err)
	}
	page, err := c.Orders.List(ctx, api.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	oldKey := first.Accounts()[0].Key
	keysBefore := countKeys(t, first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second := start(t, &server.Server{Dir: dir, Demo: true})
	if got := second.Accounts(); len(got) != 3 || got[0].UUID != first.Accounts()[0].UUID || got[0].Key != oldKey {
		t.Errorf("demo accounts are now %+v", got)
	}
	if second.OpsKey != first.OpsKey {
		t.Error("the operations key is another one")
	}
	if n := countKeys(t, second); n != keysBefore {
		t.Errorf("the first account has %d keys, and had %d", n, keysBefore)
	}
	old, err := api.NewClient(second.BaseURL(), api.WithKey(oldKey), api.WithTransport(server.Direct(second)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := old.Orders.Get(ctx, placed.OrderCode)
	if err != nil || len(got.Missions) != 2 || got.UUID != placed.UUID {
		t.Errorf("read %+v, %v", got, err)
	}
	again, err := old.Orders.Create(ctx, survey(), "k")
	if err != nil || again.OrderCode != placed.OrderCode {
		t.Errorf("the same idempotency key gave %+v, %v", again, err)
	}
	if _, err := old.Orders.List(ctx, api.ListOptions{Cursor: *page.NextCursor}); err != nil {
		t.Errorf("a cursor from before: %v", err)
	}
	next, err := old.Orders.Create(ctx, survey(), "")
	if err != nil || next.OrderCode <= placed.OrderCode {
		t.Errorf("the next order is %+v, %v", next, err)
	}
}

func TestDemoDoesNotChangeOtherAccounts(t *testing.T) {
	dir := t.TempDir()
	s := &server.Server{Dir: dir}
	if err := s.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	client(t, s) // creates an account
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := start(t, &server.Server{Dir: dir, Demo: true}).Accounts(); len(got) != 0 {
		t.Errorf("keys were issued for %+v", got)
	}
}

func TestTemporaryFolderIsRemoved(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	s := &server.Server{Demo: true}
	if err := s.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestDataFolderIsLockedByOneServer(t *testing.T) {
	dir := t.TempDir()
	start(t, &server.Server{Dir: dir})
	err := (&server.Server{Dir: dir}).Start(context.Background())
	if !errors.Is(err, store.ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second server: %v", err)
	}
}

func TestStartWithAnUnusableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("not a folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&server.Server{Dir: file}).Start(context.Background()); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file as data folder: %v", err)
	}
}

func TestCloseDoesNotWaitForUnusedConnections(t *testing.T) {
	const tooLong = 4 * time.Second // net/http waits five
	fastest := time.Hour
	for try := 0; try < 3 && fastest > tooLong; try++ { // a busy machine may delay some
		fastest = min(fastest, timeToClose(t))
	}
	if fastest > tooLong {
		t.Errorf("closing took at least %s", fastest)
	}
}

// timeToClose returns how long a server with an unused connection takes to close.
func timeToClose(t *testing.T) time.Duration {
	t.Helper()
	ctx := context.Background()
	s := start(t, &server.Server{})
	addr, err := s.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unused, err := new(net.Dialer).DialContext(ctx, "tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer unused.Close()
	response, err := http.Get("http://" + addr.String() + "/healthz") // by then the first connection was accepted
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	began := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if _, err := unused.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is still open")
	}
	return took
}

func TestListenReadyWaitClose(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &server.Server{Demo: true}
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	addr, err := s.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ready, err := json.Marshal(s.Ready())
	if err != nil {
		t.Fatal(err)
	}
	var line map[string]any
	if err := json.Unmarshal(ready, &line); err != nil {
		t.Fatal(err)
	}
	names := []string{"accounts", "baseUrl", "event", "legacyBaseUrl", "opsKey", "opsUrl"}
	for name := range line {
		if !slices.Contains(names, name) {
			t.Errorf("the ready line has %s", name)
		}
	}
	if line["event"] != "ready" || line["baseUrl"] != "http://"+addr.String()+"/api/v1/public" || len(line) != len(names) {
		t.Errorf("%s", ready)
	}
	a := s.Accounts()[0]
	c, err := api.NewClient(s.BaseURL(), api.WithKey(a.Key), api.WithTransport(&http.Transport{DisableKeepAlives: true}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Orders.List(ctx, api.ListOptions{}); err != nil {
		t.Error(err)
	}

	done := make(chan error)
	go func() { done <- s.Wait() }()
	cancel() // stops serving, like Close
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if _, err := new(net.Dialer).DialContext(context.Background(), "tcp", addr.String()); err == nil {
		t.Error("the address still answers")
	}
}

func TestHandlerAfterClose(t *testing.T) {
	s := &server.Server{}
	if err := s.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client(); err != nil { // creates an account
		t.Fatal(err)
	}
	account, err := server.DomainOf(s).Store.Accounts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.IssueKey(context.Background(), account[0].UUID, api.Scopes())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, publicHandlers+"/orders", nil)
	r.Header.Set("X-Api-Key", key)
	s.Handler().ServeHTTP(w, r)
	if w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	theContract(t).checkAnswer(t, r, w.Result(), w.Body.Bytes())
}

func TestListenOnAnAddressInUse(t *testing.T) {
	first := start(t, &server.Server{})
	addr, err := first.Listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := start(t, &server.Server{}).Listen(context.Background(), addr.String()); err == nil {
		t.Error("two servers on one address")
	}
}

func TestLinksHaveThePublicOrigin(t *testing.T) {
	s := start(t, &server.Server{PublicURL: "https://desk.example/"})
	if got := s.BaseURL(); got != "https://desk.example/api/v1/public" {
		t.Errorf("base %q", got)
	}
	if _, err := s.Listen(context.Background(), "0.0.0.0:0"); err != nil {
		t.Fatal(err)
	}
	if got := s.LegacyURL(); got != "https://desk.example/api/v2" {
		t.Errorf("legacy %q", got)
	}
}

func countKeys(t *testing.T, s *server.Server) int {
	keys, err := desks(t, s).Keys.List(context.Background(), s.Accounts()[0].UUID, api.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return len(keys.Items)
}

// A revoked demo key is replaced at the next start, and the new key remains.
func TestARevokedDemoKeyIsReplaced(t *testing.T) {
	dir := t.TempDir()
	var keys []string
	for i := range 3 {
		s := &server.Server{Dir: dir, Demo: true}
		if err := s.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, s.Accounts()[0].Key)
		if i == 0 {
			c, err := server.DomainOf(s).Accounts.Authenticate(context.Background(), keys[0])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := desks(t, s).Keys.Revoke(context.Background(), c.KeyUUID); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if keys[0] == keys[1] || keys[1] != keys[2] {
		t.Errorf("the keys of three starts are %q", keys)
	}
}
