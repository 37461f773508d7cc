package neworder

import (
	"context"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// showDrafts opens a dialog with the drafts other than the current one.
func (p *NewOrder) showDrafts(drafts []ordering.StoredDraft) tea.Cmd {
	dialog := &widget.ListDialog{
		Title: "Other drafts",
		Row:   "enter open   del delete   ",
		Hint:  "n new draft   esc back",
		Empty: "No other drafts. Press n to start a new one; this one is kept.",
	}
	showRows(dialog, drafts, rowActions[ordering.StoredDraft]{
		describe: func(stored ordering.StoredDraft) widget.ListRow {
			return widget.ListRow{Text: stored.Title, Right: stored.Describe(p.env.Clock.Now()) + " "}
		},
		choose: p.openStored,
		remove: p.deleteStored,
		newKey: "n",
		create: func() tea.Cmd { return p.switchDraft(ordering.NewDraft()) },
	})
	p.env.Nav.Overlay(dialog)
	return nil
}

// rowActions has the functions with which a dialog lists elements of type T, and acts on them.
type rowActions[T any] struct {
	describe func(T) widget.ListRow                // returns the row of an element
	choose   func(T) (cmd tea.Cmd, closes bool)    // function of enter; reports whether the dialog closes
	remove   func(T) (cmd tea.Cmd, isRemoved bool) // function of delete; reports whether the element was removed
	newKey   string                                // key that calls create and closes the dialog
	create   func() tea.Cmd                        // creates an element
}

// showRows sets the rows of a dialog to the elements of a list. If an element is removed, its row is removed from
// the dialog.
func showRows[T any](dialog *widget.ListDialog, list []T, actions rowActions[T]) {
	shown := list // without elements that were removed in the dialog
	dialog.Rows = func() []widget.ListRow {
		rows := make([]widget.ListRow, len(shown))
		for i, element := range shown {
			rows[i] = actions.describe(element)
		}
		return rows
	}
	dialog.Take = func(i int) (tea.Cmd, bool) { return actions.choose(shown[i]) }
	removeRow := func(i int) (tea.Cmd, bool) { //nolint:unparam // the signature of a key of the dialog
		if i < 0 { // there are no rows
			return nil, false
		}
		cmd, isRemoved := actions.remove(shown[i])
		if isRemoved {
			shown = slices.Delete(shown, i, i+1)
		}
		return cmd, false // the dialog stays open
	}
	dialog.Keys = map[string]func(int) (tea.Cmd, bool){
		actions.newKey: func(int) (tea.Cmd, bool) { return actions.create(), true },
		"delete":       removeRow,
		"backspace":    removeRow,
	}
}

// openStored opens a stored draft and returns true. If the draft cannot be opened, it returns a command that shows
// the reason, and false.
func (p *NewOrder) openStored(stored ordering.StoredDraft) (tea.Cmd, bool) {
	if message := openRefusal(stored); message != nil {
		return message, false
	}
	return p.openDraft(stored.Name), true
}

// openRefusal returns a command that shows why a stored draft cannot be opened, or nil if it can be opened.
func openRefusal(stored ordering.StoredDraft) tea.Cmd {
	if stored.Draft == nil {
		return page.ShowToast(theme.Bad, "Could not read this draft; the file is unchanged")
	}
	if stored.Elsewhere != nil {
		return page.ShowToast(theme.Attention, format.CapitalizeFirst(stored.Elsewhere.Error()))
	}
	return nil
}

// openDraft opens the stored draft with the given file name. It shows an error if another window has opened the
// draft in the meantime.
func (p *NewOrder) openDraft(name string) tea.Cmd {
	read := func(context.Context) (*ordering.Draft, error) { return p.drafts.OpenStored(name) }
	show := func(d *ordering.Draft, err error) tea.Cmd {
		if err == nil {
			return p.switchDraft(d)
		}
		toast := page.ShowToast(theme.Bad, err.Error())
		if p.drafts.Current == nil { // the page was opened to show this draft, and shows no draft yet
			return tea.Batch(toast, p.showFirstDraft(), p.loadOtherDrafts())
		}
		return toast
	}
	return page.RunInBackground(p.base, &p.loadingDialog, read, show)
}

// switchDraft makes d the current draft and shows it. The previous draft is stored, and can be opened again.
func (p *NewOrder) switchDraft(d *ordering.Draft) tea.Cmd {
	save := page.DoInBackground(p.drafts.BeginDraft(d), nil)
	p.otherDrafts = nil // the previous draft is now one of them
	p.showDraft(d)
	load := p.loadOtherDrafts()
	saveAndLoad := func() tea.Msg {
		if failure := save(); failure != nil {
			return failure
		}
		return load()
	}
	return tea.Batch(p.enterStep(), saveAndLoad)
}

// deleteStored deletes a stored draft and returns true; the user can undo the deletion. If the draft cannot be
// deleted, it returns a command that shows the reason, and false.
func (p *NewOrder) deleteStored(stored ordering.StoredDraft) (tea.Cmd, bool) {
	if stored.Elsewhere != nil {
		return openRefusal(stored), false
	}
	if !stored.Sent.IsZero() {
		const message = "Cannot delete: the order may have been placed; open the draft to check"
		return page.ShowToast(theme.Attention, message), false
	}
	var restore func() error
	remove := func() error {
		var err error
		restore, err = p.drafts.RemoveStored(stored.Name)
		return err
	}
	return deleteWithUndo("draft "+stored.Title, remove, func() error { return restore() }), true
}

// deleteWithUndo calls remove in the background, and shows a message that name was deleted. If the user undoes the
// deletion, restore is called in the background.
func deleteWithUndo(name string, remove, restore func() error) tea.Cmd {
	undo := func() (tea.Cmd, bool) { return page.DoInBackground(restore, nil), true }
	return page.DoInBackground(remove, page.UndoMsg{Text: "deleted " + name, Undo: undo})
}

// loadDialog loads a value in the background, and then calls openDialog with the value. If loading fails,
// it shows a message instead.
func loadDialog[T any](p *NewOrder, load func(context.Context) (T, error), openDialog func(T) tea.Cmd) tea.Cmd {
	handleLoaded := func(value T, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, shortPaths(&p.env.Files, err.Error()))
		}
		return openDialog(value)
	}
	return page.RunInBackground(p.base, &p.loadingDialog, load, handleLoaded)
}

