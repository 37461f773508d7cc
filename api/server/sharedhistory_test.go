//go:build postgres

package server_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// writeTroubledHistory checks the responses of three processes with different clocks during a series
// of problems: connections to the database are cut, before a request or between COMMIT and its
// response; processes are killed or replaced; the database crashes or is stopped for a while; the
// bucket cannot be reached.
func writeTroubledHistory(t *testing.T, operations int, pause, longest time.Duration, previous string) {
	t.Helper()
	p := newTrio(t)
	p.previous = previous
	h := &historian{t: t, began: time.Now(), limit: operations}
	for _, it := range p.processes {
		h.clients = append(h.clients, newHistoryClient(t, "http://"+it.Addr, p.key, p.through.ready.OpsKey))
	}
	began := time.Now()
	counts := map[string]int{}
	writeHistory(t, h, 4, func(ctx context.Context) {
		for rest(ctx, pause) {
			what := p.trouble(ctx, time.Duration(rand.Int64N(int64(longest))))
			counts[what]++
			if h.isSlow(began) {
				t.Error("no operation in ten minutes")
				return
			}
		}
	})
	t.Logf("troubles: %v; crashes of processes, database, both: %v", counts, p.crashes)
	p.checkCallbacks(h)
	p.checkTables()
	for _, cmd := range p.running {
		kill(t, cmd)
	}
}

// trouble causes a problem, and ends it after a while.
func (p *trio) trouble(ctx context.Context, while time.Duration) string {
	cut := p.cuts[rand.IntN(len(p.cuts))]
	switch n := rand.IntN(100); {
	case n < 43:
		cut.CutAnswer()
		return "answers of COMMIT cut"
	case n < 83:
		cut.CutRequest()
		return "requests cut"
	case n < 87:
		p.bucket.SetAway(true)
		rest(ctx, while)
		p.bucket.SetAway(false)
		return "bucket away"
	case n < 93:
		p.replace()
		return "processes replaced"
	case n < 94:
		if err := p.database.Down("fast"); err != nil {
			p.t.Fatal(err)
		}
		rest(ctx, while)
		if err := p.database.Up(); err != nil {
			p.t.Fatal(err)
		}
		return "database stopped"
	default:
		p.crash()
		return "crashes"
	}
}

// isSlow reports whether nothing was done in the last ten minutes.
func (h *historian) isSlow(began time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := began
	if n := len(h.history); n > 0 {
		last = h.began.Add(time.Duration(h.history[n-1].Call))
	}
	return time.Since(last) > 10*time.Minute
}

// checkCallbacks checks the events of all operations in the history: each event is in the log once,
// none is pending, and each one that counts as delivered was received.
func (p *trio) checkCallbacks(h *historian) {
	p.t.Helper()
	type key struct{ mission, event string }
	sure := map[key]int{}
	possible := map[key]int{}
	events := map[string]api.EventName{
		doAssign: api.EventOperatorAssigned, doSchedule: api.EventFlightScheduled, doDeliver: api.EventDataDelivered,
	}
	for _, op := range h.history {
		in := op.Input.(did)
		out := op.Output.(answer)
		of := key{in.mission, string(events[in.operation])}
		if of.event == "" {
			continue
		}
		switch out.outcome {
		case outcomeDone:
			sure[of]++
			possible[of]++
		case outcomeUnknown:
			possible[of]++
		}
	}
	db := p.database.Open(p.t, p.database.URL("postgres"))
	var success, pending int
	storetest.Eventually(p.t, "no callback is pending", func() bool {
		err := db.QueryRow(`SELECT count(*) FILTER (WHERE success <> 0), count(*) FILTER (WHERE error = $1) FROM webhook_deliveries`,
			store.DeliveryPending).Scan(&success, &pending)
		return err == nil && pending == 0
	})
	rows, err := db.Query(`SELECT mission_uuid, event, count(*) FROM webhook_deliveries GROUP BY 1, 2`)
	if err != nil {
		p.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var of key
		var n int
		if err := rows.Scan(&of.mission, &of.event, &n); err != nil {
			p.t.Fatal(err)
		}
		if _, watched := possible[of]; watched && (n < sure[of] || n > possible[of]) {
			p.t.Errorf("%v has %d events, want %d to %d", of, n, sure[of], possible[of])
		}
		delete(sure, of)
	}
	if err := rows.Err(); err != nil || len(sure) > 0 {
		p.t.Errorf("%d events are not known at all: %v", len(sure), err)
	}
	if taken := int(p.received.taken.Load()); taken < success {
		p.t.Errorf("%d callbacks were received, %d count as such", taken, success)
	}
	p.t.Logf("%d callbacks received, %d count as such", p.received.taken.Load(), success)
}

func TestHistoriesOfProcessesInTrouble(t *testing.T) {
	writeTroubledHistory(t, 1500, 150*time.Millisecond, time.Second, "")
}
