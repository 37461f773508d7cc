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
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
)

var missionCodes = []string{"MSN"}

func opsAssignOperator() opsVerb {
	return verbOf(commands.AssignOperator(new(string)), opsVerb{
		short: "Give a mission its operator",
		long: "Assigns an operator to a mission of an order whose quote is accepted. Another name replaces the operator, until a " +
			"flight is scheduled.",
		example: "flightdesk ops assign-operator MSN-2001 \"Mele Taufa\"",
	}, nil)
}

func opsSchedule() opsVerb {
	return verbOf(commands.ScheduleFlight(new(api.FlightInput), false), opsVerb{
		row: "schedule", short: "Schedule a mission's flight, or reschedule it",
		long: "Sets a mission's flight date; each time is a version of its planning. The time is like \"2026-12-01 09:30\" or \"in 3 days " +
			"09:30\" in the zone of this machine, or RFC 3339.",
		example: "flightdesk ops schedule-flight MSN-2001 \"2026-12-01 09:30\" --by \"Mele Taufa\"\nflightdesk ops schedule-flight MSN-2001 \"in 8 days 09:30\" --note \"moved, for the wind\"",
	}, nil)
}

func opsFlightPermission() opsVerb {
	var in commands.Permission
	var permit string
	return verbOf(commands.RecordPermission(&in), opsVerb{
		row: "flight-permission", short: "Record a mission's flight permission, with its document",
		long: "Records a flight permission in place of the one before, its document included: without --permit there is none any more. " +
			"The status is one of " + strings.Join(run.Names(api.PermissionStatuses()), ", ") + ".",
		example: "flightdesk ops record-permit MSN-2001 --status granted --authority \"Luftamt Nord\" --reference N-7 --permit permit.pdf",
		flags: func(_ *cobra.Command, flags *pflag.FlagSet) {
			flags.StringVar(&permit, "permit", "", "file of the document")
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
			return u.close, nil
		},
	}, func(r *opsRun, mission string, p *api.FlightPermission) error {
		document := "no document"
		if p.PermitFileURL != nil {
			document = filepath.Base(permit)
		}
		return r.facts(p, [2]string{"Mission", mission}, [2]string{"Permission", string(p.Status)}, [2]string{"Authority", run.TextOf(p.Authority)},
			[2]string{"Reference", run.TextOf(p.Reference)}, [2]string{"From", columns.Moment(p.ValidFrom)}, [2]string{"To", columns.Moment(p.ValidTo)}, [2]string{"Document", document})
	})
}

func opsDeliver() opsVerb {
	var f filesFlags
	return verbOf(commands.DeliverData(&f.files), opsVerb{
		files: "[FILE...]", short: "Deliver files of a mission, or have samples made",
		long: "Delivers files as a new package. Each has a product, with --type once for all, or once a file in their order; photos need " +
			"none. --generate has the service make sample files of all that the order lists instead.",
		example: "flightdesk ops deliver MSN-2001 --generate\n\nflightdesk ops deliver MSN-2001 a.jpg b.jpg\n\n" +
			"flightdesk ops deliver MSN-2001 ortho.tif dtm.tif --type _2dMap,digitalTerrainModel",
		flags: f.flags,
		open: func(r *opsRun, args []string) (func(), error) {
			done, err := f.open(r, args[1:])
			if err != nil {
				err = fmt.Errorf("%s: %w", args[0], err)
			}
			return done, err
		},
		check: func(files []string) error { return f.check(files, api.Deliverables()) },
	}, func(r *opsRun, mission string, p *api.DeliveryPackage) error {
		return r.tell(p, "delivered package %d of %s, %s, %s", p.Version, mission, format.Count(p.FileCount, "file", "files"), format.Bytes(p.TotalSize))
	})
}

func opsAcceptDelivery() opsVerb {
	return verbOf(commands.AcceptDelivery(), opsVerb{
		short: "Complete a mission whose data is delivered", long: "Accepts what was delivered of a mission; its packages become accepted, the mission completed.",
		example: "flightdesk ops accept-delivery MSN-2001",
	}, nil)
}

// filesFlags say what is uploaded.
type filesFlags struct {
	types    []string
	generate bool
	files    []api.FileInput // once they are open; none where the service makes them
}

func (f *filesFlags) flags(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.types, "type", nil, "product of the files: one for all, or one a file; photos need none")
	flags.BoolVar(&f.generate, "generate", false, "have the service make sample files")
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(run.Names(api.Deliverables()), cobra.ShellCompDirectiveNoFileComp))
}

func (f *filesFlags) check(files []string, known []api.Deliverable) error {
	switch n := len(f.types); {
	case f.generate && (len(files) > 0 || n > 0):
		return errors.New("--generate makes the files; leave out those named")
	case !f.generate && len(files) == 0:
		return errors.New("name the files to send, or have samples made with --generate")
	case n > 1 && n != len(files):
		return fmt.Errorf("--type has %d products for %s; one for all, or one a file", n, format.Count(len(files), "file", "files"))
	}
	for _, t := range f.types {
		if err := run.CheckKnown("--type", t, run.Names(known)); err != nil {
			return err
		}
	}
	for i, file := range files {
		if f.typeOf(i, file) == "" {
			return fmt.Errorf("say which product %s is with --type: %s", file, strings.Join(run.Names(known), ", "))
		}
	}
	return nil
}

// typeOf is the product of a file, "" where it is not known.
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

// open opens the files, and tells people how far their sending, or making, is
// until it is done.
func (f *filesFlags) open(r *opsRun, files []string) (done func(), err error) {
	if f.generate {
		return run.Waiting(r.cmd.ErrOrStderr(), "the service makes files"), nil
	}
	u, err := openUpload(files, f.typeOf, newSendMeter(r.cmd.ErrOrStderr()))
	if err != nil {
		return nil, err
	}
	f.files = u.files
	return u.close, nil
}

// uploading are files that are being sent.
type uploading struct {
	files []api.FileInput
	open  []*os.File
	meter *sendMeter
}

func openUpload(paths []string, typeOf func(int, string) api.Deliverable, meter *sendMeter) (*uploading, error) {
	u := &uploading{meter: meter}
	for i, path := range paths {
		file, info, err := commands.OpenFile(path)
		if err != nil {
			u.close()
			return nil, fmt.Errorf("%s: %w", path, run.FileAdvice(err))
		}
		u.open = append(u.open, file)
		in := api.FileInput{Name: filepath.Base(path), Content: file}
		if meter != nil {
			meter.total += info.Size()
			in.Content = &sentFile{file: file, meter: meter}
		}
		if typeOf != nil {
			in.FileDataType = typeOf(i, path)
		}
		u.files = append(u.files, in)
	}
	return u, nil
}

func (u *uploading) close() {
	if u.meter != nil {
		u.meter.clear()
	}
	for _, file := range u.open {
		_ = file.Close()
	}
}
