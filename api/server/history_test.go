package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// The operations on an order in a history.
const (
	doIssue    = "issue"
	doAccept   = "accept"
	doReject   = "reject"
	doAssign   = "assign"
	doSchedule = "schedule"
	doDeliver  = "deliver"
	doCancel   = "cancel"
	doRead     = "read"
	doList     = "list" // lists the files
)

// The outcomes of an operation. An operation with an unknown outcome may have been applied, at any
// later time.
const (
	outcomeDone    = "done"
	outcomeRefused = "refused"
	outcomeUnknown = "unknown"
)

// did is an operation on an order: deciding a named quote, assigning an operator, or delivering a
// file.
type did struct{ order, mission, operation, name string }

// answer is the result of an operation, and for a read the values that it returned.
type answer struct{ outcome, seen string }

// orderState is the state of an order in the model: its quotes by name, the operator and the progress
// of its first mission, and its files.
type orderState struct {
	status  api.OrderStatus
	quotes  map[string]api.QuoteStatus
	pilot   string
	mission api.MissionStatus
	files   []string
}

// record formats everything but the files, in the same way for the model and for reads.
func (s orderState) record() string {
	text := []string{string(s.status), "pilot=" + s.pilot, "mission=" + string(s.mission)}
	for _, name := range slices.Sorted(maps.Keys(s.quotes)) {
		text = append(text, name+"="+string(s.quotes[name]))
	}
	return strings.Join(text, " ")
}

// list formats the files, in the same way for the model and for reads.
func (s orderState) list() string { return strings.Join(slices.Sorted(slices.Values(s.files)), " ") }

func (s orderState) String() string { return s.record() + "|" + s.list() }

func parseState(text string) orderState {
	record, list, _ := strings.Cut(text, "|")
	words := strings.Fields(record)
	s := orderState{status: api.OrderStatus(words[0]), quotes: map[string]api.QuoteStatus{}, files: strings.Fields(list)}
	s.pilot = strings.TrimPrefix(words[1], "pilot=")
	s.mission = api.MissionStatus(strings.TrimPrefix(words[2], "mission="))
	for _, word := range words[3:] {
		name, status, _ := strings.Cut(word, "=")
		s.quotes[name] = api.QuoteStatus(status)
	}
	return s
}

// after returns the order after an operation, and whether the operation is allowed.
func (s orderState) after(in did) (orderState, bool) {
	s.quotes = maps.Clone(s.quotes)
	bids := s.status == api.OrderBiddingWithQuote
	flies := s.status == api.OrderPendingOperator
	quote := s.quotes[in.name]
	is := func(of api.MissionMove) bool { return flies && slices.Contains(of.AllowedFrom(), s.mission) }
	switch in.operation {
	case doIssue:
		s.quotes[in.name] = api.QuoteOpen
		return s, bids
	case doAccept:
		if quote == api.QuoteAccepted {
			return s, true
		}
		allowed := bids && quote == api.QuoteOpen
		s.closeQuotes()
		s.status = api.OrderPendingOperator
		s.quotes[in.name] = api.QuoteAccepted
		return s, allowed
	case doReject:
		s.quotes[in.name] = api.QuoteRejected
		return s, quote == api.QuoteRejected || bids && quote == api.QuoteOpen
	case doAssign:
		allowed := is(api.MoveAssignOperator)
		s.pilot, s.mission = in.name, api.MissionPilotAssigned // one mission of several, so the status of the order does not change
		return s, allowed
	case doSchedule:
		allowed := is(api.MoveSchedule)
		s.mission = api.MissionFlightScheduled
		return s, allowed
	case doDeliver:
		allowed := is(api.MoveDeliver)
		s.mission, s.files = api.MissionDataDelivered, append(slices.Clone(s.files), in.name)
		return s, allowed
	case doCancel:
		allowed := !s.mission.IsDelivered()
		s.closeQuotes()
		s.status = api.OrderCancelled
		s.mission = api.MissionCancelled
		return s, allowed
	}
	return s, true
}

