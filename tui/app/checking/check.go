package checking

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"flightdesk/api"
	"flightdesk/api/fetch"
)

// Checker checks whether the downloaded files of an order are complete and cover the areas of its missions.
type Checker struct {
	Dir     string // download folder
	Digests bool   // also compare each file with its digest, which reads the whole file
	Now     func() time.Time

	readTimeout time.Duration // time limit for reading one file; 0 for a limit that depends on its format
}

// Progress is the progress of a check.
type Progress struct {
	Files int     // number of files read so far
	Of    int     // number of all files
	Name  string  // a file that is being read
	Share float64 // read share of that file, from 0 to 1
}

// Delivery is what to check: an order, its missions and the packages that were delivered for them.
type Delivery struct {
	Order    *api.Order
	Missions []api.Mission
	Packages []fetch.Package
	// Chosen reports whether to check a file. If it is nil, all files are checked. Packages must have all packages
	// of the missions in either case: a product that is not in the chosen files can be in another package.
	Chosen func(packageID, fileID string) bool
}

// Check checks a delivery. It returns an error only if ctx ends or the download folder cannot be
// read. progress is called as the check proceeds, from several goroutines; it may be nil.
func (c Checker) Check(ctx context.Context, d Delivery, progress func(Progress)) (*Report, error) {
	report := &Report{CheckedAt: c.Now().UTC().Truncate(time.Second)}
	if d.Order != nil {
		report.Order = d.Order.OrderCode
	}
	w := &work{Checker: c, Delivery: d, report: report}
	if err := w.findFiles(ctx); err != nil {
		return nil, err
	}
	if err := w.readFiles(ctx, progress); err != nil {
		return nil, err
	}
	w.countUnread()
	// The order matters: a later finding about a file replaces the note of an earlier finding. Only a finding
	// about the date of a photo is appended to the note.
	w.judgeFiles()
	w.judgeMissions()
	w.judgeSystems()
	w.judgeDates()
	w.judgeProducts()
	for _, f := range w.files {
		f.surface = nil // it needs much memory
		report.Files = append(report.Files, *f)
	}
	report.finish()
	w.sumUpMissions() // needs the findings sorted by finish
	return report, nil
}

// countUnread counts files as unchecked if reading them took too long.
func (w *work) countUnread() {
	for _, f := range w.files {
		if f.isUnread {
			w.unchecked[productOf{f.Mission, f.Product}]++
		}
	}
}

// sumUpMissions adds the results of the missions whose files were all checked. It does nothing if the user
// has chosen some files, or if some files were not downloaded.
func (w *work) sumUpMissions() {
	if w.Chosen != nil || w.notLocal > 0 {
		return
	}
	for i := range w.Missions {
		code := w.Missions[i].MissionCode
		if slices.ContainsFunc(w.files, func(f *FileReport) bool { return f.isUnread && f.Mission == code }) {
			continue
		}
		if slices.ContainsFunc(w.Packages, func(p fetch.Package) bool { return p.Mission == code }) {
			w.report.sumUpMission(code)
		}
	}
}

// work is the state of one check while it runs.
type work struct {
	Checker
	Delivery
	report *Report

	files     []*FileReport
	notLocal  int               // number of files that were never or only partly downloaded
	unchecked map[productOf]int // number of files that were not chosen, not downloaded or too slow to read
}

// productOf identifies a product of a mission, such as its point cloud.
type productOf struct {
	mission string
	product api.Deliverable
}

// findFiles finds the delivered files on disk.
func (w *work) findFiles(ctx context.Context) error {
	w.unchecked = map[productOf]int{}
	for _, p := range w.Packages {
		if w.Chosen != nil {
			p.Files = w.chosenFiles(p)
		}
		if len(p.Files) == 0 {
			continue
		}
		states, err := w.inspectPackage(ctx, p)
		if err != nil {
			return err
		}
		for i := range states {
			w.addFile(p, &states[i])
		}
	}
	return nil
}

// chosenFiles returns the files of a package that the user has chosen. It counts all other files as unchecked.
func (w *work) chosenFiles(p fetch.Package) (chosen []fetch.File) {
	for _, f := range p.Files {
		if w.Chosen(p.ID, f.ID) {
			chosen = append(chosen, f)
		} else {
			w.unchecked[productOf{p.Mission, f.Product}]++
		}
	}
	return chosen
}

// inspectPackage returns the state of the files of a package on disk.
func (w *work) inspectPackage(ctx context.Context, p fetch.Package) ([]fetch.FileState, error) {
	if w.Digests {
		return fetch.VerifyFolder(ctx, w.Dir, p, nil)
	}
	return fetch.InspectFolder(w.Dir, p)
}

// addFile adds a file to the report if it is on disk, or if it was deleted after its download. Files that
// were never or only partly downloaded are counted as unchecked.
func (w *work) addFile(p fetch.Package, s *fetch.FileState) {
	isOnDisk := s.Whole || s.Changed
	isPartial := !isOnDisk && s.Done > 0 // also if an earlier download of the file was complete
	isMissing := s.Known && !isOnDisk && !isPartial
	if !isOnDisk && !isMissing {
		w.notLocal++
		w.unchecked[productOf{p.Mission, s.File.Product}]++
		return
	}
	f := &FileReport{
		Package: p.ID,
		ID:      s.File.ID,
		Name:    s.File.Name,
		Mission: p.Mission,
		Product: s.File.Product,
		Path:    s.At,
		Level:   OK,

		mediaType: s.File.MediaType,
		digest:    digestOf(s),
	}
	hasDigests := s.Entry.Digests != (fetch.Digests{})
	if s.Changed {
		f.setLevel(Problem, "changed since it was downloaded; download it again")
	} else if isMissing {
		f.setLevel(Problem, "was downloaded, but is missing on disk; download it again")
		f.Path = ""
	} else if w.Digests && hasDigests {
		w.report.DigestsVerified++
	}
	w.files = append(w.files, f)
}

// readFiles reads all files, several at once.
func (w *work) readFiles(ctx context.Context, report func(Progress)) error {
	progress := &fileProgress{total: len(w.files), report: report}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for _, f := range w.files {
		if groupCtx.Err() != nil {
			break
		}
		if f.Path == "" { // missing on disk
			progress.done.Add(1)
			continue
		}
		group.Go(func() error { return w.readFile(groupCtx, f, progress) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// readFile reads a file. If the file makes its reader panic, that is a problem of the file.
func (w *work) readFile(ctx context.Context, f *FileReport, progress *fileProgress) error {
	err := api.Guard(func() error {
		return f.inspect(ctx, w.timeout(f), func(share float64) { progress.update(f.Name, share) })
	})
	if isPanic(err) {
		f.setLevel(Problem, sentenceOf(err))
	} else if err != nil {
		return err
	}
	progress.done.Add(1)
	progress.update(f.Name, 0) // reports the new number of files
	return nil
}

// fileProgress reports the progress of reading files. It is safe for concurrent use.
type fileProgress struct {
	total  int
	done   atomic.Int64 // files that were read
	mu     sync.Mutex   // serialises report
	report func(Progress)
}

// update reports which share of the file with the given name was read.
func (p *fileProgress) update(name string, share float64) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report(Progress{Files: int(p.done.Load()), Of: p.total, Name: name, Share: share})
}

// mission returns the mission with a code, or nil.
func (w *work) mission(code string) *api.Mission {
	for i := range w.Missions {
		if w.Missions[i].MissionCode == code {
			return &w.Missions[i]
		}
	}
	return nil
}
