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

// LibrarySection is the data library.
var LibrarySection = page.Section{
	Go: action.GoLibrary, Name: "Library", Short: "Lib",
	First: NewDatasetList,
}

// DatasetList is the account's purchased datasets, newest first.
type DatasetList struct {
	*page.List[*api.Dataset]
	fetched page.Question
}

// NewDatasetList returns the page.
func NewDatasetList(env *page.Env) page.Page {
	l, base := &DatasetList{}, page.NewBase(env)
	l.List = page.NewList(
		base,
		page.CachedSource(env.Profile.Cache.Datasets, cache.Account),
		page.ListOptions[*api.Dataset]{
			Title:   "Library",
			Example: "goals:climate or name:port",
			One:     "dataset",

			Scope:   action.Library,
			Columns: columns.Datasets(func(d *api.Dataset) columns.Cell { return localFiles(env.Profile.Downloads, d) }),
			ID:      func(d *api.Dataset) string { return d.ID },
			About:   func(d *api.Dataset) page.RowAbout { return aboutDataset(d, base.Env.Clock.Now()) },
			Feature: func(d *api.Dataset) geomap.Feature {
				return geomap.Feature{
					ID:       d.ID,
					Label:    format.Clean(d.DatasetName),
					Geometry: ordering.MissionShape(api.MissionArea, d.LocationMap),
					Mark:     '●',
					Role:     theme.Good,
				}
			},
			Open: func(d *api.Dataset) tea.Cmd { return env.Nav.Open(NewDataset(env, d)) },
			Acts: []page.Act[*api.Dataset]{
				{ID: action.Fetch, Do: l.fetchDataset},
				{ID: action.OpenFolder, Any: true, Off: func(*api.Dataset) string {
					return page.TextIf(env.Files.Opener == nil, noOpener)
				}, Do: func(*api.Dataset) tea.Cmd { return OpenFolder(base) }},
			},
			Empty: "No datasets yet.\nPurchased datasets appear here with their files.",
		},
	)
	return l
}

// localFiles returns how many of a dataset's files the downloads have.
func localFiles(d *deliveries.Downloads, set *api.Dataset) columns.Cell {
	done, all := d.Progress(set.ID)
	cell := columns.Cell{
		Text:  "✓",
		Role:  theme.Good,
		Num:   float64(done),
		Known: true,
	}
	switch {
	case all == 0:
		cell.Text, cell.Role = "New", theme.Text
	case done < all:
		cell.Text, cell.Role = fmt.Sprintf("%d of %d", done, all), theme.InProgress
	}
	cell.Code = cell.Text
	return cell
}

// CornerText says what is asked for, or counts the datasets.
func (l *DatasetList) CornerText() string {
	if l.fetched.IsOpen() {
		return "Loading files…"
	}
	return l.List.CornerText()
}

// Update takes answers.
func (l *DatasetList) Update(msg tea.Msg) tea.Cmd {
	if _, changed := msg.(page.DownloadsChangedMsg); changed {
		l.Grid.RefreshRows()
	}
	return l.List.Update(msg)
}

// fetchDataset asks for the files of a dataset and downloads them.
func (l *DatasetList) fetchDataset(set *api.Dataset) tea.Cmd {
	client, id := l.Env.Profile.Client, set.ID
	return page.AskInBackground(l.Base, &l.fetched, func(ctx context.Context) (fetch.Package, error) {
		return fetch.Dataset(ctx, client, id)
	}, func(files fetch.Package, err error) tea.Cmd {
		switch {
		case err != nil:
			return page.ShowToast(theme.Bad, format.FaultText(err))
		case len(files.Files) == 0:
			return page.ShowToast(theme.Text, "This dataset has no files")
		}
		return page.BackgroundCommand(l.Env.Profile.Downloads.Fetch(files))
	})
}

func aboutDataset(d *api.Dataset, now time.Time) page.RowAbout {
	told := columns.PickColumns(columns.Datasets(nil), "categories sdgGoals locationLabel dateCompleted")
	return page.RowAbout{
		Title: d.DatasetName, Text: d.Description, Place: len(d.LocationMap) > 0,
		Facts: widget.Facts(columns.RowFacts(told, d, now)),
	}
}
