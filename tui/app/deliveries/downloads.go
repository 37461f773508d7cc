package deliveries

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/session"
)

// Downloads is the download queue of a profile. Its methods must be called from the main loop; they return
// functions for everything that takes time.
type Downloads struct {
	Items []fetch.Item  // of the queue at the last Refresh
	Sum   fetch.Summary // of the queue at the last Refresh
	Free  int64         // free bytes on the disk, -1 if unknown

	Checks *checking.Results // results of checks of downloaded files

	options  fetch.Options
	kept     *session.UIState
	queue    *fetch.Queue // nil until it is needed
	packages map[string]fetch.PackageInfo
	at       map[[2]string]int // index in Items by package and file
	pending  []open            // downloads of the last run that could not be resumed yet
	saved    string
	back     bool // pending downloads are being resumed
	chosen   bool // the user chose the folder in the app
	shown    show
	busy     bool // at the last Refresh
}

type show int

const (
	auto show = iota // while downloads are unfinished
	yes
	no
)

// NewDownloads returns the downloads of a profile. The folder and speed limit that the
// user chose in the app take precedence over the options. A changed file is downloaded
// again if the user asks for it; the old file is set aside.
func NewDownloads(o fetch.Options, kept *session.UIState) *Downloads {
	o.SetAside = true
	d := &Downloads{
		Free:     -1,
		Checks:   checking.OpenResults(kept),
		options:  o,
		kept:     kept,
		packages: map[string]fetch.PackageInfo{},
		at:       map[[2]string]int{},
	}
	var saved state
	if kept.Get(keptName, &saved) {
		d.options.Dir = cmp.Or(saved.Dir, d.options.Dir)
		d.options.Rate = saved.Rate
		d.pending = saved.Open
		d.chosen = saved.Chosen
	}
	return d
}

// ChosenInApp returns the download folder and the speed limit in bytes per second that the
// user of a profile has chosen in the app, or "" and 0 if the user has chosen none.
func ChosenInApp(saved *session.UIState) (dir string, rate int64) {
	var s state
	if !saved.Get(keptName, &s) {
		return "", 0
	}
	return s.Dir, s.Rate
}

// Dir returns the download folder.
func (d *Downloads) Dir() string { return d.options.Dir }

// Rate returns the speed limit in bytes per second, or 0.
func (d *Downloads) Rate() int64 { return d.options.Rate }

// ErrDownloading is returned if the folder cannot change because of unfinished downloads.
var ErrDownloading = errors.New("downloads to this folder are running; wait or cancel them")

// SetDir changes the folder. It returns [ErrDownloading] if downloads to the current folder are
// unfinished.
func (d *Downloads) SetDir(dir string) error {
	if dir == d.options.Dir {
		return nil
	}
	if d.Unfinished() > 0 || len(d.pending) > 0 {
		return ErrDownloading
	}
	d.options.Dir = dir
	d.Free = -1
	d.chosen = true
	if d.queue != nil {
		d.queue.Close() // returns at once, because no download is unfinished
		d.queue = nil
	}
	d.Refresh()
	d.save()
	return nil
}

// SetRate sets the speed limit in bytes per second; 0 means no limit.
func (d *Downloads) SetRate(rate int64) {
	d.options.Rate = rate
	if d.queue != nil {
		d.queue.SetRate(rate)
	}
	d.save()
}

// work returns the queue, which it creates on first use.
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

// DownloadWork is the result of background work on the queue, for [Downloads.Take].
type DownloadWork struct {
	Desk  *Downloads
	Added int
	Err   error // the first error
	Back  bool  // downloads of the last run were resumed
	Free  int64

	left []open // downloads that could not be resumed
}

// Fetch returns a function that adds packages to the queue. It accesses the disk; pass its
// result to [Downloads.Take].
func (d *Downloads) Fetch(packages ...fetch.Package) func() DownloadWork {
	q, err := d.work()
	if err != nil {
		return func() DownloadWork {
			return DownloadWork{
				Desk: d,
				Err:  err,
				Free: -1,
			}
		}
	}
	if d.Unfinished() == 0 {
		q.Clear()
		d.shown = auto
	}
	for _, p := range packages {
		d.packages[p.ID] = p.PackageInfo
	}
	return func() DownloadWork {
		msg := DownloadWork{Desk: d}
		for _, p := range packages {
			ids, err := q.Add(p, fetch.Waiting)
			msg.Added += len(ids)
			msg.Err = cmp.Or(msg.Err, err)
		}
		msg.Free = freeOf(q)
		return msg
	}
}

