package cli

import (
	"cmp"
	"errors"
	"fmt"
	"sync/atomic"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"

	"github.com/spf13/cobra"
)

type checkFlags struct {
	To      string `flag:"to,download folder; the one chosen in the app or download_dir of the configuration if omitted"`
	Digests bool   `flag:"digests,also compare every file with its digest; reads all files completely"`
	Files   bool   `flag:"files,also list every file with its properties"`
}

// checkCommand returns the command that checks whether a delivery has everything that was ordered.
func checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check ORDER",
		Short: "Check whether the delivery covers the order",
		Long: `Reads the downloaded files of an order (ORD-…) and reports, worst first: ordered products that are missing; how much
of each mission's area the maps and point clouds cover, and which parts are missing; files that are empty, truncated,
changed or not what their names say; different reference systems; deliveries and photos from before the flight. Large
files are read in part: the smallest suitable overview of a GeoTIFF, a sample of the points of a LAS file, the header of
a LAZ file. No file is changed or sent; the results are saved, and the app shows them in the column Checked. The exit status is 1 if there
are problems. --output json prints the report with the findings, footprints and missing parts as polygons, and the properties of every
file.`,
		Example: `# after flightdesk fetch ORD-1042
flightdesk check ORD-1042

# with the properties of every file, and all digests
flightdesk check ORD-1042 --files --digests

# for programs
flightdesk check ORD-1042 --output json`,
	}
	var f checkFlags
	addFlags(cmd, &f)
	return defineService(cmd, nil, func(c *Call) error { return checkDelivery(c, f) })
}

// checkDelivery checks the delivery of an order, saves the results and prints the report.
func checkDelivery(c *Call, f checkFlags) error {
	delivery, err := c.loadDelivery(orderCode(c.Args[0]))
	if err != nil {
		return prefixError(c.Args[0], err)
	}
	appState := session.OpenUIState(session.UIStatePath(c.program.Env.Dirs.State, c.Service.StateName()))
	appDir, _ := deliveries.ChosenInApp(appState) // also returns the speed limit of downloads
	checker := checking.Checker{
		Dir:     cmp.Or(f.To, appDir, c.Service.Config.DownloadDir), // the folder that fetch uses
		Digests: f.Digests,
		Now:     c.Service.Client.Now,
	}
	report, err := runCheck(c, checker, *delivery)
	if err != nil {
		return err
	}
	checking.OpenResults(appState).Add(report)
	if err := appState.Flush(); err != nil { // only the app lacks the results; the report below is complete
		fmt.Fprintln(c.Stderr(), format.Clean("the results are not saved: "+err.Error()))
	}
	if err := c.PrintParts(report, reportParts(delivery.Order, report, f.Files)...); err != nil {
		return err
	}
	if report.Problems > 0 {
		return errors.New(format.Count(report.Problems, "problem") + "; see above")
	}
	return nil
}

// loadDelivery reads an order and the packages that were delivered for it.
func (c *Call) loadDelivery(code string) (*checking.Delivery, error) {
	stopWaiting := c.ShowWaiting("loading the order")
	defer stopWaiting()
	order, err := c.Service.Client.Orders.Get(c, code)
	if err != nil {
		return nil, err
	}
	packages, err := fetch.Order(c, c.Service.Client, code)
	if err != nil {
		return nil, err
	}
	return &checking.Delivery{Order: order, Missions: order.Missions, Packages: packages}, nil
}

// runCheck checks a delivery and shows the progress.
func runCheck(c *Call, checker checking.Checker, delivery checking.Delivery) (*checking.Report, error) {
	var last atomic.Pointer[checking.Progress]
	stopProgress := c.ShowProgress(progressInterval, func() string {
		p := last.Load()
		if p == nil {
			return "checking files…"
		}
		text := fmt.Sprintf("checking files, %d of %d", p.Files, p.Of)
		if p.Share > 0 {
			text += fmt.Sprintf(", %s %d%%", format.CutMiddle(format.Clean(p.Name), 30), int(p.Share*100))
		}
		return text
	})
	defer stopProgress()
	return checker.Check(c, delivery, func(p checking.Progress) { last.Store(&p) })
}

// reportParts returns the parts of a report for people: a summary, the findings and, if withFiles is set, every
// file with its properties.
func reportParts(order *api.Order, r *checking.Report, withFiles bool) []part {
	parts := []part{linePart(order.OrderCode + " " + order.OrderName + ": " + r.Summary())}
	if len(r.Findings) > 0 {
		parts = append(parts, findingsPart(r.Findings))
	}
	if !withFiles {
		return parts
	}
	for i := range r.Files {
		file := &r.Files[i]
		facts := [][2]string{{"File", file.Name}, {"Result", string(file.Level)}, {"Why", file.Text}}
		for _, fact := range file.Facts {
			facts = append(facts, [2]string{fact.Label, fact.Text})
		}
		parts = append(parts, factsPart(facts))
	}
	return parts
}

// findingsPart returns a part with a line for each finding.
func findingsPart(findings []checking.Finding) part {
	roles := map[checking.Level]theme.Role{
		checking.Problem: theme.Bad,
		checking.Note:    theme.Attention,
		checking.OK:      theme.Good,
	}
	return func(to *textWriter) {
		for _, finding := range findings {
			level := to.paintText(roles[finding.Level], format.FitLeft(string(finding.Level), 8))
			fmt.Fprintln(to, level+" "+format.Clean(finding.Text))
		}
	}
}
