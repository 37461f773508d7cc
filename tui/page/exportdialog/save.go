package exportdialog

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/config/atomicfile"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// ExportJob is a file that is to be written.
type ExportJob struct {
	Title string // of the dialog: Export orders
	Help  string // what it holds, and which endings there are
	Says  string // what is in it, as in "wrote 12 rows to ..."
	// Write writes the content for the ending of the file's name, ".csv", as it
	// was typed. It runs in the background, on what does not change meanwhile.
	Write func(to io.Writer, ending string) error

	typed   string // path as it was typed
	path    string
	replace bool
	err     error
	size    int64
}

// FileSaver asks a page's user for a file and writes it. The page hands it its
// messages.
type FileSaver struct {
	base  page.Base
	asked page.Question
}

// New makes the saver of a page.
func New(base page.Base) *FileSaver { return &FileSaver{base: base} }

type saveAnswer = page.QuestionAnswer[ExportJob]

// AskForFile opens the dialog with a name to begin with, in the folder where files
// are chosen.
func (s *FileSaver) AskForFile(j ExportJob, name string) {
	s.openDialog(j, page.ShortPath(&s.base.FileAccess, filepath.Join(s.base.Folder, name)), "")
}

// openDialog opens the dialog, with what was wrong with the path before.
func (s *FileSaver) openDialog(j ExportJob, typed, fault string) {
	f := form.New(4096, s.base.Now, &form.Field{ID: "file", Label: "File", Help: j.Help, Error: fault, TypeOn: true})
	f.Field("file").Set(typed)
	s.base.Overlay(&dialog.FormDialog{
		Theme: s.base.Theme, Title: j.Title, Form: f,
		OnSave: func(f *form.Form) (tea.Cmd, bool) {
			typed := f.Field("file").Value()
			if typed == "" {
				f.Field("file").Error = "file name required"
				return nil, false
			}
			j.typed, j.path, j.replace = typed, page.FullPath(&s.base.FileAccess, typed), false
			return s.writeFile(j), true
		},
	})
}

// writeFile writes the file in the background.
func (s *FileSaver) writeFile(j ExportJob) tea.Cmd {
	return page.AskInBackground(s.base, &s.asked, func(context.Context) (ExportJob, error) {
		if j.err = s.base.Confine(j.path); j.err == nil {
			j.size, j.err = j.writeContent()
		}
		return j, nil
	})
}

// Update takes the answers of the saver's own and reports whether it was one.
func (s *FileSaver) Update(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	got, ok := msg.(saveAnswer)
	if !ok || !got.Answers(&s.asked) {
		return nil, false
	}
	if got.TakeAnswer() {
		cmd = s.reportWritten(got)
	}
	return cmd, true
}

// reportWritten tells what came of a file.
func (s *FileSaver) reportWritten(msg saveAnswer) tea.Cmd {
	j := msg.Value
	switch {
	case errors.Is(j.err, fs.ErrExist):
		s.base.Overlay(dialog.OpenCalmly(&dialog.Question{
			Theme: s.base.Theme, Title: "Replace file",
			Lines: []string{j.typed + " exists. Replace it?"},
			Yes:   "replace", No: "choose another name",
			OnYes: func() tea.Cmd {
				j.replace = true
				return s.writeFile(j)
			},
			OnNo: func() tea.Cmd {
				s.openDialog(j, j.typed, "")
				return nil
			},
		}, s.base.Now))
	case j.err != nil:
		s.openDialog(j, j.typed, labels.DescribeFileFault(j.err)+"; use another path")
	default:
		return page.ShowToast(theme.Good, "Exported "+j.Says+" to "+j.typed+" ("+format.Bytes(j.size)+")")
	}
	return nil
}

// writeContent writes the content to the file: a new one, or whole in the place of the
// old one. What fails leaves nothing behind.
func (j *ExportJob) writeContent() (size int64, err error) {
	if info, err := os.Lstat(j.path); err == nil {
		switch {
		case info.IsDir():
			return 0, errors.New("this is a folder")
		case !j.replace:
			return 0, fs.ErrExist
		}
	}
	f, err := atomicfile.CreateFile(j.path, 0o600)
	if err != nil {
		return 0, err
	}
	counted := &byteCounter{to: f}
	if err := j.Write(counted, filepath.Ext(j.path)); err != nil {
		return 0, errors.Join(err, f.Discard())
	}
	if j.replace {
		return counted.n, f.Commit()
	}
	return counted.n, f.CommitNew()
}

// SafeName returns a name from outside as part of a file's name.
func SafeName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

// byteCounter counts what is written.
type byteCounter struct {
	to io.Writer
	n  int64
}

func (c *byteCounter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
