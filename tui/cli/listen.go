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

// listenCommand returns the command that receives and prints events.
func listenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "listen",
		Short: "Receive, verify and print events as they happen",
		Long: `Registers an endpoint, then receives, verifies and prints each event once, until interrupted. On exit the
endpoint is deleted; after a crash, the next run deletes it and lists the missing callbacks.

The service sends only to https URLs. Either use --cert and --tls-key to receive https directly, or --url with the
address of a tunnel or proxy that forwards to --addr. Neither is needed if the profile has the operations API of a
service in server mode: listen then uses a temporary certificate.

--forward-to forwards each callback unchanged, including its signature, and prints the status of the response; if that
receiver rejects it, the service retries. --replay sends an earlier callback, by its ID, to that receiver again; a receiver
that checks the age refuses old callbacks. --output json prints {"event": "listening", "url", "endpoint", "addr"} first,
then the events as sent by the service, and for each one that is forwarded {"event": "forwarded", "id", "type", "to",
"status", "ms"}, with "error" if it was not accepted.`,
		Example: `# behind a tunnel that forwards to port 9000
flightdesk listen --addr 127.0.0.1:9000 --url https://tunnel.example/hook

# with your certificate, forwarding to a local program
flightdesk listen --addr 0.0.0.0:8443 --url https://me.example:8443/ --cert me.pem --tls-key me-key.pem --forward-to http://127.0.0.1:3000/hook

# try a local receiver with a callback of the past
flightdesk listen --replay 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --forward-to http://127.0.0.1:3000/hook

# wait for the next delivery
flightdesk listen --url https://tunnel.example/hook --addr 127.0.0.1:9000 --events mission.data_delivered --count 1 --output json`,
	}
	f := listenFlags{Addr: "127.0.0.1:0"}
	addFlags(cmd, &f)
	f.events = listFlag(cmd, "events", "events to receive; all if omitted", api.EventNames())
	return defineConnected(cmd, f.connect, f.checkFlags, f.listenOrReplay)
}

// connect connects to the service: with the key of the operations API for --replay, otherwise with the key of an
// account.
func (f *listenFlags) connect(c *Call) (*Service, error) {
	if f.Replay != "" {
		return c.RequireOps()
	}
	return c.Connect()
}

// listenOrReplay receives events or, with --replay, sends an earlier callback again.
func (f *listenFlags) listenOrReplay(c *Call) error {
	if f.Replay != "" {
		return c.replayCallback(f.Replay, f.Forward)
	}
	if err := c.CheckWritable(); err != nil {
		return err
	}
	l := &listenRun{
		call:  c,
		flags: *f,
		runs:  webhooks.RunFolder(filepath.Join(c.program.Env.Dirs.State, "listen")),
	}
	// The service must trust the certificate of the listener before it can send to the endpoint.
	if err := l.connectForTrust(); err != nil {
		return err
	}
	return l.runListener()
}

// connectForTrust sets the client of the operations API, if the profile has a key for it. Without --url and --cert,
// listen uses a temporary certificate, and only this client can make the service trust the certificate.
// connectForTrust therefore returns an error if it is missing and neither flag is set.
func (l *listenRun) connectForTrust() error {
	var err error
	l.call.Service.Ops, err = newOps(l.call, l.call.Service.Settings, nil)
	needsOps := l.flags.URL == "" && l.flags.Cert == ""
	if !needsOps {
		return nil
	}
	if err != nil {
		return err
	}
	if l.call.Service.Ops == nil {
		return errors.New(
			"the service sends only to https URLs; use --url with the address of a tunnel, --cert and --tls-key, " +
				"or a profile with the operations API of a service in server mode and its key",
		)
	}
	return nil
}

