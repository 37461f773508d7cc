package operations

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
)

func opsAssignOperator() opsVerb {
	return verbOf(commands.AssignOperator(new(string)), opsVerb{
		short:   "Assign an operator to a mission",
		long:    "Assigns an operator to a mission of an order with an accepted quote. Until a flight is scheduled, another name replaces the operator.",
		example: "# assign an operator by name\nflightdesk ops assign-operator MSN-2001 \"Mele Taufa\"",
	}, nil)
}

func opsSchedule() opsVerb {
	return verbOf(commands.ScheduleFlight(new(api.FlightInput), false), opsVerb{
		row:   "schedule",
		short: "Schedule or reschedule a mission's flight",
		long: `Sets the flight date of a mission, as a new version of its planning. Times can be "2026-12-01 09:30" or "in 3 days 09:30" ` +
			"in this machine's time zone, or RFC 3339.",
		example: "# schedule a flight\nflightdesk ops schedule-flight MSN-2001 \"2026-12-01 09:30\" --by \"Mele Taufa\"\n\n" +
			"# move it, with a note for the client\nflightdesk ops schedule-flight MSN-2001 \"in 8 days 09:30\" --note \"too windy\"",
	}, nil)
}

func opsFlightPermission() opsVerb {
	var in commands.Permission
	var permit string
	return verbOf(commands.RecordPermission(&in), opsVerb{
		row:   "flight-permission",
		short: "Record a mission's flight permission and permit",
		long: "Replaces the flight permission of a mission, including its permit: without --permit it has none. Statuses: " +
			strings.Join(run.Names(api.PermissionStatuses()), ", ") + ".",
		example: "# a granted permission with its permit\nflightdesk ops record-permit MSN-2001 --status granted --authority \"Luftamt Nord\" " +
			"--reference N-7 --permit permit.pdf",
		flags: func(_ *cobra.Command, flags *pflag.FlagSet) {
			flags.StringVar(&permit, "permit", "", "file with the permit")
		},
		open: func(*opsRun, []string) (func(), error) {
			if permit == "" {
				return func() {}, nil
			}
			u, err := openUpload([]string{permit}, nil, nil)
			if err != nil {
				return nil, err
			}
			in.Document = &u.files[0]
			return u.closeFiles, nil
		},
	}, func(r *opsRun, mission string, p *api.FlightPermission) error {
		document := "no permit"
		if p.PermitFileURL != nil {
			document = filepath.Base(permit)
		}
		return r.printFacts(p, [][2]string{
			{"Mission", mission},
			{"Permission", labels.PermissionLabel(p.Status).DetailText()},
			{"Authority", run.TextOf(p.Authority)},
			{"Reference", run.TextOf(p.Reference)},
			{"From", columns.FormatMoment(p.ValidFrom)},
			{"To", columns.FormatMoment(p.ValidTo)},
			{"Document", document},
		})
	})
}

func opsDeliver() opsVerb {
	var f filesFlags
	return verbOf(commands.DeliverData(&f.files), opsVerb{
		files: "[FILE...]",
		short: "Deliver files of a mission, or generate samples",
		long: "Delivers files as a new package. --type names their product: once for all, or once per file in their order; photos need " +
			"none. --generate lets the service make sample files of all products of the order.",
		example: "# sample files of all products of the order\nflightdesk ops deliver MSN-2001 --generate\n\n" +
			"# photos\nflightdesk ops deliver MSN-2001 a.jpg b.jpg\n\n" +
			"# two files of different products\nflightdesk ops deliver MSN-2001 ortho.tif dtm.tif --type _2dMap,digitalTerrainModel",
		flags: f.addFlags,
		open: func(r *opsRun, args []string) (func(), error) {
			done, err := f.openFiles(r, args[1:])
			if err != nil {
				err = fmt.Errorf("%s: %w", args[0], err)
			}
			return done, err
		},
		check: func(files []string) error { return f.checkFiles(files, api.Deliverables()) },
	}, func(r *opsRun, mission string, p *api.DeliveryPackage) error {
		return r.printAnswer(p, "delivered package %d of %s, %s, %s",
			p.Version, mission, format.Count(p.FileCount, "file", "files"), format.Bytes(p.TotalSize))
	})
}

func opsAcceptDelivery() opsVerb {
	return verbOf(commands.AcceptDelivery(), opsVerb{
		short:   "Accept a delivery and complete the mission",
		long:    "Accepts all packages of a mission and completes it.",
		example: "# accept the packages of a mission\nflightdesk ops accept-delivery MSN-2001",
	}, nil)
}

// filesFlags say what is uploaded.
type filesFlags struct {
	types    []string
	generate bool
	files    []api.FileInput // once they are open; none where the service makes them
}

func (f *filesFlags) addFlags(cmd *cobra.Command, flags *pflag.FlagSet) {
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
