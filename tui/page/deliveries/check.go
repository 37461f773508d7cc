package deliveries

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/checking"
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

// check runs the check of downloaded files in the background, at most one at a time.
type check struct {
	request  page.Request
	stop     context.CancelFunc // stops the running check; nil before the first
	progress atomic.Pointer[checking.Progress]
}

// start checks deliveries one after the other, and calls handle with the report on all of them.
func (c *check) start(
	b page.Base, jobs []*checkJob, handle func(*checking.Report, error) tea.Cmd,
) tea.Cmd {
	checker := checking.Checker{
		Dir:     b.Env.Profile.Downloads.Dir(),
		Digests: true,
		Now:     b.Env.Clock.Now,
	}
	client := b.Env.Profile.Client
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.progress.Store(nil)
	setProgress := func(progress checking.Progress) { c.progress.Store(&progress) }
	runCheck := func(pageLifetime context.Context) (*checking.Report, error) {
		defer context.AfterFunc(pageLifetime, stop)()
		all := &checking.Report{}
		for _, job := range jobs {
			if err := job.loadOrder(ctx, client); err != nil {
				return nil, err
			}
			report, err := checker.Check(ctx, job.Delivery, setProgress)
			if err != nil {
				return nil, err
			}
			all.Merge(report)
		}
		return all, nil
	}
	start := page.RunInBackground(b, &c.request, runCheck, handle)
	return tea.Batch(c.showProgress(b), start)
}

// showProgress shows the progress of the check in the status row and calls itself again until the
// check ends. The last call removes the progress, because messages can overtake each other.
func (c *check) showProgress(b page.Base) tea.Cmd {
	if !c.request.IsRunning() {
		return page.SendMessage(page.WorkMsg{ID: checkWork, Over: true})
	}
	work := page.WorkMsg{ID: checkWork, Text: "Checking downloads, V stops", Done: -1}
	progress := c.progress.Load()
	if progress != nil && progress.Of > 0 {
		number := min(progress.Files+1, progress.Of)
		work.Text = fmt.Sprintf("Checking file %d of %d, V stops", number, progress.Of)
		work.Done = (float64(progress.Files) + progress.Share) / float64(progress.Of)
	}
	again := func() tea.Cmd { return c.showProgress(b) }
	return tea.Batch(page.SendMessage(work), b.DoLater(checkInterval, again))
}

// nothingToCheck returns why no file can be checked, or "".
func (p *Page) nothingToCheck(*row) string {
	isStopKey := p.check.request.IsRunning()
	if isStopKey || p.chosenFiles().wereDownloaded(p.Env.Profile.Downloads) {
		return ""
	}
	return notHere
}

// checkChosen checks the chosen files, or stops the running check.
func (p *Page) checkChosen(*row) tea.Cmd {
	if p.check.request.IsRunning() {
		p.check.stop()
		return nil
	}
	return p.check.start(p.Base, p.checkJobs(), p.handleReport)
}

// checkJob is the check of one delivery: the files of an order, or of datasets.
type checkJob struct {
	checking.Delivery
	code    string // code of the order, or "" for datasets
	mission string // code of the only mission to check, or "" for all missions
}

// checkJobs returns a job for each order with chosen files, and one for all datasets. If a
// single package of an order is selected, the job has all packages of its mission, so that
// missing products are reported, too.
func (p *Page) checkJobs() []*checkJob {
	chosen := p.chosenFiles()
	var jobs []*checkJob
	for _, pkg := range p.shelf.Packages {
		if len(chosen[pkg]) == 0 {
			continue
		}
		code := ""
		if pkg.Kind == "delivery" {
			code = pkg.Order
		}
		i := slices.IndexFunc(jobs, func(j *checkJob) bool { return j.code == code })
		if i < 0 {
			i = len(jobs)
			jobs = append(jobs, p.newCheckJob(code))
		}
		jobs[i].Packages = append(jobs[i].Packages, pkg.Package)
	}
	if mission := p.selectedMission(); mission != "" && len(jobs) == 1 {
		jobs[0].mission = mission
		jobs[0].Packages = p.packagesOfMission(mission)
		return jobs
	}
	isChosen := map[[2]string]bool{} // by the IDs of package and file
	for pkg, files := range chosen {
		for _, i := range files {
			isChosen[[2]string{pkg.ID, pkg.Files[i].ID}] = true
		}
	}
	for _, job := range jobs {
		job.Chosen = func(packageID, fileID string) bool { return isChosen[[2]string{packageID, fileID}] }
	}
	return jobs
}

