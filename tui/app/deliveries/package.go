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

// LinkLife is how long the service's links hold.
const LinkLife = 24 * time.Hour

// DeliveredPackage is a package with what is shown of it.
type DeliveredPackage struct {
	fetch.Package

	Title    string
	Place    string // the name of where it was captured
	Location orb.Geometry
	Where    []cache.Need      // what says more of the location
	Read     time.Time         // when its links were handed out, by the service's clock
	Stands   []fetch.FileState // of its files, in their order; nil until the disk was looked at
	Changed  []time.Time       // when they were made, in their order, where only their servers know

	version int
	looked  bool   // Stands are as the disk is
	probed  bool   // the servers of files without a size were asked for it
	fetched []bool // by file: the queue had fetched it when the disk was looked at
	ranked  bool   // had stays until all is read again
	had     bool   // it had something new, which it is sorted by
}

// inheritKnown takes what is known of the files of an earlier listing, until they are
// looked at again.
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

// DiskLook is what was found of some packages on disk.
type DiskLook struct {
	packages []*DeliveredPackage
	found    []DeliveredPackage // of as many as could be looked at
}

// LookOnDisk returns what looks at the disk for packages that were not looked at yet;
// nil where there are none. Those whose files' servers have to be asked come
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

// TakeLook takes what was found on disk. What could not be looked at is not looked
// at again until that is asked for.
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

// ForgetDisk makes the next look inspect all packages, and ask the servers of files without a
// size again.
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

// needsProbe reports whether the server of a file has to be asked for its size.
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

// FileStep is where a file stands on its way to this machine.
type FileStep int

// The steps, in the order in which they are sorted.
const (
	New    FileStep = iota
	Unseen          // the disk was not looked at yet
	Failed
	Coming
	Waiting
	Paused
	Parted  // some of it is here, and nothing fetches the rest
	Changed // it was fetched, and is another file now
	Missing // it was fetched, and is no longer where it was put
	Here
)

// FileState is a file, or several, on its way to this machine.
type FileState struct {
	Step FileStep
	Text string
	Role format.Tone
	Path string     // where it is, or will be; "" while that is not known
	Item fetch.Item // of the queue
}

// PercentOf writes a part of a size in percent.
func PercentOf(done, size int64) string {
	if size <= 0 {
		return "…"
	}
	return fmt.Sprintf("%d%%", done*100/size)
}

// stepLooks are how steps are shown; those without a text say how far they are.
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

// standAt returns the standing at a step, with the step's own text where none is given.
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

// FileState tells where the i-th file stands: in the queue, or else on disk. What the queue
// has fetched is looked at on disk from then on.
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

// RowStanding tells where the row's files stand: one as it does, several as all of
// them do, or how many are here.
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

// NewFiles returns the package with the files that no fetch has brought or is bringing.
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

// FileDigest returns how a file that is here was verified, the zero values where that is
// not known.
func (p *DeliveredPackage) FileDigest(i int, s FileState) (sums fetch.Digests, by fetch.VerifiedBy) {
	if s.Item.Verified != "" {
		return s.Item.Digests, s.Item.Verified
	}
	if i < len(p.Stands) && s.Step == Here {
		return p.Stands[i].Entry.Digests, p.Stands[i].Entry.Verified
	}
	return fetch.Digests{}, ""
}
