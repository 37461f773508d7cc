package operations

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
)

func opsFlightPermission() opsVerb {
	var in commands.Permission
	var permit string
	v := verbOf(commands.RecordPermission(&in))
	v.flags = append(v.flags, func(cmd *cobra.Command) {
		cmd.Flags().StringVar(&permit, "permit", "", "file with the permit")
	})
	record := v.do
	v.do = func(ctx context.Context, r *opsRun, args []string) error {
		if permit != "" {
			u, err := openUpload([]string{permit}, nil, nil)
			if err != nil {
				return err
			}
			defer u.closeFiles()
			in.Document = &u.files[0]
		}
		return record(ctx, r, args)
	}
	return v
}

func opsDeliver() opsVerb {
	var f filesFlags
	v := verbOf(commands.DeliverData(&f.files))
	v.use += " [FILE...]"
	v.flags = append(v.flags, f.addFlags)
	v.checks = append(v.checks, func(args []string) error { return f.checkFiles(args[1:], api.Deliverables()) })
	deliver := v.do
	v.do = func(ctx context.Context, r *opsRun, args []string) error {
		done, err := f.openFiles(r, args[1:])
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		defer done()
		return deliver(ctx, r, args)
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
	flags.StringSliceVar(&f.types, "type", nil, "product of the files: one for all, or one per file; photos need none")
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
		return fmt.Errorf("--type has %d products for %s; use one for all, or one per file", n, format.Count(len(files), "file", "files"))
	}
	for _, t := range f.types {
		if err := run.CheckKnown("--type", t, run.Names(known)); err != nil {
			return err
		}
	}
	for i, file := range files {
		if f.typeOf(i, file) == "" {
			return fmt.Errorf("unknown product of %s; set --type to one of %s", file, strings.Join(run.Names(known), ", "))
		}
	}
	return nil
}

// typeOf returns the product of a file, "" where it is not known.
func (f *filesFlags) typeOf(i int, file string) api.Deliverable {
	switch len(f.types) {
	case 0:
		if slices.Contains([]string{".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(file))) {
			return api.DeliverableJPG
		}
		return ""
	case 1:
		return api.Deliverable(f.types[0])
	default:
		return api.Deliverable(f.types[i])
	}
}

// openFiles opens the files, and tells people how far their sending, or making, is
// until it is done.
func (f *filesFlags) openFiles(r *opsRun, files []string) (done func(), err error) {
	if f.generate {
		return run.ShowWaiting(r.cmd.ErrOrStderr(), "generating files"), nil
	}
	u, err := openUpload(files, f.typeOf, newSendMeter(r.cmd.ErrOrStderr()))
	if err != nil {
		return nil, err
	}
	f.files = u.files
	return u.closeFiles, nil
}

// filesUpload are files that are being sent.
type filesUpload struct {
	files []api.FileInput
	open  []*os.File
	meter *sendMeter
}

func openUpload(paths []string, typeOf func(int, string) api.Deliverable, meter *sendMeter) (*filesUpload, error) {
	u := &filesUpload{meter: meter}
	for i, path := range paths {
		file, info, err := commands.OpenFile(path)
		if err != nil {
			u.closeFiles()
			return nil, fmt.Errorf("%s: %w", path, run.FileAdvice(err))
		}
		u.open = append(u.open, file)
		in := api.FileInput{Name: filepath.Base(path), Content: file}
		if meter != nil {
			meter.total.Add(info.Size())
			in.Content = &sentFile{file: file, meter: meter}
		}
		if typeOf != nil {
			in.FileDataType = typeOf(i, path)
		}
		u.files = append(u.files, in)
	}
	return u, nil
}

func (u *filesUpload) closeFiles() {
	if u.meter != nil {
		u.meter.ClearLine()
	}
	for _, file := range u.open {
		_ = file.Close()
	}
}