// newCheckJob returns a job without packages for the order with the given code, or for
// datasets if code is "". The order is set if it is cached.
func (p *Page) newCheckJob(code string) *checkJob {
	job := &checkJob{code: code}
	if code != "" {
		job.Order, _ = p.Env.Profile.Cache.Details.Get(code)
	}
	return job
}

// selectedMission returns the mission of the selected package of an order, or "" if the
// selected row is no such package or rows are marked.
func (p *Page) selectedMission() string {
	r := p.Current()
	if r == nil || !r.IsPackage() || len(p.marked) > 0 {
		return ""
	}
	if r.Package.Kind != "delivery" || r.Package.Order == "" {
		return ""
	}
	return r.Package.Mission
}

// packagesOfMission returns all packages of the mission with the given code.
func (p *Page) packagesOfMission(mission string) (packages []fetch.Package) {
	for _, pkg := range p.shelf.Packages {
		if pkg.Kind == "delivery" && pkg.Mission == mission {
			packages = append(packages, pkg.Package)
		}
	}
	return packages
}

// loadOrder loads the order unless it is known with its missions, and sets the missions to
// check.
func (j *checkJob) loadOrder(ctx context.Context, client *api.Client) error {
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
	j.Missions = j.Order.Missions
	if j.mission != "" {
		j.Missions = slices.DeleteFunc(slices.Clone(j.Missions), func(m api.Mission) bool {
			return m.MissionCode != j.mission
		})
	}
	return nil
}

// handleReport shows the result of a check, and reads the state of the files on disk again.
func (p *Page) handleReport(report *checking.Report, err error) tea.Cmd {
	p.check.stop()
	p.shelf.RecheckDisk()
	p.changed = true
	cmds := []tea.Cmd{page.SendMessage(page.WorkMsg{ID: checkWork, Over: true})}
	if errors.Is(err, context.Canceled) {
		cmds = append(cmds, page.ShowToast(theme.Text, "Check stopped"))
	} else if err != nil {
		cmds = append(cmds, page.ShowToast(theme.Bad, "Check: "+format.Clean(err.Error())))
	} else {
		p.Env.Profile.Downloads.Checks.Add(report)
		cmds = append(cmds, showReport(p.Env, report))
	}
	return tea.Batch(append(cmds, p.refreshRows())...)
}

// missingParts returns the parts of the row's mission that its last check found missing, as
// features for the map.
func missingParts(checks *checking.Results, r *row) (features []geomap.Feature) {
	result, ok := checks.OfMission(r.Package.Mission)
	if !ok {
		return nil
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

// levelLooks has the label and the color of each level of findings.
var levelLooks = map[checking.Level]struct {
	label string
	role  theme.Role
}{
	checking.Problem: {"Problem", theme.Bad},
	checking.Note:    {"Note", theme.Attention},
	checking.OK:      {"✓", theme.Good},
}

// showReport opens a dialog with the findings of a check, worst first.
func showReport(env *page.Env, report *checking.Report) tea.Cmd {
	var facts []widget.Fact
	for _, finding := range report.Findings {
		look := levelLooks[finding.Level]
		facts = append(facts, widget.Toned(look.label, format.Clean(finding.Text), look.role))
	}
	if report.DigestsVerified > 0 {
		text := format.Count(report.DigestsVerified, "file") + " unchanged since the download, by digest"
		facts = append(facts, widget.Toned(levelLooks[checking.OK].label, text, theme.Good))
	}
	return env.ShowFacts("Check: "+report.Summary(), 9, facts...)
}
