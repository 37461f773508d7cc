package dialog

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// List is a dialog with rows, of which one is marked.
type List struct {
	Title string
	Hint  string // keys, in the lower edge
	Empty string // said where there is no row
	Most  int    // cells of the box, 72 if 0
	Ticks int    // cells at the left whose click is one on the marked row
	Rows  func() []ListRow
	// Take is what a click on the marked row does, and enter unless Keys has it.
	Take func(at int) (cmd tea.Cmd, done bool)
	// Keys are what other keys do with the marked row, -1 where there is none.
	Keys map[string]func(at int) (cmd tea.Cmd, done bool)
	At   int // marked row

	scroll widget.Scroll
}

// ListRow is a row of a list.
type ListRow struct {
	Text, Right string
	Role        theme.Role // while it is not marked
}

// Update moves, or does with the marked row what the key says.
func (l *List) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	last := len(l.Rows()) - 1
	switch k := key.String(); {
	case l.Keys[k] != nil:
		cmd, done = l.Keys[k](min(l.At, last))
	case k == "esc", k == "q":
		return nil, true
	case k == "enter" && last >= 0:
		return l.Take(l.At)
	default:
		l.At += map[string]int{
			"j": 1, "down": 1, "k": -1, "up": -1, "g": -last, "home": -last, "G": last, "end": last,
		}[k]
	}
	l.At = max(0, min(l.At, len(l.Rows())-1))
	return cmd, done
}

// HandleClick marks a row, and takes the one that is marked or whose tick is clicked.
func (l *List) HandleClick(x, y int) (tea.Cmd, bool) {
	i, ok := l.scroll.LineAt(y - 1)
	if !ok {
		return nil, false
	}
	wasMarked := i == l.At
	l.At = i
	if wasMarked || x < l.Ticks {
		return l.Take(i)
	}
	return nil, false
}

// View draws the box.
func (l *List) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, cmp.Or(l.Most, 72))
	rows := l.Rows()
	lines := l.scroll.DrawRows(len(rows), l.At, max(1, h-2), th.RaisedStyle(theme.Muted), func(i int) string {
		row, mark, style := rows[i], "  ", th.RaisedStyle(rows[i].Role)
		if i == l.At {
			mark, style = th.SelectionMark()+" ", th.SelectedStyle(theme.Text)
		}
		return style.Render(layout.FitEnds(mark+layout.Clean(row.Text), layout.Clean(row.Right), w-4))
	})
	if len(rows) == 0 {
		lines = th.RaiseLines(theme.Muted, w-4, l.Empty)
	}
	return DrawFrame(th, l.Title, l.Hint, lines, w)
}
