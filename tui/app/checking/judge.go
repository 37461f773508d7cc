package checking

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
)

// completeShare is the covered share of a mission that counts as complete. The rest can be the
// border of pixels.
const completeShare = 0.995

// Weights sort findings of one level: the most expensive first.
const (
	weightMissing = 100 // a product was not delivered
	weightPartial = 80  // plus the missing share
	weightBroken  = 60
	weightSystem  = 40
	weightDate    = 20
)

// productName returns the label of a product.
func productName(p api.Deliverable) string {
	if p == "" {
		return "Files"
	}
	return format.Word(p).Label
}

// verb returns the form of a verb after the label of a product: "covers", or "cover" after a plural.
func verb(p api.Deliverable, singular, plural string) string {
	name, _, _ := strings.Cut(productName(p), " (")
	if strings.HasSuffix(name, "s") {
		return plural
	}
	return singular
}

// missionName returns the name of a mission for people.
func missionName(m *api.Mission, code string) string {
	if m == nil {
		return code
	}
	for _, name := range []string{m.MissionName, m.LocationLabel, m.MissionCode} {
		if name != "" {
			return format.Clean(name)
		}
	}
	return code
}

// judgeFiles reports broken files, notes about files, and files that are not on disk.
func (w *work) judgeFiles() {
	same := map[string][]*FileReport{} // by what is wrong
	var order []string
	for _, f := range w.files {
		if f.Level == OK {
			continue
		}
		key := fmt.Sprint(f.Level, "\x00", f.Mission, "\x00", f.Product, "\x00", f.Text)
		if same[key] == nil {
			order = append(order, key)
		}
		same[key] = append(same[key], f)
	}
	for _, key := range order {
		files := same[key]
		f := files[0]
		text := format.Clean(f.Name) + " " + f.Text
		if len(files) > 1 {
			text = fmt.Sprintf("%s and %d more like it: %s", format.Clean(f.Name), len(files)-1, f.Text)
		}
		w.report.add(Finding{
			Level: f.Level, Text: text, Mission: f.Mission, Product: f.Product,
			Files: fileNames(files), weight: weightBroken,
		})
	}
	if w.notLocal > 0 {
		text := format.Count(w.notLocal, "file") + " not downloaded, so not checked"
		w.report.add(Finding{Level: Note, Text: text, weight: weightPartial})
	}
}

const maxNames = 20 // of files in a finding

func fileNames(files []*FileReport) (names []string) {
	for _, f := range files[:min(len(files), maxNames)] {
		names = append(names, f.Name)
	}
	return names
}

// judgeMissions reports how much of each mission its products cover.
func (w *work) judgeMissions() {
	type group struct {
		of    productOf
		files []*FileReport
	}
	var groups []*group
	for _, f := range w.files {
		of := productOf{f.Mission, f.Product}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.of == of })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{of: of})
		}
		groups[i].files = append(groups[i].files, f)
	}
	targets := map[string]*target{}
	for _, g := range groups {
		m := w.mission(g.of.mission)
		if m == nil || len(m.LocationMap) == 0 {
			continue
		}
		if _, known := targets[g.of.mission]; !known {
			targets[g.of.mission] = newTarget(m)
		}
		t := targets[g.of.mission]
		if t == nil {
			continue
		}
		w.judgeCoverage(t, g.of, g.files)
		w.judgePhotos(t, g.of, g.files)
		w.judgeVectors(t, g.of, g.files)
	}
}

// judgeCoverage reports the part of a mission that rasters and point clouds cover together.
func (w *work) judgeCoverage(t *target, of productOf, files []*FileReport) {
	c := newCoverage(t)
	var used []*FileReport
	var notes []string
	for _, f := range files {
		if f.surface == nil || f.system == nil || f.Level == Problem {
			continue
		}
		c.add(f.surface, f.system)
		used = append(used, f)
		if f.basisNote != "" && !slices.Contains(notes, f.basisNote) {
			notes = append(notes, f.basisNote)
		}
	}
	if len(used) == 0 {
		return
	}
	share := c.share()
	name := missionName(t.mission, of.mission)
	covers := productName(of.product) + " " + verb(of.product, "covers", "cover")
	finding := Finding{
		Level: OK, Mission: of.mission, Product: of.product, Files: fileNames(used), Covered: &share,
	}
	rest := ""
	if share < completeShare && w.unchecked[of] > 0 {
		// Files that were not checked can cover the rest.
		finding.Level = Note
		finding.weight = weightPartial + 1 - share
		covers = productName(of.product) + ": the checked files cover"
	} else if share < completeShare {
		finding.Level = Problem
		finding.weight = weightPartial + 1 - share
		finding.Missing = (1 - share) * t.size
		parts, count := c.missingParts()
		finding.Parts = parts
		for _, f := range used {
			f.setLevel(Problem, "covers "+percent(share)+" of "+name)
		}
		if share == 0 {
			finding.weight = weightMissing
		} else {
			rest = ": " + t.describeMissing(finding.Missing, parts, count)
		}
	}
	if share == 0 {
		finding.Text = covers + " nothing of " + name
	} else if share >= completeShare {
		finding.Text = covers + " " + name
	} else {
		finding.Text = covers + " " + percent(share) + " of " + name + rest
	}
	if facts := describeQuality(used); facts != "" {
		finding.Text += " (" + facts + ")"
	}
	for _, note := range notes {
		finding.Text += "; " + note + ", so its rectangle counts as covered"
	}
	w.report.add(finding)
}

