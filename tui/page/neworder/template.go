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
	"flightdesk/tui/widget/dialog"
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
	return askDialog(p, p.drafts.LoadTemplates, p.showTemplates)
}

// showTemplates shows the templates.
func (p *NewOrder) showTemplates(list []ordering.OrderTemplate) tea.Cmd {
	l := &dialog.List{
		Title: "Templates", Hint: "enter apply   s save form   del delete   esc back",
		Empty: "No templates yet. Press s to save this form as one, without its sites.",
	}
	say := func(t ordering.OrderTemplate) dialog.ListRow {
		return dialog.ListRow{Text: t.Name, Right: templateText(t) + " "}
	}
	return showList(p, l, list, say, "s", p.askTemplateName, p.useTemplate, p.forgetTemplate)
}

// useTemplate fills the form in.
func (p *NewOrder) useTemplate(t ordering.OrderTemplate) (tea.Cmd, bool) {
	cmd := p.editDraft(page.UndoMsg{Text: "applied template " + t.Name}, nil, func() {
		p.draft.Fields = maps.Clone(p.draft.Fields)
		for id, values := range t.Fields {
			if _, known := ordering.FieldByID(id); known {
				p.draft.Fields[id] = slices.Clone(values)
			}
		}
	})
	return tea.Batch(cmd, p.enterStep()), true
}

// forgetTemplate deletes a template; u brings it back.
func (p *NewOrder) forgetTemplate(t ordering.OrderTemplate) (tea.Cmd, bool) {
	drafts := p.drafts
	restore := func() (tea.Cmd, bool) {
		return page.KeepInBackground(func() error { return drafts.SaveTemplate(t) }, nil), true
	}
	remove := func() error { return drafts.RemoveTemplate(t.Name) }
	return page.KeepInBackground(remove, page.UndoMsg{Text: "deleted template " + t.Name, Undo: restore}), true
}

// askTemplateName asks under which name the form is saved.
func (p *NewOrder) askTemplateName() tea.Cmd {
	field := &form.Field{ID: "name", Label: "Name", Help: "Without sites; replaces a template of the same name"}
	return page.AskValue(p.Env, "Save as template", "", api.MaxNameLength, field, "", func(name string) tea.Cmd {
		if field.Error = page.TextIf(name == "", "name required"); name == "" {
			return nil
		}
		p.draft.SuggestValues(p.orderingCompany())
		drafts, t := p.drafts, p.draft.MakeTemplate(name, p.Now())
		return page.KeepInBackground(func() error { return drafts.SaveTemplate(t) },
			page.ToastMsg{Role: theme.Good, Text: "Template " + t.Name + " saved"})
	})
}
