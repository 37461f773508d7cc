package fetch

import (
	"context"
	"errors"
	"slices"
	"time"

	"flightdesk/api"
)

// startItems starts downloads of waiting items, until q.o.Files downloads run at once. The caller must hold q.mu.
func (q *Queue) startItems() {
	for !q.closed && q.active < q.o.Files {
		it := q.nextItem()
		if it == nil {
			break
		}
		ctx, cancel := context.WithCancelCause(q.ctx)
		it.cancel = cancel
		it.state = Fetching
		it.stopping = false
		it.again = false
		it.speed.addSample(time.Now(), it.done.Load())
		if q.active == 0 {
			q.total = speedMeter{}
			q.total.addSample(time.Now(), q.received.Load())
		}
		q.active++
		q.wg.Go(func() { q.runItem(ctx, it) })
		q.notifyChange()
	}
}

// nextItem returns the first waiting item, or nil.
func (q *Queue) nextItem() *queueItem {
	i := slices.IndexFunc(q.items, func(it *queueItem) bool { return it.state == Waiting })
	if i < 0 {
		return nil
	}
	return q.items[i]
}

// runItem downloads one item and sets its final state.
func (q *Queue) runItem(ctx context.Context, it *queueItem) {
	it.work.Lock()
	entry, state, err := q.fetchItem(ctx, it)
	it.work.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	cause := context.Cause(ctx) // why the download was stopped; read before cancel sets another cause
	it.cancel(nil)
	it.note.Store(nil)
	it.connections.Store(0)
	it.speed = speedMeter{}
	q.active--
	if err == nil {
		it.entry = entry
		it.state = state
		it.err = nil
		it.size.Store(entry.Size)
		it.done.Store(entry.Size)
	} else {
		q.setFailedState(it, err, cause)
	}
	if it.again { // resumed while it was stopping
		q.requeueItem(it)
	}
	q.notifyChange()
	q.startItems() // also starts this item, if it waits again
}

// setFailedState sets the state of an item whose download has returned err. cause is the reason why
// the download was stopped, for example because the user paused it. If cause is nil, nobody stopped
// the download, and err is a failure. The caller must hold q.mu.
func (q *Queue) setFailedState(it *queueItem, err, cause error) {
	isFull := errors.Is(err, ErrNoSpace)
	isRequested := errors.Is(cause, errStopped) || errors.Is(cause, errPaused)
	switch {
	case errors.Is(cause, errCancelled):
		it.state = Cancelled
		it.err = nil
		it.done.Store(0)
	case isRequested:
		it.state = Paused
		it.err = nil
	case cause != nil:
		it.state = Paused
		it.err = cause
	case isFull:
		it.state = Paused
		it.err = err
		q.pauseFor(err) // the other items need space as well
	default:
		it.state = Failed
		it.err = err
	}
}

// fetchItem downloads the file of an item and adds it to the manifest. It returns the file's entry
// in the manifest and the new state of the item, which are valid only if err is nil.
func (q *Queue) fetchItem(ctx context.Context, it *queueItem) (entry FetchedFile, state State, err error) {
	defer api.CatchPanic(&err)
	if openErr := it.folder.openShared(); openErr != nil {
		return FetchedFile{}, Failed, openErr
	}
	defer func() {
		// closeShared writes the manifest with the entry of the file. If that fails, the download fails, too.
		err = errors.Join(err, it.folder.closeShared())
	}()
	entry, state, err = newFileTransfer(q, it).runTransfer(ctx)
	if err == nil {
		it.folder.addFetched(entry)
		return entry, state, nil
	}
	isCancelled := errors.Is(context.Cause(ctx), errCancelled)
	if isCancelled {
		it.removeTraces()
	}
	return FetchedFile{}, Failed, err
}

// removeTraces removes the incomplete file of a cancelled item, and the item from the manifest.
func (it *queueItem) removeTraces() {
	it.folder.dropOutstanding(it.file.ID)
	removePart(it.folder.root, it.path)
}

// pauseFor pauses all items, with the reason as their error. The caller must hold q.mu.
func (q *Queue) pauseFor(reason error) {
	for _, it := range q.items {
		switch it.state {
		case Waiting:
			it.state = Paused
			it.err = reason
		case Fetching:
			it.stopTransfer(reason)
		}
	}
}
