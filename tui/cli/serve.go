package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api/server"
	"flightdesk/config/atomicfile"
)

// serveFlags are the flags of the serve command. Fields with a tag are used by the command itself. Most other flags
// set fields of service.server.
type serveFlags struct {
	service          localService
	Settings         string `flag:"settings,file with flags (TOML); variables and the command line override it"`
	Addr             string `flag:"addr,address to listen on; port 0 picks a free one"`
	Checked          string `flag:"check,check FOLDER, or without a value the data folder, and exit; status 1 on errors"`
	Memory           bool   `flag:"memory,keep all data in memory; deleted on exit"`
	OpsKeyFile       string `flag:"ops-key-file,file with the key of the operations API"`
	WebhookCA        string `flag:"webhook-ca,certificates to trust for callbacks (PEM file)"`
	SMTPPasswordFile string `flag:"smtp-password-file,file with the password for --smtp"`
	TLSCert          string `flag:"tls-cert,certificate for https (PEM file)"`
	TLSKey           string `flag:"tls-key,key of the certificate (PEM file)"`
	CopyFrom         string `flag:"copy-from,copy this data folder to --database and --files, then exit"`
}

// serveCommand returns the command that runs the service.
func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the order service on this machine",
		Long: `Runs the complete order service until interrupted. --demo adds sample accounts with keys, orders and
missions, and prints the keys; --scenario plays events on its clock.

Data is stored in --data, or in the folder server of the state folder (see flightdesk help environment); with --demo and
no --data, or with --memory, it is deleted on exit. With --database and --files, several processes share a PostgreSQL
database and an S3-compatible bucket, behind a load balancer that checks /readyz. flightdesk help environment lists the
variables for their passwords and keys.

Others on this machine can see the values of flags. Keys and passwords belong in files of the folder --secrets,
which are reloaded when they change, or into variables such as FLIGHTDESK_OPS_KEY.

Flags can also be set by variables (FLIGHTDESK_SERVE_ADDR for --addr) or in the file of --settings
(addr = "127.0.0.1:8080"). The command line overrides variables, and variables override the file.`,
		Example: `# with sample data, to try with curl
flightdesk serve --demo

# for programs: one line of JSON once the service is ready
flightdesk serve --demo --addr 127.0.0.1:0 --output json

# check a backup
flightdesk serve --check /backup/monday`,
	}
	cmd.Args = checkServeArguments
	s := &server.Server{StartWait: startWait, Version: Version()}
	f := serveFlags{service: localService{server: s}, Addr: "127.0.0.1:8080"}
	f.addServeFlags(cmd)
	return definePrinting(cmd, f.runService)
}

func (f *serveFlags) addServeFlags(cmd *cobra.Command) {
	addFlags(cmd, f) // the fields of f with the tag flag
	cmd.Flag("check").NoOptDefVal = checkOwn
	f.addServerFlags(cmd)
	f.addParsedFlags(cmd)
	f.service.addDemoFlags(cmd)
	cmd.Flag("simulate").Usage = simulatorUsage + "off if omitted" // the command demo has it on if omitted
	f.service.addDataFlags(cmd)
}

// addServerFlags adds the flags that set fields of the server or of the SSH server, which have no tags for flags.
func (f *serveFlags) addServerFlags(cmd *cobra.Command) {
	s := f.service.server
	flags := cmd.Flags()
	flags.BoolVar(&s.Demo, "demo", false, "add sample accounts, keys and orders to an empty store")
	flags.StringVar(&s.OpsKey, "ops-key", "", "key of the operations API; generated if omitted")
	flags.StringVar(&s.PublicURL, "public-url", "", "public origin of links, if behind a proxy")
	flags.BoolVar(&s.Bucket.Redirect, "files-redirect", false, "redirect downloads to the bucket")
	flags.StringVar(&s.AuditFile, "audit-file", "",
		"file that gets a copy of the audit trail, one JSON object per line")
	flags.StringVar(&s.SMTP, "smtp", "",
		"mail server, host:port or smtps://user@host:port; if omitted, mail is saved in the data folder")
	flags.Float64Var(&s.RateLimit, "rate-limit", 0,
		"requests per second allowed to each API key; 0 for no limit")
	flags.StringVar(&s.Name, "name", "", "name of this process in its logs; host and process ID if omitted")
	flags.DurationVar(&s.Drain, "drain", 0, "time to finish requests after a signal to stop, such as 5s")
	flags.StringVar(&f.service.SSH.Profiles, "ssh-profiles", "",
		"configuration file with a profile for each SSH user")
}

