package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"flightdesk/api"
)

// Options say how a [Queue] works. The zero value of each but Dir is a good
// one.
type Options struct {
	Dir   string // below which packages get their folders
	Files int    // maximum number of files at once; 0 is 8
	Parts int    // maximum number of ranges of one large file at once; 0 is 4
	// PartsFrom is the size from which on a file is fetched in ranges, in
	// bytes; 0 is 64 MiB.
	PartsFrom int64
	Rate      int64 // bytes per second in all; 0 is no limit
	Tries     int   // in a row without one byte more, before a file fails; 0 is 12
	Verify    bool  // read files again that are there already, to see that they are whole
	// SetAside renames a file that was changed since it was fetched, to "name (changed).las",
	// and fetches it again. Without it such a file is an error.
	SetAside bool
	// SHA256 works the SHA-256 of every file out, not only where the server
	// gives it: half of the work where the line is as fast as the machine.
	SHA256    bool
	UserAgent string
	// Transport makes the requests to links; nil is NewTransport(nil).
	Transport http.RoundTripper
	Now       func() time.Time                                  // nil is time.Now
	Free      func(dir string) (int64, error)                   // bytes that may be written to a folder; nil asks the disk
	pace      *timeLimits                                       // of tests
	write     func(f *os.File, b []byte, at int64) (int, error) // of tests
}

// timeLimits is how long things take.
type timeLimits struct {
	firstBackoff, lastBackoff time.Duration
	stall                     time.Duration // without a byte, until a connection counts as lost
	longestWait               time.Duration // that a server may ask for
	save                      time.Duration // between two times that a part is forced to the disk
	linkAge                   time.Duration // from which on a link is renewed before it is refused
}

var usualPace = timeLimits{
	firstBackoff: 500 * time.Millisecond,
	lastBackoff:  30 * time.Second,
	stall:        30 * time.Second,
	longestWait:  10 * time.Minute,
	save:         time.Second,
	linkAge:      23 * time.Hour,
}

const (
	maxConnections = 16        // to one server
	bufferSize     = 256 << 10 // of one connection
	spareSpace     = 4 << 20   // that is left on the disk, for manifests and others
	meterPeriod    = time.Second / 2
)

// ID names an item of one queue.
type ID int

// Queue fetches files. See the package's comment.
type Queue struct {
	o        Options
	client   *http.Client
	hosts    *hostLimits
	throttle atomic.Pointer[rate.Limiter]
	buffers  sync.Pool
	stop     context.CancelCauseFunc
	ctx      context.Context // ends with Close
	wg       sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	items    []*queueItem // in the order of their ids, but for those that were cleared
	nextID   ID
	byID     map[ID]*queueItem
	byFile   map[string]*queueItem // key → item
	folders  map[string]*lockedFolder
	active   int
	total    speedMeter
	received atomic.Int64
	revision uint64
	watchers map[chan struct{}]bool
}

// queueItem is one file of the queue. What is not atomic is guarded by Queue.mu.
type queueItem struct {
	id       ID
	key      string
	folder   *lockedFolder
	file     File   // as it was added, without its link
	path     string // its name in the folder
	at       string // its path when it is done
	state    State
	err      error
	entry    FetchedFile
	cancel   context.CancelCauseFunc
	stopping bool // cancel was called
	again    bool // it was resumed since
	speed    speedMeter

	work sync.Mutex // held while its part is worked on

	note        atomic.Pointer[string]
	size        atomic.Int64
	done        atomic.Int64
	connections atomic.Int32
}

