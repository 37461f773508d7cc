package cli

import (
	"bytes"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/config"
)

// The secret is there once; a keyring that never answers must not take it.
func TestASecretIsPrintedBeforeTheKeyringIsAsked(t *testing.T) {
	for _, output := range []string{"table", "json"} {
		var out bytes.Buffer
		seen := "" // by the time the keyring is asked
		keeps := config.Keyring{Set: func(string, string, string) error {
			seen = out.String()
			return nil
		}}
		c := callOn(&Service{}, &out)
		c.Env, c.Output = config.Env{Keyring: keeps}, output
		e := &api.WebhookEndpoint{UUID: "01a1f8f0-4ba0-79b8-8433-3deb27c49f82", URL: "https://me.example/hook", Secret: "whsec_once"}
		if err := printEndpoint(c, e); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(seen, "whsec_once") {
			t.Errorf("%s: the keyring is asked when this is printed: %q", output, seen)
		}
		if said := strings.Contains(out.String(), "Stored        in the keyring\n"); said != (output == "table") {
			t.Errorf("%s: printed %q", output, &out)
		}
	}
}
