package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/config"
)

// callbackService is a service with a mission with a flight date and an endpoint whose log is empty.
// The planning of MSN-2 cannot be read.
func callbackService(w http.ResponseWriter, r *http.Request) {
	const mission = `{"uuid":"%s","missionCode":"MSN-%[1]s","status":"flightScheduled","createdAt":"2026-11-02T08:00:00Z","updatedAt":"2026-11-03T08:00:00Z"}`
	missions := fmt.Sprintf(mission, "1") + "," + fmt.Sprintf(mission, "2")
	w.Header().Set("Content-Type", "application/json")
	switch path := strings.TrimPrefix(r.URL.Path, "/api/v1/public"); path {
	case "/orders":
		fmt.Fprint(w, `{"data":[{"uuid":"o","orderCode":"ORD-1","status":"flyingDateSet","missionCount":2,"updatedAt":"2026-11-03T08:00:00Z"}]}`)
	case "/orders/ORD-1":
		fmt.Fprint(w, `{"data":{"uuid":"o","orderCode":"ORD-1","status":"flyingDateSet","missions":[`+missions+`]}}`)
	case "/orders/ORD-1/missions":
		fmt.Fprint(w, `{"data":[`+missions+`]}`)
	case "/webhooks":
		fmt.Fprint(w, `{"data":[{"uuid":"e","url":"https://hooks.example/in","events":["mission.flight_scheduled"],"createdAt":"2026-11-01T08:00:00Z"}]}`)
	case "/webhooks/e/deliveries", "/missions/1/delivery-packages", "/missions/2/delivery-packages":
		fmt.Fprint(w, `{"data":[]}`)
	case "/missions/1/planning":
		fmt.Fprint(w, `{"data":[{"version":1,"schedulingStatus":"confirmed","scheduledBy":"Ida","createdAt":"2026-11-03T08:00:00Z"}]}`)
	case "/missions/2/planning":
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"message":"no planning today"}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"not found"}`)
	}
}

// runProgram runs the program with the arguments on a service, and returns its output and its error.
func runProgram(t *testing.T, service *httptest.Server, args ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	values := map[string]string{
		"FLIGHTDESK_BASE_URL":        service.URL + "/api/v1/public",
		"FLIGHTDESK_LEGACY_BASE_URL": service.URL + "/api/v2",
		"FLIGHTDESK_API_KEY":         "key-of-the-test",
	}
	p := &program{
		Env: config.Env{
			Lookup:  func(name string) (string, bool) { v, ok := values[name]; return v, ok },
			Keyring: ring{keys: map[string]string{}}.keyring(),
			Dirs:    config.Dirs{Config: dir, State: filepath.Join(dir, "state"), Home: dir},
		},
		Interruption: newInterruption(t.Context(), io.Discard, 0),
	}
	var stdout bytes.Buffer
	p.execute(t, &stdout, args...)
	return stdout.String(), p.Fault
}

func TestMissingCallbacksAreListedWithWhatCouldNotBeRead(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(callbackService))
	defer service.Close()
	const row = `,mission.flight_scheduled,ORD-1,MSN-1,https://hooks.example/in,"Missing: not in the log (planning v1, Ida)"`
	for _, of := range []string{"", "ORD-1"} {
		output, err := runProgram(t, service, "list", "callbacks", "--status", "missing", "--output", "csv", "--of", of)
		if !strings.Contains(output, row) {
			t.Errorf("--of %q printed %s", of, output)
		}
		if err == nil || !strings.Contains(err.Error(), "not all callbacks are listed: ") || !strings.Contains(err.Error(), "no planning today") {
			t.Errorf("--of %q ended with %v", of, err)
		}
	}
}
