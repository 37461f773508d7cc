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
	Turn   func(e FolderEntry, n int)
	OnDone func(files []FolderEntry) tea.Cmd

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
		page := max(1, d.Table.ShownRows())
		d.Table.Move(map[string]int{"up": -1, "down": 1, "pgup": -page, "pgdown": page}[k])
	case "tab":
		return d.CompletePath(), false
	case "left", "right":
		if e, ok := d.Current(); ok && d.Turn != nil && d.markedIndex(e.Path) >= 0 {
			d.Turn(e, map[string]int{"left": -1, "right": 1}[k])
		}
	case "ctrl+s":
		if len(d.Marked) > 0 {
			return d.OnDone(d.Marked), true
		}
		d.fault = "no file marked; press enter to mark one"
	case "enter":
		return d.enterChosen()
	default:
		cmd, _ := d.Picker.Update(msg)
		return cmd, false
	}
	return nil, false
}

// enterChosen goes into a folder, takes the one file, or marks one of several.
func (d *Dialog) enterChosen() (tea.Cmd, bool) {
	e, ok := d.Current()
	switch {
	case !ok:
	case e.Folder:
		return d.EnterFolder(e.Path), false
	case d.Several == "":
		return d.OnDone([]FolderEntry{e}), true
	default:
		d.MarkFile()
	}
	return nil, false
}

// HandleClick selects an entry, and a second click on it does what enter does.
func (d *Dialog) HandleClick(_, y int) (tea.Cmd, bool) {
	was, any := d.Current()
	if !d.ClickEntry(y - 1) {
		return nil, false
	}
	if e, _ := d.Current(); any && e.Path == was.Path {
		return d.enterChosen()
	}
	return nil, false
}

// most is how many entries are shown.
const most = 16

// View draws the box.
func (d *Dialog) View(th *theme.Theme, w, h int) string {
	w = th.NarrowWidth(w, 76)
	var below []string
	fault := d.fault
	if fault == "" && d.ListError() != nil {
		fault = d.ListError().Error()
	}
	if fault != "" {
		below = append(below, th.PaintRole(theme.Bad, layout.CutLine(" ! "+fault, w-4)))
	}
	rows := min(max(len(d.shown), 1), most) + 2 // below the path and the titles
	hint := "enter select   esc back"
	if d.Several != "" {
		hint = fmt.Sprintf("enter mark   ←→ kind   ctrl+s %s %d   esc back", d.Several, len(d.Marked))
	}
	lines := layout.SplitLines(d.Picker.View(w-4, max(1, min(h-2, rows+len(below))), below...))
	return dialog.DrawFrame(th, d.Title, hint, lines, w)
}

// Cursor stands in what is typed.
func (d *Dialog) Cursor() *tea.Cursor {
	c := d.Picker.Cursor()
	return tea.NewCursor(c.X+2, c.Y+1)
}
