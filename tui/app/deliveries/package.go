package deliveries

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

// DeliveredPackage is a package of delivered files, with what is known about these files on this machine.
type DeliveredPackage struct {
	fetch.Package

	Title    string
	Place    string            // name of the place that was surveyed, such as a city
	Location orb.Geometry      // area or point that was surveyed
	Where    []cache.Need      // data that must be loaded to know the exact Location
	States   []fetch.FileState // state of each file on disk; nil until the disk was inspected
	Changed  []time.Time       // creation time of each file; nil unless the servers were queried for it

	version     int
	isInspected bool   // States are up to date
	isProbed    bool   // the servers of files without a size were queried
	fetched     []bool // by file: the queue had fetched it when the disk was inspected
	hadNewFiles bool   // had new files when it was sorted for the first time; such packages come first
	isRanked    bool   // hadNewFiles is set
}

// copyFileInfo copies the states on disk, sizes and creation times of the files from old, an earlier
// version of the package. It copies nothing if the two versions do not have the same files.
func (p *DeliveredPackage) copyFileInfo(old *DeliveredPackage) {
	isSameFile := func(a, b fetch.File) bool { return a.ID == b.ID }
	if !slices.EqualFunc(p.Files, old.Files, isSameFile) {
		return
	}
	p.States = old.States
	p.Changed = old.Changed
	p.fetched = old.fetched
	p.isRanked = old.isRanked
	p.hadNewFiles = old.hadNewFiles
	for i := range p.Files {
		if p.Files[i].Size < 0 {
			p.Files[i].Size = old.Files[i].Size
		}
	}
}

// DiskLook is the result of inspecting packages on disk. Pass it to [PackageList.ApplyLook].
type DiskLook struct {
	packages []*DeliveredPackage // packages to inspect
	found    []DeliveredPackage  // inspected copies of the first packages; not all of them after an error
}

// LookOnDisk returns a function that checks which files of the packages are on disk, or nil if every
// package was inspected. For files of unknown size the function queries their servers, which takes longer.
// Packages with such files are therefore inspected by a later call, after all other packages.
func (s *PackageList) LookOnDisk() func(context.Context) (*DiskLook, error) {
	packages := s.uninspected()
	if len(packages) == 0 {
		return nil
	}
	copies := make([]DeliveredPackage, len(packages))
	for i, p := range packages {
		copies[i] = *p
		copies[i].Files = slices.Clone(p.Files)
		copies[i].fetched = p.fetchedFiles(s.Files)
	}
	dir := s.Files.Dir()
	probe := s.Files.Probe()
	return func(ctx context.Context) (*DiskLook, error) {
		look := &DiskLook{packages: packages}
		for i := range copies {
			if err := copies[i].inspect(ctx, dir, probe); err != nil {
				return look, err
			}
			look.found = append(look.found, copies[i])
		}
		return look, nil
	}
}

// inspect reads the state of the files in a folder. If a file has no size, it first queries the servers for
// the sizes, and for the creation times of the files.
func (p *DeliveredPackage) inspect(
	ctx context.Context, dir string, probe func(context.Context, []fetch.File) ([]time.Time, error),
) error {
	if p.needsProbe() {
		changed, err := probe(ctx, p.Files)
		if err != nil {
			return err
		}
		p.Changed = changed
		if p.Created.IsZero() {
			p.Created = slices.MaxFunc(p.Changed, time.Time.Compare)
		}
	}
	states, err := fetch.InspectFolder(dir, p.Package)
	if err != nil {
		return err
	}
	p.States = states
	return nil
}

// uninspected returns packages that were not inspected yet. If servers must be queried for some packages,
// it returns these packages only when all others were inspected.
func (s *PackageList) uninspected() []*DeliveredPackage {
	var local, remote []*DeliveredPackage
	for _, p := range s.Packages {
		if p.isInspected {
			continue
		}
		if p.needsProbe() {
			remote = append(remote, p)
		} else {
			local = append(local, p)
		}
	}
	if len(local) > 0 {
		return local
	}
	return remote
}

