//go:build campaign && linux

package server_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

var soakTime = flag.Duration("soak", 10*time.Minute, "how long all operations are called")

// soak is a service whose clients do everything at random.
type soak struct {
	clients
	t       *testing.T
	pid     int
	account string
	flights []string // missions with a flight date; many, so that none gets a history of thousands of dates
	hooked  string   // an endpoint that is not deleted
	done    atomic.Int64
	refused atomic.Int64 // refused by a rule, with a status below 500

	mu     sync.Mutex
	orders []api.Order
}

// Thirty-two clients do everything that clients can do. The memory at the end is at most 1.15 times
// the memory after the first minute (1.09 to 1.11 in the runs so far), and no goroutine is left.
func TestCampaignSoak(t *testing.T) {
	k := newKilled(t, t.TempDir())
	cmd, ready := startServer(t, apartFrom(t, k.dir))
	defer kill(t, cmd)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	s := &soak{t: t, pid: cmd.Process.Pid, account: ready.Accounts[0].UUID}
	var err1, err2 error
	s.public, err1 = api.NewClient(ready.BaseURL, api.WithKey(ready.Accounts[0].Key),
		api.WithLegacyURL(ready.LegacyBaseURL), api.WithTransport(transport))
	s.ops, err2 = ops.NewClient(ready.OpsURL, ready.OpsKey, api.WithTransport(transport))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	s.http = &http.Client{Transport: transport}
	s.ready = ready
	for range 200 {
		_, mission, err := s.planned(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.flights = append(s.flights, mission)
	}
	hook, err := s.public.Webhooks.Create(t.Context(), api.CreateWebhookRequest{
		URL: "https://127.0.0.1:9/", Events: []api.EventName{api.EventMissionCompleted},
	})
	if err := errors.Join(err, s.place(t.Context())); err != nil {
		t.Fatal(err)
	}
	s.hooked = hook.UUID
	transport.CloseIdleConnections()
	before := s.goroutines()

	ctx, cancel := context.WithTimeout(t.Context(), *soakTime)
	defer cancel()
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() { s.run(ctx) })
	}
	var memory []int
	for tick := time.NewTicker(time.Second); ctx.Err() == nil; {
		select {
		case <-tick.C:
			memory = append(memory, s.memory())
		case <-ctx.Done():
			tick.Stop()
		}
	}
	all.Wait()
	const window = 20 // seconds over which the effect of the garbage collector is averaged
	minute := min(60, len(memory)/2)
	early := mean(memory[max(minute-window/2, 0):min(minute+window/2, len(memory))])
	late := mean(memory[max(len(memory)-window, 0):])
	transport.CloseIdleConnections()
	after := s.goroutines()
	for began := time.Now(); after > before && time.Since(began) < time.Minute; after = s.goroutines() {
		transport.CloseIdleConnections()
	}
	t.Logf("%v, 32 clients: %d calls, %d of them refused as they should; memory %d MB after a minute, %d MB at the end; %d goroutines before, %d after",
		*soakTime, s.done.Load(), s.refused.Load(), early>>10, late>>10, before, after)
	if float64(late) > 1.15*float64(early) {
		t.Errorf("memory grew from %d to %d KiB", early, late)
	}
	if after > before {
		t.Errorf("there were %d goroutines, there are %d", before, after)
	}
}

func mean(numbers []int) int {
	var sum int
	for _, n := range numbers {
		sum += n
	}
	return sum / max(len(numbers), 1)
}

// flight returns a mission with a flight date.
func (s *soak) flight() string { return s.flights[rand.IntN(len(s.flights))] }

// memory returns the resident memory of the process in KiB.
func (s *soak) memory() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		s.t.Fatal(err)
	}
	found := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		s.t.Fatalf("no memory in %s", text)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// goroutines returns the number of goroutines that the service reports.
func (s *soak) goroutines() int {
	origin := strings.TrimSuffix(s.ready.BaseURL, publicHandlers)
	resp, err := s.http.Get(origin + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return int(figures(s.t, text)["go_goroutines"])
}

// run makes calls at random until the time is over.
func (s *soak) run(ctx context.Context) {
	calls := slices.Concat(s.publicCalls(), s.opsCalls(), s.rarer())
	for ctx.Err() == nil {
		err := calls[rand.IntN(len(calls))](ctx)
		var refusal *api.Error
		if ctx.Err() != nil {
			return
		} else if errors.As(err, &refusal) && refusal.Status < 500 && !api.MaybeApplied(err) {
			s.refused.Add(1)
		} else if err != nil {
			s.t.Errorf("%v", err)
		}
		s.done.Add(1)
	}
}

type call = func(context.Context) error

// order returns a placed order, or an empty one.
func (s *soak) order() api.Order {
	var o api.Order
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.orders) > 0 {
		o = s.orders[rand.IntN(len(s.orders))]
	}
	return o
}

