package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// certificate makes a certificate for 127.0.0.1 and its key, as NAME.pem and
// NAME-key.pem: certificate NAME
func certificate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: certificate name")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: args[0]},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	ts.Check(err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	for _, file := range []struct {
		name  string
		block *pem.Block
	}{
		{args[0] + ".pem", &pem.Block{Type: "CERTIFICATE", Bytes: der}},
		{args[0] + "-key.pem", &pem.Block{Type: "PRIVATE KEY", Bytes: secret}},
	} {
		ts.Check(os.WriteFile(ts.MkAbs(file.name), pem.EncodeToMemory(file.block), 0o600))
	}
}

// trusting is a transport that trusts the certificate of a file, those of the
// system without one.
func trusting(file string) (*http.Transport, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if file == "" {
		return transport, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate", file)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return transport, nil
}
