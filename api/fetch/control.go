package fetch

import (
	"golang.org/x/time/rate"

	"flightdesk/api"
)

// Pause stops items that wait or are being fetched. What they have is kept.
func (q *Queue) Pause(ids ...ID) {
	q.eachItem(ids, func(it *queueItem) {
		switch it.state {
		case Waiting:
			it.state, it.err = Paused, nil
		case Fetching:
			it.stopTransfer(errPaused)
		}
	})
}

// stopTransfer stops an item that is being fetched; q.mu is held.
func (it *queueItem) stopTransfer(why error) {
	it.stopping, it.again = true, false
	it.cancel(why)
}

// Resume has items wait again that are paused, cancelled or have failed.
func (q *Queue) Resume(ids ...ID) { q.eachItem(ids, q.reviveItem) }

// Cancel takes items out that are not done. What they have is removed.
func (q *Queue) Cancel(ids ...ID) {
	q.eachItem(ids, func(it *queueItem) {
		switch it.state {
		case Fetching:
			it.stopTransfer(errDropped)
		case Waiting, Paused, Failed:
			it.state, it.err = Cancelled, nil
			it.done.Store(0)
			q.wg.Go(func() {
				if err := api.Guard(func() error { q.discardParts(it); return nil }); err != nil {
					q.mu.Lock()
					defer q.mu.Unlock()
					it.err = err
					q.notifyChange()
				}
			})
		}
	})
}

// discardParts removes what an item has that is not being fetched.
func (q *Queue) discardParts(it *queueItem) {
	it.work.Lock()
	defer it.work.Unlock()
	q.mu.Lock()
	still := it.state == Cancelled
	q.mu.Unlock()
	if !still || it.folder.openShared() != nil {
		return // the next fetch goes on with it or begins anew
	}
	it.folder.dropOutstanding(it.file.ID)
	removePart(it.folder.root, it.path)
	_ = it.folder.closeShared()
}

// Clear takes items off the list that are done or cancelled.
func (q *Queue) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	kept := q.items[:0:0]
	for _, it := range q.items {
		if it.state.IsFinal() {
			delete(q.byID, it.id)
			delete(q.byFile, it.key)
			continue
		}
		kept = append(kept, it)
	}
	q.items = kept
	q.notifyChange()
}

// SetRate limits the total speed in bytes per second; 0 for no limit. It applies to
// what is read next.
func (q *Queue) SetRate(bytes int64) {
	limit, burst := rate.Limit(bytes), max(512, min(bufferSize, bytes/50)) // that of 20 ms
	if bytes <= 0 {
		limit, burst = rate.Inf, bufferSize
	}
	q.throttle.Store(rate.NewLimiter(limit, int(burst)))
}

// Rate returns the limit in bytes per second; 0 is none.
func (q *Queue) Rate() int64 {
	if limit := q.throttle.Load().Limit(); limit != rate.Inf {
		return int64(limit)
	}
	return 0
}

func (q *Queue) eachItem(ids []ID, do func(*queueItem)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	for _, id := range ids {
		if it := q.byID[id]; it != nil {
			do(it)
		}
	}
	q.notifyChange()
	q.startItems()
}
