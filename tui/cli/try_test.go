package cli

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
)

// A receiver with a self-signed certificate gets test events if the certificate is trusted with
// --ca.
func TestATestEventTrustsTheCertificateOfItsReceiver(t *testing.T) {
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer receiver.Close()
	path := filepath.Join(t.TempDir(), "receiver.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: receiver.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"": false, path: true} {
		trusted, err := transportWithCA(name)
		if err != nil {
			t.Fatal(err)
		}
		sent := commands.SendTest(t.Context(), to, "whsec_test", api.EventDataDelivered, time.Now(), trusted)
		if got := sent.ProblemError() == nil; got != want {
			t.Errorf("with %q: %v", name, sent.ProblemError())
		}
	}
	if err := os.WriteFile(path, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := transportWithCA(path); err == nil {
		t.Error("a file without a certificate is trusted")
	}
}
