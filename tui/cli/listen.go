package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/cells"
	"flightdesk/tui/format"
)

// listenFlags are those of the listen command.
type listenFlags struct {
	addr, url, cert, key, forward, profile string
	events                                 []string
	count                                  int
	output                                 *choice
}

func (p *program) listenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "listen",
		Short: "Receive, verify and print events as they happen",
		Long: "Registers a webhook endpoint, receives the service's callbacks, verifies each, and prints every event once, until " +
			"it is interrupted. The service sends to https addresses only: with --cert and --tls-key this listens for https itself, " +
			"else --url is that of a tunnel or proxy which passes on to --addr. --forward-to has each callback sent on as it " +
			"came, signature and all; what the receiver there refuses, the service sends again. At the end the endpoint is " +
			"removed, and at the start what a run that crashed has left. --output json prints {\"event\": \"listening\", \"url\", " +
			"\"endpoint\", \"addr\"} first, then the events as the service sends them.",
		Example: "# behind a tunnel that passes on to port 9000\nflightdesk listen --addr 127.0.0.1:9000 --url https://tunnel.example/hook\n\n" +
			"# with a certificate of one's own, for the program that one is writing\n" +
			"flightdesk listen --addr 0.0.0.0:8443 --url https://me.example:8443/ --cert me.pem --tls-key me-key.pem --forward-to http://127.0.0.1:3000/hook\n\n" +
			"# wait for the next delivery\nflightdesk listen --url https://tunnel.example/hook --addr 127.0.0.1:9000 --events mission.data_delivered --count 1 --output json",
	}
	var f listenFlags
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:0", "address to listen on; port 0 picks a free one")
	flags.StringVar(&f.url, "url", "", "https address that the service reaches this at; --addr itself if absent")
	flags.StringVar(&f.cert, "cert", "", "file of the certificate to receive https with, in PEM form")
	flags.StringVar(&f.key, "tls-key", "", "file of its key, in PEM form")
	flags.StringVar(&f.forward, "forward-to", "", "address that each callback is sent on to, http or https")
	flags.StringSliceVar(&f.events, "events", nil, "events to receive; all if absent")
	flags.IntVar(&f.count, "count", 0, "end after so many events; 0 goes on")
	f.output = outputFlag(cmd, "table", "json")
	profile := profileFlag(cmd)
	_ = cmd.RegisterFlagCompletionFunc("events", cobra.FixedCompletions(names(api.EventNames()), cobra.ShellCompDirectiveNoFileComp))
	return p.command(cmd, noArguments, func(cmd *cobra.Command, _ []string) error {
		f.profile = *profile
		if err := f.check(); err != nil {
			return usageError{cmd.CommandPath(), err}
		}
		ctx := cmd.Context()
		o, err := p.connect(ctx, f.profile)
		if err == nil {
			err = o.mayChange()
		}
		if err != nil {
			return err
		}
		l := &listener{online: o, flags: f, out: cmd.OutOrStdout(), trouble: cmd.ErrOrStderr(), runs: p.listenRuns()}
		return l.run(ctx)
	})
}

func (f *listenFlags) check() error {
	if _, _, err := net.SplitHostPort(f.addr); err != nil {
		return fmt.Errorf("--addr %q is no host:port, like 127.0.0.1:9000", f.addr)
	}
	if (f.cert == "") != (f.key == "") {
		return errors.New("--cert and --tls-key belong together; one of them is missing")
	}
	if f.cert == "" && f.url == "" {
		return errors.New("the service sends to https only: name a tunnel's address with --url, or a certificate with --cert and --tls-key")
	}
	if f.url != "" && !isAddress(f.url, "https") {
		return fmt.Errorf("--url %q is no https address", f.url)
	}
	if f.forward != "" && !isAddress(f.forward, "http", "https") {
		return fmt.Errorf("--forward-to %q is no http or https address", f.forward)
	}
	for _, name := range f.events {
		if known := names(api.EventNames()); !slices.Contains(known, name) {
			return fmt.Errorf("--events %q is not known; there are %s", name, strings.Join(known, ", "))
		}
	}
	if f.count < 0 {
		return errors.New("--count is a number of events, 0 for no end")
	}
	return nil
}

func isAddress(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Host != "" && u.User == nil && u.Fragment == ""
}

// listener is one run of the listen command.
type listener struct {
	*online
	flags        listenFlags
	out, trouble io.Writer
	runs         listenRuns

	mu     sync.Mutex // guards what follows, and the writers
	heard  int
	failed error // of writing
	enough context.CancelFunc
}