func (f *listenFlags) checkFlags([]string) error {
	_, _, err := net.SplitHostPort(f.Addr)
	return flagRules{
		{f.Replay != "" && f.Forward == "", "--replay needs --forward-to"},
		{f.Replay != "" && (f.URL != "" || f.Cert != ""), "--replay receives nothing; remove --url and --cert"},
		{err != nil, fmt.Sprintf("--addr %q is not a valid address; use host:port, such as 127.0.0.1:9000", f.Addr)},
		{(f.Cert == "") != (f.Key == ""), "--cert and --tls-key must be used together"},
		{
			f.URL != "" && !isPlainURL(f.URL, "https"),
			"--url must be an https URL, without user name, password and fragment",
		},
		{
			f.Forward != "" && !isPlainURL(f.Forward, "http", "https"),
			"--forward-to must be an http or https URL, without user name, password and fragment",
		},
	}.check()
}

// listenRun is one run of the listen command.
type listenRun struct {
	call  *Call
	flags listenFlags
	runs  webhooks.RunFolder

	mu       sync.Mutex         // guards the fields below and the command's output
	received uint               // number of printed events
	printErr error              // error of the last event
	stop     context.CancelFunc // ends the listener; called after the last event of --count
}

// runListener registers an endpoint and prints its events until the command is interrupted or
// the number of --count is reached. The endpoint is always deleted at the end.
func (l *listenRun) runListener() error {
	options, err := l.listenOptions()
	if err != nil {
		return err
	}
	listener, err := webhooks.OpenListener(l.call, options)
	if err != nil {
		return err
	}
	for _, endpoint := range listener.Left {
		l.printLeftEndpoint(&endpoint)
	}
	l.call.warnUnreachable(&listener.Endpoint)
	l.call.program.Interruption.ForgetChanges() // from now on a signal ends the command at once
	if err := l.printListening(listener); err != nil {
		return errors.Join(err, listener.Close(l.call)) // also deletes the endpoint
	}
	return l.serve(listener)
}

// serve receives events until the command is interrupted or handleEvent stops the listener. The listener
// then deletes its endpoint. The error joins the errors of the listener and of printing the last event.
func (l *listenRun) serve(listener *webhooks.EndpointListener) error {
	serveCtx, stop := context.WithCancel(l.call)
	defer stop()
	l.stop = stop
	serveErr := listener.Serve(serveCtx)
	l.mu.Lock() // handleEvent may still run if the listener did not stop in time
	defer l.mu.Unlock()
	return errors.Join(serveErr, l.printErr)
}

// listenOptions returns the options of the listener, with the certificate of --cert if set.
func (l *listenRun) listenOptions() (webhooks.ListenOptions, error) {
	options := webhooks.ListenOptions{
		ListenPlace: webhooks.ListenPlace{Addr: l.flags.Addr, URL: l.flags.URL},
		ReceivingAccount: webhooks.ReceivingAccount{
			Client:  l.call.Service.Client,
			Account: l.call.Service.Name,
			Runs:    l.runs,
		},
		Events:  l.flags.events.Values,
		Handle:  l.handleEvent,
		Refused: l.printRefusal,
	}
	if l.call.Service.Ops != nil {
		options.Trust = l.trustCertificate
	}
	if l.flags.Cert != "" {
		certificate, err := readCertificate(l.flags.Cert, l.flags.Key)
		if err != nil {
			return options, fmt.Errorf("could not load --cert and --tls-key: %w", err)
		}
		options.Certificate = &certificate
	}
	return options, nil
}

// warnUnreachable prints a warning if the service reported that it does not send to the
// endpoint's address, with the flag of serve that allows it.
func (c *Call) warnUnreachable(e *api.WebhookEndpoint) {
	u, err := url.Parse(e.URL)
	if err != nil || !strings.Contains(e.Notice, "callbacks will not reach it") {
		return
	}
	host := u.Hostname()
	fmt.Fprintf(c.Stderr(), "the service does not send to %s, which is not a public address; "+
		"start it with --webhook-allow %s, or use the address of a tunnel\n", format.Clean(host), networkOf(host))
}

// networkOf returns the network to allow with --webhook-allow, so that the service sends callbacks to host.
// For a host name or an IPv4 loopback address, the network is 127.0.0.0/8. For any other address, the network
// contains only this address.
func networkOf(host string) string {
	ip, err := netip.ParseAddr(host)
	if err != nil || ip.Is4() && ip.IsLoopback() {
		return "127.0.0.0/8"
	}
	return netip.PrefixFrom(ip, ip.BitLen()).String()
}

