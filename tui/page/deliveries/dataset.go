package deliveries

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// Dataset is the files of a purchased dataset.
type Dataset struct {
	browser
	set   api.Dataset
	asked page.Question
	read  time.Time
	err   error
}

// NewDataset returns the page of a dataset that is known from the library.
func NewDataset(env *page.Env, set *api.Dataset) *Dataset {
	d := &Dataset{set: *set}
	d.begin(env, "files of datasets")
	return d
}

// datasetOf is a dataset's package as it is shown. It asks the service for
// the links, and the links' servers for the sizes.
func datasetOf(ctx context.Context, c *api.Client, probe func(context.Context, []fetch.File) ([]time.Time, error), set *api.Dataset) (Package, error) {
	p, err := fetch.Dataset(ctx, c, set.ID)
	if err != nil {
		return Package{}, err
	}
	changed, err := probe(ctx, p.Files)
	if err != nil {
		return Package{}, err
	}
	return Package{Package: p, Changed: changed, Title: set.DatasetName, Place: set.LocationLabel, Location: Area(set.LocationMap)}, nil
}

// Area is the place of a dataset, as it is drawn.
func Area(points []api.Point) orb.Geometry {
	line := make(orb.LineString, len(points))
	for i, p := range points {
		line[i] = orb.Point{p.Lng, p.Lat}
	}
	switch len(line) {
	case 0:
		return nil
	case 1:
		return line[0]
	case 2:
		return line
	default:
		return orb.Polygon{append(orb.Ring(line), line[0])}
	}
}

// Title is the dataset's name.
func (d *Dataset) Title() string { return layout.Cut(layout.Clean(d.set.DatasetName), 40) }

// Corner counts what is new.
func (d *Dataset) Corner() string {
	switch {
	case d.asked.Open():
		return "reading…"
	case d.read.IsZero():
		return ""
	default:
		return d.freshness() + " · refreshed " + format.Ago(d.read, d.Now())
	}
}

type datasetAnswer = page.Answer[*Package]

// Start asks for the files.
func (d *Dataset) Start() tea.Cmd {
	if d.asked.Open() || d.err == nil && !d.read.IsZero() && d.Now().Sub(d.read) < staleAfter {
		return nil
	}
	return d.refresh()
}

func (d *Dataset) refresh() tea.Cmd {
	set, desk, now := d.set, d.Downloads, d.Now()
	dir, probe := desk.Dir(), desk.Probe()
	return page.Ask(d.Base, &d.asked, func(ctx context.Context) (*Package, error) {
		p, err := datasetOf(ctx, d.Client, probe, &set)
		if err != nil {
			return nil, err
		}
		p.Read = now
		return &p, p.Look(dir)
	})
}

// Update takes the answer.
func (d *Dataset) Update(msg tea.Msg) tea.Cmd {
	if answer, ok := msg.(datasetAnswer); ok {
		if !answer.Take() {
			return nil
		}
		if d.err = answer.Err; d.err == nil {
			d.read = d.Now()
			d.browser.set([]*Package{answer.Value})
		}
		d.dimmed = d.err != nil
		return nil
	}
	return d.hear(msg)
}

// Scopes are the page's.
func (d *Dataset) Scopes() []action.Scope { return d.scopes() }

// Back clears marks and the filter first.
func (d *Dataset) Back() bool { return d.back() }

// Do performs an action.
func (d *Dataset) Do(id action.ID) tea.Cmd {
	if id == action.Refresh {
		return d.refresh()
	}
	return d.do(id)
}

// View draws the files.
func (d *Dataset) View(w, h int) string {
	switch {
	case len(d.packages) == 0 && d.err != nil:
		return layout.Box(page.Problem(d.Theme, d.err, "", "r", w), w, h)
	case len(d.packages) == 0:
		return d.list.Loading(w, h)
	case len(d.packages[0].Files) == 0:
		return layout.Box([]string{"", layout.Text(d.Theme.Style(theme.Text), " The dataset has no files.")}, w, h)
	case d.err != nil:
		problem := page.Problem(d.Theme, d.err, "the files as read "+format.Ago(d.read, d.Now()), "r", w)
		problem = problem[:min(len(problem), h/2)]
		return layout.Box(append(layout.Lines(d.view(w, h-len(problem))), problem...), w, h)
	}
	return d.view(w, h)
}
