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

// requestResult is what came of something that the service was asked to do.
type requestResult struct {
	said string         // in the status row
	then func() tea.Cmd // shows what it brought, nil for nothing
	ask  *requestForm   // what it was filled in with, to go on with where it was refused
}

// requestForm is a form that something is asked of the service with.
type requestForm struct {
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
	send   func(ctx context.Context) (requestResult, error)
	// pick tells whether files are to be chosen before it is sent, under which
	// title and of which kinds; nil for none. They are in files then.
	pick  func() (title string, kinds []api.Deliverable, wanted bool)
	files []localUpload
}

// requestRunner asks the service to do things for the pages of Operations, one at a time.
// They are the bottom page's, which stays: what was asked for is not called off
// by leaving a page.
type requestRunner struct {
	b     page.Base
	asked page.Question
	doing string // what is on its way, "" for nothing

	picker *filepicker.Dialog // in which files were chosen last
}

// workID is what is on its way, in the status row.
const workID = "operations"

type sentAnswer = page.QuestionAnswer[requestResult]

// busyReason says why nothing else can be asked for now.
func (a *requestRunner) busyReason() string {
	if a.doing == "" {
		return ""
	}
	return "still " + a.doing
}

// sendRequest has something done in the background.
func (a *requestRunner) sendRequest(doing string, f func(ctx context.Context) (requestResult, error)) tea.Cmd {
	if a.doing != "" {
		return page.ShowToast(theme.Attention, a.busyReason())
	}
	a.doing = doing
	return tea.Batch(
		page.SendMessage(page.WorkMsg{ID: workID, Text: doing, Done: -1}),
		page.AskInBackground(
			a.b,
			&a.asked,
			func(ctx context.Context) (requestResult, error) { return f(context.WithoutCancel(ctx)) },
		),
	)
}

// openForm asks with a form.
func (a *requestRunner) openForm(q *requestForm) tea.Cmd {
	a.b.Overlay(a.formDialog(q, ""))
	return nil
}

func (a *requestRunner) formDialog(q *requestForm, fault string) *dialog.FormDialog {
	if q.change != nil {
		q.change(q.form)
	}
	return &dialog.FormDialog{
		Theme:    a.b.Theme,
		Title:    q.title,
		Lines:    q.lines,
		Warn:     q.warn,
		Fault:    fault,
		Form:     q.form,
		Yes:      q.yes,
		OnChange: q.change,
		OnSave: func(f *form.Form) (tea.Cmd, bool) {
			if a.doing != "" { // what was typed stays until that is over
				return page.ShowToast(theme.Attention, a.busyReason()), false
			}
			for _, fl := range f.Fields {
				fl.Error = ""
			}
			if q.check != nil {
				q.check(f)
			}
			for _, fl := range f.Fields {
				if fl.Error != "" {
					f.FocusField(fl.ID)
					return nil, false
				}
			}
			return a.goOn(q), true
		},
	}
}

// goOn sends what was filled in, once the files are chosen that it is about.
func (a *requestRunner) goOn(q *requestForm) tea.Cmd {
	q.files = nil
	if q.pick != nil {
		if title, kinds, wanted := q.pick(); wanted {
			a.picker = pickFiles(a.b, title, kinds, func(files []localUpload) tea.Cmd {
				q.files = files
				return a.submitForm(q)
			})
			a.b.Overlay(a.picker)
			return a.picker.ShowFolder()
		}
	}
	return a.submitForm(q)
}

func (a *requestRunner) submitForm(q *requestForm) tea.Cmd {
	send := q.send
	return a.sendRequest(q.doing, func(ctx context.Context) (requestResult, error) {
		s, err := send(ctx)
		s.ask = q
		return s, err
	})
}

// takeResult takes what came of it, and reports whether it was that. Where the service
// refused, the form is there again as it was filled in.
func (a *requestRunner) takeResult(msg tea.Msg) (tea.Cmd, bool) {
	if a.picker != nil && a.picker.OwnsMessage(msg) {
		_, _ = a.picker.Update(msg)
		return nil, true
	}
	got, ok := msg.(sentAnswer)
	if !ok || !got.Answers(&a.asked) {
		return nil, false
	}
	if !got.TakeAnswer() {
		return nil, true
	}
	a.doing = ""
	a.b.Cache.MarkChanged()
	a.b.Cache.WatchAccount()
	cmds := []tea.Cmd{page.SendMessage(page.WorkMsg{ID: workID, Over: true})}
	switch q := got.Value.ask; {
	case got.Err != nil && q != nil:
		a.b.Overlay(dialog.OpenCalmly(a.formDialog(q, q.placeFaults(got.Err)), a.b.Now))
	case got.Err != nil:
		cmds = append(cmds, page.ShowToast(theme.Bad, refusalText(got.Err)))
	default:
		if got.Value.said != "" {
			cmds = append(cmds, page.ShowToast(theme.Good, got.Value.said))
		}
		if got.Value.then != nil {
			cmds = append(cmds, got.Value.then())
		}
	}
	return tea.Batch(cmds...), true
}

// placeFaults puts the service's faults at their fields, and returns what there is
// to say over them.
func (q *requestForm) placeFaults(err error) string {
	var e *api.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return refusalText(err)
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

// refusalText says why something was not done.
func refusalText(err error) string {
	what, advice := labels.ExplainError(err)
	text := strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
	if api.MaybeApplied(err) {
		text = strings.TrimSuffix(what, ".") + ". The change may have been applied; check before retrying."
	}
	return layout.Clean(text)
}
