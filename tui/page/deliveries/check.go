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

// check is the state of the page's check.
type check struct {
	question page.Question
	stop     context.CancelFunc // stops the running check; nil if none is running
	progress atomic.Pointer[checking.Progress]
}

// nothingToCheck returns why no file can be checked, or "".
func (p *Page) nothingToCheck(*row) string {
	if p.check.question.IsOpen() {
		return "" // the key stops the check
	}
	for pkg, files := range p.chosenFiles() {
		for _, i := range files {
			switch pkg.FileState(p.Env.Profile.Downloads, i).Step {
			case deliveries.Here, deliveries.Changed, deliveries.Missing:
				return ""
			}
		}
	}
	return notHere
}

// checkChosen checks the chosen files, or stops the running check.
func (p *Page) checkChosen(*row) tea.Cmd {
	if p.check.question.IsOpen() {
		p.check.stop()
		return nil
	}
	jobs := p.checkJobs()
	checker := checking.Checker{
		Dir:     p.Env.Profile.Downloads.Dir(),
		Digests: true,
		Now:     p.Env.Clock.Now,
	}
	client := p.Env.Profile.Client
	p.check.progress.Store(nil)
	var ctx context.Context
	ctx, p.check.stop = context.WithCancel(context.Background())
	stop := p.check.stop
	ask := func(life context.Context) (*checking.Report, error) {
		defer context.AfterFunc(life, stop)()
		all := &checking.Report{}
		for _, job := range jobs {
			if err := job.loadOrder(ctx, client); err != nil {
				return nil, err
			}
			r, err := checker.Check(ctx, job.Delivery, func(now checking.Progress) { p.check.progress.Store(&now) })
			if err != nil {
				return nil, err
			}
			all.Merge(r)
		}
		return all, nil
	}
	start := page.AskInBackground(p.Base, &p.check.question, ask, p.takeReport)
	return tea.Batch(p.showCheckProgress(), start)
}

// checkJob is the delivery of an order that is checked.
type checkJob struct {
	checking.Delivery
	code    string // of the order, or "" for a dataset
	mission string // code of the only mission, or ""
}

// checkJobs returns the deliveries with the chosen files, one for each order. A selected package
// stands for its mission: products that are missing are reported, too.
func (p *Page) checkJobs() []*checkJob {
	chosen := p.chosenFiles()
	r := p.Current()
	isPackage := r != nil && r.IsPackage() && len(p.marked) == 0
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
			jobs = append(jobs, &checkJob{code: code})
			if code != "" {
				jobs[i].Order, _ = p.Env.Profile.Cache.Details.Get(code)
			}
		}
		jobs[i].Packages = append(jobs[i].Packages, pkg.Package)
		if isPackage && code != "" {
			jobs[i].mission = pkg.Mission
		}
	}
	if isPackage && len(jobs) == 1 && jobs[0].mission != "" {
		jobs[0].Packages = nil
		for _, pkg := range p.shelf.Packages {
			if pkg.Kind == "delivery" && pkg.Mission == r.Package.Mission {
				jobs[0].Packages = append(jobs[0].Packages, pkg.Package)
			}
		}
		return jobs
	}
	isChosen := map[[2]string]bool{}
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

// loadOrder reads the order if it is not known, and sets the missions to check.
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

// showCheckProgress shows how far the check is, until it ends. Its last call removes the progress,
// because messages can overtake each other.
func (p *Page) showCheckProgress() tea.Cmd {
	if !p.check.question.IsOpen() {
		return page.SendMessage(page.WorkMsg{ID: checkWork, Over: true})
	}
	work := page.WorkMsg{ID: checkWork, Text: "Checking downloads, V stops", Done: -1}
	if now := p.check.progress.Load(); now != nil && now.Of > 0 {
		work.Text = fmt.Sprintf("Checking file %d of %d, V stops", min(now.Files+1, now.Of), now.Of)
		work.Done = (float64(now.Files) + now.Share) / float64(now.Of)
	}
	return tea.Batch(page.SendMessage(work), p.DoLater(checkInterval, p.showCheckProgress))
}

// takeReport shows the result of a check, and inspects the disk again.
func (p *Page) takeReport(r *checking.Report, err error) tea.Cmd {
	p.check.stop()
	p.shelf.RecheckDisk()
	p.changed = true
	cmds := []tea.Cmd{page.SendMessage(page.WorkMsg{ID: checkWork, Over: true})}
	if errors.Is(err, context.Canceled) {
		cmds = append(cmds, page.ShowToast(theme.Text, "Check stopped"))
	} else if err != nil {
		cmds = append(cmds, page.ShowToast(theme.Bad, "Check: "+format.Clean(err.Error())))
	} else {
		p.Env.Profile.Downloads.Checks.Add(r)
		cmds = append(cmds, p.showReport(r))
	}
	return tea.Batch(append(cmds, p.settleRows())...)
}

// missingParts returns the parts of a mission that were missing in its last check, for the map.
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

// levelLooks are the words and tones of the levels of findings.
var levelLooks = map[checking.Level]struct {
	label string
	role  theme.Role
}{
	checking.Problem: {"Problem", theme.Bad},
	checking.Note:    {"Note", theme.Attention},
	checking.OK:      {"✓", theme.Good},
}

// showReport shows the findings of a check, worst first.
func (p *Page) showReport(r *checking.Report) tea.Cmd {
	var facts []widget.Fact
	for _, f := range r.Findings {
		look := levelLooks[f.Level]
		facts = append(facts, widget.Toned(look.label, format.Clean(f.Text), look.role))
	}
	if r.DigestsVerified > 0 {
		text := format.Count(r.DigestsVerified, "file") + " unchanged since the download, by digest"
		facts = append(facts, widget.Toned(levelLooks[checking.OK].label, text, theme.Good))
	}
	return p.Env.ShowFacts("Check: "+r.Summary(), 9, facts...)
}
