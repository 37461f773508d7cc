package neworder

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/kmlcsv/shape"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// siteEditor performs the actions on the sites of a draft. The user can undo each change.
type siteEditor struct {
	step *sitesStep

	lastShape   shape.Kind        // last kind of operation in the dialog for shapes, or ""
	shapeValues map[string]string // values of the fields of that dialog, by field ID
}

func newSiteEditor(step *sitesStep) *siteEditor {
	return &siteEditor{step: step, shapeValues: maps.Clone(initialShapeValues)}
}

// actions returns the actions on the selected site or on the marked sites.
func (e *siteEditor) actions() []page.Action[*ordering.Site] {
	return []page.Action[*ordering.Site]{
		{ID: action.NextStep, NeedsNoRow: true, WhyDisabled: e.continueReason, Do: e.continueStep},
		{ID: action.AddFile, NeedsNoRow: true, Do: e.addFile},
		{ID: action.AddSite, NeedsNoRow: true, Do: e.addSite},
		{ID: action.EditSite, WhyDisabled: e.chosenReason, Do: e.editChosen},
		{ID: action.Toggle, WhyDisabled: e.toggleReason, Do: e.toggleChosen},
		{ID: action.ToggleAll, Do: e.toggleAll},
		{ID: action.CycleType, WhyDisabled: e.typeReason, Do: e.cycleTypes},
		{ID: action.FixSite, WhyDisabled: fixReason, Do: e.fixSite},
		{ID: action.FixAll, WhyDisabled: e.fixAllReason, Do: e.fixAll},
		{ID: action.NextFault, WhyDisabled: e.nextReason, Do: e.nextFault},
		{ID: action.MarkSite, Do: e.markSite},
		{ID: action.MarkRange, Do: e.markRange},
		{ID: action.Merge, WhyDisabled: e.mergeReason, Do: e.mergeSites},
		{ID: action.Split, WhyDisabled: splitReason, Do: e.splitSite},
		{ID: action.MakeShape, WhyDisabled: e.shapeReason, Do: e.makeShape},
		{ID: action.EditCorners, WhyDisabled: cornersReason, Do: e.editCorners},
		{ID: action.Clear, WhyDisabled: e.chosenReason, Do: e.removeChosen},
		{ID: action.RemoveFile, WhyDisabled: e.removeFileReason, Do: e.removeFile},
		{ID: action.SwapFile, WhyDisabled: e.fileReason, Do: e.swapFile},
		{ID: action.ChooseColumns, WhyDisabled: e.fileReason, Do: e.chooseColumns},
		{ID: action.ShowWarnings, NeedsNoRow: true, WhyDisabled: e.warningsReason, Do: e.showWarnings},
		{ID: action.Export, WhyDisabled: e.exportReason, Do: e.saveSites},
		{ID: action.CompareReading, WhyDisabled: e.compareReason, Do: e.compareReading},
	}
}

// continueStep goes to the details of the order. If an included site has no country, which an
// order needs, it selects the site and asks for the country first.
func (e *siteEditor) continueStep(*ordering.Site) tea.Cmd {
	next := func() tea.Cmd {
		cmd := e.step.parent.goTo(ordering.StepDetails)
		note := e.step.totals().split
		if note != "" {
			cmd = tea.Batch(cmd, page.ShowToast(theme.Attention, note))
		}
		return cmd
	}
	hasCountry := func(s *ordering.Site) bool { return s.Country != "" }
	lacking := slices.DeleteFunc(e.step.draft.IncludedSites(), hasCountry)
	if len(lacking) == 0 {
		return next()
	}
	e.step.reloadSites(lacking[0])
	return e.openCountryForm("Set country: "+siteNames(lacking), lacking, next)
}

// continueReason returns why the user cannot go to the next step: no site is included. Otherwise it returns "".
func (e *siteEditor) continueReason(*ordering.Site) string {
	return page.TextIf(e.step.totals().included == 0, "no site included; add or include one")
}

// chosenReason returns why the chosen sites cannot be changed: the site is part of a placed order. Otherwise it
// returns "". It checks only the first chosen site, because marked sites are never placed.
func (e *siteEditor) chosenReason(*ordering.Site) string {
	return placedReason(e.step.chosenSites()[0])
}

// typeReason returns why the type of the chosen sites cannot be changed, or "".
func (e *siteEditor) typeReason(*ordering.Site) string {
	chosen := e.step.chosenSites()
	if slices.ContainsFunc(chosen, canChangeType) {
		return ""
	}
	hasGeometry := func(s *ordering.Site) bool { return s.Geometry != nil }
	if len(chosen) > 1 && !slices.ContainsFunc(chosen, hasGeometry) {
		return "the marked sites have no usable coordinates"
	}
	if len(chosen) > 1 {
		return "the points of each marked site allow only its type"
	}
	if reason := placedReason(chosen[0]); reason != "" {
		return reason
	}
	if chosen[0].Geometry == nil {
		return "no usable coordinates" + editAdvice()
	}
	return "the points allow only this type"
}

