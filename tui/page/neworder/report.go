package neworder

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// maxReported is the number of warnings that the report of a file lists.
const maxReported = 1000

// readingReport is the report on a file that was read: how many of its records were read and how many were
// left out, and the warnings.
type readingReport struct {
	accounts []kmlcsv.Account // numbers of records, for each sheet, layer or document of the file
	warnings []reportedWarning
}

// reportedWarning is a warning about a file or about one of its records.
type reportedWarning struct {
	where     string // row, line or name of the record, or "File"
	message   string
	isLeftOut bool // the record did not become a site
}

// reportOf returns the report of a file that is not in the draft yet.
func reportOf(res *kmlcsv.Result) readingReport {
	unit := "Line "
	if res.Format == kmlcsv.FormatCSV {
		unit = "Row "
	}
	report := readingReport{accounts: res.Accounts}
	for _, w := range res.Warnings {
		reported := reportedWarning{where: "File", message: w.Message, isLeftOut: w.Skipped}
		if w.Line > 0 {
			reported.where = unit + strconv.Itoa(w.Line)
		}
		if w.Placemark != "" {
			reported.message = w.Placemark + ": " + w.Message
		}
		report.warnings = append(report.warnings, reported)
	}
	return report
}

// reportOfFile returns the report of a file in the draft.
func reportOfFile(d *ordering.Draft, f *ordering.File) readingReport {
	report := readingReport{accounts: f.Accounts}
	for _, note := range f.Notes {
		report.warnings = append(report.warnings, reportedWarning{where: "File", message: note})
	}
	for _, s := range d.SitesFrom(f.Path) {
		isLeftOut := s.Geometry == nil
		for _, warning := range s.Warnings {
			report.warnings = append(report.warnings, reportedWarning{s.Name, warning, isLeftOut})
		}
	}
	return report
}

// showReport opens a dialog with the report of a file.
func showReport(env *page.Env, name string, r readingReport) tea.Cmd {
	return env.ShowFacts("Reading of "+name, 12, r.facts()...)
}

// facts returns the lines of the report: the numbers of records, and then the warnings.
func (r *readingReport) facts() []widget.Fact {
	var facts []widget.Fact
	for _, account := range r.accounts {
		label := account.Container
		if label == "" {
			label = "Read"
		}
		facts = append(facts, widget.Text(format.CapitalizeFirst(label), ordering.DescribeAccount(account)))
	}
	if len(r.warnings) == 0 {
		return append(facts, widget.Toned("Warnings", "none", theme.Muted))
	}
	for i, w := range r.warnings {
		if i == maxReported {
			more := groupDigits(len(r.warnings)-i) + " more; flightdesk parse lists them all"
			return append(facts, widget.Toned("", more, theme.Muted))
		}
		facts = append(facts, w.fact())
	}
	return facts
}

// fact returns the line of a warning in the report.
func (w *reportedWarning) fact() widget.Fact {
	role := theme.Attention
	if w.isLeftOut {
		role = theme.Bad
	}
	return widget.Toned(format.CutLine(format.Clean(w.where), 11), w.message, role)
}

// showWarnings opens a dialog with the reports of all files in the draft.
func (e *siteEditor) showWarnings(*ordering.Site) tea.Cmd {
	hasSeveral := len(e.step.draft.Files) > 1
	var facts []widget.Fact
	for i := range e.step.draft.Files {
		file := &e.step.draft.Files[i]
		if hasSeveral {
			facts = append(facts, widget.Toned("From", file.Name(), theme.Accent))
		}
		report := reportOfFile(e.step.draft, file)
		facts = append(facts, report.facts()...)
	}
	return e.step.env.ShowFacts("Reading of the files", 12, facts...)
}
