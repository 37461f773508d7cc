package server

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"flightdesk/api"
	"flightdesk/api/server/domain"
	"flightdesk/api/server/sample"
)

// resets keeps reads from seeing half of one.
type resets struct {
	mu    sync.Mutex
	count atomic.Uint64 // odd while one is under way
}

// steady has an operation done. One that reads may ask the store more than
// once; where a reset comes between, it is done anew. What writes does so in
// one go.
func (s *Server) steady(x *exchange, r route) (answer, error) {
	for {
		before := s.resets.count.Load()
		if before%2 == 1 {
			s.resets.wait()
			continue
		}
		a, err := r.handle(x)
		if !r.reads() {
			s.simulation.Wake()
			return a, err
		}
		if a.sent || s.resets.count.Load() == before {
			return a, err
		}
	}
}

// wait returns when no reset is under way.
func (r *resets) wait() {
	r.mu.Lock()
	defer r.mu.Unlock()
}

// reads reports whether the operation changes nothing. In the second generation
// all but the decision on a quote does not.
func (r route) reads() bool {
	return r.method == http.MethodGet || strings.HasPrefix(r.path, LegacyPath+"/") && !strings.Contains(r.path, "/quote/")
}

// world says what the demo's world has.
func (s *Server) world() sample.Options { return sample.Options{Orders: s.DemoOrders} }

// reset goes back to the seeded world, and returns how many orders it has.
func (s *Server) reset(ctx context.Context) (int, error) {
	s.resets.mu.Lock()
	defer s.resets.mu.Unlock()
	var w domain.World
	if s.Demo {
		first, _, err := s.desk.Filled(ctx)
		if err != nil {
			return 0, err
		}
		if first.IsZero() {
			return 0, fault(api.CodeConflict, "the data folder has not been filled by the demo; there is nothing to go back to")
		}
		if w, err = sample.Prepare(ctx, s.desk, s.Now(), first, s.world()); err != nil {
			return 0, err
		}
	}
	s.resets.count.Add(1)
	old, err := s.desk.Reset(ctx, w)
	s.resets.count.Add(1)
	if err != nil {
		return 0, err
	}
	s.simulation.Forget()
	for _, place := range old.Places {
		if err := s.files.Remove(ctx, place); err != nil {
			s.Log.Warn("a file of before the reset stays", "place", place, "error", err)
		}
	}
	n := len(w.Orders) + s.DemoOrders
	s.Log.Info("the service was reset", "orders", n)
	return n, nil
}

// resetRoutes are the operations that put everything back.
func (s *Server) resetRoutes() []route {
	return []route{{http.MethodPost, OpsPath + "/reset", operations, s.opsReset}}
}

func (s *Server) opsReset(x *exchange) (answer, error) {
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	err = readJSON(body, nil, func(r *reader) error {
		return r.object(member{"confirm", func() error { return r.confirmed() }})
	})
	if err != nil {
		return answer{}, err
	}
	if err := s.toTry(); err != nil {
		return answer{}, err
	}
	n, err := s.reset(x.r.Context())
	if err != nil {
		return answer{}, err
	}
	return answer{message: "everything is as at first", data: api.ResetResult{Orders: n}}, nil
}

// confirmed reads true.
func (r *reader) confirmed() error {
	yes := false
	count := r.count
	if err := r.yes(&yes); err != nil || r.count > count {
		return err
	}
	if !yes {
		r.fault("must be true")
	}
	return nil
}

// yes reads a boolean.
func (r *reader) yes(into *bool) error {
	if kind := r.dec.PeekKind(); kind != 't' && kind != 'f' {
		_, err := r.expect('t')
		return err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	*into = token.Bool()
	return nil
}
