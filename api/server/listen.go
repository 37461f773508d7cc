package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	bodyTimeout    = 30 * time.Second // for reading a JSON body
	uploadTimeout  = time.Minute      // for reading a survey file
	answerTimeout  = time.Minute      // for writing an answer, counted from the start of the request
	maxHeaderBytes = 64 << 10

	// maxWaitingConns is how many connections may be open without a request. Each
	// connection needs a file descriptor. If there are more, the one that has waited
	// longest is closed.
	maxWaitingConns = 2_000

	stopTimeout = 8 * time.Second // for the running requests; stopping takes 10 s at most
)

// port is the network address of the service. Until its handler is set, requests get the answer
// that the service is starting.
type port struct {
	tls *tls.Config      // nil serves http
	now func() time.Time // clock of the service
	log *slog.Logger

	handler atomic.Pointer[http.Handler] // nil while the service starts

	mu       sync.Mutex
	listener net.Listener  // nil before bind
	http     *http.Server  // nil before serve
	served   chan struct{} // closed when the port is no longer served; nil before serve
	serveErr error         // set before served is closed
}

// bind opens the port of an address.
func (p *port) bind(ctx context.Context, address string) (net.Addr, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return nil, errListening
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	p.listener = listener
	return listener.Addr(), nil
}

// boundAddress returns the address that bind opened, or nil if bind was not called.
func (p *port) boundAddress() net.Addr {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener == nil {
		return nil
	}
	return p.listener.Addr()
}

// serve serves requests in the background on the port that bind opened. It does nothing if the port
// is already served. It returns a channel that is closed when serving ends, or nil if bind was not
// called.
func (p *port) serve() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener == nil || p.http != nil {
		return p.served
	}
	p.http = p.newServer()
	p.served = make(chan struct{})
	go p.serveListener(p.http, p.listener)
	return p.served
}

// newServer returns the HTTP server of the port.
func (p *port) newServer() *http.Server {
	h := &http.Server{
		Handler:           http.HandlerFunc(p.handle),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,

		DisableGeneralOptionsHandler: true, // its answers do not have the JSON envelope
		ErrorLog:                     slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	waiting := newWaitingConns(maxWaitingConns)
	h.ConnState = waiting.update
	h.RegisterOnShutdown(waiting.closeUnused)
	if p.tls != nil {
		h.TLSConfig = p.tls.Clone()
		h.TLSConfig.MinVersion = max(p.tls.MinVersion, tls.VersionTLS12)
		h.TLSConfig.NextProtos = []string{http2Protocol, "http/1.1"}
	}
	return h
}

// handle passes a request to the handler of the service, or answers that the service is starting.
func (p *port) handle(w http.ResponseWriter, r *http.Request) {
	if handler := p.handler.Load(); handler != nil {
		(*handler).ServeHTTP(w, r)
		return
	}
	p.answerStarting(w, r)
}

func (p *port) serveListener(h *http.Server, listener net.Listener) {
	defer close(p.served)
	if h.TLSConfig != nil {
		listener = listenTLS(listener, h, p.now, p.log)
	} else if tcp, ok := listener.(*net.TCPListener); ok {
		listener = envelopeListener{tcp, p.now}
	}
	if err := h.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		p.serveErr = err
	}
}

// release closes the port after a failed start, so that waiting clients get an error.
func (p *port) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.http != nil {
		_ = p.http.Close()
		<-p.served
	} else if p.listener != nil {
		_ = p.listener.Close()
	}
}

// shutDown closes the port and waits for the running requests.
func (p *port) shutDown() {
	p.mu.Lock()
	h := p.http
	p.mu.Unlock()
	if h == nil {
		p.release()
		return
	}
	shutDown(h, p.log)
	<-p.served
}

// wait waits until the port is no longer served, and returns the error of serving. If serve was not
// called, it returns immediately, and isServed is false.
func (p *port) wait() (isServed bool, err error) {
	p.mu.Lock()
	served := p.served
	p.mu.Unlock()
	if served == nil {
		return false, nil
	}
	<-served
	return true, p.serveErr
}

// Bind opens the port of an address and returns the address with the actual port. It may be called
// before Start, for example to create clients with the address. Their requests then wait until the
// service is started. Call Bind only once.
func (s *Server) Bind(ctx context.Context, addr string) (net.Addr, error) {
	return s.port.bind(ctx, addr)
}

// Listen binds the address and serves it in the background until Close is called or ctx
// ends. It returns the address with the actual port. Call Listen only once, after Start.
func (s *Server) Listen(ctx context.Context, addr string) (net.Addr, error) {
	if s.service.handler == nil {
		return nil, errNotStarted
	}
	bound, err := s.Bind(ctx, addr)
	if err != nil {
		return nil, err
	}
	return bound, s.Serve(ctx)
}

var (
	errNotStarted = errors.New("the server has not been started; call Start first")
	errListening  = errors.New("the server is already listening")
)

// Serve is like Listen, on the address that was opened by Bind.
func (s *Server) Serve(ctx context.Context) error {
	if s.service.handler == nil {
		return errNotStarted
	}
	if s.port.boundAddress() == nil {
		return errors.New("no address to listen on")
	}
	if s.isServing.Swap(true) {
		return errListening
	}
	served := s.port.serve()                                                  //nolint:contextcheck // handshakes end with the listener
	stopWaiting := context.AfterFunc(ctx, func() { s.drainAndClose(served) }) //nolint:contextcheck // ctx has ended then
	go func() {
		<-served
		stopWaiting()
	}()
	return nil
}

// drainAndClose first reports that the server is not ready and waits for s.Drain. In this time,
// load balancers can stop sending requests to it. It then closes the server.
func (s *Server) drainAndClose(served <-chan struct{}) {
	s.service.draining.Store(true)
	select {
	case <-time.After(s.Drain):
	case <-served: // already closed
	}
	_ = s.Close()
}

// Wait returns when the server has stopped serving and is closed. If Listen was not
// called, it returns immediately.
func (s *Server) Wait() error {
	isServed, err := s.port.wait()
	if !isServed {
		return nil
	}
	return errors.Join(err, s.Close())
}

// Close stops the server: it rejects new requests, waits up to 8 s for running requests,
// and closes the store. Concurrent and later calls wait for the first call and return its
// result.
func (s *Server) Close() error {
	s.stopOnce.Do(func() { s.stopErr = s.service.stop(s.port.shutDown) })
	return s.stopErr
}

// shutDown stops listening and waits for the running requests. It interrupts them after
// stopTimeout.
func shutDown(h *http.Server, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		log.Warn("requests were interrupted", "error", err)
		_ = h.Close()
	}
}
