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

// Simulator makes the service's moves in place of the people who would: it
// reviews orders and issues quotes, assigns operators, sets flight dates, sees to
// permissions, delivers data and accepts it. It works through the domain like
// they do, and what it does next follows from how orders stand alone, so that it
// continues after a restart where it was.
//
// It leaves an order alone until somebody has placed or moved it since the
// store was filled: the demo's orders stay as they are until a client or the
// operations do something with them. Accepting quotes is the client's.
//
// Its fields are set before its first use.
type Simulator struct {
	Desk     *domain.Service
	Log      *slog.Logger
	FileSize int64       // about how many bytes each kind of a delivery takes; 0 is small
	Seed     uint64      // of its chances
	Script   TimedScript // what is played besides; nil: nothing

	acting sync.Mutex // held while a step is taken

	mu     sync.Mutex
	state  SimulatorState
	plans  map[string]plannedSteps // by order
	refuse map[string]time.Time
	wake   chan struct{} // of one; something may be due at another time
}

// TimedScript is a list of events that is played at their times, as long as the
// simulator is not paused.
type TimedScript interface {
	Play(ctx context.Context) error // plays what is due
	Due() (at time.Time, ok bool)   // when the next event is; ok is false after the last
	IsOwn(orderUUID string) bool    // whether it moves an order itself, which the simulator leaves alone
}

// SimulatorState is how the simulator stands.
type SimulatorState struct {
	Paused    bool
	Speed     float64 // times faster than life
	Done      int     // steps taken
	LastError string  // of the last step that could not be taken
}

// plannedSteps are the steps of an order as it stood.
type plannedSteps struct {
	order  store.Order
	at     time.Time // when they were worked out
	spared bool
	steps  []SimulatorStep
}

// maxOrders is how many orders the simulator has in hand at most, those that
// were moved last.
const maxOrders = 500

// afterRefusal is how long an order is left alone, in hours of life, where a
// step of it could not be taken.
const afterRefusal = 6

// NewSimulator returns a simulator that is paused where the speed is 0.
func NewSimulator(d *domain.Service, log *slog.Logger, speed float64, fileSize int64) *Simulator {
	s := &Simulator{
		Desk:     d,
		Log:      log,
		FileSize: fileSize,
		wake:     make(chan struct{}, 1),
	}
	s.state.Speed = speed
	s.state.Paused = speed == 0
	s.Forget()
	return s
}

// Forget has everything be planned anew, as after a reset.
func (s *Simulator) Forget() {
	s.mu.Lock()
	s.plans = map[string]plannedSteps{}
	s.refuse = map[string]time.Time{}
	s.mu.Unlock()
	s.Wake()
}

// Wake tells that orders or the clock have changed. It does not wait.
func (s *Simulator) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// State returns how the simulator stands.
func (s *Simulator) State() SimulatorState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Set changes pace and pause; nil leaves as it is. Without a speed there is
// nothing to go on with, so that it is DemoSpeed then.
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

// Steps lists what is to be done, the next first.
func (s *Simulator) Steps(ctx context.Context) ([]SimulatorStep, error) {
	moved, err := s.Desk.Upkeep.RecentlyMoved(ctx, maxOrders)
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
		// The audience's first order and the demo's own are spared mishaps.
		known, err := s.planOrder(ctx, p, o, o.UUID == moved.First || o.Created.Before(moved.Since))
		if err != nil {
			return nil, err
		}
		kept[o.UUID] = known
		all = append(all, known.steps...)
	}
	s.mu.Lock()
	s.plans = kept
	for i := range all {
		if until := s.refuse[all[i].Order.UUID]; until.After(all[i].At) {
			all[i].At = until
		}
	}
	s.mu.Unlock()
	sort.SliceStable(all, func(i, j int) bool { return all[i].At.Before(all[j].At) })
	return all, nil
}

