package webhook

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// listenFlags are those of the listen command.
type listenFlags struct {
	addr, url, cert, key, forward, profile string
	events                                 []string
	count                                  int
	output                                 *run.Choice
}

// ListenCommand receives and prints events.
func ListenCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "listen",
		Short: "Receive, verify and print events as they happen",
		Long: "Registers an endpoint, then receives, verifies and prints each event once, until interrupted. On exit the endpoint is " +
			"removed; after a crash, the next run removes it and lists the missing callbacks.\n\n" +
			"The service sends only to https URLs. Either use --cert and --tls-key to receive https directly, or --url with the " +
			"address of a tunnel or proxy that forwards to --addr. Neither is needed if the profile has the operations API of a " +
			"service in server mode: listen then uses a temporary certificate.\n\n" +
			"--forward-to forwards each callback unchanged, including its signature; if that receiver rejects it, the service retries. " +
			`--output json prints {"event": "listening", "url", "endpoint", "addr"} first, then the events as sent by the service.`,
		Example: "# behind a tunnel that forwards to port 9000\nflightdesk listen --addr 127.0.0.1:9000 --url https://tunnel.example/hook\n\n" +
			"# with your certificate, forwarding to a local program\nflightdesk listen --addr 0.0.0.0:8443 --url " +
			"https://me.example:8443/ --cert me.pem --tls-key me-key.pem --forward-to http://127.0.0.1:3000/hook\n\n" +
			"# wait for the next delivery\nflightdesk listen --url https://tunnel.example/hook --addr 127.0.0.1:9000 --events " +
			"mission.data_delivered --count 1 --output json",
	}
	var f listenFlags
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:0", "address to listen on; port 0 picks a free one")
	flags.StringVar(&f.url, "url", "", "public https URL of this listener; that of --addr if omitted")
	flags.StringVar(&f.cert, "cert", "", "PEM file with the certificate for https")
	flags.StringVar(&f.key, "tls-key", "", "PEM file with the key of the certificate")
	flags.StringVar(&f.forward, "forward-to", "", "http or https URL to forward callbacks to")
	flags.StringSliceVar(&f.events, "events", nil, "events to receive; all if omitted")
	flags.IntVar(&f.count, "count", 0, "exit after this number of events; 0 for no limit")
	f.output = run.OutputFlag(cmd, "table", "json")
	profile := run.ProfileFlag(cmd)
	run.CompleteValues(cmd, "events", run.Names(api.EventNames()))
	return p.Command(cmd, func(cmd *cobra.Command, _ []string) error {
		f.profile = *profile
		if err := cmp.Or(f.checkFlags(), checkReachable(p, &f)); err != nil {
			return run.BadUsage(cmd, err)
		}
		ctx := cmd.Context()
		o, err := p.Connect(ctx, f.profile)
		if err == nil {
			err = o.MayChange()
		}
		if err != nil {
			return err
		}
		ops, err := run.NewOps(ctx, o.Settings, nil)
		if f.url == "" && f.cert == "" { // else Operations can be done without
			if err == nil && ops == nil { // a certificate that nobody trusts has every callback fail
				err = fmt.Errorf("profile %s has no key of the operations API; add its ops_credential, set FLIGHTDESK_OPS_KEY, or use --url or --cert", o.Name)
			}
			if err != nil {
				return err
			}
		}
		l := &listenRun{OnlineService: o, flags: f, out: cmd.OutOrStdout(), trouble: cmd.ErrOrStderr(), runs: listenRuns(p), ops: ops}
		return l.runListener(ctx)
	})
}

