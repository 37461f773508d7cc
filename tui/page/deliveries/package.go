package deliveries

import (
	"fmt"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
)

// linkLife is how long the service's links hold.
const linkLife = 24 * time.Hour

// Package is a package with what the pages show of it.
type Package struct {
	fetch.Package
	Title    string // what stands in the table
	Place    string // the name of where it was captured
	Location orb.Geometry
	Read     time.Time        // when its links were handed out, by the service's clock
	Stands   []fetch.Standing // of its files, in their order
	Changed  []time.Time      // when they were made, in their order, where only their servers know
	folded   [][2]int         // files from one to before the other that are a row; nil until it is worked out
}

// Look notes what of the package is below dir. It reads the disk.
func (p *Package) Look(dir string) (err error) {
	p.Stands, err = fetch.Look(dir, p.Package)
	return err
}

// delivered is a mission's package as it is shown.
func delivered(m *api.Mission, p fetch.Package) Package {
	title := m.MissionName
	if p.Version > 0 {
		title += fmt.Sprintf(" v%d", p.Version)
	}
	title += " " + m.MissionCode // at the end, where a name that is too long leaves it whole
	place := m.LocationLabel
	if m.City != nil && *m.City != "" {
		place = *m.City
	}
	return Package{Package: p, Title: title, Place: place, Location: sitemap.Geometry(m.MissionType, m.LocationMap)}
}

// step is where a file stands on its way here.
type step int

// The steps, in the order in which they are sorted.
const (
	isNew step = iota
	failed
	coming
	waiting
	paused
	parted // some of it is here, and nothing fetches the rest
	moved  // it was fetched, and is no longer where it was put
	here
)

// standing is a file on its way here.
type standing struct {
	step
	text string
	role theme.Role
	path string // where it is, or will be; "" while that is not known
	item fetch.Item
	busy bool // the queue has it
}

func share(done, size int64) string {
	if size <= 0 {
		return "…"
	}
	return fmt.Sprintf("%d %%", done*100/size)
}

// stand tells where the i-th file stands: in the queue, or else on disk.
func (p *Package) stand(d *downloads.State, i int) standing {
	var s standing
	if i < len(p.Stands) {
		s = onDisk(&p.Stands[i])
	} else {
		s = standing{step: isNew, text: "new", role: theme.Attention}
	}
	it, ok := d.Of(p.ID, p.Files[i].ID)
	if !ok || it.State == fetch.Cancelled {
		if ok {
			s = standing{step: isNew, text: "new", role: theme.Attention}
		}
		return s
	}
	s.item, s.busy, s.path = it, !it.State.Over(), it.Path
	switch {
	case it.State == fetch.Done || it.State == fetch.Here:
		s.step, s.text, s.role = here, "✓", theme.Good
	case it.State == fetch.Failed:
		s.step, s.text, s.role = failed, "failed", theme.Bad
	case it.State == fetch.Waiting:
		s.step, s.text, s.role = waiting, "waiting", theme.Pending
	case it.State == fetch.Paused:
		s.step, s.text, s.role = paused, "= "+share(it.Done, it.Size), theme.Pending
	case it.Note != "":
		s.step, s.text, s.role = coming, "retry", theme.Attention
	default:
		s.step, s.text, s.role = coming, share(it.Done, it.Size), theme.InProgress
	}
	return s
}

func onDisk(s *fetch.Standing) standing {
	switch {
	case s.Whole:
		return standing{step: here, text: "✓", role: theme.Good, path: s.At}
	case s.Done > 0:
		return standing{step: parted, text: "part " + share(s.Done, s.File.Size), role: theme.Pending, path: s.At}
	case s.Known:
		return standing{step: moved, text: "moved", role: theme.Muted}
	default:
		return standing{step: isNew, text: "new", role: theme.Attention}
	}
}

// sum tells where a row's files stand: as all of them do, or how many are here.
func (p *Package) sum(d *downloads.State, r row) standing {
	count := map[step]int{}
	from, to := r.span(p)
	for i := from; i < to; i++ {
		count[p.stand(d, i).step]++
	}
	n := to - from
	of := fmt.Sprintf("%d of %d", count[here], n)
	switch {
	case n == 0:
		return standing{step: here, text: "empty", role: theme.Muted}
	case count[failed] > 0:
		return standing{step: failed, text: of, role: theme.Bad}
	case count[coming]+count[waiting] > 0:
		return standing{step: coming, text: of, role: theme.InProgress}
	case count[here] == n:
		return standing{step: here, text: "✓", role: theme.Good}
	case count[isNew] == n:
		return standing{step: isNew, text: "new", role: theme.Attention}
	case count[moved]+count[here] == n:
		return standing{step: moved, text: "moved", role: theme.Muted}
	default:
		return standing{step: paused, text: of, role: theme.Pending}
	}
}

// fresh are the files that no fetch has brought or is bringing.
func (p *Package) fresh(d *downloads.State) (files []fetch.File) {
	for i := range p.Files {
		if p.stand(d, i).step == isNew {
			files = append(files, p.Files[i])
		}
	}
	return files
}

// with is the package with some of its files alone.
func (p *Package) with(files []fetch.File) fetch.Package {
	some := p.Package
	some.Files = files
	return some
}

// entry is what is written of a file that is here, the zero one where that is
// not known.
func (p *Package) entry(i int, s standing) (sums fetch.Digests, by fetch.Proof) {
	if s.item.Verified != "" {
		return s.item.Digests, s.item.Verified
	}
	if i < len(p.Stands) && s.step == here {
		return p.Stands[i].Entry.Digests, p.Stands[i].Entry.Verified
	}
	return fetch.Digests{}, ""
}
