package deliveries

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// LibrarySection is the section of the data library: the purchased datasets.
var LibrarySection = page.Section{
	Go: action.GoLibrary, Name: "Library", Short: "Lib",
	First: NewDatasetList,
}

// DatasetList is the page of the account's purchased datasets, newest first.
type DatasetList struct {
	*page.List[*api.Dataset]
	loading page.Request // request for the files of a dataset
}

// NewDatasetList returns the page of the purchased datasets.
func NewDatasetList(env *page.Env) page.Page {
	l := &DatasetList{}
	source := page.CachedSource(env.Profile.Cache.Datasets, cache.Account)
	localCell := func(d *api.Dataset) columns.Cell { return localFiles(env.Profile.Downloads, d) }
	l.List = page.NewList(page.NewBase(env), source, page.ListOptions[*api.Dataset]{
		Title:   "Library",
		Example: "goals:climate or name:port",
		One:     "dataset",

		Scope:   action.Library,
		Columns: columns.Datasets(localCell),
		ID:      func(d *api.Dataset) string { return d.ID },
		About:   func(d *api.Dataset) page.RowAbout { return aboutDataset(d, env.Clock.Now()) },
		Feature: datasetFeature,
		Open:    func(d *api.Dataset) tea.Cmd { return env.Nav.Open(NewDataset(env, d)) },
		Acts: []page.Act[*api.Dataset]{
			{ID: action.Fetch, Do: l.fetchDataset},
			{ID: action.OpenFolder, Any: true, Off: l.folderReason, Do: l.openFolder},
		},
		Empty: "No datasets yet.\nPurchased datasets appear here with their files.",
	})
	return l
}

// datasetFeature returns the area of a dataset as a feature for the map.
func datasetFeature(d *api.Dataset) geomap.Feature {
	return geomap.Feature{
		ID:       d.ID,
		Label:    format.Clean(d.DatasetName),
		Geometry: ordering.MissionShape(api.MissionArea, d.LocationMap),
		Mark:     '●',
		Role:     theme.Good,
	}
}

// localFiles returns the cell with the number of the dataset's downloaded files: "New" if no
// download was started, "✓" if all files are downloaded, otherwise "2 of 5".
func localFiles(downloads *deliveries.Downloads, dataset *api.Dataset) columns.Cell {
	done, all := downloads.Progress(dataset.ID)
	text := "✓"
	role := theme.Good
	if all == 0 {
		text = "New"
		role = theme.Text
	} else if done < all {
		text = fmt.Sprintf("%d of %d", done, all)
		role = theme.InProgress
	}
	return columns.Cell{
		Text:  text,
		Code:  text,
		Role:  role,
		Num:   float64(done),
		Known: true,
	}
}

// CornerText returns the text in the page's upper right corner: "Loading files…" while the
// files of a dataset are requested, otherwise the corner text of the list.
func (l *DatasetList) CornerText() string {
	if l.loading.IsRunning() {
		return "Loading files…"
	}
	return l.List.CornerText()
}

// Update redraws the rows if the state of a download changed, and passes msg to the list.
func (l *DatasetList) Update(msg tea.Msg) tea.Cmd {
	if _, changed := msg.(page.DownloadsChangedMsg); changed {
		l.Grid.RefreshRows()
	}
	return l.List.Update(msg)
}

// fetchDataset requests the list of a dataset's files and downloads them.
func (l *DatasetList) fetchDataset(dataset *api.Dataset) tea.Cmd {
	client := l.Env.Profile.Client
	id := dataset.ID
	request := func(ctx context.Context) (fetch.Package, error) {
		return fetch.Dataset(ctx, client, id)
	}
	return page.RunInBackground(l.Base, &l.loading, request, l.fetchFiles)
}

// fetchFiles downloads the files of a dataset. If err is not nil or there are no files, it
// shows a toast.
func (l *DatasetList) fetchFiles(files fetch.Package, err error) tea.Cmd {
	if err != nil {
		return page.ShowToast(theme.Bad, format.FaultText(err))
	}
	if len(files.Files) == 0 {
		return page.ShowToast(theme.Text, "This dataset has no files")
	}
	return page.BackgroundCommand(l.Env.Profile.Downloads.Fetch(files))
}

// folderReason returns why the download folder cannot be opened, or "".
func (l *DatasetList) folderReason(*api.Dataset) string {
	return page.TextIf(l.Env.Files.Opener == nil, noOpener)
}

// openFolder opens the download folder.
func (l *DatasetList) openFolder(*api.Dataset) tea.Cmd { return OpenFolder(l.Base) }

// aboutDataset returns the details of a dataset.
func aboutDataset(d *api.Dataset, now time.Time) page.RowAbout {
	shown := columns.PickColumns(columns.Datasets(nil), "categories sdgGoals locationLabel dateCompleted")
	return page.RowAbout{
		Title: d.DatasetName,
		Text:  d.Description,
		Place: len(d.LocationMap) > 0,
		Facts: widget.Facts(columns.RowFacts(shown, d, now)),
	}
}
