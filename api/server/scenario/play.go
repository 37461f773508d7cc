package scenario

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
)

// tld ends the hosts of a scenario's endpoints: none of them exists.
const tld = ".invalid"

// Player plays a scenario. Where it stands is kept in the store, so that it goes
// on after a restart, and is brought back with a snapshot. PlayNext, Begin, Restart and
// Resume are called one at a time; everything else is safe at any time.
type Player struct {
	Scenario *Scenario // is played from the start on; nil: none
	Desk     *domain.Service
	Log      *slog.Logger
	FileSize int64                                         // of delivered files, as for the simulator
	SetFault func(status int, callbacks ops.CallbackFault) // sets what goes wrong; 0 and "": nothing

	mu     sync.Mutex
	played *Scenario // now; nil: none
	state  PlayerState
}

// PlayerState is how far a scenario is. Do not change what it refers to.
type PlayerState struct {
	Name      string                      `json:"name"`
	Accounts  []string                    `json:"accounts,omitempty"` // each has all of it; none: the demo's
	Start     time.Time                   `json:"start"`
	Done      int                         `json:"done"` // events
	Orders    map[string]placedOrder      `json:"orders"`
	Endpoints map[string][]endpointAnswer `json:"endpoints"` // what each host has answered, first to last
	LastError string                      `json:"lastError"`
}

// placedOrder is an order that a scenario has placed.
type placedOrder struct {
	UUID string `json:"uuid"`
	Code string `json:"code"`
}

// endpointAnswer is what an endpoint answers from a time on.
type endpointAnswer struct {
	From   time.Time `json:"from"`
	Status int       `json:"status"`
}

// Resume continues from the stored progress, or starts the scenario.
func (p *Player) Resume(ctx context.Context) error {
	kept, err := p.Desk.Upkeep.Scenario(ctx)
	if err != nil {
		return err
	}
	var s PlayerState
	played := p.Scenario
	if json.Unmarshal([]byte(kept), &s) == nil && played == nil && slices.Contains(BuiltinNames(), s.Name) {
		played, err = Load(s.Name)
		if err != nil {
			return err
		}
	}
	if played != nil && (s.Name != played.Name || s.Done > len(played.Events)) {
		return p.Restart(ctx)
	}
	if played == nil {
		s = PlayerState{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.played = played
	p.state = s
	return nil
}

// Restart has the first scenario begin now.
func (p *Player) Restart(ctx context.Context) error { return p.Begin(ctx, p.Scenario, nil) }

// Begin has a scenario begin now for accounts with demo data, or with none for the
// demo's own, and ends the one before.
func (p *Player) Begin(ctx context.Context, played *Scenario, accounts []string) error {
	state := PlayerState{
		Accounts:  accounts,
		Start:     p.Desk.Now(),
		Orders:    map[string]placedOrder{},
		Endpoints: map[string][]endpointAnswer{},
	}
	if played != nil {
		state.Name = played.Name
	}
	p.mu.Lock()
	p.played = played
	p.state = state
	p.mu.Unlock()
	return p.saveProgress(ctx)
}

// Playing returns the scenario that is played, nil for none.
func (p *Player) Playing() *Scenario {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.played
}

func (p *Player) saveProgress(ctx context.Context) error {
	p.mu.Lock()
	text, err := json.Marshal(p.state)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return p.Desk.Upkeep.KeepScenario(ctx, string(text))
}

// Progress returns how many events were played, and why the last one that
// failed did, "" for none.
func (p *Player) Progress() (done int, lastError string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.Done, p.state.LastError
}

// DueTime returns when an event is due.
func (p *Player) DueTime(e Event) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.Start.Add(e.After)
}

// OrderCode returns the code of the order that an event concerns, of the first account's
// where several have it, and "" where there is none yet.
func (p *Player) OrderCode(e Event) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	account := ""
	if len(p.state.Accounts) > 0 {
		account = p.state.Accounts[0]
	}
	return p.state.Orders[orderKey(e.Order, account)].Code
}

// NextEvent returns the next event and when it is due; ok is false after the last.
func (p *Player) NextEvent() (e Event, at time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.played == nil || p.state.Done >= len(p.played.Events) {
		return e, at, false
	}
	e = p.played.Events[p.state.Done]
	return e, p.state.Start.Add(e.After), true
}

// IsOwn reports whether the scenario moves an order itself.
func (p *Player) IsOwn(orderUUID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.state.Orders {
		if o.UUID == orderUUID {
			return true
		}
	}
	return false
}

// PlayNext plays the next event. One that fails is noted and passed over: somebody
// may have moved its order in the meantime.
func (p *Player) PlayNext(ctx context.Context) error {
	e, _, ok := p.NextEvent()
	if !ok {
		return nil
	}
	p.mu.Lock()
	accounts := p.state.Accounts
	p.mu.Unlock()
	if len(accounts) == 0 {
		accounts = []string{""}
	}
	var failed error
	for _, account := range accounts {
		if err := p.playEvent(ctx, e, account); failed == nil {
			failed = err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.mu.Lock()
	p.state.Done++
	if failed != nil {
		p.state.LastError = fmt.Sprintf("line %d: %s: %v", e.Line, e.Text, failed)
	}
	p.mu.Unlock()
	if failed != nil {
		p.Log.Warn("an event of the scenario failed", "line", e.Line, "event", e.Text, "error", failed)
	}
	return p.saveProgress(ctx)
}

func (p *Player) playEvent(ctx context.Context, e Event, account string) error {
	var err error
	if e.play == nil {
		return nil
	}
	played := playedEvent{Player: p, account: account, eventArguments: e.args}
	if e.args.order != "" {
		p.mu.Lock()
		order, known := p.state.Orders[orderKey(e.args.order, account)]
		p.mu.Unlock()
		if !known {
			return errGone
		}
		played.OrderDetail, err = p.Desk.Orders.Detail(ctx, order.UUID)
		if err != nil {
			return err
		}
	}
	return e.play(ctx, played)
}

// orderKey tells an account's order from those of the other accounts.
func orderKey(name, account string) string { return strings.TrimSpace(name + " " + account) }

// Transport answers callbacks to the scenario's endpoints, and passes the others
// on. What an endpoint answers depends on when the event was: a callback of an
// hour without an answer is lost although the clock has jumped over that hour.
func (p *Player) Transport(next http.RoundTripper) http.RoundTripper {
	return &scenarioTransport{p, next}
}

type scenarioTransport struct {
	player *Player
	next   http.RoundTripper
}

// RoundTrip answers a callback.
func (t *scenarioTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.player.mu.Lock()
	answers := slices.Clone(t.player.state.Endpoints[r.URL.Hostname()])
	t.player.mu.Unlock()
	if len(answers) == 0 {
		return t.next.RoundTrip(r)
	}
	var event api.Event
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		return nil, err
	}
	status := answers[0].Status
	for _, a := range answers {
		if event.Timestamp.IsZero() || !a.From.After(event.Timestamp.Time) {
			status = a.Status
		}
	}
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode: status,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header: http.Header{
			"Content-Type": {"text/plain; charset=utf-8"},
		},
		Body:    io.NopCloser(bytes.NewReader([]byte(http.StatusText(status)))),
		Request: r,
	}, nil
}

// CloseIdleConnections closes those of the transport below.
func (t *scenarioTransport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
