package neworder

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// maxReported is how many warnings of a file are listed.
const maxReported = 1000

// readingReport says what became of the records of a file, and lists its warnings.
type readingReport struct {
	accounts []kmlcsv.Account
	warnings []reportedWarning
}

// reportedWarning is a warning with where it is in the file.
type reportedWarning struct {
	where, message string
	isLeftOut      bool // the record is not a site
}

// reportOf returns the report of a result.
func reportOf(res *kmlcsv.Result) (r readingReport) {
	r.accounts = res.Accounts
	word := "Line "
	if res.Format == kmlcsv.FormatCSV {
		word = "Row "
	}
	for _, w := range res.Warnings {
		reported := reportedWarning{where: "File", message: w.Message, isLeftOut: w.Skipped}
		if w.Line > 0 {
			reported.where = word + strconv.Itoa(w.Line)
		}
		if w.Placemark != "" {
			reported.message = w.Placemark + ": " + w.Message
		}
		r.warnings = append(r.warnings, reported)
	}
	return r
}

// reportOfFile returns the report of a file in the draft.
func reportOfFile(d *ordering.Draft, f *ordering.File) (r readingReport) {
	r.accounts = f.Accounts
	for _, note := range f.Notes {
		r.warnings = append(r.warnings, reportedWarning{where: "File", message: note})
	}
	for _, s := range d.SitesFrom(f.Path) {
		for _, warning := range s.Warnings {
			r.warnings = append(r.warnings, reportedWarning{s.Name, warning, s.Geometry == nil})
		}
	}
	return r
}

// showReport shows what became of the records of a file.
func (s *filesStep) showReport(name string, r readingReport) tea.Cmd {
	return s.Env.ShowFacts("Reading of "+name, 12, r.facts()...)
}

// facts returns the report, the records first.
func (r *readingReport) facts() (facts []widget.Fact) {
	for _, a := range r.accounts {
		label := a.Container
		if label == "" {
			label = "Read"
		}
		facts = append(facts, widget.Text(format.CapitalizeFirst(label), ordering.DescribeAccount(a)))
	}
	if len(r.warnings) == 0 {
		return append(facts, widget.Toned("Warnings", "none", theme.Muted))
	}
	for i, w := range r.warnings {
		if i == maxReported {
			more := groupDigits(len(r.warnings)-i) + " more; flightdesk parse lists them all"
			return append(facts, widget.Toned("", more, theme.Muted))
		}
		role := theme.Attention
		if w.isLeftOut {
			role = theme.Bad
		}
		facts = append(facts, widget.Toned(format.CutLine(format.Clean(w.where), 11), w.message, role))
	}
	return facts
}

// showWarnings lists what was left out of the files of the draft, and why.
func (m *sitesStep) showWarnings(*ordering.Site) tea.Cmd {
	var facts []widget.Fact
	for i := range m.draft.Files {
		file := &m.draft.Files[i]
		if len(m.draft.Files) > 1 {
			facts = append(facts, widget.Toned("From", file.Name(), theme.Accent))
		}
		report := reportOfFile(m.draft, file)
		facts = append(facts, report.facts()...)
	}
	return m.Env.ShowFacts("Reading of the files", 12, facts...)
}
