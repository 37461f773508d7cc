package operations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

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
			u, err := openUpload([]string{permit}, nil)
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
	types    []string
	generate bool
	files    []api.FileInput // once they are open; none where the service makes them
}

func (f *filesFlags) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(
		&f.types,
		"type",
		nil,
		"product of the files: one, or a list with one per file; photos need none",
	)
	flags.BoolVar(&f.generate, "generate", false, "let the service make sample files")
	run.CompleteValues(cmd, "type", run.Names(api.Deliverables()))
}

func (f *filesFlags) checkFiles(files []string, known []api.Deliverable) error {
	switch n := len(f.types); {
	case f.generate && (len(files) > 0 || n > 0):
		return errors.New("--generate makes the files; remove FILE or --generate")
	case !f.generate && len(files) == 0:
		return errors.New("no files to send; name some, or use --generate for samples")
	case n > 1 && n != len(files):
		return fmt.Errorf(
			"--type has %d products for %s; use one for all, or one per file",
			n,
			format.Count(len(files), "file", "files"),
		)
	}
	for _, t := range f.types {
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
	case len(f.types) > 0:
		return api.Deliverable(f.types[min(i, len(f.types)-1)])
	case ext == ".jpg" || ext == ".jpeg":
		return api.DeliverableJPG
	}
	return ""
}

// openFiles opens the files behind the first argument, and tells people how far their
// sending, or making, is until it is done.
func (f *filesFlags) openFiles(r *opsRun) (done func(), err error) {
	if f.generate {
		return r.ShowWaiting("generating files"), nil
	}
	u, err := openUpload(r.Args[1:], run.NewMeterLine(r.Trouble()))
	if err != nil {
		return nil, err
	}
	for i := range u.files {
		u.files[i].FileDataType = f.typeOf(i, u.files[i].Name)
	}
	f.files = u.files
	return u.closeFiles, nil
}

// filesUpload are files that are being sent.
type filesUpload struct {
	files []api.FileInput
	open  []*sentFile
	meter *run.MeterLine // tells how much of them was read; nil for nothing

	total, sent atomic.Int64 // bytes
}

func openUpload(paths []string, meter *run.MeterLine) (*filesUpload, error) {
	u := &filesUpload{meter: meter}
	for _, path := range paths {
		file, info, err := commands.OpenFile(path)
		if err != nil {
			u.closeFiles()
			return nil, fmt.Errorf("%s: %w", path, run.FileAdvice(err))
		}
		u.total.Add(info.Size())
		sent := &sentFile{file: file, of: u}
		u.open = append(u.open, sent)
		u.files = append(u.files, api.FileInput{Name: filepath.Base(path), Content: sent})
	}
	return u, nil
}

func (u *filesUpload) closeFiles() {
	if u.meter != nil {
		u.meter.ClearLine()
	}
	for _, file := range u.open {
		_ = file.file.Close()
	}
}

// sentFile is a file whose reading is told of.
type sentFile struct {
	file *os.File
	of   *filesUpload
	at   int64
}

// Read reads on in the file.
func (s *sentFile) Read(b []byte) (int, error) {
	n, err := s.file.Read(b)
	s.moveTo(s.at + int64(n))
	return n, err
}

// Seek goes back where the file has to be sent again.
func (s *sentFile) Seek(offset int64, whence int) (int64, error) {
	at, err := s.file.Seek(offset, whence)
	if whence == io.SeekStart && err == nil {
		s.moveTo(at)
	}
	return at, err
}

func (s *sentFile) moveTo(at int64) {
	sent := s.of.sent.Add(at - s.at)
	if s.at = at; s.of.meter != nil {
		s.of.meter.DrawLine("sending %s of %s", format.Bytes(sent), format.Bytes(s.of.total.Load()))
	}
}
