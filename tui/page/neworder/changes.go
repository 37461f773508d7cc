package neworder

import (
	"cmp"
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

// siteActs lists the step's actions on the selected site, or on those that are marked.
func (m *sitesStep) siteActs() []page.Act[*ordering.Site] {
	return []page.Act[*ordering.Site]{
		{ID: action.NextStep, Any: true, Do: m.continueStep, Off: func(*ordering.Site) string {
			return page.TextIf(m.countedSum().in == 0, "no site included; add or include one")
		}},
		{
			ID:  action.AddFile,
			Any: true,
			Do:  func(*ordering.Site) tea.Cmd { return m.p.goTo(ordering.StepFiles) },
		},
		{ID: action.AddSite, Any: true, Do: m.addSite},
		{ID: action.EditSite, Off: placedReason, Do: m.editChosen},
		{ID: action.Toggle, Off: toggleReason, Do: m.toggleChosen},
		{ID: action.ToggleAll, Do: func(*ordering.Site) tea.Cmd {
			isPlaced := func(s *ordering.Site) bool { return s.Placed }
			return m.toggleSites(slices.DeleteFunc(m.listedSites(), isPlaced))
		}},
		{ID: action.CycleType, Do: m.cycleTypes, Off: func(s *ordering.Site) string {
			return cmp.Or(placedReason(s), page.TextIf(len(s.AllowedTypes()) < 2, "the points allow only this type"))
		}},
		{ID: action.FixSite, Off: func(s *ordering.Site) string {
			return page.TextIf(s.Fixed == nil, "no suggested fix for this site")
		}, Do: func(s *ordering.Site) tea.Cmd {
			return m.editSites("fixed "+s.Name, []*ordering.Site{s}, (*ordering.Site).ApplyFix)
		}},
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
		{ID: action.MakeShape, Off: m.shapeRefusal, Do: func(*ordering.Site) tea.Cmd { return m.askShape(m.lastShape) }},
		{ID: action.EditCorners, Off: cornersRefusal, Do: m.editCorners},
		{ID: action.Clear, Off: placedReason, Do: m.removeChosen},
		{ID: action.RemoveFile, Off: m.keptReason, Do: m.removeFile},
		{ID: action.SwapFile, Off: m.fileReason, Do: m.swapFile},
		{ID: action.ChooseColumns, Off: m.fileReason, Do: m.chooseColumns},
		{ID: action.ShowWarnings, Any: true, Do: m.showWarnings, Off: func(*ordering.Site) string {
			return page.TextIf(len(m.draft.Files) == 0, "the sites are not from a file")
		}},
		{ID: action.Export, Do: m.saveSites, Off: func(*ordering.Site) string {
			return page.TextIf(len(m.sitesToSave()) == 0, "no site included")
		}},
		{ID: action.CompareReading, Off: m.compareReason, Do: m.askReading},
	}
}

// continueStep goes on to the form, once every site that is in has a country: an order
// needs one, and where none is near it is asked for.
func (m *sitesStep) continueStep(*ordering.Site) tea.Cmd {
	next := func() tea.Cmd {
		cmd := m.p.goTo(ordering.StepDetails)
		if note := m.countedSum().split; note != "" {
			cmd = tea.Batch(cmd, page.ShowToast(theme.Attention, note))
		}
		return cmd
	}
	lacking := slices.DeleteFunc(
		m.draft.IncludedSites(),
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
	return page.TextIf(m.draft.FindFile(s.File) == nil, "this site is not from a file")
}

func (m *sitesStep) compareReason(s *ordering.Site) string {
	file := m.draft.FindFile(s.File)
	return cmp.Or(m.Env.Profile.Permissions.RefusalOf(api.ScopeOrdersWrite), m.fileReason(s),
		page.TextIf(file != nil && file.Pasted != "", "the service reads files only; save the text to a file"),
		page.TextIf(m.p.listing.IsOpen(), "the service is reading the file"))
}

// keptReason says why the file of a site stays in the draft.
func (m *sitesStep) keptReason(s *ordering.Site) string {
	placed := slices.ContainsFunc(m.draft.SitesFrom(s.File), func(s *ordering.Site) bool { return s.Placed })
	return cmp.Or(m.fileReason(s), page.TextIf(placed, "some of its sites are already placed"))
}

// addSite asks for a site, in the middle of the map where that is in focus.
func (m *sitesStep) addSite(*ordering.Site) tea.Cmd {
	at := ""
	if m.Map.Focused {
		at = asTyped(m.Map.Model.Centre())
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
	cmd := m.toggleSites(m.chosenSites())
	if len(m.marks.ids) == 0 {
		m.Grid.Move(1)
	}
	return cmd
}

// toggleSites includes sites that can be, or excludes them where all are included.
func (m *sitesStep) toggleSites(sites []*ordering.Site) tea.Cmd {
	include := slices.ContainsFunc(sites, func(s *ordering.Site) bool { return !s.In && s.Geometry != nil })
	done := "excluded "
	if include {
		done = "included "
	}
	return m.editSites(done+siteNames(sites), sites, func(s *ordering.Site) {
		s.In, s.Edited.In = include && s.Geometry != nil, true
	})
}

// cycleTypes gives the chosen sites the type after that of the first, as far as
// their points allow it.
func (m *sitesStep) cycleTypes(*ordering.Site) tea.Cmd {
	sites := m.chosenSites()
	types := sites[0].AllowedTypes()
	next := types[(slices.Index(types, sites[0].Type)+1)%len(types)]
	return m.editSites("changed the type of "+siteNames(sites), sites, func(s *ordering.Site) {
		if slices.Contains(s.AllowedTypes(), next) {
			s.Type, s.Edited.Type = next, true
			s.MeasureSize()
		}
	})
}

func (m *sitesStep) fixAll(*ordering.Site) tea.Cmd {
	sites := m.draft.SitesWithout(func(s *ordering.Site) bool { return s.Fixed == nil })
	return m.editSites("applied "+format.Count(len(sites), "fix", "fixes"), sites, (*ordering.Site).ApplyFix)
}

func (m *sitesStep) removeChosen(*ordering.Site) tea.Cmd {
	return m.replaceSites(m.chosenSites(), nil, "removed")
}

func (m *sitesStep) removeFile(s *ordering.Site) tea.Cmd {
	done := "removed " + filepath.Base(s.File) + ", " + siteCount(len(m.draft.SitesFrom(s.File)))
	return m.arrangeSites(done, func() (none *ordering.Site) {
		m.marks.clearMarks()
		m.draft.RemoveFile(s.File)
		return none
	})
}

// swapFile reads the site's file with latitude and longitude exchanged.
func (m *sitesStep) swapFile(s *ordering.Site) tea.Cmd {
	file, drafts := *m.draft.FindFile(s.File), m.p.drafts
	opts := file.Options
	opts.SwapLatLng = !opts.SwapLatLng
	return m.p.files.askFiles(func(ctx context.Context) ([]fileQuestion, error) {
		read, err := drafts.Reader.ReadWith(ctx, file.Reading(), opts)
		read.Again = true
		return []fileQuestion{{read, err}}, nil
	})
}

func (m *sitesStep) chooseColumns(s *ordering.Site) tea.Cmd {
	file, drafts := *m.draft.FindFile(s.File), m.p.drafts
	return askDialog(m.p, func(ctx context.Context) (fileQuestion, error) {
		read, err := drafts.Reader.ReadWith(ctx, file.Reading(), file.Options)
		if read.Result == nil {
			return fileQuestion{}, err
		}
		read.Again = true
		return fileQuestion{read, err}, nil
	}, func(q fileQuestion) tea.Cmd {
		m.Env.Nav.Overlay(newImportDialog(m.p.files, q))
		return nil
	})
}

// nextFault selects the next site that there is something to say of.
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

// editSites changes each of some sites; what is done to one is seen.
func (m *sitesStep) editSites(done string, sites []*ordering.Site, change func(*ordering.Site)) tea.Cmd {
	return m.p.editDraft(page.UndoMsg{Text: done, Quiet: len(sites) == 1}, sites, func() {
		for _, s := range sites {
			change(s)
		}
		m.noteChanged()
	})
}

// arrangeSites adds sites to the draft or takes some away, and selects the one that
// change returns, nil for the one in their place.
func (m *sitesStep) arrangeSites(done string, change func() *ordering.Site) tea.Cmd {
	return m.p.editDraft(page.UndoMsg{Text: done}, nil, func() { m.reloadSites(change()) })
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
		if p.draft != d || d.Sent != nil || len(d.Placed) != placed {
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

// farApart is the distance between sites, in metres, from which on merging asks first.
const farApart = 2000

// mergeSites makes one site of several. It asks first if areas do not touch or if the sites
// are far apart.
func (m *sitesStep) mergeSites(*ordering.Site) tea.Cmd {
	sites := m.mergeGroup()
	merged := ordering.MergeShapes(sites)
	if merged.Geometry == nil {
		return m.askHull(sites, merged.Hull)
	}
	said := "merged"
	if merged.Gap > 1 {
		said = "bridged " + format.Length(merged.Gap) + " and merged"
	}
	merge := func() tea.Cmd { return m.joinSites(sites, merged.Geometry, said) }
	if gap := ordering.LargestGap(sites); gap > farApart {
		return m.Env.AskFirst("Merge "+siteNames(sites), "merge anyway", merge, gapText(sites, gap),
			"A mission is flown as one site.")
	}
	return merge()
}

// gapText says how far apart sites are.
func gapText(sites []*ordering.Site, gap float64) string {
	if len(sites) == 2 {
		return "They are " + format.Length(gap) + " apart."
	}
	return "One of them is " + format.Length(gap) + " from the others."
}

// askHull asks whether areas that do not touch shall have one boundary round
// them.
func (m *sitesStep) askHull(sites []*ordering.Site, round orb.Polygon) tea.Cmd {
	if round == nil {
		return page.ShowToast(theme.Attention, "these areas share no edge and cannot be merged")
	}
	sum := 0.0
	for _, s := range sites {
		sum += s.Area
	}
	merge := func() tea.Cmd { return m.joinSites(sites, round, "merged") }
	return m.Env.AskFirst(
		"Merge "+siteNames(sites),
		"merge anyway",
		merge,
		gapText(sites, ordering.LargestGap(sites)),
		"These areas share no edge, and a mission has only one boundary.",
		"One boundary around all encloses "+m.Env.Look.Units.Area(kmlcsv.AreaOf(round))+
			"; separately they cover "+m.Env.Look.Units.Area(sum)+".",
	)
}

// joinSites puts one site in the place of several.
func (m *sitesStep) joinSites(sites []*ordering.Site, g orb.Geometry, done string) tea.Cmd {
	one := m.draft.NewSiteFrom(sites, ordering.CommonName(sites), g)
	return m.replaceSites(sites, []*ordering.Site{one}, done)
}

// replaceSites puts sites in the place of others, or takes these away where there are none.
func (m *sitesStep) replaceSites(old, with []*ordering.Site, done string) tea.Cmd {
	return m.arrangeSites(done+" "+siteNames(old), func() *ordering.Site {
		m.marks.clearMarks()
		m.draft.ReplaceSites(old, with)
		return cmp.Or(with...)
	})
}

// splitSite makes a site of each point of an asset, asks into how many parts a line is cut, and
// how large the parts of an area are.
func (m *sitesStep) splitSite(s *ordering.Site) tea.Cmd {
	switch s.Type {
	case api.MissionLinear:
		return m.askParts(s)
	case api.MissionArea:
		return m.askShape(shape.SplitKind)
	}
	return putParts(m, s, s.Points())
}

// putParts puts parts in the place of a site.
func putParts[G orb.Geometry](m *sitesStep, s *ordering.Site, parts []G) tea.Cmd {
	sites, old := make([]*ordering.Site, len(parts)), []*ordering.Site{s}
	for i, g := range parts {
		sites[i] = m.draft.NewSiteFrom(old, fmt.Sprintf("%s (%d)", s.Name, i+1), g)
		sites[i].In = s.In
	}
	return m.replaceSites(old, sites, "split")
}

// askParts asks into how many parts a line is cut.
func (m *sitesStep) askParts(s *ordering.Site) tea.Cmd {
	points := s.Points()
	field := &widget.Field{
		Label: "Parts", Kind: widget.NumberField, Least: 2, Most: float64(len(points) - 1),
		Help: fmt.Sprintf("Parts of similar length, split at the line's %s points", groupDigits(len(points))),
	}
	fewest := max(2, (len(points)+api.MaxPoints-2)/(api.MaxPoints-1))
	return m.Env.AskValue("Split "+s.Name, "", 20, field, fmt.Sprint(fewest), func(string) tea.Cmd {
		n, err := field.Number()
		if err != nil {
			field.Error = err.Error()
			return nil
		}
		return putParts(m, s, ordering.CutLine(points, int(n)))
	})
}

// typeNames are the types of missions in a sentence.
var typeNames = map[api.MissionType]string{
	api.MissionArea: "an area", api.MissionLinear: "a line", api.MissionAsset: "an asset",
}

// mergeRefusal says why sites do not merge, "" where they do.
func mergeRefusal(sites []*ordering.Site) string {
	if len(sites) < 2 {
		return "no next row; press V to mark the sites to merge"
	}
	for _, s := range sites {
		switch {
		case s.Geometry == nil:
			return s.Name + " has no usable coordinates"
		case s.Placed:
			return s.Name + " is already placed"
		case s.Type != sites[0].Type:
			return fmt.Sprintf("%s is %s, %s is %s; press t to change the type",
				sites[0].Name, typeNames[sites[0].Type], s.Name, typeNames[s.Type])
		}
	}
	return ""
}

// splitRefusal says why a site is not split, "" where it is.
func splitRefusal(s *ordering.Site) string {
	switch n := len(s.Points()); {
	case s.Geometry == nil:
		return "no usable coordinates"
	case s.Placed:
		return "already placed"
	case s.Type == api.MissionAsset && n < 2:
		return "it has only one point"
	case s.Type == api.MissionLinear && n < 3:
		return "a line needs a point between its ends to split"
	}
	return ""
}

// siteNames lists sites, the first of many.
func siteNames(sites []*ordering.Site) string {
	switch names := sites[0].Name; len(sites) {
	case 1:
		return names
	case 2:
		return names + " and " + sites[1].Name
	default:
		return fmt.Sprintf("%s and %d more", names, len(sites)-1)
	}
}
