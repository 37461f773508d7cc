package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
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

// IsFinal reports whether the item has finished: it is complete or cancelled. Of these, only a
// cancelled item can be resumed.
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
	Size     int64         // bytes of the items that are not cancelled and whose size is known
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
		item.Left = timeLeft(item.Size-item.Done, item.Speed)
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
		s.Left = timeLeft(remaining, s.Speed)
	}
	return s
}

// timeLeft estimates the time to download the remaining bytes, -1 if it is above a year or the
// speed is not known yet. speed is in bytes per second.
func timeLeft(remaining int64, speed float64) time.Duration {
	if remaining <= 0 {
		return 0
	}
	if speed < 1 {
		return -1
	}
	seconds := float64(remaining) / speed
	if seconds > float64(365*24*3600) {
		return -1
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
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

// speedMeter measures a speed over the last ten seconds.
type speedMeter struct {
	samples [21]speedSample // a ring, one sample for each meterPeriod
	count   int             // number of samples taken
}

// speedSample is a number of bytes at a time.
type speedSample struct {
	time  time.Time
	bytes int64
}

func (m *speedMeter) addSample(now time.Time, bytes int64) {
	m.samples[m.count%len(m.samples)] = speedSample{time: now, bytes: bytes}
	m.count++
}

// bytesPerSecond returns the measured speed, or 0 before there are two samples.
func (m *speedMeter) bytesPerSecond() float64 {
	if m.count < 2 {
		return 0
	}
	size := len(m.samples)
	newest := m.samples[(m.count-1)%size]
	oldest := m.samples[max(0, m.count-size)%size]
	seconds := newest.time.Sub(oldest.time).Seconds()
	if seconds <= 0 {
		return 0
	}
	return max(0, float64(newest.bytes-oldest.bytes)/seconds)
}

// formatSize formats a number of bytes in decimal units.
func formatSize(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f := float64(n)
	unit := 0
	for f >= 999.95 && unit < 5 {
		f /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %cB", f, " kMGTP"[unit])
}

// Manifest is the content of manifest.json in the folder of a package. It records which files
// were downloaded, from where, when and with which digests. It contains no links.
type Manifest struct {
	PackageInfo
	Service    string            `json:"service,omitempty"`
	Updated    time.Time         `json:"updated"`
	Files      []FetchedFile     `json:"files"`
	Unfinished []OutstandingFile `json:"unfinished,omitempty"` // requested and not complete yet
}

// FetchedFile is a complete file in a manifest.
type FetchedFile struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"` // name from the service
	Path      string          `json:"path"` // name in the folder
	Product   api.Deliverable `json:"product,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
	Size      int64           `json:"size"`
	Digests
	Verified  VerifiedBy `json:"verified"`
	Host      string     `json:"host,omitempty"` // server that sent the file
	ETag      string     `json:"etag,omitempty"`
	Modified  time.Time  `json:"modified"` // modification time of the file on disk
	FetchedAt time.Time  `json:"fetchedAt"`
}

// OutstandingFile is an incomplete file in a manifest.
type OutstandingFile struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Path    string          `json:"path"`
	Product api.Deliverable `json:"product,omitempty"`
	Size    int64           `json:"size"` // -1 if unknown
}

// VerifiedBy is how a file was verified in addition to its size.
type VerifiedBy string

// The kinds of verification.
const (
	ByReprDigest VerifiedBy = "Repr-Digest" // the digest that the server sent
	ByETag       VerifiedBy = "ETag"        // an ETag that is a digest
	BySize       VerifiedBy = "size"        // only the size
)

func readManifest(root *os.Root) (*Manifest, error) {
	data, err := root.ReadFile(manifestName)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s in %s is damaged; move it away: %w", manifestName, root.Name(), err)
	}
	return m, nil
}

func (m *Manifest) writeTo(root *os.Root) error {
	return atomicfile.WriteIn(root, manifestName, manifestName+".new", 0o644, true, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(m)
	})
}

// isMissing reports whether err means that a file does not exist.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
