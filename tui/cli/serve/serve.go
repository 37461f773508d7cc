// Package serve has the commands that run the service and keep its data.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"flightdesk/api/server"
	"flightdesk/config/atomicfile"
	"flightdesk/tui"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// serveFlags are those of the serve command.
type serveFlags struct {
	addr, data, publicURL, opsKey string
	auditFile                     string
	checked                       string // a folder to check instead of serving, or checkOwn
	opsKeyFile, smtpPasswordFile  string
	memory, demo                  bool
	webhookAllow, trustedProxies  []string
	webhookCA, smtp               string
	allowed, proxies              []netip.Prefix // by webhookAllow, trustedProxies
	wrongKeys                     float64
	tlsCert, tlsKey               string
	rateLimit                     float64
	drain                         time.Duration
	keepLogs                      dayDuration
	world                         DemoWorld
	shared                        sharedFlags
}

// Command runs the service. What users of SSH with a profile work on is opened by open.
func Command(p *run.Program, open func(ctx context.Context, file, user string) (tui.Options, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the order service on this machine",
		Args:  checkedFolderOnly,
		Long: "Runs the complete order service until interrupted. --demo adds sample accounts with keys, orders and missions, and prints " +
			"the keys; --scenario plays events on its clock.\n\nData is stored in --data or the default folder; with --demo and no --data, or with --memory, it is deleted on " +
			"exit. With --database and --files, several processes share a PostgreSQL database and an S3-compatible bucket, behind a " +
			"load balancer that checks /readyz.\n\nEach flag can be set by a variable, --addr by " +
			"FLIGHTDESK_SERVE_ADDR; a flag on the command line overrides it.",
		Example: "# with sample data, to try with curl\nflightdesk serve --demo\n\n" +
			"# for programs: one line of JSON once the service is ready\nflightdesk serve --demo --addr 127.0.0.1:0 --output json",
	}
	f := serveFlags{world: DemoWorld{SSH: SSH{State: p.Env.Dirs.State, OpenProfile: open}}}
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	flags.StringVar(&f.data, "data", "", "data folder; the default folder if omitted")
	flags.StringVar(&f.checked, "check", "",
		"check this data folder, or what --data, --database and --files name, and exit with 1 if something is wrong")
	flags.Lookup("check").NoOptDefVal = checkOwn
	flags.BoolVar(&f.memory, "memory", false, "keep all data in memory; deleted on exit")
	flags.BoolVar(&f.demo, "demo", false, "add sample accounts, keys and orders to an empty store")
	flags.StringVar(&f.opsKey, "ops-key", "",
		"key of the operations API, visible to others on this machine; use --ops-key-file or FLIGHTDESK_OPS_KEY to hide it. Generated if omitted")
	flags.StringVar(&f.opsKeyFile, "ops-key-file", "", "file with the key of the operations API")
	flags.StringVar(&f.auditFile, "audit-file", "", "file that gets a copy of the audit trail, one JSON object per line")
	flags.StringVar(&f.publicURL, "public-url", "", "public origin of links, if behind a proxy")
	flags.StringSliceVar(&f.webhookAllow, "webhook-allow", nil,
		"private networks that callbacks can be sent to, such as 127.0.0.0/8")
	flags.StringVar(&f.webhookCA, "webhook-ca", "", "certificates to trust for callbacks (PEM file)")
	flags.StringVar(&f.smtp, "smtp", "",
		"mail server, as host:port or smtp[s]://user:password@host:port; if omitted, messages are stored in outbox/")
	flags.StringVar(&f.smtpPasswordFile, "smtp-password-file", "", "file with the password for --smtp")
	flags.StringVar(&f.tlsCert, "tls-cert", "", "certificate for https (PEM file)")
	flags.StringVar(&f.tlsKey, "tls-key", "", "key of the certificate (PEM file)")
	flags.Float64Var(&f.rateLimit, "rate-limit", 0, "requests per second allowed to each API key; 0 for no limit")
	flags.StringSliceVar(&f.trustedProxies, "trusted-proxies", nil,
		"networks of proxies whose X-Forwarded-For is the client's address, such as 10.0.0.0/8")
	flags.Float64Var(&f.wrongKeys, "wrong-keys", 60, "wrong keys per minute allowed to each address; 0 for no limit")
	flags.Var(&f.keepLogs, "keep-logs", "time to keep callbacks and completion notices, such as 90d; unlimited if omitted")
	flags.DurationVar(&f.drain, "drain", 0,
		"time to serve requests after a signal to stop, while /readyz answers 503, such as 5s")
	f.world.AddFlags(cmd, 0)
	flags.StringVar(&f.world.SSH.Profiles, "ssh-profiles", "", "configuration with a profile for each user who logs in over SSH; the keys stay on this machine")
	f.shared.addFlags(flags)
	run.OutputFlag(cmd, "table", "json")
	return p.Command(cmd, f.runService)
}

