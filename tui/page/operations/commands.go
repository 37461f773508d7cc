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

// requestResult is the result of a request.
type requestResult struct {
	said string         // for the status row
	then func() tea.Cmd // opens a dialog with the result; nil for none
	ask  *requestForm   // the form to reopen if the request was rejected
}

// requestForm is a form for a request to the service.
type requestForm struct {
	title string
	lines []string
	warn  string // irreversible effects
	form  *form.Form
	yes   string // label of the button
	doing string // progress text, as "issuing a quote"
	// names maps fields of the service's errors to fields of the form, where they
	// differ.
	names  map[string]string
	change func(*form.Form) // computes values from others; may be nil
	check  func(*form.Form) // sets the errors of fields; may be nil
	send   func(ctx context.Context) (requestResult, error)
	// pick reports whether to choose files before sending, and returns the dialog's
	// title and the kinds of files; nil for none. The chosen files are stored in files.
	pick  func() (title string, kinds []api.Deliverable, wanted bool)
	files []localUpload
}

// requestRunner sends requests of the pages of Operations, one at a time. It belongs to
// the section's first page, so that leaving a page does not cancel its request.
type requestRunner struct {
	b     page.Base
	asked page.Question
	doing string // progress text, "" if idle

	picker *filepicker.Dialog // last file dialog
}

// workID identifies the request in the status row.
const workID = "operations"

type sentAnswer = page.QuestionAnswer[requestResult]

// busyReason returns why no other request can be sent now, "" if one can.
func (a *requestRunner) busyReason() string {
	if a.doing == "" {
		return ""
	}
	return "still " + a.doing
}

// sendRequest runs a request in the background.
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

// openForm opens a form.
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
			if a.doing != "" { // keep the form open until the other request is done
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
			return a.chooseFilesAndSend(q), true
		},
	}
}

// chooseFilesAndSend lets the user choose the form's files, if it has any, and submits
// it.
func (a *requestRunner) chooseFilesAndSend(q *requestForm) tea.Cmd {
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

// takeResult handles the result of a request, and reports whether the message was one.
// A rejected form is reopened.
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

// placeFaults sets the service's errors at their fields, and returns those without a
// field.
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

// refusalText returns why a request was rejected.
func refusalText(err error) string {
	what, advice := labels.ExplainError(err)
	text := strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
	if api.MaybeApplied(err) {
		text = strings.TrimSuffix(what, ".") + ". The change may have been applied; check before retrying."
	}
	return layout.Clean(text)
}
