package operations

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/filepicker"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// sent is what came of something that the service was asked to do.
type sent struct {
	said string         // in the status row
	then func() tea.Cmd // shows what it brought, nil for nothing
	ask  *ask           // what it was filled in with, to go on with where it was refused
}

// ask is a form that something is asked of the service with.
type ask struct {
	title string
	lines []string
	warn  string // what follows, and cannot be taken back
	form  *form.Form
	yes   string // what enter does
	doing string // what is on its way then
	// names are the fields of the service's faults by those of the form where
	// they differ.
	names  map[string]string
	change func(*form.Form) // works values out of others; nil for none
	check  func(*form.Form) // puts what is wrong at the fields; nil for nothing
	send   func(ctx context.Context) (sent, error)
	// pick tells whether files are to be chosen before it is sent, under which
	// title and of which kinds; nil for none. They are in files then.
	pick  func() (title string, kinds []api.Deliverable, wanted bool)
	files []upload
}

// acts asks the service to do things for the pages of Operations, one at a time.
// They are the bottom page's, which stays: what was asked for is not called off
// by leaving a page.
type acts struct {
	b     page.Base
	asked page.Question
	doing string // what is on its way, "" for nothing

	picker *filepicker.Dialog // in which files were chosen last
}

// workID is what is on its way, in the status row.
const workID = "operations"

type sentAnswer = page.Answer[sent]

// busy says why nothing else can be asked for now.
func (a *acts) busy() string {
	if a.doing == "" {
		return ""
	}
	return "still " + a.doing
}

// send has something done in the background.
func (a *acts) send(doing string, f func(ctx context.Context) (sent, error)) tea.Cmd {
	if a.doing != "" {
		return page.Toast(theme.Attention, a.busy())
	}
	a.doing = doing
	return tea.Batch(page.Send(page.WorkMsg{ID: workID, Text: doing, Done: -1}),
		page.Ask(a.b, &a.asked, func(ctx context.Context) (sent, error) { return f(context.WithoutCancel(ctx)) }))
}

// open asks with a form.
func (a *acts) open(q *ask) { a.b.Overlay(a.dialog(q, "")) }

func (a *acts) dialog(q *ask, fault string) *dialog.Edit {
	if q.change != nil {
		q.change(q.form)
	}
	return &dialog.Edit{
		Theme: a.b.Theme, Title: q.title, Lines: q.lines, Warn: q.warn, Fault: fault, Form: q.form, Yes: q.yes, OnChange: q.change,
		OnSave: func(f *form.Form) (tea.Cmd, bool) {
			if a.doing != "" { // what was typed stays until that is over
				return page.Toast(theme.Attention, a.busy()), false
			}
			for _, fl := range f.Fields {
				fl.Error = ""
			}
			if q.check != nil {
				q.check(f)
			}
			for _, fl := range f.Fields {
				if fl.Error != "" {
					f.Focus(fl.ID)
					return nil, false
				}
			}
			return a.goOn(q), true
		},
	}
}

// goOn sends what was filled in, once the files are chosen that it is about.
func (a *acts) goOn(q *ask) tea.Cmd {
	q.files = nil
	if q.pick != nil {
		if title, kinds, wanted := q.pick(); wanted {
			a.picker = pickFiles(a.b, title, kinds, func(files []upload) tea.Cmd {
				q.files = files
				return a.submit(q)
			})
			a.b.Overlay(a.picker)
			return a.picker.Start()
		}
	}
	return a.submit(q)
}

func (a *acts) submit(q *ask) tea.Cmd {
	send := q.send
	return a.send(q.doing, func(ctx context.Context) (sent, error) {
		s, err := send(ctx)
		s.ask = q
		return s, err
	})
}

// take takes what came of it, and reports whether it was that. Where the service
// refused, the form is there again as it was filled in.
func (a *acts) take(msg tea.Msg) (tea.Cmd, bool) {
	if a.picker != nil && a.picker.Owns(msg) {
		_, _ = a.picker.Update(msg)
		return nil, true
	}
	got, ok := msg.(sentAnswer)
	if !ok || !got.Of(&a.asked) {
		return nil, false
	}
	if !got.Take() {
		return nil, true
	}
	a.doing = ""
	a.b.Cache.Changed()
	a.b.Cache.Watch()
	cmds := []tea.Cmd{page.Send(page.WorkMsg{ID: workID, Over: true})}
	switch q := got.Value.ask; {
	case got.Err != nil && q != nil:
		a.b.Overlay(dialog.Sudden(a.dialog(q, q.refused(got.Err)), a.b.Now))
	case got.Err != nil:
		cmds = append(cmds, page.Toast(theme.Bad, refusal(got.Err)))
	default:
		if got.Value.said != "" {
			cmds = append(cmds, page.Toast(theme.Good, got.Value.said))
		}
		if got.Value.then != nil {
			cmds = append(cmds, got.Value.then())
		}
	}
	return tea.Batch(cmds...), true
}

// refused puts the service's faults at their fields, and returns what there is
// to say over them.
func (q *ask) refused(err error) string {
	var e *api.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return refusal(err)
	}
	var rest []string
	for _, fault := range e.Fields {
		name := fault.Field
		if other, ok := q.names[name]; ok {
			name = other
		}
		if fl := q.form.Field(name); fl != nil && fl.Kind != form.Note {
			fl.Error = layout.Clean(fault.Message)
			continue
		}
		rest = append(rest, layout.Clean(fault.Field+" "+fault.Message))
	}
	if len(rest) == 0 {
		return "The service rejected the values marked below."
	}
	return "The service rejected " + strings.Join(rest, "; ")
}

// refusal says why something was not done.
func refusal(err error) string {
	what, advice := labels.Explain(err)
	text := strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
	if api.MaybeApplied(err) {
		text = strings.TrimSuffix(what, ".") + ". The change may have been applied; check before retrying."
	}
	return layout.Clean(text)
}