func (s *soak) place(ctx context.Context) error {
	o, err := s.public.Orders.Create(ctx, survey(), "")
	if err == nil {
		s.mu.Lock()
		s.orders = append(s.orders, *o)
		if len(s.orders) > 1000 {
			s.orders = s.orders[500:]
		}
		s.mu.Unlock()
	}
	return err
}

func (s *soak) publicCalls() []call {
	c := s.public
	return []call{
		s.place,
		func(ctx context.Context) error { return failure(c.Orders.Get(ctx, s.order().OrderCode)) },
		func(ctx context.Context) error { return failure(c.Orders.List(ctx, api.ListOptions{Limit: 20})) },
		func(ctx context.Context) error { return failure(c.Orders.Cancel(ctx, s.order().UUID)) },
		func(ctx context.Context) error { return failure(c.Orders.Reject(ctx, s.order().UUID, "dry")) },
		func(ctx context.Context) error { return failure(c.Orders.Archive(ctx, s.order().UUID, "over")) },
		func(ctx context.Context) error {
			return failure(c.Missions.List(ctx, s.order().OrderCode, api.ListOptions{}))
		},
		func(ctx context.Context) error { return failure(c.Missions.FlightPermission(ctx, s.flight())) },
		func(ctx context.Context) error { return failure(c.Missions.Packages(ctx, s.flight())) },
		func(ctx context.Context) error { return failure(c.Surveys.ParseKML(ctx, "a.kml", kml(mast))) },
		func(ctx context.Context) error { return failure(c.Records.List(ctx, api.RecordListOptions{Limit: 20})) },
		func(ctx context.Context) error {
			return failure(c.Library.List(ctx, api.DatasetListOptions{Limit: 20}))
		},
		s.hook,
	}
}

func failure[T any](_ T, err error) error { return err }

// hook registers an endpoint that cannot be reached, reads it and deletes it.
func (s *soak) hook(ctx context.Context) error {
	w, err := s.public.Webhooks.Create(ctx, api.CreateWebhookRequest{URL: "https://127.0.0.1:9/"})
	if err != nil {
		return err
	}
	_, err = s.public.Webhooks.List(ctx, api.ListOptions{})
	return errors.Join(err, s.public.Webhooks.Delete(context.WithoutCancel(ctx), w.UUID))
}

func (s *soak) opsCalls() []call {
	o := s.ops
	return []call{
		func(ctx context.Context) error { return failure(o.Accounts.List(ctx, api.ListOptions{})) },
		func(ctx context.Context) error {
			return failure(o.Orders.List(ctx, ops.OrderFilter{}, api.ListOptions{}))
		},
		func(ctx context.Context) error { return failure(o.Orders.Get(ctx, s.order().UUID)) },
		func(ctx context.Context) error {
			return failure(o.Missions.AssignOperator(ctx, s.flight(), "Wanjiru Kamau"))
		},
		func(ctx context.Context) error {
			return failure(o.Missions.Schedule(ctx, s.flight(), ops.FlightInput{FlightDate: api.TimeOf(time.Now().Add(time.Hour))}))
		},
		func(ctx context.Context) error {
			return failure(o.Missions.SetFlightPermission(ctx, s.flight(), ops.PermissionInput{Status: api.PermissionGranted}, nil))
		},
		func(ctx context.Context) error {
			k, err := o.Keys.Issue(ctx, s.account, ops.KeyInput{Scopes: api.Scopes()})
			if err != nil {
				return err
			}
			return failure(o.Keys.Revoke(ctx, k.UUID))
		},
		func(ctx context.Context) error {
			file := api.FileInput{Name: "a.jpg", FileDataType: "LiDAR", Content: strings.NewReader(strings.Repeat("x", 100_000))}
			return failure(o.Missions.Deliver(ctx, s.flight(), file)) // refused: it was not ordered, or it was
		},
	}
}
