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
	Waiting   State = iota // for its turn
	Fetching               // also while it is verified
	Paused                 // by Pause, or by a full disk; then Item.Err says so
	Failed                 // Item.Err says why
	Cancelled              // what it had is removed
	Done                   // fetched and verified
	Here                   // it was there already
)

var stateNames = [...]string{"waiting", "fetching", "paused", "failed", "cancelled", "done", "local"}

// String returns the state in a word.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return stateNames[s]
}

// MarshalText returns String.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// IsFinal reports whether the item changes no more, not even by Resume, but that a
// cancelled item can be resumed.
func (s State) IsFinal() bool { return s == Done || s == Here || s == Cancelled }

// Item is one file of a queue at one moment.
type Item struct {
	ID          ID
	PackageID   string
	PackageName string
	Order       string // code or id
	Mission     string // code
	FileID      string
	Name        string // as the service gives it
	Path        string // on disk, below [Options.Dir] when it is done
	Product     api.Deliverable
	MediaType   string
	State       State
	Size        int64         // bytes; -1 while it is not known
	Done        int64         // bytes on disk
	Speed       float64       // bytes per second over the last ten seconds
	Left        time.Duration // -1 where it is not known
	Connections int
	Note        string     // what it waits for, while that is not the line
	Verified    VerifiedBy // once it is done
	Digests                // once it is done
	Err         error      // of a failed item, or one that the disk stopped; one line, without the name
}

// Summary is a whole queue at one moment.
type Summary struct {
	Revision uint64        // grows with every change of a state
	Count    map[State]int // of items
	Size     int64         // bytes, of what is not cancelled and of a known size
	Done     int64         // bytes of it that are on disk
	Unsized  int           // items whose size is not known yet
	Speed    float64       // bytes per second over the last ten seconds
	Left     time.Duration // -1 where it is not known
	Rate     int64         // the bound in bytes per second; 0 is none
}

// IsBusy reports whether something waits or is being fetched.
func (s Summary) IsBusy() bool { return s.Count[Waiting]+s.Count[Fetching] > 0 }

// Snapshot returns all items in the order in which they were added.
func (q *Queue) Snapshot() []Item {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.snapshotItems()
}

// State returns all items and their sum as of one moment.
func (q *Queue) State() ([]Item, Summary) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.snapshotItems(), q.summarize()
}

func (q *Queue) snapshotItems() []Item {
	items := make([]Item, len(q.items))
	for i, it := range q.items {
		items[i] = it.takeSnapshot()
	}
	return items
}

func (it *queueItem) takeSnapshot() Item {
	pkg := &it.folder.pkg
	one := Item{
		ID:          it.id,
		PackageID:   pkg.ID,
		PackageName: pkg.Name,
		Order:       pkg.Order,
		Mission:     pkg.Mission,
		FileID:      it.file.ID,
		Name:        it.file.Name,
		Path:        it.at,
		Product:     it.file.Product,
		MediaType:   it.file.MediaType,
		State:       it.state,
		Size:        it.size.Load(),
		Done:        it.done.Load(),
		Speed:       it.speed.currentRate(),
		Connections: int(it.connections.Load()),
		Verified:    it.entry.Verified,
		Digests:     it.entry.Digests,
		Err:         it.err,
	}
	if note := it.note.Load(); note != nil {
		one.Note = *note
	}
	one.Left = timeLeft(one.Size, one.Done, one.Speed)
	return one
}

// Summary returns the queue in figures.
func (q *Queue) Summary() Summary {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.summarize()
}

func (q *Queue) summarize() Summary {
	s := Summary{
		Revision: q.revision,
		Count:    map[State]int{},
		Speed:    q.total.currentRate(),
		Rate:     q.Rate(),
	}
	coming := int64(0)
	for _, it := range q.items {
		s.Count[it.state]++
		size := it.size.Load()
		switch {
		case it.state == Cancelled:
			continue
		case size < 0:
			s.Unsized++
			size = it.done.Load()
		}
		s.Size += size
		s.Done += it.done.Load()
		if it.state == Waiting || it.state == Fetching {
			coming += size - it.done.Load()
		}
	}
	s.Left = timeLeft(coming, 0, s.Speed)
	if s.Unsized > 0 {
		s.Left = -1
	}
	return s
}

func timeLeft(size, done int64, speed float64) time.Duration {
	switch {
	case size < 0:
		return -1
	case done >= size:
		return 0
	case speed < 1:
		return -1
	}
	seconds := float64(size-done) / speed
	if seconds > float64(365*24*3600) {
		return -1
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}

// Subscribe returns a channel that has an element when states have changed
// since it was last received from; progress alone is no change. The function
// ends it.
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

// notifyChange tells the subscribers; q.mu is held.
func (q *Queue) notifyChange() {
	q.revision++
	for c := range q.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// speedMeter measures a speed over the last ten seconds.
type speedMeter struct {
	at    [21]time.Time
	bytes [21]int64
	n     int // samples taken
}

func (m *speedMeter) addSample(now time.Time, bytes int64) {
	m.at[m.n%len(m.at)], m.bytes[m.n%len(m.at)] = now, bytes
	m.n++
}

func (m *speedMeter) currentRate() float64 {
	if m.n < 2 {
		return 0
	}
	newest, oldest := (m.n-1)%len(m.at), max(0, m.n-len(m.at))%len(m.at)
	spent := m.at[newest].Sub(m.at[oldest]).Seconds()
	if spent <= 0 {
		return 0
	}
	return max(0, float64(m.bytes[newest]-m.bytes[oldest])/spent)
}

// inWords writes bytes for people, in decimal units.
func inWords(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n), 0
	for f >= 999.95 && unit < 5 {
		f /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %cB", f, " kMGTP"[unit])
}

// Manifest is what manifest.json in a package's folder says: what was fetched,
// from where, when, and with which digest. It has no links.
type Manifest struct {
	PackageInfo
	Service    string            `json:"service,omitempty"`
	Updated    time.Time         `json:"updated"`
	Files      []FetchedFile     `json:"files"`
	Unfinished []OutstandingFile `json:"unfinished,omitempty"` // asked for, not whole yet
}

// FetchedFile is a file of a manifest that is whole.
type FetchedFile struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"` // as the service gives it
	Path      string          `json:"path"` // its name in the folder
	Product   api.Deliverable `json:"product,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
	Size      int64           `json:"size"`
	Digests
	Verified  VerifiedBy `json:"verified"`
	Host      string     `json:"host,omitempty"` // that sent it
	ETag      string     `json:"etag,omitempty"`
	Modified  time.Time  `json:"modified"` // of the file on disk
	FetchedAt time.Time  `json:"fetchedAt"`
}

// OutstandingFile is a file of a manifest that is not whole yet.
type OutstandingFile struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Path    string          `json:"path"`
	Product api.Deliverable `json:"product,omitempty"`
	Size    int64           `json:"size"` // -1 where it is not known
}

// VerifiedBy says by what a file was verified, besides its size.
type VerifiedBy string

// The proofs.
const (
	ByReprDigest VerifiedBy = "Repr-Digest" // the digest that the server sent
	ByETag       VerifiedBy = "ETag"        // an ETag that is a digest
	BySize       VerifiedBy = "size"        // by nothing else
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

// isMissing reports whether a file is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