// addParsedFlags adds the flags whose values a function parses and checks, such as a list of networks.
func (f *serveFlags) addParsedFlags(cmd *cobra.Command) {
	s := f.service.server
	flags := cmd.Flags()
	flags.Func("webhook-allow",
		"private networks that callbacks can be sent to, such as 127.0.0.0/8", addNetworks(&s.WebhookAllow))
	flags.Func("trusted-proxies",
		"networks of proxies that set X-Forwarded-For, such as 10.0.0.0/8", addNetworks(&s.TrustedProxies))
	flags.Func("keep-logs", "time to keep callbacks and notices, such as 90d; 0s for no limit", f.setKeepLogs)
	cmd.Flag("keep-logs").DefValue = "0s" // a flag with a function has no default of its own
	flags.Func("database-connections",
		"maximum number of database connections, at least 2", f.setConnections)
}

// checkOwn is the value of --check if no folder follows the flag. serve then checks the data of the service itself,
// whose place is set by --data, or by --database and --files.
const checkOwn = "-"

// checkServeArguments returns an error if there are arguments. One argument is allowed after --check: in "--check
// FOLDER" Cobra takes FOLDER for an argument, because the value of --check is optional.
func checkServeArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && cmd.Flag("check").Value.String() == checkOwn {
		return nil
	}
	return checkArguments(cmd.Use, cmd.Example)(cmd, args)
}

// runService loads the settings, checks the flags and runs the service until it is stopped.
//
// With one of three flags it does not run the service: --check checks the data, --copy-from copies data, and
// --scenario list lists the scenarios.
func (f *serveFlags) runService(c *Call) error {
	// Other users of the machine can see a password on the command line. This is checked before
	// loadSettings, which also sets the address of the database from variables and files: other users
	// cannot see these.
	isPasswordVisible := f.service.showsPassword()
	if err := f.loadSettings(c); err != nil {
		return err
	}
	if f.Checked != "" {
		return f.check(c)
	}
	if f.service.Script == listScenarios {
		return printScenarios(c.Out())
	}
	if err := f.prepare(c); err != nil {
		return err
	}
	f.service.server.Log = newLogger(c.Stderr(), c.Output)
	if isPasswordVisible {
		f.service.server.Log.Warn("others on this machine can see the database password; use PGPASSWORD or --secrets")
	}
	if f.CopyFrom != "" {
		return copyFolder(c, f.service.server, f.CopyFrom)
	}
	if !f.Memory && !f.service.server.Demo {
		f.service.useDefaultFolder(c)
	}
	return f.serveUntilStopped(c)
}

// loadSettings sets the flags that are not on the command line: from variables, from the file of --settings and
// from the folder of --secrets.
func (f *serveFlags) loadSettings(c *Call) error {
	err := applySettings(c.Cmd, os.Environ())
	if _, isUnread := errors.AsType[*fs.PathError](err); isUnread {
		return err // the file of --settings cannot be read, which is not wrong usage
	}
	if err != nil {
		return badUsage(err)
	}
	if err := f.useSecrets(); err != nil {
		return err
	}
	c.Output = c.Cmd.Flag("output").Value.String() // can have been set now
	f.service.SSH.State = c.program.Env.Dirs.State
	return nil
}

// prepare checks the flags and reads the scenario, the keys and the passwords from the files that the flags
// name.
func (f *serveFlags) prepare(c *Call) error {
	if err := f.checkFlags(); err != nil {
		return badUsage(err)
	}
	if err := f.service.checkDemoFlags(); err != nil {
		return badUsage(err)
	}
	if err := f.service.checkDataFlags(); err != nil {
		return badUsage(err)
	}
	return errors.Join(f.service.ReadScenario(c.Cmd), f.readSecrets(os.Getenv), f.service.readPassword())
}

// isShared reports whether the data is in a database or a bucket, and not only in a folder.
func (f *serveFlags) isShared() bool {
	return f.service.server.Database.URL != "" || f.service.server.Bucket.Address != ""
}

// check checks the data of --check and prints errors: damage in a data folder, or differences between the
// records in the database and the files in the bucket.
func (f *serveFlags) check(c *Call) error {
	if len(c.Args) > 0 { // in "--check FOLDER"; see checkServeArguments
		f.Checked = c.Args[0]
	}
	hasFolder := f.Checked != checkOwn
	if isStoreAddress(f.Checked) || hasFolder && f.isShared() {
		return wrongUsage("--check accepts a data folder, or without one the flags --database and --files")
	}
	if hasFolder {
		f.service.server.Dir = f.Checked
	}
	f.service.useDefaultFolder(c)
	if f.isShared() {
		return f.checkShared(c)
	}
	faults, err := server.CheckFolder(c, f.service.server.Dir)
	if err != nil {
		return err
	}
	return printFaults(c, faults, f.service.server.Dir+": no errors found",
		f.service.server.Dir+" is damaged; serve from a backup without errors, with flightdesk restore")
}

