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

// Downloads is the download queue of a profile. Its methods must be called from the main loop of the app. Methods that
// need the disk or the network return a function for the caller to run in the background.
type Downloads struct {
	Items []fetch.Item  // files in the queue at the last Refresh
	Sum   fetch.Summary // progress of the queue at the last Refresh
	Free  int64         // free bytes on the disk, -1 if unknown

	Checks *checking.Results // results of checks of downloaded files

	options  fetch.Options
	kept     *session.UIState // stores the [state]
	queue    *fetch.Queue     // nil until it is needed
	packages map[string]fetch.PackageInfo
	titles   map[string]string    // titles of packages, by ID; pages that list packages add them
	indexes  map[[2]string]int    // indexes in Items by package and file
	pending  []*unfinishedPackage // downloads of the last run that could not be resumed yet
	saved    string               // the saved state
	resuming bool                 // pending downloads are being resumed
	chosen   bool                 // the user chose the folder in the app
	panel    panelState

	wasBusy bool // Busy at the last Refresh
}

// panelState says whether the panel of downloads is displayed.
type panelState int

const (
	panelAuto panelState = iota // while downloads are unfinished
	panelOpen
	panelClosed
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
		titles:   map[string]string{},
		indexes:  map[[2]string]int{},
	}
	var saved state
	if kept.Get(keptName, &saved) {
		d.options.Dir = cmp.Or(saved.Dir, d.options.Dir)
		d.options.Rate = saved.Rate
		isNil := func(p *unfinishedPackage) bool { return p == nil } // in a damaged file
		d.pending = slices.DeleteFunc(saved.Open, isNil)
		d.chosen = saved.Chosen
	}
	return d
}

// ChosenInApp returns the download folder that the user has chosen in the app, or "". rate is the
// speed limit that the user has chosen, in bytes per second, or 0.
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
var ErrDownloading = errors.New("downloads to this folder are not finished; wait or cancel them")

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

// openQueue returns the queue. It creates the queue when it is called for the first time.
func (d *Downloads) openQueue() (*fetch.Queue, error) {
	if d.queue == nil {
		q, err := fetch.New(d.options)
		if err != nil {
			return nil, err
		}
		d.queue = q
	}
	return d.queue, nil
}

// DownloadWork is the result of a function that works on the queue in the background. Pass it to
// [Downloads.ApplyWork].
type DownloadWork struct {
	Downloads *Downloads // the downloads whose queue was used
	Added     int        // number of files that were added to the queue
	Err       error      // the first error
	Resumed   bool       // downloads of the last run were resumed
	Free      int64      // free bytes on the disk, -1 if unknown

	unresumed []*unfinishedPackage // downloads that could not be resumed
}

// Fetch prepares the queue for packages and returns a function that adds them. The function reads and
// writes files, so run it in the background and pass its result to [Downloads.ApplyWork].
func (d *Downloads) Fetch(packages ...fetch.Package) func() DownloadWork {
	queue, err := d.openQueue()
	if err != nil {
		return func() DownloadWork { return DownloadWork{Downloads: d, Err: err, Free: -1} }
	}
	if d.Unfinished() == 0 {
		d.removeFinished(queue)
	}
	for _, p := range packages {
		d.packages[p.ID] = p.PackageInfo
	}
	return func() DownloadWork { return d.addPackages(queue, packages) }
}

// removeFinished removes finished files from the queue, so that the panel lists only new files. If
// the user has closed the panel, it is shown again.
func (d *Downloads) removeFinished(queue *fetch.Queue) {
	queue.Clear()
	d.panel = panelAuto
}

// addPackages adds packages to the queue. It does not stop at an error; the result has the first one.
func (d *Downloads) addPackages(queue *fetch.Queue, packages []fetch.Package) DownloadWork {
	work := DownloadWork{Downloads: d}
	for _, p := range packages {
		ids, err := queue.Add(p, fetch.Waiting)
		work.Added += len(ids)
		if work.Err == nil {
			work.Err = err
		}
	}
	work.Free = freeOf(queue)
	return work
}

// freeOf returns the free disk space in bytes, or -1 if it is unknown.
func freeOf(q *fetch.Queue) int64 {
	free, err := q.Free()
	if err != nil {
		return -1
	}
	return free
}