// ApplyLook updates the packages with the result of [PackageList.LookOnDisk]. A package that could not be
// inspected counts as inspected, too. It is tried again after [PackageList.ResetDisk] or
// [PackageList.RecheckDisk].
func (s *PackageList) ApplyLook(look *DiskLook) {
	for _, p := range look.packages {
		p.isInspected = true
	}
	for i := range look.found {
		found := &look.found[i]
		p := look.packages[i]
		p.States = found.States
		p.Files = found.Files
		p.Changed = found.Changed
		p.Created = found.Created
		p.fetched = found.fetched
		p.isProbed = true
	}
	s.Sort()
}

// ResetDisk makes the next [PackageList.LookOnDisk] inspect all packages again. Servers are also queried
// again for the sizes that are still unknown.
func (s *PackageList) ResetDisk() {
	for _, p := range s.Packages {
		p.isInspected = false
		p.isProbed = false
	}
}

// RecheckDisk makes the next [PackageList.LookOnDisk] inspect all packages again, without querying
// servers again.
func (s *PackageList) RecheckDisk() {
	for _, p := range s.Packages {
		p.isInspected = false
	}
}

// needsProbe reports whether a server must be queried for the size of a file.
func (p *DeliveredPackage) needsProbe() bool {
	return !p.isProbed && slices.ContainsFunc(p.Files, func(f fetch.File) bool { return f.Size < 0 })
}

// fetchedFiles returns, for each file of the package, whether the download queue has downloaded it or
// found it on disk.
func (p *DeliveredPackage) fetchedFiles(d *Downloads) []bool {
	fetched := make([]bool, len(p.Files))
	for i, f := range p.Files {
		it, ok := d.Of(p.ID, f.ID)
		fetched[i] = ok && (it.State == fetch.Done || it.State == fetch.Here)
	}
	return fetched
}

// DownloadStatus is the status of the download of a file, such as New, Paused or Here.
type DownloadStatus int

// The statuses, in the order in which they are sorted.
const (
	New    DownloadStatus = iota
	Unseen                // the disk was not inspected yet
	Failed
	Coming
	Waiting
	Paused
	Parted  // a part is on disk and the rest is not being fetched
	Changed // fetched, but the file on disk differs
	Missing // fetched, but the file is no longer on disk
	Here
)

// FileState is the download state of a file, or of several files together, and how it is displayed.
type FileState struct {
	Status DownloadStatus
	Text   string      // displayed text, such as "Queued" or "45%"
	Role   format.Tone // colour of Text
	Path   string      // path on disk, or "" if unknown
	Item   fetch.Item  // item of the download queue; zero if the file is not in the queue
}

// PercentOf formats the downloaded share of a file, such as "45%". It returns "…" if the size is unknown.
func PercentOf(done, size int64) string {
	if size <= 0 {
		return "…"
	}
	return fmt.Sprintf("%d%%", done*100/size)
}

// defaultStates has the text and the tone of each status. A status without a text here shows the progress of the
// download instead.
var defaultStates = map[DownloadStatus]FileState{
	New:    {Text: "New", Role: format.Attention},
	Unseen: {Text: "…", Role: format.Muted},
	Failed: {Text: "Failed", Role: format.Bad},
	Coming: {Role: format.InProgress},
	Waiting: {
		Text: "Queued",
		Role: format.Pending,
	},
	Paused: {Role: format.Pending},
	Parted: {Role: format.Pending},
	Changed: {
		Text: "Changed",
		Role: format.Attention,
	},
	Missing: {Text: "Missing", Role: format.Muted},
	Here:    {Text: "✓", Role: format.Good},
}

// newFileState returns the state for a status, with the default text of the status if text is
// empty.
func newFileState(status DownloadStatus, text string) FileState {
	defaults := defaultStates[status]
	return FileState{Status: status, Text: cmp.Or(text, defaults.Text), Role: defaults.Role}
}

var queueStatus = map[fetch.State]DownloadStatus{
	fetch.Waiting:  Waiting,
	fetch.Fetching: Coming,
	fetch.Paused:   Paused,
	fetch.Failed:   Failed,
	fetch.Done:     Here,
	fetch.Here:     Here,
}

