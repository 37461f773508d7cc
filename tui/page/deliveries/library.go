package deliveries

import (
	"context"
	"fmt"
	"slices"
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
	looking page.Request // counts the files on disk

	onDisk  map[string]filesOnDisk // numbers of files by dataset ID; only of datasets that were counted
	counted int                    // number of datasets in the last count of files
}

// filesOnDisk is the number of a dataset's files in the download folder.
type filesOnDisk struct {
	complete   int
	incomplete int  // not downloaded completely, or missing or changed since the download
	isUnknown  bool // the folder could not be read
}

// NewDatasetList returns the page of the purchased datasets.
func NewDatasetList(env *page.Env) page.Page {
	l := &DatasetList{}
	source := page.CachedSource(env.Profile.Cache.Datasets, cache.Account)
	localCell := func(d *api.Dataset) columns.Cell { return l.localFiles(env.Profile.Downloads, d) }
	l.List = page.NewList(page.NewBase(env), source, page.ListOptions[*api.Dataset]{
		Title:    "Library",
		Example:  "goals:climate or name:port",
		Singular: "dataset",

		Scope:   action.Library,
		Columns: columns.Datasets(localCell),
		ID:      func(d *api.Dataset) string { return d.ID },
		Details: func(d *api.Dataset) page.RowDetails { return aboutDataset(d, env.Clock.Now()) },
		Layout:  page.ListLayout{Stacked: true, MapBeside: true},
		Feature: datasetFeature,
		Open:    func(d *api.Dataset) tea.Cmd { return env.Nav.Open(NewDataset(env, d)) },
		Actions: []page.Action[*api.Dataset]{
			{ID: action.Fetch, Do: l.fetchDataset},
			{ID: action.OpenFolder, NeedsNoRow: true, WhyDisabled: l.folderReason, Do: l.openFolder},
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

// localFiles returns the cell with the number of the dataset's downloaded files: "New" if no download was started,
// "2 of 5" if some files are not complete, otherwise "✓ 5". The number of all files may be too low, because it
// includes only files whose download was started.
func (l *DatasetList) localFiles(downloads *deliveries.Downloads, dataset *api.Dataset) columns.Cell {
	done, all := downloads.Progress(dataset.ID)
	found, isCounted := l.onDisk[dataset.ID]
	switch {
	case done < all:
		return localCountCell(fmt.Sprintf("%d of %d", done, all), theme.InProgress, done)
	case !isCounted:
		return columns.TextCell("…").WithTone(theme.Muted)
	case found.isUnknown:
		return columns.TextCell("?").WithTone(theme.Muted)
	case found.incomplete > 0:
		text := fmt.Sprintf("%d of %d", found.complete, found.complete+found.incomplete)
		return localCountCell(text, theme.Attention, found.complete)
	case found.complete > 0:
		return localCountCell("✓ "+format.GroupInt(found.complete), theme.Good, found.complete)
	default:
		return localCountCell("New", theme.Text, 0)
	}
}

// localCountCell returns a cell of the column Local that is sorted by the number of files.
func localCountCell(text string, role theme.Role, files int) columns.Cell {
	return columns.Cell{
		Text:  text,
		Code:  text,
		Role:  role,
		Num:   float64(files),
		Known: true,
	}
}

// OnShow shows the datasets, and counts their files on disk.
func (l *DatasetList) OnShow() tea.Cmd { return tea.Batch(l.List.OnShow(), l.lookOnDisk()) }

// lookOnDisk counts the files of all datasets in the download folder.
func (l *DatasetList) lookOnDisk() tea.Cmd {
	datasets := slices.Clone(l.Rows())
	l.counted = len(datasets) // set before the count ends, so that Update does not start another one
	dir := l.Env.Profile.Downloads.Dir()
	count := func(ctx context.Context) (map[string]filesOnDisk, error) {
		found := map[string]filesOnDisk{}
		for _, dataset := range datasets {
			if ctx.Err() != nil { // the page was closed
				return nil, context.Cause(ctx)
			}
			found[dataset.ID] = countFiles(dir, dataset)
		}
		return found, nil
	}
	return page.RunInBackground(l.Base, &l.looking, count, func(found map[string]filesOnDisk, err error) tea.Cmd {
		if err != nil {
			found = map[string]filesOnDisk{}
			for _, dataset := range datasets {
				found[dataset.ID] = filesOnDisk{isUnknown: true}
			}
		}
		l.onDisk = found
		l.Grid.RefreshCells()
		return nil
	})
}

// countFiles counts the files of a dataset in the download folder dir.
func countFiles(dir string, dataset *api.Dataset) filesOnDisk {
	complete, incomplete, err := fetch.CountFiles(dir, fetch.DatasetPackage(dataset))
	if err != nil { // the page of the dataset shows the error
		return filesOnDisk{isUnknown: true}
	}
	return filesOnDisk{complete: complete, incomplete: incomplete}
}

// CornerText returns the text in the page's upper right corner: "Loading files…" while the
// files of a dataset are requested, otherwise the corner text of the list.
func (l *DatasetList) CornerText() string {
	if l.loading.IsRunning() {
		return "Loading files…"
	}
	return l.List.CornerText()
}

// Update redraws the rows if the state of a download changed, counts the files on disk again after
// downloads or for new datasets, and passes msg to the list.
func (l *DatasetList) Update(msg tea.Msg) tea.Cmd {
	cmd := l.List.Update(msg)
	changed, isDownload := msg.(page.DownloadsChangedMsg)
	if isDownload {
		l.Grid.RefreshCells()
	}
	haveEnded := isDownload && changed.Ended
	if haveEnded || len(l.Rows()) != l.counted || l.hasUncounted() {
		return tea.Batch(cmd, l.lookOnDisk())
	}
	return cmd
}

// hasUncounted reports whether the list has a dataset whose files were not counted yet. It returns false while a count
// is running. Comparing the number of datasets would not suffice, because a refresh can replace one dataset by another.
func (l *DatasetList) hasUncounted() bool {
	if l.looking.IsRunning() {
		return false
	}
	return slices.ContainsFunc(l.Rows(), func(d *api.Dataset) bool {
		_, isCounted := l.onDisk[d.ID]
		return !isCounted
	})
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
func (l *DatasetList) folderReason(*api.Dataset) string { return openerReason(&l.Env.Files) }

// openFolder opens the download folder.
func (l *DatasetList) openFolder(*api.Dataset) tea.Cmd { return OpenFolder(l.Base) }

// aboutDataset returns the details of a dataset.
func aboutDataset(d *api.Dataset, now time.Time) page.RowDetails {
	shown := columns.PickColumns(columns.Datasets(nil), "categories sdgGoals locationLabel")
	facts := widget.Facts(columns.RowFacts(shown, d, now))
	return page.RowDetails{
		Title: d.DatasetName,
		Text:  d.Description,
		Place: len(d.LocationMap) > 0,
		Facts: append(facts, widget.Text("Completed", completedText(d.DateCompleted))),
	}
}

// completedText returns the date as "Mon 21 Jul 2025", or unchanged if it is not a valid date.
func completedText(d api.Date) string {
	if d.IsZero() {
		return format.None
	}
	if d.Time.IsZero() {
		return d.Raw
	}
	return format.Date(d.Time, d.Time) // a date has no time zone
}
