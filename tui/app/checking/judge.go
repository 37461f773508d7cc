package checking

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
)

// completeShare is the covered share from which a mission counts as complete. It is less than 1,
// because pixels at the border of a mission can be missing.
const completeShare = 0.995

// Weights of findings. Findings of the same level are sorted by weight, the highest first.
const (
	weightMissing = 100 // a product was not delivered
	weightPartial = 80  // a part is missing or not checked; see weightOfPart
	weightBroken  = 60
	weightSystem  = 40
	weightDate    = 20
)

// productName returns the name of a product for display, or "Files" for files without a product.
func productName(p api.Deliverable) string {
	if p == "" {
		return "Files"
	}
	return format.Word(p).Label
}

// verb returns the verb that fits the name of a product: plural if the name ends with s, otherwise singular.
func verb(p api.Deliverable, singular, plural string) string {
	name, _, _ := strings.Cut(productName(p), " (")
	if strings.HasSuffix(name, "s") {
		return plural
	}
	return singular
}

// missionName returns the name of a mission for display.
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

// judgeFiles adds findings about damaged files, files with notes, and files that are not on disk.
func (w *work) judgeFiles() {
	w.reportFaults()
	if w.notLocal > 0 {
		text := format.Count(w.notLocal, "file") + " not downloaded, so not checked"
		w.report.add(Finding{Level: Note, Text: text, weight: weightPartial})
	}
}

// reportFaults adds a finding for each fault of files. Files of a product with the same fault share a finding.
func (w *work) reportFaults() {
	type fault struct {
		level   Level
		mission string
		product api.Deliverable
		text    string
	}
	isFaulty := func(f *FileReport) bool { return f.Level != OK }
	faultOf := func(f *FileReport) fault { return fault{f.Level, f.Mission, f.Product, f.Text} }
	for _, files := range groupFiles(w.files, isFaulty, faultOf) {
		first := files[0]
		text := format.Clean(first.Name) + " " + first.Text
		if len(files) > 1 {
			text = fmt.Sprintf("%s and %d more like it: %s", format.Clean(first.Name), len(files)-1, first.Text)
		}
		w.report.add(Finding{
			Level:   first.Level,
			Text:    text,
			Mission: first.Mission,
			Product: first.Product,
			Files:   fileNames(files),
			weight:  weightBroken,
		})
	}
}

// groupFiles groups the wanted files with the same key. The groups are in the order of their first
// files.
func groupFiles[K comparable](
	files []*FileReport, isWanted func(*FileReport) bool, keyOf func(*FileReport) K,
) [][]*FileReport {
	var keys []K
	byKey := map[K][]*FileReport{}
	for _, f := range files {
		if !isWanted(f) {
			continue
		}
		key := keyOf(f)
		if byKey[key] == nil {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], f)
	}
	var groups [][]*FileReport
	for _, key := range keys {
		groups = append(groups, byKey[key])
	}
	return groups
}

const maxNames = 20 // of files in a finding

func fileNames(files []*FileReport) (names []string) {
	for _, f := range files[:min(len(files), maxNames)] {
		names = append(names, f.Name)
	}
	return names
}

// judgeMissions adds findings about how much of each mission its products cover.
func (w *work) judgeMissions() {
	isAny := func(*FileReport) bool { return true }
	subjectOf := func(f *FileReport) productOf { return productOf{f.Mission, f.Product} }
	targets := map[string]*target{} // by mission
	for _, files := range groupFiles(w.files, isAny, subjectOf) {
		subject := subjectOf(files[0])
		m := w.mission(subject.mission)
		if m == nil || len(m.LocationMap) == 0 {
			continue
		}
		t, isKnown := targets[subject.mission]
		if !isKnown {
			t = newTarget(m)
			targets[subject.mission] = t
		}
		if t == nil {
			continue
		}
		w.judgeCoverage(t, subject, files)
		w.judgePhotos(t, subject, files)
		w.judgeVectors(t, subject, files)
	}
}

