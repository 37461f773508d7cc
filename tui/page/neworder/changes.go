package neworder

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/shape"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// siteActs returns the actions on the selected site or on the marked sites. The Off function of
// an action returns why the action is disabled, or "".
func (m *sitesStep) siteActs() []page.Act[*ordering.Site] {
	return []page.Act[*ordering.Site]{
		{ID: action.NextStep, Any: true, Off: m.continueReason, Do: m.continueStep},
		{ID: action.AddFile, Any: true, Do: m.addFile},
		{ID: action.AddSite, Any: true, Do: m.addSite},
		{ID: action.EditSite, Off: placedReason, Do: m.editChosen},
		{ID: action.Toggle, Off: toggleReason, Do: m.toggleChosen},
		{ID: action.ToggleAll, Do: m.toggleAll},
		{ID: action.CycleType, Off: typeReason, Do: m.cycleTypes},
		{ID: action.FixSite, Off: fixReason, Do: m.fixSite},
		{ID: action.FixAll, Off: m.fixAllReason, Do: m.fixAll},
		{ID: action.NextFault, Off: m.faultReason, Do: m.nextFault},
		{ID: action.MarkSite, Do: m.markSite},
		{ID: action.MarkRange, Do: m.markRange},
		{ID: action.Merge, Off: m.mergeReason, Do: m.mergeSites},
		{ID: action.Split, Off: splitRefusal, Do: m.splitSite},
		{ID: action.MakeShape, Off: m.shapeRefusal, Do: m.makeShape},
		{ID: action.EditCorners, Off: cornersRefusal, Do: m.editCorners},
		{ID: action.Clear, Off: placedReason, Do: m.removeChosen},
		{ID: action.RemoveFile, Off: m.keptReason, Do: m.removeFile},
		{ID: action.SwapFile, Off: m.fileReason, Do: m.swapFile},
		{ID: action.ChooseColumns, Off: m.fileReason, Do: m.chooseColumns},
		{ID: action.ShowWarnings, Any: true, Off: m.warningsReason, Do: m.showWarnings},
		{ID: action.Export, Off: m.exportReason, Do: m.saveSites},
		{ID: action.CompareReading, Off: m.compareReason, Do: m.askReading},
	}
}

// continueStep goes on to the details of the order. If an included site has no country, which an
// order needs, it selects the site and asks for the country first.
func (m *sitesStep) continueStep(*ordering.Site) tea.Cmd {
	next := func() tea.Cmd {
		cmd := m.p.goTo(ordering.StepDetails)
		note := m.countedSum().split
		if note != "" {
			cmd = tea.Batch(cmd, page.ShowToast(theme.Attention, note))
		}
		return cmd
	}
	hasCountry := func(s *ordering.Site) bool { return s.Country != "" }
	lacking := slices.DeleteFunc(m.draft.IncludedSites(), hasCountry)
	if len(lacking) == 0 {
		return next()
	}
	m.reloadSites(lacking[0])
	return m.askCountry("Set country: "+siteNames(lacking), lacking, next)
}

// continueReason returns a reason if no site is included, otherwise "".
func (m *sitesStep) continueReason(*ordering.Site) string {
	return page.TextIf(m.countedSum().in == 0, "no site included; add or include one")
}

// typeReason returns why the type of a site cannot be changed, or "".
func typeReason(s *ordering.Site) string {
	if s.Placed {
		return placedReason(s)
	}
	return page.TextIf(len(s.AllowedTypes()) < 2, "the points allow only this type")
}

// fixReason returns a reason if there is no suggested fix for the site, otherwise "".
func fixReason(s *ordering.Site) string {
	return page.TextIf(s.Fixed == nil, "no suggested fix for this site")
}

// fixAllReason returns a reason if there is no suggested fix for any site, otherwise "".
func (m *sitesStep) fixAllReason(*ordering.Site) string {
	return page.TextIf(m.countedSum().fixable == 0, "no suggested fixes")
}

// faultReason returns a reason if no site has a warning, otherwise "".
func (m *sitesStep) faultReason(*ordering.Site) string {
	return page.TextIf(m.countedSum().warned == 0, "no warnings")
}

