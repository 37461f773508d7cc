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

// denied are networks that stand in the public range but are none: metadata
// services of clouds.
var denied = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// Transport sends to public addresses and to those in allow. The check is on
// the address that is being connected to, whatever name led there, so that a
// name cannot be checked with one address and used with another.
type Transport struct {
	guard    *ssrf.Guardian
	resolver *net.Resolver

	mu    sync.Mutex
	roots *x509.CertPool // nil is the system's, which are read with the first callback over https
	now   *http.Transport
}

// NewTransport returns a transport. The certificates in the PEM text ca are
// trusted beside the system's.
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
		guard: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...),
			ssrf.WithAllowedV6Prefixes(v6...), ssrf.WithDeniedV4Prefixes(denied...)),
	}
	t.now = t.withRoots(nil)
	if len(ca) == 0 {
		return t, nil
	}
	_, err := t.Trust(ca)
	return t, err
}

// Trust adds the certificates in a PEM text to those trusted, and returns how
// many there are.
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
			t.roots = x509.NewCertPool() // a system without certificates trusts those given only
		}
	}
	t.roots = t.roots.Clone()
	for _, c := range certificates {
		t.roots.AddCert(c)
	}
	t.now.CloseIdleConnections()
	t.now = t.withRoots(t.roots)
	return len(certificates), nil
}

func (t *Transport) withRoots(roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		DialContext: (&net.Dialer{Control: t.checkAddress, Resolver: t.resolver}).DialContext,
		TLSClientConfig: &tls.Config{
			RootCAs:            roots,
			MinVersion:         tls.VersionTLS12,
			ClientSessionCache: tls.NewLRUClientSessionCache(maxSessions),
		},
		MaxIdleConns:           maxUnderWay / 4,
		MaxIdleConnsPerHost:    perEndpoint * api.MaxWebhooks, // an account may have all its endpoints on one host
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxAnswer,
		DisableCompression:     true,
		// Proxy is nil: a proxy would connect to what the guard has not seen.
	}
}

// maxSessions is how many receivers' sessions are resumed, which takes less
// of both sides than a new one.
const maxSessions = 256

// checkAddress returns asked with the address that is about to be connected to.
func (t *Transport) checkAddress(network, address string, c syscall.RawConn) error {
	if err := t.guard.Safe(network, address, c); err != nil {
		return fmt.Errorf("%w: %w", errForbidden, err)
	}
	return nil
}

// IsUnreachable reports whether an endpoint's host is an address that this transport
// never connects to, or a name that always stands for one (RFC 6761). Other names are
// checked when they are resolved.
func (t *Transport) IsUnreachable(host string) bool {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return t.IsUnreachable("127.0.0.1") && t.IsUnreachable("::1")
	}
	address, err := netip.ParseAddr(name)
	return err == nil && t.guard.SafeAddr(address.Unmap()) != nil
}

// RoundTrip sends one request. Names under .invalid are not looked up: nobody
// has one (RFC 6761), and a look-up without a network may take its time to say
// so.
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
	now := t.now
	t.mu.Unlock()
	return now.RoundTrip(r)
}

// CloseIdleConnections closes connections that nobody uses.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.CloseIdleConnections()
}
