package server_test

import (
	"context"
	"errors"
	"fmt"
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

// The operations on an order that a history has.
const (
	doIssue  = "issue"
	doAccept = "accept"
	doReject = "reject"
	doAssign = "assign"
	doCancel = "cancel"
	doRead   = "read"
)

// The outcomes of an operation. What nobody knows of may have been done, then or later.
const (
	outcomeDone    = "done"
	outcomeRefused = "refused"
	outcomeUnknown = "unknown"
)

// did is a request about an order: to decide a named quote, or to assign an operator.
type did struct{ order, operation, name string }

// answer is its result, and for a read the values that it returned.
type answer struct{ outcome, seen string }

// orderState is an order of the model: its quotes by name, and who flies.
type orderState struct {
	status api.OrderStatus
	quotes map[string]api.QuoteStatus
	pilot  string
}

// String writes the state in one way, as reads do.
func (s orderState) String() string {
	text := []string{string(s.status), "pilot=" + s.pilot}
	for _, name := range slices.Sorted(maps.Keys(s.quotes)) {
		text = append(text, name+"="+string(s.quotes[name]))
	}
	return strings.Join(text, " ")
}

func parseState(text string) orderState {
	words := strings.Fields(text)
	s := orderState{status: api.OrderStatus(words[0]), quotes: map[string]api.QuoteStatus{}}
	s.pilot = strings.TrimPrefix(words[1], "pilot=")
	for _, word := range words[2:] {
		name, status, _ := strings.Cut(word, "=")
		s.quotes[name] = api.QuoteStatus(status)
	}
	return s
}

// after returns the order after an operation, and whether it is allowed.
func (s orderState) after(in did) (orderState, bool) {
	s.quotes = maps.Clone(s.quotes)
	bids, quote := s.status == api.OrderBiddingWithQuote, s.quotes[in.name]
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
		s.status, s.quotes[in.name] = api.OrderPendingOperator, api.QuoteAccepted
		return s, allowed
	case doReject:
		s.quotes[in.name] = api.QuoteRejected
		return s, quote == api.QuoteRejected || bids && quote == api.QuoteOpen
	case doAssign:
		s.pilot = in.name // of one of several missions, which the order does not follow
		return s, s.status == api.OrderPendingOperator
	case doCancel:
		s.closeQuotes()
		s.status = api.OrderCancelled
		return s, true
	}
	return s, true
}

// closeQuotes closes the open quotes, as an order does that bids no longer.
func (s orderState) closeQuotes() {
	for name, status := range s.quotes {
		if status == api.QuoteOpen {
			s.quotes[name] = api.QuoteClosed
		}
	}
}

// orderModel is what a service does that does one thing after the other.
var orderModel = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		orders := map[string][]porcupine.Operation{}
		for _, op := range history {
			id := op.Input.(did).order
			orders[id] = append(orders[id], op)
		}
		return slices.Collect(maps.Values(orders))
	},
	Init: func() []any { return []any{orderState{status: api.OrderBiddingWithQuote}.String()} },
	Step: func(state, input, output any) []any {
		in, out := input.(did), output.(answer)
		next, allowed := parseState(state.(string)).after(in)
		switch {
		case out.outcome == outcomeUnknown && allowed:
			return []any{state, next.String()}
		case out.outcome == outcomeUnknown, out.outcome == outcomeRefused && !allowed:
			return []any{state}
		case in.operation == doRead && out.seen == state.(string):
			return []any{state}
		case in.operation != doRead && out.outcome == outcomeDone && allowed:
			return []any{next.String()}
		}
		return nil
	},
}

