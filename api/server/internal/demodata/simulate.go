package demodata

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// Simulator does the work of the people behind the service: it reviews orders and issues
// quotes, assigns operators, sets flight dates, requests permissions, delivers data and
// accepts it. It uses the domain like they do. The next step depends only on the state of
// the orders, so the simulator continues after a restart.
//
// It changes an order only after somebody has placed or changed the order since the store
// was filled: the demo's orders stay unchanged until a client or the operations API
// changes them. It does not accept quotes, because clients do that.
//
// Set its fields before its first use.
type Simulator struct {
	Service  *domain.Service
	Log      *slog.Logger
	FileSize int64       // approximate size of the files of each type in a delivery, in bytes; 0 is small
	Seed     uint64      // of its random numbers
	Script   TimedScript // scenario that is played at the same time; may be nil

	acting sync.Mutex // held while a step is run

	mu      sync.Mutex
	state   SimulatorState
	plans   map[string]plannedSteps // by order UUID
	retryAt map[string]time.Time    // by order UUID; after a failed step
	wake    chan struct{}           // has a buffer of one; signals that something may be due at another time
}

// TimedScript is a list of timed events, which is played unless the simulator is paused.
type TimedScript interface {
	Play(ctx context.Context) error // runs the events that are due
	Due() (at time.Time, ok bool)   // when the next event is due; ok is false after the last one
	IsOwn(orderUUID string) bool    // whether the script moves an order itself, so that the simulator must not
}

// SimulatorState is the state of the simulator.
type SimulatorState struct {
	Paused    bool
	Speed     float64 // times faster than real time
	Done      int     // number of steps run
	LastError string  // of the last step that failed
}

// plannedSteps are the next steps of an order in a certain state.
type plannedSteps struct {
	order  store.Order
	at     time.Time // when they were planned
	spared bool
	steps  []SimulatorStep
}

// maxPlannedOrders is the maximum number of orders that the simulator moves: those that
// changed last.
const maxPlannedOrders = 500

// retryAfter is the time after which the simulator retries an order after a failed step,
// in hours of real time.
const retryAfter = 6

// NewSimulator returns a simulator. It is paused if the speed is 0.
func NewSimulator(d *domain.Service, log *slog.Logger, speed float64, fileSize int64) *Simulator {
	s := &Simulator{
		Service:  d,
		Log:      log,
		FileSize: fileSize,
		wake:     make(chan struct{}, 1),
	}
	s.state.Speed = speed
	s.state.Paused = speed == 0
	s.ResetPlans()
	return s
}

// ResetPlans makes the simulator plan all orders again, for example after a reset.
func (s *Simulator) ResetPlans() {
	s.mu.Lock()
	s.plans = map[string]plannedSteps{}
	s.retryAt = map[string]time.Time{}
	s.mu.Unlock()
	s.Wake()
}

// Wake signals that orders or the clock have changed. It does not wait.
func (s *Simulator) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// State returns the state of the simulator.
func (s *Simulator) State() SimulatorState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Set pauses or resumes the simulator and changes its speed. Nil values change nothing.
// If there is no speed yet, it becomes usual.
func (s *Simulator) Set(paused *bool, speed *float64, usual float64) {
	s.mu.Lock()
	if speed != nil && *speed != s.state.Speed {
		s.state.Speed = *speed
		s.plans = map[string]plannedSteps{}
	}
	if s.state.Speed == 0 {
		s.state.Speed = usual
	}
	if paused != nil {
		s.state.Paused = *paused
	}
	s.mu.Unlock()
	s.Wake()
}

func (s *Simulator) currentPace() simulatorPace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return simulatorPace{speed: max(s.state.Speed, 1e-3), seed: s.Seed}
}