// canChangeType reports whether the user can choose another mission type for a site: the site is not placed, and it
// has enough points for several types.
func canChangeType(s *ordering.Site) bool { return !s.Placed && len(s.AllowedTypes()) > 1 }

// fixReason returns why the site cannot be fixed: there is no suggested fix. Otherwise it returns "".
func fixReason(s *ordering.Site) string {
	return page.TextIf(s.Fixed == nil, "no suggested fix for this site")
}

// fixAllReason returns why the suggested fixes cannot be applied: there are none. Otherwise it returns "".
func (e *siteEditor) fixAllReason(*ordering.Site) string {
	return page.TextIf(e.step.totals().fixable == 0, "no suggested fixes")
}

// nextReason returns why the user cannot go to the next problem: no site has a warning, a fault or a duplicate.
// Otherwise it returns "".
func (e *siteEditor) nextReason(*ordering.Site) string {
	return page.TextIf(e.step.totals().flagged == 0, "no warnings")
}

// warningsReason returns why the import warnings cannot be shown: no site is from a file. Otherwise it returns "".
func (e *siteEditor) warningsReason(*ordering.Site) string {
	return page.TextIf(len(e.step.draft.Files) == 0, "the sites are not from a file")
}

// exportReason returns why no sites can be exported: no site is marked, and no included site is listed. Otherwise it
// returns "".
func (e *siteEditor) exportReason(*ordering.Site) string {
	return page.TextIf(len(e.sitesToSave()) == 0, "no included site is listed")
}

// placedReason returns why a site cannot be changed: it is part of a placed order. Otherwise it returns "".
func placedReason(s *ordering.Site) string { return page.TextIf(s.Placed, "already placed") }

// editAdvice returns the advice to edit the site, with the key for it. The caller appends it to a sentence.
func editAdvice() string {
	return "; press " + action.KeyOf(action.EditSite, action.NewOrderSites)
}

// toggleReason returns why the chosen sites cannot be included or excluded, or "".
func (e *siteEditor) toggleReason(*ordering.Site) string {
	chosen := e.step.chosenSites()
	canToggle := func(s *ordering.Site) bool { return siteToggleReason(s) == "" }
	if slices.ContainsFunc(chosen, canToggle) {
		return ""
	}
	hasGeometry := func(s *ordering.Site) bool { return s.Geometry != nil }
	if len(chosen) > 1 && slices.ContainsFunc(chosen, hasGeometry) {
		return "the marked sites with coordinates are already placed"
	}
	if len(chosen) > 1 {
		return "the marked sites have no usable coordinates"
	}
	return siteToggleReason(chosen[0])
}

// siteToggleReason returns why a site cannot be included or excluded, or "".
func siteToggleReason(s *ordering.Site) string {
	if s.Geometry == nil {
		return "no usable coordinates" + editAdvice()
	}
	return placedReason(s)
}

// fileReason returns why an action on the file of a site is disabled: the site is not from a file. Otherwise it
// returns "".
func (e *siteEditor) fileReason(s *ordering.Site) string {
	return page.TextIf(e.step.draft.FindFile(s.File) == nil, "this site is not from a file")
}

// compareReason returns why the service cannot be asked to read the file of a site, or "".
func (e *siteEditor) compareReason(s *ordering.Site) string {
	if refusal := e.step.env.Profile.Permissions.RefusalOf(api.ScopeOrdersWrite); refusal != "" {
		return refusal
	}
	file := e.step.draft.FindFile(s.File)
	if file == nil {
		return e.fileReason(s)
	}
	if file.Pasted != "" {
		return "the service reads files only; save the text to a file"
	}
	return page.TextIf(e.step.parent.loadingDialog.IsRunning(), "still loading")
}

// removeFileReason returns why the file of a site cannot be removed from the draft, or "".
func (e *siteEditor) removeFileReason(s *ordering.Site) string {
	if reason := e.fileReason(s); reason != "" {
		return reason
	}
	isPlaced := func(s *ordering.Site) bool { return s.Placed }
	hasPlaced := slices.ContainsFunc(e.step.draft.SitesFrom(s.File), isPlaced)
	return page.TextIf(hasPlaced, "some of its sites are already placed")
}

// addFile goes to the step of the files.
func (e *siteEditor) addFile(*ordering.Site) tea.Cmd { return e.step.parent.goTo(ordering.StepFiles) }

