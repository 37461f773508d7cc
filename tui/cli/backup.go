package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api/server"
)

// isAddress reports whether what should be a folder is the address of a database
// or a bucket.
func isAddress(folder string) bool { return strings.Contains(folder, "://") }

// placesCommand completes cmd, which reads or writes what a service keeps: place is what
// that is called.
func placesCommand(
	cmd *cobra.Command,
	do func(c *Call, s *server.Server, place string) error,
) *cobra.Command {
	d := localService{Server: &server.Server{}}
	d.addPlaces(cmd)
	return defineCommand(cmd, func(c *Call) error {
		d.useDefaultFolder(c)
		err := cmp.Or(flagFaults{
			{d.Database.URL == "" && d.Bucket.Address != "", "--files needs --database"},
			{
				isAddress(d.Dir) || isAddress(c.Args[0]),
				"not a folder; name a database and a bucket with --database and --files",
			},
		}.check(), d.checkPlaces())
		if err != nil {
			return badUsage(err)
		}
		if err := d.readPassword(); err != nil {
			return err
		}
		return do(c, d.Server, d.describePlaces())
	})
}

// backupCommand copies the data of a service.
func backupCommand() *cobra.Command {
	return placesCommand(newCommand(
		"backup FOLDER",
		"Copy a service's data to a new folder",
		`Copies the data of a service, even while it runs: a consistent copy of its database, all files, and the key
that encrypts its secrets. FOLDER must be new or empty. Store the backup where only you can read it. With --database
and --files it copies a PostgreSQL database and a bucket to a data folder. To check a backup, run flightdesk serve
--check FOLDER; to serve from it, flightdesk serve --data FOLDER.`,
		`# back up a service
flightdesk backup --data /var/lib/flightdesk /backup/monday

# back up a service on PostgreSQL and a bucket
flightdesk backup --database postgres://flightdesk@db.example/flightdesk --files 's3://surveys/desk?endpoint=https://s3.example:9000' /backup/monday`,
	), func(c *Call, s *server.Server, place string) error {
		backup, hint := s.BackupShared, ""
		if s.Database.URL == "" {
			if !c.Cmd.Flag("data").Changed {
				hint = "; set the data folder with --data"
			}
			backup = func(ctx context.Context, to string) error { return server.BackupFolder(ctx, s.Dir, to) }
		}
		if err := backup(c, c.Args[0]); err != nil {
			return fmt.Errorf("backup: %w%s", err, hint)
		}
		return c.PrintAnswer(nil, place+" is copied to "+c.Args[0])
	})
}

// restoreCommand makes a data folder of a copy.
func restoreCommand() *cobra.Command {
	return placesCommand(newCommand(
		"restore FOLDER",
		"Restore a service's data from a backup",
		`Checks a backup and copies it to the data folder, which must be new or empty. Stop the service and move its
old data away first. With --database and --files it copies to an empty PostgreSQL database and an empty bucket or
prefix; run it again after an interruption.`,
		`# restore a service
flightdesk restore --data /var/lib/flightdesk /backup/monday

# restore to PostgreSQL and a bucket
flightdesk restore --database postgres://flightdesk@db.example/restored --files 's3://surveys/restored?endpoint=https://s3.example:9000' /backup/monday`,
	), func(c *Call, s *server.Server, place string) error {
		if s.Database.URL != "" {
			return copyFolder(c, s, c.Args[0])
		}
		if err := server.RestoreFolder(c, c.Args[0], s.Dir); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		return c.PrintAnswer(nil, "restored "+place+" from "+c.Args[0])
	})
}

// printFaults prints what is wrong, line by line, and returns the verdict as an error; or
// it prints that nothing is.
func printFaults(c *Call, faults []string, good, bad string) error {
	if len(faults) == 0 {
		_, err := fmt.Fprintln(c.Out(), good)
		return err
	}
	for _, fault := range faults {
		fmt.Fprintln(c.Out(), fault)
	}
	return errors.New(bad)
}

// localService is a service of this machine: where it keeps its data, and what its demo is like.
type localService struct {
	*server.Server
	PasswordFile string // of the database
	SSH          SSH
	Script       string // the scenario, as it was named
}

// addPlaces adds the flags for the data folder, or what several processes share.
func (d *localService) addPlaces(cmd *cobra.Command) {
	flagTable{
		"database-password-file,file with the password for --database":                   &d.PasswordFile,
		"data,data folder; subfolder \"server\" of the state folder if omitted":          &d.Dir,
		"database,database in PostgreSQL, such as postgres://user@host:5432/name":        &d.Database.URL,
		"secrets-key,file with the key for endpoint secrets; in the database if omitted": &d.Database.KeyFile,
		"files,bucket for files, such as s3://bucket/prefix?endpoint=https://host:9000":  &d.Bucket.Address,
		"files-key-file,file with the ID and the secret of the bucket key, one per line": &d.Bucket.KeyFile,
	}.addTo(cmd)
}

// checkPlaces refuses flags without the one that they belong to.
func (d *localService) checkPlaces() error {
	database, bucket := &d.Database, &d.Bucket
	return flagFaults{
		{
			database.URL == "" && d.PasswordFile+database.KeyFile != "",
			"--database-password-file and --secrets-key need --database",
		},
		{
			bucket.Address == "" && (bucket.KeyFile != "" || bucket.Redirect),
			"--files-key-file and --files-redirect need --files",
		},
	}.check()
}

func (d *localService) useDefaultFolder(c *Call) {
	d.Dir = cmp.Or(d.Dir, filepath.Join(c.Env.Dirs.State, "server"))
}

// readPassword reads the database's password, and names the process of a shared one.
func (d *localService) readPassword() (err error) {
	if d.Name == "" && d.Database.URL != "" {
		host, _ := os.Hostname()
		d.Name = fmt.Sprintf("%s:%d", cmp.Or(host, "host"), os.Getpid())
	}
	if d.PasswordFile != "" {
		d.Database.ReadPassword = func() (string, error) {
			return readSecretFile("--database-password-file", d.PasswordFile)
		}
		d.Database.Password, err = d.Database.ReadPassword()
	}
	return err
}

// describePlaces says for people where everything is kept, without passwords.
func (d *localService) describePlaces() string {
	dir := cmp.Or(d.Dir, "in memory, deleted on exit")
	database, kept := dir, dir
	if d.Database.URL != "" {
		database = "a database"
		if u, err := url.Parse(d.Database.URL); err == nil {
			u.RawQuery = ""
			database = u.Redacted()
		}
	}
	if d.Bucket.Address != "" {
		kept, _, _ = strings.Cut(d.Bucket.Address, "?")
	}
	if kept == database {
		return dir
	}
	return database + ", files in " + kept
}

// showsPassword reports whether the database's address has its password.
func (d *localService) showsPassword() bool {
	u, err := url.Parse(d.Database.URL)
	if err != nil {
		return false
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password")
}

// copyFolder copies a data folder to what processes share.
func copyFolder(c *Call, s *server.Server, dir string) error {
	done, err := s.CopyFolder(c, dir)
	if err != nil {
		return fmt.Errorf("copy from %s: %w", dir, err)
	}
	rows := int64(0)
	for _, table := range done.Tables {
		rows += table.Rows
		fmt.Fprintf(c.Out(), "%-20s %10d\n", strings.ReplaceAll(table.Table, "_", " "), table.Rows)
	}
	_, err = fmt.Fprintf(c.Out(), "%d rows and %d files (%d bytes) copied; counts and digests match\n",
		rows, done.Files, done.Bytes)
	return err
}
