package fetch

import "flightdesk/api"

// Pause stops items that wait or are being fetched. What they have is kept.
func (q *Queue) Pause(ids ...ID) {
	q.each(ids, func(it *item) {
		switch it.state {
		case Waiting:
			it.state, it.err = Paused, nil
		case Fetching:
			it.halt(errPaused)
		}
	})
}

// halt stops an item that is being fetched; q.mu is held.
func (it *item) halt(why error) {
	it.stopping, it.again = true, false
	it.cancel(why)
}

// Resume has items wait again that are paused, cancelled or have failed.
func (q *Queue) Resume(ids ...ID) { q.each(ids, q.revive) }

// Cancel takes items out that are not done. What they have is removed.
func (q *Queue) Cancel(ids ...ID) {
	q.each(ids, func(it *item) {
		switch it.state {
		case Fetching:
			it.halt(errDropped)
		case Waiting, Paused, Failed:
			it.state, it.err = Cancelled, nil
			it.done.Store(0)
			q.wg.Go(func() {
				if err := api.Guard(func() error { q.discard(it); return nil }); err != nil {
					q.mu.Lock()
					defer q.mu.Unlock()
					it.err = err
					q.changed()
				}
			})
		}
	})
}

// discard removes what an item has that is not being fetched.
func (q *Queue) discard(it *item) {
	it.work.Lock()
	defer it.work.Unlock()
	q.mu.Lock()
	still := it.state == Cancelled
	q.mu.Unlock()
	if !still || it.folder.open() != nil {
		return // the next fetch goes on with it or begins anew
	}
	it.folder.drop(it.file.ID)
	removePart(it.folder.root, it.path)
	_ = it.folder.close()
}

// PauseAll is Pause for all items.
func (q *Queue) PauseAll() { q.Pause(q.all()...) }

// ResumeAll resumes all items that are paused or have failed.
func (q *Queue) ResumeAll() {
	q.each(q.all(), func(it *item) {
		if it.state != Cancelled {
			q.revive(it)
		}
	})
}

// CancelAll is Cancel for all items.
func (q *Queue) CancelAll() { q.Cancel(q.all()...) }

// SetPriority has items come before those of a lower priority. What is being
// fetched goes on.
func (q *Queue) SetPriority(priority int, ids ...ID) {
	q.each(ids, func(it *item) {
		it.priority = priority
		q.unsorted = true
	})
}

// Clear takes items off the list that are done or cancelled.
func (q *Queue) Clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	kept := q.items[:0:0]
	for _, it := range q.items {
		if it.state.Over() {
			delete(q.byID, it.id)
			delete(q.byFile, it.key)
			continue
		}
		kept = append(kept, it)
	}
	q.items = kept
	q.changed()
}

// SetRate bounds what all items receive together, in bytes per second; 0 is no
// bound. It holds at once.
func (q *Queue) SetRate(rate int64) { q.throttle.set(rate) }

// Rate returns the bound in bytes per second; 0 is none.
func (q *Queue) Rate() int64 { return q.throttle.rate.Load() }

func (q *Queue) all() []ID {
	q.mu.Lock()
	defer q.mu.Unlock()
	ids := make([]ID, len(q.items))
	for i, it := range q.items {
		ids[i] = it.id
	}
	return ids
}

func (q *Queue) each(ids []ID, do func(*item)) {
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
	q.changed()
	q.schedule()
}
