package deliveries

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/session"
)

// Desk holds the queue of a profile. Its methods are called from the program's
// loop; what takes time is in the functions that they return.
type Downloads struct {
	Items []fetch.Item  // of the queue, as at the last Refresh
	Sum   fetch.Summary // of the queue, as at the last Refresh
	Free  int64         // bytes that the disk has left, -1 where it is not known

	options  fetch.Options
	kept     *session.UIState
	queue    *fetch.Queue // nil until it is needed
	packages map[string]fetch.PackageInfo
	at       map[[2]string]int // by package and file, index in Items
	pending  []open            // could not be gone on with yet
	saved    string
	back     bool // what is pending is being asked for
	chosen   bool // the folder was chosen in the app
	shown    show
	busy     bool // at the last Refresh
}

type show int

const (
	auto show = iota // while something is not at its end
	yes
	no
)

// NewDownloads makes a desk; what a profile keeps goes before the options.
func NewDownloads(o fetch.Options, kept *session.UIState) *Downloads {
	d := &Downloads{
		options: o, kept: kept, Free: -1, packages: map[string]fetch.PackageInfo{}, at: map[[2]string]int{},
	}
	var s state
	if kept.Get(keptName, &s) {
		d.options.Dir = cmp.Or(s.Dir, d.options.Dir)
		d.options.Rate = s.Rate
		d.pending, d.chosen = s.Open, s.Chosen
	}
	return d
}

// Dir returns the folder that is fetched into.
func (d *Downloads) Dir() string { return d.options.Dir }

// Rate returns the bound in bytes per second, 0 for none.
func (d *Downloads) Rate() int64 { return d.options.Rate }

// ErrDownloading says that the folder stays as long as something is on its way to it.
var ErrDownloading = errors.New("downloads to this folder are running; wait or cancel them")

// SetDir changes the folder. It returns [ErrBusy] while something is not at
// its end.
func (d *Downloads) SetDir(dir string) error {
	switch {
	case dir == d.options.Dir:
		return nil
	case d.Unfinished() > 0 || len(d.pending) > 0:
		return ErrDownloading
	}
	d.options.Dir, d.Free, d.chosen = dir, -1, true
	if d.queue != nil {
		d.queue.Close() // it has nothing to do, and does not wait
		d.queue = nil
	}
	d.Refresh()
	d.save()
	return nil
}

// SetRate bounds what is received in bytes per second; 0 is no bound.
func (d *Downloads) SetRate(rate int64) {
	d.options.Rate = rate
	if d.queue != nil {
		d.queue.SetRate(rate)
	}
	d.save()
}

func (d *Downloads) work() (*fetch.Queue, error) {
	if d.queue == nil {
		q, err := fetch.New(d.options)
		if err != nil {
			return nil, err
		}
		d.queue = q
	}
	return d.queue, nil
}

// AddedFiles is what came of adding to the queue.
type AddedFiles struct {
	Desk  *Downloads
	Added int
	Err   error // the first of those that came
	Back  bool  // it was gone on with, not asked for now
	Free  int64

	left []open // could not be gone on with
}

// Fetch returns what puts packages into the queue. It takes as long as the disk
// does; its result is for [State.Take].
func (d *Downloads) Fetch(packages ...fetch.Package) func() AddedFiles {
	q, err := d.work()
	if err != nil {
		return func() AddedFiles { return AddedFiles{Desk: d, Err: err, Free: -1} }
	}
	if d.Unfinished() == 0 {
		q.Clear()
		d.shown = auto
	}
	for _, p := range packages {
		d.packages[p.ID] = p.PackageInfo
	}
	return func() AddedFiles {
		msg := AddedFiles{Desk: d}
		for _, p := range packages {
			ids, err := q.Add(p, fetch.Waiting)
			msg.Added += len(ids)
			msg.Err = cmp.Or(msg.Err, err)
		}
		msg.Free = freeOf(q)
		return msg
	}
}

func freeOf(q *fetch.Queue) int64 {
	if free, err := q.Free(); err == nil {
		return free
	}
	return -1
}

// FreeSpace is what the disk has left.
type FreeSpace struct {
	Desk *Downloads
	Free int64
}

