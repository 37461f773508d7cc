package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api/server"
	"flightdesk/tui/cli/run"
)

// isAddress reports whether what should be a folder is the address of a database
// or a bucket.
func isAddress(folder string) bool { return strings.Contains(folder, "://") }

// keptPlaces are where a service keeps what is backed up or restored.
type keptPlaces struct {
	data   string
	shared sharedFlags
}

func addKeptPlaces(cmd *cobra.Command) *keptPlaces {
	k := &keptPlaces{}
	cmd.Flags().StringVar(&k.data, "data", "", "data folder of the service; the default folder if omitted")
	k.shared.addPlaces(cmd.Flags())
	return k
}

// serverOf returns a server that is not started, and what its data is called.
func (k *keptPlaces) serverOf(c *run.Call) (s *server.Server, place string, err error) {
	s = &server.Server{Dir: k.data}
	if s.Dir == "" {
		s.Dir = filepath.Join(c.Env.Dirs.State, "server")
	}
	switch {
	case isAddress(s.Dir), isAddress(c.Args[0]):
		err = errors.New("not a folder; name a database and a bucket with --database and --files")
	case k.shared.database == "" && k.shared.files != "":
		err = errors.New("--files needs --database")
	default:
		err = k.shared.checkBelonging()
	}
	if err != nil {
		return nil, "", run.BadUsage(c.Cmd, err)
	}
	return s, k.shared.describePlaces(s.Dir), k.shared.applyTo(s)
}

// BackupCommand copies the data of a service.
func BackupCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FOLDER",
		Short: "Copy a service's data to a new folder",
		Long: "Copies the data of a service, even while it runs: a consistent copy of its database, all files, and the key of its " +
			"secrets. FOLDER must be new or empty. Store the backup where only you can read it. With --database and --files the copy of a " +
			"PostgreSQL database and a bucket is a data folder as well: flightdesk serve --check checks it, and flightdesk serve --data " +
			"serves from it.",
		Example: "# back up a service\nflightdesk backup --data /var/lib/flightdesk /backup/monday\n\n" +
			"# back up what several processes share\nflightdesk backup --database postgres://flightdesk@db.example/flightdesk " +
			"--files 's3://surveys/desk?endpoint=https://s3.example:9000' /backup/monday",
	}
	kept := addKeptPlaces(cmd)
	return p.Command(cmd, func(ctx context.Context, c *run.Call) error {
		s, place, err := kept.serverOf(c)
		if err != nil {
			return err
		}
		if s.Database.URL != "" {
			err = s.BackupShared(ctx, c.Args[0])
		} else {
			err = server.BackupFolder(ctx, s.Dir, c.Args[0])
		}
		if err != nil {
			return fmt.Errorf("backup: %w", err)
		}
		return c.PrintAnswer(nil, place+" is copied to "+c.Args[0])
	})
}

// RestoreCommand makes a data folder of a copy.
func RestoreCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FOLDER",
		Short: "Restore a service's data from a backup",
		Long: "Checks a backup and copies it to the data folder, which must be new or empty. Stop the service and move its old data away " +
			"first. With --database and --files it copies to an empty PostgreSQL database and an empty bucket or prefix; run it again after an " +
			"interruption.",
		Example: "# restore a service\nflightdesk restore --data /var/lib/flightdesk /backup/monday\n\n" +
			"# restore what several processes share\nflightdesk restore --database postgres://flightdesk@db.example/restored " +
			"--files 's3://surveys/restored?endpoint=https://s3.example:9000' /backup/monday",
	}
	kept := addKeptPlaces(cmd)
	return p.Command(cmd, func(ctx context.Context, c *run.Call) error {
		s, place, err := kept.serverOf(c)
		switch {
		case err != nil:
			return err
		case s.Database.URL != "":
			return copyFolder(ctx, c.Out(), s, c.Args[0])
		}
		if err := server.RestoreFolder(ctx, c.Args[0], s.Dir); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		return c.PrintAnswer(nil, "restored "+place+" from "+c.Args[0])
	})
}

// checkData prints what is wrong with a data folder, line by line.
func checkData(ctx context.Context, out io.Writer, dir string) error {
	faults, err := server.CheckFolder(ctx, dir)
	if err != nil {
		return err
	}
	return printFaults(out, faults, dir+": no errors found", dir+" is damaged; move it away and run flightdesk restore")
}

// printFaults prints what is wrong, line by line, and returns the verdict as an error; or
// it prints that nothing is.
func printFaults(out io.Writer, faults []string, good, bad string) error {
	if len(faults) == 0 {
		_, err := fmt.Fprintln(out, good)
		return err
	}
	for _, fault := range faults {
		fmt.Fprintln(out, fault)
	}
	return errors.New(bad)
}
