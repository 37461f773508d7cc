package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// listenFlags are those of the listen command.
type listenFlags struct {
	Addr    string `flag:"addr,address to listen on; port 0 picks a free one"`
	URL     string `flag:"url,public address of this listener (https); that of --addr if omitted"`
	Cert    string `flag:"cert,certificate for https (PEM file)"`
	Key     string `flag:"tls-key,key of the certificate (PEM file)"`
	Forward string `flag:"forward-to,address to forward callbacks to (http or https)"`
	Count   uint   `flag:"count,exit after this number of events; 0 for no limit"`
	Replay  string `flag:"replay,send this callback (ID) to --forward-to again, and exit; needs the operations key"`
	events  *choice[api.EventName]
}

// listenCommand receives and prints events.
func listenCommand() *cobra.Command {
	cmd := newCommand(
		"listen",
		"Receive, verify and print events as they happen",
		`Registers an endpoint, then receives, verifies and prints each event once, until interrupted. On exit the
endpoint is deleted; after a crash, the next run deletes it and lists the missing callbacks.

The service sends only to https URLs. Either use --cert and --tls-key to receive https directly, or --url with the
address of a tunnel or proxy that forwards to --addr. Neither is needed if the profile has the operations API of a
service in server mode: listen then uses a temporary certificate.

--forward-to forwards each callback unchanged, including its signature, and prints the status of the response; if that
receiver rejects it, the service retries. --replay sends one that was sent before to it again, by its ID; a receiver
that checks the age refuses old ones. --output json prints {"event": "listening", "url", "endpoint", "addr"} first,
then the events as sent by the service, and for each one that is forwarded {"event": "forwarded", "id", "type", "to",
"status", "ms"}, with "error" if it was not accepted.`,
		`# behind a tunnel that forwards to port 9000
flightdesk listen --addr 127.0.0.1:9000 --url https://tunnel.example/hook

# with your certificate, forwarding to a local program
flightdesk listen --addr 0.0.0.0:8443 --url https://me.example:8443/ --cert me.pem --tls-key me-key.pem --forward-to http://127.0.0.1:3000/hook

# try a local receiver with a callback of the past
flightdesk listen --replay 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --forward-to http://127.0.0.1:3000/hook

# wait for the next delivery
flightdesk listen --url https://tunnel.example/hook --addr 127.0.0.1:9000 --events mission.data_delivered --count 1 --output json`,
	)
	f := listenFlags{Addr: "127.0.0.1:0"}
	addFlags(cmd, &f)
	f.events = listFlag(cmd, "events", "events to receive; all if omitted", api.EventNames())
	// A replay needs no key of an account.
	connect := func(c *Call) (*Service, error) {
		if f.Replay != "" {
			return c.NeedOps()
		}
		return c.Connect()
	}
	return defineConnected(cmd, connect, f.checkFlags, func(c *Call) error {
		if f.Replay != "" {
			return c.replayCallback(f.Replay, f.Forward)
		}
		if err := c.MayChange(); err != nil {
			return err
		}
		l := &listenRun{
			Call:  c,
			flags: f,
			runs:  webhooks.RunFolder(filepath.Join(c.Env.Dirs.State, "listen")),
		}
		var err error
		c.Ops, err = newOps(c, c.Settings, nil)
		switch {
		case f.URL != "" || f.Cert != "": // Operations can be done without
		case err != nil:
			return err
		case c.Ops == nil: // a certificate that nobody trusts has every callback fail
			return errors.New(
				"the service sends only to https URLs; use --url with the address of a tunnel, --cert and --tls-key, " +
					"or a profile with the operations API of a service in server mode and its key",
			)
		}
		return l.runListener()
	})
}

func (f *listenFlags) checkFlags([]string) error {
	_, _, err := net.SplitHostPort(f.Addr)
	return flagFaults{
		{f.Replay != "" && f.Forward == "", "--replay needs --forward-to"},
		{f.Replay != "" && (f.URL != "" || f.Cert != ""), "--replay receives nothing; remove --url and --cert"},
		{err != nil, fmt.Sprintf("--addr %q is not a valid address; use host:port, such as 127.0.0.1:9000", f.Addr)},
		{(f.Cert == "") != (f.Key == ""), "--cert and --tls-key must be used together"},
		{
			f.URL != "" && !IsAddress(f.URL, "https"),
			"--url must be an https URL, without user name, password and fragment",
		},
		{
			f.Forward != "" && !IsAddress(f.Forward, "http", "https"),
			fmt.Sprintf("--forward-to %q is not an http or https URL", f.Forward),
		},
	}.check()
}

// listenRun is one run of the listen command.
type listenRun struct {
	*Call
	flags listenFlags
	runs  webhooks.RunFolder

	mu     sync.Mutex // guards what follows, and the writers
	heard  uint
	failed error // of writing
	enough context.CancelFunc
}