// closeQuotes closes the open quotes, because the order has ended bidding.
func (s orderState) closeQuotes() {
	for name, status := range s.quotes {
		if status == api.QuoteOpen {
			s.quotes[name] = api.QuoteClosed
		}
	}
}

// orderModel is the behaviour of a service that performs one operation after the other.
var orderModel = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		orders := map[string][]porcupine.Operation{}
		for _, op := range history {
			id := op.Input.(did).order
			orders[id] = append(orders[id], op)
		}
		return slices.Collect(maps.Values(orders))
	},
	Init: func() []any {
		return []any{orderState{status: api.OrderBiddingWithQuote, mission: api.MissionAwaitingPilot}.String()}
	},
	Step: func(state, input, output any) []any {
		in := input.(did)
		out := output.(answer)
		now := parseState(state.(string))
		next, allowed := now.after(in)
		switch {
		case out.outcome == outcomeUnknown && allowed:
			return []any{state, next.String()}
		case out.outcome == outcomeUnknown, out.outcome == outcomeRefused && !allowed:
			return []any{state}
		case in.operation == doRead && out.seen == now.record(), in.operation == doList && out.seen == now.list():
			return []any{state}
		case in.operation != doRead && in.operation != doList && out.outcome == outcomeDone && allowed:
			return []any{next.String()}
		}
		return nil
	},
}

