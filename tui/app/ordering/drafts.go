package ordering

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/paulmach/orb"

	"flightdesk/config/atomicfile"
	"flightdesk/kmlcsv"
)

// Drafts keeps the order being made while its page is closed, and on disk
// where there is a folder for it.
type Drafts struct {
	folder  string
	store   *draftStore
	Current *Draft
	Version int    // counts the changes of the draft; the program's loop only
	Wanted  string // stored draft that the new order is to open, "" for none

	// unread is the version from which on the draft on disk is not the one that
	// is worked on, which was begun without reading it: it is put aside before
	// anything takes its place. 0 where there is none such.
	unread atomic.Int64

	mu        sync.Mutex
	written   int                         // version on disk
	name      string                      // of the file that is open, "" for none yet
	lock      *atomicfile.Lock            // that it is open here; nil where there are no locks
	known     *contentSum                 // of what was last read or written there, nil for nothing
	elsewhere error                       // why the usual file is not the one that is open
	taken     map[string]*atomicfile.Lock // stored drafts that were taken up, until their files are gone
	closed    bool
}

// NewDrafts keeps drafts in a folder, or in memory where folder is "".
func NewDrafts(folder string) *Drafts {
	return &Drafts{folder: folder, store: newDraftStore(folder), taken: map[string]*atomicfile.Lock{}}
}

// OnDisk reports whether drafts outlive the program.
func (k *Drafts) OnDisk() bool { return k.folder != "" }

// Flush brings the disk up to date, where the last change has not come there
// yet. It is for the end of the program, when no command runs any more.
func (k *Drafts) Flush() error {
	switch {
	case k.folder == "":
		return nil
	case k.Current == nil:
		return k.removeDraft(k.Version)
	}
	data, err := encodeDraft(k.Current)
	if err != nil {
		return err
	}
	return k.writeDraft(k.Version, data)
}

// Keep returns the function that writes the draft as it is now; the draft may
// change while it runs.
func (k *Drafts) Keep(d *Draft) func() error {
	if k.folder == "" {
		return func() error { return nil }
	}
	as := d.Clone()
	k.Version++
	version := k.Version
	return func() error {
		data, err := encodeDraft(as)
		if err != nil {
			return fmt.Errorf("save draft: %w", err)
		}
		return k.writeDraft(version, data)
	}
}

// Forget drops the draft; the function it returns removes it from disk.
func (k *Drafts) Forget() func() error {
	k.Current = nil
	k.Version++
	version := k.Version
	return func() error { return k.removeDraft(version) }
}

// present is the name of the draft that is being worked on.
const present = "new-order.json"

// savedDraft is a draft on disk. Geometries are rings of positions by kind.
type savedDraft struct {
	Draft
	Places map[int]savedPlace // by site
	Fixes  map[int]savedFix
}

type savedPlace struct {
	Kind  kmlcsv.Kind
	Rings [][]orb.Point
}

// savedFix is the placemark that a site's fix would make of it.
type savedFix struct {
	savedPlace
	Name, Country, City string
	Line                int
}

func encodeDraft(d *Draft) ([]byte, error) {
	s := savedDraft{Draft: *d, Places: map[int]savedPlace{}, Fixes: map[int]savedFix{}}
	for _, site := range d.Sites {
		if site.Geometry != nil {
			s.Places[site.ID] = toPlace(site.Geometry)
		}
		if f := site.Fixed; f != nil {
			s.Fixes[site.ID] = savedFix{toPlace(f.Geometry), f.Name, f.Country, f.City, f.Line}
		}
	}
	return json.Marshal(s, jsontext.AllowInvalidUTF8(true)) // paths are any bytes
}

func toPlace(g orb.Geometry) savedPlace {
	switch g := g.(type) {
	case orb.Point:
		return savedPlace{kmlcsv.Asset, [][]orb.Point{{g}}}
	case orb.MultiPoint:
		return savedPlace{kmlcsv.Asset, [][]orb.Point{g}}
	case orb.LineString:
		return savedPlace{kmlcsv.Linear, [][]orb.Point{g}}
	case orb.Polygon:
		rings := make([][]orb.Point, len(g))
		for i, ring := range g {
			rings[i] = ring
		}
		return savedPlace{kmlcsv.Area, rings}
	default:
		return savedPlace{}
	}
}

