package neworder

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// listed shows the drafts that were put aside.
func (p *NewOrder) listed(answer page.Answer[[]kept]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	if answer.Err != nil {
		return page.Toast(theme.Bad, answer.Err.Error())
	}
	p.Overlay(p.shelf(answer.Value))
	return nil
}

// shelf is the dialog of the drafts put aside.
func (p *NewOrder) shelf(list []kept) page.Dialog {
	d := &picker{
		theme: p.Theme, title: "Drafts put aside", hint: "enter take up   n new draft   del forget   esc close",
		empty: "None. n puts this one aside and begins another; so does an order that is placed again.",
	}
	rows := func() {
		d.rows = nil
		for _, k := range list {
			right := format.Count(k.note.Sites, "site", "sites")
			if !k.note.Saved.IsZero() {
				right += ", saved " + format.Ago(k.note.Saved, p.Now())
			}
			d.rows = append(d.rows, choice{k.note.Name, right})
		}
	}
	rows()
	d.do = func(key string, at int) (tea.Cmd, bool) {
		switch {
		case key == "n":
			return p.take(newDraft(), ""), true
		case at < 0:
		case key == "enter" && list[at].draft == nil:
			return page.Toast(theme.Bad, "this draft cannot be read; it is kept as it is"), false
		case key == "enter":
			return p.take(list[at].draft, list[at].name), true
		case (key == "delete" || key == "backspace") && list[at].draft != nil && list[at].draft.Pending:
			return page.Toast(theme.Attention, "its order was sent, and is looked for first"), false
		case key == "delete" || key == "backspace":
			gone := list[at]
			list = append(list[:at:at], list[at+1:]...)
			rows()
			return p.forgetAside(gone), false
		}
		return nil, false
	}
	return d
}

// take goes over to a draft, and puts the one on the screen aside.
func (p *NewOrder) take(d *Draft, from string) tea.Cmd {
	keep := Kept(p.drafts.begin(d, from))
	p.show(d)
	return tea.Batch(keep, p.step().enter())
}

// forgetAside takes a draft off the shelf; u puts it back.
func (p *NewOrder) forgetAside(k kept) tea.Cmd {
	store := p.drafts.store
	return func() tea.Msg {
		data, err := store.read(k.name)
		if err == nil {
			err = store.remove(k.name)
		}
		if err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: fmt.Sprintf("forget draft: %v", err)}
		}
		return page.UndoMsg{Text: "forgot the draft " + k.note.Name, Undo: func() (tea.Cmd, bool) {
			return Kept(func() error { return store.write(k.name, data) }), true
		}}
	}
}
