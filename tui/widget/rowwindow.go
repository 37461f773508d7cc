package widget

import "flightdesk/tui/format"

// rowWindow is the part of a table's rows that the last view has shown, and the cursor in the rows.
type rowWindow struct {
	rows   int // number of all rows
	cursor int // index of the selected row
	top    int // index of the first row in the window
	height int // number of lines for rows
	rule   int // index of the row with a rule above it, or 0 for no rule
}

// moveCursor moves the cursor down by n rows, or up if n is negative.
func (w *rowWindow) moveCursor(n int) { w.cursor = max(0, min(w.rows-1, w.cursor+n)) }

// end returns the index after the last row in the window.
func (w *rowWindow) end() int { return min(w.rows, w.top+w.height) }

// rowAt returns the index of the row at line y of the window. ok is false if there is no row in that line, for example
// because it is the line of the rule. The rule is a horizontal line between two rows, see [Table.SetRule].
func (w *rowWindow) rowAt(y int) (row int, ok bool) {
	ruleLine, hasRule := w.ruleLine()
	if hasRule && y == ruleLine {
		return 0, false
	}
	if hasRule && y > ruleLine {
		y--
	}
	row = w.top + y
	return row, y >= 0 && y < w.height && row < w.rows
}

// ruleLine returns the index of the line of the window at which the rule is drawn. The line can be below the last row
// in the window. ok is false if the rule is not in the window.
func (w *rowWindow) ruleLine() (y int, ok bool) {
	isInWindow := w.rule > 0 && w.rule >= w.top && w.rule <= w.end()
	return w.rule - w.top, isInWindow
}

// lineOf returns the line of the i-th row in the window.
func (w *rowWindow) lineOf(i int) int {
	ruleLine, hasRule := w.ruleLine()
	if hasRule && i >= ruleLine {
		return i + 1
	}
	return i
}

// scrollToCursor moves the window so that it contains the cursor, without empty lines at its end. If leaps is true,
// the window moves further by two thirds of its height, so that it does not move with every step of the cursor.
func (w *rowWindow) scrollToCursor(leaps bool) {
	leap := 0
	if leaps {
		leap = 2 * w.height / 3
	}
	if w.height > 0 && w.cursor >= w.top+w.height {
		w.top = w.cursor - w.height + 1 + leap
	} else if w.cursor < w.top {
		w.top = w.cursor - leap
	}
	w.top = max(0, min(w.top, w.rows-w.height))
}

// describeHidden returns the number of rows above and below the window, such as "↑ 2 · ↓ 9 more". If isOpen
// is true, the last row represents an unknown number of rows.
func (w *rowWindow) describeHidden(isOpen bool) string {
	below := w.rows - w.top - w.height
	hidesLast := isOpen && below > 0
	if hidesLast {
		below-- // the last row only stands for other rows
	}
	return format.BeyondView(w.top, below, hidesLast)
}

// hasFoot reports whether the last of h lines of the table is the foot and not a row. There is no foot if there are
// no rows, or if the rows fill the lines below the header exactly.
func (w *rowWindow) hasFoot(h int) bool {
	const minFootHeight = 5
	linesBelowHeader := h - 1
	lines := w.rows
	if w.rule > 0 {
		lines++
	}
	return h >= minFootHeight && w.rows > 0 && lines != linesBelowHeader
}
