package neworder

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// maxDifferences is the number of differences that the dialog of a comparison lists.
const maxDifferences = 200

// compareReading sends the file of a site to the service. The service and this program both read the sites in the
// file, and compareReading shows the differences between the results.
func (e *siteEditor) compareReading(s *ordering.Site) tea.Cmd {
	client := e.step.env.Profile.Client
	opts := e.step.draft.FindFile(s.File).Options
	reader := e.step.parent.drafts.Reader
	compare := func(ctx context.Context) (*ordering.ServiceReading, error) {
		return reader.CompareFile(ctx, client, s.File, opts)
	}
	return loadDialog(e.step.parent, compare, e.showComparison)
}

// showComparison opens a dialog with the result of a comparison, and with both values of each
// difference.
func (e *siteEditor) showComparison(r *ordering.ServiceReading) tea.Cmd {
	facts := widget.Texts(
		"File", shortPaths(&e.step.env.Files, r.File),
		"Result", r.CountSummary(),
	)
	if r.Message != "" {
		facts = append(facts, widget.Text("Service says", r.Message))
	}
	for i, d := range r.Differences {
		if i == maxDifferences {
			more := groupDigits(len(r.Differences)-i) + " more; flightdesk parse --remote lists them all"
			facts = append(facts, widget.Text("", more))
			break
		}
		facts = append(facts, widget.Toned(d.Placemark, d.What, theme.Attention))
		facts = append(facts, widget.Texts("  here", d.Here, "  service", d.Service)...)
	}
	return e.step.env.ShowFacts("Read by the service", 14, facts...)
}