// judgeCoverage adds a finding about the share of a mission that the rasters and point clouds of a
// product cover together. t is the mission, subject the product.
func (w *work) judgeCoverage(t *target, subject productOf, files []*FileReport) {
	used := slices.DeleteFunc(slices.Clone(files), func(f *FileReport) bool {
		return f.surface == nil || f.system == nil || f.Level == Problem
	})
	if len(used) == 0 {
		return
	}
	covered := newCoverage(t)
	for _, f := range used {
		covered.add(f.surface, f.system)
	}
	share := covered.share()
	finding := Finding{
		Level:     OK,
		Text:      describeCoverage(t, subject, share),
		Mission:   subject.mission,
		Product:   subject.product,
		Files:     fileNames(used),
		Covered:   &share,
		Footprint: footprintOf(used),
	}
	if share < completeShare {
		w.markIncomplete(&finding, covered, subject, used)
	}
	finding.Text += describeCertainty(used)
	w.report.add(finding)
}

// describeCoverage returns a text such as "2D map covers 97.4 % of Block A".
func describeCoverage(t *target, subject productOf, share float64) string {
	covers := productName(subject.product) + " " + verb(subject.product, "covers", "cover")
	return covers + " " + describeShare(share) + missionName(t.mission, subject.mission)
}

// markIncomplete changes the finding about a product that covers only a part of a mission. It becomes
// a problem, also for each of the used files. If some files were not checked, it becomes only a note,
// because these files can cover the rest.
func (w *work) markIncomplete(finding *Finding, covered *coverage, subject productOf, used []*FileReport) {
	share := *finding.Covered
	mission := missionName(covered.target.mission, subject.mission)
	hasUnchecked := w.unchecked[subject] > 0
	if hasUnchecked {
		finding.Level = Note
		finding.Text = productName(subject.product) + ": the checked files cover " + describeShare(share) + mission
		finding.weight = weightOfPart(share)
		return
	}
	covered.addMissing(finding, share)
	for _, f := range used {
		f.setLevel(Problem, "covers "+percent(share)+" of "+mission)
	}
}

// weightOfPart returns the weight of a finding that only a share of a mission is covered. Findings
// with a higher weight are listed first, so a smaller share has a higher weight.
func weightOfPart(share float64) float64 { return weightPartial + 1 - share }

// describeCertainty returns the end of a finding's text: the quality of the files, such as their
// resolution, and a note for files whose covered ground is only known as a rectangle.
func describeCertainty(files []*FileReport) string {
	text := ""
	if facts := describeQuality(files); facts != "" {
		text = " (" + facts + ")"
	}
	for _, note := range basisNotes(files) {
		text += "; " + note + ", so its rectangle counts as covered"
	}
	return text
}

// addMissing makes a finding a problem and adds the missing parts of the mission. share is the covered
// share, from 0 to 1. For 0, the text is not changed, because it already says that everything is missing.
func (c *coverage) addMissing(finding *Finding, share float64) {
	parts, count := c.missingParts()
	finding.Level = Problem
	finding.Missing = (1 - share) * c.target.size
	finding.Parts = parts
	if share == 0 {
		finding.weight = weightMissing
		return
	}
	finding.weight = weightOfPart(share)
	finding.Text += ": " + c.target.describeMissing(finding.Missing, parts, count)
}

// describeShare formats a share so that the name of the whole can follow it, such as "12 % of ". It returns
// "" if the share is complete.
func describeShare(share float64) string {
	if share == 0 {
		return "nothing of "
	}
	if share >= completeShare {
		return ""
	}
	return percent(share) + " of "
}

// basisNotes returns the different reasons why the covered ground of files is only known as a rectangle.
func basisNotes(files []*FileReport) []string {
	var notes []string
	for _, f := range files {
		if f.basisNote != "" && !slices.Contains(notes, f.basisNote) {
			notes = append(notes, f.basisNote)
		}
	}
	return notes
}

// describeQuality returns a text with the quality of files, such as "2 cm, EPSG:32637". Resolution and
// density are omitted if the files differ in them. The reference system is that of the first file.
func describeQuality(files []*FileReport) string {
	var texts []string
	for _, label := range []string{"Resolution", "Density"} {
		text := files[0].factText(label)
		isDifferent := func(f *FileReport) bool { return f.factText(label) != text }
		if text != "" && !slices.ContainsFunc(files, isDifferent) {
			texts = append(texts, text)
		}
	}
	if code := files[0].system.Reference(); code != "" {
		texts = append(texts, code)
	}
	return strings.Join(texts, ", ")
}

// percent formats a share below 1 as a percentage. Large shares become "99.9 %", never "100 %".
func percent(share float64) string {
	tenths := min(math.Round(share*1000), 999)
	return format.GroupDigits(tenths/10, 1) + " %"
}