// checkShared prints the differences between the records of the database and the files of the
// bucket.
func (f *serveFlags) checkShared(c *Call) error {
	if err := f.service.readPassword(); err != nil {
		return err
	}
	fileCount, faults, err := f.service.server.CheckFiles(c)
	if err != nil {
		return err
	}
	place := f.service.describeData()
	return printFaults(c, faults, fmt.Sprintf("%s: %d files, no errors found", place, fileCount),
		place+": records and files differ; files that are missing or damaged can be restored from a backup")
}

// startWait is the longest time that the server waits for its database to start.
const startWait = time.Minute

// serveUntilStopped starts the service and, with --ssh, the SSH server, and prints their addresses. It returns
// when the command is interrupted or the service fails.
func (f *serveFlags) serveUntilStopped(c *Call) error {
	addr, err := f.startService(c)
	if err != nil {
		return err
	}
	s := f.service.server
	room, err := f.service.SSH.Open(c, s) // nil without --ssh; Close accepts nil
	if err != nil {
		return errors.Join(err, s.Close())
	}
	if err := f.printAddresses(c, addr, room); err != nil {
		return errors.Join(err, room.Close(), s.Close())
	}
	// An interruption ends the SSH sessions at once, while the service finishes its requests.
	stopWatching := context.AfterFunc(c, func() { _ = room.Close() })
	defer stopWatching()
	serviceErr := s.Wait() // also closes the service
	return errors.Join(serviceErr, room.Close())
}

// startService starts the service and returns the address on which it listens. After an error nothing runs and the
// port is free.
func (f *serveFlags) startService(c *Call) (net.Addr, error) {
	s := f.service.server
	if s.Dir == "" { // this run uses temporary folders
		atomicfile.RemoveAbandoned() // the folders of killed runs
	}
	if err := f.loadCertificates(); err != nil {
		return nil, err
	}
	addr, err := bindPort(c, s, f.Addr)
	if err != nil {
		return nil, err
	}
	if err := f.prepareAuditFile(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.Start(c); err != nil {
		return nil, explainStartError(err, s.Dir)
	}
	if err := s.Serve(c); err != nil { // also if the command was interrupted
		return nil, errors.Join(err, s.Close())
	}
	return addr, nil
}

// explainStartError returns the error of starting a service. If the data folder or a file in it cannot be used,
// the error says which flags to set.
func explainStartError(err error, dataFolder string) error {
	pathError, ok := errors.AsType[*fs.PathError](err)
	if ok && dataFolder != "" && isInFolder(dataFolder, pathError.Path) {
		return fmt.Errorf("could not use the data folder %s: %w; "+
			"set --data to a folder you can write to, or use --memory", dataFolder, pathError.Err)
	}
	return fmt.Errorf("could not start the service: %w", err)
}

// isInFolder reports whether a path is the folder, or in it, or a parent of it. A parent is
// included because an error about it can be the reason why the folder cannot be created.
func isInFolder(folder, path string) bool {
	folder, folderErr := filepath.Abs(folder)
	path, pathErr := filepath.Abs(path)
	if folderErr != nil || pathErr != nil {
		return false
	}
	inside, insideErr := filepath.Rel(folder, path)
	above, aboveErr := filepath.Rel(path, folder)
	isInside := insideErr == nil && filepath.IsLocal(inside)
	isAbove := aboveErr == nil && filepath.IsLocal(above)
	return isInside || isAbove
}

// loadCertificates loads the certificates of --webhook-ca, --tls-cert and --tls-key into the
// server.
func (f *serveFlags) loadCertificates() error {
	if f.WebhookCA != "" {
		authorities, err := atomicfile.ReadSettings(f.WebhookCA)
		if err != nil {
			return fmt.Errorf("--webhook-ca: %w", err)
		}
		f.service.server.WebhookCA = authorities
	}
	if f.TLSCert == "" {
		return nil
	}
	certificate := &certificateFiles{cert: f.TLSCert, key: f.TLSKey, log: f.service.server.Log}
	if _, err := certificate.load(nil); err != nil {
		return fmt.Errorf("could not load --tls-cert and --tls-key: %w", err)
	}
	f.service.server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.load}
	return nil
}

// prepareAuditFile creates the file of --audit-file and its folder if they do not exist. It returns an error if the
// file cannot be read and written. Otherwise a wrong path would be noticed only when the first entry is logged.
func (f *serveFlags) prepareAuditFile() error {
	path := f.service.server.AuditFile
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return prefixError("--audit-file", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return prefixError("--audit-file", err)
	}
	return file.Close()
}

// bindPort makes the server listen on an address. It is called before the server starts, so that /readyz
// responds during the start.
func bindPort(ctx context.Context, s *server.Server, address string) (net.Addr, error) {
	addr, err := s.Bind(ctx, address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use; choose another with --addr (port 0 picks a free one)", address)
	}
	if opError, ok := errors.AsType[*net.OpError](err); ok {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another with --addr", address, opError.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", address, err)
	}
	return addr, nil
}
