package page

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"flightdesk/config/atomicfile"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// ExportJob describes a file that the user exports.
type ExportJob struct {
	Title string // title of the dialog, for example "Export orders"
	Help  string // describes the content of the file, and the possible extensions of its name
	Noun  string // names the content in the message on success, for example "12 rows"
	// Write writes the content in the format of the typed file extension, such as ".csv". It is called in the
	// background, so it must only use data that does not change.
	Write func(to io.Writer, ending string) error
	// WriteRaw writes the content for other programs, with the names and values of the service's API. If it is not
	// nil, the user chooses between Write and WriteRaw.
	WriteRaw func(to io.Writer, ending string) error

	isRaw bool // the user chose WriteRaw
}

// contentField returns the field that chooses between Write and WriteRaw.
func contentField() *widget.Field {
	return &widget.Field{
		Label: "CSV with",
		Kind:  widget.ChoiceField,
		Help:  "JSON always has the names of the service",
		Options: []widget.Option{
			{Value: "labels", Label: "Words of the screen"},
			{Value: rawContent, Label: "Names of the service"},
		},
	}
}

// rawContent is the value of the content field that chooses WriteRaw.
const rawContent = "raw"

// PromptForFile asks the user of a page for the path of a file and writes the file. It suggests the
// given file name in the first folder of the file picker.
func PromptForFile(b Base, job ExportJob, name string) {
	path := filepath.Join(b.Env.Files.Folder, name)
	promptForPath(b, job, b.Env.Files.ShortPath(path), "")
}

// maxHelpWidth is the width of the longest text that fits below the field of a path.
const maxHelpWidth = 56

// promptForPath asks the user for the path of the file and writes the file. The field contains the
// suggested path at first. fault is an error text that is shown for this path, or "".
func promptForPath(b Base, job ExportJob, suggested, fault string) {
	file := &widget.Field{
		Label:  "File",
		Error:  fault,
		TypeOn: true,
	}
	var lines []string
	if format.Width(job.Help) > maxHelpWidth {
		lines = []string{job.Help} // wrapped, unlike the help of a field
	} else {
		file.Help = job.Help
	}
	fields := []*widget.Field{file}
	var choice *widget.Field // chooses between Write and WriteRaw; nil if there is no WriteRaw
	if job.WriteRaw != nil {
		choice = contentField()
		fields = append(fields, choice)
	}
	form := widget.NewForm(maxPath, b.Env.Clock.Now, fields...)
	// A field can be set only after it was added to a form.
	file.Set(suggested)
	if choice != nil && job.isRaw { // the user chose WriteRaw before the path had an error
		choice.Set(rawContent)
	}
	save := func() tea.Cmd {
		typed := file.Value()
		if typed == "" {
			file.Error = "file name required"
			return nil
		}
		chosen := job
		chosen.isRaw = choice != nil && choice.Value() == rawContent
		return writeExport(b, chosen, typed, false)
	}
	b.Env.Nav.Overlay(&widget.FormDialog{Title: job.Title, Lines: lines, Form: form, OnSave: save})
}

// writeExport writes the file in the background. If the file exists and replace is false, it asks the
// user whether to replace the file. After an error it asks for another path.
func writeExport(b Base, job ExportJob, typed string, replace bool) tea.Cmd {
	path := b.Env.Files.FullPath(typed)
	write := func(context.Context) (int64, error) {
		return b.Env.Files.writeJob(job, path, replace)
	}
	return RunInBackground(b, &Request{}, write, func(size int64, err error) tea.Cmd {
		if errors.Is(err, fs.ErrExist) {
			confirmReplace(b, job, typed)
			return nil
		}
		if err != nil {
			promptForPath(b, job, typed, format.DescribeFileFault(err)+"; use another path")
			return nil
		}
		return ShowToast(theme.Good, "Exported "+job.Noun+" to "+typed+" ("+format.Bytes(size)+")")
	})
}

// confirmReplace asks the user whether to replace a file that exists.
func confirmReplace(b Base, job ExportJob, typed string) {
	b.Env.Nav.Interrupt(&widget.Question{
		Title: "Replace file",
		Lines: []string{typed + " exists. Replace it?"},
		Yes:   "replace",
		No:    "choose another name",
		OnYes: func() tea.Cmd { return writeExport(b, job, typed, true) },
		OnNo: func() tea.Cmd {
			promptForPath(b, job, typed, "")
			return nil
		},
	})
}

// writeJob writes the file of a job and returns its size.
func (f *FileAccess) writeJob(job ExportJob, path string, replace bool) (int64, error) {
	if err := f.Confine(path); err != nil {
		return 0, err
	}
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return 0, errors.New("this is a folder")
	}
	err := atomicfile.WriteFile(path, replace, func(to io.Writer) error {
		limited, err := f.limitToFree(to, filepath.Dir(path))
		if err != nil {
			return err
		}
		if job.isRaw {
			return job.WriteRaw(limited, filepath.Ext(path))
		}
		return job.Write(limited, filepath.Ext(path))
	})
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