// showTemplates opens a dialog with the templates.
func (p *NewOrder) showTemplates(templates []ordering.OrderTemplate) tea.Cmd {
	dialog := &widget.ListDialog{
		Title: "Templates",
		Row:   "enter apply   del delete   ",
		Hint:  "s save form   esc back",
		Empty: "No templates yet. Press s to save this form as one, without its sites.",
	}
	showRows(dialog, templates, rowActions[ordering.OrderTemplate]{
		describe: func(t ordering.OrderTemplate) widget.ListRow {
			return widget.ListRow{Text: t.Name, Right: templateText(t) + " "}
		},
		choose: p.applyTemplate,
		remove: p.deleteTemplate,
		newKey: "s",
		create: p.openTemplateForm,
	})
	p.env.Nav.Overlay(dialog)
	return nil
}

// templateText returns the sensors and the asset type of a template, such as "RGB camera, Thermal ·
// Oil and gas".
func templateText(t ordering.OrderTemplate) string {
	var sensors []string
	for _, sensor := range t.Fields["sensors"] {
		sensors = append(sensors, format.Word(api.Sensor(sensor)).Label)
	}
	text := strings.Join(sensors, ", ")
	if assetType := t.Fields["industryAssetType"]; len(assetType) > 0 {
		text += " · " + format.Word(api.IndustryAssetType(assetType[0])).Label
	}
	return strings.Trim(text, " ·")
}

// applyTemplate sets the fields of the draft to the values of a template, and closes the dialog.
func (p *NewOrder) applyTemplate(t ordering.OrderTemplate) (tea.Cmd, bool) {
	done := page.UndoMsg{Text: "applied template " + t.Name}
	cmd := p.editDraft(done, nil, func() {
		p.draft.Fields = maps.Clone(p.draft.Fields)
		for id, values := range t.Fields {
			if _, isField := ordering.FieldByID(id); isField {
				p.draft.Fields[id] = slices.Clone(values)
			}
		}
	})
	return tea.Batch(cmd, p.enterStep()), true
}

// deleteTemplate deletes a template; the user can undo this.
func (p *NewOrder) deleteTemplate(t ordering.OrderTemplate) (tea.Cmd, bool) {
	drafts := p.drafts
	remove := func() error { return drafts.RemoveTemplate(t.Name) }
	restore := func() error { return drafts.SaveTemplate(t) }
	return deleteWithUndo("template "+t.Name, remove, restore), true
}

// openTemplateForm asks for a name and saves the fields of the draft as a template.
func (p *NewOrder) openTemplateForm() tea.Cmd {
	field := &widget.Field{
		Label: "Name",
		Help:  "Without sites; replaces a template of the same name",
		Check: checkName,
	}
	save := func(name string) tea.Cmd {
		p.draft.SuggestValues(p.orderingCompany())
		drafts := p.drafts
		template := p.draft.MakeTemplate(name, p.env.Clock.Now())
		write := func() error { return drafts.SaveTemplate(template) }
		return page.DoInBackground(write, page.ToastMsg{
			Role: theme.Good,
			Text: "Template " + template.Name + " saved",
		})
	}
	return p.env.PromptValue("Save as template", "", api.MaxNameLength, field, "", save)
}