// New returns a queue that has nothing to do yet.
func New(o Options) (*Queue, error) {
	if o.Dir == "" {
		return nil, errors.New("no download folder given")
	}
	o.Dir = filepath.Clean(o.Dir)
	o.Files, o.Parts, o.Tries = cmp.Or(o.Files, 8), cmp.Or(o.Parts, 4), cmp.Or(o.Tries, 12)
	o.PartsFrom = cmp.Or(o.PartsFrom, 64<<20)
	if o.Files < 0 || o.Parts < 0 || o.Tries < 0 || o.PartsFrom < 0 || o.Rate < 0 {
		return nil, errors.New("files, parts, attempts and the rate must be 1 or more")
	}
	if o.Transport == nil {
		o.Transport = NewTransport(nil)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.pace == nil {
		o.pace = &usualPace
	}
	if o.Free == nil {
		o.Free = freeSpace
	}
	if o.write == nil {
		o.write = (*os.File).WriteAt
	}
	q := &Queue{
		o: o, hosts: newHostLimits(maxConnections),
		byID: map[ID]*queueItem{}, byFile: map[string]*queueItem{}, folders: map[string]*lockedFolder{},
		watchers: map[chan struct{}]bool{},
	}
	q.SetRate(o.Rate)
	q.client = &http.Client{Transport: o.Transport, CheckRedirect: checkRedirect}
	q.buffers.New = func() any { b := make([]byte, bufferSize); return &b }
	q.ctx, q.stop = context.WithCancelCause(context.Background())
	q.wg.Go(func() {
		if err := api.Guard(func() error { q.updateMeters(); return nil }); err != nil {
			q.pauseAll(err)
		}
	})
	return q, nil
}

// Add puts a package's files into the queue behind all others, to wait or paused. A
// file that is in the queue already is not added again: it is resumed if it was
// paused, cancelled or has failed, and fetched again if it was fetched and is no longer
// whole on disk, unless it is added as paused. Where the disk has
// no room for all, nothing is added and the error is one of [ErrNoSpace].
func (q *Queue) Add(p Package, state State) ([]ID, error) {
	if len(p.Files) == 0 {
		return nil, nil
	}
	if p.ID == "" || len(p.Folder) == 0 {
		return nil, errors.New("a package without an id or a folder")
	}
	f := q.folderOf(p)
	if err := f.openShared(); err != nil {
		return nil, err
	}
	ids, err := q.addPackage(f, p, state)
	return ids, errors.Join(err, f.closeShared())
}

func (q *Queue) folderOf(p Package) *lockedFolder {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := p.Kind + "\x00" + p.ID + "\x00" + strings.Join(p.Folder, "\x00")
	f := q.folders[key]
	if f == nil {
		f = newLockedFolder(q.o.Dir, p)
		q.folders[key] = f
	}
	return f
}

func (q *Queue) addPackage(f *lockedFolder, p Package, state State) (ids []ID, err error) {
	fresh, standings := make([]*queueItem, len(p.Files)), make([]FileState, len(p.Files))
	need := int64(0)
	for i, file := range p.Files {
		it := &queueItem{folder: f, path: f.assignName(file), file: file}
		it.at = filepath.Join(q.o.Dir, f.path, it.path)
		it.key = it.at + "\x00" + file.ID
		it.file.URL = ""
		it.size.Store(file.Size)
		standings[i] = f.inspectFile(file, it.path)
		it.done.Store(standings[i].Done)
		need += max(0, file.Size-standings[i].Done)
		fresh[i] = it
	}
	if err := q.checkSpace(need); err != nil {
		return nil, err
	}
	for i, it := range fresh {
		if !standings[i].Whole {
			f.addOutstanding(p.Files[i], it.path)
		}
	}
	if err := f.saveNow(); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, errStopped
	}
	for i, it := range fresh {
		ids = append(ids, q.enterItem(it, state, standings[i].Whole))
	}
	q.startItems()
	return ids, nil
}

// checkSpace reports whether so many bytes more than are in the queue fit the disk.
func (q *Queue) checkSpace(need int64) error {
	q.mu.Lock()
	for _, it := range q.items {
		if it.state == Waiting || it.state == Fetching || it.state == Paused {
			need += max(0, it.size.Load()-it.done.Load())
		}
	}
	q.mu.Unlock()
	return q.CheckSpace(need)
}

// CheckSpace returns an error of [ErrNoSpace] where the disk has no room for so many
// bytes more.
func (q *Queue) CheckSpace(need int64) error {
	free, err := q.Free()
	if err != nil || need <= free {
		return nil //nolint:nilerr // some disks do not say; a full one says so when it is written to
	}
	return &diskError{
		fmt.Errorf("%w: needs %s, but only %s free in %s", ErrNoSpace, inWords(need), inWords(free), q.o.Dir),
	}
}

// enterItem adds a file to the queue in a state, unless the queue has it, and returns its ID.
// A file that was paused, failed or was cancelled waits again, and so does a file that was
// fetched and is not whole on disk any more.
func (q *Queue) enterItem(it *queueItem, state State, whole bool) ID {
	if have := q.byFile[it.key]; have != nil {
		isLost := !whole && (have.state == Done || have.state == Here)
		if isLost && state == Waiting {
			have.state = Waiting
			have.done.Store(it.done.Load())
			have.entry = FetchedFile{}
			q.notifyChange()
		}
		if state == Waiting {
			q.reviveItem(have)
		}
		return have.id
	}
	q.nextID++
	it.id, it.state = q.nextID, state
	q.byID[it.id], q.byFile[it.key] = it, it
	q.items = append(q.items, it)
	q.notifyChange()
	return it.id
}

func (q *Queue) reviveItem(it *queueItem) {
	it.again = it.state == Fetching && it.stopping
	if it.state == Paused || it.state == Failed || it.state == Cancelled {
		it.state, it.err = Waiting, nil
		q.notifyChange()
	}
}

