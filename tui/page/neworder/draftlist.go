package neworder

import (
	"context"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// listed shows the drafts that were put aside.
func (p *NewOrder) listed(answer page.Answer[[]ordering.StoredDraft]) tea.Cmd {
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
func (p *NewOrder) shelf(list []ordering.StoredDraft) page.Dialog {
	d := &picker{
		theme: p.Theme, title: "Other drafts", hint: "enter open   n new draft   del delete   esc back",
		empty: "No other drafts. Press n to start a new one; this one is saved.",
	}
	rows := func() { d.rows = p.draftRows(list) }
	rows()
	d.do = func(key string, at int) (tea.Cmd, bool) {
		switch {
		case key == "n":
			return p.take(ordering.NewDraft(), ""), true
		case at < 0:
		case key == "enter" && list[at].Draft == nil:
			return page.Toast(theme.Bad, "Could not read this draft; the file is unchanged"), false
		case list[at].Holder != nil:
			return page.Toast(theme.Attention, "This draft is open in "+ordering.Window(*list[at].Holder)), false
		case key == "enter":
			return p.takeUp(list[at].Name), true
		case (key == "delete" || key == "backspace") && list[at].Draft != nil && list[at].Draft.Pending:
			return page.Toast(theme.Attention, "Cannot delete: the order may have been placed; open the draft to check"), false
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

// draftRows describe drafts: sites, age, and who has one open.
func (p *NewOrder) draftRows(list []ordering.StoredDraft) (rows []choice) {
	for i := range list {
		rows = append(rows, choice{list[i].Note.Name, list[i].About(p.Now())})
	}
	return rows
}

// takenUp is a stored draft that is open in this window now.
type takenUp struct {
	draft *ordering.Draft
	name  string
}

// takeUp opens a stored draft, unless another window has it by now.
func (p *NewOrder) takeUp(name string) tea.Cmd {
	return page.Ask(p.Base, &p.listing, func(context.Context) (takenUp, error) {
		d, err := p.drafts.TakeUp(name)
		return takenUp{d, name}, err
	})
}

func (p *NewOrder) tookUp(answer page.Answer[takenUp]) tea.Cmd {
	switch {
	case !answer.Take():
		return nil
	case answer.Err != nil && p.drafts.Current == nil: // it was to be the first one
		return tea.Batch(page.Toast(theme.Bad, answer.Err.Error()), p.begin(), p.readTwins())
	case answer.Err != nil:
		return page.Toast(theme.Bad, answer.Err.Error())
	}
	return p.take(answer.Value.draft, answer.Value.name)
}

// take goes over to a draft, and puts the one on the screen aside.
func (p *NewOrder) take(d *ordering.Draft, from string) tea.Cmd {
	keep := Kept(p.drafts.Begin(d, from))
	p.twins.known.Drafts = nil // which of them are put aside is another matter now
	p.show(d)
	again := p.readTwins()
	return tea.Batch(p.step().enter(), func() tea.Msg {
		if wrong := keep(); wrong != nil {
			return wrong
		}
		return again()
	})
}

// forgetAside takes a draft off the shelf; u puts it back.
func (p *NewOrder) forgetAside(k ordering.StoredDraft) tea.Cmd {
	return func() tea.Msg {
		restore, err := p.drafts.RemoveStored(k.Name)
		if err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return page.UndoMsg{Text: "deleted draft " + k.Note.Name, Undo: func() (tea.Cmd, bool) { return Kept(restore), true }}
	}
}

// Kept writes what the drafts returned, in the background, and says what is
// wrong with it.
func Kept(write func() error) tea.Cmd {
	return func() tea.Msg {
		if err := write(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return nil
	}
}
