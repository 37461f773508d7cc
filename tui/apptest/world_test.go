package apptest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/apptest"
	"flightdesk/tui/cli"
	"flightdesk/tui/tuitest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"flightdesk": func() { os.Exit(cli.Main()) }})
}

// world is a service with an account whose order has a quote, and one whose
// order is delivered.
type world struct {
	server            *server.Server
	quoted, delivered account
}

type account struct {
	key      string
	client   *api.Client // of the service itself
	order    *api.Order
	quote    string
	endpoint string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s := &server.Server{Now: func() time.Time { return tuitest.Clock }}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{server: s}
	w.quoted, w.delivered = w.account(t, server.StageQuoted), w.account(t, server.StageDelivered)
	return w
}

func (w *world) account(t *testing.T, stage server.OrderStage) (a account) {
	t.Helper()
	ctx := t.Context()
	desk := check(w.server.Ops())(t)
	made := check(desk.Accounts.Create(ctx, ops.AccountInput{CompanyName: "Test account", Currency: "EUR"}))(t)
	a.key = check(w.server.IssueKey(ctx, made.UUID, api.Scopes()))(t)
	a.client = check(api.NewClient(
		w.server.BaseURL(), api.WithKey(a.key), api.WithLegacyURL(w.server.LegacyURL()),
		api.WithTransport(w.server.Transport()),
	))(t)
	a.order = check(w.server.NewOrder(ctx, a.client, stage))(t)
	if stage == server.StageQuoted {
		a.quote = check(a.client.Records.Get(ctx, a.order.UUID))(t).Quotes[0].QuoteID
		return a
	}
	check(desk.Missions.SetFlightPermission(ctx, a.order.Missions[0].UUID, ops.PermissionInput{
		Status: "granted", Authority: "Luftfahrt-Bundesamt", Reference: "LBA-7",
	}, nil))(t)
	a.endpoint = check(a.client.Webhooks.Create(ctx, api.CreateWebhookRequest{URL: "https://client.example/hook"}))(t).UUID
	return a
}

// check returns what a call returned, once its error is none.
func check[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// of is the account that shows a topic.
func (w *world) of(topic Topic) *account {
	switch topic {
	case Mission, Files, Fetch, Endpoints, Callbacks, Delete:
		return &w.delivered
	default:
		return &w.quoted
	}
}

// before puts a variant between clients and the service, and returns its
// origin.
func (w *world) before(t *testing.T, rewrite Rewrite) (*Service, string) {
	t.Helper()
	s := &Service{Real: w.server.Handler(), Rewrite: rewrite}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web.URL
}

// command runs the program against an origin and returns what it wrote and
// whether it succeeded.
func command(t *testing.T, origin, key string, args ...string) (text string, done bool) {
	t.Helper()
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "flightdesk", args...)
	cmd.Dir = home
	cmd.Env = append(
		os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home, "TZ=UTC", "COLUMNS=200",
		"FLIGHTDESK_BASE_URL="+origin+server.PublicPath, "FLIGHTDESK_LEGACY_BASE_URL="+origin+server.LegacyPath, "FLIGHTDESK_API_KEY="+key,
	)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// app starts the app on an origin.
func app(t *testing.T, origin, key string) *apptest.Session {
	t.Helper()
	folder := t.TempDir()
	return apptest.OpenOn(t, tuitest.New(t), origin+server.PublicPath, key, "Test account", 200, 60, func(o *tui.Options) {
		o.Begin = action.GoOrders
		o.Fetch.Dir = filepath.Join(folder, "deliveries")
	})
}

// dialled is a client of an origin.
func dialled(t *testing.T, origin, key string) *api.Client {
	t.Helper()
	return check(api.NewClient(origin+server.PublicPath, api.WithKey(key), api.WithLegacyURL(origin+server.LegacyPath),
		api.WithTransport(&http.Transport{DisableKeepAlives: true})))(t)
}

// flat is a text with single blanks, so that what is wrapped is found.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
