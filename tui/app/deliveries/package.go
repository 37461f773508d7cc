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

// LinkLife is how long download links of the service are valid.
const LinkLife = 24 * time.Hour

// DeliveredPackage is a package with its state on this machine.
type DeliveredPackage struct {
	fetch.Package

	Title    string
	Place    string // name of the place
	Location orb.Geometry
	Where    []cache.Need      // data that has the exact location
	Read     time.Time         // time of the service when its links were created
	Stands   []fetch.FileState // state of its files on disk; nil until the disk was inspected
	Changed  []time.Time       // creation times of its files if only their servers know them

	version int
	looked  bool   // Stands are up to date
	probed  bool   // the servers of files without a size were queried
	fetched []bool // by file: the queue had fetched it when the disk was inspected
	ranked  bool   // had is valid until everything is read again
	had     bool   // it had new files, so it is sorted first
}

// inheritKnown copies the state of the files from an earlier listing until the disk is
// inspected again.
func (p *DeliveredPackage) inheritKnown(old *DeliveredPackage) {
	if !slices.EqualFunc(
		p.Files,
		old.Files,
		func(a, b fetch.File) bool { return a.ID == b.ID },
	) {
		return
	}
	p.Stands, p.Changed = old.Stands, old.Changed
	p.fetched = old.fetched
	p.ranked, p.had = old.ranked, old.had
	for i := range p.Files {
		if p.Files[i].Size < 0 {
			p.Files[i].Size = old.Files[i].Size
		}
	}
}

// DiskLook is the result of inspecting packages on disk.
type DiskLook struct {
	packages []*DeliveredPackage
	found    []DeliveredPackage // shorter than packages after an error
}

// LookOnDisk returns a function that inspects the packages on disk that were not inspected
// yet, or nil if there are none. Packages whose servers must be queried for sizes come
// last.
func (s *PackageShelf) LookOnDisk() func(context.Context) (*DiskLook, error) {
	var some, links []*DeliveredPackage
	for _, p := range s.Packages {
		switch {
		case p.looked:
		case p.needsProbe():
			links = append(links, p)
		default:
			some = append(some, p)
		}
	}
	if len(some) == 0 {
		some = links
	}
	if len(some) == 0 {
		return nil
	}
	l, copies := &DiskLook{packages: some}, make([]DeliveredPackage, len(some))
	for i, p := range some {
		copies[i] = *p
		copies[i].Files = slices.Clone(p.Files)
		copies[i].fetched = p.fetchedFiles(s.Files)
	}
	dir, probe := s.Files.Dir(), s.Files.Probe()
	return func(ctx context.Context) (*DiskLook, error) {
		for _, p := range copies {
			var err error
			if p.needsProbe() {
				if p.Changed, err = probe(ctx, p.Files); err != nil {
					return l, err
				}
				if p.Created.IsZero() {
					p.Created = slices.MaxFunc(p.Changed, time.Time.Compare)
				}
			}
			if p.Stands, err = fetch.InspectFolder(dir, p.Package); err != nil {
				return l, err
			}
			l.found = append(l.found, p)
		}
		return l, nil
	}
}

// TakeLook applies the result of LookOnDisk. Packages with an error are not inspected
// again until the user asks for it.
func (s *PackageShelf) TakeLook(l *DiskLook) {
	for i, p := range l.packages {
		if p.looked = true; i >= len(l.found) {
			continue
		}
		found := &l.found[i]
		p.Stands, p.Files, p.Changed, p.Created = found.Stands, found.Files, found.Changed, found.Created
		p.fetched = found.fetched
		p.probed = true
	}
	s.Sort()
}

// ForgetDisk makes the next look inspect all packages, and query the servers of files
// without a size again.
func (s *PackageShelf) ForgetDisk() {
	for _, p := range s.Packages {
		p.looked = false
		p.probed = false
	}
}

// RecheckDisk makes the next look inspect all packages on disk.
func (s *PackageShelf) RecheckDisk() {
	for _, p := range s.Packages {
		p.looked = false
	}
}

// needsProbe reports whether a server must be queried for the size of a file.
func (p *DeliveredPackage) needsProbe() bool {
	return !p.probed && slices.ContainsFunc(p.Files, func(f fetch.File) bool { return f.Size < 0 })
}

// fetchedFiles returns for each file whether the queue has fetched it or found it on disk.
func (p *DeliveredPackage) fetchedFiles(d *Downloads) []bool {
	fetched := make([]bool, len(p.Files))
	for i, f := range p.Files {
		it, ok := d.Of(p.ID, f.ID)
		fetched[i] = ok && (it.State == fetch.Done || it.State == fetch.Here)
	}
	return fetched
}

// FileStep is the state of a file on its way to this machine.
type FileStep int