// makeShape opens the dialog for new shapes, with the kind of operation that was used last.
func (e *siteEditor) makeShape(*ordering.Site) tea.Cmd { return e.openShapeDialog(e.lastShape) }

// fixSite applies the suggested fix of a site.
func (e *siteEditor) fixSite(s *ordering.Site) tea.Cmd {
	return e.editSites("fixed "+s.Name, []*ordering.Site{s}, (*ordering.Site).ApplyFix)
}

// toggleAll includes all listed sites that are not placed. If all of them are included already, it excludes them.
func (e *siteEditor) toggleAll(*ordering.Site) tea.Cmd {
	isPlaced := func(s *ordering.Site) bool { return s.Placed }
	sites := slices.DeleteFunc(e.step.listedSites(), isPlaced)
	if len(sites) == 0 {
		return page.ShowToast(theme.Attention, "All listed sites are already placed")
	}
	return e.toggleSites(sites)
}

// addSite opens the dialog for a new site. If the map has the focus, the site is proposed in the
// middle of the map.
func (e *siteEditor) addSite(*ordering.Site) tea.Cmd {
	place := ""
	if e.step.list.Map.Focused {
		place = formatTyped(e.step.list.Map.Model.Centre())
	}
	return e.openSiteForm(nil, place)
}

// editChosen opens the form of the selected site. If several sites are marked, it opens a form for their country
// instead.
func (e *siteEditor) editChosen(s *ordering.Site) tea.Cmd {
	if sites := e.step.chosenSites(); len(sites) > 1 {
		return e.openCountryForm("Edit "+siteCount(len(sites)), sites, func() tea.Cmd { return nil })
	}
	return e.openSiteForm(s, "")
}

// toggleChosen includes or excludes the marked sites. If no site is marked, it includes or
// excludes the selected site and selects the next site.
func (e *siteEditor) toggleChosen(*ordering.Site) tea.Cmd {
	cmd := e.toggleSites(e.step.chosenSites())
	if len(e.step.marks.ids) == 0 {
		e.step.list.Grid.Move(1)
	}
	return cmd
}

// toggleSelected includes or excludes the selected site. It does nothing if the site cannot be included or excluded.
func (e *siteEditor) toggleSelected(s *ordering.Site) tea.Cmd {
	if siteToggleReason(s) != "" {
		return nil
	}
	return e.toggleSites([]*ordering.Site{s})
}

// toggleSites includes the excluded sites that have usable coordinates. If there are none, it excludes all included
// sites.
func (e *siteEditor) toggleSites(sites []*ordering.Site) tea.Cmd {
	cannotInclude := func(s *ordering.Site) bool { return s.In || s.Geometry == nil }
	isExcluded := func(s *ordering.Site) bool { return !s.In }
	if excluded := slices.DeleteFunc(slices.Clone(sites), cannotInclude); len(excluded) > 0 {
		return e.setIncluded("included", excluded, true)
	}
	if included := slices.DeleteFunc(slices.Clone(sites), isExcluded); len(included) > 0 {
		return e.setIncluded("excluded", included, false)
	}
	return page.ShowToast(theme.Attention, "No listed site has usable coordinates")
}

// setIncluded includes or excludes sites. done describes the change in the message to the user.
func (e *siteEditor) setIncluded(done string, sites []*ordering.Site, isIncluded bool) tea.Cmd {
	return e.editSites(done+" "+siteNames(sites), sites, func(s *ordering.Site) {
		s.In = isIncluded
		s.Edited.In = true
	})
}

// cycleTypes changes the mission type of the chosen sites. The first chosen site that allows several types gets its
// next type, and the other sites get the same type. Sites whose points do not allow this type stay unchanged.
func (e *siteEditor) cycleTypes(*ordering.Site) tea.Cmd {
	chosen := e.step.chosenSites()
	i := slices.IndexFunc(chosen, canChangeType)
	if i < 0 {
		return nil
	}
	types := chosen[i].AllowedTypes()
	current := slices.Index(types, chosen[i].Type)
	next := types[(current+1)%len(types)]
	isUnchanged := func(s *ordering.Site) bool {
		return s.Type == next || !slices.Contains(s.AllowedTypes(), next)
	}
	changed := slices.DeleteFunc(slices.Clone(chosen), isUnchanged)
	return e.editSites("changed the type of "+siteNames(changed), changed, func(s *ordering.Site) {
		s.Type = next
		s.Edited.Type = true
		s.MeasureSize()
	})
}

// fixAll applies all suggested fixes.
func (e *siteEditor) fixAll(*ordering.Site) tea.Cmd {
	sites := e.step.draft.SitesWithout(func(s *ordering.Site) bool { return s.Fixed == nil })
	return e.editSites("applied "+format.Count(len(sites), "fix", "fixes"), sites, (*ordering.Site).ApplyFix)
}

