package cli

import (
	"bytes"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/config"
)

// The service returns a secret only once. It must be printed even if the keyring never responds.
func TestASecretIsPrintedBeforeItIsStoredInTheKeyring(t *testing.T) {
	for _, output := range []string{"table", "json"} {
		var out bytes.Buffer
		printed := "" // the output before the keyring is used
		keeps := config.Keyring{Set: func(string, string, string) error {
			printed = out.String()
			return nil
		}}
		c := callOn(&Service{}, &out)
		c.Env, c.Output = config.Env{Keyring: keeps}, output
		e := &api.WebhookEndpoint{UUID: "01a1f8f0-4ba0-79b8-8433-3deb27c49f82", URL: "https://me.example/hook", Secret: "whsec_once"}
		if err := printEndpoint(c, e); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(printed, "whsec_once") {
			t.Errorf("%s: the keyring is used when only this is printed: %q", output, printed)
		}
		if said := strings.Contains(out.String(), "Stored        in the keyring\n"); said != (output == "table") {
			t.Errorf("%s: printed %q", output, &out)
		}
	}
}

// A body that a customer received is compared with the sent bodies, without the secret.
func TestABodyIsComparedWithTheAttemptsOfItsCallback(t *testing.T) {
	const sent = `{"id":"d-1","event":"mission.completed","timestamp":"2026-11-24T11:59:00Z","data":{}}`
	attempts := []ops.CallbackAttempt{
		{Number: 1, Body: strings.Replace(sent, "59", "58", 1), Headers: map[string]string{"x-service-signature": "sha256=1"}},
		{Number: 2, Body: sent, Headers: map[string]string{"X-Service-Signature": "sha256=2"}},
	}
	for _, c := range []struct{ name, signature, body, want string }{
		{"the newest attempt", "sha256=2", sent, ""},
		{"the first attempt", "sha256=1", attempts[0].Body, ""},
		{"the signature of another attempt", "sha256=1", sent, "the body is that of attempt 2, but the signature is not"},
		{"another callback", "sha256=2", strings.Replace(sent, "d-1", "d-2", 1), "the body is that of callback d-2"},
		{"a line end", "sha256=2", sent + "\n", "the body has 1 byte more than the"},
	} {
		got := errorMessage(compareAttempts(attempts, c.signature, []byte(c.body)))
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
