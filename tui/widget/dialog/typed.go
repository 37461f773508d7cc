package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/widget/form"
)

// ConfirmTyped returns a dialog for what cannot be taken back: it goes on only once a word
// of what it is about, a code or an amount, was typed, in capitals or small letters.
func ConfirmTyped(
	title string,
	lines []string,
	word, yes string,
	onYes func() tea.Cmd,
) *FormDialog {
	return &FormDialog{
		Title: title, Lines: lines, Warn: "Type " + word + " to confirm", Yes: yes,
		Form: form.New(100, nil, WordField("Confirm", "", word)), OnSave: onYes,
	}
}

// WordField returns the field in which a word is typed to confirm.
func WordField(label, help, word string) *form.Field {
	fl := &form.Field{ID: "confirm", Label: label, Help: help}
	fl.Check = func() string {
		if word == "" || !strings.EqualFold(fl.Value(), word) {
			return "Does not match " + word
		}
		return ""
	}
	return fl
}
