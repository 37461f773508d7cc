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

// askReading has the service read the file of a site.
func (m *sitesStep) askReading(s *ordering.Site) tea.Cmd {
	file := m.p.draft.FileOf(s)
	client, path := m.p.Client, file.Path
	opts := kmlcsv.Options{Columns: file.Columns, SwapLatLng: file.Swapped}
	return page.AskInBackground(m.p.Base, &m.comparing, func(ctx context.Context) (*ordering.ServiceReading, error) {
		return ordering.CompareFile(ctx, client, path, opts)
	})
}

// tookReading shows what the service reads of a file, compared.
func (m *sitesStep) tookReading(answer page.QuestionAnswer[*ordering.ServiceReading]) tea.Cmd {
	if !answer.TakeAnswer() {
		return nil
	}
	if answer.Err != nil {
		return page.ShowToast(theme.Bad, m.p.files.shortPath(answer.Err.Error()))
	}
	th, facts := m.p.Theme, readingFacts(answer.Value, m.p.files.shortPath)
	m.p.Overlay(&dialog.Reader{Theme: th, Title: "Read by the service", Text: func(w int) []string {
		return widget.BoxFacts(th, 14, w, facts...)
	}})
	return nil
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
