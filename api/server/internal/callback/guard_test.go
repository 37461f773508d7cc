package callback_test

import (
	"context"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"flightdesk/api/server/internal/callback"
)

func newTransport(t *testing.T, ca []byte, allow ...string) *callback.Transport {
	t.Helper()
	var prefixes []netip.Prefix
	for _, p := range allow {
		prefixes = append(prefixes, netip.MustParsePrefix(p))
	}
	tr, err := callback.NewTransport(prefixes, ca)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

func TestGuardedAddresses(t *testing.T) {
	tr := newTransport(t, nil)
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "127.0.0.1", "127.255.255.254", "168.63.129.16",
		"169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192",
		"192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
		"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8",
		"64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2001:10::1", "2002:7f00:1::", "2002:a00:1::1",
		"fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1", "2606:4700::1%eth0",
	} {
		ip := netip.MustParseAddr(a)
		network := "tcp6"
		if ip.Is4() {
			network = "tcp4"
		}
		if err := tr.Check(network, netip.AddrPortFrom(ip, 443).String()); !errors.Is(err, callback.Forbidden) {
			t.Errorf("%s is let through: %v", a, err)
		}
	}
	for _, a := range []string{"8.8.8.8", "1.1.1.1", "168.63.129.15", "172.32.0.1", "11.0.0.1", "2606:4700::1", "2a00:1450::1"} {
		network := "tcp4"
		if strings.Contains(a, ":") {
			network = "tcp6"
		}
		if err := tr.Check(network, net.JoinHostPort(a, "8443")); err != nil {
			t.Errorf("%s is not let through: %v", a, err)
		}
	}
	if err := tr.Check("udp4", "8.8.8.8:443"); !errors.Is(err, callback.Forbidden) {
		t.Errorf("udp: %v", err)
	}
}

func TestAllowedAddresses(t *testing.T) {
	tr := newTransport(t, nil, "127.0.0.9/8", "fd00::/8")
	for a, want := range map[string]bool{
		"127.0.0.1:443": true, "127.9.9.9:8443": true, "10.0.0.1:443": false, "[fd00::1]:443": true, "[::1]:443": false,
		"168.63.129.16:443": false, "8.8.8.8:443": true,
	} {
		network := "tcp4"
		if a[0] == '[' {
			network = "tcp6"
		}
		if err := tr.Check(network, a); (err == nil) != want {
			t.Errorf("%s: %v", a, err)
		}
	}
}

// resolver answers every query with its address.
func resolver(at *atomic.Pointer[netip.Addr]) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go answerNames(ours, at)
		return theirs, nil
	}}
}

// answerNames serves DNS in the form for TCP: each message is preceded by its length.
func answerNames(c net.Conn, at *atomic.Pointer[netip.Addr]) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		q := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		end := 12
		for q[end] != 0 {
			end += 1 + int(q[end])
		}
		end += 5
		a := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[12:end]...)
		if isA := q[end-3] == 1; isA {
			a[7] = 1
			a = append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
			a = append(a, at.Load().AsSlice()...)
		}
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...)); err != nil {
			return
		}
	}
}

