package neworder

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
)

// siteActs lists the step's actions on the selected site, or on those that are marked.
func (m *sitesStep) siteActs() []listpage.Act[ordering.Site] {
	return []listpage.Act[ordering.Site]{
		{ID: action.NextStep, Any: true, Do: m.continueStep, Off: func(*ordering.Site) string {
			return page.TextIf(m.countedSum().in == 0, "no site included; press space to include one")
		}},
		{ID: action.AddFile, Any: true, Do: func(*ordering.Site) tea.Cmd {
			cmd := m.p.goTo(ordering.StepFiles)
			m.p.files.adding = true
			return cmd
		}},
		{ID: action.AddSite, Any: true, Do: m.addSite},
		{ID: action.EditSite, Off: placedReason, Do: m.editChosen},
		{ID: action.Toggle, Off: toggleReason, Do: m.toggleChosen},
		{ID: action.ToggleAll, Do: func(*ordering.Site) tea.Cmd {
			return m.toggleSites(
				slices.DeleteFunc(m.listedSites(), func(s *ordering.Site) bool { return s.Placed }),
				false,
			)
		}},
		{ID: action.CycleType, Do: m.cycleTypes, Off: func(s *ordering.Site) string {
			return cmp.Or(placedReason(s), page.TextIf(len(s.AllowedTypes()) < 2, "the points allow only this type"))
		}},
		{ID: action.FixSite, Off: func(s *ordering.Site) string {
			return page.TextIf(s.Fixed == nil, "no suggested fix for this site")
		}, Do: func(s *ordering.Site) tea.Cmd { return m.fixSites("fixed "+s.Name, s) }},
		{ID: action.FixAll, Do: m.fixAll, Off: func(*ordering.Site) string {
			return page.TextIf(m.countedSum().fixable == 0, "no suggested fixes")
		}},
		{ID: action.NextFault, Do: m.nextFault, Off: func(*ordering.Site) string {
			return page.TextIf(m.countedSum().warned == 0, "no warnings")
		}},
		{ID: action.MarkSite, Do: m.markSite},
		{ID: action.MarkRange, Do: m.markRange},
		{
			ID:  action.Merge,
			Off: func(*ordering.Site) string { return mergeRefusal(m.mergeGroup()) },
			Do:  m.mergeSites,
		},
		{ID: action.Split, Off: splitRefusal, Do: m.splitSite},
		{ID: action.Clear, Off: placedReason, Do: m.removeChosen},
		{ID: action.RemoveFile, Off: m.keptReason, Do: m.removeFile},
		{ID: action.SwapFile, Off: m.fileReason, Do: m.swapFile},
		{ID: action.ChooseColumns, Off: m.columnsReason, Do: m.chooseColumns},
		{ID: action.CompareReading, Off: m.compareReason, Do: m.askReading},
	}
}

// continueStep goes on to the form, once every site that is in has a country: an order
// needs one, and where none is near it is asked for.
func (m *sitesStep) continueStep(*ordering.Site) tea.Cmd {
	next := func() tea.Cmd {
		cmd := m.p.goTo(ordering.StepDetails)
		if note := m.p.draft.SplitNote(m.p.Now()); note != "" {
			cmd = tea.Batch(cmd, page.ShowToast(theme.Attention, note))
		}
		return cmd
	}
	lacking := slices.DeleteFunc(
		m.p.draft.IncludedSites(),
		func(s *ordering.Site) bool { return s.Country != "" },
	)
	if len(lacking) == 0 {
		return next()
	}
	m.reloadSites(lacking[0])
	return m.askCountry("Set country: "+siteNames(lacking), lacking, next)
}

func placedReason(s *ordering.Site) string { return page.TextIf(s.Placed, "already placed") }

func toggleReason(s *ordering.Site) string {
	return cmp.Or(page.TextIf(s.Geometry == nil, "no usable coordinates; press e"), placedReason(s))
}

func (m *sitesStep) fileReason(s *ordering.Site) string {
	return page.TextIf(m.p.draft.FindFile(s.File) == nil, "this site is not from a file")
}

func (m *sitesStep) columnsReason(s *ordering.Site) string {
	file := m.p.draft.FindFile(s.File)
	return page.TextIf(file == nil || file.Format == kmlcsv.FormatKML, "this site is not from a table or a GIS file")
}

func (m *sitesStep) compareReason(s *ordering.Site) string {
	return cmp.Or(m.p.Permissions.RefusalOf(api.ScopeOrdersWrite), m.fileReason(s),
		page.TextIf(m.p.listing.IsOpen(), "the service is reading the file"))
}

// keptReason says why the file of a site stays in the draft.
func (m *sitesStep) keptReason(s *ordering.Site) string {
	placed := slices.ContainsFunc(m.p.draft.SitesFrom(s.File), func(s *ordering.Site) bool { return s.Placed })
	return cmp.Or(m.fileReason(s), page.TextIf(placed, "some of its sites are already placed"))
}

// addSite asks for a site, in the middle of the map where that is in focus.
func (m *sitesStep) addSite(*ordering.Site) tea.Cmd {
	at := ""
	if m.Detail.Map.Focused {
		at = asTyped(m.Detail.Map.Centre())
	}
	return m.askSite(nil, at)
}

// editChosen opens the dialog of the selected site, or of what those marked share.
func (m *sitesStep) editChosen(s *ordering.Site) tea.Cmd {
	if sites := m.chosenSites(); len(sites) > 1 {
		return m.askCountry("Edit "+siteCount(len(sites)), sites, func() tea.Cmd { return nil })
	}
	return m.askSite(s, "")
}