// checkOwn is --check without a folder: what the other flags name is checked.
const checkOwn = "-"

// checkedFolderOnly takes the folder of --check, which a flag with an optional value does
// not take itself.
func checkedFolderOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && cmd.Flag("check").Value.String() == checkOwn {
		return nil
	}
	return run.NoArguments(cmd, args)
}

// runService checks the flags and runs the service.
func (f *serveFlags) runService(ctx context.Context, c *run.Call) error {
	cmd := c.Cmd
	set, err := applyEnvironment(cmd, os.LookupEnv)
	if err != nil {
		return run.BadUsage(cmd, err)
	}
	f.shared.isHidden = set["database"]
	if f.checked != "" {
		if len(c.Args) > 0 {
			f.checked = c.Args[0]
		}
		return f.check(ctx, c)
	}
	if listed, err := f.world.ListScenarios(c.Out()); listed {
		return err
	}
	if err := f.checkFlags(); err != nil {
		return run.BadUsage(cmd, err)
	}
	if err := f.world.ReadScenario(cmd); err != nil {
		return err
	}
	if err := f.readSecrets(os.Getenv); err != nil {
		return err
	}
	return serveUntilStopped(ctx, c, *f)
}

// check checks a folder, or that all files that the database names are in the bucket.
func (f *serveFlags) check(ctx context.Context, c *run.Call) error {
	shares := f.shared.database != "" || f.shared.files != ""
	switch {
	case isAddress(f.checked), shares && f.checked != checkOwn:
		return run.WrongUsage(c.Cmd, "--check accepts a data folder, or without one the flags --database and --files")
	case !shares && f.checked == checkOwn:
		return checkData(ctx, c.Out(), f.dataFolder(c.Env.Dirs.State))
	case !shares:
		return checkData(ctx, c.Out(), f.checked)
	}
	s := &server.Server{Dir: f.dataFolder(c.Env.Dirs.State)}
	if err := f.shared.applyTo(s); err != nil {
		return err
	}
	recorded, faults, err := s.CheckFiles(ctx)
	if err != nil {
		return err
	}
	place := f.shared.describePlaces(s.Dir)
	return printFaults(c.Out(), faults, fmt.Sprintf("%s: %d files, no errors found", place, recorded),
		place+": records and files differ; restore what is missing from a backup")
}

func (f *serveFlags) checkFlags() error {
	if f.memory && f.data != "" {
		return errors.New("--data and --memory cannot be combined")
	}
	if _, _, err := net.SplitHostPort(f.addr); err != nil {
		return fmt.Errorf("--addr %q is not a valid address; use host:port, such as 127.0.0.1:8080", f.addr)
	}
	if err := f.checkSecrets(); err != nil {
		return err
	}
	if (f.tlsCert == "") != (f.tlsKey == "") {
		return errors.New("--tls-cert and --tls-key must be used together")
	}
	if err := f.checkLimits(); err != nil {
		return err
	}
	if err := f.world.CheckFlags(f.demo); err != nil {
		return err
	}
	if err := f.shared.checkFlags(f.memory, f.demo, f.world.Simulate); err != nil {
		return err
	}
	var err error
	if f.allowed, err = parseNetworks("--webhook-allow", f.webhookAllow); err != nil {
		return err
	}
	if f.proxies, err = parseNetworks("--trusted-proxies", f.trustedProxies); err != nil || f.publicURL == "" {
		return err
	}
	return f.checkPublicURL()
}

func (f *serveFlags) checkLimits() error {
	switch {
	case !(f.wrongKeys == 0 || f.wrongKeys >= 1 && f.wrongKeys <= 1e6):
		return errors.New("--wrong-keys must be a number from 1 per minute, or 0 for no limit")
	case !(f.rateLimit == 0 || f.rateLimit >= 0.001 && f.rateLimit <= math.MaxFloat64):
		return errors.New("--rate-limit must be a number of requests per second, or 0 for no limit")
	case f.drain < 0 || f.drain > time.Hour:
		return errors.New("--drain must be a time up to 1h, such as 5s")
	}
	return nil
}

func (f *serveFlags) checkSecrets() error {
	switch {
	case f.opsKey != "" && f.opsKeyFile != "":
		return errors.New("--ops-key and --ops-key-file cannot be combined")
	case !isKey(f.opsKey):
		return errors.New("--ops-key has spaces or invalid characters")
	case f.smtpPasswordFile != "" && f.smtp == "":
		return errors.New("--smtp-password-file needs --smtp")
	}
	return nil
}