func (f *listenFlags) checkFlags() error {
	if _, _, err := net.SplitHostPort(f.addr); err != nil {
		return fmt.Errorf("--addr %q is not a valid address; use host:port, such as 127.0.0.1:9000", f.addr)
	}
	if (f.cert == "") != (f.key == "") {
		return errors.New("--cert and --tls-key must be used together")
	}
	if f.url != "" && !run.IsAddress(f.url, "https") {
		return fmt.Errorf("--url %q is not an https URL", f.url)
	}
	if f.forward != "" && !run.IsAddress(f.forward, "http", "https") {
		return fmt.Errorf("--forward-to %q is not an http or https URL", f.forward)
	}
	for _, name := range f.events {
		if known := run.Names(api.EventNames()); !slices.Contains(known, name) {
			return fmt.Errorf("--events %q is not valid; use %s", name, strings.Join(known, ", "))
		}
	}
	if f.count < 0 {
		return errors.New("--count must be a number of events, or 0 for no limit")
	}
	return nil
}

// checkReachable returns an error where the service could not send to this: without an
// address and a certificate only one with an operations API can, which is told
// to trust a certificate of the run's own.
func checkReachable(p *run.Program, f *listenFlags) error {
	if f.cert != "" || f.url != "" {
		return nil
	}
	if c, err := config.Load(p.Env); err == nil {
		if s, err := c.Resolve(f.profile); err == nil && s.OpsURL != "" {
			return nil
		}
	}
	return errors.New(
		"the service sends only to https URLs; use --url with the address of a tunnel, --cert and --tls-key, or a profile with the " +
			"operations API of a service in server mode",
	)
}

// listenRuns returns where the runs note their endpoints.
func listenRuns(p *run.Program) webhooks.RunFolder {
	return webhooks.RunFolder(filepath.Join(p.Env.Dirs.State, "listen"))
}

// listenRun is one run of the listen command.
type listenRun struct {
	*run.OnlineService
	flags        listenFlags
	out, trouble io.Writer
	runs         webhooks.RunFolder
	ops          *api.Ops // of a profile that has one; nil else

	mu     sync.Mutex // guards what follows, and the writers
	heard  int
	failed error // of writing
	enough context.CancelFunc
}

// runListener listens until it is interrupted, or has heard enough. Whatever ends it,
// its endpoint is removed.
func (l *listenRun) runListener(ctx context.Context) error {
	certificate, err := l.httpsCertificate()
	if err != nil {
		return err
	}
	running, enough := context.WithCancel(ctx)
	defer enough()
	l.enough = enough
	o := webhooks.ListenOptions{
		Client: l.Client, Runs: l.runs, Account: l.Name, Addr: l.flags.addr, URL: l.flags.url, Certificate: certificate,
		Handle: l.handleEvent, Refused: l.printRefusal,
	}
	if l.ops != nil && certificate != nil {
		o.Trust = l.trustCertificate
	}
	for _, name := range l.flags.events {
		o.Events = append(o.Events, api.EventName(name))
	}
	heard, err := webhooks.OpenListener(ctx, o)
	if err != nil {
		return err
	}
	for _, left := range heard.LeftEndpoints() {
		l.tellLeft(ctx, &left)
	}
	l.Interruption.NoteSettled() // from here on a signal ends it at once
	if err := l.printBegun(heard); err != nil {
		return errors.Join(err, heard.Close(ctx))
	}
	err = heard.Serve(running)
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(err, l.failed)
}

// httpsCertificate returns what https is received with: that of the flags, or in server
// mode one of the run's own; nil behind a tunnel.
func (l *listenRun) httpsCertificate() (*tls.Certificate, error) {
	if l.flags.cert == "" && l.flags.url == "" {
		host, _, err := net.SplitHostPort(l.flags.addr)
		if err != nil {
			return nil, err
		}
		return webhooks.SelfSigned(host)
	}
	if l.flags.cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(l.flags.cert, l.flags.key)
	if err != nil {
		return nil, fmt.Errorf("could not load --cert and --tls-key: %w", err)
	}
	return &pair, nil
}

// trustCertificate has the service trust the certificate. One that trusts none on being
// asked may trust it already; then the first callback tells.
func (l *listenRun) trustCertificate(ctx context.Context, pem []byte) error {
	_, err := l.ops.Webhooks.Trust(ctx, pem)
	if l.flags.cert != "" && api.IsStatus(err, http.StatusConflict) {
		return nil
	}
	return err
}