// mergeReason returns why the sites to merge cannot be merged, or "".
func (m *sitesStep) mergeReason(*ordering.Site) string { return mergeRefusal(m.mergeGroup()) }

// warningsReason returns a reason if the draft has no files, otherwise "".
func (m *sitesStep) warningsReason(*ordering.Site) string {
	return page.TextIf(len(m.draft.Files) == 0, "the sites are not from a file")
}

// exportReason returns a reason if there is no site to export, otherwise "".
func (m *sitesStep) exportReason(*ordering.Site) string {
	return page.TextIf(len(m.sitesToSave()) == 0, "no site included")
}

// placedReason returns a reason if the site is part of a placed order, otherwise "".
func placedReason(s *ordering.Site) string { return page.TextIf(s.Placed, "already placed") }

// toggleReason returns why a site cannot be included or excluded, or "".
func toggleReason(s *ordering.Site) string {
	if s.Geometry == nil {
		return "no usable coordinates; press e"
	}
	return placedReason(s)
}

// fileReason returns a reason if the site is not from a file, otherwise "".
func (m *sitesStep) fileReason(s *ordering.Site) string {
	return page.TextIf(m.draft.FindFile(s.File) == nil, "this site is not from a file")
}

// compareReason returns why the service cannot read the file of a site, or "".
func (m *sitesStep) compareReason(s *ordering.Site) string {
	if refusal := m.Env.Profile.Permissions.RefusalOf(api.ScopeOrdersWrite); refusal != "" {
		return refusal
	}
	file := m.draft.FindFile(s.File)
	if file == nil {
		return m.fileReason(s)
	}
	if file.Pasted != "" {
		return "the service reads files only; save the text to a file"
	}
	return page.TextIf(m.p.listing.IsOpen(), "the service is reading the file")
}

// keptReason returns why the file of a site cannot be removed from the draft, or "".
func (m *sitesStep) keptReason(s *ordering.Site) string {
	if reason := m.fileReason(s); reason != "" {
		return reason
	}
	isPlaced := func(s *ordering.Site) bool { return s.Placed }
	hasPlaced := slices.ContainsFunc(m.draft.SitesFrom(s.File), isPlaced)
	return page.TextIf(hasPlaced, "some of its sites are already placed")
}

// addFile goes back to the files.
func (m *sitesStep) addFile(*ordering.Site) tea.Cmd { return m.p.goTo(ordering.StepFiles) }

// makeShape opens the dialog for new shapes, with the kind of shape that was made last.
func (m *sitesStep) makeShape(*ordering.Site) tea.Cmd { return m.askShape(m.lastShape) }

// fixSite applies the suggested fix of a site.
func (m *sitesStep) fixSite(s *ordering.Site) tea.Cmd {
	return m.editSites("fixed "+s.Name, []*ordering.Site{s}, (*ordering.Site).ApplyFix)
}

// toggleAll includes all listed sites that are not placed. If all of them are included, it
// excludes them.
func (m *sitesStep) toggleAll(*ordering.Site) tea.Cmd {
	isPlaced := func(s *ordering.Site) bool { return s.Placed }
	return m.toggleSites(slices.DeleteFunc(m.listedSites(), isPlaced))
}

// addSite opens the dialog for a new site. If the map has the focus, the site is proposed in the
// middle of the map.
func (m *sitesStep) addSite(*ordering.Site) tea.Cmd {
	place := ""
	if m.Map.Focused {
		place = asTyped(m.Map.Model.Centre())
	}
	return m.askSite(nil, place)
}

// editChosen opens the dialog of the selected site, or the dialog of the country if several
// sites are marked.
func (m *sitesStep) editChosen(s *ordering.Site) tea.Cmd {
	if sites := m.chosenSites(); len(sites) > 1 {
		return m.askCountry("Edit "+siteCount(len(sites)), sites, func() tea.Cmd { return nil })
	}
	return m.askSite(s, "")
}

// toggleChosen includes or excludes the marked sites. If no site is marked, it includes or
// excludes the selected site and selects the next site.
func (m *sitesStep) toggleChosen(*ordering.Site) tea.Cmd {
	cmd := m.toggleSites(m.chosenSites())
	if len(m.marks.ids) == 0 {
		m.Grid.Move(1)
	}
	return cmd
}

