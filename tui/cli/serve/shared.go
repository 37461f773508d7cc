package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api/server"
	"flightdesk/tui/cli/run"
)

// servedData says where a service keeps its data.
type servedData struct {
	*server.Server
	PasswordFile string `flag:"database-password-file,file with the password for --database"`
}

// addPlaces adds the flags for the data folder, or what several processes share.
func (d *servedData) addPlaces(cmd *cobra.Command) {
	run.AddFlags(cmd, d)
	flags := cmd.Flags()
	flags.StringVar(&d.Dir, "data", "", "data folder; server in the state folder if omitted")
	flags.StringVar(&d.Database.URL, "database", "",
		"PostgreSQL database, such as postgres://user@host:5432/name")
	flags.StringVar(&d.Database.KeyFile, "secrets-key", "",
		"file with the key for endpoint secrets; in the database if omitted")
	flags.StringVar(&d.Bucket.Address, "files", "",
		"bucket for files, such as s3://bucket/prefix?endpoint=https://host:9000")
	flags.StringVar(&d.Bucket.KeyFile, "files-key-file", "",
		"file with the ID and the secret of the bucket key, one per line")
}

// checkFlags refuses flags without the one that they belong to.
func (d *servedData) checkFlags() error {
	return checkRules(
		flagRule{
			d.Database.URL == "" && (d.PasswordFile != "" || d.Database.KeyFile != ""),
			"--database-password-file and --secrets-key need --database",
		},
		flagRule{
			d.Bucket.Address == "" && (d.Bucket.KeyFile != "" || d.Bucket.Redirect),
			"--files-key-file and --files-redirect need --files",
		},
	)
}

func (d *servedData) useDefaultFolder(c *run.Call) {
	d.Dir = cmp.Or(d.Dir, filepath.Join(c.Env.Dirs.State, "server"))
}

// readPassword reads the database's password, and names the process of a shared one.
func (d *servedData) readPassword() (err error) {
	if d.Name == "" && d.Database.URL != "" {
		host, _ := os.Hostname()
		d.Name = fmt.Sprintf("%s:%d", cmp.Or(host, "host"), os.Getpid())
	}
	if d.PasswordFile != "" {
		d.Database.Password, err = readSecretFile("--database-password-file", d.PasswordFile)
	}
	return err
}

// describePlaces says for people where everything is kept, without passwords.
func (d *servedData) describePlaces(dir string) string {
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
func (d *servedData) showsPassword() bool {
	u, err := url.Parse(d.Database.URL)
	if err != nil {
		return false
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password")
}

// copyFolder copies a data folder to what processes share.
func copyFolder(ctx context.Context, out io.Writer, s *server.Server, dir string) error {
	done, err := s.CopyFolder(ctx, dir)
	if err != nil {
		return fmt.Errorf("copy from %s: %w", dir, err)
	}
	rows := int64(0)
	for _, table := range done.Tables {
		rows += table.Rows
		fmt.Fprintf(out, "%-20s %10d\n", strings.ReplaceAll(table.Table, "_", " "), table.Rows)
	}
	_, err = fmt.Fprintf(
		out,
		"%d rows and %d files (%d bytes) copied; counts and digests match\n",
		rows,
		done.Files,
		done.Bytes,
	)
	return err
}