func TestAllSpellingsOfLoopbackAreRefused(t *testing.T) {
	tr := newTransport(t, nil)
	var at atomic.Pointer[netip.Addr]
	loopback := netip.MustParseAddr("127.0.0.1")
	at.Store(&loopback)
	tr.Resolve(resolver(&at))
	for _, host := range []string{
		"127.0.0.1", "localhost", "localhost.", "LOCALHOST", "127.1", "127.0.1", "2130706433", "0x7f000001", "0177.0.0.1",
		"017700000001", "[::1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]", "0.0.0.0", "0", "[::]", "[fe80::1%25lo]",
		"receiver.example", "127.0.0.1.nip.example",
	} {
		r, err := http.NewRequest(http.MethodPost, "https://"+host+":8443/hook", nil)
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		resp, err := tr.RoundTrip(r)
		if err == nil {
			resp.Body.Close()
		}
		var dns *net.DNSError
		if !errors.Is(err, callback.Forbidden) && !errors.As(err, &dns) {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// A name resolves to a public address when it is checked, and to another address when it is connected.
func TestANameIsCheckedWhenConnecting(t *testing.T) {
	var reached atomic.Int64
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer receiver.Close()
	tr := newTransport(t, certificateOf(receiver), "127.0.0.1/32")
	var at atomic.Pointer[netip.Addr]
	tr.Resolve(resolver(&at))
	_, port, err := net.SplitHostPort(receiver.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		address string
		passes  bool
	}{{"127.0.0.1", true}, {"10.0.0.1", false}, {"169.254.169.254", false}, {"127.0.0.1", true}, {"127.0.0.2", false}} {
		ip := netip.MustParseAddr(c.address)
		at.Store(&ip)
		tr.CloseIdleConnections()
		r, err := http.NewRequest(http.MethodPost, "https://example.com:"+port+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(r)
		if err == nil {
			resp.Body.Close()
		}
		if (err == nil) != c.passes || !c.passes && !errors.Is(err, callback.Forbidden) {
			t.Errorf("%d, %s: %v", i, c.address, err)
		}
	}
	if n := reached.Load(); n != 2 {
		t.Errorf("the receiver was reached %d times", n)
	}
}

func certificateOf(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func TestCertificatesCanBeTrustedLater(t *testing.T) {
	receiver := httptest.NewUnstartedServer(http.NotFoundHandler())
	receiver.Config.ErrorLog = quiet
	receiver.StartTLS()
	defer receiver.Close()
	tr := newTransport(t, nil, "127.0.0.0/8")
	get := func() error {
		r, err := http.NewRequest(http.MethodGet, receiver.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(r)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	if err := get(); err == nil {
		t.Error("a certificate that nobody has signed is taken")
	}
	pem := certificateOf(receiver)
	for _, bad := range []string{
		"", "hello", string(pem[:len(pem)-40]), string(pem) + "-----BEGIN CERTIFICATE-----\nMII",
		"-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n", "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n",
	} {
		if n, err := tr.Trust([]byte(bad)); err == nil || n != 0 {
			t.Errorf("%q is trusted", bad)
		}
	}
	if n, err := tr.Trust(append([]byte("# ours\n"), pem...)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := get(); err != nil {
		t.Error(err)
	}
	if _, err := callback.NewTransport(nil, []byte("nothing")); err == nil {
		t.Error("a useless CA file is taken")
	}
}

// Error texts in logs contain no address of the service's network.
func TestFailureReasonsContainNoInternalAddress(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	strange := httptest.NewUnstartedServer(http.NotFoundHandler())
	strange.Config.ErrorLog = quiet
	strange.StartTLS()
	defer strange.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	tr := newTransport(t, nil, "127.0.0.1/32")
	for url, want := range map[string]string{
		strings.Replace(plain.URL, "http:", "https:", 1): "the receiver does not support TLS",
		strange.URL: "certificate not accepted: x509: certificate signed by unknown authority",
		strings.Replace(closed.URL, "http:", "https:", 1): "the connection was refused",
		"https://127.0.0.2:1/":                            "address not allowed for callbacks",
	} {
		b := &oneMessage{url: url, done: make(chan callback.Outcome, 1)}
		s := newSender(callback.SenderConfig{Deliveries: b, Transport: tr})
		s.Send(callback.DeliveryRef{Delivery: 1, Endpoint: 1})
		if got := <-b.done; got.Error != want || got.Code != 0 {
			t.Errorf("%s: %+v", url, got)
		}
		s.Close()
	}
}

func TestInvalidNamesAreNotLookedUp(t *testing.T) {
	tr := newTransport(t, nil)
	tr.Resolve(&net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		t.Error("the name was looked up")
		return nil, errors.New("no network")
	}})
	for _, host := range []string{"hooks.wind.invalid", "HOOKS.INVALID:8443"} {
		r, err := http.NewRequest(http.MethodPost, "https://"+host+"/hook", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(r)
		if err == nil {
			resp.Body.Close()
		}
		var dns *net.DNSError
		if !errors.As(err, &dns) || !dns.IsNotFound {
			t.Errorf("%s: %v", host, err)
		}
	}
}