// toggleSites includes the sites that have usable coordinates. If all of them are included, it
// excludes them.
func (m *sitesStep) toggleSites(sites []*ordering.Site) tea.Cmd {
	canInclude := func(s *ordering.Site) bool { return !s.In && s.Geometry != nil }
	include := slices.ContainsFunc(sites, canInclude)
	done := "excluded "
	if include {
		done = "included "
	}
	return m.editSites(done+siteNames(sites), sites, func(s *ordering.Site) {
		s.In = include && s.Geometry != nil
		s.Edited.In = true
	})
}

// cycleTypes changes the type of the chosen sites to the next type that the first site allows.
// Sites whose points do not allow that type stay unchanged.
func (m *sitesStep) cycleTypes(*ordering.Site) tea.Cmd {
	sites := m.chosenSites()
	types := sites[0].AllowedTypes()
	next := types[(slices.Index(types, sites[0].Type)+1)%len(types)]
	return m.editSites("changed the type of "+siteNames(sites), sites, func(s *ordering.Site) {
		if slices.Contains(s.AllowedTypes(), next) {
			s.Type = next
			s.Edited.Type = true
			s.MeasureSize()
		}
	})
}

// fixAll applies all suggested fixes.
func (m *sitesStep) fixAll(*ordering.Site) tea.Cmd {
	sites := m.draft.SitesWithout(func(s *ordering.Site) bool { return s.Fixed == nil })
	return m.editSites("applied "+format.Count(len(sites), "fix", "fixes"), sites, (*ordering.Site).ApplyFix)
}

// removeChosen removes the chosen sites from the draft.
func (m *sitesStep) removeChosen(*ordering.Site) tea.Cmd {
	return m.replaceSites(m.chosenSites(), nil, "removed")
}

// removeFile removes the file of a site, with all its sites, from the draft.
func (m *sitesStep) removeFile(s *ordering.Site) tea.Cmd {
	done := "removed " + filepath.Base(s.File) + ", " + siteCount(len(m.draft.SitesFrom(s.File)))
	return m.arrangeSites(done, func() (none *ordering.Site) {
		m.marks.clearMarks()
		m.draft.RemoveFile(s.File)
		return none
	})
}

// swapFile reads the site's file again with latitude and longitude swapped.
func (m *sitesStep) swapFile(s *ordering.Site) tea.Cmd {
	file := *m.draft.FindFile(s.File)
	reader := m.p.drafts.Reader
	opts := file.Options
	opts.SwapLatLng = !opts.SwapLatLng
	return m.p.files.askFiles(func(ctx context.Context) ([]fileQuestion, error) {
		read, err := reader.ReadWith(ctx, file.Reading(), opts)
		read.Again = true
		return []fileQuestion{{read, err}}, nil
	})
}

// chooseColumns reads the site's file again and opens its import dialog.
func (m *sitesStep) chooseColumns(s *ordering.Site) tea.Cmd {
	file := *m.draft.FindFile(s.File)
	reader := m.p.drafts.Reader
	readAgain := func(ctx context.Context) (fileQuestion, error) {
		read, err := reader.ReadWith(ctx, file.Reading(), file.Options)
		if read.Result == nil {
			return fileQuestion{}, err
		}
		read.Again = true
		return fileQuestion{read, err}, nil
	}
	openDialog := func(q fileQuestion) tea.Cmd {
		m.Env.Nav.Overlay(newImportDialog(m.p.files, q))
		return nil
	}
	return askDialog(m.p, readAgain, openDialog)
}

// nextFault selects the next site with a warning or a duplicate. After the last row it goes on
// at the first.
func (m *sitesStep) nextFault(*ordering.Site) tea.Cmd {
	listed := m.listedSites()
	next := m.Grid.Cursor() + 1
	for _, s := range slices.Concat(listed[next:], listed[:next]) {
		if isTroubled(s) || s.Duplicate != "" {
			m.Grid.Select(siteID(s))
			break
		}
	}
	return nil
}