// AskFree returns what asks the disk, nil where there is no queue.
func (d *Downloads) AskFree() func() FreeSpace {
	q, err := d.work()
	if err != nil {
		return nil
	}
	return func() FreeSpace { return FreeSpace{d, freeOf(q)} }
}

// Of returns the queue's item of a file; ok is false where it has none.
func (d *Downloads) Of(packageID, fileID string) (item fetch.Item, ok bool) {
	i, ok := d.at[[2]string{packageID, fileID}]
	if !ok {
		return fetch.Item{}, false
	}
	return d.Items[i], true
}

// Busy reports whether something waits or is being fetched.
func (d *Downloads) Busy() bool { return d.Sum.IsBusy() }

// Unfinished returns how many files are not at their end.
func (d *Downloads) Unfinished() (n int) {
	for i := range d.Items {
		if !d.Items[i].State.IsFinal() {
			n++
		}
	}
	return n
}

// Pause stops files and keeps what they have.
func (d *Downloads) Pause(ids ...fetch.ID) { d.do(func(q *fetch.Queue) { q.Pause(ids...) }) }

// Resume goes on with files that were paused, stopped or have failed.
func (d *Downloads) Resume(ids ...fetch.ID) { d.do(func(q *fetch.Queue) { q.Resume(ids...) }) }

// Stop takes files out and removes what they have.
func (d *Downloads) Stop(ids ...fetch.ID) { d.do(func(q *fetch.Queue) { q.Cancel(ids...) }) }

func (d *Downloads) do(f func(*fetch.Queue)) {
	if d.queue != nil {
		f(d.queue)
		d.Refresh()
	}
}

// Leave notes what is open, and returns what stops everything and comes back
// when all is on disk.
func (d *Downloads) Leave() (stop func()) {
	d.Refresh()
	d.save()
	if d.queue == nil {
		return func() {}
	}
	return d.queue.Close
}

// Probe returns what asks for the sizes and the ages of files that only have a
// link; what a server does not say stays -1, and the zero time.
func (d *Downloads) Probe() func(context.Context, []fetch.File) ([]time.Time, error) {
	q, err := d.work()
	return func(ctx context.Context, files []fetch.File) ([]time.Time, error) {
		if err != nil {
			return nil, err
		}
		return q.Probe(ctx, files)
	}
}

// Progress counts the files of a package that the queue has, and those of them
// that are at their end.
func (d *Downloads) Progress(packageID string) (done, all int) {
	for i := range d.Items {
		if it := &d.Items[i]; it.PackageID == packageID && it.State != fetch.Cancelled {
			all++
			if it.State.IsFinal() {
				done++
			}
		}
	}
	return done, all
}

// DownloadChange is what a Refresh found.
type DownloadChange struct {
	States bool // some item is in another state than before
	Ended  bool // there was something to do, and now there is nothing
	Done   int  // of the items that came to their end since the last time: fetched
	Failed int
	Bytes  int64 // of those fetched
	Err    error // why the first one failed, or was stopped by the disk
}

// Refresh looks at the queue. What it has, Items, Sum and the panel show until
// the next time.
func (d *Downloads) Refresh() (c DownloadChange) {
	before := d.Items
	d.Items, d.Sum = nil, fetch.Summary{Rate: d.options.Rate}
	if d.queue != nil {
		d.Items, d.Sum = d.queue.State()
	}
	clear(d.at)
	for i := range d.Items {
		d.at[[2]string{d.Items[i].PackageID, d.Items[i].FileID}] = i
	}
	c.States = !slices.EqualFunc(
		before,
		d.Items,
		func(x, y fetch.Item) bool { return x.ID == y.ID && x.State == y.State },
	)
	if c.States {
		d.save()
	}
	c.Ended = d.busy && !d.Busy()
	d.busy = d.Busy()
	if c.Ended {
		d.count(&c)
	}
	return c
}

// count tells how what has ended went.
func (d *Downloads) count(c *DownloadChange) {
	for i := range d.Items {
		it := &d.Items[i]
		switch it.State {
		case fetch.Done, fetch.Here:
			c.Done++
			c.Bytes += it.Size
		case fetch.Failed:
			c.Failed++
		}
		if it.Err != nil && c.Err == nil {
			c.Err = it.Err
		}
	}
}
