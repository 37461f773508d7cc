package scenario

import (
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

// invalidTLD is the top-level domain of a scenario's endpoints, which do not exist.
const invalidTLD = ".invalid"

// Player plays a scenario. Its progress is saved in the store, so it continues after a
// restart, and a snapshot restores it. Do not call PlayNext, Begin, Restart and Resume
// concurrently. All other methods are safe for concurrent use.
type Player struct {
	Scenario *Scenario // played from the start; nil if there is none
	Service  *domain.Service
	Log      *slog.Logger
	FileSize int64                                         // approximate size of the files of each type in a delivery, in bytes; 0 is small
	SetFault func(status int, callbacks ops.CallbackFault) // injects faults; 0 and "" remove them

	mu     sync.Mutex
	played *Scenario // current scenario; nil if there is none
	state  PlayerState
}

// PlayerState is the progress of a scenario. Do not change its slices and maps.
type PlayerState struct {
	Name string `json:"name"`
	// Accounts are the UUIDs of the accounts that each play the scenario. If it is empty, the
	// demo accounts play it.
	Accounts  []string                    `json:"accounts,omitempty"`
	Start     time.Time                   `json:"start"`
	Done      int                         `json:"done"` // number of events played
	Orders    map[string]placedOrder      `json:"orders"`
	Endpoints map[string][]endpointAnswer `json:"endpoints"` // responses of each host, oldest first
	LastError string                      `json:"lastError"`
}

// placedOrder is an order that a scenario has placed.
type placedOrder struct {
	UUID string `json:"uuid"`
	Code string `json:"code"`
}

// endpointAnswer is the status with which an endpoint answers from a time on.
type endpointAnswer struct {
	From   time.Time `json:"from"`
	Status int       `json:"status"`
}

// Resume continues with the saved progress, or starts the scenario.
func (p *Player) Resume(ctx context.Context) error {
	state, err := p.loadState(ctx)
	if err != nil {
		return err
	}
	played := p.Scenario
	if played == nil && slices.Contains(BuiltinNames(), state.Name) {
		played, err = Load(state.Name)
		if err != nil {
			return err
		}
	}
	if played == nil {
		p.setState(nil, PlayerState{})
		return nil
	}
	isUsable := state.Name == played.Name && state.Done <= len(played.Events)
	if !isUsable {
		return p.Restart(ctx)
	}
	p.setState(played, state)
	return nil
}

// loadState returns the saved progress, or an empty state if there is none that can be read.
func (p *Player) loadState(ctx context.Context) (PlayerState, error) {
	saved, err := p.Service.Upkeep.Scenario(ctx)
	if err != nil {
		return PlayerState{}, err
	}
	var state PlayerState
	if json.Unmarshal([]byte(saved), &state) != nil {
		return PlayerState{}, nil //nolint:nilerr // what cannot be read counts as empty
	}
	return state, nil
}

func (p *Player) setState(played *Scenario, state PlayerState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.played = played
	p.state = state
}

// Restart starts the scenario in the Scenario field again.
func (p *Player) Restart(ctx context.Context) error { return p.Begin(ctx, p.Scenario, nil) }

// Begin starts a scenario and ends the previous one. If played is nil, no scenario is
// played. Each of the accounts plays the scenario; they must have demo data. Without
// accounts, the demo accounts play it.
func (p *Player) Begin(ctx context.Context, played *Scenario, accounts []string) error {
	state := PlayerState{
		Accounts:  accounts,
		Start:     p.Service.Now(),
		Orders:    map[string]placedOrder{},
		Endpoints: map[string][]endpointAnswer{},
	}
	if played != nil {
		state.Name = played.Name
	}
	p.setState(played, state)
	return p.saveProgress(ctx)
}

// Playing returns the current scenario, or nil.
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
	return p.Service.Upkeep.SaveScenario(ctx, string(text))
}

// Progress returns the number of events played, and the error of the last event that
// failed, or "".
func (p *Player) Progress() (done int, lastError string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.Done, p.state.LastError
}

// DueTime returns the time of an event: the start of the scenario plus the event's After.
func (p *Player) DueTime(e Event) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.Start.Add(e.After)
}

