package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
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

// Bind opens the port of an address and returns the address with the actual port. It may
// be called before Start: requests then wait until the service is started, and clients
// can be created in the meantime. Call Bind only once.
func (s *Server) Bind(ctx context.Context, addr string) (net.Addr, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound != nil {
		return nil, errors.New("the server is already listening")
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	s.bound = listener
	return listener.Addr(), nil
}

// Listen binds the address and serves it in the background until Close is called or ctx
// ends. It returns the address with the actual port. Call Listen only once, after Start.
func (s *Server) Listen(ctx context.Context, addr string) (net.Addr, error) {
	if s.handler == nil {
		return nil, errNotStarted
	}
	bound, err := s.Bind(ctx, addr)
	if err != nil {
		return nil, err
	}
	return bound, s.Serve(ctx)
}

var errNotStarted = errors.New("the server has not been started; call Start first")

// Serve is like Listen, on the address that was opened by Bind.
func (s *Server) Serve(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handler == nil {
		return errNotStarted
	}
	if s.bound == nil {
		return errors.New("no address to listen on")
	}
	if s.stop != nil {
		return errors.New("the server is already listening")
	}
	s.serveBound() //nolint:contextcheck // handshakes end with the listener
	s.stop = context.AfterFunc(ctx, s.drainAndClose)
	served := s.served
	stop := s.stop
	go func() {
		<-served
		stop()
	}()
	return nil
}

// drainAndClose reports that the server is not ready and closes it after s.Drain, so that
// load balancers have time to send requests elsewhere.
func (s *Server) drainAndClose() {
	s.draining.Store(true)
	select {
	case <-time.After(s.Drain):
	case <-s.served: // already closed
	}
	_ = s.Close()
}

// servePort begins to serve the address of Bind, if any, while the service is starting.
func (s *Server) servePort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound != nil {
		s.serveBound()
	}
}

// serveBound serves the address of Bind, unless it is already served. The caller holds
// s.mu.
func (s *Server) serveBound() {
	if s.http != nil {
		return
	}
	s.http = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if handler := s.live.Load(); handler != nil {
				(*handler).ServeHTTP(w, r)
				return
			}
			s.answerStarting(w, r)
		}),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,

		DisableGeneralOptionsHandler: true, // its answers do not have the JSON envelope
		ErrorLog:                     slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	waiting := newWaitingConns(maxWaitingConns)
	s.http.ConnState = waiting.update
	s.http.RegisterOnShutdown(waiting.closeUnused)
	if s.TLS != nil {
		s.http.TLSConfig = s.TLS.Clone()
		s.http.TLSConfig.MinVersion = max(s.TLS.MinVersion, tls.VersionTLS12)
		s.http.TLSConfig.NextProtos = []string{http2Protocol, "http/1.1"}
	}
	s.served = make(chan struct{})
	go s.serveListener(s.http, s.bound)
}

// releasePort closes the port after a failed start, so that waiting clients get an error.
func (s *Server) releasePort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http != nil {
		_ = s.http.Close()
		<-s.served
	} else if s.bound != nil {
		_ = s.bound.Close()
	}
}

func (s *Server) serveListener(h *http.Server, listener net.Listener) {
	defer close(s.served)
	if h.TLSConfig != nil {
		listener = listenTLS(listener, h, s.Now, s.Log)
	} else if tcp, ok := listener.(*net.TCPListener); ok {
		listener = envelopeListener{tcp, s.Now}
	}
	if err := h.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		s.serveErr = err
	}
}

// Wait returns when the server has stopped serving and is closed. If Listen was not
// called, it returns immediately.
func (s *Server) Wait() error {
	s.mu.Lock()
	served := s.served
	s.mu.Unlock()
	if served == nil {
		return nil
	}
	<-served
	return errors.Join(s.serveErr, s.Close())
}

// Close stops the server: it rejects new requests, waits up to 8 s for running requests,
// and closes the store. Concurrent and later calls wait for the first call and return its
// result.
func (s *Server) Close() error {
	s.stopOnce.Do(func() { s.stopErr = s.closeServer() })
	return s.stopErr
}

// closeServer stops the requests and callbacks, then the background work, and last the stores
// that both use. If Start has failed, it stops the parts that were started.
func (s *Server) closeServer() error {
	s.mu.Lock()
	h := s.http
	s.mu.Unlock()
	s.faults.releaseWaiting() // otherwise requests that an injected fault delays would not end
	s.simulation.stop()
	// Callbacks, notices and requests end at the same time, so that each has stopTimeout.
	var senders sync.WaitGroup
	senders.Go(s.callbacks.closeSender)
	senders.Go(s.notices.closeSender)
	if h == nil {
		s.releasePort()
	} else {
		shutDown(h, s.Log)
		<-s.served
	}
	senders.Wait()

	if s.requests != nil {
		s.requests.work.stop() // writes the requests that are still queued
	}
	for _, work := range []*backgroundWork{&s.strays, &s.sweep, &s.auditing, &s.vaultKeys.work} {
		work.stop()
	}
	s.dependencies.stopWatching()

	if s.store == nil {
		return nil
	}
	err := errors.Join(s.callbacks.markUnsent(), s.notices.markUnsent(), s.store.Close())
	if s.files != nil {
		err = errors.Join(err, s.files.Close())
	}
	return err
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
