package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"
)

// http2Protocol is the name of HTTP/2 in a TLS handshake.
const http2Protocol = "h2"

// tlsListener accepts connections over TLS. Refusals that net/http writes itself can be
// replaced only on a connection whose protocol is known to be HTTP/1, which the handshake
// says. It therefore makes the handshakes, each beside the others.
type tlsListener struct {
	net.Listener
	config *tls.Config
	update func(net.Conn, http.ConnState) // ConnState of the server
	now    func() time.Time               // of the service
	log    *slog.Logger

	open     context.Context // until Close
	close    context.CancelFunc
	accepted chan acceptedConn
}

// acceptedConn is a connection, or why none could be accepted.
type acceptedConn struct {
	conn net.Conn
	err  error
}

// listenTLS returns a listener that accepts the connections of another one over TLS, for a
// server. A connection is new to the server's ConnState while it has its handshake.
func listenTLS(listener net.Listener, of *http.Server, now func() time.Time, log *slog.Logger) *tlsListener {
	l := &tlsListener{
		Listener: listener,
		config:   of.TLSConfig.Clone(),
		update:   of.ConnState,
		now:      now,
		log:      log,
		accepted: make(chan acceptedConn),
	}
	l.open, l.close = context.WithCancel(context.Background())
	go l.acceptAll()
	return l
}

// Accept returns the next connection whose handshake is done.
func (l *tlsListener) Accept() (net.Conn, error) {
	select {
	case next := <-l.accepted:
		return next.conn, next.err
	case <-l.open.Done():
		return nil, net.ErrClosed
	}
}

// Close stops listening and ends the handshakes under way.
func (l *tlsListener) Close() error {
	l.close()
	return l.Listener.Close()
}

// acceptAll accepts connections until the listener is closed.
func (l *tlsListener) acceptAll() {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			l.hand(acceptedConn{err: err})
			if errors.Is(err, net.ErrClosed) || l.open.Err() != nil {
				return
			}
			continue
		}
		l.update(conn, http.StateNew)
		go l.shakeHands(conn)
	}
}

// hand gives a connection or an error to Accept.
func (l *tlsListener) hand(next acceptedConn) {
	select {
	case l.accepted <- next:
	case <-l.open.Done():
		if next.conn != nil {
			_ = next.conn.Close()
		}
	}
}

// shakeHands makes the handshake of a connection.
func (l *tlsListener) shakeHands(conn net.Conn) {
	ctx, cancel := context.WithTimeout(l.open, headerTimeout)
	defer cancel()
	secure := tls.Server(conn, l.config)
	err := secure.HandshakeContext(ctx)
	l.update(conn, http.StateClosed) // the server follows the state of the secure connection
	if err != nil {
		l.refuseHandshake(conn, err)
		return
	}
	if secure.ConnectionState().NegotiatedProtocol == http2Protocol {
		l.hand(acceptedConn{conn: secure})
		return
	}
	l.hand(acceptedConn{conn: &envelopeTLSConn{secure, l.now}})
}

// refuseHandshake closes a connection after its handshake failed. A client that sent a
// request without TLS gets an answer.
func (l *tlsListener) refuseHandshake(conn net.Conn, err error) {
	defer func() { _ = conn.Close() }()
	l.log.Debug("TLS handshake failed", "remote", conn.RemoteAddr().String(), "error", err)
	var record tls.RecordHeaderError
	if !errors.As(err, &record) || record.Conn == nil || !startsLikeHTTP(record.RecordHeader) {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(headerTimeout))
	refusal := httpRefusal{statusLine: []byte("HTTP/1.1 400 Bad Request"), status: http.StatusBadRequest, isPlain: true}
	_ = writeRefusal(conn, refusal, l.now())
}

// startsLikeHTTP reports whether the start of a connection is that of a request.
func startsLikeHTTP(start [5]byte) bool {
	return slices.Contains([]string{"GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO"}, string(start[:]))
}