// OrderCode returns the code of the order that an event concerns, or "" if the order is not
// placed yet. If several accounts play the scenario, OrderCode returns the code of the first
// account's order.
func (p *Player) OrderCode(e Event) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	account := ""
	if len(p.state.Accounts) > 0 {
		account = p.state.Accounts[0]
	}
	return p.state.Orders[orderKey(e.Order, account)].Code
}

// NextEvent returns the next event and when it is due. ok is false after the last event.
func (p *Player) NextEvent() (e Event, due time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.played == nil || p.state.Done >= len(p.played.Events) {
		return Event{}, time.Time{}, false
	}
	e = p.played.Events[p.state.Done]
	return e, p.state.Start.Add(e.After), true
}

// IsOwn reports whether the scenario has placed the order. The simulator then does not move the
// order, because the events of the scenario move it.
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

// PlayNext plays the next event. An event that fails is logged and skipped, because
// somebody may have changed its order in the meantime.
func (p *Player) PlayNext(ctx context.Context) error {
	e, _, ok := p.NextEvent()
	if !ok {
		return nil
	}
	failure := p.playForAll(ctx, e)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.mu.Lock()
	p.state.Done++
	if failure != nil {
		p.state.LastError = fmt.Sprintf("line %d: %s: %v", e.Line, e.Text, failure)
	}
	p.mu.Unlock()
	if failure != nil {
		p.Log.Warn("an event of the scenario failed", "line", e.Line, "event", e.Text, "error", failure)
	}
	return p.saveProgress(ctx)
}

// playForAll plays an event for each account of the scenario. It returns the error of the
// first account that failed.
func (p *Player) playForAll(ctx context.Context, e Event) error {
	p.mu.Lock()
	accounts := p.state.Accounts
	p.mu.Unlock()
	if len(accounts) == 0 {
		return p.playEvent(ctx, e, "")
	}
	var firstErr error
	for _, account := range accounts {
		err := p.playEvent(ctx, e, account)
		if firstErr == nil {
			firstErr = err
		}
	}
	return firstErr
}

// playEvent plays an event for an account, or for the demo accounts if account is "".
func (p *Player) playEvent(ctx context.Context, e Event, account string) error {
	if e.play == nil {
		return nil
	}
	played := playedEvent{player: p, args: e.args, account: account}
	if e.args.order != "" {
		p.mu.Lock()
		order, isPlaced := p.state.Orders[orderKey(e.args.order, account)]
		p.mu.Unlock()
		if !isPlaced {
			return errNotPlaced
		}
		detail, err := p.Service.Orders.Detail(ctx, order.UUID)
		if err != nil {
			return err
		}
		played.detail = detail
	}
	return e.play(ctx, played)
}

// orderKey returns the key of an account's order in [PlayerState].
func orderKey(name, account string) string { return strings.TrimSpace(name + " " + account) }

// Transport returns a transport for callbacks. It answers callbacks to the scenario's endpoints
// itself, and passes other callbacks to next. An endpoint answers with the status that it had at
// the time of the event, which may not be its current status. So if an endpoint failed when the
// event happened, the callback fails even if the clock was advanced to a time when the endpoint
// works again.
func (p *Player) Transport(next http.RoundTripper) http.RoundTripper {
	return &scenarioTransport{p, next}
}

type scenarioTransport struct {
	player *Player
	next   http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *scenarioTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.player.mu.Lock()
	answers := slices.Clone(t.player.state.Endpoints[r.URL.Hostname()])
	t.player.mu.Unlock()
	if len(answers) == 0 {
		return t.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var event api.Event
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, err
	}
	status := statusAt(answers, event.Timestamp)
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode: status,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
		Body:       io.NopCloser(strings.NewReader(http.StatusText(status))),
		Request:    r,
	}, nil
}

// statusAt returns the status with which an endpoint answers the callback of an event that happened
// at t. If t is zero, it returns the endpoint's latest status. answers must not be empty.
func statusAt(answers []endpointAnswer, t api.Time) int {
	status := answers[0].Status
	for _, a := range answers {
		if t.IsZero() || !a.From.After(t.Time) {
			status = a.Status
		}
	}
	return status
}

// CloseIdleConnections closes the idle connections of the next transport.
func (t *scenarioTransport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