// freeOf returns the free disk space in bytes, or -1 if it is unknown.
func freeOf(q *fetch.Queue) int64 {
	free, err := q.Free()
	if err != nil {
		return -1
	}
	return free
}

// AskFree returns a function that reads the free disk space, or nil without a queue.
func (d *Downloads) AskFree() func() DownloadWork {
	q, err := d.work()
	if err != nil {
		return nil
	}
	return func() DownloadWork { return DownloadWork{Desk: d, Free: freeOf(q)} }
}

// Of returns the queue's item for a file.
func (d *Downloads) Of(packageID, fileID string) (item fetch.Item, ok bool) {
	i, ok := d.at[[2]string{packageID, fileID}]
	if !ok {
		return fetch.Item{}, false
	}
	return d.Items[i], true
}

// Busy reports whether downloads are running or waiting.
func (d *Downloads) Busy() bool { return d.Sum.IsBusy() }

// Unfinished returns the number of unfinished files.
func (d *Downloads) Unfinished() (n int) {
	for i := range d.Items {
		if !d.Items[i].State.IsFinal() {
			n++
		}
	}
	return n
}

// ChangeItems calls a method of the queue that pauses, resumes or cancels files.
func (d *Downloads) ChangeItems(change func(*fetch.Queue, ...fetch.ID), ids []fetch.ID) {
	if d.queue != nil {
		change(d.queue, ids...)
	}
}

// Leave saves the unfinished downloads and returns a function that stops the queue. The
// function returns when everything is on disk.
func (d *Downloads) Leave() (stop func()) {
	d.Refresh()
	d.save()
	if d.queue == nil {
		return func() {}
	}
	return d.queue.Close
}

// Probe returns a function that queries servers for the sizes and ages of files. Unknown
// values are -1 and the zero time.
func (d *Downloads) Probe() func(context.Context, []fetch.File) ([]time.Time, error) {
	q, err := d.work()
	return func(ctx context.Context, files []fetch.File) ([]time.Time, error) {
		if err != nil {
			return nil, err
		}
		return q.Probe(ctx, files)
	}
}

// Progress returns how many files of a package are finished and how many are in the queue.
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

// DownloadChange is what changed since the last Refresh.
type DownloadChange struct {
	States bool  // an item changed its state
	Ended  bool  // all downloads have ended
	Bytes  int64 // fetched bytes, if all downloads have ended
	Err    error // the first error, if all downloads have ended
}

// Refresh updates Items and Sum from the queue.
func (d *Downloads) Refresh() (c DownloadChange) {
	before := d.Sum.Revision
	d.Items, d.Sum = nil, fetch.Summary{Rate: d.options.Rate}
	if d.queue != nil {
		d.Items, d.Sum = d.queue.State()
	}
	c.States, c.Ended = d.Sum.Revision != before, d.busy && !d.Busy()
	d.busy = d.Busy()
	clear(d.at)
	for i := range d.Items {
		it := &d.Items[i]
		d.at[[2]string{it.PackageID, it.FileID}] = i
		if !c.Ended {
			continue
		}
		if it.State == fetch.Done || it.State == fetch.Here {
			c.Bytes += it.Size
		}
		c.Err = cmp.Or(c.Err, it.Err)
	}
	if c.States {
		d.save()
	}
	return c
}

// keptName is the name of the saved state.
const keptName = "downloads"

// state is the saved state of the downloads. It has no links.
type state struct {
	Dir    string `json:"dir,omitempty"` // if the user chose it or downloads are unfinished
	Chosen bool   `json:"chosen,omitempty"`
	Rate   int64  `json:"rate,omitempty"`
	Open   []open `json:"open,omitempty"`
}

