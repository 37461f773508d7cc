package operations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
)

func opsFlightPermission() *opsVerb {
	var in commands.Permission
	var permit string
	v := verbOf(commands.RecordPermission(&in))
	v.Flags().StringVar(&permit, "permit", "", "file with the permit")
	record := v.do
	v.do = func(ctx context.Context, r *opsRun) error {
		if permit != "" {
			u, err := openUpload([]string{permit})
			if err != nil {
				return err
			}
			defer u.closeFiles()
			in.Document = &u.files[0]
		}
		return record(ctx, r)
	}
	return v
}

func opsDeliver() *opsVerb {
	var f filesFlags
	v := verbOf(commands.DeliverData(&f.files))
	v.Use += " [FILE...]"
	f.addFlags(v.Command)
	v.checks = append(v.checks, func(args []string) error { return f.checkFiles(args[1:], api.Deliverables()) })
	deliver := v.do
	v.do = func(ctx context.Context, r *opsRun) error {
		done, err := f.openFiles(r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Args[0], err)
		}
		defer done()
		return deliver(ctx, r)
	}
	return v
}

// filesFlags say what is uploaded.
type filesFlags struct {
	Types    []string `flag:"type,product of the files: one for all, or a list with commas; photos need none"`
	Generate bool     `flag:"generate,let the service make sample files"`

	files []api.FileInput // once they are open; none where the service makes them
}

func (f *filesFlags) addFlags(cmd *cobra.Command) {
	run.AddFlags(cmd, f)
	run.CompleteValues(cmd, "type", run.Names(api.Deliverables()))
}

func (f *filesFlags) checkFiles(files []string, known []api.Deliverable) error {
	switch n := len(f.Types); {
	case f.Generate && (len(files) > 0 || n > 0):
		return errors.New("--generate makes the files; remove FILE or --generate")
	case !f.Generate && len(files) == 0:
		return errors.New("no files to send; name some, or use --generate for samples")
	case n > 1 && n != len(files):
		return fmt.Errorf(
			"--type has %d products for %s; use one for all, or one per file",
			n,
			format.Count(len(files), "file", "files"),
		)
	}
	for _, t := range f.Types {
		if err := run.CheckKnown("--type", t, run.Names(known)); err != nil {
			return err
		}
	}
	for i, file := range files {
		if f.typeOf(i, file) == "" {
			return fmt.Errorf(
				"unknown product of %s; set --type to one of %s",
				file,
				strings.Join(run.Names(known), ", "),
			)
		}
	}
	return nil
}

// typeOf returns the product of a file, "" where it is not known.
func (f *filesFlags) typeOf(i int, file string) api.Deliverable {
	switch ext := strings.ToLower(filepath.Ext(file)); {
	case len(f.Types) > 0:
		return api.Deliverable(f.Types[min(i, len(f.Types)-1)])
	case ext == ".jpg" || ext == ".jpeg":
		return api.DeliverableJPG
	}
	return ""
}

// openFiles opens the files behind the first argument, and tells people how far their
// sending, or making, is until it is done.
func (f *filesFlags) openFiles(r *opsRun) (done func(), err error) {
	if f.Generate {
		return r.ShowWaiting("generating files"), nil
	}
	u, err := openUpload(r.Args[1:])
	if err != nil {
		return nil, err
	}
	for i := range u.files {
		u.files[i].FileDataType = f.typeOf(i, u.files[i].Name)
	}
	f.files = u.files
	told := r.ShowProgress(run.MeterFrame, u.describeProgress)
	return func() {
		told()
		u.closeFiles()
	}, nil
}

// filesUpload are files that are being sent.
type filesUpload struct {
	files []api.FileInput
	open  []*os.File
	total int64 // bytes
}

func openUpload(paths []string) (*filesUpload, error) {
	u := &filesUpload{}
	for _, path := range paths {
		file, info, err := commands.OpenFile(path)
		if err != nil {
			u.closeFiles()
			return nil, fmt.Errorf("%s: %w", path, run.FileAdvice(err))
		}
		u.total += info.Size()
		u.open = append(u.open, file)
		u.files = append(u.files, api.FileInput{Name: filepath.Base(path), Content: file})
	}
	return u, nil
}

func (u *filesUpload) closeFiles() {
	for _, file := range u.open {
		_ = file.Close()
	}
}

// describeProgress says how much of the files was read.
func (u *filesUpload) describeProgress() string {
	sent := int64(0)
	for _, file := range u.open {
		at, _ := file.Seek(0, io.SeekCurrent)
		sent += at
	}
	return fmt.Sprintf("sending %s of %s", format.Bytes(sent), format.Bytes(u.total))
}
