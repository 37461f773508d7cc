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

// Options configures a [Queue]. All fields except Dir have usable zero values.
type Options struct {
	Dir   string // contains the folders of packages
	Files int    // maximum number of files at once; 0 means 8
	Parts int    // maximum number of ranges of one large file at once; 0 means 4
	// PartsFrom is the size in bytes from which a file is downloaded in ranges; 0 means 64 MiB.
	PartsFrom int64
	Rate      int64 // bytes per second in total; 0 means no limit
	Tries     int   // attempts in a row without progress before a file fails; 0 means 12
	Verify    bool  // read existing files and compare their digests
	// SetAside renames a file that was changed since its download, such as "cloud.las" to
	// "cloud (changed).las", and downloads it again. Without SetAside, such a file is an error.
	SetAside bool
	// SHA256 computes the SHA-256 of every file, even if the server sent no SHA-256. On a fast
	// connection, that takes as much processor time as the download itself.
	SHA256    bool
	UserAgent string
	// Transport sends the requests to links; nil means NewTransport(nil).
	Transport http.RoundTripper
	Now       func() time.Time                                  // nil means time.Now
	Free      func(dir string) (int64, error)                   // free bytes on the disk of a folder; nil asks the system
	pace      *timeLimits                                       // for tests
	write     func(f *os.File, b []byte, at int64) (int, error) // for tests
}

// timeLimits are the durations that tests shorten.
type timeLimits struct {
	firstBackoff, lastBackoff time.Duration
	stall                     time.Duration // time without data after which a connection counts as lost
	longestWait               time.Duration // longest accepted Retry-After
	save                      time.Duration // interval of saving the state of a part
	linkAge                   time.Duration // age at which a link is renewed before it expires
}

var defaultLimits = timeLimits{
	firstBackoff: 500 * time.Millisecond,
	lastBackoff:  30 * time.Second,
	stall:        30 * time.Second,
	longestWait:  10 * time.Minute,
	save:         time.Second,
	linkAge:      23 * time.Hour,
}

const (
	maxConnections = 16        // per server
	bufferSize     = 256 << 10 // per connection
	spareSpace     = 4 << 20   // bytes left free on the disk, for manifests and other files
	meterPeriod    = time.Second / 2
)

// ID identifies an item of a queue.
type ID int

// Queue downloads files. See the package documentation.
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
	items    []*queueItem // sorted by ID
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

// queueItem is one file of the queue. Queue.mu guards the fields that are not atomic.
type queueItem struct {
	id        ID
	key       string
	folder    *lockedFolder
	file      File   // as added, without its link
	path      string // name in the folder
	finalPath string
	state     State
	err       error
	entry     FetchedFile
	cancel    context.CancelCauseFunc
	stopping  bool // cancel was called
	again     bool // resumed after cancel was called
	speed     speedMeter

	work sync.Mutex // held while the part is written or removed

	note        atomic.Pointer[string] // why the download waits; nil unless it does
	size        atomic.Int64
	done        atomic.Int64
	connections atomic.Int32
}

// New returns an empty queue.
func New(o Options) (*Queue, error) {
	if o.Dir == "" {
		return nil, errors.New("no download folder given")
	}
	// withDefaults replaces all numbers that are 0, so the others must be 1 or more. Only a rate of 0 remains,
	// which means no limit.
	o = o.withDefaults()
	if o.Files < 0 || o.Parts < 0 || o.Tries < 0 || o.PartsFrom < 0 || o.Rate < 0 {
		return nil, errors.New("files, parts, attempts and the rate must be 1 or more")
	}
	q := &Queue{
		o:        o,
		hosts:    newHostLimits(maxConnections),
		byID:     map[ID]*queueItem{},
		byFile:   map[string]*queueItem{},
		folders:  map[string]*lockedFolder{},
		watchers: map[chan struct{}]bool{},
	}
	q.SetRate(o.Rate)
	q.client = &http.Client{Transport: o.Transport, CheckRedirect: checkRedirect}
	q.buffers.New = func() any {
		b := make([]byte, bufferSize)
		return &b
	}
	q.ctx, q.stop = context.WithCancelCause(context.Background())
	q.wg.Go(q.runMeters)
	return q, nil
}