// open is a package with unfinished files.
type open struct {
	fetch.PackageInfo
	Files  []string `json:"files"`            // IDs of the unfinished files
	Paused []string `json:"paused,omitempty"` // IDs of the paused files among them
}

// save stores the unfinished downloads in the UI state, which writes them to disk later.
func (d *Downloads) save() {
	s := state{
		Chosen: d.chosen,
		Rate:   d.options.Rate,
		Open:   slices.Clone(d.pending),
	}
	place := map[string]int{}
	for i := range d.Items {
		it := &d.Items[i]
		if it.State.IsFinal() {
			continue
		}
		at, known := place[it.PackageID]
		if !known {
			at = len(s.Open)
			place[it.PackageID] = at
			s.Open = append(s.Open, open{PackageInfo: d.packages[it.PackageID]})
		}
		s.Open[at].Files = append(s.Open[at].Files, it.FileID)
		if it.State == fetch.Paused && it.Err == nil {
			s.Open[at].Paused = append(s.Open[at].Paused, it.FileID)
		}
	}
	if s.Chosen || len(s.Open) > 0 {
		s.Dir = d.options.Dir // parts are there
	}
	text, err := json.Marshal(s)
	if err != nil || string(text) == d.saved {
		return
	}
	d.saved = string(text)
	d.kept.Put(keptName, s)
}

// ComeBack returns a function that resumes the unfinished downloads of the last run, or
// nil if there are none. Paused downloads stay paused.
func (d *Downloads) ComeBack(c *api.Client) func() DownloadWork {
	if len(d.pending) == 0 || c == nil || d.back {
		return nil
	}
	q, err := d.work()
	if err != nil {
		return nil
	}
	waiting := d.pending
	d.back = true
	for _, o := range waiting {
		d.packages[o.ID] = o.PackageInfo
	}
	return func() DownloadWork {
		msg := DownloadWork{Desk: d, Back: true}
		for _, o := range waiting {
			p, err := o.list(context.Background(), c)
			if err == nil {
				err = o.resume(q, p, &msg)
			}
			if err != nil && !gone(err) {
				msg.left = append(msg.left, o)
			}
			msg.Err = cmp.Or(msg.Err, err)
		}
		msg.Free = freeOf(q)
		return msg
	}
}

// list reads the package again to get new links.
func (o *open) list(ctx context.Context, c *api.Client) (fetch.Package, error) {
	switch o.Kind {
	case "dataset":
		return fetch.Dataset(ctx, c, o.ID)
	case "order":
		return fetch.Record(ctx, c, o.ID)
	default:
		m := api.Mission{
			UUID:        o.MissionUID,
			MissionCode: o.Mission,
			OrderCode:   o.Order,
		}
		p := api.DeliveryPackage{
			UUID:      o.ID,
			Name:      o.Name,
			Version:   o.Version,
			CreatedAt: api.TimeOf(o.Created),
		}
		return fetch.Delivery(ctx, c, m, p)
	}
}

// resume adds the unfinished files to the queue.
func (o *open) resume(q *fetch.Queue, p fetch.Package, msg *DownloadWork) error {
	paused, active := p, p
	paused.Files, active.Files = nil, nil
	for _, f := range p.Files {
		switch {
		case slices.Contains(o.Paused, f.ID):
			paused.Files = append(paused.Files, f)
		case slices.Contains(o.Files, f.ID):
			active.Files = append(active.Files, f)
		}
	}
	ids, err := q.Add(active, fetch.Waiting)
	if err != nil {
		return err
	}
	msg.Added += len(ids)
	ids, err = q.Add(paused, fetch.Paused)
	msg.Added += len(ids)
	return err
}

// gone reports whether the service no longer has the package.
func gone(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && !e.Foreign && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

// IsPending reports whether downloads of the last run could not be resumed yet.
func (d *Downloads) IsPending() bool { return len(d.pending) > 0 }

// Take applies the result of background work. Call it before any other method.
func (d *Downloads) Take(msg DownloadWork) DownloadChange {
	d.Free = msg.Free
	if msg.Back {
		d.pending, d.back = msg.left, false
	}
	d.busy = d.busy || msg.Added > 0
	return d.Refresh()
}
