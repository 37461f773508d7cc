package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
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

// storeUpkeep tidies the store and the file store in the background.
type storeUpkeep struct {
	store    *store.Store
	domain   *domain.Service
	files    *dependency // the file store
	keepLogs time.Duration
	now      func() time.Time
	log      *slog.Logger

	strays backgroundWork // deletes unreferenced files
	sweep  backgroundWork // tidies the store
}

func (u *storeUpkeep) start(ctx context.Context) {
	u.strays.start(ctx, u.dropStrays)
	u.sweep.start(ctx, u.tidyStore)
}

func (u *storeUpkeep) stop() {
	u.strays.stop()
	u.sweep.stop()
}

// dropStrays deletes unreferenced files. It runs in the background because there may be
// many files. If the file store cannot be reached, dropStrays waits for it.
func (u *storeUpkeep) dropStrays(ctx context.Context) {
	dropped, err := u.domain.Upkeep.DropStrays(ctx)
	for errors.Is(err, files.ErrAway) && u.files.waitUntilReachable(ctx) {
		select {
		case <-time.After(awayCheckInterval):
		case <-ctx.Done():
			return
		}
		dropped, err = u.domain.Upkeep.DropStrays(ctx)
	}
	if err != nil && ctx.Err() == nil {
		u.log.Warn("unreferenced files may remain", "error", err)
	}
	for _, place := range dropped {
		u.log.Info("an unreferenced file was deleted", "file", place)
	}
	if len(dropped) > 0 {
		u.log.Info("unreferenced files were deleted", "files", len(dropped))
	}
}

// tidyStore first saves the JSON text for lists in orders that have none, see
// [store.Store.FillRecordTexts]. It then deletes old logs regularly, until ctx ends.
func (u *storeUpkeep) tidyStore(ctx context.Context) {
	if err := u.store.FillRecordTexts(ctx); err != nil && ctx.Err() == nil {
		u.log.Warn("lists of orders may be slower", "error", err)
	}
	u.dropOldLogs(ctx)
}

// logDropped logs how many old rows were deleted. If err is not nil, it logs that some may remain.
// kind is the word for the rows in the log, such as "requests".
func logDropped(ctx context.Context, log *slog.Logger, kind string, dropped int, err error) {
	if err != nil && ctx.Err() == nil {
		log.Warn("old "+kind+" may remain", "error", err)
	}
	if dropped > 0 {
		log.Info("old "+kind+" were deleted", "rows", dropped)
	}
}

// dropOldLogs regularly deletes old requests and, if logs are not kept forever, old callbacks and
// notices, until ctx ends.
func (u *storeUpkeep) dropOldLogs(ctx context.Context) {
	for {
		if u.keepLogs > 0 {
			dropped, err := u.domain.Upkeep.DropLogs(ctx, u.now().Add(-u.keepLogs))
			logDropped(ctx, u.log, "logs", dropped, err)
		}
		dropped, err := u.domain.Requests.Drop(ctx)
		logDropped(ctx, u.log, "requests", dropped, err)
		select {
		case <-time.After(cleanupInterval):
		case <-ctx.Done():
			return
		}
	}
}

// cleanupInterval is the interval at which old logs are deleted.
const cleanupInterval = time.Hour