// runListener listens until it is interrupted, or has heard enough. Whatever ends it,
// its endpoint is removed.
func (l *listenRun) runListener() error {
	running, enough := context.WithCancel(l)
	defer enough()
	l.enough = enough
	o := webhooks.ListenOptions{
		ListenPlace: webhooks.ListenPlace{Addr: l.flags.Addr, URL: l.flags.URL},
		ReceivingAccount: webhooks.ReceivingAccount{
			Client:  l.Client,
			Account: l.Name,
			Runs:    l.runs,
		},
		Events: l.flags.events.Values, Handle: l.handleEvent, Refused: l.printRefusal,
	}
	if l.flags.Cert != "" {
		pair, err := readCertificate(l.flags.Cert, l.flags.Key)
		if err != nil {
			return fmt.Errorf("could not load --cert and --tls-key: %w", err)
		}
		o.Certificate = &pair
	}
	if l.Ops != nil {
		o.Trust = l.trustCertificate
	}
	heard, err := webhooks.OpenListener(l, o)
	if err != nil {
		return err
	}
	for _, left := range heard.Left {
		l.tellLeft(&left)
	}
	l.warnUnreachable(&heard.Endpoint)
	l.Interruption.NoteSettled() // from here on a signal ends it at once
	if err := l.printBegun(heard); err != nil {
		return errors.Join(err, heard.Close(l))
	}
	err = heard.Serve(running)
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(err, l.failed)
}

// warnUnreachable says that the service does not send to the address of an endpoint, if it said
// so, and which flag allows it.
func (c *Call) warnUnreachable(e *api.WebhookEndpoint) {
	u, err := url.Parse(e.URL)
	if err != nil || !strings.Contains(e.Notice, "callbacks will not reach it") {
		return
	}
	host := u.Hostname()
	fmt.Fprintf(c.Trouble(), "the service does not send to %s, which is not a public address; "+
		"start it with --webhook-allow %s, or use the address of a tunnel\n", format.Clean(host), networkOf(host))
}

// networkOf returns the network to allow for a host.
func networkOf(host string) string {
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil, ip.Is4() && ip.IsLoopback():
		return "127.0.0.0/8"
	default:
		return netip.PrefixFrom(ip, ip.BitLen()).String()
	}
}

// trustCertificate has the service trust the certificate. One that trusts none on being
// asked may trust it already; then the first callback tells.
func (l *listenRun) trustCertificate(ctx context.Context, pem []byte) error {
	_, err := l.Ops.Webhooks.Trust(ctx, pem)
	if l.flags.Cert != "" && api.IsStatus(err, http.StatusConflict) {
		return nil
	}
	return err
}

// tellLeft says what became of an endpoint that a crashed run has left, and
// what it missed since.
func (l *listenRun) tellLeft(left *webhooks.LeftEndpoint) {
	fmt.Fprintln(l.Trouble(), "deleted an endpoint of an earlier run")
	for i := range left.Missed {
		m := &left.Missed[i]
		o, _ := l.FindOrder(m.OrderCode)
		mission := format.ValueOf(columns.FindMission(o, m.MissionUID)).MissionCode
		about := strings.TrimSpace(m.OrderCode + " " + cmp.Or(mission, m.MissionUID))
		at := format.Moment(m.CreatedAt.Local(), l.Now())
		fmt.Fprintf(l.Trouble(), "missing: %s  %s  %s\n", at, format.Clean(string(m.Event)), format.Clean(about))
	}
}

// printBegun says where it listens.
func (l *listenRun) printBegun(h *webhooks.EndpointListener) error {
	return l.PrintAnswer(struct {
		Event    string `json:"event"`
		URL      string `json:"url"`
		Endpoint string `json:"endpoint"`
		Addr     string `json:"addr"`
	}{"listening", h.URL, h.Endpoint.UUID, h.Addr},
		fmt.Sprintf("listening on %s (endpoint %s); press ctrl+c to stop", h.Addr, h.URL))
}

// handleEvent sends an event on and prints it. An error has the service send it
// again.
func (l *listenRun) handleEvent(ctx context.Context, e *api.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flags.Count > 0 && l.heard >= l.flags.Count {
		return errors.New("the number of events is reached") // so that the service sends it again
	}
	var forwarded *forwardedLine
	if l.flags.Forward != "" {
		var err error
		if forwarded, err = l.forward(ctx, e); err != nil {
			l.failed = l.printForwarded(e, forwarded)
			return errors.Join(&forwardError{err}, l.failed)
		}
	}
	l.heard++
	l.failed = l.printEvent(e, webhooks.CallbackBody(ctx), forwarded)
	if l.failed != nil || l.heard == l.flags.Count {
		l.enough()
	}
	return l.failed
}

// printEvent prints an event, as JSON the body in which it was sent, and what became of
// forwarding it; forwarded is nil if it was not.
func (l *listenRun) printEvent(e *api.Event, body []byte, forwarded *forwardedLine) error {
	if forwarded == nil {
		return l.PrintAnswer(eventValue(e, body), l.eventLine(e))
	}
	if l.Output == "json" {
		if err := printValue(l.Out(), eventValue(e, body)); err != nil {
			return err
		}
	}
	return l.printForwarded(e, forwarded)
}

// eventValue returns the body of an event on one line. If the body is not valid JSON, which is
// read nevertheless, it returns what was read of it.
func eventValue(e *api.Event, body []byte) any {
	sent := jsontext.Value(bytes.Clone(body))
	if !sent.IsValid() || sent.Compact() != nil {
		return e
	}
	return sent
}

// printRefusal says why a callback was not taken, unless that was printed.
func (l *listenRun) printRefusal(err error) {
	if errors.As(err, new(*forwardError)) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.Trouble(), "refused: "+format.Clean(strings.ReplaceAll(err.Error(), "\n", "; ")))
}
