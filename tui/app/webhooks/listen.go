package webhooks

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"flightdesk/api"
)

// ReceivingAccount is the account on whose service endpoints are registered.
type ReceivingAccount struct {
	Client  *api.Client
	Account string    // name of the profile, to tell the accounts of a service apart in Runs
	Runs    RunFolder // records the registered endpoints, to remove them after a crash
	// Trust makes the service trust a receiver's certificate (PEM). It is nil if that is not
	// necessary or not possible.
	Trust func(ctx context.Context, pem []byte) error
}

// ListenOptions are the options for receiving callbacks.
type ListenOptions struct {
	ListenPlace
	ReceivingAccount

	Certificate *tls.Certificate // for https; nil if a tunnel or proxy at URL receives https and forwards http

	Events []api.EventName // events to register for; nil for all

	Seen    api.SeenStore                           // prevents handling an event twice; nil for a store in memory
	Handle  func(context.Context, *api.Event) error // called for each new event
	Refused func(error)                             // called if a callback is rejected or Handle fails; may be nil
}

// EndpointListener receives the callbacks to a registered endpoint.
type EndpointListener struct {
	ListenOptions // with the actual address and URL
	Endpoint      api.WebhookEndpoint
	Left          []LeftEndpoint // removed endpoints of earlier runs

	socket net.Listener
	run    listenRun
}

// OpenListener listens on the address and registers an endpoint. It also removes the endpoints that
// crashed runs of the program have left behind. The caller must call Serve or Close.
func OpenListener(ctx context.Context, o ListenOptions) (*EndpointListener, error) {
	// Without a URL, the service sends its callbacks directly to this listener, which needs a certificate for
	// https. With a URL and no certificate, a tunnel or proxy receives https and forwards the callbacks by http.
	if o.URL == "" && o.Certificate == nil {
		host, _, err := net.SplitHostPort(o.Addr)
		if err != nil {
			return nil, err
		}
		certificate, err := SelfSigned(host)
		if err != nil {
			return nil, err
		}
		o.Certificate = certificate
	}
	socket, err := openSocket(ctx, &o)
	if err != nil {
		return nil, err
	}
	l := &EndpointListener{ListenOptions: o, socket: socket}
	l.Addr = socket.Addr().String() // has the actual port, even if the options ask for any port
	l.URL = cmp.Or(o.URL, "https://"+l.Addr+"/")
	if err := l.prepareEndpoint(ctx); err != nil {
		_ = socket.Close()
		return nil, err
	}
	return l, nil
}

// prepareEndpoint makes the service trust the certificate, if there is one. Unless the options have an
// endpoint, it removes the endpoints of crashed runs and registers an endpoint.
func (l *EndpointListener) prepareEndpoint(ctx context.Context) error {
	if l.Trust != nil && l.Certificate != nil {
		if err := l.Trust(ctx, encodeCertificate(l.Certificate)); err != nil {
			return fmt.Errorf("trust the receiver's certificate: %w", err)
		}
	}
	if l.Known != nil {
		l.Endpoint = *l.Known
		return nil
	}
	left, err := l.Runs.removeLeft(ctx, l.Client, l.Account)
	if err != nil {
		return err
	}
	l.Left = left
	return l.registerEndpoint(ctx)
}

// openSocket listens on the address, with TLS if there is a certificate.
func openSocket(ctx context.Context, o *ListenOptions) (net.Listener, error) {
	socket, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		reason := err
		if opErr, ok := errors.AsType[*net.OpError](err); ok {
			reason = opErr.Err // without the address, which the message has already
		}
		return nil, fmt.Errorf("cannot listen on %s: %w; use another address", o.Addr, reason)
	}
	if o.Certificate == nil {
		return socket, nil
	}
	return tls.NewListener(socket, &tls.Config{
		Certificates: []tls.Certificate{*o.Certificate},
		MinVersion:   tls.VersionTLS12,
	}), nil
}

// registerEndpoint registers an endpoint for URL. Before that it records the run, so that the next run can
// remove the endpoint after a crash.
func (l *EndpointListener) registerEndpoint(ctx context.Context) error {
	run, err := l.Runs.beginRun(l.Client.BaseURL(), l.Account)
	if err != nil {
		return err
	}
	l.run = run
	created, err := l.Client.Webhooks.Create(ctx, api.CreateWebhookRequest{
		URL:         l.URL,
		Description: run.mark,
		Events:      l.Events,
	})
	if err != nil {
		mayBeRegistered := api.MaybeApplied(err) || ctx.Err() != nil
		if mayBeRegistered { // the next run looks for the endpoint
			return err
		}
		return errors.Join(err, l.Runs.endRun(run))
	}
	l.Endpoint = *created
	return nil
}

// Serve receives callbacks until the context ends, and then removes the endpoint.
func (l *EndpointListener) Serve(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, l.removeEndpoint(ctx)) }() // also after a panic
	return l.receive(ctx)
}

// receive receives callbacks until the context ends.
func (l *EndpointListener) receive(ctx context.Context) error {
	receiver := &api.Receiver{
		Secret:  l.Endpoint.Secret,
		Handle:  l.handleEvent,
		Now:     l.Client.Now,
		Refused: l.Refused,
		Seen:    l.Seen,
	}
	server := &http.Server{
		Handler:           withRawCallback(receiver),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // broken connections are not reported
	}
	failed := api.Go(func() error { return server.Serve(l.socket) })
	select {
	case err := <-failed:
		return fmt.Errorf("stopped listening: %w", err)
	case <-ctx.Done():
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopTimeout)
		defer cancel()
		_ = server.Shutdown(stopCtx)
		return nil
	}
}

// handleEvent calls Handle. A panic becomes an error, so that the callback is not acknowledged.
func (l *EndpointListener) handleEvent(ctx context.Context, e *api.Event) (err error) {
	defer api.CatchPanic(&err)
	return l.Handle(ctx, e)
}

// Close stops listening and removes the endpoint. Call it only if Serve was not called.
func (l *EndpointListener) Close(ctx context.Context) error {
	return errors.Join(l.socket.Close(), l.removeEndpoint(ctx))
}

// StopTimeout limits each step of stopping: waiting for the callbacks that are being handled, and removing
// the endpoint.
const StopTimeout = 5 * time.Second

// removeEndpoint removes the endpoint, even if ctx has ended.
func (l *EndpointListener) removeEndpoint(ctx context.Context) error {
	if l.Known != nil {
		return nil
	}
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopTimeout)
	defer cancel()
	err := l.Client.Webhooks.Delete(stopCtx, l.Endpoint.UUID)
	if err != nil && !api.IsStatus(err, http.StatusNotFound) {
		if api.MaybeApplied(err) {
			return fmt.Errorf("the endpoint may still be registered; if so, the next flightdesk listen removes it: %w", err)
		}
		return fmt.Errorf("the endpoint is still registered; the next flightdesk listen removes it: %w", err)
	}
	return l.Runs.endRun(l.run)
}

// certificateLifetime is the lifetime of a self-signed certificate.
const certificateLifetime = 30 * 24 * time.Hour

// SelfSigned returns a self-signed certificate for a host name or address. Its key is
// never stored.
func SelfSigned(host string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "flightdesk receiver"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(certificateLifetime),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("create certificate for %q: %w", host, err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// encodeCertificate returns a certificate chain as PEM, without the key.
func encodeCertificate(c *tls.Certificate) (text []byte) {
	for _, der := range c.Certificate {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return text
}
