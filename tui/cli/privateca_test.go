package cli

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/config"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// If the certificate of a service is not trusted, the error says so, even if other addresses fail for another
// reason. With its CA file, the service can be added.
func TestAServiceWithAPrivateCertificateIsConnectedWithItsCAFile(t *testing.T) {
	service := &server.Server{Demo: true}
	if err := service.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = service.Close() }()
	web := httptest.NewTLSServer(service.Handler())
	defer web.Close()
	host := strings.TrimPrefix(web.URL, "https://")
	p := &program{Env: config.Env{Lookup: os.LookupEnv}}
	account := func(address, ca string) session.TypedAccount {
		a := session.TypedAccount{Key: service.Accounts()[0].Key}
		a.Name, a.BaseURL, a.Band, a.CAFile = "prod", address, "test", ca
		return a
	}
	for _, address := range []string{host, web.URL} {
		_, err := p.tryAccount(t.Context(), account(address, ""))
		what, advice := format.ExplainError(err)
		if !api.IsCertificateError(err) || !strings.Contains(what, "signed by an unknown authority") || !strings.Contains(advice, "ca_file") {
			t.Errorf("%s: %s %s", address, what, advice)
		}
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	tried, err := p.tryAccount(t.Context(), account(host, path))
	if err != nil || tried.CAFile != path || !strings.HasPrefix(tried.BaseURL, web.URL) {
		t.Errorf("tried %+v, %v", tried, err)
	}
	var fault session.FieldFault
	if _, err = p.tryAccount(t.Context(), account(host, path+"x")); !errors.As(err, &fault) || fault.Key != session.FieldCAFile {
		t.Errorf("without the file: %v", err)
	}
}

func TestACAFileIsNotAdvisedForAnExpiredCertificate(t *testing.T) {
	expired := &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}}
	advice := adviceFor(&api.TransportError{Host: "desk.example", Err: expired})
	if want := "check the address, or ask whoever runs the service for a valid certificate"; advice != want {
		t.Errorf("the advice is %q, want %q", advice, want)
	}
}
