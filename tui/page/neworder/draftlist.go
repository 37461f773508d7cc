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

// draftsDialog shows the drafts put aside.
func (p *NewOrder) draftsDialog(list []ordering.StoredDraft) tea.Cmd {
	l := &widget.ListDialog{
		Title: "Other drafts", Row: "enter open   del delete   ", Hint: "n new draft   esc back",
		Empty: "No other drafts. Press n to start a new one; this one is saved.",
	}
	say := func(s ordering.StoredDraft) widget.ListRow {
		return widget.ListRow{Text: s.Title, Right: s.Describe(p.env.Clock.Now()) + " "}
	}
	create := func() tea.Cmd { return p.takeDraft(ordering.NewDraft()) }
	return showList(p, l, list, say, "n", create, func(s ordering.StoredDraft) (tea.Cmd, bool) {
		if why := unopenable(s); why != nil {
			return why, false
		}
		return p.takeUp(s.Name), true
	}, p.deleteStored)
}

// unopenable says why a draft cannot be opened, nil where it can.
func unopenable(s ordering.StoredDraft) tea.Cmd {
	switch {
	case s.Draft == nil:
		return page.ShowToast(theme.Bad, "Could not read this draft; the file is unchanged")
	case s.Elsewhere != nil:
		return page.ShowToast(theme.Attention, format.CapitalizeFirst(s.Elsewhere.Error()))
	}
	return nil
}

// takeUp opens a stored draft, unless another window has it by now.
func (p *NewOrder) takeUp(name string) tea.Cmd {
	take := func(context.Context) (*ordering.Draft, error) { return p.drafts.TakeUp(name) }
	return page.AskInBackground(p.base, &p.listing, take, func(d *ordering.Draft, err error) tea.Cmd {
		if err == nil {
			return p.takeDraft(d)
		}
		said := page.ShowToast(theme.Bad, err.Error())
		if p.drafts.Current == nil { // it was to be the first one
			return tea.Batch(said, p.beginPage(), p.readOthers())
		}
		return said
	})
}

// takeDraft goes over to a draft, and puts the one on the screen aside.
func (p *NewOrder) takeDraft(d *ordering.Draft) tea.Cmd {
	keep := page.KeepInBackground(p.drafts.BeginDraft(d), nil)
	p.others = nil // which of them are put aside is another matter now
	p.showDraft(d)
	again := p.readOthers()
	return tea.Batch(p.enterStep(), func() tea.Msg {
		if wrong := keep(); wrong != nil {
			return wrong
		}
		return again()
	})
}

// deleteStored deletes a draft; u puts it back.
func (p *NewOrder) deleteStored(s ordering.StoredDraft) (tea.Cmd, bool) {
	switch {
	case s.Elsewhere != nil:
		return unopenable(s), false
	case !s.Sent.IsZero():
		return page.ShowToast(
			theme.Attention,
			"Cannot delete: the order may have been placed; open the draft to check",
		), false
	}
	var restore func() error
	remove := func() (err error) {
		restore, err = p.drafts.RemoveStored(s.Name)
		return err
	}
	return removeForNow("draft "+s.Title, remove, func() error { return restore() }), true
}

// removeForNow removes something in the background; u puts it back.
func removeForNow(what string, remove, restore func() error) tea.Cmd {
	undo := func() (tea.Cmd, bool) { return page.KeepInBackground(restore, nil), true }
	return page.KeepInBackground(remove, page.UndoMsg{Text: "deleted " + what, Undo: undo})
}

// askDialog reads in the background what a dialog shows, and shows it.
func askDialog[T any](p *NewOrder, read func(context.Context) (T, error), show func(T) tea.Cmd) tea.Cmd {
	return page.AskInBackground(p.base, &p.listing, read, func(value T, err error) tea.Cmd {
		if err != nil {
			return page.ShowToast(theme.Bad, p.files.shortPath(err.Error()))
		}
		return show(value)
	})
}

// templateText returns what a template is about in a few words.
func templateText(t ordering.OrderTemplate) string {
	var parts []string
	for _, s := range t.Fields["sensors"] {
		parts = append(parts, format.Word(api.Sensor(s)).Label)
	}
	text := strings.Join(parts, ", ")
	if a := t.Fields["industryAssetType"]; len(a) > 0 {
		text += " · " + format.Word(api.IndustryAssetType(a[0])).Label
	}
	return strings.Trim(text, " ·")
}

// showTemplates shows the templates.
func (p *NewOrder) showTemplates(list []ordering.OrderTemplate) tea.Cmd {
	l := &widget.ListDialog{
		Title: "Templates", Row: "enter apply   del delete   ", Hint: "s save form   esc back",
		Empty: "No templates yet. Press s to save this form as one, without its sites.",
	}
	say := func(t ordering.OrderTemplate) widget.ListRow {
		return widget.ListRow{Text: t.Name, Right: templateText(t) + " "}
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
	return removeForNow(
		"template "+t.Name,
		func() error { return drafts.RemoveTemplate(t.Name) },
		func() error { return drafts.SaveTemplate(t) },
	), true
}

// askTemplateName asks under which name the form is saved.
func (p *NewOrder) askTemplateName() tea.Cmd {
	field := &widget.Field{
		Label: "Name",
		Help:  "Without sites; replaces a template of the same name",
		Check: checkName,
	}
	return p.env.AskValue("Save as template", "", api.MaxNameLength, field, "", func(name string) tea.Cmd {
		p.draft.SuggestValues(p.orderingCompany())
		drafts, t := p.drafts, p.draft.MakeTemplate(name, p.env.Clock.Now())
		return page.KeepInBackground(func() error { return drafts.SaveTemplate(t) },
			page.ToastMsg{Role: theme.Good, Text: "Template " + t.Name + " saved"})
	})
}