// trustCertificate makes the service trust a certificate. If the service refuses to trust the certificate of
// --cert, that is not an error: the service may already trust the authority that issued it.
func (l *listenRun) trustCertificate(ctx context.Context, pem []byte) error {
	_, err := l.call.Service.Ops.Webhooks.Trust(ctx, pem)
	if l.flags.Cert != "" && api.IsStatus(err, http.StatusConflict) {
		return nil
	}
	return err
}

// printLeftEndpoint prints that the endpoint of a crashed run was deleted, and the callbacks
// that it missed after the crash.
func (l *listenRun) printLeftEndpoint(left *webhooks.LeftEndpoint) {
	fmt.Fprintln(l.call.Stderr(), "deleted an endpoint of an earlier run")
	for i := range left.Missed {
		callback := &left.Missed[i]
		order, _ := l.call.FindOrder(callback.OrderCode)
		mission := format.ValueOf(columns.FindMission(order, callback.MissionUID)).MissionCode
		subject := strings.TrimSpace(callback.OrderCode + " " + cmp.Or(mission, callback.MissionUID))
		created := format.Moment(callback.CreatedAt.Local(), l.call.Service.Now())
		fmt.Fprintf(l.call.Stderr(), "missing: %s  %s  %s\n",
			created, format.Clean(string(callback.Event)), format.Clean(subject))
	}
}

// printListening prints the address and the endpoint of the listener.
func (l *listenRun) printListening(h *webhooks.EndpointListener) error {
	return l.call.PrintResult(struct {
		Event    string `json:"event"`
		URL      string `json:"url"`
		Endpoint string `json:"endpoint"`
		Addr     string `json:"addr"`
	}{"listening", h.URL, h.Endpoint.UUID, h.Addr},
		fmt.Sprintf("listening on %s (endpoint %s); press ctrl+c to stop", h.Addr, h.URL))
}

// handleEvent forwards an event to the address of --forward-to, if set, and prints the event. After the
// number of events of --count it stops the listener. If it returns an error, the service sends the
// event again later.
func (l *listenRun) handleEvent(ctx context.Context, e *api.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flags.Count > 0 && l.received >= l.flags.Count {
		return errors.New("the number of events is reached")
	}
	var forwarded *forwardedLine
	if l.flags.Forward != "" {
		line, err := l.forward(ctx, e)
		if err != nil {
			l.printErr = l.call.printForwarded(e, line)
			return errors.Join(&forwardError{err}, l.printErr)
		}
		forwarded = line
	}
	l.received++
	l.printErr = l.printEvent(e, webhooks.CallbackBody(ctx), forwarded)
	if l.printErr != nil || l.received == l.flags.Count {
		l.stop()
	}
	return l.printErr
}

// printEvent prints an event and the result of forwarding it. As JSON, an event is its body as the service sent
// it. forwarded is nil if the event was not forwarded.
func (l *listenRun) printEvent(e *api.Event, body []byte, forwarded *forwardedLine) error {
	if forwarded == nil {
		return l.call.PrintResult(eventValue(e, body), l.call.eventLine(e))
	}
	if l.call.Output == "json" {
		if err := printValue(l.call.Out(), eventValue(e, body)); err != nil {
			return err
		}
	}
	return l.call.printForwarded(e, forwarded)
}

// eventValue returns the body of an event as JSON on one line, or the decoded event if the body
// is not strictly valid JSON.
func eventValue(e *api.Event, body []byte) any {
	sent := jsontext.Value(bytes.Clone(body))
	if !sent.IsValid() || sent.Compact() != nil {
		return e
	}
	return sent
}

// printRefusal prints why a callback was refused, unless handleEvent already printed that
// forwarding it failed.
func (l *listenRun) printRefusal(err error) {
	if errors.As(err, new(*forwardError)) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.call.Stderr(), "refused: "+format.Clean(strings.ReplaceAll(err.Error(), "\n", "; ")))
}