// describeQuality returns the resolution, density and system of files that have the same.
func describeQuality(files []*FileReport) string {
	var texts []string
	for _, label := range []string{"Resolution", "Density"} {
		text := files[0].factText(label)
		if text != "" && !slices.ContainsFunc(files, func(f *FileReport) bool { return f.factText(label) != text }) {
			texts = append(texts, text)
		}
	}
	if code := files[0].system.Reference(); code != "" {
		texts = append(texts, code)
	}
	return strings.Join(texts, ", ")
}

// percent formats a share that is not complete.
func percent(share float64) string {
	tenths := min(math.Round(share*1000), 999)
	return format.GroupDigits(tenths/10, 1) + " %"
}

// describeMissing says how much is missing, and where. count is the number of missing parts, of which
// parts has the largest.
func (t *target) describeMissing(size float64, parts []MissingPart, count int) string {
	where := ""
	if len(parts) > 0 && parts[0].Size > size/2 {
		where = " " + parts[0].Where
	} else if len(parts) > 1 {
		where = fmt.Sprintf(" in %d places, the largest %s", count, parts[0].Where)
	}
	return t.describeSize(size) + " missing" + where
}

// describeSize formats a size of the target.
func (t *target) describeSize(size float64) string {
	switch t.shape.(type) {
	case orb.Polygon:
		return format.Units{}.Area(size)
	case orb.LineString:
		return format.Length(size)
	default:
		return format.Count(int(math.Round(size)), "point")
	}
}

// Distances from a mission within which a photo counts as taken there, in metres.
const (
	nearMission = 150
	farMission  = 2000
)

// judgePhotos reports how many photos were taken at the mission.
func (w *work) judgePhotos(t *target, of productOf, files []*FileReport) {
	photos := 0
	placed := 0
	near := 0
	nearest := math.Inf(1)
	for _, f := range files {
		if !f.isPhoto || f.Level == Problem {
			continue
		}
		photos++
		if !f.photo.HasPosition {
			continue
		}
		placed++
		distance := t.distance(orb.Point{f.photo.Lng, f.photo.Lat})
		nearest = min(nearest, distance)
		if distance <= nearMission {
			near++
		}
	}
	if photos == 0 {
		return
	}
	name := missionName(t.mission, of.mission)
	finding := Finding{Level: OK, Mission: of.mission, Product: of.product}
	count := format.Count(photos, "photo")
	switch {
	case placed == 0:
		finding.Level = Note
		finding.Text = fmt.Sprintf("%s: none of %s has a position", productName(of.product), count)
	case nearest > farMission:
		finding.Level = Problem
		finding.weight = weightMissing
		finding.Text = fmt.Sprintf("%s: none of %s was taken at %s; the nearest is %s away",
			productName(of.product), count, name, format.Length(nearest))
	case near < placed:
		finding.Level = Note
		finding.Text = fmt.Sprintf("%s: %d of %s taken at %s, %d farther away",
			productName(of.product), near, count, name, placed-near)
	default:
		finding.Text = fmt.Sprintf("%s: %s taken at %s", productName(of.product), count, name)
	}
	if placed > 0 && placed < photos {
		finding.Level = Note
		finding.Text += fmt.Sprintf("; %d without a position", photos-placed)
	}
	w.report.add(finding)
}

// distance returns the distance of a position from the mission in metres: 0 inside it.
func (t *target) distance(at orb.Point) float64 {
	bound := t.shape.Bound()
	lng := bound.Center().Lon() + math.Remainder(at.Lon()-bound.Center().Lon(), 360)
	nearest := orb.Point{
		min(max(lng, bound.Min.Lon()), bound.Max.Lon()),
		min(max(at.Lat(), bound.Min.Lat()), bound.Max.Lat()),
	}
	return kmlcsv.LengthOf(orb.LineString{{lng, at.Lat()}, nearest})
}