// tellLeft says what became of an endpoint that a crashed run has left, and
// what it missed since.
func (l *listenRun) tellLeft(ctx context.Context, left *webhooks.LeftEndpoint) {
	fmt.Fprintln(l.trouble, "removed an endpoint left by an earlier run")
	codes := map[string]string{} // of missions, by their ids
	for i := range left.Missed {
		m := &left.Missed[i]
		if codes[m.MissionUID] == "" {
			l.noteCodes(ctx, m.OrderCode, codes)
		}
		about := strings.TrimSpace(m.OrderCode + " " + cmp.Or(codes[m.MissionUID], m.MissionUID))
		fmt.Fprintf(
			l.trouble,
			"missing: %s  %s  %s\n",
			format.Moment(m.CreatedAt.Local(), l.Client.Now()),
			layout.Clean(string(m.Event)),
			layout.Clean(about),
		)
	}
}

// noteCodes notes the codes of an order's missions, as far as they can be read.
func (l *listenRun) noteCodes(ctx context.Context, order string, codes map[string]string) {
	if order == "" {
		return
	}
	o, err := l.Client.Orders.Get(ctx, order)
	if err != nil {
		return
	}
	for _, m := range o.Missions {
		codes[m.UUID] = m.MissionCode
	}
}

// printBegun says where it listens.
func (l *listenRun) printBegun(h *webhooks.EndpointListener) error {
	if l.flags.output.Value == "json" {
		return run.PrintValue(l.out, struct {
			Event    string `json:"event"`
			URL      string `json:"url"`
			Endpoint string `json:"endpoint"`
			Addr     string `json:"addr"`
		}{"listening", h.EndpointURL(), h.EndpointID(), h.ListenAddr().String()})
	}
	_, err := fmt.Fprintf(
		l.out,
		"listening on %s (endpoint %s); press ctrl+c to stop\n",
		h.ListenAddr(),
		layout.Clean(h.EndpointURL()),
	)
	return err
}

// handleEvent sends an event on and prints it. An error has the service send it
// again.
func (l *listenRun) handleEvent(ctx context.Context, e *api.Event) error {
	if l.hasEnough() {
		return errEnough
	}
	if l.flags.forward != "" {
		if err := webhooks.ForwardCallback(ctx, l.flags.forward); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flags.count > 0 && l.heard >= l.flags.count {
		if l.flags.forward != "" {
			return nil // its receiver has it
		}
		return errEnough
	}
	l.heard++
	if err := l.printEvent(e); err != nil {
		l.failed = err
		l.enough()
		return err
	}
	if l.heard == l.flags.count {
		l.enough()
	}
	return nil
}

// errEnough refuses an event that nobody would see, so that the service sends it again.
var errEnough = errors.New("the number of events is reached")

// hasEnough reports whether as many events were printed as were asked for.
func (l *listenRun) hasEnough() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flags.count > 0 && l.heard >= l.flags.count
}

func (l *listenRun) printEvent(e *api.Event) error {
	if l.flags.output.Value == "json" {
		return run.PrintValue(l.out, e)
	}
	m := e.Data.Mission
	_, err := fmt.Fprintf(
		l.out,
		"%s  %s  %s  %s  %s\n",
		format.Moment(e.Timestamp.Local(), l.Client.Now()),
		layout.FitLeft(layout.Clean(string(e.Event)), 25),
		layout.FitLeft(
			layout.Clean(m.OrderCode),
			10,
		),
		layout.FitLeft(layout.Clean(m.MissionCode), 10),
		layout.Clean(string(m.Status)),
	)
	return err
}

// printRefusal says why a callback was not taken.
func (l *listenRun) printRefusal(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.trouble, "refused: "+layout.Clean(strings.ReplaceAll(err.Error(), "\n", "; ")))
}
