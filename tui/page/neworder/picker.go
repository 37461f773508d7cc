package neworder

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/ordering"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// pickerChoice is a row of a picker.
type pickerChoice struct {
	text   string
	right  string // at the row's end
	take   func() (cmd tea.Cmd, done bool)
	remove func() (cmd tea.Cmd, done bool)
}

// choiceDialog is a dialog with rows of which one is taken, or removed, or a new one
// is made.
type choiceDialog struct {
	theme  *theme.Theme
	title  string
	hint   string // keys, in the lower edge
	empty  string // said where there is no row
	newKey string // makes a new one and closes the dialog
	create func() tea.Cmd
	rows   []pickerChoice
	at     int
	scroll widget.Scroll
}

// Update moves, or does with the marked row what the key says.
func (p *choiceDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	last := len(p.rows) - 1
	switch k := key.String(); {
	case k == "esc", k == "q":
		return nil, true
	case k == p.newKey:
		return p.create(), true
	case last < 0:
	case k == "enter":
		return p.rows[p.at].take()
	case k == "delete", k == "backspace":
		cmd, done := p.rows[p.at].remove()
		if done {
			p.rows = slices.Delete(p.rows, p.at, p.at+1)
			p.at = max(0, min(p.at, last-1))
		}
		return cmd, false
	default:
		by := map[string]int{"j": 1, "down": 1, "k": -1, "up": -1, "g": -last, "home": -last, "G": last, "end": last}[k]
		p.at = max(0, min(p.at+by, last))
	}
	return nil, false
}

// HandleClick marks a row, and takes the one that is marked.
func (p *choiceDialog) HandleClick(_, y int) (tea.Cmd, bool) {
	i, ok := p.scroll.LineAt(y - 1)
	switch {
	case !ok:
	case i == p.at:
		return p.rows[i].take()
	default:
		p.at = i
	}
	return nil, false
}

// View draws the box.
func (p *choiceDialog) View(w, h int) string {
	w = p.theme.NarrowWidth(w, 72)
	muted := p.theme.RaisedStyle(theme.Muted)
	lines := p.scroll.DrawRows(len(p.rows), p.at, max(1, h-2), muted, func(i int) string {
		mark, style := "  ", p.theme.RaisedStyle(theme.Text)
		if i == p.at {
			mark, style = p.theme.SelectionMark()+" ", p.theme.SelectedStyle(theme.Text)
		}
		row := p.rows[i]
		return style.Render(layout.FitEnds(mark+layout.Clean(row.text), layout.Clean(row.right)+" ", w-4))
	})
	if len(p.rows) == 0 {
		lines = p.theme.RaiseLines(theme.Muted, w-4, p.empty)
	}
	return dialog.DrawFrame(p.theme, p.title, p.hint, lines, w)
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
func (m *sitesStep) readingDialog(r *ordering.ServiceReading) page.Dialog {
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
		facts = append(facts, widget.Fact{Label: d.Placemark, Value: d.What, Role: theme.Attention})
		facts = append(facts, widget.Texts("  here", d.Here, "  service", d.Service)...)
	}
	return &dialog.Reader{Theme: m.p.Theme, Title: "Read by the service", Text: func(w int) []string {
		return widget.BoxFacts(m.p.Theme, 14, w, facts...)
	}}
}
