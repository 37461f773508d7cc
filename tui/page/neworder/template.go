package neworder

import (
	"context"
	"maps"
	"slices"
	"strings"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// templateText returns what a template is about in a few words.
func templateText(t ordering.OrderTemplate) string {
	var parts []string
	for _, s := range t.Fields["sensors"] {
		parts = append(parts, labels.SensorWord(api.Sensor(s)).Label)
	}
	text := strings.Join(parts, ", ")
	if a := t.Fields["industryAssetType"]; len(a) > 0 {
		text += " · " + labels.AssetType(api.IndustryAssetType(a[0])).Label
	}
	return strings.Trim(text, " ·")
}

// askTemplates reads the templates, to show them.
func (p *NewOrder) askTemplates() tea.Cmd {
	return page.AskInBackground(p.Base, &p.listing, func(context.Context) ([]ordering.OrderTemplate, error) { return p.drafts.LoadTemplates() })
}

// tookTemplates shows them.
func (p *NewOrder) tookTemplates(answer page.QuestionAnswer[[]ordering.OrderTemplate]) tea.Cmd {
	if !answer.TakeAnswer() {
		return nil
	}
	if answer.Err != nil {
		return page.ShowToast(theme.Bad, answer.Err.Error())
	}
	p.Overlay(p.templatePicker(answer.Value))
	return nil
}

// templatePicker returns the dialog of the templates.
func (p *NewOrder) templatePicker(list []ordering.OrderTemplate) page.Dialog {
	d := &choiceDialog{
		theme: p.Theme, title: "Templates", hint: "enter apply   s save form   del delete   esc back",
		empty: "No templates yet. Press s to save this form as one, without its sites.",
	}
	rows := func() {
		d.rows = nil
		for _, t := range list {
			d.rows = append(d.rows, pickerChoice{t.Name, templateText(t)})
		}
	}
	rows()
	d.do = func(key string, at int) (tea.Cmd, bool) {
		switch {
		case key == "s":
			p.Overlay(p.templateName())
			return nil, true
		case at < 0:
		case key == "enter":
			return p.useTemplate(list[at]), true
		case key == "delete" || key == "backspace":
			gone := list[at]
			list = slices.Delete(slices.Clone(list), at, at+1)
			rows()
			return p.forgetTemplate(gone), false
		}
		return nil, false
	}
	return d
}

// useTemplate fills the form in.
func (p *NewOrder) useTemplate(t ordering.OrderTemplate) tea.Cmd {
	cmd := p.editDraft(page.UndoMsg{Text: "applied template " + t.Name}, nil, func() {
		p.draft.Fields = maps.Clone(p.draft.Fields)
		for id, values := range t.Fields {
			if _, known := ordering.FieldByID(id); known {
				p.draft.Fields[id] = slices.Clone(values)
			}
		}
	})
	return tea.Batch(cmd, p.currentStep().enterStep())
}

// forgetTemplate deletes a template; u brings it back.
func (p *NewOrder) forgetTemplate(t ordering.OrderTemplate) tea.Cmd {
	drafts := p.drafts
	return func() tea.Msg {
		if err := drafts.RemoveTemplate(t.Name); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return page.UndoMsg{Text: "deleted template " + t.Name, Undo: func() (tea.Cmd, bool) {
			return KeepInBackground(func() error { return drafts.SaveTemplate(t) }), true
		}}
	}
}

// templateName asks under which name the form is saved.
func (p *NewOrder) templateName() page.Dialog {
	f := form.New(api.MaxNameLength, p.Now, &form.Field{ID: "name", Label: "Name", Help: "Without sites; replaces a template of the same name"})
	save := func(f *form.Form) (tea.Cmd, bool) {
		name := f.Field("name")
		if name.Value() == "" {
			name.Error = "name required"
			return nil, false
		}
		p.draft.SuggestValues(p.orderingCompany())
		t := p.draft.MakeTemplate(name.Value(), p.Now())
		drafts := p.drafts
		return func() tea.Msg {
			if err := drafts.SaveTemplate(t); err != nil {
				return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
			}
			return page.ToastMsg{Role: theme.Good, Text: "Template " + t.Name + " saved"}
		}, true
	}
	return &dialog.FormDialog{Theme: p.Theme, Title: "Save as template", Form: f, OnSave: save}
}
