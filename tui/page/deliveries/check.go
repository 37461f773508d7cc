package deliveries

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/kmlcsv"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

const (
	checkWork     = "check" // ID of a check in the status row
	checkInterval = 250 * time.Millisecond
)

// checkActions checks downloaded files in the background, in at most one check at a time.
type checkActions struct {
	base      page.Base
	packages  *deliveries.PackageList
	selection *rowSelection
	fetching  *fetchActions

	filesChanged func() tea.Cmd // updates the rows after a check, because the check can find changed files
	request      page.Request
	stop         context.CancelFunc // stops the running check; nil before the first
	progress     atomic.Pointer[checking.Progress]
}

// start loads deliveries, checks them one after the other, and shows one report on all of them. The check ends
// early if the page is closed or the user stops it.
func (c *checkActions) start(jobs []*checkJob) tea.Cmd {
	env := c.base.Env
	checker := &checking.Checker{
		Dir:     env.Profile.Downloads.Dir(),
		Digests: true,
		Now:     env.Clock.Now,
	}
	client := env.Profile.Client
	untilStopped, stop := context.WithCancel(c.base.PageLifetime().Context())
	c.stop = stop
	c.progress.Store(nil)
	setProgress := func(progress checking.Progress) { c.progress.Store(&progress) }
	// runCheck ignores the context of the request. It uses untilStopped, which also ends when the user stops the
	// check.
	runCheck := func(context.Context) (*checking.Report, error) {
		defer stop() // releases untilStopped
		if err := loadJobs(untilStopped, client, jobs); err != nil {
			return nil, err
		}
		return checkAll(untilStopped, checker, jobs, setProgress)
	}
	run := page.RunInBackground(c.base, &c.request, runCheck, c.handleReport)
	return tea.Batch(c.showProgress(), run)
}

