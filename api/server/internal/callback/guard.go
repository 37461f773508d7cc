package callback

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"flightdesk/api"
)

var errForbidden = errors.New("address not allowed for callbacks")

// denied are addresses in the public range that must not be reached, because cloud providers use
// them for their internal metadata services.
var denied = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// Transport sends requests to public addresses, and to private addresses in the allowed networks.
// It checks the address of each connection. Checking the host name beforehand would not be safe,
// because the name may resolve to another address for the connection.
type Transport struct {
	guard    *ssrf.Guardian
	resolver *net.Resolver

	mu      sync.Mutex
	roots   *x509.CertPool // nil uses the system's certificates, which the first callback over HTTPS loads
	current *http.Transport
}

// NewTransport returns a transport that can connect to public addresses, and to private addresses
// in the networks of allow. It trusts the certificates of the system and the certificates in the
// PEM text ca.
func NewTransport(allow []netip.Prefix, ca []byte) (*Transport, error) {
	var v4, v6 []netip.Prefix
	for _, p := range allow {
		p = p.Masked()
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	t := &Transport{
		guard: ssrf.New(
			ssrf.WithAnyPort(),
			ssrf.WithAllowedV4Prefixes(v4...),
			ssrf.WithAllowedV6Prefixes(v6...),
			ssrf.WithDeniedV4Prefixes(denied...),
		),
	}
	t.current = t.withRoots(nil)
	if len(ca) == 0 {
		return t, nil
	}
	_, err := t.Trust(ca)
	return t, err
}

// Trust makes the transport also trust the certificates in a PEM text. It returns their number.
func (t *Transport) Trust(pem []byte) (int, error) {
	certificates, err := parseCertificates(pem)
	if err != nil {
		return 0, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.roots == nil {
		t.roots, err = x509.SystemCertPool()
		if err != nil {
			t.roots = x509.NewCertPool() // without system certificates, only the given ones are trusted
		}
	}
	t.roots = t.roots.Clone()
	for _, c := range certificates {
		t.roots.AddCert(c)
	}
	t.current.CloseIdleConnections()
	t.current = t.withRoots(t.roots)
	return len(certificates), nil
}

// withRoots returns an HTTP transport that trusts the certificates in roots, or the certificates
// of the system if roots is nil.
func (t *Transport) withRoots(roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		DialContext: (&net.Dialer{Control: t.checkAddress, Resolver: t.resolver}).DialContext,
		TLSClientConfig: &tls.Config{
			RootCAs:            roots,
			MinVersion:         tls.VersionTLS12,
			ClientSessionCache: tls.NewLRUClientSessionCache(maxSessions),
		},
		MaxIdleConns:           maxAttempts / 4,
		MaxIdleConnsPerHost:    maxPerEndpoint * api.MaxWebhooks, // all endpoints of an account may be on one host
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxDiscardedAnswer,
		DisableCompression:     true,
		// Proxy is nil, because a proxy would connect to addresses that the guard cannot check.
	}
}

// maxSessions is the size of the TLS session cache. Resuming a session costs both sides
// less than a new one.
const maxSessions = 256

// checkAddress returns an error if callbacks must not be sent to the address. It is called before
// each connection.
func (t *Transport) checkAddress(network, address string, c syscall.RawConn) error {
	if err := t.guard.Safe(network, address, c); err != nil {
		return fmt.Errorf("%w: %w", errForbidden, err)
	}
	return nil
}

// IsUnreachable reports whether this transport never connects to a host. That is known only
// for IP addresses and for localhost names, which always resolve to loopback addresses
// (RFC 6761). Other names are checked when they are resolved.
func (t *Transport) IsUnreachable(host string) bool {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return t.IsUnreachable("127.0.0.1") && t.IsUnreachable("::1")
	}
	address, err := netip.ParseAddr(name)
	return err == nil && t.guard.SafeAddr(address.Unmap()) != nil
}

// RoundTrip sends a request. Names under .invalid do not exist (RFC 6761) and are not
// looked up, because that can take long without a network.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if name := strings.ToLower(r.URL.Hostname()); strings.HasSuffix(name, ".invalid") {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, &net.DNSError{
			Err:        "no such host",
			Name:       name,
			IsNotFound: true,
		}
	}
	t.mu.Lock()
	current := t.current
	t.mu.Unlock()
	return current.RoundTrip(r)
}

// CloseIdleConnections closes idle connections.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current.CloseIdleConnections()
}