// checkHistory returns what is wrong with a history, "" for nothing.
func checkHistory(history []porcupine.Operation, patience time.Duration) string {
	for _, of := range orderModel.Partition(history) {
		if result := porcupine.CheckOperationsTimeout(orderModel.ToModel(), of, patience); result != porcupine.Ok {
			slices.SortFunc(of, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
			var lines []string
			for _, op := range of {
				in, out := op.Input.(did), op.Output.(answer)
				lines = append(lines, fmt.Sprint(op.Call/1000, "–", op.Return/1000, " ", in.operation, " ", in.name, ": ", out.outcome, " ", out.seen))
			}
			return fmt.Sprintf("%s:\n%s", result, strings.Join(lines, "\n"))
		}
	}
	return ""
}

// never is when an operation returns whose outcome is unknown.
const never = int64(1) << 62

// The checker finds what is wrong, and nothing else.
func TestTheCheckerOfHistories(t *testing.T) {
	type line struct {
		from, to int64
		what     string // operation, name
		out      answer
	}
	done, refused := answer{outcome: outcomeDone}, answer{outcome: outcomeRefused}
	unknown := answer{outcome: outcomeUnknown}
	saw := func(text string) answer { return answer{outcomeDone, text} }
	both := []line{{1, 2, "issue a", done}, {3, 4, "issue b", done}}
	for name, c := range map[string]struct {
		lines []line
		wrong bool
	}{
		"one after the other":         {lines: append(both[:2:2], line{5, 6, "accept a", done}, line{7, 8, "read", saw("pendingOperator pilot= a=accepted b=closed")})},
		"two winners":                 {lines: append(both[:2:2], line{5, 8, "accept a", done}, line{6, 7, "accept b", done}), wrong: true},
		"one winner of two at once":   {lines: append(both[:2:2], line{5, 8, "accept a", refused}, line{6, 7, "accept b", done})},
		"refused without a reason":    {lines: append(both[:2:2], line{5, 6, "accept a", refused}), wrong: true},
		"a quote that is lost":        {lines: []line{{1, 2, "issue a", done}, {3, 4, "read", saw("biddingWithQuote pilot=")}}, wrong: true},
		"a read while it is issued":   {lines: []line{{1, 4, "issue a", done}, {2, 3, "read", saw("biddingWithQuote pilot=")}}},
		"a read that goes back":       {lines: []line{{1, 9, "issue a", done}, {2, 3, "read", saw("biddingWithQuote pilot= a=open")}, {4, 5, "read", saw("biddingWithQuote pilot=")}}, wrong: true},
		"unknown, and done":           {lines: []line{{1, never, "issue a", unknown}, {3, 4, "read", saw("biddingWithQuote pilot= a=open")}}},
		"unknown, and not done":       {lines: []line{{1, never, "issue a", unknown}, {3, 4, "read", saw("biddingWithQuote pilot=")}}},
		"unknown, and done later":     {lines: []line{{1, never, "issue a", unknown}, {3, 4, "read", saw("biddingWithQuote pilot=")}, {5, 6, "read", saw("biddingWithQuote pilot= a=open")}}},
		"unknown, done and undone":    {lines: []line{{1, never, "issue a", unknown}, {3, 4, "read", saw("biddingWithQuote pilot= a=open")}, {5, 6, "read", saw("biddingWithQuote pilot=")}}, wrong: true},
		"nobody's quote":              {lines: []line{{3, 4, "read", saw("biddingWithQuote pilot= z=open")}}, wrong: true},
		"a pilot before the decision": {lines: append(both[:2:2], line{5, 6, "assign Mele", done}), wrong: true},
		"the earlier pilot":           {lines: append(both[:2:2], line{5, 6, "accept a", done}, line{7, 8, "assign Mele", done}, line{9, 10, "assign Ada", done}, line{11, 12, "read", saw("pendingOperator pilot=Mele a=accepted b=closed")}), wrong: true},
		"a decision after the end":    {lines: append(both[:2:2], line{5, 6, "cancel", done}, line{7, 8, "accept a", done}), wrong: true},
	} {
		var history []porcupine.Operation
		for i, l := range c.lines {
			operation, of, _ := strings.Cut(l.what, " ")
			history = append(history, porcupine.Operation{ClientId: i, Input: did{"ORD-1", operation, of}, Call: l.from, Output: l.out, Return: l.to})
		}
		if wrong := checkHistory(history, time.Minute); (wrong != "") != c.wrong {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

// historian records the requests of clients and their responses.
type historian struct {
	clients []historyClient // of each process
	began   time.Time
	limit   int // operations

	mu      sync.Mutex
	history []porcupine.Operation
	count   int
	doubts  int
}

type historyClient struct {
	public *api.Client
	desk   *ops.Client
}

// watchedOrder is an order and the quotes of it that its clients know.
type watchedOrder struct {
	uuid, mission string

	mu     sync.Mutex
	quotes map[string]string // uuids by name
}

// newHistorian has clients of the processes of the benches, which repeat nothing.
func newHistorian(limit int, benches ...*bench) *historian {
	h := &historian{began: time.Now(), limit: limit}
	for _, b := range benches {
		public, err := api.NewClient(b.origin+server.PublicPath, api.WithLegacyURL(b.origin+server.LegacyPath), api.WithKey(benches[0].alice), api.WithRetries(0))
		if err != nil {
			b.t.Fatal(err)
		}
		desk, err := ops.NewClient(b.origin+server.OpsPath, b.s.OpsKey, api.WithRetries(0))
		if err != nil {
			b.t.Fatal(err)
		}
		h.clients = append(h.clients, historyClient{public, desk})
	}
	return h
}

// place places an order that the history is of, as often as it takes.
func (h *historian) place(ctx context.Context) (*watchedOrder, error) {
	for range 50 {
		c := h.clients[rand.IntN(len(h.clients))]
		placed, err := c.public.Orders.Create(ctx, survey(), api.NewIdempotencyKey())
		if err != nil {
			continue
		}
		if detail, err := c.desk.Orders.Get(ctx, placed.UUID); err == nil {
			return &watchedOrder{uuid: placed.UUID, mission: detail.Missions[0].UUID, quotes: map[string]string{}}, nil
		}
	}
	return nil, errors.New("no order can be placed")
}

// write has clients work on orders, one order after the other, until there are enough
// operations.
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
		h.mu.Lock()
		enough := h.count >= h.limit
		h.mu.Unlock()
		if enough || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// act does one thing with an order, by any of the processes, and notes it.
func (h *historian) act(ctx context.Context, o *watchedOrder, id, n int) {
	c := h.clients[rand.IntN(len(h.clients))]
	o.mu.Lock()
	known := slices.Sorted(maps.Keys(o.quotes))
	o.mu.Unlock()
	in := did{o.uuid, []string{doIssue, doIssue, doRead, doAccept, doReject, doAssign, doRead, doCancel}[rand.IntN(8)], ""}
	switch {
	case (in.operation == doAccept || in.operation == doReject) && len(known) == 0, in.operation == doCancel && n < 5:
		in.operation = doRead
	case in.operation == doAccept, in.operation == doReject:
		in.name = known[rand.IntN(len(known))]
	case in.operation == doIssue, in.operation == doAssign:
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
	case in.operation == doRead:
		return // which says nothing
	default:
		op.Output, op.Return = answer{outcome: outcomeUnknown}, never
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.history = append(h.history, op)
	if h.count++; op.Return == never {
		h.doubts++
	}
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
	case doCancel:
		_, err = c.public.Orders.Cancel(ctx, o.uuid)
	default:
		var d *ops.Order
		if d, err = c.desk.Orders.Get(ctx, o.uuid); err == nil {
			s := orderState{status: d.Status, quotes: map[string]api.QuoteStatus{}}
			for _, q := range d.Quotes {
				s.quotes[q.QuoteName] = q.Status
			}
			if name := d.Missions[0].OperatorName; name != nil {
				s.pilot = *name
			}
			seen = s.String()
		}
	}
	return seen, err
}

// report checks the history and says how much there is of it.
func (h *historian) report(t *testing.T, writers []error) {
	t.Helper()
	if err := errors.Join(writers...); err != nil {
		t.Fatal(err)
	}
	took := time.Since(h.began)
	if wrong := checkHistory(h.history, time.Minute); wrong != "" {
		t.Error(wrong)
	}
	t.Logf("%d operations in %v (%.0f per second), %d with an unknown outcome", h.count, took.Round(time.Millisecond),
		float64(h.count)/took.Seconds(), h.doubts)
	if h.count < h.limit {
		t.Errorf("only %d operations", h.count)
	}
}

// writeHistory has writers work on orders, each on its own, and checks what they saw.
func writeHistory(t *testing.T, h *historian, writers int, beside func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	outcomes := make([]error, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() { outcomes[i] = h.write(ctx) })
	}
	var troubles sync.WaitGroup
	if beside != nil {
		troubles.Go(func() { beside(ctx) })
	}
	all.Wait()
	cancel()
	troubles.Wait()
	h.report(t, outcomes)
}

// What clients see of orders and quotes at once is as if one thing were done after the
// other.
func TestHistoriesOfOrders(t *testing.T) {
	writeHistory(t, newHistorian(1500, newBench(t)), 3, nil)
}