// FileState returns the state of the i-th file. If the file is in the download queue, the queue determines
// the state. Once the queue has downloaded the file and the disk was inspected again, the disk determines
// it. If the file is not in the queue and the disk was not inspected yet, the state is Unseen.
func (p *DeliveredPackage) FileState(d *Downloads, i int) FileState {
	isInspected := i < len(p.States)
	item, inQueue := d.Of(p.ID, p.Files[i].ID)
	if !inQueue {
		if isInspected {
			return onDisk(&p.States[i])
		}
		return newFileState(Unseen, "")
	}
	isFetched := item.State == fetch.Done || item.State == fetch.Here
	wasFetched := i < len(p.fetched) && p.fetched[i] // before the disk was inspected
	if isFetched && isInspected && wasFetched {
		return onDisk(&p.States[i])
	}
	if item.State == fetch.Cancelled {
		return newFileState(New, "")
	}
	return inDownloads(&item)
}

// inDownloads returns the state of a file in the queue of downloads.
func inDownloads(item *fetch.Item) FileState {
	state := newFileState(queueStatus[item.State], "")
	state.Item = *item
	state.Path = item.Path
	if state.Status == Paused {
		state.Text = "= " + PercentOf(item.Done, item.Size)
	}
	if state.Status == Coming {
		state.Text = PercentOf(item.Done, item.Size)
		if item.Note != "" {
			state.Text = "Retrying"
			state.Role = format.Attention
		}
	}
	return state
}

// onDisk returns the state of a file that is not in the queue of downloads.
func onDisk(file *fetch.FileState) FileState {
	isAbsent := !file.Whole && file.Done == 0
	if isAbsent && !file.Changed {
		if file.Known {
			return newFileState(Missing, "")
		}
		return newFileState(New, "")
	}
	state := newFileState(Here, "")
	if file.Changed {
		state = newFileState(Changed, "")
	} else if !file.Whole {
		state = newFileState(Parted, "part "+PercentOf(file.Done, file.File.Size))
	}
	state.Path = file.At
	return state
}

// RowState returns the state of the row's file, or the combined state of all its files. If the files are
// in different states, the text has a number, such as "3 of 8".
func (r *DeliveryRow) RowState(d *Downloads) FileState {
	if r.IsFile() {
		return r.Package.FileState(d, r.File)
	}
	from, to := r.FileSpan()
	total := to - from
	if total == 0 {
		return FileState{Status: Here, Text: "empty", Role: format.Muted}
	}
	count := map[DownloadStatus]int{}
	for i := from; i < to; i++ {
		count[r.Package.FileState(d, i).Status]++
	}
	return combineStates(count, total)
}

// combineStates returns the common state of several files. count is the number of files in each state, and
// total the number of all files. If the files are in different states, failures come first, then running
// downloads, then files that differ on disk.
func combineStates(count map[DownloadStatus]int, total int) FileState {
	progress := fmt.Sprintf("%d of %d", count[Here], total)
	if count[Failed] > 0 {
		return newFileState(Failed, progress)
	}
	if count[Coming]+count[Waiting] > 0 {
		return newFileState(Coming, progress)
	}
	for _, status := range []DownloadStatus{Here, Unseen, New} {
		if count[status] == total {
			return newFileState(status, "")
		}
	}
	if count[Changed] > 0 {
		return newFileState(Changed, fmt.Sprintf("%d changed", count[Changed]))
	}
	isFetched := count[Missing]+count[Here] == total // all files were downloaded, and some are lost
	if isFetched {
		return newFileState(Missing, fmt.Sprintf("%d missing", count[Missing]))
	}
	return newFileState(Paused, progress) // a part of the files is on disk
}

// NewFiles returns the package with only its new files: those that are neither downloaded nor being
// downloaded.
func (p *DeliveredPackage) NewFiles(d *Downloads) fetch.Package {
	fresh := p.Package
	fresh.Files = nil
	for i, f := range p.Files {
		if p.FileState(d, i).Status == New {
			fresh.Files = append(fresh.Files, f)
		}
	}
	return fresh
}

// FileDigest returns the digests of a file on disk and how it was verified, or zero values
// if unknown.
func (p *DeliveredPackage) FileDigest(i int, s FileState) (sums fetch.Digests, by fetch.VerifiedBy) {
	if s.Item.Verified != "" {
		return s.Item.Digests, s.Item.Verified
	}
	if i < len(p.States) && s.Status == Here {
		return p.States[i].Entry.Digests, p.States[i].Entry.Verified
	}
	return fetch.Digests{}, ""
}
