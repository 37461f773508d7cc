package fetch

import (
	"fmt"
	"time"

	"flightdesk/api"
)

// State is the state of an item of a queue.
type State int

// The states.
const (
	Waiting   State = iota
	Fetching        // being downloaded or verified
	Paused          // by Pause, or by a problem in Item.Err, such as a full disk
	Failed          // with the error Item.Err
	Cancelled       // its part is removed
	Done            // downloaded and verified
	Here            // existed before
)

var stateNames = [...]string{"waiting", "fetching", "paused", "failed", "cancelled", "done", "local"}

// String returns the state in one word.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return stateNames[s]
}

// MarshalText returns the text of String.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// IsFinal reports whether the item has finished: it is complete or cancelled. A cancelled item can
// still be resumed.
func (s State) IsFinal() bool { return s == Done || s == Here || s == Cancelled }

// Item is a snapshot of one file of a queue.
type Item struct {
	ID          ID
	PackageID   string
	PackageName string
	Order       string // order code or ID
	Mission     string // mission code
	FileID      string
	Name        string // name from the service
	Path        string // final path on disk, below [Options.Dir]
	Product     api.Deliverable
	MediaType   string
	State       State
	Size        int64         // bytes; -1 if unknown
	Done        int64         // bytes on disk
	Speed       float64       // bytes per second over the last ten seconds
	Left        time.Duration // estimated remaining time; -1 if unknown
	Connections int
	Note        string     // why the download waits; empty if it does not wait
	Verified    VerifiedBy // set when the file is complete
	Digests                // set when the file is complete
	Err         error      // why the item failed or was stopped; one line, without the file name
}

// Summary is a snapshot of a whole queue in numbers.
type Summary struct {
	Revision uint64        // increases with every change of a state
	Count    map[State]int // number of items
	Size     int64         // bytes of the items that are not cancelled; of an item of unknown size, the bytes on disk
	Done     int64         // bytes of these items that are on disk
	Unsized  int           // number of items of unknown size
	Speed    float64       // bytes per second over the last ten seconds
	Left     time.Duration // estimated remaining time; -1 if unknown
	Rate     int64         // limit in bytes per second; 0 means none
}

// IsBusy reports whether an item is waiting or being downloaded.
func (s Summary) IsBusy() bool { return s.Count[Waiting]+s.Count[Fetching] > 0 }

// Snapshot returns all items in the order in which they were added.
func (q *Queue) Snapshot() []Item {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.snapshotItems()
}

// State returns a consistent snapshot of all items and their summary.
func (q *Queue) State() ([]Item, Summary) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.snapshotItems(), q.summarize()
}

func (q *Queue) snapshotItems() []Item {
	items := make([]Item, len(q.items))
	for i, it := range q.items {
		items[i] = it.snapshotItem()
	}
	return items
}

func (it *queueItem) snapshotItem() Item {
	pkg := &it.folder.pkg
	item := Item{
		ID:          it.id,
		PackageID:   pkg.ID,
		PackageName: pkg.Name,
		Order:       pkg.Order,
		Mission:     pkg.Mission,
		FileID:      it.file.ID,
		Name:        it.file.Name,
		Path:        it.finalPath,
		Product:     it.file.Product,
		MediaType:   it.file.MediaType,
		State:       it.state,
		Size:        it.size.Load(),
		Done:        it.done.Load(),
		Speed:       it.speed.bytesPerSecond(),
		Connections: int(it.connections.Load()),
		Verified:    it.entry.Verified,
		Digests:     it.entry.Digests,
		Err:         it.err,
	}
	if note := it.note.Load(); note != nil {
		item.Note = *note
	}
	if item.Size < 0 { // unknown
		item.Left = -1
	} else {
		item.Left = TimeLeft(item.Size-item.Done, item.Speed)
	}
	return item
}

// Summary returns a summary of the queue.
func (q *Queue) Summary() Summary {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.summarize()
}

func (q *Queue) summarize() Summary {
	s := Summary{
		Revision: q.revision,
		Count:    map[State]int{},
		Speed:    q.total.bytesPerSecond(),
		Rate:     q.Rate(), // the limit
	}
	remaining := int64(0) // bytes still to download, without paused and failed items
	for _, it := range q.items {
		s.Count[it.state]++
		if it.state == Cancelled {
			continue
		}
		size := it.size.Load()
		done := it.done.Load()
		if size < 0 { // unknown
			s.Unsized++
			size = done
		}
		s.Size += size
		s.Done += done
		if it.state == Waiting || it.state == Fetching {
			remaining += size - done
		}
	}
	if s.Unsized > 0 {
		s.Left = -1
	} else {
		s.Left = TimeLeft(remaining, s.Speed)
	}
	return s
}

// Subscribe returns a channel that receives an element after states have changed. Progress
// alone is not a change. Several changes can share one element. Call end to unsubscribe.
func (q *Queue) Subscribe() (changes <-chan struct{}, end func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := make(chan struct{}, 1)
	q.watchers[c] = true
	return c, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.watchers, c)
	}
}

// notifyChange notifies the subscribers; q.mu is held.
func (q *Queue) notifyChange() {
	q.revision++
	for c := range q.watchers {
		select {
		case c <- struct{}{}:
		default: // the subscriber has not received the last change yet
		}
	}
}