// loadJobs loads the deliveries of all jobs before the first check. If one delivery cannot be loaded, there is no
// report, and checking the other deliveries would be wasted.
func loadJobs(ctx context.Context, client *api.Client, jobs []*checkJob) error {
	for _, job := range jobs {
		if err := job.load(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

// checkAll checks the loaded deliveries of all jobs, and returns one report on all of them.
func checkAll(
	ctx context.Context, checker *checking.Checker, jobs []*checkJob, setProgress func(checking.Progress),
) (*checking.Report, error) {
	all := &checking.Report{}
	for _, job := range jobs {
		report, err := checker.Check(ctx, job.Delivery, setProgress)
		if err != nil {
			return nil, err
		}
		all.Merge(report)
	}
	return all, nil
}

// showProgress shows the progress of the check in the status row, at regular intervals until the check ends. It then
// removes the progress from the row. handleReport removes the progress, too, but a message with progress can arrive
// after that.
func (c *checkActions) showProgress() tea.Cmd {
	if !c.request.IsRunning() {
		return page.SendMessage(page.WorkMsg{ID: checkWork, Over: true})
	}
	stopKey := action.KeyOf(action.Verify, action.Deliveries)
	stopHint := page.TextIf(c.base.IsShown(), ", "+stopKey+" stops") // other pages show the status row, too
	work := page.WorkMsg{ID: checkWork, Text: "Checking downloads" + stopHint, Done: -1}
	progress := c.progress.Load()
	if progress != nil && progress.Of > 0 {
		number := min(progress.Files+1, progress.Of)
		work.Text = fmt.Sprintf("Checking file %d of %d", number, progress.Of) + stopHint
		work.Done = (float64(progress.Files) + progress.Share) / float64(progress.Of)
	}
	return tea.Batch(page.SendMessage(work), c.base.DoLater(checkInterval, c.showProgress))
}

// checkReason returns why no file can be checked, or "".
func (c *checkActions) checkReason(*row) string {
	if c.request.IsRunning() { // the key stops the check
		return ""
	}
	chosen := c.selection.chosenFiles()
	if chosen.wereDownloaded(c.base.Env.Profile.Downloads) {
		return ""
	}
	if len(chosen) == 0 {
		return c.fetching.nothingToFetch()
	}
	return "not downloaded yet" + c.fetching.fetchAdvice()
}

// checkChosen checks the chosen files, or stops the running check.
func (c *checkActions) checkChosen(*row) tea.Cmd {
	if c.request.IsRunning() {
		c.stop()
		return nil
	}
	planner := checkPlanner{packages: c.packages, cache: c.base.Env.Profile.Cache}
	return c.start(planner.jobs(c.selection))
}

// checkJob is the check of one delivery: of the files of one order, or of the files of purchased datasets.
type checkJob struct {
	checking.Delivery
	code         string   // code of the order, or "" for datasets
	missionCodes []string // codes of the order's missions whose files are checked
	isPartial    bool     // some packages of the missions may not be loaded yet
}

// checkPlanner finds out which packages have to be checked.
type checkPlanner struct {
	packages *deliveries.PackageList
	cache    *cache.Cache
}

// jobs returns the jobs that check the chosen files. If a package of an order is selected, and no row is
// marked, all files of the package's mission are checked.
func (c *checkPlanner) jobs(selection *rowSelection) []*checkJob {
	chosen := selection.chosenFiles()
	jobs := c.newJobs(chosen)
	if selection.mission() == "" {
		limitJobs(jobs, chosen)
	}
	return jobs
}

// newJobs returns a job for each order with chosen files, and one for all datasets. The jobs check
// all files of their packages.
func (c *checkPlanner) newJobs(chosen chosenFiles) []*checkJob {
	var jobs []*checkJob
	jobOf := map[string]*checkJob{} // by order code; the job of datasets has the code ""
	for _, pkg := range c.packages.Packages {
		if len(chosen[pkg]) == 0 {
			continue
		}
		code := ""
		if pkg.Kind == "delivery" {
			code = pkg.Order
		}
		if jobOf[code] == nil {
			jobOf[code] = c.newJob(code)
			jobs = append(jobs, jobOf[code])
		}
		c.addPackages(jobOf[code], pkg)
	}
	return jobs
}

// limitJobs makes the jobs check only the chosen files of their packages.
func limitJobs(jobs []*checkJob, chosen chosenFiles) {
	type fileKey struct{ packageID, fileID string }
	isChosen := map[fileKey]bool{}
	for pkg, files := range chosen {
		for _, i := range files {
			isChosen[fileKey{pkg.ID, pkg.Files[i].ID}] = true
		}
	}
	for _, job := range jobs {
		job.Chosen = func(packageID, fileID string) bool { return isChosen[fileKey{packageID, fileID}] }
	}
}

// newJob returns a job without packages for the order with the given code, or for
// datasets if code is "". The order is set if it is cached.
func (c *checkPlanner) newJob(code string) *checkJob {
	job := &checkJob{code: code}
	if code != "" {
		job.Order, _ = c.cache.Details.Get(code)
		job.isPartial = c.packages.Partial || c.packages.Err != nil
	}
	return job
}

// addPackages adds a package to a job, with all other packages of the package's mission: a product of the mission
// can be in any of its packages, or be spread over several.
func (c *checkPlanner) addPackages(job *checkJob, pkg *deliveries.DeliveredPackage) {
	if job.code == "" || pkg.Mission == "" {
		job.Packages = append(job.Packages, pkg.Package)
		return
	}
	if !slices.Contains(job.missionCodes, pkg.Mission) {
		job.missionCodes = append(job.missionCodes, pkg.Mission)
		job.Packages = append(job.Packages, c.packagesOfMission(pkg.Mission)...)
	}
}

// packagesOfMission returns all packages of the mission with the given code.
func (c *checkPlanner) packagesOfMission(mission string) (packages []fetch.Package) {
	for _, pkg := range c.packages.Packages {
		if pkg.Kind == "delivery" && pkg.Mission == mission {
			packages = append(packages, pkg.Package)
		}
	}
	return packages
}

// load prepares the job of an order for the check: it sets the missions to check. It first loads the order if the
// order or its missions are missing, and finally loads packages of the missions that may be missing.
func (j *checkJob) load(ctx context.Context, client *api.Client) error {
	if j.code == "" {
		return nil
	}
	if j.Order == nil || len(j.Order.Missions) == 0 {
		order, err := client.Orders.Get(ctx, j.code)
		if err != nil {
			return fmt.Errorf("%s: %w", j.code, err)
		}
		j.Order = order
	}
	j.Missions = nil
	for _, m := range j.Order.Missions {
		if slices.Contains(j.missionCodes, m.MissionCode) {
			j.Missions = append(j.Missions, m)
		}
	}
	if j.isPartial {
		return j.loadPackages(ctx, client)
	}
	return nil
}

// loadPackages loads all packages of the missions to check, and replaces the known packages of these missions by
// them. The other packages of the job are kept.
func (j *checkJob) loadPackages(ctx context.Context, client *api.Client) error {
	isReplaced := func(p fetch.Package) bool {
		return slices.ContainsFunc(j.Missions, func(m api.Mission) bool { return m.MissionCode == p.Mission })
	}
	packages := slices.DeleteFunc(slices.Clone(j.Packages), isReplaced)
	for _, m := range j.Missions {
		ofMission, err := fetch.Mission(ctx, client, m)
		if err != nil {
			return fmt.Errorf("%s: %w", j.code, err)
		}
		packages = append(packages, ofMission...)
	}
	j.Packages = packages
	return nil
}

// handleReport shows the result of a check, and reads the state of the files on disk again.
func (c *checkActions) handleReport(report *checking.Report, err error) tea.Cmd {
	c.stop()
	c.packages.RecheckDisk()
	over := page.SendMessage(page.WorkMsg{ID: checkWork, Over: true})
	shown := c.showResult(report, err)
	return tea.Batch(over, shown, c.filesChanged())
}

// showResult opens a dialog with the findings of a check, or shows why it ended early as a toast.
func (c *checkActions) showResult(report *checking.Report, err error) tea.Cmd {
	if errors.Is(err, context.Canceled) {
		return page.ShowToast(theme.Text, "Check stopped")
	}
	if err != nil {
		return page.ShowToast(theme.Bad, "Check: "+format.Clean(err.Error()))
	}
	c.base.Env.Profile.Downloads.Checks.Add(report)
	return showReport(c.base.Env, report)
}

// checkFeatures returns features for the map from the last check of the row's mission: the footprints of its
// products, and the parts that are missing.
func checkFeatures(checks *checking.Results, r *row) (features []geomap.Feature) {
	result, ok := checks.OfMission(r.Package.Mission)
	if !ok {
		return nil
	}
	for i, outline := range joinFootprints(result.Footprints) {
		outline.ID = fmt.Sprintf("%s/footprint/%d", r.Package.ID, i)
		features = append(features, outline)
	}
	for i, part := range result.Parts {
		shape := ordering.MissionShape(api.MissionArea, part.Outline)
		if shape == nil {
			shape = orb.Point{part.Center.Lng, part.Center.Lat}
		}
		features = append(features, geomap.Feature{
			ID:       fmt.Sprintf("%s/missing/%d", r.Package.ID, i),
			Label:    "missing",
			Geometry: shape,
			Mark:     '✗',
			Role:     theme.Bad,
		})
	}
	return features
}

// mapFacts returns facts that explain the map after a check of the package's mission: the products whose footprints
// the map shows, and the missing parts.
func mapFacts(checks *checking.Results, r *row) (facts []widget.Fact) {
	result, ok := checks.OfMission(r.Package.Mission)
	if !ok || !r.IsPackage() {
		return nil
	}
	var products []string
	for _, footprint := range result.Footprints {
		products = append(products, footprintLabel(footprint))
	}
	facts = append(facts, widget.Text("Footprint", strings.Join(products, ", ")))
	for _, part := range result.Parts[:min(len(result.Parts), maxPartFacts)] {
		facts = append(facts, widget.Toned("Missing", "! "+part.Describe(), theme.Bad))
	}
	return facts
}

const maxPartFacts = 3 // missing parts in the details of a package

// footprintLabel returns the name of a footprint's product, or "Files" for files of no product.
func footprintLabel(footprint checking.Footprint) string {
	if footprint.Product == "" {
		return "Files"
	}
	return format.Word(footprint.Product).Label
}

// joinFootprints returns the outlines of footprints as features without IDs. Outlines that are almost the same become a
// single feature, with the names of all their products.
func joinFootprints(footprints []checking.Footprint) (features []geomap.Feature) {
	for _, footprint := range footprints {
		name := footprintLabel(footprint)
		for _, outline := range footprint.Outlines {
			shape, ok := ordering.MissionShape(api.MissionArea, outline).(orb.Polygon)
			if !ok {
				continue
			}
			isSame := func(f geomap.Feature) bool { return isAlmostSame(f.Geometry.(orb.Polygon), shape) }
			same := slices.IndexFunc(features, isSame)
			if same < 0 {
				features = append(features, geomap.Feature{Label: name, Geometry: shape, Role: theme.InProgress})
			} else if !strings.Contains(features[same].Label, name) {
				features[same].Label += ", " + name
			}
		}
	}
	return features
}

// isAlmostSame reports whether two shapes are so similar that their outlines would overlap on a map.
func isAlmostSame(a, b orb.Polygon) bool {
	const (
		tolerance     = 0.03 // of the extent
		areaTolerance = 0.06
	)
	first, second := a.Bound(), b.Bound()
	side := tolerance * max(first.Max.Lon()-first.Min.Lon(), first.Max.Lat()-first.Min.Lat())
	for axis := range 2 {
		if math.Abs(first.Min[axis]-second.Min[axis]) > side || math.Abs(first.Max[axis]-second.Max[axis]) > side {
			return false
		}
	}
	area := kmlcsv.AreaOf(a)
	return math.Abs(area-kmlcsv.AreaOf(b)) <= areaTolerance*area
}

// levelLooks has the label, and the glyph with its color, of each level of findings.
var levelLooks = map[checking.Level]struct {
	label, glyph string
	role         theme.Role
}{
	checking.Problem: {"Problem", "✗ ", theme.Bad},
	checking.Note:    {"Note", "! ", theme.Attention},
	checking.OK:      {"OK", "✓ ", theme.Good},
}

// levelFact returns a line of a report: the label of the level, such as "Problem", and the text of the finding.
func levelFact(level checking.Level, text string) widget.Fact {
	look := levelLooks[level]
	return widget.Toned(look.label, look.glyph+text, look.role)
}

// showReport opens a dialog with the findings of a check, worst first.
func showReport(env *page.Env, report *checking.Report) tea.Cmd {
	var facts []widget.Fact
	for _, finding := range report.Findings {
		facts = append(facts, levelFact(finding.Level, format.Clean(finding.Text)))
	}
	if report.DigestsVerified > 0 {
		text := format.Count(report.DigestsVerified, "file") + " unchanged since the download, by digest"
		facts = append(facts, levelFact(checking.OK, text))
	}
	return env.ShowFacts("Check: "+report.Summary(), 9, facts...)
}