// editSites calls change for each of the sites as one change of the draft that can be undone. For
// a single site the message is quiet, because the user sees the change.
func (m *sitesStep) editSites(done string, sites []*ordering.Site, change func(*ordering.Site)) tea.Cmd {
	return m.p.editDraft(page.UndoMsg{Text: done, Quiet: len(sites) == 1}, sites, func() {
		for _, s := range sites {
			change(s)
		}
		m.noteChanged()
	})
}

// arrangeSites calls change to add sites to the draft or to remove sites, and selects the site
// that change returns. If it returns nil, the same row stays selected.
func (m *sitesStep) arrangeSites(done string, change func() *ordering.Site) tea.Cmd {
	return m.p.editDraft(page.UndoMsg{Text: done}, nil, func() { m.reloadSites(change()) })
}

// editDraft calls change to change the draft: its sites, files and values, and the content of the
// sites in changing. The user can undo and redo the change, unless another draft was opened or
// an order of the draft was sent or placed since.
func (p *NewOrder) editDraft(done page.UndoMsg, changing []*ordering.Site, change func()) tea.Cmd {
	draft := p.draft
	placed := len(draft.Placed)
	selected := p.sites.Current()
	swap := draft.SaveState(changing)
	change()
	done.Weight = len(changing)
	done.Undo = func() (tea.Cmd, bool) {
		if p.draft != draft || draft.Sent != nil || len(draft.Placed) != placed {
			return nil, false
		}
		swap()
		p.sites.reloadSites(selected)
		return tea.Batch(p.noteChange(), p.enterStep()), true
	}
	done.Redo = done.Undo
	return tea.Batch(p.noteChange(), page.SendMessage(done))
}

// mergeGroup returns the sites to merge: the marked sites, or the selected site and the next
// row.
func (m *sitesStep) mergeGroup() []*ordering.Site {
	if marked := m.markedSites(); len(marked) > 1 {
		return marked
	}
	listed, at := m.listedSites(), m.Grid.Cursor()
	return listed[at:min(at+2, len(listed))]
}

// farApart is the distance between sites, in metres, above which merging asks for confirmation.
const farApart = 2000

// mergeSites merges the sites of [sitesStep.mergeGroup] into one site. It asks for confirmation if
// areas do not touch or if the sites are more than [farApart] apart.
func (m *sitesStep) mergeSites(*ordering.Site) tea.Cmd {
	sites := m.mergeGroup()
	merged := ordering.MergeShapes(sites)
	if merged.Geometry == nil {
		return m.askHull(sites, merged.Hull)
	}
	done := "merged"
	if merged.Gap > 1 {
		done = "bridged " + format.Length(merged.Gap) + " and merged"
	}
	merge := func() tea.Cmd { return m.joinSites(sites, merged.Geometry, done) }
	gap := ordering.LargestGap(sites)
	if gap <= farApart {
		return merge()
	}
	return m.Env.AskFirst(
		"Merge "+siteNames(sites),
		"merge anyway",
		merge,
		gapText(sites, gap),
		"A mission is flown as one site.",
	)
}

// gapText returns a sentence with the distance between two sites, or between the farthest of
// several sites and the others.
func gapText(sites []*ordering.Site, gap float64) string {
	if len(sites) == 2 {
		return "They are " + format.Length(gap) + " apart."
	}
	return "One of them is " + format.Length(gap) + " from the others."
}

// askHull asks for confirmation to replace areas that do not touch by their hull. If hull is nil,
// it shows that the areas cannot be merged.
func (m *sitesStep) askHull(sites []*ordering.Site, hull orb.Polygon) tea.Cmd {
	if hull == nil {
		return page.ShowToast(theme.Attention, "these areas share no edge and cannot be merged")
	}
	sum := 0.0
	for _, s := range sites {
		sum += s.Area
	}
	units := m.Env.Look.Units
	merge := func() tea.Cmd { return m.joinSites(sites, hull, "merged") }
	return m.Env.AskFirst(
		"Merge "+siteNames(sites),
		"merge anyway",
		merge,
		gapText(sites, ordering.LargestGap(sites)),
		"These areas share no edge, and a mission has only one boundary.",
		"One boundary around all encloses "+units.Area(kmlcsv.AreaOf(hull))+
			"; separately they cover "+units.Area(sum)+".",
	)
}