// describeMissing returns a text about the missing parts: their total size and where they are. count
// is the number of all missing parts; parts can have only the largest.
func (t *target) describeMissing(size float64, parts []MissingPart, count int) string {
	where := ""
	if len(parts) > 0 && parts[0].Size > size/2 {
		where = " " + parts[0].Where
	} else if len(parts) > 1 {
		where = fmt.Sprintf(" in %d places, the largest %s", count, parts[0].Where)
	}
	return describeSize(t.unit(), size) + " missing" + where
}

// Units of sizes.
const (
	unitArea   = "m²"
	unitLength = "m"
	unitPoints = "points"
)

// unit returns the unit of t.size: m² for an area, m for a line, otherwise points.
func (t *target) unit() string {
	switch t.shape.(type) {
	case orb.Polygon:
		return unitArea
	case orb.LineString:
		return unitLength
	}
	return unitPoints
}

// describeSize formats a size with a unit.
func describeSize(unit string, size float64) string {
	switch unit {
	case unitArea:
		return format.Units{}.Area(size)
	case unitLength:
		return format.Length(size)
	}
	return format.Count(int(math.Round(size)), "point")
}

// Distances from a mission within which a photo counts as taken there, in metres.
const (
	nearMission = 150
	farMission  = 2000
)

// judgePhotos adds a finding about the number of photos that were taken at a mission.
func (w *work) judgePhotos(t *target, subject productOf, files []*FileReport) {
	mission := missionName(t.mission, subject.mission)
	count := t.countPhotos(files, mission)
	if count.all == 0 {
		return
	}
	finding := Finding{
		Level:   count.level(),
		Text:    productName(subject.product) + ": " + count.describe(mission),
		Mission: subject.mission,
		Product: subject.product,
	}
	if count.areAllFar() {
		finding.weight = weightMissing
		for _, f := range files {
			if f.isPhoto && f.photo.HasPosition { // countPhotos has added a note with the distance
				f.setLevel(Problem, f.Text)
			}
		}
	}
	w.report.add(finding)
}

// level returns the level of the finding about photos. Photos without a position are only a note,
// because they can show the mission.
func (c *photoCount) level() Level {
	if c.placed < c.all {
		return Note
	}
	if c.areAllFar() {
		return Problem
	}
	if c.near < c.placed {
		return Note
	}
	return OK
}

// areAllFar reports whether all photos with a position were taken elsewhere, far from the mission.
func (c *photoCount) areAllFar() bool { return c.placed > 0 && c.nearest > farMission }

// describe returns the text of the finding about photos.
func (c *photoCount) describe(mission string) string {
	photos := format.Count(c.all, "photo")
	if c.placed == 0 {
		return fmt.Sprintf("none of %s has a position", photos)
	}
	rest := "" // about the photos without a position
	if c.placed < c.all {
		photos = format.Count(c.placed, "photo with a position", "photos with a position")
		rest = fmt.Sprintf("; %d without a position", c.all-c.placed)
	}
	if c.areAllFar() {
		nearest := format.Length(c.nearest)
		return fmt.Sprintf("none of %s was taken at %s; the nearest is %s away", photos, mission, nearest) + rest
	}
	if c.near < c.placed {
		return fmt.Sprintf("%d of %s taken at %s, %d farther away", c.near, photos, mission, c.placed-c.near) + rest
	}
	return fmt.Sprintf("%s taken at %s", photos, mission) + rest
}

// photoCount counts photos by their position.
type photoCount struct {
	all     int
	placed  int     // photos with a position
	near    int     // photos at the mission
	nearest float64 // distance of the nearest photo from the mission in metres
}

// countPhotos counts the readable photos among files by their position. It adds a note to photos
// without a position and to photos that were not taken at the mission.
func (t *target) countPhotos(files []*FileReport, mission string) photoCount {
	count := photoCount{nearest: math.Inf(1)}
	for _, f := range files {
		if !f.isPhoto || f.Level == Problem {
			continue
		}
		count.all++
		if !f.photo.HasPosition {
			f.setLevel(Note, "has no position")
			continue
		}
		count.placed++
		distance := t.distance(orb.Point{f.photo.Lng, f.photo.Lat})
		count.nearest = min(count.nearest, distance)
		if distance <= nearMission {
			count.near++
			continue
		}
		f.setLevel(Note, "was taken "+format.Length(distance)+" away from "+mission)
	}
	return count
}