// run listens until it is interrupted, or has heard enough. Whatever ends it,
// its endpoint is removed.
func (l *listener) run(ctx context.Context) (err error) {
	socket, err := l.socket(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = socket.Close() }()
	if l.flags.url == "" {
		l.flags.url = "https://" + socket.Addr().String() + "/"
	}
	if err := l.runs.clean(ctx, l.client, l.trouble); err != nil {
		return err
	}
	mark, err := l.runs.begin(l.client.BaseURL())
	if err != nil {
		return err
	}
	running, enough := context.WithCancel(ctx)
	defer enough()
	l.enough = enough
	in := api.CreateWebhookRequest{URL: l.flags.url, Description: mark}
	for _, name := range l.flags.events {
		in.Events = append(in.Events, api.EventName(name))
	}
	endpoint, err := l.client.Webhooks.Create(ctx, in)
	if err != nil {
		if !api.MaybeApplied(err) && ctx.Err() == nil {
			return errors.Join(err, l.runs.end(mark))
		}
		return err // the next run looks for it
	}
	defer func() { err = errors.Join(err, l.leave(ctx, endpoint.UUID, mark)) }()
	if err := l.begun(endpoint, socket.Addr()); err != nil {
		return err
	}
	return l.serve(running, socket, endpoint.Secret)
}

func (l *listener) socket(ctx context.Context) (net.Listener, error) {
	var secure *tls.Config
	if l.flags.cert != "" {
		pair, err := tls.LoadX509KeyPair(l.flags.cert, l.flags.key)
		if err != nil {
			return nil, fmt.Errorf("--cert and --tls-key cannot be used: %w", err)
		}
		secure = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	socket, err := (&net.ListenConfig{}).Listen(ctx, "tcp", l.flags.addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another with --addr", l.flags.addr, err)
	}
	if secure != nil {
		socket = tls.NewListener(socket, secure)
	}
	return socket, nil
}

// begun says where it listens.
func (l *listener) begun(e *api.WebhookEndpoint, addr net.Addr) error {
	if l.flags.output.value == "json" {
		return printValue(l.out, struct {
			Event    string `json:"event"`
			URL      string `json:"url"`
			Endpoint string `json:"endpoint"`
			Addr     string `json:"addr"`
		}{"listening", l.flags.url, e.UUID, addr.String()})
	}
	_, err := fmt.Fprintf(l.out, "listening on %s as %s; ctrl+c stops it\n", addr, cells.Clean(l.flags.url))
	return err
}

// serve takes callbacks until the context ends.
func (l *listener) serve(ctx context.Context, socket net.Listener, secret string) error {
	receiver := &api.Receiver{Secret: secret, Handle: l.handle, Now: l.client.Now, Refused: l.tell}
	s := &http.Server{Handler: keepRaw(receiver), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, ErrorLog: quietLog()}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(socket) }()
	select {
	case err := <-ended:
		return fmt.Errorf("listening ended: %w", err)
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving)
	defer cancel()
	_ = s.Shutdown(late) // what still comes is sent again to nobody
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// leaving is how long the end may take.
const leaving = 5 * time.Second

// leave removes the endpoint, also after an interruption.
func (l *listener) leave(ctx context.Context, endpoint, mark string) error {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving)
	defer cancel()
	if err := l.client.Webhooks.Delete(late, endpoint); err != nil && !api.IsStatus(err, http.StatusNotFound) {
		return fmt.Errorf("the endpoint is still registered, the next flightdesk listen removes it: %w", err)
	}
	return l.runs.end(mark)
}

// handle sends an event on and prints it. An error has the service send it
// again.
func (l *listener) handle(ctx context.Context, e *api.Event) error {
	if l.flags.forward != "" {
		if err := forward(ctx, l.flags.forward); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flags.count > 0 && l.heard >= l.flags.count {
		return nil
	}
	l.heard++
	if err := l.print(e); err != nil {
		l.failed = err
		l.enough()
		return err
	}
	if l.heard == l.flags.count {
		l.enough()
	}
	return nil
}

func (l *listener) print(e *api.Event) error {
	if l.flags.output.value == "json" {
		return printValue(l.out, e)
	}
	m := e.Data.Mission
	_, err := fmt.Fprintf(l.out, "%s  %s  %s  %s  %s\n", format.Moment(e.Timestamp.Local(), l.client.Now()), cells.Left(cells.Clean(string(e.Event)), 25),
		cells.Left(cells.Clean(m.OrderCode), 10), cells.Left(cells.Clean(m.MissionCode), 10), cells.Clean(string(m.Status)))
	return err
}

// tell says why a callback was not taken.
func (l *listener) tell(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.trouble, "refused: "+cells.Clean(strings.ReplaceAll(err.Error(), "\n", "; ")))
}