// planOrder returns the steps of an order, worked out anew where it has changed.
func (s *Simulator) planOrder(
	ctx context.Context, p simulatorPace, o store.Order, spared bool,
) (plannedSteps, error) {
	s.mu.Lock()
	known, there := s.plans[o.UUID]
	s.mu.Unlock()
	// One that was changed just before may have been changed once more since.
	settled := known.at.Sub(known.order.Updated) > 10*time.Millisecond
	if there && settled && known.spared == spared && known.order.Status == o.Status &&
		known.order.Updated.Equal(o.Updated) {
		return known, nil
	}
	now := s.Desk.Now()
	d, err := s.Desk.Orders.Detail(ctx, o.UUID)
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

// Next takes the next step if it is due, or anyway if it is not to wait. It
// reports what it took, nil where there is nothing to do.
func (s *Simulator) Next(ctx context.Context, wait bool) (*SimulatorStep, error) {
	s.acting.Lock()
	defer s.acting.Unlock()
	steps, err := s.Steps(ctx)
	if err != nil || len(steps) == 0 || wait && steps[0].At.After(s.Desk.Now()) {
		return nil, err
	}
	step := steps[0]
	err = s.takeStep(ctx, step)
	s.mu.Lock()
	delete(s.plans, step.Order.UUID)
	if errors.Is(err, errOvertaken) {
		err = nil
	} else if err == nil {
		s.state.Done++
		delete(s.refuse, step.Order.UUID)
	} else if ctx.Err() == nil {
		s.state.LastError = step.Does + " of " + step.Order.Code + ": " + err.Error()
		pace := simulatorPace{speed: max(s.state.Speed, 1e-3)}
		s.refuse[step.Order.UUID] = s.Desk.Now().Add(max(time.Second, pace.scaledLength(afterRefusal)))
	}
	s.mu.Unlock()
	if err != nil {
		s.Log.Warn("the simulator could not take a step", "step", step.Does, "order",
			step.Order.Code, "error", err)
	}
	return &step, err
}

// takeStep takes a step, unless the order has changed so that another one is next.
func (s *Simulator) takeStep(ctx context.Context, step SimulatorStep) error {
	d, err := s.Desk.Orders.Detail(ctx, step.Order.UUID)
	if err != nil {
		return err
	}
	if d.Order.Status != step.Order.Status || !d.Order.Updated.Equal(step.Order.Updated) {
		return errOvertaken
	}
	return s.performStep(ctx, s.currentPace(), step, d)
}

// errOvertaken says that somebody has moved an order, which is planned anew.
var errOvertaken = errors.New("the order has been moved in the meantime")

// Run takes steps as they are due until ctx ends.
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
			if took, err := s.Next(ctx, true); took == nil || err != nil {
				break
			}
		}
	}
}

// waitForQuiet lets a burst of changes pass, to look at what follows from it once.
func waitForQuiet(ctx context.Context) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// longRest is how long the simulator rests where nothing is to be done.
const longRest = time.Hour

// untilDue returns how long nothing is due.
func (s *Simulator) untilDue(ctx context.Context) time.Duration {
	if s.State().Paused {
		return longRest
	}
	rest := longRest
	if s.Script != nil {
		if at, ok := s.Script.Due(); ok {
			rest = at.Sub(s.Desk.Now())
		}
	}
	if steps, err := s.Steps(ctx); err == nil && len(steps) > 0 {
		rest = min(rest, steps[0].At.Sub(s.Desk.Now()))
	}
	return min(longRest, max(time.Millisecond, rest))
}

// orderQuotes tells how an order's quotes stand, and when the last one was decided.
func (m *worldMaker) orderQuotes(o demoOrder, past *domain.PastOrder, currency string) {
	switch o.orderStage() {
	case api.OrderRejected, api.OrderDeleted:
		return
	case api.OrderBiddingWithQuote:
		if o.Bids == bidsAwaited {
			return
		}
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
	if o.orderStage() == api.OrderBiddingWithQuote {
		m.addOpenQuotes(o.Bids, past)
		return
	}
	m.addDecidedQuotes(o, past)
}

// addOpenQuotes tells of the quotes of an order that bids.
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

// addDecidedQuotes tells of the quotes of an order that was once accepted, or was
// cancelled before.
func (m *worldMaker) addDecidedQuotes(o demoOrder, past *domain.PastOrder) {
	accepted := m.rng.IntN(len(past.Quotes))
	at := past.Created.Add(m.durationBetween(24*time.Hour, 44*time.Hour))
	for i := range past.Quotes {
		q := &past.Quotes[i]
		q.Status = api.QuoteClosed
		q.Decided = at
		switch {
		case o.orderStage() == api.OrderCancelled:
		case i == accepted:
			q.Status = api.QuoteAccepted
		case m.oneIn(3):
			q.Status = api.QuoteRejected
			q.Decided = at.Add(-time.Hour)
		}
	}
	past.Updated = at
}

// MakeFiles makes files for the kinds of a mission, or of a dataset's place,
// and has the domain keep them, each kind of about size bytes; 0 is small. They
// belong to nothing until a move takes them; after an error none is kept.
func MakeFiles(ctx context.Context, d *domain.Service, m product.Mission, size int64) ([]store.File, error) {
	var list []store.File
	made, err := product.Files(m, size)
	if err != nil {
		return nil, err
	}
	for _, f := range made {
		kept, err := keepFile(ctx, d, f)
		if err != nil {
			return nil, errors.Join(err, d.Missions.DiscardFiles(context.WithoutCancel(ctx), list...))
		}
		list = append(list, kept)
	}
	return list, nil
}

func keepFile(ctx context.Context, d *domain.Service, f product.File) (store.File, error) {
	content, err := f.Open()
	if err != nil {
		return store.File{}, err
	}
	kept, err := d.Missions.KeepFile(ctx, f.Name, f.MediaType, content)
	kept.Kind = f.Kind
	return kept, errors.Join(err, content.Close())
}

// SurveyOf tells a mission the way that its files are made for.
func SurveyOf(o store.Order, m store.Mission) product.Mission {
	return product.Mission{
		Location:     m.LocationMap,
		Deliverables: o.Deliverables,
		Flown:        m.FlightDate,
	}
}

// addNotices sets the completion notices of an order, and adds those sent so far.
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
		panic(fmt.Sprintf("a notice: %v", err)) // it is of the program's own
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
