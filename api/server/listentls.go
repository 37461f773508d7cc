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

// tlsListener accepts TLS connections. It performs the handshakes itself, concurrently, because a
// handshake decides whether the connection uses HTTP/1 or HTTP/2. An HTTP/1 connection is returned
// as an envelopeTLSConn, which puts errors of net/http into the JSON envelope. An HTTP/2 connection
// is returned unchanged.
type tlsListener struct {
	net.Listener
	config *tls.Config
	update func(net.Conn, http.ConnState) // ConnState hook of the server
	now    func() time.Time               // clock of the service
	log    *slog.Logger

	open     context.Context // done after Close
	close    context.CancelFunc
	accepted chan acceptedConn
}

// acceptedConn is the result of Accept.
type acceptedConn struct {
	conn net.Conn
	err  error
}

// listenTLS returns a TLS listener for the server h that accepts the connections of
// listener. The ConnState hook of the server is called before the handshake.
func listenTLS(listener net.Listener, h *http.Server, now func() time.Time, log *slog.Logger) *tlsListener {
	l := &tlsListener{
		Listener: listener,
		config:   h.TLSConfig.Clone(),
		update:   h.ConnState,
		now:      now,
		log:      log,
		accepted: make(chan acceptedConn),
	}
	l.open, l.close = context.WithCancel(context.Background())
	go l.acceptAll()
	return l
}

// Accept returns the next connection that has completed its handshake.
func (l *tlsListener) Accept() (net.Conn, error) {
	select {
	case next := <-l.accepted:
		return next.conn, next.err
	case <-l.open.Done():
		return nil, net.ErrClosed
	}
}

// Close stops listening and cancels running handshakes.
func (l *tlsListener) Close() error {
	l.close()
	return l.Listener.Close()
}

// acceptAll accepts connections until the listener is closed.
func (l *tlsListener) acceptAll() {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			l.pass(acceptedConn{err: err})
			if errors.Is(err, net.ErrClosed) || l.open.Err() != nil {
				return
			}
			continue
		}
		l.update(conn, http.StateNew)
		go l.handshake(conn)
	}
}

// pass hands a connection or an error to Accept, which returns it. If the listener is closed, pass
// closes the connection.
func (l *tlsListener) pass(next acceptedConn) {
	select {
	case l.accepted <- next:
	case <-l.open.Done():
		if next.conn != nil {
			_ = next.conn.Close()
		}
	}
}

// handshake performs the handshake of a connection and passes the connection to Accept.
func (l *tlsListener) handshake(conn net.Conn) {
	ctx, cancel := context.WithTimeout(l.open, headerTimeout)
	defer cancel()
	secure := tls.Server(conn, l.config)
	err := secure.HandshakeContext(ctx)
	l.update(conn, http.StateClosed) // the server tracks the secure connection instead
	if err != nil {
		l.refuseHandshake(conn, err)
		return
	}
	if secure.ConnectionState().NegotiatedProtocol == http2Protocol {
		l.pass(acceptedConn{conn: secure})
		return
	}
	l.pass(acceptedConn{conn: newEnvelopeTLSConn(secure, l.now)})
}

// refuseHandshake closes a connection after its handshake failed. A client that sent an
// HTTP request without TLS gets an answer.
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

// startsLikeHTTP reports whether the first bytes of a connection look like an HTTP
// request.
func startsLikeHTTP(start [5]byte) bool {
	return slices.Contains([]string{"GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO"}, string(start[:]))
}
