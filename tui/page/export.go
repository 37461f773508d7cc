package page

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
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
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
}

// AskForFile opens the dialog that asks a page's user for a file and writes it, with a name
// to begin with, in the folder where files are chosen.
func AskForFile(b Base, j ExportJob, name string) {
	j.openDialog(b, b.ShortPath(filepath.Join(b.Folder, name)), "")
}

// openDialog opens the dialog, with what was wrong with the path before.
func (j ExportJob) openDialog(b Base, typed, fault string) {
	file := &widget.Field{ID: "file", Label: "File", Help: j.Help, Error: fault, TypeOn: true}
	AskValue(b.Env, j.Title, "", 4096, file, typed, func(typed string) tea.Cmd {
		if typed == "" {
			file.Error = "file name required"
			return nil
		}
		j.typed, j.path, j.replace = typed, b.FullPath(typed), false
		return j.writeFile(b)
	})
}

// writeFile writes the file in the background, and tells what came of it.
func (j ExportJob) writeFile(b Base) tea.Cmd {
	write := func(context.Context) (int64, error) {
		if err := b.Confine(j.path); err != nil {
			return 0, err
		}
		if info, err := os.Lstat(j.path); err == nil && info.IsDir() {
			return 0, errors.New("this is a folder")
		}
		err := atomicfile.WriteFile(
			j.path,
			j.replace,
			func(to io.Writer) error { return j.Write(to, filepath.Ext(j.path)) },
		)
		if err != nil {
			return 0, err
		}
		info, err := os.Stat(j.path)
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	return AskInBackground(b, &Question{}, write, func(size int64, err error) tea.Cmd {
		switch {
		case errors.Is(err, fs.ErrExist):
			b.Interrupt(&widget.Question{
				Title: "Replace file",
				Lines: []string{j.typed + " exists. Replace it?"},
				Yes:   "replace", No: "choose another name",
				OnYes: func() tea.Cmd {
					j.replace = true
					return j.writeFile(b)
				},
				OnNo: func() tea.Cmd {
					j.openDialog(b, j.typed, "")
					return nil
				},
			})
		case err != nil:
			j.openDialog(b, j.typed, format.DescribeFileFault(err)+"; use another path")
		default:
			return ShowToast(theme.Good, "Exported "+j.Says+" to "+j.typed+" ("+format.Bytes(size)+")")
		}
		return nil
	})
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