// checkHistory returns what is wrong with a history, or "".
func checkHistory(history []porcupine.Operation, patience time.Duration) string {
	for _, of := range orderModel.Partition(history) {
		if result := porcupine.CheckOperationsTimeout(orderModel.ToModel(), of, patience); result != porcupine.Ok {
			slices.SortFunc(of, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
			var lines []string
			for _, op := range of {
				in := op.Input.(did)
				out := op.Output.(answer)
				lines = append(lines, fmt.Sprint(op.Call/1000, "–", op.Return/1000, " ", in.operation, " ", in.name, ": ", out.outcome, " ", out.seen))
			}
			return fmt.Sprintf("%s:\n%s", result, strings.Join(lines, "\n"))
		}
	}
	return ""
}

// never is the return time of an operation whose outcome is unknown.
const never = int64(1) << 62

// The checker finds each violation and nothing else.
func TestHistoryChecker(t *testing.T) {
	type line struct {
		from, to int64
		what     string // operation and name
		out      answer
	}
	done := answer{outcome: outcomeDone}
	refused := answer{outcome: outcomeRefused}
	unknown := answer{outcome: outcomeUnknown}
	saw := func(text string) answer { return answer{outcomeDone, text} }
	both := []line{{1, 2, "issue a", done}, {3, 4, "issue b", done}}
	flown := func() []line {
		return append(both[:2:2], line{5, 6, "accept a", done}, line{7, 8, "assign Mele", done}, line{9, 10, "schedule", done})
	}
	for name, c := range map[string]struct {
		lines []line
		wrong bool
	}{
		"one after the other":         {lines: append(both[:2:2], line{5, 6, "accept a", done}, line{7, 8, "read", saw("pendingOperator pilot= mission=awaitingPilot a=accepted b=closed")})},
		"two winners":                 {lines: append(both[:2:2], line{5, 8, "accept a", done}, line{6, 7, "accept b", done}), wrong: true},
		"one winner of two at once":   {lines: append(both[:2:2], line{5, 8, "accept a", refused}, line{6, 7, "accept b", done})},
		"refused without a reason":    {lines: append(both[:2:2], line{5, 6, "accept a", refused}), wrong: true},
		"a quote that is lost":        {lines: []line{{1, 2, "issue a", done}, {3, 4, "read", saw("biddingWithQuote pilot= mission=awaitingPilot")}}, wrong: true},
		"a read while it is issued":   {lines: []line{{1, 4, "issue a", done}, {2, 3, "read", saw("biddingWithQuote pilot= mission=awaitingPilot")}}},
		"a read that goes back":       {lines: []line{{1, 9, "issue a", done}, {2, 3, "read", saw("biddingWithQuote pilot= mission=awaitingPilot a=open")}, {4, 5, "read", saw("biddingWithQuote pilot= mission=awaitingPilot")}}, wrong: true},
		"unknown, and done":           {lines: []line{{1, never, "issue a", unknown}, {3, 4, "read", saw("biddingWithQuote pilot= mission=awaitingPilot a=open")}}},
		"unknown, and not done":       {lines: []line{{1, never, "issue a", unknown}, {3, 4, "read", saw("biddingWithQuote pilot= mission=awaitingPilot")}}},
		"unknown, and done later":     {lines: []line{{1, never, "issue a", unknown}, {3, 4, "read", saw("biddingWithQuote pilot= mission=awaitingPilot")}, {5, 6, "read", saw("biddingWithQuote pilot= mission=awaitingPilot a=open")}}},
		"unknown, done and undone":    {lines: []line{{1, never, "issue a", unknown}, {3, 4, "read", saw("biddingWithQuote pilot= mission=awaitingPilot a=open")}, {5, 6, "read", saw("biddingWithQuote pilot= mission=awaitingPilot")}}, wrong: true},
		"nobody's quote":              {lines: []line{{3, 4, "read", saw("biddingWithQuote pilot= mission=awaitingPilot z=open")}}, wrong: true},
		"a pilot before the decision": {lines: append(both[:2:2], line{5, 6, "assign Mele", done}), wrong: true},
		"the earlier pilot":           {lines: append(both[:2:2], line{5, 6, "accept a", done}, line{7, 8, "assign Mele", done}, line{9, 10, "assign Ada", done}, line{11, 12, "read", saw("pendingOperator pilot=Mele mission=pilotAssigned a=accepted b=closed")}), wrong: true},
		"a decision after the end":    {lines: append(both[:2:2], line{5, 6, "cancel", done}, line{7, 8, "accept a", done}), wrong: true},
		"a file that is lost":         {lines: append(flown(), line{13, 14, "deliver f", done}, line{15, 16, "list", saw("")}), wrong: true},
		"a file that may be there":    {lines: append(flown(), line{13, never, "deliver f", unknown}, line{15, 16, "list", saw("f")})},
		"a file nobody delivered":     {lines: append(flown(), line{15, 16, "list", saw("g")}), wrong: true},
		"a delivery without a flight": {lines: append(flown()[:4], line{13, 14, "deliver f", done}), wrong: true},
		"a cancellation after data":   {lines: append(flown(), line{13, 14, "deliver f", done}, line{15, 16, "cancel", done}), wrong: true},
	} {
		var history []porcupine.Operation
		for i, l := range c.lines {
			operation, of, _ := strings.Cut(l.what, " ")
			history = append(history, porcupine.Operation{ClientId: i, Input: did{"ORD-1", "MSN-1", operation, of}, Call: l.from, Output: l.out, Return: l.to})
		}
		if wrong := checkHistory(history, time.Minute); (wrong != "") != c.wrong {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

// historian records the requests of clients and their responses.
type historian struct {
	t       testing.TB
	clients []historyClient // of each process
	began   time.Time
	limit   int // operations

	mu      sync.Mutex
	history []porcupine.Operation
	count   int
}

type historyClient struct {
	public *api.Client
	desk   *ops.Client
}

// newHistoryClient returns clients of a process that do not retry.
func newHistoryClient(t testing.TB, origin, key, opsKey string) historyClient {
	t.Helper()
	public, err1 := api.NewClient(origin+server.PublicPath, api.WithLegacyURL(origin+server.LegacyPath), api.WithKey(key), api.WithRetries(0))
	desk, err2 := ops.NewClient(origin+server.OpsPath, opsKey, api.WithRetries(0))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return historyClient{public, desk}
}

// watchedOrder is an order and its quotes as the clients know them.
type watchedOrder struct {
	uuid, mission string

	mu      sync.Mutex
	quotes  map[string]string // UUIDs by name
	history []porcupine.Operation
}

// newHistorian returns a historian with clients of the processes of the benches.
func newHistorian(limit int, benches ...*bench) *historian {
	h := &historian{t: benches[0].t, began: time.Now(), limit: limit}
	for _, b := range benches {
		h.clients = append(h.clients, newHistoryClient(b.t, b.origin, benches[0].alice, b.s.OpsKey))
	}
	return h
}

// rest waits, and reports whether ctx has not ended.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// place places the order of a history. It retries until the order is placed.
func (h *historian) place(ctx context.Context) (*watchedOrder, error) {
	var last error
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); {
		c := h.clients[rand.IntN(len(h.clients))]
		placed, err := c.public.Orders.Create(ctx, survey(), api.NewIdempotencyKey())
		last = err
		if err != nil {
			rest(ctx, 50*time.Millisecond)
			continue
		}
		detail, err := c.desk.Orders.Get(ctx, placed.UUID)
		last = err
		if err == nil {
			return &watchedOrder{uuid: placed.UUID, mission: detail.Missions[0].UUID, quotes: map[string]string{}}, nil
		}
	}
	return nil, fmt.Errorf("no order can be placed: %w", last)
}

// write lets clients work on one order after the other until there are enough operations.
func (h *historian) write(ctx context.Context) error {
	for {
		o, err := h.place(ctx)
		if err != nil {
			return err
		}
		var clients sync.WaitGroup
		for id := range 4 {
			clients.Go(func() {
				for n := range 8 {
					h.act(ctx, o, id, n)
				}
			})
		}
		clients.Wait()
		if wrong := checkHistory(o.history, time.Minute); wrong != "" {
			return errors.New(wrong)
		}
		h.mu.Lock()
		before := h.count
		h.count += len(o.history)
		h.history = append(h.history, o.history...)
		count := h.count
		h.mu.Unlock()
		if every := h.limit / 10; before/every != count/every {
			h.t.Logf("%d operations checked after %v", count, time.Since(h.began).Round(time.Second))
		}
		if count >= h.limit || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// historyPlan is the operation that a client performs on an order; the zero value is a random one.
var historyPlan = []string{doIssue, doIssue, doAccept, doAssign, doSchedule, doDeliver, doList, doCancel, doRead, doRead, doReject}

// act performs one operation on an order with a random process, and records it.
func (h *historian) act(ctx context.Context, o *watchedOrder, id, n int) {
	c := h.clients[rand.IntN(len(h.clients))]
	o.mu.Lock()
	known := slices.Sorted(maps.Keys(o.quotes))
	o.mu.Unlock()
	in := did{o.uuid, o.mission, historyPlan[n], ""}
	if rand.IntN(2) == 0 {
		in.operation = historyPlan[rand.IntN(len(historyPlan))]
	}
	if (in.operation == doAccept || in.operation == doReject) && len(known) == 0 || in.operation == doCancel && n < 5 {
		in.operation = doRead
	} else if in.operation == doAccept || in.operation == doReject {
		in.name = known[rand.IntN(len(known))]
	} else if in.operation == doIssue || in.operation == doAssign || in.operation == doDeliver {
		in.name = fmt.Sprintf("%s-%d-%d", in.operation, id, n)
	}
	call := time.Since(h.began).Nanoseconds()
	seen, err := h.do(ctx, c, o, in)
	op := porcupine.Operation{ClientId: id, Input: in, Call: call, Output: answer{outcomeDone, seen}, Return: time.Since(h.began).Nanoseconds()}
	var refusal *api.Error
	switch {
	case err == nil:
	case errors.As(err, &refusal) && refusal.Status == http.StatusConflict:
		op.Output = answer{outcome: outcomeRefused}
	case in.operation == doRead, in.operation == doList:
		return // the response does not say whether it was applied
	default:
		op.Output = answer{outcome: outcomeUnknown}
		op.Return = never
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.history = append(o.history, op)
}

func (h *historian) do(ctx context.Context, c historyClient, o *watchedOrder, in did) (seen string, err error) {
	o.mu.Lock()
	quote := o.quotes[in.name]
	o.mu.Unlock()
	switch in.operation {
	case doIssue:
		var q *ops.Quote
		q, err = c.desk.Quotes.Issue(ctx, o.uuid, ops.QuoteInput{
			QuoteName: in.name, DeliveryBy: 7, PriceBeforeDiscount: 100, ExpiryDate: api.TimeOf(time.Now().AddDate(10, 0, 0)),
		})
		if err == nil {
			o.mu.Lock()
			o.quotes[in.name] = q.UUID
			o.mu.Unlock()
		}
	case doAccept:
		_, err = c.public.Quotes.Accept(ctx, o.uuid, quote)
	case doReject:
		_, err = c.public.Quotes.Reject(ctx, o.uuid, quote)
	case doAssign:
		_, err = c.desk.Missions.AssignOperator(ctx, o.mission, in.name)
	case doSchedule:
		_, err = c.desk.Missions.Schedule(ctx, o.mission, ops.FlightInput{FlightDate: api.TimeOf(time.Now().Add(time.Hour))})
	case doDeliver:
		_, err = c.desk.Missions.Deliver(ctx, o.mission, api.FileInput{
			Name: in.name + ".jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader(in.name),
		})
	case doCancel:
		_, err = c.public.Orders.Cancel(ctx, o.uuid)
	case doList:
		return c.listFiles(ctx, o.mission)
	default:
		var d *ops.Order
		d, err = c.desk.Orders.Get(ctx, o.uuid)
		if err == nil {
			s := orderState{status: d.Status, mission: d.Missions[0].Status, quotes: map[string]api.QuoteStatus{}}
			for _, q := range d.Quotes {
				s.quotes[q.QuoteName] = q.Status
			}
			if name := d.Missions[0].OperatorName; name != nil {
				s.pilot = *name
			}
			seen = s.record()
		}
	}
	return seen, err
}

// listFiles lists the files of a mission by their content. A deleted file is listed as "gone".
func (c historyClient) listFiles(ctx context.Context, mission string) (string, error) {
	packages, err := c.public.Missions.Packages(ctx, mission)
	var s orderState
	for _, p := range packages {
		files, err := c.public.Files.List(ctx, p.UUID)
		if err != nil {
			return "", err
		}
		for _, f := range files {
			content, err := readFile(ctx, f.DownloadURL)
			if err != nil {
				return "", err
			}
			s.files = append(s.files, content)
		}
	}
	return s.list(), err
}

func readFile(ctx context.Context, link string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == http.StatusNotFound {
		return "gone", nil
	}
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	return string(body), err
}

// report checks the history and logs its size.
func (h *historian) report(t *testing.T, writers []error) {
	t.Helper()
	if err := errors.Join(writers...); err != nil {
		t.Fatal(err)
	}
	took := time.Since(h.began)
	counts := map[string]int{}
	for _, op := range h.history {
		counts[op.Input.(did).operation+" "+op.Output.(answer).outcome]++
	}
	t.Logf("%d operations in %v (%.0f per second), by their outcome: %v", h.count, took.Round(time.Millisecond),
		float64(h.count)/took.Seconds(), counts)
	if h.count < h.limit {
		t.Errorf("only %d operations", h.count)
	}
}

// writeHistory lets writers work on separate orders, and checks the responses.
func writeHistory(t *testing.T, h *historian, writers int, beside func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	outcomes := make([]error, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() { outcomes[i] = h.write(ctx) })
	}
	go func() {
		all.Wait()
		cancel()
	}()
	if beside != nil {
		beside(ctx)
	}
	<-ctx.Done()
	h.report(t, outcomes)
}

// Clients that use the same orders and quotes at the same time get responses that some sequence of the
// operations explains.
func TestHistoriesOfOrders(t *testing.T) {
	t.Parallel()
	writeHistory(t, newHistorian(1500, newBench(t)), 3, nil)
}
