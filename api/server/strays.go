package server

import "context"

// straySweep is the dropping of files that nothing names, while the service serves
// already: there may be many to look at, and nobody waits for it.
type straySweep struct {
	cancel context.CancelFunc
	done   chan struct{}
}

func (s *Server) startSweep(ctx context.Context) {
	s.sweep.done = make(chan struct{})
	ctx, s.sweep.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(s.sweep.done)
		dropped, err := s.domain.Upkeep.DropStrays(ctx)
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("unreferenced files may remain", "error", err)
		}
		for _, place := range dropped {
			s.Log.Info("an unreferenced file was deleted", "file", place)
		}
		if len(dropped) > 0 {
			s.Log.Info("unreferenced files were deleted", "files", len(dropped))
		}
	}()
}

// endSweep ends the sweep, for the store and the files to be closed.
func (s straySweep) endSweep() {
	if s.done != nil {
		s.cancel()
		<-s.done
	}
}