func isKey(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
}

// readSecrets reads what is better kept off the command line, where everybody
// on the machine can see it.
func (f *serveFlags) readSecrets(getenv func(string) string) error {
	switch {
	case f.opsKeyFile != "":
		key, err := readSecretFile("--ops-key-file", f.opsKeyFile)
		if err != nil {
			return err
		}
		if f.opsKey = key; !isKey(key) {
			return fmt.Errorf("--ops-key-file: %s has spaces or invalid characters", f.opsKeyFile)
		}
	case f.opsKey == "":
		if f.opsKey = getenv("FLIGHTDESK_OPS_KEY"); !isKey(f.opsKey) {
			return errors.New("FLIGHTDESK_OPS_KEY has spaces or invalid characters")
		}
	}
	if f.smtpPasswordFile == "" {
		return nil
	}
	password, err := readSecretFile("--smtp-password-file", f.smtpPasswordFile)
	if err != nil {
		return err
	}
	f.smtp, err = withPassword(f.smtp, password)
	return err
}

// readSecretFile returns the one line of a file.
func readSecretFile(flag, path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	secret := strings.TrimRight(string(b), "\r\n")
	if secret == "" {
		return "", fmt.Errorf("%s: %s is empty", flag, path)
	}
	return secret, nil
}

// withPassword puts the password into the address of an SMTP server.
func withPassword(address, password string) (string, error) {
	if !strings.Contains(address, "://") {
		address = "smtp://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.User == nil || u.User.Username() == "" {
		return "", errors.New("--smtp-password-file needs a user in --smtp, such as smtp://user@host:port")
	}
	if _, has := u.User.Password(); has {
		return "", errors.New("--smtp already has a password; remove it or --smtp-password-file")
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String(), nil
}

func (f *serveFlags) checkPublicURL() error {
	u, err := url.Parse(f.publicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("--public-url is not a valid origin; use a URL without path, such as https://desk.example")
	}
	return nil
}

func parseNetworks(flag string, networks []string) (parsed []netip.Prefix, err error) {
	for _, network := range networks {
		prefix, err := netip.ParsePrefix(network)
		if err != nil {
			return nil, fmt.Errorf("%s %q is not a valid network; use 127.0.0.0/8 or similar", flag, network)
		}
		parsed = append(parsed, prefix.Masked())
	}
	return parsed, nil
}

// dataFolder returns where the data is kept, "" for nowhere.
func (f *serveFlags) dataFolder(state string) string {
	switch {
	case f.data != "":
		return f.data
	case f.memory || f.demo:
		return ""
	default:
		return filepath.Join(state, "server")
	}
}

// startWait is how long a database may take to start.
const startWait = time.Minute

// newServer returns the server that the flags describe, without what is shared or read
// from files.
func (f *serveFlags) newServer(c *run.Call) *server.Server {
	return &server.Server{
		Dir:          f.dataFolder(c.Env.Dirs.State),
		Demo:         f.demo,
		PublicURL:    f.publicURL,
		OpsKey:       f.opsKey,
		Log:          newLogger(c.Trouble(), c.Output),
		WebhookAllow: f.allowed,
		RateLimit:    f.rateLimit,
		SMTP:         f.smtp,
		StartWait:    startWait,
		Version:      run.Version(),
		WrongKeys:    f.wrongKeys,

		TrustedProxies: f.proxies,
		Drain:          f.drain,
		KeepLogs:       time.Duration(f.keepLogs),
		AuditFile:      f.auditFile,
	}
}

func serveUntilStopped(ctx context.Context, c *run.Call, f serveFlags) error {
	s := f.newServer(c)
	f.world.ApplyTo(s)
	if err := f.shared.applyTo(s); err != nil {
		return err
	}
	if f.shared.isOnCommandLine() {
		s.Log.Warn("others on this machine can see the database password; use PGPASSWORD or --database-password-file")
	}
	if f.shared.copyFrom != "" {
		return copyFolder(ctx, c.Out(), s, f.shared.copyFrom)
	}
	if s.Dir == "" {
		atomicfile.RemoveAbandoned()
	}
	if f.webhookCA != "" {
		var err error
		if s.WebhookCA, err = os.ReadFile(f.webhookCA); err != nil {
			return fmt.Errorf("--webhook-ca: %w", err)
		}
	}
	if f.tlsCert != "" {
		certificate := &certificateFiles{cert: f.tlsCert, key: f.tlsKey, log: s.Log}
		if _, err := certificate.load(); err != nil {
			return fmt.Errorf("could not load --tls-cert and --tls-key: %w", err)
		}
		s.TLS = certificate.tlsConfig()
	}
	addr, err := bindPort(ctx, s, f.addr)
	if err != nil {
		return err
	}
	if err := s.Start(ctx); err != nil {
		return fmt.Errorf("could not start the service: %w", err)
	}
	if err := s.Serve(ctx); err != nil {
		return errors.Join(err, s.Close()) //nolint:contextcheck // it closes also when ctx has ended
	}
	room, err := f.world.SSH.Open(ctx, s)
	if err == nil {
		err = tellAddresses(c, s, addr, f, room)
	}
	if err != nil {
		return errors.Join(err, room.Close(), s.Close()) //nolint:contextcheck // as above
	}
	defer context.AfterFunc(ctx, func() { _ = room.Close() })()
	return errors.Join(s.Wait(), room.Close()) //nolint:contextcheck // as above
}

// bindPort takes the port, on which the service can be asked whether it has started.
func bindPort(ctx context.Context, s *server.Server, address string) (net.Addr, error) {
	addr, err := s.Bind(ctx, address)
	var failed *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use; choose another with --addr (port 0 picks a free one)", address)
	case errors.As(err, &failed):
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another with --addr", address, failed.Err)
	case err != nil:
		return nil, fmt.Errorf("listening on %s: %w", address, err)
	}
	return addr, nil
}

