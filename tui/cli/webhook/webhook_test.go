package webhook

import (
	"bytes"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui/cli/run"
)

// lateRing is a keyring that sees what was printed by the time it is asked.
type lateRing struct {
	config.Keyring
	out  *bytes.Buffer
	seen string
}

func (l *lateRing) Set(string, string, string) error {
	l.seen = l.out.String()
	return nil
}

// The secret is there once; a keyring that never answers must not take it.
func TestASecretIsPrintedBeforeTheKeyringIsAsked(t *testing.T) {
	for _, output := range []string{"table", "json"} {
		var out bytes.Buffer
		keeps := &lateRing{out: &out}
		c := callOn(&run.Service{}, &out)
		c.Env, c.Output = config.Env{Keyring: keeps}, output
		e := &api.WebhookEndpoint{UUID: "01a1f8f0-4ba0-79b8-8433-3deb27c49f82", URL: "https://me.example/hook", Secret: "whsec_once"}
		if err := printEndpoint(c, e); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(keeps.seen, "whsec_once") {
			t.Errorf("%s: the keyring is asked when this is printed: %q", output, keeps.seen)
		}
		if said := strings.Contains(out.String(), "Stored        in the keyring\n"); said != (output == "table") {
			t.Errorf("%s: printed %q", output, &out)
		}
	}
}
