package deliveries

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// actions returns the actions on the rows.
func (p *Page) actions() []page.Action[*row] {
	return []page.Action[*row]{
		{ID: action.Open, WhyDisabled: p.opener.openReason, Do: p.openRow},
		{ID: action.OpenFile, WhyDisabled: p.opener.openFileReason, Do: p.opener.openFile},
		{ID: action.OpenFolder, NeedsNoRow: true, WhyDisabled: p.opener.folderReason, Do: p.opener.openFolder},
		{ID: action.Preview, Do: p.opener.previewFile},
		{ID: action.CopyPath, NeedsNoRow: true, Do: p.opener.copyPath},
		{ID: action.Toggle, Do: p.toggleMark},
		{ID: action.ToggleAll, NeedsNoRow: true, Do: p.toggleAll},
		{ID: action.Flat, NeedsNoRow: true, Do: func(*row) tea.Cmd { return p.listing.toggleFlat(p.Grid) }},
		{ID: action.Fetch, NeedsNoRow: true, WhyDisabled: p.fetching.fetchReason, Do: p.fetching.fetchChosen},
		{ID: action.FetchNew, NeedsNoRow: true, WhyDisabled: p.fetching.nothingNew, Do: p.fetching.fetchNew},
		{ID: action.PauseOne, NeedsNoRow: true, WhyDisabled: p.fetching.notQueued, Do: p.fetching.pauseChosen},
		{ID: action.PauseAll, NeedsNoRow: true, WhyDisabled: p.fetching.noDownloads, Do: p.fetching.pauseAll},
		{ID: action.StopFetch, NeedsNoRow: true, WhyDisabled: p.fetching.notQueued, Do: p.fetching.stopItems},
		{ID: action.Verify, WhyDisabled: p.checking.checkReason, Do: p.checking.checkChosen},
		{ID: action.Bandwidth, NeedsNoRow: true, Do: func(*row) tea.Cmd { return openSpeedLimit(p.Env) }},
		{ID: action.FetchTo, NeedsNoRow: true, WhyDisabled: p.fetching.downloadsRunning, Do: p.fetching.chooseFolder},
	}
}

// ActionScopes returns the scopes of the list. If a downloaded file is selected, the scope [action.LocalFile] is
// before [action.Deliveries], so that the keys of downloaded files take precedence.
func (p *Page) ActionScopes() []action.Scope {
	scopes := p.List.ActionScopes()
	i := slices.Index(scopes, action.Deliveries)
	if i < 0 || !isLocal(p.Env.Profile.Downloads, p.Current()) {
		return scopes
	}
	return slices.Insert(slices.Clone(scopes), i, action.LocalFile)
}

// openRow previews a downloaded file, and shows the details of any other file. It expands or collapses a package, or
// a run: several numbered photos in one row.
func (p *Page) openRow(r *row) tea.Cmd {
	if isLocal(p.Env.Profile.Downloads, r) {
		return p.opener.previewFile(r)
	}
	if r.IsFile() {
		p.InPlace = p.Env.Look.Width < page.Wide
		return nil
	}
	p.listing.tree.Toggle(r)
	p.listing.isStale = true
	return nil
}

// toggleMark marks or unmarks a row, and selects the next row.
func (p *Page) toggleMark(r *row) tea.Cmd {
	p.selection.toggle(r)
	return p.List.HandleAction(action.Down)
}

// toggleAll removes all marks. If no row is marked, it marks all rows that match the filter. It leaves out expanded
// packages and runs, because their files have rows of their own.
func (p *Page) toggleAll(*row) tea.Cmd {
	if p.selection.clear() {
		return nil
	}
	rows := p.Rows()
	for _, i := range p.Grid.FilteredRows() {
		if !rows[i].IsOpen() {
			p.selection.toggle(rows[i])
		}
	}
	return nil
}

// openSpeedLimit opens the dialog for the speed limit of all downloads.
func openSpeedLimit(env *page.Env) tea.Cmd {
	downloads := env.Profile.Downloads
	value := "none"
	if rate := downloads.Rate(); rate > 0 {
		value = strings.ReplaceAll(format.Bytes(rate), " ", "")
	}
	field := &widget.Field{Label: "At most", Help: "per second: 500kB, 10MB or none"}
	setLimit := func(typed string) tea.Cmd {
		rate, err := parseLimit(typed)
		if err != nil {
			field.Error = err.Error()
			return nil
		}
		text := "No speed limit for downloads"
		if rate > 0 {
			text = "Downloads limited to " + format.Bytes(rate) + " per second"
		}
		downloads.SetRate(rate)
		return tea.Batch(env.Profile.DownloadsTouched(), page.ShowToast(theme.Good, text))
	}
	return env.PromptValue("Speed limit", "", 20, field, value, setLimit)
}

// parseLimit parses a speed limit in bytes per second, or returns 0 if text says that there
// is no limit: "", "0" or "none".
func parseLimit(text string) (int64, error) {
	if text == "" || text == "0" || strings.EqualFold(text, "none") {
		return 0, nil
	}
	return fetch.ParseRate(text)
}