// joinSites replaces the sites by one site with the given shape.
func (m *sitesStep) joinSites(sites []*ordering.Site, g orb.Geometry, done string) tea.Cmd {
	joined := m.draft.NewSiteFrom(sites, ordering.CommonName(sites), g)
	return m.replaceSites(sites, []*ordering.Site{joined}, done)
}

// replaceSites replaces the sites in removed by the sites in added and selects the first added
// site. If added is empty, it only removes sites.
func (m *sitesStep) replaceSites(removed, added []*ordering.Site, done string) tea.Cmd {
	return m.arrangeSites(done+" "+siteNames(removed), func() *ordering.Site {
		m.marks.clearMarks()
		m.draft.ReplaceSites(removed, added)
		if len(added) == 0 {
			return nil
		}
		return added[0]
	})
}

// splitSite splits a site. An asset becomes one site per point. For a line, a dialog asks for the
// number of parts; for an area, for the largest area of a part.
func (m *sitesStep) splitSite(s *ordering.Site) tea.Cmd {
	switch s.Type {
	case api.MissionLinear:
		return m.askParts(s)
	case api.MissionArea:
		return m.askShape(shape.SplitKind)
	}
	return putParts(m, s, s.Points())
}

// putParts replaces a site by one site for each of the parts.
func putParts[G orb.Geometry](m *sitesStep, s *ordering.Site, parts []G) tea.Cmd {
	old := []*ordering.Site{s}
	sites := make([]*ordering.Site, len(parts))
	for i, g := range parts {
		sites[i] = m.draft.NewSiteFrom(old, fmt.Sprintf("%s (%d)", s.Name, i+1), g)
		sites[i].In = s.In
	}
	return m.replaceSites(old, sites, "split")
}

// askParts opens the dialog for the number of parts that a line is split into. It proposes the
// least number of parts with which no part has more points than a mission may have.
func (m *sitesStep) askParts(s *ordering.Site) tea.Cmd {
	points := s.Points()
	field := &widget.Field{
		Label: "Parts",
		Kind:  widget.NumberField,
		Least: 2,
		Most:  float64(len(points) - 1),
		Help:  fmt.Sprintf("Parts of similar length, split at the line's %s points", groupDigits(len(points))),
	}
	split := func(string) tea.Cmd {
		parts, err := field.Number()
		if err != nil {
			field.Error = err.Error()
			return nil
		}
		return putParts(m, s, ordering.CutLine(points, int(parts)))
	}
	fewest := max(2, (len(points)+api.MaxPoints-2)/(api.MaxPoints-1))
	return m.Env.AskValue("Split "+s.Name, "", 20, field, fmt.Sprint(fewest), split)
}

// typeNames has the type of a mission with its article, for use in a sentence.
var typeNames = map[api.MissionType]string{
	api.MissionArea: "an area", api.MissionLinear: "a line", api.MissionAsset: "an asset",
}

// mergeRefusal returns why sites cannot be merged, or "".
func mergeRefusal(sites []*ordering.Site) string {
	if len(sites) < 2 {
		return "no next row; press V to mark the sites to merge"
	}
	first := sites[0]
	for _, s := range sites {
		if s.Geometry == nil {
			return s.Name + " has no usable coordinates"
		}
		if s.Placed {
			return s.Name + " is already placed"
		}
		if s.Type != first.Type {
			return fmt.Sprintf("%s is %s, %s is %s; press t to change the type",
				first.Name, typeNames[first.Type], s.Name, typeNames[s.Type])
		}
	}
	return ""
}

// splitRefusal returns why a site cannot be split, or "".
func splitRefusal(s *ordering.Site) string {
	if s.Geometry == nil {
		return "no usable coordinates"
	}
	if s.Placed {
		return placedReason(s)
	}
	points := len(s.Points())
	if s.Type == api.MissionAsset && points < 2 {
		return "it has only one point"
	}
	if s.Type == api.MissionLinear && points < 3 {
		return "a line needs a point between its ends to split"
	}
	return ""
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