// Steps returns the steps to run, the next one first.
func (s *Simulator) Steps(ctx context.Context) ([]SimulatorStep, error) {
	moved, err := s.Service.Upkeep.RecentlyMoved(ctx, maxPlannedOrders)
	if err != nil {
		return nil, err
	}
	p := s.currentPace()
	var all []SimulatorStep
	kept := map[string]plannedSteps{}
	for _, o := range moved.Orders {
		if s.Script != nil && s.Script.IsOwn(o.UUID) {
			continue
		}
		// The first order that the audience places and the orders of the demo have no mishaps.
		spared := o.UUID == moved.First || o.Created.Before(moved.Since)
		known, err := s.planOrder(ctx, p, o, spared)
		if err != nil {
			return nil, err
		}
		kept[o.UUID] = known
		all = append(all, known.steps...)
	}
	s.mu.Lock()
	s.plans = kept
	for i := range all {
		step := &all[i]
		retryAt := s.retryAt[step.Order.UUID]
		if retryAt.After(step.At) {
			step.At = retryAt
		}
	}
	s.mu.Unlock()
	sort.SliceStable(all, func(i, j int) bool { return all[i].At.Before(all[j].At) })
	return all, nil
}

// planOrder returns the steps of an order. It plans them again if the order has changed.
func (s *Simulator) planOrder(
	ctx context.Context, p simulatorPace, o store.Order, spared bool,
) (plannedSteps, error) {
	s.mu.Lock()
	known, exists := s.plans[o.UUID]
	s.mu.Unlock()
	if exists && known.spared == spared && known.isFor(o) {
		return known, nil
	}
	now := s.Service.Now()
	d, err := s.Service.Orders.Detail(ctx, o.UUID)
	if err != nil {
		return plannedSteps{}, err
	}
	return plannedSteps{
		order:  o,
		at:     now,
		spared: spared,
		steps:  p.planOrder(d, spared),
	}, nil
}

// isFor reports whether the steps were planned for the current state of an order.
func (p *plannedSteps) isFor(o store.Order) bool {
	// An order can change again with the same time if it was planned right after a change.
	isSettled := p.at.Sub(p.order.Updated) > 10*time.Millisecond
	return isSettled && p.order.Status == o.Status && p.order.Updated.Equal(o.Updated)
}

// Next runs the next step if it is due, or in any case unless wait is true. It returns
// the step, or nil if there is nothing to do.
func (s *Simulator) Next(ctx context.Context, wait bool) (*SimulatorStep, error) {
	s.acting.Lock()
	defer s.acting.Unlock()
	steps, err := s.Steps(ctx)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 || wait && steps[0].At.After(s.Service.Now()) {
		return nil, nil
	}
	step := steps[0]
	err = s.runStep(ctx, step)
	s.recordResult(ctx, step, err)
	if errors.Is(err, errOvertaken) {
		return &step, nil
	}
	if err != nil {
		s.Log.Warn("the simulator could not take a step",
			"step", step.Does, "order", step.Order.Code, "error", err)
	}
	return &step, err
}

// recordResult updates the state after a step.
func (s *Simulator) recordResult(ctx context.Context, step SimulatorStep, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.plans, step.Order.UUID)
	if errors.Is(err, errOvertaken) {
		return
	}
	if err == nil {
		s.state.Done++
		delete(s.retryAt, step.Order.UUID)
		return
	}
	if ctx.Err() != nil {
		return
	}
	s.state.LastError = step.Does + " of " + step.Order.Code + ": " + err.Error()
	pace := simulatorPace{speed: max(s.state.Speed, 1e-3)}
	s.retryAt[step.Order.UUID] = s.Service.Now().Add(max(time.Second, pace.scaledLength(retryAfter)))
}

// runStep runs a step, unless the order has changed since the step was planned.
func (s *Simulator) runStep(ctx context.Context, step SimulatorStep) error {
	d, err := s.Service.Orders.Detail(ctx, step.Order.UUID)
	if err != nil {
		return err
	}
	if d.Order.Status != step.Order.Status || !d.Order.Updated.Equal(step.Order.Updated) {
		return errOvertaken
	}
	return s.performStep(ctx, s.currentPace(), step, d)
}