// toggleChosen includes or excludes the chosen sites; one alone is gone on from.
func (m *sitesStep) toggleChosen(*ordering.Site) tea.Cmd {
	alone := len(m.marks.ids) == 0
	cmd := m.toggleSites(m.chosenSites(), alone)
	if alone {
		m.Grid.Move(1)
	}
	return cmd
}

// toggleSites includes sites that can be, or excludes them where all are included.
func (m *sitesStep) toggleSites(sites []*ordering.Site, quiet bool) tea.Cmd {
	include := slices.ContainsFunc(sites, func(s *ordering.Site) bool { return !s.In && s.Geometry != nil })
	done := "excluded "
	if include {
		done = "included "
	}
	return m.editSites(
		page.UndoMsg{Text: done + nameOrCount(sites), Quiet: quiet},
		sites,
		func(s *ordering.Site) {
			s.In, s.Edited.In = include && s.Geometry != nil, true
		},
	)
}

// cycleTypes gives the chosen sites the type after that of the first, as far as
// their points allow it.
func (m *sitesStep) cycleTypes(*ordering.Site) tea.Cmd {
	sites := m.chosenSites()
	types := sites[0].AllowedTypes()
	next := types[(slices.Index(types, sites[0].Type)+1)%len(types)]
	done := page.UndoMsg{Text: "changed the type of " + nameOrCount(sites), Quiet: len(sites) == 1}
	return m.editSites(done, sites, func(s *ordering.Site) {
		if slices.Contains(s.AllowedTypes(), next) {
			s.Type, s.Edited.Type = next, true
			s.MeasureSize()
		}
	})
}

func (m *sitesStep) fixSites(done string, sites ...*ordering.Site) tea.Cmd {
	return m.editSites(page.UndoMsg{Text: done}, sites, (*ordering.Site).ApplyFix)
}

func (m *sitesStep) fixAll(*ordering.Site) tea.Cmd {
	sites := slices.DeleteFunc(
		slices.Clone(m.p.draft.Sites),
		func(s *ordering.Site) bool { return s.Fixed == nil },
	)
	return m.fixSites("applied "+format.Count(len(sites), "fix", "fixes"), sites...)
}

func (m *sitesStep) removeChosen(*ordering.Site) tea.Cmd {
	sites := m.chosenSites()
	return m.arrangeSites(page.UndoMsg{Text: "removed " + siteNames(sites)}, func() (none *ordering.Site) {
		m.marks.clearMarks()
		m.p.draft.RemoveSites(sites)
		return none
	})
}

func (m *sitesStep) removeFile(s *ordering.Site) tea.Cmd {
	done := "removed " + filepath.Base(s.File) + ", " + siteCount(len(m.p.draft.SitesFrom(s.File)))
	return m.arrangeSites(page.UndoMsg{Text: done}, func() (none *ordering.Site) {
		m.marks.clearMarks()
		m.p.draft.RemoveFile(s.File)
		return none
	})
}

// swapFile reads the site's file with latitude and longitude exchanged.
func (m *sitesStep) swapFile(s *ordering.Site) tea.Cmd {
	opts := m.p.draft.FindFile(s.File).Options
	opts.SwapLatLng = !opts.SwapLatLng
	return m.p.files.askFiles(func(ctx context.Context) ([]fileQuestion, error) {
		read, err := ordering.ReadFile(ctx, s.File, opts)
		read.Again = true
		return []fileQuestion{{read, err}}, nil
	})
}

func (m *sitesStep) chooseColumns(s *ordering.Site) tea.Cmd {
	opts := m.p.draft.FindFile(s.File).Options
	return askDialog(m.p, func(ctx context.Context) (fileQuestion, error) {
		read, err := ordering.ReadFile(ctx, s.File, opts)
		if read.Result == nil {
			return fileQuestion{}, err
		}
		read.Again = true
		return fileQuestion{read, err}, nil
	}, func(q fileQuestion) tea.Cmd {
		m.p.Overlay(newImportDialog(m.p.files, q))
		return nil
	})
}

// nextFault selects the next site that there is something to say of.
func (m *sitesStep) nextFault(*ordering.Site) tea.Cmd {
	listed := m.listedSites()
	next := m.Grid.Cursor() + 1
	for _, s := range slices.Concat(listed[next:], listed[:next]) {
		if isTroubled(s) || isDuplicate(s) {
			m.Grid.Select(siteID(s))
			break
		}
	}
	return nil
}

// editSites changes each of some sites.
func (m *sitesStep) editSites(done page.UndoMsg, sites []*ordering.Site, change func(*ordering.Site)) tea.Cmd {
	return m.p.editDraft(done, sites, func() {
		for _, s := range sites {
			change(s)
		}
		m.noteChanged()
	})
}

// arrangeSites adds sites to the draft or takes some away, and selects the one that
// change returns, nil for the one in their place.
func (m *sitesStep) arrangeSites(done page.UndoMsg, change func() *ordering.Site) tea.Cmd {
	return m.p.editDraft(done, nil, func() { m.reloadSites(change()) })
}

// editDraft changes the draft: which sites, files and values it has, and the content
// of some sites. u undoes it and ctrl+r does it again, as long as the draft is the
// same and no part of it was placed since.
func (p *NewOrder) editDraft(done page.UndoMsg, changing []*ordering.Site, change func()) tea.Cmd {
	d, placed, selected := p.draft, len(p.draft.Placed), p.sites.Current()
	swap := d.SaveState(changing)
	change()
	done.Weight = len(changing)
	done.Undo = func() (tea.Cmd, bool) {
		if p.draft != d || d.Pending || len(d.Placed) != placed {
			return nil, false
		}
		swap()
		p.sites.reloadSites(selected)
		return tea.Batch(p.noteChange(), p.enterStep()), true
	}
	done.Redo = done.Undo
	return tea.Batch(p.noteChange(), page.SendMessage(done))
}
