package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
)

func TestLimiter(t *testing.T) {
	take := server.Limiter(2)
	now := time.Unix(1_800_000_000, 0)
	for i, c := range []struct {
		key   string
		after time.Duration
		pause time.Duration
	}{
		{"a", 0, 0},
		{"a", 0, 0},
		{"a", 0, 500 * time.Millisecond},
		{"b", 0, 0},
		{"a", 250 * time.Millisecond, 250 * time.Millisecond},
		{"a", 250 * time.Millisecond, 0},
		{"a", 0, 500 * time.Millisecond},
		{"a", time.Hour, 0},
		{"a", 0, 0},
		{"a", 0, 500 * time.Millisecond},
	} {
		now = now.Add(c.after)
		if got := take(c.key, now); got != c.pause {
			t.Errorf("request %d: wait %v, want %v", i, got, c.pause)
		}
	}
	for i := range 30_000 {
		if got := take(strings.Repeat("k", i%7)+big.NewInt(int64(i)).String(), now); got != 0 {
			t.Fatalf("key %d has to wait %v", i, got)
		}
	}
}

func TestRateLimit(t *testing.T) {
	s := start(t, &server.Server{RateLimit: 1})
	addr, err := s.Listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	b := &bench{t: t, s: s, origin: "http://" + addr.String()}
	b.alice, b.bob = b.account("Alice AG"), b.account("Bob Ltd")
	limited := 0
	for range 20 { // well within a few seconds
		r := b.call("GET", publicHandlers+"/orders", b.alice, nil)
		if r.status == 200 {
			continue
		}
		limited++
		wantFault(t, "too many", r, 429, api.CodeRateLimited)
		if r.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q", r.header.Get("Retry-After"))
		}
	}
	if limited == 0 {
		t.Error("20 requests at once were let through")
	}
	if r := b.call("GET", publicHandlers+"/orders", b.bob, nil); r.status != 200 {
		t.Errorf("another key: %d", r.status)
	}
	if r := b.call("GET", "/healthz", "", nil); r.status != 200 {
		t.Errorf("without a key: %d", r.status)
	}
}

// selfSigned returns a certificate for 127.0.0.1, and a pool that trusts it.
func selfSigned(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

func TestTLS(t *testing.T) {
	certificate, roots := selfSigned(t)
	s := start(t, &server.Server{Demo: true, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})
	if _, err := s.Listen(context.Background(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.BaseURL(), "https://127.0.0.1:") {
		t.Errorf("base %s", s.BaseURL())
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	c, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key), api.WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Orders.List(context.Background(), api.ListOptions{}); err != nil {
		t.Error(err)
	}
	old := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS11}}
	r, err := http.NewRequest(http.MethodGet, s.BaseURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := old.RoundTrip(r); err == nil {
		resp.Body.Close()
		t.Error("TLS 1.1 is spoken")
	}
}