func tellAddresses(c *run.Call, s *server.Server, addr net.Addr, f serveFlags, room *TrainingRoom) error {
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && s.TLS == nil {
		s.Log.Warn("other machines can connect, and keys cross the network unencrypted", "addr", addr.String())
	}
	if c.Output == "json" {
		return run.PrintValue(c.Out(), s.Ready())
	}
	_, err := io.WriteString(c.Out(), startBanner(s, f.shared, room))
	return err
}

func newLogger(w io.Writer, output string) *slog.Logger {
	if output == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// startBanner tells people where the service is and how to speak to it.
func startBanner(s *server.Server, shared sharedFlags, room *TrainingRoom) string {
	r, dir := s.Ready(), s.Dir
	if dir == "" {
		dir = "in memory, deleted on exit"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "flightdesk %s is running; press ctrl+c to stop\n\n", run.Version())
	lines := [][2]string{
		{"Public API", r.BaseURL},
		{"v2 API", r.LegacyBaseURL},
		{"Operations API", r.OpsURL},
		{"Operations key", cmp.Or(r.OpsKey, "as given")},
		{"Data", shared.describePlaces(dir)},
	}
	if room != nil {
		lines = append(lines, [2]string{"SSH", room.Addr.String()})
	}
	if len(s.WebhookAllow) > 0 {
		lines = append(lines, [2]string{"Callbacks also to", strings.Trim(fmt.Sprint(s.WebhookAllow), "[]")})
	}
	for _, line := range lines {
		fmt.Fprintf(&b, "  %s  %s\n", layout.FitLeft(line[0], 17), layout.Clean(line[1]))
	}
	if len(r.Accounts) == 0 {
		b.WriteString("\n--demo adds sample accounts to an empty store.\n")
		return b.String()
	}
	width := 0
	for _, a := range r.Accounts {
		width = max(width, layout.Width(layout.Clean(a.CompanyName)))
	}
	b.WriteString("\nAccounts and their keys\n\n")
	for _, a := range r.Accounts {
		fmt.Fprintf(&b, "  %s  %s\n", layout.FitLeft(layout.Clean(a.CompanyName), width), a.Key)
	}
	fmt.Fprintf(
		&b,
		"\nTry it\n\n  curl -H 'Authorization: Bearer %s' '%s/orders?limit=3'\n",
		r.Accounts[0].Key,
		r.BaseURL,
	)
	b.WriteString("\nTo use it from the app and the commands\n\n")
	for _, v := range [][2]string{
		{"FLIGHTDESK_BASE_URL", r.BaseURL},
		{"FLIGHTDESK_LEGACY_BASE_URL", r.LegacyBaseURL},
		{"FLIGHTDESK_API_KEY", r.Accounts[0].Key},
		{"FLIGHTDESK_OPS_URL", r.OpsURL},
		{"FLIGHTDESK_OPS_KEY", r.OpsKey},
	} {
		if v[1] != "" {
			fmt.Fprintf(&b, "  export %s='%s'\n", v[0], v[1])
		}
	}
	return b.String()
}

// fileSize is a flag's number of bytes.
type fileSize int64

// String returns the size as it is written, "" for none.
func (s *fileSize) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Set reads a size.
func (s *fileSize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > server.MaxSampleFileSize {
		return fmt.Errorf("must be a size up to %s, such as 500kB or 20MB", humanize.IBytes(server.MaxSampleFileSize))
	}
	*s = fileSize(n)
	return nil
}

// Type names what the flag takes.
func (s *fileSize) Type() string { return "size" }
