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

// dataFlag adds the flag for the data folder of a service.
func dataFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("data", "", "data folder of the service; the default folder if omitted")
}

func dataFolder(p *run.Program, given string) string {
	if given != "" {
		return given
	}
	return filepath.Join(p.Env.Dirs.State, "server")
}

// isAddress reports whether what should be a folder is the address of a database
// or a bucket.
func isAddress(folder string) bool { return strings.Contains(folder, "://") }

// BackupCommand copies the data of a service.
func BackupCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FOLDER",
		Short: "Copy a service's data to a new folder",
		Long: "Copies the data of a service, even while it runs: a consistent copy of its database, all files, and the key of its " +
			"secrets. FOLDER must be new or empty. Store the backup where only you can read it.",
		Example: "# back up a service\nflightdesk backup --data /var/lib/flightdesk /backup/monday",
	}
	data := dataFlag(cmd)
	return p.Command(cmd, func(ctx context.Context, c *run.Call) error {
		dir := dataFolder(p, *data)
		if isAddress(dir) || isAddress(c.Args[0]) {
			return run.WrongUsage(cmd, "backup works only with data folders; copy a PostgreSQL database with pg_dump, "+
				"a bucket with the tools of its provider")
		}
		if err := server.BackupFolder(ctx, dir, c.Args[0]); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
		return c.PrintAnswer(nil, dir+" is copied to "+c.Args[0])
	})
}

// RestoreCommand makes a data folder of a copy.
func RestoreCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "restore FOLDER",
		Short:   "Restore a service's data folder from a backup",
		Long:    "Checks a backup and copies it to the data folder, which must be new or empty. Stop the service and move its old data away first.",
		Example: "# restore a service\nflightdesk restore --data /var/lib/flightdesk /backup/monday",
	}
	data := dataFlag(cmd)
	return p.Command(cmd, func(ctx context.Context, c *run.Call) error {
		dir := dataFolder(p, *data)
		if isAddress(dir) || isAddress(c.Args[0]) {
			return run.WrongUsage(cmd, "restore works only with data folders; fill a PostgreSQL database with psql, "+
				"a bucket with the tools of its provider")
		}
		if err := server.RestoreFolder(ctx, c.Args[0], dir); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		return c.PrintAnswer(nil, "restored "+dir+" from "+c.Args[0])
	})
}

// checkData prints what is wrong with a data folder, line by line.
func checkData(ctx context.Context, out io.Writer, dir string) error {
	faults, err := server.CheckFolder(ctx, dir)
	switch {
	case err != nil:
		return err
	case len(faults) == 0:
		_, err := fmt.Fprintf(out, "%s: no errors found\n", dir)
		return err
	}
	for _, fault := range faults {
		fmt.Fprintln(out, fault)
	}
	return errors.New(dir + " is damaged; move it away and run flightdesk restore")
}
