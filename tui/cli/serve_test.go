package cli

import (
	"testing"

	"flightdesk/config"
)

// Scripts and other programs start the service with these.
func TestServeHasItsFlags(t *testing.T) {
	serve, _, err := (&program{env: config.System()}).root().Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	for flag, preset := range map[string]string{
		"addr": "127.0.0.1:8080", "data": "", "memory": "false", "demo": "false", "simulate": "0", "ops-key": "", "tls-cert": "",
		"tls-key": "", "webhook-allow": "[]", "webhook-ca": "", "rate-limit": "0", "smtp": "", "public-url": "", "output": "table",
	} {
		if f := serve.Flags().Lookup(flag); f == nil || f.DefValue != preset || f.Usage == "" {
			t.Errorf("--%s: %+v", flag, f)
		}
	}
}
