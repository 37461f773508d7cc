package neworder

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// showList shows rows of which one is taken or removed, or a new one made by a key. Take
// and remove report whether that was done.
func showList[T any](
	p *NewOrder, l *dialog.List, list []T, say func(T) dialog.ListRow,
	newKey string, create func() tea.Cmd, take, remove func(T) (tea.Cmd, bool),
) tea.Cmd {
	l.Rows = func() (rows []dialog.ListRow) {
		for _, one := range list {
			rows = append(rows, say(one))
		}
		return rows
	}
	l.Take = func(at int) (tea.Cmd, bool) { return take(list[at]) }
	erase := func(at int) (cmd tea.Cmd, done bool) { //nolint:unparam // as the keys of a list are
		if at < 0 {
			return nil, false
		}
		if cmd, done = remove(list[at]); done {
			list = slices.Delete(list, at, at+1)
		}
		return cmd, false
	}
	l.Keys = map[string]func(int) (tea.Cmd, bool){
		newKey: func(int) (tea.Cmd, bool) { return create(), true }, "delete": erase, "backspace": erase,
	}
	p.Overlay(l)
	return nil
}

// maxDifferences is how many differences are listed.
const maxDifferences = 200

// askReading has the service read the file of a site, and shows what that reads,
// compared.
func (m *sitesStep) askReading(s *ordering.Site) tea.Cmd {
	client, opts := m.p.Client, m.p.draft.FindFile(s.File).Options
	return askDialog(m.p, func(ctx context.Context) (*ordering.ServiceReading, error) {
		return ordering.CompareFile(ctx, client, s.File, opts)
	}, m.readingDialog)
}

// readingDialog shows the comparison and, for each difference, both sides.
func (m *sitesStep) readingDialog(r *ordering.ServiceReading) tea.Cmd {
	facts := widget.Texts("File", m.p.files.shortPath(r.File), "Result", r.CountSummary())
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
	return page.ShowFacts(m.p.Env, "Read by the service", 14, facts...)
}