// errOvertaken means that an order has changed since its step was planned.
var errOvertaken = errors.New("the order has been moved in the meantime")

// Run runs steps when they are due, until ctx ends.
func (s *Simulator) Run(ctx context.Context) {
	for ctx.Err() == nil {
		timer := time.NewTimer(s.untilDue(ctx))
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-timer.C:
		}
		timer.Stop()
		if s.State().Paused {
			continue
		}
		waitForQuiet(ctx)
		if s.Script != nil {
			if err := s.Script.Play(ctx); err != nil && ctx.Err() == nil {
				s.Log.Error("the scenario cannot be played", "error", err)
			}
		}
		for ctx.Err() == nil && !s.State().Paused {
			step, err := s.Next(ctx, true)
			if step == nil || err != nil {
				break
			}
		}
	}
}

// waitForQuiet waits for the end of a burst of changes, so that it is planned only once.
func waitForQuiet(ctx context.Context) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// maxWait is the longest time until the simulator checks again if nothing is due.
const maxWait = time.Hour

// untilDue returns the time until something is due.
func (s *Simulator) untilDue(ctx context.Context) time.Duration {
	if s.State().Paused {
		return maxWait
	}
	wait := maxWait
	if s.Script != nil {
		if at, ok := s.Script.Due(); ok {
			wait = at.Sub(s.Service.Now())
		}
	}
	steps, err := s.Steps(ctx)
	if err == nil && len(steps) > 0 {
		wait = min(wait, steps[0].At.Sub(s.Service.Now()))
	}
	return min(maxWait, max(time.Millisecond, wait))
}

// addQuotes adds the quotes of an order, and sets when the last one was decided.
func (m *worldMaker) addQuotes(o demoOrder, past *domain.PastOrder, currency string) {
	stage := o.orderStage()
	if stage == api.OrderRejected || stage == api.OrderDeleted {
		return
	}
	if stage == api.OrderBiddingWithQuote && o.Bids == bidsAwaited {
		return
	}
	issued := past.Created.Add(m.durationBetween(5*time.Hour, 16*time.Hour))
	for i, offer := range MakeOffers(past.Request, currency, m.rng, issued) {
		at := m.notAfterNow(issued.Add(time.Duration(i) * 40 * time.Minute))
		quote := domain.DraftQuote(offer, currency)
		quote.UUID = m.newUUID(at)
		quote.Status = api.QuoteOpen
		quote.Created = at
		past.Quotes = append(past.Quotes, quote)
		past.Updated = at
	}
	if stage == api.OrderBiddingWithQuote {
		m.addOpenQuotes(o.Bids, past)
		return
	}
	m.addDecidedQuotes(o, past)
}

// addOpenQuotes sets the state of the quotes of an order that is open for bids.
func (m *worldMaker) addOpenQuotes(b bidState, past *domain.PastOrder) {
	last := len(past.Quotes) - 1
	for i := range past.Quotes {
		q := &past.Quotes[i]
		rejected := m.notAfterNow(q.Created.Add(m.durationBetween(2*time.Hour, 9*time.Hour)))
		switch {
		case b == bidsOpen && i == last:
			q.Expires = m.now.Add(5*time.Hour + 20*time.Minute)
		case b == bidsOpen, b == bidsMixed && i == 0:
			q.Expires = m.now.Add(time.Duration(9-2*i) * day)
		case b == bidsTurnedDown, b == bidsMixed && i < last, b == bidsPassed && i == 0:
			q.Status = api.QuoteRejected
			q.Decided = rejected
			if rejected.After(past.Updated) {
				past.Updated = rejected
			}
		case b == bidsMixed:
			q.Expires = m.now.Add(-3 * time.Hour)
		case b == bidsPassed:
			q.Expires = m.now.Add(-time.Duration(2+i)*day - 4*time.Hour)
		}
	}
}

