package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api/server"
)

// isStoreAddress reports whether a text is the address of a database or a bucket, and not a folder.
func isStoreAddress(folder string) bool { return strings.Contains(folder, "://") }

// dataAction runs a command with the data of the server s. place tells the user where the data is, such as
// "/var/lib/flightdesk".
type dataAction func(c *Call, s *server.Server, place string) error

// defineDataCommand adds the flags for the data of a service to cmd, and sets the action that cmd performs with
// the data.
func defineDataCommand(cmd *cobra.Command, perform dataAction) *cobra.Command {
	d := localService{server: &server.Server{}}
	d.addDataFlags(cmd)
	return defineCommand(cmd, func(c *Call) error {
		d.useDefaultFolder(c)
		if err := d.useSecrets(); err != nil {
			return err
		}
		if err := d.checkCopyFlags(c.Args[0]); err != nil {
			return badUsage(err)
		}
		if err := d.readPassword(); err != nil {
			return err
		}
		return perform(c, d.server, d.describeData())
	})
}

// checkCopyFlags returns an error if --files is set without --database, if --data or folder is the address of a
// database or a bucket, or if checkDataFlags returns an error.
func (d *localService) checkCopyFlags(folder string) error {
	err := flagRules{
		{d.server.Database.URL == "" && d.server.Bucket.Address != "", "--files needs --database"},
		{
			isStoreAddress(d.server.Dir) || isStoreAddress(folder),
			"not a folder; name a database and a bucket with --database and --files",
		},
	}.check()
	if err != nil {
		return err
	}
	return d.checkDataFlags()
}

// backupCommand returns the command that copies a service's data to a folder.
func backupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FOLDER",
		Short: "Copy a service's data to a new folder",
		Long: `Copies the data of a service, even while it runs: a consistent copy of its database, all files, and the key
that encrypts its secrets. FOLDER must be new or empty. Store the backup where only you can read it. With --database
and --files it copies a PostgreSQL database and a bucket to a data folder. To check a backup, run flightdesk serve
--check FOLDER; to serve from it, flightdesk serve --data FOLDER.`,
		Example: `# back up a service
flightdesk backup --data /var/lib/flightdesk /backup/monday

# back up a service on PostgreSQL and a bucket
flightdesk backup --database postgres://flightdesk@db.example/flightdesk --files 's3://surveys/desk?endpoint=https://s3.example:9000' /backup/monday`,
	}
	return defineDataCommand(cmd, backUp)
}

// backUp copies the data of a service to the folder in the arguments.
func backUp(c *Call, s *server.Server, place string) error {
	folder := c.Args[0]
	var err error
	if s.Database.URL != "" {
		err = s.BackupShared(c, folder)
	} else {
		err = server.BackupFolder(c, s.Dir, folder)
	}
	if err != nil && s.Database.URL == "" && !c.Cmd.Flag("data").Changed {
		return fmt.Errorf("backup: %w; set the data folder with --data", err)
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return c.PrintResult(nil, place+" is copied to "+folder)
}

// restoreCommand returns the command that copies a backup to a service's data folder, or to
// its database and bucket.
func restoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FOLDER",
		Short: "Restore a service's data from a backup",
		Long: `Checks a backup and copies it to the data folder, which must be new or empty. Stop the service and move its
old data away first. With --database and --files it copies to an empty PostgreSQL database and an empty bucket or
prefix; run it again after an interruption.`,
		Example: `# restore a service
flightdesk restore --data /var/lib/flightdesk /backup/monday

# restore to PostgreSQL and a bucket
flightdesk restore --database postgres://flightdesk@db.example/restored --files 's3://surveys/restored?endpoint=https://s3.example:9000' /backup/monday`,
	}
	return defineDataCommand(cmd, restore)
}

// restore copies the backup in the arguments to the data of a service.
func restore(c *Call, s *server.Server, place string) error {
	backup := c.Args[0]
	if s.Database.URL != "" {
		return copyFolder(c, s, backup)
	}
	if err := server.RestoreFolder(c, backup, s.Dir); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return c.PrintResult(nil, "restored "+place+" from "+backup)
}

// printFaults prints the faults that a check found, one per line, and returns an error with the text
// faultyText. If there are no faults, it prints soundText.
func printFaults(c *Call, faults []string, soundText, faultyText string) error {
	if len(faults) == 0 {
		_, err := fmt.Fprintln(c.Out(), soundText)
		return err
	}
	for _, fault := range faults {
		fmt.Fprintln(c.Out(), fault)
	}
	return errors.New(faultyText)
}

// copyFolder copies a data folder to the server's database and bucket, and prints the number
// of rows copied for each table and in total.
func copyFolder(c *Call, s *server.Server, dir string) error {
	copied, err := s.CopyFolder(c, dir)
	if err != nil {
		return fmt.Errorf("copy from %s: %w", dir, err)
	}
	rows := int64(0)
	for _, table := range copied.Tables {
		rows += table.Rows
		name := strings.ReplaceAll(table.Table, "_", " ")
		fmt.Fprintf(c.Out(), "%-20s %10d\n", name, table.Rows)
	}
	_, err = fmt.Fprintf(c.Out(), "%d rows and %d files (%d bytes) copied; counts and digests match\n",
		rows, copied.Files, copied.Bytes)
	return err
}