// removeChosen removes the chosen sites from the draft.
func (e *siteEditor) removeChosen(*ordering.Site) tea.Cmd {
	return e.replaceSites(e.step.chosenSites(), nil, "removed")
}

// removeFile removes the file of a site, with all its sites, from the draft.
func (e *siteEditor) removeFile(s *ordering.Site) tea.Cmd {
	done := "removed " + filepath.Base(s.File) + ", " + siteCount(len(e.step.draft.SitesFrom(s.File)))
	return e.arrangeSites(done, func() *ordering.Site {
		e.step.marks.clear()
		e.step.draft.RemoveFile(s.File)
		return nil
	})
}

// swapFile reads the site's file again with latitude and longitude swapped.
func (e *siteEditor) swapFile(s *ordering.Site) tea.Cmd {
	file := *e.step.draft.FindFile(s.File)
	reader := e.step.parent.drafts.Reader
	opts := file.Options
	opts.SwapLatLng = !opts.SwapLatLng
	return e.step.parent.files.importer.readInBackground(func(ctx context.Context) ([]readResult, error) {
		read, err := reader.ReadWith(ctx, file.Reading(), opts)
		read.Again = true
		return []readResult{{read, err}}, nil
	})
}

// chooseColumns reads the site's file again and opens its import dialog.
func (e *siteEditor) chooseColumns(s *ordering.Site) tea.Cmd {
	file := *e.step.draft.FindFile(s.File)
	reader := e.step.parent.drafts.Reader
	readAgain := func(ctx context.Context) (readResult, error) {
		read, err := reader.ReadWith(ctx, file.Reading(), file.Options)
		if read.Result == nil {
			return readResult{}, err
		}
		read.Again = true
		return readResult{read, err}, nil
	}
	openDialog := func(result readResult) tea.Cmd {
		e.step.env.Nav.Overlay(newImportDialog(e.step.parent.files.importer, result))
		return nil
	}
	return loadDialog(e.step.parent, readAgain, openDialog)
}

// nextFault selects the next site with a warning, a fault or a duplicate. After the last row it
// continues at the first row.
func (e *siteEditor) nextFault(*ordering.Site) tea.Cmd {
	listed := e.step.listedSites()
	next := e.step.list.Grid.Cursor() + 1
	for _, s := range slices.Concat(listed[next:], listed[:next]) {
		if isFlagged(s) {
			e.step.list.Grid.Select(siteID(s))
			break
		}
	}
	return nil
}

// markSite marks or unmarks a site, and selects the next site.
func (e *siteEditor) markSite(s *ordering.Site) tea.Cmd {
	e.step.marks.endRange()
	e.step.marks.toggle(s)
	e.step.list.Grid.Move(1)
	return nil
}

// markRange starts to mark a range of sites: until it is called again, all sites between s and the selected site are
// marked.
func (e *siteEditor) markRange(s *ordering.Site) tea.Cmd {
	if e.step.marks.isRangeOpen() {
		e.step.marks.endRange()
	} else {
		e.step.marks.beginRange(s)
	}
	return nil
}

// editSites calls change for each of the sites. The user can undo all these changes in one step. For a single site
// there is no message, because the user sees the change.
func (e *siteEditor) editSites(done string, sites []*ordering.Site, change func(*ordering.Site)) tea.Cmd {
	return e.step.parent.editDraft(page.UndoMsg{Text: done, Quiet: len(sites) == 1}, sites, func() {
		for _, s := range sites {
			change(s)
		}
		e.step.markChanged()
	})
}

// arrangeSites calls change, which adds sites to the draft or removes sites, and selects the site that change
// returns. If change returns nil, the selection stays on the same row.
func (e *siteEditor) arrangeSites(done string, change func() *ordering.Site) tea.Cmd {
	return e.step.parent.editDraft(page.UndoMsg{Text: done}, nil, func() { e.step.reloadSites(change()) })
}

// replaceSites replaces the sites in removed by the sites in added and selects the first added
// site. If added is empty, it only removes sites.
func (e *siteEditor) replaceSites(removed, added []*ordering.Site, done string) tea.Cmd {
	return e.arrangeSites(done+" "+siteNames(removed), func() *ordering.Site {
		e.step.marks.clear()
		e.step.draft.ReplaceSites(removed, added)
		if len(added) == 0 {
			return nil
		}
		return added[0]
	})
}

// siteNames returns the names of one or two sites, or the name of the first site and the number
// of the other sites.
func siteNames(sites []*ordering.Site) string {
	first := sites[0].Name
	switch len(sites) {
	case 1:
		return first
	case 2:
		return first + " and " + sites[1].Name
	default:
		return fmt.Sprintf("%s and %d more", first, len(sites)-1)
	}
}