// judgeVectors reports how far vectors extend over the mission.
func (w *work) judgeVectors(t *target, of productOf, files []*FileReport) {
	var bound orb.Bound
	var used []*FileReport
	for _, f := range files {
		if f.bound == nil || f.Level == Problem {
			continue
		}
		if len(used) == 0 {
			bound = *f.bound
		}
		bound = bound.Union(*f.bound)
		used = append(used, f)
	}
	if len(used) == 0 {
		return
	}
	inside := 0
	all := 0
	count := func(p orb.Point) {
		all++
		p[0] = bound.Center().Lon() + math.Remainder(p.Lon()-bound.Center().Lon(), 360)
		if bound.Contains(p) {
			inside++
		}
	}
	for _, p := range t.spots {
		count(p)
	}
	for i, isInside := range t.inside {
		if isInside {
			count(t.spot(i))
		}
	}
	share := float64(inside) / float64(all)
	finding := Finding{
		Level: OK, Mission: of.mission, Product: of.product, Files: fileNames(used), Covered: &share,
	}
	name := missionName(t.mission, of.mission)
	extends := productName(of.product) + " " + verb(of.product, "extends", "extend") + " over "
	finding.Text = extends + name
	if share < completeShare {
		finding.Level = Note
		finding.Text = extends + percent(share) + " of " + name
	}
	if inside == 0 {
		if w.unchecked[of] == 0 {
			finding.Level = Problem
		}
		finding.weight = weightMissing
		finding.Text = extends + "nothing of " + name
	}
	w.report.add(finding)
}

// judgeSystems reports products in another reference system than most files of their mission, and
// missions in different systems. Missions that are far apart are in different UTM zones.
func (w *work) judgeSystems() {
	byMission := map[string][]*FileReport{}
	var missions []string
	for _, f := range w.files {
		if f.system == nil {
			continue
		}
		if byMission[f.Mission] == nil {
			missions = append(missions, f.Mission)
		}
		byMission[f.Mission] = append(byMission[f.Mission], f)
	}
	var systems []missionSystem
	for _, mission := range missions {
		name := ""
		if len(missions) > 1 {
			name = missionName(w.mission(mission), mission)
		}
		usual := w.judgeMissionSystems(name, byMission[mission])
		systems = append(systems, missionSystem{name, usual})
	}
	w.noteMissionSystems(systems)
}

// judgeMissionSystems reports products in another reference system than most files of a mission. It
// returns the code of the most common system. name is the name of the mission, or "" to leave it out.
func (w *work) judgeMissionSystems(name string, files []*FileReport) (usualCode string) {
	count := map[string]int{}
	var products []productSystem
	for _, f := range files {
		code := systemCode(f)
		count[code]++
		of := productSystem{f.Product, code}
		if !slices.Contains(products, of) {
			products = append(products, of)
		}
	}
	usual := products[0]
	for _, p := range products {
		if count[p.code] > count[usual.code] {
			usual = p
		}
	}
	place := ""
	if name != "" {
		place = " of " + name
	}
	for _, p := range products {
		if p.code == usual.code {
			continue
		}
		text := fmt.Sprintf("%s%s %s in %s, %s in %s", productName(p.product), place,
			verb(p.product, "is", "are"), p.code, productName(usual.product), usual.code)
		var others []*FileReport
		for _, f := range files {
			if f.Product == p.product && systemCode(f) == p.code {
				others = append(others, f)
				f.setLevel(Note, "is in "+p.code+", other files in "+usual.code)
			}
		}
		w.report.add(Finding{
			Level: Problem, Text: text, Mission: files[0].Mission, Product: p.product,
			Files: fileNames(others), weight: weightSystem,
		})
	}
	return usual.code
}

// missionSystem is the most common reference system of a mission.
type missionSystem struct{ name, code string }

// noteMissionSystems adds a note if missions are in different systems.
func (w *work) noteMissionSystems(systems []missionSystem) {
	const maxNamed = 3 // missions of a system
	var codes []string
	names := map[string][]string{}
	for _, s := range systems {
		if names[s.code] == nil {
			codes = append(codes, s.code)
		}
		names[s.code] = append(names[s.code], s.name)
	}
	if len(codes) < 2 {
		return
	}
	var parts []string
	for _, code := range codes {
		list := names[code]
		text := strings.Join(list[:min(len(list), maxNamed)], ", ")
		if more := len(list) - maxNamed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, text+" in "+code)
	}
	text := "Missions are in different reference systems: " + strings.Join(parts, "; ")
	w.report.add(Finding{Level: Note, Text: text, weight: weightSystem})
}

