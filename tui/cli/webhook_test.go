package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
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
		c.program.Env, c.Output = config.Env{Keyring: keeps}, output
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

// A script can pass an empty variable as the type of the event.
func TestAnEmptyEventIsTheDefault(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer receiver.Close()
	t.Setenv("SECRET_OF_THE_TEST", "whsec_test")
	out, err := ran(t, "webhook", "test", receiver.URL, "--secret-env", "SECRET_OF_THE_TEST", "--event", "")
	if err != nil || !strings.HasPrefix(out, string(defaultTestEvent)+" ") {
		t.Errorf("printed %q, %v", out, err)
	}
}

// The age of an event is named if receivers refuse it.
func TestTheAgeOfAnOldEventIsNamed(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)
	for before, want := range map[time.Duration]string{25 * time.Hour: "1 d 01 h", 6 * time.Minute: "0 h 06 m", time.Minute: ""} {
		if got := refusedAge(&api.Event{Timestamp: api.TimeOf(now.Add(-before))}, now); got != want {
			t.Errorf("%v before: %q, want %q", before, got, want)
		}
	}
}
