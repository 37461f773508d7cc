package filepicker

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// Dialog is a picker in a box, in which one file is taken, or several.
type Dialog struct {
	*Picker

	Title string
	// Several is what ctrl+s does with the marked files, as in deliver; "" where
	// one file is taken.
	Several string
	// Turn has ←→ change what the column about files says of a marked one.
	Turn   func(e Entry, n int)
	OnDone func(files []Entry) tea.Cmd

	fault string
}

// Update takes keys: enter goes into a folder, or marks or takes a file.
func (d *Dialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		cmd, _ := d.Picker.Update(msg)
		return cmd, false
	}
	d.fault = ""
	switch k := key.String(); k {
	case "esc":
		return nil, true
	case "up", "down", "pgup", "pgdown":
		page := max(1, d.Table().Shown())
		d.Table().Move(map[string]int{"up": -1, "down": 1, "pgup": -page, "pgdown": page}[k])
	case "tab":
		return d.Complete(), false
	case "left", "right":
		if e, ok := d.Current(); ok && d.Turn != nil && d.index(e.Path) >= 0 {
			d.Turn(e, map[string]int{"left": -1, "right": 1}[k])
		}
	case "ctrl+s":
		if len(d.marked) > 0 {
			return d.OnDone(d.marked), true
		}
		d.fault = "no file marked; press enter to mark one"
	case "enter":
		return d.enter()
	default:
		cmd, _ := d.Picker.Update(msg)
		return cmd, false
	}
	return nil, false
}

// enter goes into a folder, takes the one file, or marks one of several.
func (d *Dialog) enter() (tea.Cmd, bool) {
	e, ok := d.Current()
	switch {
	case !ok:
	case e.Folder:
		return d.Enter(e.Path), false
	case d.Several == "":
		return d.OnDone([]Entry{e}), true
	default:
		d.Mark()
	}
	return nil, false
}

// Click selects an entry, and a second click on it does what enter does.
func (d *Dialog) Click(_, y int) (tea.Cmd, bool) {
	was, any := d.Current()
	if !d.Picker.Click(y - 1) {
		return nil, false
	}
	if e, _ := d.Current(); any && e.Path == was.Path {
		return d.enter()
	}
	return nil, false
}

// Turns makes the wheel move in the entries.
func (d *Dialog) Turns() {}

// most is how many entries are shown.
const most = 16

// View draws the box.
func (d *Dialog) View(w, h int) string {
	w = d.base.Theme.Narrowed(w, 76)
	var below []string
	fault := d.fault
	if fault == "" && d.Err() != nil {
		fault = d.Err().Error()
	}
	if fault != "" {
		below = append(below, layout.Text(d.base.Theme.Style(theme.Bad), layout.Cut(" ! "+fault, w-4)))
	}
	rows := min(max(len(d.shown), 1), most) + 2 // below the path and the titles
	hint := "enter select   esc back"
	if d.Several != "" {
		hint = fmt.Sprintf("enter mark   ←→ kind   ctrl+s %s %d   esc back", d.Several, len(d.marked))
	}
	lines := layout.Lines(d.Picker.View(w-4, max(1, min(h-2, rows+len(below))), below...))
	return dialog.Frame(d.base.Theme, d.Title, hint, lines, w)
}

// Cursor stands in what is typed.
func (d *Dialog) Cursor() *tea.Cursor {
	c := d.Picker.Cursor()
	return tea.NewCursor(c.X+2, c.Y+1)
}