// toGeometry returns nil where there is no point.
func (p savedPlace) toGeometry() orb.Geometry {
	switch {
	case len(p.Rings) == 0 || len(p.Rings[0]) == 0:
		return nil
	case p.Kind == kmlcsv.Asset && len(p.Rings[0]) > 1:
		return orb.MultiPoint(p.Rings[0])
	case p.Kind == kmlcsv.Asset:
		return p.Rings[0][0]
	case p.Kind == kmlcsv.Linear:
		return orb.LineString(p.Rings[0])
	default:
		polygon := make(orb.Polygon, len(p.Rings))
		for i, ring := range p.Rings {
			polygon[i] = ring
		}
		return polygon
	}
}

func decodeDraft(data []byte) (*Draft, error) {
	var s savedDraft
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	for _, site := range s.Sites {
		site.Geometry = s.Places[site.ID].toGeometry()
		site.MeasureSize()
		if f, ok := s.Fixes[site.ID]; ok && f.toGeometry() != nil {
			fixed := kmlcsv.NewPlacemark(f.Name, f.toGeometry())
			fixed.Country, fixed.City, fixed.Line = f.Country, f.City, f.Line
			site.Fixed = &fixed
		}
	}
	s.Step = max(0, min(s.Step, StepReview))
	if s.Fields == nil {
		s.Fields = map[string][]string{}
	}
	return &s.Draft, nil
}

// writeDraft replaces the draft on disk in one step, unless a later version is
// there already. If another window has changed the file the draft is kept beside
// it.
func (k *Drafts) writeDraft(version int, data []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version <= k.written {
		return nil
	}
	if err := k.openFile(version); err != nil {
		return err
	}
	err := k.replaceFile(data)
	if errors.Is(err, errStale) {
		if err = k.openNew(); err == nil {
			err = k.replaceFile(data)
		}
	}
	if err != nil {
		return fmt.Errorf("save draft: %w", err)
	}
	k.written = version
	return nil
}

// openFile opens this window's file, and saves what is in it unread. mu is held.
func (k *Drafts) openFile(version int) error {
	if err := k.openDraft(); err != nil {
		return fmt.Errorf("save draft: %w", err)
	}
	if err := k.saveUnread(version); err != nil {
		return fmt.Errorf("keep the other draft: %w", err)
	}
	return nil
}

// ReadDraft returns the draft on disk, nil where there is none, and an error that
// says who has it if another window does. One that cannot be read is put aside,
// so that it is neither lost nor in the way.
func (k *Drafts) ReadDraft() (*Draft, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.openDraft(); err != nil {
		return nil, fmt.Errorf("read draft: %w", err)
	}
	if err := k.elsewhere; err != nil {
		k.elsewhere = nil
		return nil, fmt.Errorf("%w; this window starts a new one", err)
	}
	data, err := os.ReadFile(k.draftFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read draft: %w", err)
	}
	d, err := decodeDraft(data)
	if err != nil {
		aside := k.draftFile() + ".unreadable"
		if err := os.Rename(k.draftFile(), aside); err != nil {
			return nil, fmt.Errorf("set an unreadable draft aside: %w", err)
		}
		return nil, fmt.Errorf("could not read the draft; saved as %s", aside)
	}
	k.noteContent(data)
	return d, nil
}

// removeDraft takes the draft off the disk, unless a later version is there or
// another window has changed it.
func (k *Drafts) removeDraft(version int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.folder == "" || version <= k.written {
		return nil
	}
	if err := k.openFile(version); err != nil {
		return err
	}
	data, err := os.ReadFile(k.draftFile())
	if err == nil && (k.known == nil || sha256.Sum256(data) == *k.known) {
		err = os.Remove(k.draftFile())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove draft: %w", err)
	}
	k.known, k.written = nil, version
	return nil
}
