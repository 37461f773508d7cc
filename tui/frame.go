package tui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// Smallest usable size.
const minWidth, minHeight = 60, 18

// frame is what is drawn around the page in a window of w by h cells.
type frame struct {
	w, h int
	th   *theme.Theme
}

// row is a line of the frame, and what can be clicked in it.
type row struct {
	text string
	hits []hit
}

// navRow is the row of the sections.
const navRow = 1

func (f *frame) tooSmall() string {
	lines := []string{
		" Window too small:",
		fmt.Sprintf(" %dx%d, needs %dx%d", f.w, f.h, minWidth, minHeight),
		" ctrl+c quit",
	}
	return layout.Box(lines, f.w, f.h)
}

// hasRules tells whether there is room for the two rules.
func (f *frame) hasRules() bool { return f.h >= 24 }

// headHeight is how many rows stand above the page.
func (f *frame) headHeight() int {
	if f.hasRules() {
		return 4
	}
	return 3
}

// bodyHeight is what head and foot leave to the page, with some more rows
// between it and the foot.
func (f *frame) bodyHeight(between int) int {
	if f.hasRules() {
		return f.h - 7 - between
	}
	return f.h - 4 - between
}

func (f *frame) rule() row { return row{text: f.th.Rule.Render(strings.Repeat("─", f.w))} }

// head is the account band, the sections, the place, and a rule.
func (f *frame) head(band string, nav, place row) []row {
	rows := []row{{text: band}, nav, place}
	if f.hasRules() {
		rows = append(rows, f.rule())
	}
	return rows
}

// place is where one is: the titles of the pages below this one, each of which
// a click goes back to, and what the page says of itself.
func (f *frame) place(of []page.Page, backTo func(i int) tea.Cmd) row {
	r := row{text: " "}
	for i, p := range of {
		gap := ""
		if i > 0 {
			gap = layout.Text(f.th.Style(theme.Muted), " › ")
		}
		r.add(gap, layout.Text(f.th.Title, p.Title()), func() tea.Cmd { return backTo(i) })
	}
	corner := layout.Text(f.th.Style(theme.Muted), of[len(of)-1].Corner()) + " "
	return row{layout.Ends(r.text, corner, f.w), r.hits}
}

// add writes a part behind a gap, which a click does something on.
func (r *row) add(gap, part string, do func() tea.Cmd) {
	r.text += gap
	r.hits = append(r.hits, hit{x: layout.Width(r.text), w: layout.Width(part), do: do})
	r.text += part
}

// foot is a rule, the status row and the keys; in a low window what was just
// done takes the place of the keys.
func (f *frame) foot(s *status, keys row) []row {
	switch {
	case f.hasRules():
		return []row{f.rule(), {text: cmp.Or(s.line(f.th, f.w), layout.Blank(f.w))}, keys}
	case s.toast.Text != "":
		return []row{{text: s.line(f.th, f.w)}}
	default:
		return []row{keys}
	}
}

// keys is the footer of some actions; help and quit stay at the right whatever
// else has to go.
func (f *frame) keys(acts []action.Action, typing bool, do func(action.Action) tea.Cmd) row {
	var left, right []action.Action
	for _, act := range acts {
		if act.Footer >= 98 {
			right = append(right, act)
		} else {
			left = append(left, act)
		}
	}
	end := f.keyRow(right, f.w, typing, do)
	r := f.keyRow(left, f.w-layout.Width(end.text)-4, typing, do)
	from := f.w - layout.Width(end.text) - 1
	for i := range r.hits {
		r.hits[i].x++
	}
	for _, h := range end.hits {
		h.x += from
		r.hits = append(r.hits, h)
	}
	return row{layout.Ends(" "+r.text, end.text+" ", f.w), r.hits}
}

// keyRow lists actions with their keys, as many as fit into w cells.
func (f *frame) keyRow(acts []action.Action, w int, typing bool, do func(action.Action) tea.Cmd) row {
	var r row
	for _, act := range acts {
		part := layout.Text(f.th.Key, action.Label(act.Shown(typing))) + " " + layout.Text(f.th.Style(theme.Muted), act.Title)
		gap := ""
		if r.text != "" {
			gap = layout.Blank(2)
		}
		if layout.Width(r.text)+layout.Width(gap)+layout.Width(part) > w {
			break
		}
		r.add(gap, part, func() tea.Cmd { return do(act) })
	}
	return r
}