// productSystem is a reference system in which files of a product are.
type productSystem struct {
	product api.Deliverable
	code    string
}

// systemCode returns the code of the system of a file, or its name if it has no code.
func systemCode(f *FileReport) string {
	if code := f.system.Reference(); code != "" {
		return code
	}
	return f.system.Name()
}

// judgeDates reports packages from before the flight, and photos of another day.
func (w *work) judgeDates() {
	const slack = 24 * time.Hour // time zones
	for _, p := range w.Packages {
		m := w.mission(p.Mission)
		if m == nil || m.FlightDate.IsZero() || p.Created.IsZero() || !p.Created.Add(slack).Before(m.FlightDate.Time) {
			continue
		}
		w.report.add(Finding{
			Level: Problem, Mission: p.Mission, weight: weightDate,
			Text: fmt.Sprintf("Package %q was delivered on %s, before the flight of %s on %s",
				format.Clean(p.Name), day(p.Created), missionName(m, p.Mission), day(m.FlightDate.Time)),
		})
	}
	for i := range w.Missions {
		m := &w.Missions[i]
		if m.FlightDate.IsZero() {
			continue
		}
		var first, last time.Time
		for _, f := range w.files {
			taken := f.photo.Taken
			if f.Mission != m.MissionCode || taken.IsZero() {
				continue
			}
			if first.IsZero() || taken.Before(first) {
				first = taken
			}
			if taken.After(last) {
				last = taken
			}
		}
		if first.IsZero() {
			continue
		}
		flight := m.FlightDate.Time
		if first.Add(slack).Before(flight) || last.Add(-slack).After(flight.Add(slack)) {
			w.report.add(Finding{
				Level: Note, Mission: m.MissionCode, weight: weightDate,
				Text: fmt.Sprintf("Photos of %s are from %s, its flight was on %s",
					missionName(m, m.MissionCode), daySpan(first, last), day(flight)),
			})
		}
	}
}

func day(t time.Time) string { return t.Format("2 Jan 2006") }

// daySpan formats the days of two times.
func daySpan(first, last time.Time) string {
	if day(first) == day(last) {
		return day(first)
	}
	return day(first) + " to " + day(last)
}

// judgeProducts reports ordered products that were not delivered, and delivered products that were
// not ordered.
func (w *work) judgeProducts() {
	if w.Order == nil {
		return
	}
	for i := range w.Missions {
		w.judgeMissionProducts(&w.Missions[i])
	}
	ordered := w.Order.Deliverables
	if len(ordered) == 0 {
		return
	}
	extra := map[api.Deliverable]int{}
	var names []api.Deliverable
	for _, p := range w.Packages {
		for _, f := range p.Files {
			if f.Product == "" || f.Product == api.DeliverableJPG || slices.Contains(ordered, f.Product) {
				continue
			}
			if extra[f.Product] == 0 {
				names = append(names, f.Product)
			}
			extra[f.Product]++
		}
	}
	for _, product := range names {
		w.report.add(Finding{
			Level: Note, Product: product,
			Text: fmt.Sprintf("%s was delivered, but not ordered: %s",
				productName(product), format.Count(extra[product], "file")),
		})
	}
}

// judgeMissionProducts reports the ordered products that were not delivered for a mission.
func (w *work) judgeMissionProducts(m *api.Mission) {
	delivered := map[api.Deliverable]bool{}
	packages := 0
	for _, p := range w.Packages {
		if p.Mission != m.MissionCode {
			continue
		}
		packages++
		for _, f := range p.Files {
			delivered[f.Product] = true
		}
	}
	name := missionName(m, m.MissionCode)
	if m.Status == api.MissionCancelled && packages == 0 {
		return
	}
	if packages == 0 {
		level := Note
		text := fmt.Sprintf("Nothing was delivered for %s yet: %s", name, lowerFirst(format.Status(m.Status).Label))
		if m.Status == api.MissionDataDelivered || m.Status == api.MissionCompleted {
			level = Problem
			text = "Nothing was delivered for " + name
		}
		w.report.add(Finding{Level: level, Mission: m.MissionCode, Text: text, weight: weightMissing})
		return
	}
	for _, product := range w.Order.Deliverables {
		if !delivered[product] {
			w.report.add(Finding{
				Level: Problem, Mission: m.MissionCode, Product: product, weight: weightMissing,
				Text: fmt.Sprintf("No %s delivered for %s", productName(product), name),
			})
		}
	}
}

// lowerFirst makes the first letter of an ordinary word small.
func lowerFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
