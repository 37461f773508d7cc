package neworder

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// maxDifferences is how many differences are listed.
const maxDifferences = 200

// askReading has the service read the file of a site, and shows what that reads,
// compared.
func (m *sitesStep) askReading(s *ordering.Site) tea.Cmd {
	file, client, th := m.p.draft.FileOf(s), m.p.Client, m.p.Theme
	path, opts := file.Path, kmlcsv.Options{Columns: file.Columns, SwapLatLng: file.Swapped}
	return m.p.askDialog(func(ctx context.Context) (func() page.Dialog, error) {
		reading, err := ordering.CompareFile(ctx, client, path, opts)
		return func() page.Dialog {
			return &dialog.Reader{Theme: th, Title: "Read by the service", Text: func(w int) []string {
				return widget.BoxFacts(th, 14, w, readingFacts(reading, m.p.files.shortPath)...)
			}}
		}, err
	})
}

// readingFacts returns the comparison and, for each difference, both sides.
func readingFacts(r *ordering.ServiceReading, short func(string) string) []widget.Fact {
	facts := []widget.Fact{widget.Text("File", short(r.File)), widget.Text("Result", r.CountSummary())}
	if r.Message != "" {
		facts = append(facts, widget.Text("Service says", r.Message))
	}
	for i, d := range r.Differences {
		if i == maxDifferences {
			facts = append(facts, widget.Text("", groupDigits(len(r.Differences)-i)+" more; flightdesk parse --remote lists them all"))
			break
		}
		facts = append(facts, widget.Fact{Label: d.Placemark, Value: d.What, Role: theme.Attention},
			widget.Text("  here", d.Here), widget.Text("  service", d.Service))
	}
	return facts
}
