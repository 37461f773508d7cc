package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	bodyTimeout    = 30 * time.Second // to read a body of JSON
	uploadTimeout  = time.Minute      // to read a survey file
	answerTimeout  = time.Minute      // to write an answer, from its request on
	maxHeaderBytes = 64 << 10

	// maxWaitingConns is how many connections may be open without a request. Each needs a
	// file descriptor; for one more the connection that has waited longest is closed.
	maxWaitingConns = 2_000

	stopTimeout = 8 * time.Second // for requests under way; stopping takes 10 s at most
)

// Bind takes the port of an address, and returns the address that it got.
// Start may come after it: requests wait for Serve then, and a client can be
// made before there is anybody to answer. Call it once.
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

// Listen serves on the address in the background until Close is called or ctx
// ends, and returns the address that it got. Call it once, after Start.
func (s *Server) Listen(ctx context.Context, addr string) (net.Addr, error) {
	if s.handler == nil {
		return nil, errNotStarted
	}
	got, err := s.Bind(ctx, addr)
	if err != nil {
		return nil, err
	}
	return got, s.Serve(ctx)
}

var errNotStarted = errors.New("the server has not been started; call Start first")

// Serve returns Listen on the address of Bind.
func (s *Server) Serve(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.handler == nil:
		return errNotStarted
	case s.bound == nil:
		return errors.New("no address to listen on")
	case s.stop != nil:
		return errors.New("the server is already listening")
	}
	s.serveBound() //nolint:contextcheck // handshakes end with the listener
	s.stop = context.AfterFunc(ctx, s.drainAndClose)
	served, stop := s.served, s.stop
	go func() {
		<-served
		stop()
	}()
	return nil
}

// drainAndClose has balancers send requests elsewhere before the server stops.
func (s *Server) drainAndClose() {
	s.draining.Store(true)
	select {
	case <-time.After(s.Drain):
	case <-s.served: // it was closed meanwhile
	}
	_ = s.Close()
}

// servePort serves on the address of Bind, if there is one, before the service has
// started.
func (s *Server) servePort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound != nil {
		s.serveBound()
	}
}

// serveBound serves on the address of Bind, unless that is done. The caller has the lock.
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

		DisableGeneralOptionsHandler: true, // it answers outside the envelope
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

// releasePort gives the port back that nobody serves on: who waits there is told
// that no answer comes.
func (s *Server) releasePort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.http != nil:
		_ = s.http.Close()
		<-s.served
	case s.bound != nil:
		_ = s.bound.Close()
	}
}

func (s *Server) serveListener(h *http.Server, listener net.Listener) {
	defer close(s.served)
	tcp, plain := listener.(*net.TCPListener)
	switch {
	case h.TLSConfig != nil:
		listener = listenTLS(listener, h, s.Now, s.Log)
	case plain:
		listener = envelopeListener{tcp, s.Now}
	}
	if err := h.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		s.serveErr = err
	}
}

// Wait returns when serving has ended and the server is closed: at once if
// Listen was not called.
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

// Close stops the server: it accepts no more requests, allows running ones 8 s,
// and closes the store. Another call waits for the first one and returns the
// same.
func (s *Server) Close() error {
	s.stopOnce.Do(func() { s.stopErr = s.closeServer() })
	return s.stopErr
}

func (s *Server) closeServer() error {
	s.mu.Lock()
	h := s.http
	s.mu.Unlock()
	if h == nil {
		s.releasePort()
	}
	s.faults.releaseWaiting()
	s.simulation.endWork()
	callbacks, notices := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(notices)
		s.notices.closeBook()
	}()
	go func() {
		defer close(callbacks)
		s.callbacks.closeBook() // beside the requests, for both to have their time
	}()
	if h != nil {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := h.Shutdown(ctx); err != nil {
			s.Log.Warn("requests were interrupted", "error", err)
			_ = h.Close()
		}
		<-s.served
	}
	<-callbacks
	<-notices
	if s.requests != nil {
		s.requests.work.endWork()
	}
	s.strays.endWork()
	s.sweep.endWork()
	s.auditing.endWork()
	s.vaultKeys.work.endWork()
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
