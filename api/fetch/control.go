package fetch

import (
	"golang.org/x/time/rate"

	"flightdesk/api"
)

// Pause stops items that are waiting or being downloaded. Their parts are kept.
func (q *Queue) Pause(ids ...ID) {
	q.eachItem(ids, func(it *queueItem) {
		switch it.state {
		case Waiting:
			it.state = Paused
			it.err = nil
		case Fetching:
			it.stopTransfer(errPaused)
		}
	})
}

// stopTransfer stops the download of an item. cause is the reason for it. The caller must hold
// q.mu.
func (it *queueItem) stopTransfer(cause error) {
	it.stopping = true
	it.again = false
	it.cancel(cause)
}

// Resume changes paused, cancelled and failed items to Waiting.
func (q *Queue) Resume(ids ...ID) { q.eachItem(ids, q.requeueItem) }

// Cancel cancels items that are not complete and removes their parts.
func (q *Queue) Cancel(ids ...ID) {
	q.eachItem(ids, func(it *queueItem) {
		switch it.state {
		case Fetching:
			it.stopTransfer(errCancelled)
		case Waiting, Paused, Failed:
			it.state = Cancelled
			it.err = nil
			it.done.Store(0)
			q.wg.Go(func() { q.discardCancelled(it) })
		}
	})
}

// discardCancelled removes the part of a cancelled item. A panic becomes the error of the
// item.
func (q *Queue) discardCancelled(it *queueItem) {
	err := api.Guard(func() error {
		q.discardParts(it)
		return nil
	})
	if err == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	it.err = err
	q.notifyChange()
}

func (q *Queue) discardParts(it *queueItem) {
	it.work.Lock()
	defer it.work.Unlock()
	q.mu.Lock()
	isCancelled := it.state == Cancelled
	q.mu.Unlock()
	if !isCancelled {
		return // the item was resumed in the meantime
	}
	if it.folder.openShared() != nil {
		return // the next download resumes the part or replaces it
	}
	it.folder.dropOutstanding(it.file.ID)
	removePart(it.folder.root, it.path)
	_ = it.folder.closeShared()
}

// Clear removes completed and cancelled items from the queue.
func (q *Queue) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	var kept []*queueItem
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

// SetRate limits the total speed in bytes per second; 0 means no limit. It also applies to
// running downloads.
func (q *Queue) SetRate(bytes int64) {
	if bytes <= 0 {
		q.throttle.Store(rate.NewLimiter(rate.Inf, bufferSize))
		return
	}
	const minBurst = 512
	burst := max(minBurst, min(bufferSize, bytes/50)) // the bytes of 20 ms
	q.throttle.Store(rate.NewLimiter(rate.Limit(bytes), int(burst)))
}

// Rate returns the limit in bytes per second, or 0 if there is none.
func (q *Queue) Rate() int64 {
	limit := q.throttle.Load().Limit()
	if limit == rate.Inf {
		return 0
	}
	return int64(limit)
}

// eachItem calls do for the items with the given IDs, then starts waiting items.
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