// distance returns the distance in metres of a position from the rectangle around the mission, or 0 inside it.
func (t *target) distance(position orb.Point) float64 {
	bound := t.shape.Bound()
	lng := nearLongitude(position.Lon(), bound)
	nearest := orb.Point{
		min(max(lng, bound.Min.Lon()), bound.Max.Lon()),
		min(max(position.Lat(), bound.Min.Lat()), bound.Max.Lat()),
	}
	return kmlcsv.LengthOf(orb.LineString{{lng, position.Lat()}, nearest})
}

// nearLongitude adds or subtracts multiples of 360° so that the longitude is near the centre of bound.
func nearLongitude(lng float64, bound orb.Bound) float64 {
	centre := bound.Center().Lon()
	return centre + math.Remainder(lng-centre, 360)
}

// judgeVectors adds a finding about the share of a mission that is inside the rectangle around a
// product's vector files.
func (w *work) judgeVectors(t *target, subject productOf, files []*FileReport) {
	located := withBounds(files)
	if len(located) == 0 {
		return
	}
	share := t.shareInside(joinBounds(located))
	over := " over " + describeShare(share) + missionName(t.mission, subject.mission)
	extends := verb(subject.product, "extends", "extend")
	finding := Finding{
		Level:   OK,
		Mission: subject.mission,
		Product: subject.product,
		Files:   fileNames(located),
		Covered: &share,
		Text:    productName(subject.product) + " " + extends + over,
	}
	if share < completeShare {
		finding.Level = Note
		for _, f := range located {
			f.setLevel(Note, "extends"+over)
		}
	}
	if share == 0 {
		finding.weight = weightMissing
		canBeInUnchecked := w.unchecked[subject] > 0 // files that were not checked can be inside the mission
		if !canBeInUnchecked {
			finding.Level = Problem
		}
	}
	w.report.add(finding)
}

// withBounds returns the files without a problem whose extent is known.
func withBounds(files []*FileReport) []*FileReport {
	return slices.DeleteFunc(slices.Clone(files), func(f *FileReport) bool {
		return f.bound == nil || f.Level == Problem
	})
}

// joinBounds returns the rectangle around all files. files must not be empty.
func joinBounds(files []*FileReport) orb.Bound {
	bound := *files[0].bound
	for _, f := range files[1:] {
		bound = bound.Union(*f.bound)
	}
	return bound
}

// shareInside returns the share of the mission that is inside bound, from 0 to 1.
func (t *target) shareInside(bound orb.Bound) float64 {
	samples := slices.Clone(t.spots)
	for i, isInside := range t.inside {
		if isInside {
			samples = append(samples, t.spot(i))
		}
	}
	inside := 0
	for _, p := range samples {
		if bound.Contains(orb.Point{nearLongitude(p.Lon(), bound), p.Lat()}) {
			inside++
		}
	}
	return float64(inside) / float64(len(samples))
}

// judgeSystems adds findings about products that are in another reference system than most files of their
// mission. Missions in different systems are only a note: missions that are far apart are in different UTM zones.
func (w *work) judgeSystems() {
	hasSystem := func(f *FileReport) bool { return f.system != nil }
	missionOf := func(f *FileReport) string { return f.Mission }
	groups := groupFiles(w.files, hasSystem, missionOf)
	var systems []missionSystem
	for _, files := range groups {
		name := ""
		if len(groups) > 1 {
			name = missionName(w.mission(files[0].Mission), files[0].Mission)
		}
		usual := w.judgeMissionSystems(name, files)
		systems = append(systems, missionSystem{name, usual})
	}
	w.noteMissionSystems(systems)
}

// judgeMissionSystems adds findings about products that are in another reference system than most
// files of a mission. It returns the code of the most common system. name is the name of the mission
// for the findings, or "" to omit it.
func (w *work) judgeMissionSystems(name string, files []*FileReport) (usualCode string) {
	count := map[string]int{} // files by the code of their system
	var products []productSystem
	for _, f := range files {
		p := productSystem{f.Product, systemCode(f)}
		count[p.code]++
		if !slices.Contains(products, p) {
			products = append(products, p)
		}
	}
	usual := products[0]
	for _, p := range products {
		if count[p.code] > count[usual.code] {
			usual = p
		}
	}
	for _, p := range products {
		if p.code != usual.code {
			w.reportOtherSystem(name, files, p, usual)
		}
	}
	return usual.code
}