// ReadFreeSpace returns a function that reads the free disk space, or nil if there is no queue yet.
func (d *Downloads) ReadFreeSpace() func() DownloadWork {
	q, err := d.openQueue()
	if err != nil {
		return nil
	}
	return func() DownloadWork { return DownloadWork{Downloads: d, Free: freeOf(q)} }
}

// Of returns the queue's item for a file. ok is false if the file is not in the queue.
func (d *Downloads) Of(packageID, fileID string) (item fetch.Item, ok bool) {
	i, ok := d.indexes[[2]string{packageID, fileID}]
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

// ChangeItems pauses, resumes or cancels the files with the given IDs. change is the method of the queue
// to call, such as (*fetch.Queue).Pause.
func (d *Downloads) ChangeItems(change func(*fetch.Queue, ...fetch.ID), ids []fetch.ID) {
	if d.queue != nil {
		change(d.queue, ids...)
	}
}

// Leave saves the list of unfinished downloads and returns a function that stops the queue. The function
// waits until everything is written to disk.
func (d *Downloads) Leave() (stop func()) {
	d.Refresh()
	d.save()
	if d.queue == nil {
		return func() {}
	}
	return d.queue.Close
}

// Probe returns a function that queries servers for the sizes and creation times of files. The function sets
// the sizes in its argument and returns the times. An unknown size is -1, and an unknown time is zero.
func (d *Downloads) Probe() func(context.Context, []fetch.File) ([]time.Time, error) {
	q, err := d.openQueue()
	return func(ctx context.Context, files []fetch.File) ([]time.Time, error) {
		if err != nil {
			return nil, err
		}
		return q.Probe(ctx, files)
	}
}

// Progress returns how many files of a package are in the queue (all), and how many of these are finished
// (done). Cancelled files do not count.
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

// DownloadChange describes what changed between two calls of [Downloads.Refresh].
type DownloadChange struct {
	StatesChanged bool  // an item changed its state
	Ended         bool  // the last running download has ended
	Bytes         int64 // total size of the downloaded files; 0 unless Ended
	Err           error // first error of a download; nil unless Ended
}

// Refresh updates Items and Sum from the queue and returns what has changed since the last Refresh. If a
// state has changed, it also saves the unfinished downloads.
func (d *Downloads) Refresh() DownloadChange {
	oldRevision := d.Sum.Revision
	d.readQueue()
	isBusy := d.Busy()
	change := DownloadChange{
		StatesChanged: d.Sum.Revision != oldRevision,
		Ended:         d.wasBusy && !isBusy,
	}
	d.wasBusy = isBusy
	if change.Ended {
		change.Bytes, change.Err = d.result()
	}
	if change.StatesChanged {
		d.save()
	}
	return change
}

// readQueue copies the current items and totals of the queue to Items and Sum, and rebuilds the indexes.
func (d *Downloads) readQueue() {
	if d.queue != nil {
		d.Items, d.Sum = d.queue.State()
	} else {
		d.Items = nil
		d.Sum = fetch.Summary{Rate: d.options.Rate}
	}
	clear(d.indexes)
	for i := range d.Items {
		d.indexes[[2]string{d.Items[i].PackageID, d.Items[i].FileID}] = i
	}
}

// result returns the total size of the downloaded files and the first error. Files that were already on
// disk do not count.
func (d *Downloads) result() (bytes int64, err error) {
	for i := range d.Items {
		item := &d.Items[i]
		if item.State == fetch.Done {
			bytes += item.Done
		}
		if err == nil {
			err = item.Err
		}
	}
	return bytes, err
}

// keptName is the name of the [state] in the UI state file of the profile.
const keptName = "downloads"

// state is what is saved of the downloads, to resume them after a restart. Download links are not saved,
// because they expire.
type state struct {
	Dir    string               `json:"dir,omitempty"`    // download folder; "" for the default folder
	Chosen bool                 `json:"chosen,omitempty"` // the user chose the folder in the app
	Rate   int64                `json:"rate,omitempty"`   // speed limit in bytes per second; 0 for no limit
	Open   []*unfinishedPackage `json:"open,omitempty"`
}

// unfinishedPackage is a package with unfinished files.
type unfinishedPackage struct {
	fetch.PackageInfo
	Title  string   `json:"title,omitempty"`
	Files  []string `json:"files"`            // IDs of the unfinished files
	Paused []string `json:"paused,omitempty"` // IDs of the paused files among them
}

// save stores the unfinished downloads in the UI state, which writes them to disk later.
func (d *Downloads) save() {
	s := state{
		Chosen: d.chosen,
		Rate:   d.options.Rate,
		Open:   append(slices.Clone(d.pending), d.unfinishedPackages()...),
	}
	if s.Chosen || len(s.Open) > 0 {
		s.Dir = d.options.Dir // the folder has the parts of unfinished files
	}
	text, err := json.Marshal(s)
	if err != nil || string(text) == d.saved {
		return
	}
	d.saved = string(text)
	d.kept.Put(keptName, s)
}

// unfinishedPackages returns the packages with unfinished files, in the order of the queue.
func (d *Downloads) unfinishedPackages() []*unfinishedPackage {
	var packages []*unfinishedPackage
	byID := map[string]*unfinishedPackage{}
	for i := range d.Items {
		item := &d.Items[i]
		if item.State.IsFinal() {
			continue
		}
		p := byID[item.PackageID]
		if p == nil {
			p = &unfinishedPackage{
				PackageInfo: d.packages[item.PackageID],
				Title:       d.titles[item.PackageID],
			}
			byID[item.PackageID] = p
			packages = append(packages, p)
		}
		p.Files = append(p.Files, item.FileID)
		if item.State == fetch.Paused && item.Err == nil {
			p.Paused = append(p.Paused, item.FileID)
		}
	}
	return packages
}

// ComeBack returns a function that resumes the unfinished downloads of the last run. Paused downloads stay
// paused. Pass the result of the function to [Downloads.ApplyWork]. ComeBack returns nil if there is
// nothing to resume, if the downloads are being resumed already, or if c is nil or the queue cannot be
// opened.
func (d *Downloads) ComeBack(c *api.Client) func() DownloadWork {
	if len(d.pending) == 0 || c == nil || d.resuming {
		return nil
	}
	q, err := d.openQueue()
	if err != nil {
		return nil // Fetch reports the error when the user downloads something
	}
	d.resuming = true // until ApplyWork
	pending := d.pending
	for _, p := range pending {
		d.packages[p.ID] = p.PackageInfo
		d.setTitle(p.ID, p.Title)
	}
	return func() DownloadWork {
		result := DownloadWork{Downloads: d, Resumed: true}
		for _, p := range pending {
			added, err := p.resume(context.Background(), c, q)
			result.Added += added
			if result.Err == nil {
				result.Err = err
			}
			if err != nil && !isGone(err) { // try again later
				result.unresumed = append(result.unresumed, p)
			}
		}
		result.Free = freeOf(q)
		return result
	}
}

// readAgain reads the package from the service, to get new links to its files.
func (o *unfinishedPackage) readAgain(ctx context.Context, c *api.Client) (fetch.Package, error) {
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

// resume reads the package again and adds its unfinished files to the queue. It returns the number of
// added files, even if it also returns an error.
func (o *unfinishedPackage) resume(ctx context.Context, c *api.Client, q *fetch.Queue) (added int, err error) {
	p, err := o.readAgain(ctx, c)
	if err != nil {
		return 0, err
	}
	paused := p
	paused.Files = nil
	active := p
	active.Files = nil
	for _, f := range p.Files {
		if slices.Contains(o.Paused, f.ID) {
			paused.Files = append(paused.Files, f)
		} else if slices.Contains(o.Files, f.ID) {
			active.Files = append(active.Files, f)
		}
	}
	activeIDs, err := q.Add(active, fetch.Waiting)
	if err != nil {
		return 0, err
	}
	pausedIDs, err := q.Add(paused, fetch.Paused)
	return len(activeIDs) + len(pausedIDs), err
}

// isGone reports whether an error says that the service no longer has the package.
func isGone(err error) bool {
	response, ok := errors.AsType[*api.Error](err)
	if !ok || response.Foreign {
		return false
	}
	return response.Status == http.StatusNotFound || response.Status == http.StatusGone
}

// IsPending reports whether downloads of the last run could not be resumed yet.
func (d *Downloads) IsPending() bool { return len(d.pending) > 0 }

// ApplyWork updates the downloads with the result of background work, such as the function that
// [Downloads.Fetch] returns. Call it as soon as the work has ended, before any other method.
func (d *Downloads) ApplyWork(msg DownloadWork) DownloadChange {
	d.Free = msg.Free
	if msg.Resumed {
		d.pending = msg.unresumed
		d.resuming = false
	}
	d.wasBusy = d.wasBusy || msg.Added > 0
	return d.Refresh()
}
