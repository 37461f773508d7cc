package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"flightdesk/api/server/internal/store/files"
)

// backgroundWork is a background job of the service. The zero value is not running.
type backgroundWork struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// start runs work until its context is cancelled by stop.
func (w *backgroundWork) start(ctx context.Context, work func(context.Context)) {
	w.done = make(chan struct{})
	ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(w.done)
		work(ctx)
	}()
}

// stop cancels the work and waits for it, so that the store can be closed.
func (w *backgroundWork) stop() {
	if w.done != nil {
		w.cancel()
		<-w.done
	}
}

// dropStrays deletes unreferenced files. It runs in the background because there may be
// many files. If the file store cannot be reached, dropStrays waits for it.
func (s *Server) dropStrays(ctx context.Context) {
	dropped, err := s.domain.Upkeep.DropStrays(ctx)
	for errors.Is(err, files.ErrAway) && s.dependencies.files.waitUntilReachable(ctx) {
		select {
		case <-time.After(awayCheckInterval):
		case <-ctx.Done():
			return
		}
		dropped, err = s.domain.Upkeep.DropStrays(ctx)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("unreferenced files may remain", "error", err)
	}
	for _, place := range dropped {
		s.Log.Info("an unreferenced file was deleted", "file", place)
	}
	if len(dropped) > 0 {
		s.Log.Info("unreferenced files were deleted", "files", len(dropped))
	}
}

// tidyStore adds missing list texts of orders and deletes old logs while the service
// runs.
func (s *Server) tidyStore(ctx context.Context) {
	if err := s.store.FillRecordTexts(ctx); err != nil && ctx.Err() == nil {
		s.Log.Warn("lists of orders may be slower", "error", err)
	}
	s.dropOldLogs(ctx)
}

// logDropped logs how many old rows were deleted, or why they were not.
func logDropped(ctx context.Context, log *slog.Logger, kind string, dropped int, err error) {
	if err != nil && ctx.Err() == nil {
		log.Warn("old "+kind+" may remain", "error", err)
	}
	if dropped > 0 {
		log.Info("old "+kind+" were deleted", "rows", dropped)
	}
}

// dropOldLogs regularly deletes old requests and, if KeepLogs is set, old callbacks and
// notices, until ctx ends.
func (s *Server) dropOldLogs(ctx context.Context) {
	for {
		if s.KeepLogs > 0 {
			dropped, err := s.domain.Upkeep.DropLogs(ctx, s.Now().Add(-s.KeepLogs))
			logDropped(ctx, s.Log, "logs", dropped, err)
		}
		dropped, err := s.domain.Requests.Drop(ctx)
		logDropped(ctx, s.Log, "requests", dropped, err)
		select {
		case <-time.After(cleanupInterval):
		case <-ctx.Done():
			return
		}
	}
}

// cleanupInterval is the interval at which old logs are deleted.
const cleanupInterval = time.Hour
