package server_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// killed is a service that is killed repeatedly while clients write.
type killed struct {
	t       *testing.T
	dir     string
	account string // UUID
	key     string
	kinds   []kind

	mu     sync.Mutex
	acked  map[string][]string // acknowledged writes, by kind
	count  int
	gaveUp error // why a writer ended

	restarts []time.Duration // from the start of the process until it serves
}

// clients call the current process of the server.
type clients struct {
	public *api.Client
	ops    *ops.Client
	http   *http.Client
	ready  server.ReadyLine
}

// kind is a kind of write. To add a kind, append it to kinds.
type kind struct {
	name string
	// write makes one write, and returns its identity.
	write func(ctx context.Context, c clients) (id string, err error)
	// check returns an error for acknowledged writes that are lost or incomplete.
	check func(ctx context.Context, c clients, ids []string) error
}

func newKilled(t *testing.T, dir string) *killed {
	return &killed{t: t, dir: dir, acked: map[string][]string{}}
}

// start starts the server. The first start creates the kinds of writes.
func (k *killed) start() (end func(), c clients) {
	k.t.Helper()
	began := time.Now()
	cmd, ready := startServer(k.t, apartFrom(k.t, k.dir))
	k.restarts = append(k.restarts, time.Since(began))
	if k.account == "" {
		k.account = ready.Accounts[0].UUID
		k.key = ready.Accounts[0].Key
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	c.ready = ready
	c.http = &http.Client{Transport: transport}
	var err1, err2 error
	c.public, err1 = api.NewClient(ready.BaseURL, api.WithKey(k.key), api.WithLegacyURL(ready.LegacyBaseURL), api.WithTransport(transport))
	c.ops, err2 = ops.NewClient(ready.OpsURL, ready.OpsKey, api.WithTransport(transport))
	if err := errors.Join(err1, err2); err != nil {
		k.t.Fatal(err)
	}
	if k.kinds == nil {
		k.kinds = []kind{orderWrites(), k.moveWrites(c), k.revocations(), quoteDecisions()}
	}
	return func() {
		kill(k.t, cmd)
		transport.CloseIdleConnections()
	}, c
}

// round lets eight writers write until about goal more writes are acknowledged, then kills the server
// and checks the writes of this round.
func (k *killed) round(goal int) {
	k.t.Helper()
	end, c := k.start()
	before := map[string]int{}
	for name, ids := range k.acked {
		before[name] = len(ids)
	}
	k.count = 0
	enough, have := context.WithCancel(context.Background())
	defer have()
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() { k.writeOn(c, k.kinds[i%len(k.kinds)], goal, have) })
	}
	go func() { // so that no write is waited for
		writers.Wait()
		have()
	}()
	<-enough.Done()
	end()
	writers.Wait()
	if k.count < goal {
		k.t.Fatalf("the writers gave up after %d writes: %v", k.count, k.gaveUp)
	}

	end, c = k.start()
	k.checkDatabase()
	for _, kind := range k.kinds {
		if err := kind.check(k.t.Context(), c, k.acked[kind.name][before[kind.name]:]); err != nil {
			k.t.Errorf("%s: %v", kind.name, err)
		}
	}
	end()
}

// writeOn writes until the server is gone.
func (k *killed) writeOn(c clients, kind kind, goal int, have func()) {
	for {
		id, err := kind.write(context.Background(), c)
		var refused *api.Error
		if errors.As(err, &refused) && !api.MaybeApplied(err) {
			k.t.Errorf("%s: %v", kind.name, err)
			have()
		}
		if err != nil {
			k.mu.Lock()
			k.gaveUp = err
			k.mu.Unlock()
			return
		}
		k.mu.Lock()
		k.acked[kind.name] = append(k.acked[kind.name], id)
		k.count++
		if k.count == goal {
			have()
		}
		k.mu.Unlock()
	}
}

// checkAll checks all writes that were ever acknowledged, and returns their number.
func (k *killed) checkAll() int {
	k.t.Helper()
	var n int
	end, c := k.start()
	defer end()
	for _, kind := range k.kinds {
		n += len(k.acked[kind.name])
		if err := kind.check(k.t.Context(), c, k.acked[kind.name]); err != nil {
			k.t.Errorf("%s: %v", kind.name, err)
		}
	}
	return n
}

// checkDatabase checks the database directly while the server uses it.
func (k *killed) checkDatabase() {
	k.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(k.dir, "flightdesk.db"))+"?mode=ro")
	if err != nil {
		k.t.Fatal(err)
	}
	defer db.Close()
	for query, want := range map[string]string{
		`PRAGMA integrity_check`:                        "ok",
		`SELECT count(*) FROM pragma_foreign_key_check`: "0",
		`SELECT count(*) FROM orders o WHERE mission_count <> (SELECT count(*) FROM missions m WHERE m.order_id = o.id)`: "0",
	} {
		var got string
		if err := db.QueryRow(query).Scan(&got); err != nil || got != want {
			k.t.Errorf("%s: %s, %v", query, got, err)
		}
	}
}

