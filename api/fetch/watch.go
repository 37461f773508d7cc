package fetch

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"flightdesk/api"
)

// runMeters runs updateMeters. A panic pauses all items.
func (q *Queue) runMeters() {
	err := api.Guard(func() error {
		q.updateMeters()
		return nil
	})
	if err != nil {
		q.pauseAll(err)
	}
}

// updateMeters regularly measures speeds, saves manifests and checks the free disk space.
func (q *Queue) updateMeters() {
	ticker := time.NewTicker(meterPeriod)
	defer ticker.Stop()
	space := make(chan error, 1) // results of checks of the free disk space
	isChecking := false
	for {
		select {
		case <-q.ctx.Done():
			return
		case now := <-ticker.C:
			folders, need := q.sampleMeters(now)
			if need > 0 && !isChecking {
				// The check runs separately, because a network drive that sleeps can block it,
				// and the queue and Close must not wait for that.
				isChecking = true
				go func() { space <- api.Guard(func() error { return q.CheckSpace(need) }) }()
			}
			for _, f := range folders {
				f.saveWhenDue(now)
			}
		case err := <-space:
			isChecking = false
			if err != nil {
				q.pauseAll(err)
			}
		}
	}
}

// sampleMeters updates the measured speeds. It returns the folders of active downloads, and the
// number of bytes that these downloads still need.
func (q *Queue) sampleMeters(now time.Time) (folders []*lockedFolder, need int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.total.addSample(now, q.received.Load())
	for _, it := range q.items {
		if it.state != Fetching {
			continue
		}
		it.speed.addSample(now, it.done.Load())
		need += max(0, it.size.Load()-it.done.Load())
		if !slices.Contains(folders, it.folder) {
			folders = append(folders, it.folder)
		}
	}
	return folders, need
}

// pauseAll is pauseFor for callers that do not hold q.mu.
func (q *Queue) pauseAll(reason error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pauseFor(reason)
	q.notifyChange()
}

// checkSpaceToAdd returns an [ErrNoSpace] if the disk has no room for the missing bytes of the queue and
// the given number of additional bytes.
func (q *Queue) checkSpaceToAdd(bytes int64) error {
	q.mu.Lock()
	for _, it := range q.items {
		if it.state == Waiting || it.state == Fetching || it.state == Paused {
			bytes += max(0, it.size.Load()-it.done.Load())
		}
	}
	q.mu.Unlock()
	return q.CheckSpace(bytes)
}

// CheckSpace returns an [ErrNoSpace] if the disk has no room for the given number of additional bytes.
// If the free space is unknown, it returns nil.
func (q *Queue) CheckSpace(bytes int64) error {
	free, err := q.Free()
	if err != nil || bytes <= free {
		return nil //nolint:nilerr // some disks do not report their free space; writing to a full disk fails later
	}
	text := fmt.Errorf("%w: needs %s, but only %s free in %s", ErrNoSpace, formatSize(bytes), formatSize(free), q.o.Dir)
	return &diskError{text}
}

// Free returns the number of free bytes for downloads on the disk of [Options.Dir]. If that folder
// does not exist, it uses the nearest parent that does.
func (q *Queue) Free() (int64, error) {
	dir := q.o.Dir
	for {
		free, err := q.o.Free(dir)
		if err == nil {
			return max(0, free-spareSpace), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return 0, err
		}
		dir = parent
	}
}
