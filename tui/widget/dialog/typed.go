package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget/form"
)

// ConfirmTyped returns a dialog for what cannot be taken back: it goes on only once a word
// of what it is about, a code or an amount, was typed, in capitals or small letters.
func ConfirmTyped(
	th *theme.Theme,
	title string,
	lines []string,
	word, yes string,
	onYes func() tea.Cmd,
) *FormDialog {
	return &FormDialog{
		Theme: th, Title: title, Lines: lines, Warn: "Type " + word + " to confirm", Yes: yes,
		Form: form.New(100, nil, &form.Field{ID: "word", Label: "Confirm"}),
		OnSave: func(f *form.Form) (tea.Cmd, bool) {
			if typed := f.Focused().Value(); word == "" || !strings.EqualFold(typed, word) {
				return nil, !f.Rejects("word", "Does not match "+word)
			}
			return onYes(), true
		},
	}
}