// reportOtherSystem adds a finding about the files of a product that are in another reference system
// than most files of the mission.
func (w *work) reportOtherSystem(name string, files []*FileReport, other, usual productSystem) {
	var others []*FileReport
	for _, f := range files {
		if f.Product == other.product && systemCode(f) == other.code {
			others = append(others, f)
			f.setLevel(Problem, "is in "+other.code+", other files in "+usual.code)
		}
	}
	subject := productName(other.product)
	if name != "" {
		subject += " of " + name
	}
	text := fmt.Sprintf("%s %s in %s, %s in %s", subject, verb(other.product, "is", "are"), other.code,
		productName(usual.product), usual.code)
	w.report.add(Finding{
		Level:   Problem,
		Text:    text,
		Mission: files[0].Mission,
		Product: other.product,
		Files:   fileNames(others),
		weight:  weightSystem,
	})
}

// missionSystem is the name of a mission, and the code of the reference system that most of its files are in.
type missionSystem struct{ name, code string }

// noteMissionSystems adds a note if missions are in different systems.
func (w *work) noteMissionSystems(systems []missionSystem) {
	const maxNamed = 3 // missions of a system
	var codes []string
	missions := map[string][]string{} // names by code
	for _, s := range systems {
		if missions[s.code] == nil {
			codes = append(codes, s.code)
		}
		missions[s.code] = append(missions[s.code], s.name)
	}
	if len(codes) < 2 {
		return
	}
	var parts []string
	for _, code := range codes {
		names := missions[code]
		text := strings.Join(names[:min(len(names), maxNamed)], ", ")
		if more := len(names) - maxNamed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, text+" in "+code)
	}
	text := "Missions are in different reference systems: " + strings.Join(parts, "; ")
	w.report.add(Finding{Level: Note, Text: text, weight: weightSystem})
}

// productSystem is a product and the reference system of some of its files.
type productSystem struct {
	product api.Deliverable
	code    string
}

// systemCode returns the code of the file's reference system, such as "EPSG:32637", or the name of
// the system if it has no code.
func systemCode(f *FileReport) string {
	if code := f.system.Reference(); code != "" {
		return code
	}
	return f.system.Name()
}

// judgeDates adds findings about packages that were delivered before the flight, and about photos from another day.
func (w *work) judgeDates() {
	for _, p := range w.Packages {
		w.judgePackageDate(p)
	}
	for i := range w.Missions {
		w.judgePhotoDates(&w.Missions[i])
	}
}

// zoneSlack is how far two times may differ, because the time zones of the times are unknown.
const zoneSlack = 24 * time.Hour

// judgePackageDate adds a finding if a package was delivered before the flight of its mission.
func (w *work) judgePackageDate(p fetch.Package) {
	m := w.mission(p.Mission)
	if m == nil || m.FlightDate.IsZero() || p.Created.IsZero() {
		return
	}
	flight := m.FlightDate.Time
	if !p.Created.Add(zoneSlack).Before(flight) {
		return
	}
	text := fmt.Sprintf("Package %q was delivered on %s, before the flight of %s on %s",
		format.Clean(p.Name), day(p.Created), missionName(m, p.Mission), day(flight))
	w.report.add(Finding{Level: Problem, Mission: p.Mission, Text: text, weight: weightDate})
}

// judgePhotoDates adds a note if photos of a mission were taken on another day than its flight.
func (w *work) judgePhotoDates(m *api.Mission) {
	if m.FlightDate.IsZero() {
		return
	}
	flight := m.FlightDate.Time
	var times []time.Time // of the photos of other days
	for _, f := range w.files {
		taken := f.photo.Taken
		if f.Mission == m.MissionCode && isOtherDay(taken, flight) {
			f.addNote("was taken on " + day(taken) + ", the flight " + w.flightVerb(flight) + " on " + day(flight))
			times = append(times, taken)
		}
	}
	if len(times) == 0 {
		return
	}
	first := slices.MinFunc(times, time.Time.Compare)
	last := slices.MaxFunc(times, time.Time.Compare)
	text := fmt.Sprintf("%s of %s from %s, its flight %s on %s", format.Count(len(times), "photo"),
		missionName(m, m.MissionCode), daySpan(first, last), w.flightVerb(flight), day(flight))
	w.report.add(Finding{Level: Note, Mission: m.MissionCode, Text: text, weight: weightDate})
}

// flightVerb returns "was" for a flight in the past and "is" for a flight that is still planned.
func (w *work) flightVerb(flight time.Time) string {
	if flight.After(w.Now()) {
		return "is"
	}
	return "was"
}

