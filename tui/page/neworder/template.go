package neworder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// template is an order's form under a name, for orders that repeat.
type template struct {
	Name   string
	Fields map[string][]string
}

// templateFile is where the templates of a profile are.
const templateFile = "templates.json"

// templates reads what was saved, by name. It is for the background, as are the
// other two.
func (k *Drafts) templates() ([]template, error) {
	data, err := k.store.read(templateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []template
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read templates: %w", err)
	}
	return list, nil
}

// saveTemplate keeps a template, in the place of one of its name.
func (k *Drafts) saveTemplate(t template) error {
	return k.changeTemplates(t.Name, func(list []template) []template { return append(list, t) })
}

// changeTemplates takes the template of a name out, and does what else there is
// to do to the rest. A file that cannot be read is not written over.
func (k *Drafts) changeTemplates(name string, change func([]template) []template) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	list, err := k.templates()
	if err != nil {
		return err
	}
	list = change(slices.DeleteFunc(list, func(t template) bool { return t.Name == name }))
	slices.SortFunc(list, func(a, b template) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	data, err := json.Marshal(list, json.Deterministic(true))
	if err == nil {
		err = k.store.write(templateFile, data)
	}
	if err != nil {
		return fmt.Errorf("keep templates: %w", err)
	}
	return nil
}

// template is the draft's form as it can be used again: without the order's own
// name, and without days that will be over.
func (d *Draft) template(name string, now time.Time) template {
	t := template{Name: name, Fields: map[string][]string{}}
	for _, id := range fieldIDs {
		values := d.Fields[id]
		day := id == "startDate" || id == "deadline"
		if id == "orderName" || id == "orderType" || len(values) == 0 || values[0] == "" || day && !relative(values[0], now) {
			continue
		}
		t.Fields[id] = slices.Clone(values)
	}
	return t
}

// relative reports whether a day moves with the day on which it is typed.
func relative(text string, now time.Time) bool {
	a, err := form.ParseDate(text, now)
	b, late := form.ParseDate(text, now.AddDate(0, 0, 7))
	return err == nil && late == nil && a.AddDate(0, 0, 7).Equal(b)
}

// says what a template is about in a few words.
func (t template) says() string {
	var parts []string
	for _, s := range t.Fields["sensors"] {
		parts = append(parts, labels.Sensor(api.Sensor(s)).Label)
	}
	text := strings.Join(parts, ", ")
	if a := t.Fields["industryAssetType"]; len(a) > 0 {
		text += " · " + labels.AssetType(api.IndustryAssetType(a[0])).Label
	}
	return strings.Trim(text, " ·")
}

// askTemplates reads the templates, to show them.
func (p *NewOrder) askTemplates() tea.Cmd {
	return page.Ask(p.Base, &p.listing, func(context.Context) ([]template, error) { return p.drafts.templates() })
}

// tookTemplates shows them.
func (p *NewOrder) tookTemplates(answer page.Answer[[]template]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	if answer.Err != nil {
		return page.Toast(theme.Bad, answer.Err.Error())
	}
	p.Overlay(p.templatePicker(answer.Value))
	return nil
}

// templatePicker is the dialog of the templates.
func (p *NewOrder) templatePicker(list []template) page.Dialog {
	d := &picker{
		theme: p.Theme, title: "Templates", hint: "enter use   s save this form   del delete   esc close",
		empty: "None yet. s saves the form as it is now, without sites, under a name.",
	}
	rows := func() {
		d.rows = nil
		for _, t := range list {
			d.rows = append(d.rows, choice{t.Name, t.says()})
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

// useTemplate fills the form in; u brings back what stood there.
func (p *NewOrder) useTemplate(t template) tea.Cmd {
	d, before := p.draft, maps.Clone(p.draft.Fields)
	for id, values := range t.Fields {
		if slices.Contains(fieldIDs, id) {
			d.Fields[id] = slices.Clone(values)
		}
	}
	undo := func() (tea.Cmd, bool) {
		if p.draft != d || d.Pending {
			return nil, false
		}
		d.Fields = before
		return tea.Batch(p.touched(), p.step().enter()), true
	}
	return tea.Batch(p.touched(), p.step().enter(), page.Send(page.UndoMsg{Text: "filled the form from " + t.Name, Undo: undo}))
}

// forgetTemplate deletes a template; u brings it back.
func (p *NewOrder) forgetTemplate(t template) tea.Cmd {
	drafts := p.drafts
	return func() tea.Msg {
		if err := drafts.changeTemplates(t.Name, func(list []template) []template { return list }); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return page.UndoMsg{Text: "deleted the template " + t.Name, Undo: func() (tea.Cmd, bool) {
			return Kept(func() error { return drafts.saveTemplate(t) }), true
		}}
	}
}

// templateName asks under which name the form is saved.
func (p *NewOrder) templateName() page.Dialog {
	f := form.New(api.MaxNameLength, p.Now, &form.Field{ID: "name", Label: "Name", Help: "the form without sites; one of the same name is replaced"})
	save := func(f *form.Form) (tea.Cmd, bool) {
		name := f.Field("name")
		if name.Value() == "" {
			name.Error = "a template needs a name"
			return nil, false
		}
		p.draft.suggest(p.Company)
		t := p.draft.template(name.Value(), p.Now())
		drafts := p.drafts
		return func() tea.Msg {
			if err := drafts.saveTemplate(t); err != nil {
				return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
			}
			return page.ToastMsg{Role: theme.Good, Text: "saved the template " + t.Name}
		}, true
	}
	return &dialog.Edit{Snug: true, Theme: p.Theme, Title: "Save as template", Form: f, OnSave: save}
}
