package neworder

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// choice is a row of a picker.
type choice struct {
	text  string
	right string // at the row's end
}

// picker is a dialog with rows of which one is taken.
type picker struct {
	theme  *theme.Theme
	title  string
	hint   string // keys, in the lower edge
	empty  string // what stands where there is no row
	rows   []choice
	at     int
	scroll widget.Scroll
	// do takes any key but those that move, for the marked row, -1 for none; done
	// closes the picker.
	do func(key string, at int) (cmd tea.Cmd, done bool)
}

// Update moves, or hands the key on.
func (p *picker) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch k := key.String(); k {
	case "esc", "q":
		return nil, true
	case "j", "down":
		p.at = min(p.at+1, len(p.rows)-1)
	case "k", "up":
		p.at--
	case "g", "home":
		p.at = 0
	case "G", "end":
		p.at = len(p.rows) - 1
	default:
		at := p.at
		if len(p.rows) == 0 {
			at = -1
		}
		return p.do(k, at)
	}
	p.at = max(0, p.at)
	return nil, false
}

// Click marks a row, and takes the one that is marked.
func (p *picker) Click(_, y int) (tea.Cmd, bool) {
	i, ok := p.scroll.At(y - 1)
	if !ok {
		return nil, false
	}
	if i == p.at {
		return p.do("enter", i)
	}
	p.at = i
	return nil, false
}

// Turns makes the wheel move in the rows.
func (p *picker) Turns() {}

// View draws the box.
func (p *picker) View(w, h int) string {
	w = p.theme.Narrowed(w, 72)
	p.at = max(0, min(p.at, len(p.rows)-1))
	var lines []string
	if len(p.rows) == 0 {
		for _, part := range layout.Wrap(p.empty, w-4) {
			lines = append(lines, layout.Text(p.theme.Raised(theme.Muted), part))
		}
	}
	lines = append(lines, p.scroll.Rows(len(p.rows), p.at, max(1, h-2), p.theme.Raised(theme.Muted), func(i int) string {
		mark, style := "  ", p.theme.Raised(theme.Text)
		if i == p.at {
			mark, style = p.theme.Pointer()+" ", p.theme.Selected(theme.Text)
		}
		row := p.rows[i]
		return style.Render(layout.Ends(mark+layout.Clean(row.text), layout.Clean(row.right)+" ", w-4))
	})...)
	return dialog.Frame(p.theme, p.title, p.hint, lines, w)
}

// Cursor is nowhere.
func (p *picker) Cursor() *tea.Cursor { return nil }
