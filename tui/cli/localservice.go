package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/scenario"
	"flightdesk/tui/format"
)

// localService is a service that runs on this machine. Its fields are the values of the command's flags
// for the data folder, the database, the bucket and the sample data.
type localService struct {
	server       *server.Server
	Secrets      string // folder with the files of secretFiles; see useSecrets
	PasswordFile string // file with the database's password
	SSH          SSH
	Script       string // value of --scenario: a built-in name or a file
}

// addDataFlags adds the flags for the data folder, the database and the bucket.
func (d *localService) addDataFlags(cmd *cobra.Command) {
	database := &d.server.Database
	bucket := &d.server.Bucket
	flags := cmd.Flags()
	flags.StringVar(&d.Secrets, "secrets", "", "folder with the files "+strings.Join(secretFiles, ", "))
	flags.StringVar(&d.server.Dir, "data", "", `data folder; subfolder "server" of the state folder if omitted`)
	flags.StringVar(&database.URL, "database", "",
		"database in PostgreSQL, such as postgres://user@host:5432/name")
	flags.StringVar(&d.PasswordFile, "database-password-file", "", "file with the password for --database")
	flags.StringVar(&database.KeyFile, "secrets-key", "",
		"file with the key for endpoint secrets; in the database if omitted")
	flags.StringVar(&bucket.Address, "files", "",
		"bucket for files, such as s3://bucket/prefix?endpoint=https://host:9000")
	flags.StringVar(&bucket.KeyFile, "files-key-file", "",
		"file with the ID and the secret of the bucket key, one per line")
}

// checkDataFlags returns an error if a flag about the database is used without --database, or a flag about the
// bucket without --files.
func (d *localService) checkDataFlags() error {
	database := &d.server.Database
	bucket := &d.server.Bucket
	return flagRules{
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

// useDefaultFolder sets the data folder to the default if --data is not set.
func (d *localService) useDefaultFolder(c *Call) {
	d.server.Dir = cmp.Or(d.server.Dir, filepath.Join(c.program.Env.Dirs.State, "server"))
}

// readPassword reads the password of the database, if a flag names a file with it. If the service uses a database,
// which several processes can share, readPassword also sets the name of this process for the logs.
func (d *localService) readPassword() error {
	if d.server.Database.URL != "" {
		d.server.Name = cmp.Or(d.server.Name, d.processName())
	}
	if d.PasswordFile == "" {
		return nil
	}
	d.server.Database.ReadPassword = func() (string, error) {
		return readSecretFile("password of the database", d.PasswordFile)
	}
	password, err := d.server.Database.ReadPassword()
	d.server.Database.Password = password
	return err
}

// processName returns the name of this process for the logs: the option application_name in the address of the
// database. If the address does not have that option, the name consists of the host and the process ID.
func (d *localService) processName() string {
	if u, err := url.Parse(d.server.Database.URL); err == nil && u.Query().Get("application_name") != "" {
		return u.Query().Get("application_name")
	}
	host, _ := os.Hostname()
	return fmt.Sprintf("%s:%d", cmp.Or(host, "host"), os.Getpid())
}

// describeData returns where the data is, as a text for the user without passwords: the address of the database
// and the place of the files. If both are in the data folder, it returns only the folder.
func (d *localService) describeData() string {
	dir := cmp.Or(d.server.Dir, "in memory, deleted on exit")
	database := dir
	files := dir
	if d.server.Database.URL != "" {
		database = "a database"
		if u, err := url.Parse(d.server.Database.URL); err == nil {
			u.RawQuery = ""
			database = u.Redacted()
		}
	}
	if d.server.Bucket.Address != "" {
		files, _, _ = strings.Cut(d.server.Bucket.Address, "?")
	}
	if files == database {
		return dir
	}
	return database + ", files in " + files
}

// showsPassword reports whether the address of the database has a password in it.
func (d *localService) showsPassword() bool {
	u, err := url.Parse(d.server.Database.URL)
	if err != nil {
		return false
	}
	_, hasPassword := u.User.Password()
	return hasPassword || u.Query().Has("password")
}

// listScenarios is the value of --scenario that lists the built-in scenarios.
const listScenarios = "list"

const simulatorUsage = "speed of the simulator; 3600 does what happens in an hour in a second, the clock is unchanged; "

// addDemoFlags adds the flags of a demo. The default of --simulate is d.Simulate, the current speed of the
// simulator.
func (d *localService) addDemoFlags(cmd *cobra.Command) {
	d.SSH.addSSHFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&d.Script, "scenario", "",
		"scenario to play, as a built-in name or a file; list shows the names")
	flags.Func("demo-size",
		"number of additional orders, size of generated files, or both: 100000,20MB", d.setDemoSize)
	flags.IntVar(&d.server.DemoOrders, "demo-orders", 0, "number of additional orders in the first account")
	flags.Func("demo-file-size",
		"size of generated delivery files, such as 20MB; small if omitted", d.setFileSize)
	flags.Float64Var(&d.server.Simulate, "simulate", d.server.Simulate, simulatorUsage+"0 is off")
	_ = cmd.RegisterFlagCompletionFunc(
		"scenario",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(scenario.BuiltinNames(), listScenarios), cobra.ShellCompDirectiveDefault
		},
	)
}