// The steps, in the order in which they are sorted.
const (
	New    FileStep = iota
	Unseen          // the disk was not inspected yet
	Failed
	Coming
	Waiting
	Paused
	Parted  // a part is on disk and the rest is not being fetched
	Changed // fetched, but the file on disk differs
	Missing // fetched, but the file is no longer on disk
	Here
)

// FileState is the state of one or more files on their way to this machine.
type FileState struct {
	Step FileStep
	Text string
	Role format.Tone
	Path string     // path on disk, or "" if unknown
	Item fetch.Item // of the queue
}

// PercentOf formats a part of a size in percent.
func PercentOf(done, size int64) string {
	if size <= 0 {
		return "…"
	}
	return fmt.Sprintf("%d%%", done*100/size)
}

// stepLooks is the look of each step. Steps without a text show their progress.
var stepLooks = map[FileStep]FileState{
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

// standAt returns the state for a step, with the default text of the step if text is
// empty.
func standAt(step FileStep, text string) FileState {
	look := stepLooks[step]
	return FileState{Step: step, Text: cmp.Or(text, look.Text), Role: look.Role}
}

var stepOf = map[fetch.State]FileStep{
	fetch.Waiting:  Waiting,
	fetch.Fetching: Coming,
	fetch.Paused:   Paused,
	fetch.Failed:   Failed,
	fetch.Done:     Here,
	fetch.Here:     Here,
}

// FileState returns the state of the i-th file in the queue, or otherwise on disk. After
// the queue has fetched a file, the state on disk counts.
func (p *DeliveredPackage) FileState(d *Downloads, i int) FileState {
	it, inQueue := d.Of(p.ID, p.Files[i].ID)
	isFetched := inQueue && (it.State == fetch.Done || it.State == fetch.Here)
	if isFetched && i < len(p.Stands) && i < len(p.fetched) && p.fetched[i] {
		return onDisk(&p.Stands[i])
	}
	if inQueue && it.State == fetch.Cancelled {
		return standAt(New, "")
	}
	if !inQueue && i < len(p.Stands) {
		return onDisk(&p.Stands[i])
	}
	if !inQueue {
		return standAt(Unseen, "")
	}
	s := standAt(stepOf[it.State], "")
	switch {
	case s.Step == Paused:
		s.Text = "= " + PercentOf(it.Done, it.Size)
	case s.Step == Coming && it.Note != "":
		s.Text, s.Role = "Retrying", format.Attention
	case s.Step == Coming:
		s.Text = PercentOf(it.Done, it.Size)
	}
	s.Item, s.Path = it, it.Path
	return s
}

func onDisk(s *fetch.FileState) FileState {
	switch {
	case s.Changed:
		changed := standAt(Changed, "")
		changed.Path = s.At
		return changed
	case !s.Whole && s.Done == 0 && s.Known:
		return standAt(Missing, "")
	case !s.Whole && s.Done == 0:
		return standAt(New, "")
	}
	stand := standAt(Here, "")
	if !s.Whole {
		stand = standAt(Parted, "part "+PercentOf(s.Done, s.File.Size))
	}
	stand.Path = s.At
	return stand
}

// RowStanding returns the combined state of the row's files.
func (r *DeliveryRow) RowStanding(d *Downloads) FileState {
	if r.IsFile() {
		return r.Package.FileState(d, r.File)
	}
	count := map[FileStep]int{}
	from, to := r.FileSpan()
	for i := from; i < to; i++ {
		count[r.Package.FileState(d, i).Step]++
	}
	n := to - from
	of := fmt.Sprintf("%d of %d", count[Here], n)
	switch {
	case n == 0:
		return FileState{Step: Here, Text: "empty", Role: format.Muted}
	case count[Failed] > 0:
		return standAt(Failed, of)
	case count[Coming]+count[Waiting] > 0:
		return standAt(Coming, of)
	}
	for _, step := range []FileStep{Here, Unseen, New} {
		if count[step] == n {
			return standAt(step, "")
		}
	}
	if count[Changed] > 0 {
		return standAt(Changed, fmt.Sprintf("%d changed", count[Changed]))
	}
	if count[Missing]+count[Here] == n {
		return standAt(Missing, fmt.Sprintf("%d missing", count[Missing]))
	}
	return standAt(Paused, of)
}

// NewFiles returns the package with only its new files.
func (p *DeliveredPackage) NewFiles(d *Downloads) fetch.Package {
	fresh := p.Package
	fresh.Files = nil
	for i, f := range p.Files {
		if p.FileState(d, i).Step == New {
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
	if i < len(p.Stands) && s.Step == Here {
		return p.Stands[i].Entry.Digests, p.Stands[i].Entry.Verified
	}
	return fetch.Digests{}, ""
}