// addDecidedQuotes sets the state of the quotes of an order whose quote was accepted, or
// which was cancelled before.
func (m *worldMaker) addDecidedQuotes(o demoOrder, past *domain.PastOrder) {
	accepted := m.rng.IntN(len(past.Quotes))
	at := past.Created.Add(m.durationBetween(24*time.Hour, 44*time.Hour))
	for i := range past.Quotes {
		q := &past.Quotes[i]
		q.Status = api.QuoteClosed
		q.Decided = at
		if o.orderStage() == api.OrderCancelled {
			continue
		}
		if i == accepted {
			q.Status = api.QuoteAccepted
		} else if m.oneIn(3) {
			q.Status = api.QuoteRejected
			q.Decided = at.Add(-time.Hour)
		}
	}
	past.Updated = at
}

// MakeFiles creates sample files for the deliverables of a mission or a dataset, and
// stores their content. size is the approximate size of the files of each type in bytes;
// 0 is small. The files belong to nothing yet. If it fails, no files are stored.
func MakeFiles(ctx context.Context, d *domain.Service, m product.Mission, size int64) ([]store.File, error) {
	var list []store.File
	made, err := product.Files(m, size)
	if err != nil {
		return nil, err
	}
	for _, f := range made {
		kept, err := storeFile(ctx, d, f)
		if err != nil {
			return nil, errors.Join(err, d.Missions.DiscardFiles(context.WithoutCancel(ctx), list...))
		}
		list = append(list, kept)
	}
	return list, nil
}

func storeFile(ctx context.Context, d *domain.Service, f product.File) (store.File, error) {
	content, err := f.Open()
	if err != nil {
		return store.File{}, err
	}
	kept, err := d.Missions.StoreFile(ctx, f.Name, f.MediaType, content)
	kept.Kind = f.Kind
	return kept, errors.Join(err, content.Close())
}

// SurveyOf returns the data of a mission from which its files are created.
func SurveyOf(o store.Order, m store.Mission) product.Mission {
	return product.Mission{
		Location:     m.LocationMap,
		Deliverables: o.Deliverables,
		Flown:        m.FlightDate,
	}
}

// addNotices adds the notification settings of an order, and the notices sent so far.
func (m *worldMaker) addNotices(a store.Account, o demoOrder, past *domain.PastOrder) {
	if o.Notice == noticesOff {
		return
	}
	n := &domain.PastNotify{Notify: store.Notify{
		Owner:   m.newUUID(past.Created),
		Webhook: "https://erp.nordlicht-windkraft.invalid/completed",
		Email:   true,
		Secret:  m.newSecret(),
	}}
	past.Notify = n
	if past.Status != api.OrderCompleted {
		return
	}
	at := past.Missions[0].Updated
	for _, mission := range past.Missions {
		if mission.Updated.After(at) {
			at = mission.Updated
		}
	}
	told := api.OrderCompletion{
		ID:          past.UUID,
		OrderStatus: api.RecordCompleted,
		CompletedAt: api.TimeOf(at),
	}
	body, err := json.Marshal(told)
	if err != nil {
		panic(fmt.Sprintf("a notice: %v", err)) // the values are constant
	}
	webhook := store.Notice{
		UUID: m.newUUID(at), Kind: store.NoticeWebhook, Address: n.Webhook, Body: string(body),
		Success: true, ResponseCode: 200, Attempts: 1, Created: at,
	}
	if o.Notice == noticesFailed {
		failure := "HTTP 503"
		webhook.Success = false
		webhook.ResponseCode = 503
		webhook.Attempts = 4
		webhook.Error = &failure
	}
	mail := store.Notice{
		UUID:     m.newUUID(at),
		Kind:     store.NoticeEmail,
		Address:  a.ClientEmail,
		Success:  true,
		Attempts: 1,
		Created:  at,
	}
	letter := &domain.NoticeLetter{
		To:          a.ClientEmail,
		ClientName:  a.ClientName,
		OrderName:   o.Name,
		CompletedAt: at,
	}
	n.Notices = []domain.PastNotice{{Notice: webhook}, {Notice: mail, Letter: letter}}
}