// printScenarios prints the built-in scenarios, and the events that a file with a scenario can have.
func printScenarios(out io.Writer) error {
	_, err := fmt.Fprintf(
		out,
		"A file has a line for each event: its time since the start, such as 90m or 1d6h, and one of\n\n%s\nBuilt in are\n\n",
		scenario.EventHelp(),
	)
	if err != nil {
		return err
	}
	for _, name := range scenario.BuiltinNames() {
		s, err := scenario.Load(name)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%-15s %s\n", name, s.Title); err != nil {
			return err
		}
	}
	return nil
}

// ReadScenario loads the scenario that --scenario names, if it is set. It also turns the simulator on, which plays
// the scenario. The simulator has the speed of a demo, unless --simulate sets the speed.
func (d *localService) ReadScenario(cmd *cobra.Command) error {
	if d.Script == "" {
		return nil
	}
	if !cmd.Flags().Changed("simulate") {
		d.server.Simulate = ops.DemoSpeed
	}
	loaded, err := scenario.Load(d.Script)
	if err != nil {
		return fmt.Errorf("--scenario: %w", err)
	}
	d.server.Scenario = loaded
	return nil
}

// checkDemoFlags returns an error if a flag of the demo is out of its range or needs --demo.
func (d *localService) checkDemoFlags() error {
	if err := d.SSH.checkFlags(d.server.Demo); err != nil {
		return err
	}
	return flagRules{
		{d.Script != "" && !d.server.Demo, "--scenario needs --demo"},
		{
			d.server.DemoOrders < 0 || d.server.DemoOrders > server.MaxDemoOrders,
			fmt.Sprint("the number of orders in --demo-size must be from 0 to ", server.MaxDemoOrders),
		},
		{
			!isRate(d.server.Simulate, ops.MinSpeed, ops.MaxSpeed),
			fmt.Sprintf("--simulate must be from %v to %s, or 0 for off", ops.MinSpeed, format.GroupDigits(ops.MaxSpeed, 0)),
		},
	}.check()
}

// setDemoSize parses the value of --demo-size: a number of orders, a size of files, or both with a
// comma between them.
func (d *localService) setDemoSize(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		orders, err := strconv.Atoi(part)
		if err == nil {
			d.server.DemoOrders = orders
			continue
		}
		if !strings.HasSuffix(strings.ToLower(part), "b") {
			return errors.New("must be a number of orders such as 100000, a size such as 20MB, or both")
		}
		if err := d.setFileSize(part); err != nil {
			return err
		}
	}
	return nil
}

// setFileSize parses the approximate size of generated files, such as 20MB.
func (d *localService) setFileSize(text string) error {
	size, err := humanize.ParseBytes(text)
	if err != nil || size > server.MaxSampleFileSize {
		return fmt.Errorf("must be a size up to %s, such as 500kB or 20MB", humanize.IBytes(server.MaxSampleFileSize))
	}
	d.server.SampleFileSize = int64(size)
	return nil
}
