package neworder

import (
	"context"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// takeListed shows the drafts that were put aside.
func (p *NewOrder) takeListed(answer page.QuestionAnswer[[]ordering.StoredDraft]) tea.Cmd {
	if !answer.TakeAnswer() {
		return nil
	}
	if answer.Err != nil {
		return page.ShowToast(theme.Bad, answer.Err.Error())
	}
	p.Overlay(p.draftsDialog(answer.Value))
	return nil
}

// draftsDialog returns the dialog of the drafts put aside.
func (p *NewOrder) draftsDialog(list []ordering.StoredDraft) page.Dialog {
	d := &choiceDialog{
		theme: p.Theme, title: "Other drafts", hint: "enter open   n new draft   del delete   esc back",
		empty: "No other drafts. Press n to start a new one; this one is saved.",
	}
	rows := func() { d.rows = p.draftRows(list) }
	rows()
	d.do = func(key string, at int) (tea.Cmd, bool) {
		switch {
		case key == "n":
			return p.takeDraft(ordering.NewDraft()), true
		case at < 0:
		case key == "enter" && list[at].Draft == nil:
			return page.ShowToast(theme.Bad, "Could not read this draft; the file is unchanged"), false
		case list[at].Holder != nil:
			return page.ShowToast(theme.Attention, "This draft is open in "+ordering.WindowName(*list[at].Holder)), false
		case key == "enter":
			return p.takeUp(list[at].Name), true
		case (key == "delete" || key == "backspace") && list[at].Draft != nil && list[at].Draft.Pending:
			return page.ShowToast(theme.Attention, "Cannot delete: the order may have been placed; open the draft to check"), false
		case key == "delete" || key == "backspace":
			gone := list[at]
			list = append(list[:at:at], list[at+1:]...)
			rows()
			return p.deleteStored(gone), false
		}
		return nil, false
	}
	return d
}

// draftRows describe drafts: sites, age, and who has one open.
func (p *NewOrder) draftRows(list []ordering.StoredDraft) (rows []pickerChoice) {
	for i := range list {
		rows = append(rows, pickerChoice{list[i].Note.Name, list[i].Describe(p.Now())})
	}
	return rows
}

// takeUp opens a stored draft, unless another window has it by now.
func (p *NewOrder) takeUp(name string) tea.Cmd {
	return page.AskInBackground(p.Base, &p.listing, func(context.Context) (*ordering.Draft, error) { return p.drafts.TakeUp(name) })
}

func (p *NewOrder) openTakenUp(answer page.QuestionAnswer[*ordering.Draft]) tea.Cmd {
	switch {
	case !answer.TakeAnswer():
		return nil
	case answer.Err == nil:
		return p.takeDraft(answer.Value)
	}
	said := page.ShowToast(theme.Bad, answer.Err.Error())
	if p.drafts.Current == nil { // it was to be the first one
		return tea.Batch(said, p.beginPage(), p.readTwins())
	}
	return said
}

// takeDraft goes over to a draft, and puts the one on the screen aside.
func (p *NewOrder) takeDraft(d *ordering.Draft) tea.Cmd {
	keep := KeepInBackground(p.drafts.BeginDraft(d))
	p.twins.known.Drafts = nil // which of them are put aside is another matter now
	p.showDraft(d)
	again := p.readTwins()
	return tea.Batch(p.currentStep().enterStep(), func() tea.Msg {
		if wrong := keep(); wrong != nil {
			return wrong
		}
		return again()
	})
}

// deleteStored takes a draft off the shelf; u puts it back.
func (p *NewOrder) deleteStored(k ordering.StoredDraft) tea.Cmd {
	return func() tea.Msg {
		restore, err := p.drafts.RemoveStored(k.Name)
		if err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return page.UndoMsg{Text: "deleted draft " + k.Note.Name, Undo: func() (tea.Cmd, bool) { return KeepInBackground(restore), true }}
	}
}

// KeepInBackground writes what the drafts returned, in the background, and says what is
// wrong with it.
func KeepInBackground(write func() error) tea.Cmd {
	return func() tea.Msg {
		if err := write(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return nil
	}
}
