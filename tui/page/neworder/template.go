package neworder

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/form"
)

// templateText returns what a template is about in a few words.
func templateText(t ordering.OrderTemplate) string {
	var parts []string
	for _, s := range t.Fields["sensors"] {
		parts = append(parts, labels.Word(api.Sensor(s)).Label)
	}
	text := strings.Join(parts, ", ")
	if a := t.Fields["industryAssetType"]; len(a) > 0 {
		text += " · " + labels.Word(api.IndustryAssetType(a[0])).Label
	}
	return strings.Trim(text, " ·")
}

// askTemplates reads the templates, to show them.
func (p *NewOrder) askTemplates() tea.Cmd {
	return askDialog(p, p.drafts.LoadTemplates, p.templatePicker)
}

// templatePicker returns the dialog of the templates.
func (p *NewOrder) templatePicker(list []ordering.OrderTemplate) page.Dialog {
	d := &choiceDialog{
		theme: p.Theme, title: "Templates", hint: "enter apply   s save form   del delete   esc back",
		empty:  "No templates yet. Press s to save this form as one, without its sites.",
		newKey: "s", create: p.askTemplateName,
	}
	for _, t := range list {
		d.rows = append(d.rows, pickerChoice{
			text: t.Name, right: templateText(t),
			take:   func() (tea.Cmd, bool) { return p.useTemplate(t), true },
			remove: func() (tea.Cmd, bool) { return p.forgetTemplate(t), true },
		})
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
	return tea.Batch(cmd, p.enterStep())
}

// forgetTemplate deletes a template; u brings it back.
func (p *NewOrder) forgetTemplate(t ordering.OrderTemplate) tea.Cmd {
	drafts := p.drafts
	restore := func() (tea.Cmd, bool) {
		return page.KeepInBackground(func() error { return drafts.SaveTemplate(t) }, nil), true
	}
	remove := func() error { return drafts.RemoveTemplate(t.Name) }
	return page.KeepInBackground(remove, page.UndoMsg{Text: "deleted template " + t.Name, Undo: restore})
}

// askTemplateName asks under which name the form is saved.
func (p *NewOrder) askTemplateName() tea.Cmd {
	field := &form.Field{ID: "name", Label: "Name", Help: "Without sites; replaces a template of the same name"}
	return p.askValue("Save as template", field, "", func() (tea.Cmd, string) {
		if field.Value() == "" {
			return nil, "name required"
		}
		p.draft.SuggestValues(p.orderingCompany())
		drafts, t := p.drafts, p.draft.MakeTemplate(field.Value(), p.Now())
		return page.KeepInBackground(func() error { return drafts.SaveTemplate(t) },
			page.ToastMsg{Role: theme.Good, Text: "Template " + t.Name + " saved"}), ""
	})
}