// startItems starts what may start; q.mu is held.
func (q *Queue) startItems() {
	for !q.closed && q.active < q.o.Files {
		it := q.nextItem()
		if it == nil {
			break
		}
		ctx, cancel := context.WithCancelCause(q.ctx)
		it.cancel = cancel
		it.state, it.stopping, it.again = Fetching, false, false
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

// nextItem returns the first item that waits, nil for none.
func (q *Queue) nextItem() *queueItem {
	i := slices.IndexFunc(q.items, func(it *queueItem) bool { return it.state == Waiting })
	if i < 0 {
		return nil
	}
	return q.items[i]
}

// runItem fetches one item.
func (q *Queue) runItem(ctx context.Context, it *queueItem) {
	it.work.Lock()
	entry, state, err := q.fetchItem(ctx, it)
	it.work.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	cause := context.Cause(ctx)
	it.cancel(nil)
	it.note.Store(nil)
	it.connections.Store(0)
	it.speed = speedMeter{}
	q.active--
	switch {
	case err == nil:
		it.entry, it.state, it.err = entry, state, nil
		it.size.Store(entry.Size)
		it.done.Store(entry.Size)
	case cause == nil && errors.Is(err, ErrNoSpace):
		it.state, it.err = Paused, err
		q.pauseFor(err)
	case cause == nil:
		it.state, it.err = Failed, err
	case errors.Is(cause, errDropped):
		it.state, it.err = Cancelled, nil
		it.done.Store(0)
	case errors.Is(cause, errStopped), errors.Is(cause, errPaused):
		it.state, it.err = Paused, nil
	default:
		it.state, it.err = Paused, cause
	}
	if it.again { // Resume came while it was stopping
		q.reviveItem(it)
	}
	q.notifyChange()
	q.startItems()
}

// fetchItem brings an item's file, in its open folder.
func (q *Queue) fetchItem(ctx context.Context, it *queueItem) (entry FetchedFile, state State, err error) {
	defer api.CatchPanic(&err)
	if err := it.folder.openShared(); err != nil {
		return FetchedFile{}, Failed, err
	}
	defer func() {
		if errors.Is(context.Cause(ctx), errDropped) && err != nil {
			it.folder.dropOutstanding(it.file.ID)
			removePart(it.folder.root, it.path)
		}
		// A manifest that cannot be written is as bad as a file that cannot.
		err = errors.Join(err, it.folder.closeShared())
	}()
	t := &fileTransfer{
		q:      q,
		it:     it,
		folder: it.folder,
		name:   it.path,
		ended:  -1,
		freed:  make(chan struct{}, 1),
	}
	entry, state, err = t.runTransfer(ctx)
	if err == nil {
		it.folder.addFetched(entry)
	}
	return entry, state, err
}

// pauseFor pauses everything for a reason that concerns everything; q.mu is held.
func (q *Queue) pauseFor(reason error) {
	for _, it := range q.items {
		switch it.state {
		case Waiting:
			it.state, it.err = Paused, reason
		case Fetching:
			it.stopTransfer(reason)
		}
	}
}

// Wait returns when nothing waits or works: all is fetched, paused, failed or
// cancelled. The error is that of ctx where it ends before, else it joins the
// errors of the files that failed, each after the file's name.
func (q *Queue) Wait(ctx context.Context) error {
	changes, end := q.Subscribe()
	defer end()
	for q.isBusy() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changes:
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []error
	for _, it := range q.items {
		if it.state == Failed {
			all = append(all, fmt.Errorf("%s: %w", it.file.Name, it.err))
		}
	}
	return errors.Join(all...)
}

func (q *Queue) isBusy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.active > 0 || q.nextItem() != nil
}

// Close stops what works, keeps its parts for the next time, and returns when
// all is on disk.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	for _, it := range q.items {
		if it.state == Waiting {
			it.state = Paused
		}
	}
	q.notifyChange()
	q.mu.Unlock()
	q.stop(errStopped)
	q.wg.Wait()
	q.client.CloseIdleConnections()
}

// updateMeters keeps meters and manifests, and watches the disk's space.
func (q *Queue) updateMeters() {
	ticker := time.NewTicker(meterPeriod)
	defer ticker.Stop()
	space, asking := make(chan error, 1), false
	for {
		select {
		case <-q.ctx.Done():
			return
		case now := <-ticker.C:
			folders, need := q.sampleMeters(now)
			if need > 0 && !asking {
				// A disk that does not answer, as of a network drive that sleeps,
				// holds up nothing: neither the queue nor its end.
				asking = true
				go func() { space <- api.Guard(func() error { return q.CheckSpace(need) }) }()
			}
			for _, f := range folders {
				f.saveWhenDue(now)
			}
		case err := <-space:
			asking = false
			if err != nil {
				q.pauseAll(err)
			}
		}
	}
}

// sampleMeters reads the meters. It returns the folders that files come to, and how
// many bytes are still to come.
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

// pauseAll pauses everything for a reason that concerns everything.
func (q *Queue) pauseAll(reason error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pauseFor(reason)
	q.notifyChange()
}

// Free returns how many bytes the disk of [Options.Dir] has left for files to
// come, also while that folder is not there yet.
func (q *Queue) Free() (int64, error) {
	free, err := q.o.Free(q.o.Dir)
	for dir := q.o.Dir; err != nil && filepath.Dir(dir) != dir; {
		dir = filepath.Dir(dir)
		free, err = q.o.Free(dir)
	}
	return max(0, free-spareSpace), err
}
