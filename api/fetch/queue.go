package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
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
	file      File   // as it was added to the queue, without its link
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
	if o.Files < 0 || o.Parts < 0 || o.PartsFrom < 0 || o.Rate < 0 || o.Tries < 0 {
		return nil, errors.New("files, parts, attempts and the rate must not be negative")
	}
	o = o.withDefaults()
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
