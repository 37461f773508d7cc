package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"flightdesk/api/server"
)

// sharedFlags say where several processes keep what they share.
type sharedFlags struct {
	database, passwordFile, secretsKey string
	connections                        int
	files, filesKeyFile                string
	redirect                           bool
	name                               string
	isHidden                           bool // the database was named by the environment
	copyFrom                           string
}

func (f *sharedFlags) addFlags(flags *pflag.FlagSet) {
	f.addPlaces(flags)
	flags.IntVar(
		&f.connections,
		"database-connections",
		16,
		"maximum number of database connections of this process, at least 2",
	)
	flags.BoolVar(&f.redirect, "files-redirect", false, "redirect downloads to the bucket")
	flags.StringVar(&f.name, "name", "", "name of this process in its logs; host and process id if omitted")
	flags.StringVar(
		&f.copyFrom,
		"copy-from",
		"",
		"copy this data folder to --database and --files, then exit; run again to resume",
	)
}

// addPlaces adds the flags for database and bucket.
func (f *sharedFlags) addPlaces(flags *pflag.FlagSet) {
	flags.StringVar(
		&f.database,
		"database",
		"",
		"database (PostgreSQL) shared by several processes, such as postgres://user@host:5432/name; set its password in PGPASSWORD",
	)
	flags.StringVar(&f.passwordFile, "database-password-file", "", "file with the password for --database")
	flags.StringVar(
		&f.secretsKey,
		"secrets-key",
		"",
		"file with the key that encrypts endpoint secrets, the same for all processes; stored in the database if omitted",
	)
	flags.StringVar(&f.files, "files", "",
		"bucket for the files, such as s3://bucket/prefix?endpoint=https://host:9000&region=us-east-1")
	flags.StringVar(
		&f.filesKeyFile,
		"files-key-file",
		"",
		"file with the id and the secret of the bucket's key, one per line; if omitted, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
	)
}

func (f *sharedFlags) checkFlags(memory, demo bool, simulate float64) error {
	switch {
	case (f.database != "" || f.files != "") && memory:
		return errors.New("--memory cannot be combined with --database or --files")
	case f.database != "" && (demo || simulate != 0):
		return errors.New("--demo and --simulate cannot be combined with --database")
	case f.connections < 2:
		return errors.New("--database-connections must be at least 2")
	}
	return f.checkBelonging()
}

// checkBelonging refuses flags without the one that they belong to.
func (f *sharedFlags) checkBelonging() error {
	switch {
	case f.database == "" && (f.passwordFile != "" || f.secretsKey != ""):
		return errors.New("--database-password-file and --secrets-key need --database")
	case f.files == "" && (f.filesKeyFile != "" || f.redirect):
		return errors.New("--files-key-file and --files-redirect need --files")
	case f.copyFrom != "" && f.database == "":
		return errors.New("--copy-from needs --database")
	}
	return nil
}

// applyTo gives a server what the flags say.
func (f *sharedFlags) applyTo(s *server.Server) error {
	s.Bucket = server.Bucket{Address: f.files, KeyFile: f.filesKeyFile, Redirect: f.redirect}
	if s.Name = f.name; s.Name == "" && f.database != "" {
		host, _ := os.Hostname()
		s.Name = fmt.Sprintf("%s:%d", cmp.Or(host, "host"), os.Getpid())
	}
	if f.database == "" {
		return nil
	}
	s.Database = server.Database{URL: f.database, Connections: f.connections, KeyFile: f.secretsKey}
	if f.passwordFile == "" {
		return nil
	}
	password, err := readSecretFile("--database-password-file", f.passwordFile)
	if err != nil {
		return err
	}
	s.Database.Password = password
	return nil
}

// describePlaces says for people where everything is kept, without passwords.
func (f *sharedFlags) describePlaces(dir string) string {
	database, kept := dir, dir
	if f.database != "" {
		database = "a database"
		if u, err := url.Parse(f.database); err == nil {
			u.RawQuery = ""
			database = u.Redacted()
		}
	}
	if f.files != "" {
		kept, _, _ = strings.Cut(f.files, "?")
	}
	if kept == database {
		return dir
	}
	return database + ", files in " + kept
}

// isOnCommandLine reports whether others on this machine can see the database's
// password.
func (f *sharedFlags) isOnCommandLine() bool {
	u, err := url.Parse(f.database)
	if err != nil {
		return false
	}
	_, has := u.User.Password()
	return !f.isHidden && (has || u.Query().Has("password"))
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
		if _, err := fmt.Fprintf(
			out,
			"%-20s %10d\n",
			strings.ReplaceAll(table.Table, "_", " "),
			table.Rows,
		); err != nil {
			return err
		}
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