// isOtherDay reports whether a photo was certainly not taken during a flight, which ends at most a day after
// its date. It returns false if the time of the photo is not known.
func isOtherDay(taken, flight time.Time) bool {
	if taken.IsZero() {
		return false
	}
	flightEnd := flight.Add(24 * time.Hour)
	return taken.Before(flight.Add(-zoneSlack)) || taken.After(flightEnd.Add(zoneSlack))
}

// addNote adds a note to a file, after the notes that it already has. If the file has a problem, the
// note is dropped.
func (f *FileReport) addNote(text string) {
	if f.Level == Note && f.Text != "" {
		text = f.Text + "; " + text
	}
	f.setLevel(Note, text)
}

func day(t time.Time) string { return t.Format("2 Jan 2006") }

// daySpan formats the days of two times.
func daySpan(first, last time.Time) string {
	if day(first) == day(last) {
		return day(first)
	}
	return day(first) + " to " + day(last)
}

// judgeProducts adds findings about ordered products that were not delivered, and about delivered products
// that were not ordered. It considers all packages of the missions, even if only some files are checked.
func (w *work) judgeProducts() {
	if w.Order == nil {
		return
	}
	for i := range w.Missions {
		w.judgeMissionProducts(&w.Missions[i])
	}
	if len(w.Order.Deliverables) > 0 {
		w.noteExtraProducts()
	}
}

// noteExtraProducts adds a note for each product that was delivered but not ordered. Photos are always expected.
func (w *work) noteExtraProducts() {
	isExpected := map[api.Deliverable]bool{"": true, api.DeliverableJPG: true}
	for _, product := range w.Order.Deliverables {
		isExpected[product] = true
	}
	count := map[api.Deliverable]int{} // files by product
	var extra []api.Deliverable
	for _, p := range w.Packages {
		for _, f := range p.Files {
			if isExpected[f.Product] {
				continue
			}
			if count[f.Product] == 0 {
				extra = append(extra, f.Product)
			}
			count[f.Product]++
		}
	}
	for _, product := range extra {
		text := fmt.Sprintf("%s was delivered, but not ordered: %s",
			productName(product), format.Count(count[product], "file"))
		w.report.add(Finding{Level: Note, Product: product, Text: text})
	}
}

// judgeMissionProducts adds findings about ordered products that were not delivered for a mission.
func (w *work) judgeMissionProducts(m *api.Mission) {
	packages := w.packagesOf(m.MissionCode)
	if len(packages) == 0 {
		w.judgeUndelivered(m)
		return
	}
	isDelivered := map[api.Deliverable]bool{}
	for _, p := range packages {
		for _, f := range p.Files {
			isDelivered[f.Product] = true
		}
	}
	for _, product := range w.Order.Deliverables {
		if isDelivered[product] {
			continue
		}
		w.report.add(Finding{
			Level:   Problem,
			Text:    fmt.Sprintf("No %s delivered for %s", productName(product), missionName(m, m.MissionCode)),
			Mission: m.MissionCode,
			Product: product,
			weight:  weightMissing,
		})
	}
}

// packagesOf returns the packages that were delivered for a mission.
func (w *work) packagesOf(mission string) (packages []fetch.Package) {
	for _, p := range w.Packages {
		if p.Mission == mission {
			packages = append(packages, p)
		}
	}
	return packages
}

// judgeUndelivered adds a finding about a mission without packages, unless it was cancelled. The
// finding is a problem if the mission's status says that data was delivered.
func (w *work) judgeUndelivered(m *api.Mission) {
	if m.Status == api.MissionCancelled {
		return
	}
	name := missionName(m, m.MissionCode)
	status := format.Status(m.Status)
	if w.Order != nil {
		status = format.MissionState(m.Status, w.Order.Status, format.QuotesUnread)
	}
	finding := Finding{
		Level:   Note,
		Mission: m.MissionCode,
		Text:    fmt.Sprintf("Nothing was delivered for %s yet: %s", name, lowerFirst(status.Label)),
		weight:  weightMissing,
	}
	if m.Status == api.MissionDataDelivered || m.Status == api.MissionCompleted {
		finding.Level = Problem
		finding.Text = "Nothing was delivered for " + name
	}
	w.report.add(finding)
}

// lowerFirst makes the first letter of a text lower case. The text must begin with an ordinary word.
func lowerFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
