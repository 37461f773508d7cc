package listing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/cells"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
	"flightdesk/tui/widget/table"
)

// job is a file that is to be written.
type job struct {
	typed   string // path as it was typed
	path    string
	rows    table.Export
	replace bool
	err     error
	size    int64
}

type fileAnswer = page.Answer[job]

// export asks for a file and writes what the table shows.
func (l *Listing) export() {
	name := l.name + "-" + l.base.Now().Format(time.DateOnly) + ".csv"
	l.askFile(page.Short(l.base.Env, filepath.Join(l.base.Folder, name)), "")
}

// askFile opens the dialog, with what was wrong with the path before.
func (l *Listing) askFile(typed, fault string) {
	rows := l.Sheet.Export()
	help := format.Count(rows.Len(), "row", "rows") + " shown"
	if l.Sheet.HasMore() {
		help = format.Count(rows.Len(), "row", "rows") + " read so far"
	}
	help += ", as CSV or .json"
	f := form.New(4096, l.base.Now, &form.Field{ID: "file", Label: "File", Help: help, Error: fault})
	f.Field("file").Set(typed)
	l.base.Overlay(&dialog.Edit{
		Theme: l.base.Theme, Title: "Export " + l.name, Form: f,
		OnSave: func(f *form.Form) (tea.Cmd, bool) {
			typed := f.Field("file").Value()
			if typed == "" {
				f.Field("file").Error = "type the name of a file"
				return nil, false
			}
			return l.write(job{typed: typed, path: page.Full(l.base.Env, typed), rows: rows}), true
		},
	})
}

// write writes the file in the background.
func (l *Listing) write(j job) tea.Cmd {
	return page.Ask(l.base, &l.filed, func(context.Context) (job, error) {
		j.size, j.err = j.write()
		return j, nil
	})
}

// calm is how long a question that opens by itself ignores keys: they were
// meant for what was there before.
const calm = 400 * time.Millisecond

// sudden is a question that opens by itself.
type sudden struct {
	dialog.Question
	now   func() time.Time
	until time.Time
}

// Update takes enter and esc once all is calm.
func (q *sudden) Update(msg tea.Msg) (tea.Cmd, bool) {
	if q.now().Before(q.until) {
		return nil, false
	}
	return q.Question.Update(msg)
}

// written tells what came of a file.
func (l *Listing) written(msg fileAnswer) tea.Cmd {
	j := msg.Value
	switch {
	case msg.Err != nil:
		l.askFile(j.typed, msg.Err.Error())
	case errors.Is(j.err, fs.ErrExist):
		l.base.Overlay(&sudden{now: l.base.Now, until: l.base.Now().Add(calm), Question: dialog.Question{
			Theme: l.base.Theme, Title: "Replace " + filepath.Base(j.path) + "?",
			Lines: []string{j.typed + " is there already. What it holds would be gone."},
			Yes:   "replace it", No: "choose another name",
			OnYes: func() tea.Cmd {
				j.replace = true
				return l.write(j)
			},
			OnNo: func() tea.Cmd {
				l.askFile(j.typed, "")
				return nil
			},
		}})
	case j.err != nil:
		l.askFile(j.typed, fault(j.err))
	default:
		return page.Toast(theme.Good, j.says())
	}
	return nil
}

// fault says what is wrong with a path without repeating it.
func fault(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such folder; type another path"
	}
	return cells.Clean(err.Error()) + "; type another path"
}

func (j *job) format() table.Format {
	if strings.EqualFold(filepath.Ext(j.path), ".json") {
		return table.JSON
	}
	return table.CSV
}

// write writes the rows to the file: a new one, or whole in the place of the
// old one. What fails leaves nothing behind.
func (j *job) write() (size int64, err error) {
	if info, err := os.Lstat(j.path); err == nil {
		switch {
		case info.IsDir():
			return 0, errors.New("this is a folder")
		case !j.replace:
			return 0, fs.ErrExist
		}
	}
	f, err := os.CreateTemp(filepath.Dir(j.path), ".export-*")
	if err != nil {
		return 0, err
	}
	counted := &counter{to: f}
	err = errors.Join(j.rows.Write(counted, j.format()), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), j.path)
	}
	if err != nil {
		return 0, errors.Join(err, os.Remove(f.Name()))
	}
	return counted.n, nil
}

// counter counts what is written.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// says what came of the file.
func (j *job) says() string {
	return fmt.Sprintf("wrote %s to %s, %s", format.Count(j.rows.Len(), "row", "rows"), j.typed, format.Bytes(j.size))
}