// orderWrites are orders with two missions.
func orderWrites() kind {
	return kind{
		name: "orders",
		write: func(ctx context.Context, c clients) (string, error) {
			o, err := c.public.Orders.Create(ctx, survey(), "")
			if err != nil {
				return "", err
			}
			return o.OrderCode, nil
		},
		check: func(ctx context.Context, c clients, ids []string) error {
			return each(ids, func(code string) error {
				o, err := c.public.Orders.Get(ctx, code)
				if err == nil && len(o.Missions) != 2 {
					err = fmt.Errorf("%s has %d missions", code, len(o.Missions))
				}
				return err
			})
		},
	}
}

// moveWrites schedule flights repeatedly. Each write adds a version to the planning of a mission and a
// row to the log of an endpoint, or neither.
func (k *killed) moveWrites(c clients) kind {
	mission := scheduledMission(k.t, c.ops, k.account)
	planned, err := c.public.Missions.Planning(k.t.Context(), mission)
	if err != nil {
		k.t.Fatal(err)
	}
	hook, err := c.public.Webhooks.Create(k.t.Context(), api.CreateWebhookRequest{
		URL: "https://127.0.0.1:9/", Events: []api.EventName{api.EventFlightScheduled}, // every callback fails at once
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return kind{
		name: "moves",
		write: func(ctx context.Context, c clients) (string, error) {
			note := fmt.Sprint(rand.Uint64())
			_, err := c.ops.Missions.Schedule(ctx, mission, ops.FlightInput{FlightDate: api.TimeOf(time.Now().Add(time.Hour)), Note: note})
			return note, err
		},
		check: func(ctx context.Context, c clients, ids []string) error {
			now, err := c.public.Missions.Planning(ctx, mission)
			if err != nil {
				return err
			}
			notes := map[string]bool{}
			for _, p := range now {
				if p.Note != nil {
					notes[*p.Note] = true
				}
			}
			if i := slices.IndexFunc(ids, func(id string) bool { return !notes[id] }); i >= 0 {
				return fmt.Errorf("the flight date with note %s is lost", ids[i])
			}
			rows, err := k.logged(hook.UUID)
			if err == nil && rows != len(now)-len(planned) {
				err = fmt.Errorf("%d rows in the log for %d flight dates", rows, len(now)-len(planned))
			}
			return err
		},
	}
}

// logged counts the rows in an endpoint's log.
func (k *killed) logged(webhook string) (int, error) {
	var n int
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(k.dir, "flightdesk.db"))+"?mode=ro")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRow(`SELECT count(*) FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.uuid = $1`, webhook).Scan(&n)
	return n, err
}

// revocations are keys that are issued and revoked. The revocation is acknowledged.
func (k *killed) revocations() kind {
	return kind{
		name: "revocations",
		write: func(ctx context.Context, c clients) (string, error) {
			issued, err := c.ops.Keys.Issue(ctx, k.account, ops.KeyInput{Scopes: []api.Scope{api.ScopeOrdersRead}})
			if err != nil {
				return "", err
			}
			_, err = c.ops.Keys.Revoke(ctx, issued.UUID)
			return issued.Key, err
		},
		check: func(ctx context.Context, c clients, ids []string) error {
			return each(ids, func(key string) error {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.ready.BaseURL+"/orders", nil)
				if err != nil {
					return err
				}
				r.Header.Set("X-Api-Key", key)
				resp, err := c.http.Do(r)
				if err != nil {
					return err
				}
				defer resp.Body.Close()
				if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusUnauthorized {
					return fmt.Errorf("a revoked key is answered with %d, %w", resp.StatusCode, err)
				}
				return nil
			})
		},
	}
}

// each checks IDs, several at a time.
func each(ids []string, check func(id string) error) error {
	var mu sync.Mutex
	var first error
	var all sync.WaitGroup
	for part := range slices.Chunk(ids, len(ids)/8+1) {
		all.Go(func() {
			for _, id := range part {
				if err := check(id); err != nil {
					mu.Lock()
					first = err
					mu.Unlock()
					return
				}
			}
		})
	}
	all.Wait()
	return first
}

// After the process was killed, all acknowledged writes exist completely.
func TestKilledServerLosesNothing(t *testing.T) {
	t.Parallel()
	k := newKilled(t, t.TempDir())
	for range 3 {
		k.round(60 + rand.IntN(60))
	}
	if n := k.checkAll(); n < 180 {
		t.Errorf("only %d writes were made", n)
	}
}