// withDefaults returns the options with defaults instead of zero values.
func (o Options) withDefaults() Options {
	o.Dir = filepath.Clean(o.Dir)
	o.Files = cmp.Or(o.Files, 8)
	o.Parts = cmp.Or(o.Parts, 4)
	o.Tries = cmp.Or(o.Tries, 12)
	o.PartsFrom = cmp.Or(o.PartsFrom, 64<<20)
	if o.Transport == nil {
		o.Transport = NewTransport(nil)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.pace == nil {
		o.pace = &defaultLimits
	}
	if o.Free == nil {
		o.Free = freeSpace
	}
	if o.write == nil {
		o.write = (*os.File).WriteAt
	}
	return o
}

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

// Add appends the files of a package to the queue, in the state Waiting or Paused. A file that
// is already in the queue is not added twice. Unless state is Paused, such a file is resumed
// if it was paused, cancelled or failed, and downloaded again if it was complete but is no
// longer intact on disk. If the disk has too little space for all files, nothing is added and
// the error is [ErrNoSpace].
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

// folderOf returns the folder of a package. Packages with the same kind, ID and folder names share it.
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

// addedFile is a file that is being added to the queue.
type addedFile struct {
	item  *queueItem
	local FileState
}

// addPackage adds the files of a package, whose folder is open.
func (q *Queue) addPackage(f *lockedFolder, p Package, state State) (ids []ID, err error) {
	added := make([]addedFile, len(p.Files))
	need := int64(0)
	for i, file := range p.Files {
		added[i] = q.newAddedFile(f, file)
		need += max(0, file.Size-added[i].local.Done) // 0 for an unknown size, which is -1
	}
	if err := q.checkSpaceToAdd(need); err != nil {
		return nil, err
	}
	// The manifest is saved before a download begins, so that it lists the files even after a crash.
	for _, a := range added {
		if !a.local.Whole {
			f.addOutstanding(a.local.File, a.item.path)
		}
	}
	if err := f.saveNow(); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed { // possibly while the manifest was saved; the files remain listed in it
		return nil, errStopped
	}
	for _, a := range added {
		ids = append(ids, q.addItem(a.item, state, a.local.Whole))
	}
	q.startItems()
	return ids, nil
}

// newAddedFile returns an item for a file in an open folder, and the local state of the file.
func (q *Queue) newAddedFile(f *lockedFolder, file File) addedFile {
	it := &queueItem{folder: f, path: f.assignName(file), file: file}
	it.finalPath = filepath.Join(q.o.Dir, f.path, it.path)
	it.key = it.finalPath + "\x00" + file.ID
	it.file.URL = ""
	it.size.Store(file.Size)
	local := f.inspectFile(file, it.path)
	it.done.Store(local.Done)
	return addedFile{item: it, local: local}
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

// addItem adds a file to the queue and returns its ID. If the queue already has the file, the
// existing item waits again if it was paused, failed or cancelled, or if it was complete and
// is no longer intact on disk.
func (q *Queue) addItem(it *queueItem, state State, whole bool) ID {
	if existing := q.byFile[it.key]; existing != nil {
		isLost := !whole && (existing.state == Done || existing.state == Here)
		if isLost && state == Waiting {
			existing.state = Waiting
			existing.done.Store(it.done.Load())
			existing.entry = FetchedFile{}
			q.notifyChange()
		}
		if state == Waiting {
			q.requeueItem(existing)
		}
		return existing.id
	}
	q.nextID++
	it.id = q.nextID
	it.state = state
	q.byID[it.id] = it
	q.byFile[it.key] = it
	q.items = append(q.items, it)
	q.notifyChange()
	return it.id
}

// requeueItem changes a paused, failed or cancelled item to Waiting. An item that is still
// stopping changes when it has stopped.
func (q *Queue) requeueItem(it *queueItem) {
	it.again = it.state == Fetching && it.stopping
	if it.state == Paused || it.state == Failed || it.state == Cancelled {
		it.state = Waiting
		it.err = nil
		q.notifyChange()
	}
}

// startItems starts waiting items up to the limit of files at once. The caller must hold q.mu.
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

// setFailedState sets the state of an item that ended with an error. cause is why the context of the
// item ended, or nil if it has not ended. The caller must hold q.mu.
func (q *Queue) setFailedState(it *queueItem, err, cause error) {
	it.state = Paused
	it.err = nil
	if cause == nil {
		it.err = err
		if errors.Is(err, ErrNoSpace) {
			q.pauseFor(err)
		} else {
			it.state = Failed
		}
		return
	}
	if errors.Is(cause, errCancelled) {
		it.state = Cancelled
		it.done.Store(0)
		return
	}
	isRequested := errors.Is(cause, errStopped) || errors.Is(cause, errPaused)
	if !isRequested {
		it.err = cause
	}
}

// fetchItem downloads the file of an item and updates the manifest. If it returns an error, the entry
// and the state are not valid.
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

// Wait returns when no item is waiting or being downloaded, or when ctx ends. If ctx ends first, it
// returns the error of ctx. Otherwise it joins the errors of the failed files, each with the name of
// the file.
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

// Close stops all downloads. It returns when their parts are on disk, so that a later queue can resume
// the downloads.
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

// sampleMeters measures the speeds. It returns the folders of active downloads and the number
// of bytes that they still need.
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
