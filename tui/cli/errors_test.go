package cli

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
)

// respond returns a handler that sends a response.
func respond(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// runAgainst runs a command with a profile of the service at an address, and returns its exit status and its line
// on standard error.
func runAgainst(t *testing.T, address, command string) (status int, line string) {
	t.Helper()
	p := &program{
		Env: environment(t, map[string]string{
			"FLIGHTDESK_BASE_URL": address + server.PublicPath,
			"FLIGHTDESK_API_KEY":  "fd_test_key",
		}),
		Interruption: newInterruption(t.Context(), io.Discard, responseTimeout),
	}
	p.execute(t, io.Discard, strings.Fields(command)...)
	var stderr strings.Builder
	status = reportError(p.Interruption, &stderr, p.Fault)
	return status, stderr.String()
}

func TestErrorsOfTheConnectionSayWhatToDo(t *testing.T) {
	const page = "<html>Sorry</html>"
	const refusal = `{"success":false,"message":"API key unknown","data":{"code":"unauthenticated"}}`
	const noScope = `{"success":false,"message":"the key lacks orders:read","data":{"code":"missing_scope"}}`
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, tt := range map[string]struct {
		handler http.HandlerFunc // nil if nothing listens at the address
		advice  string
	}{
		"no service":            {nil, "connection refused; check that the service is running and the address is correct\n"},
		"page of a proxy":       {respond(502, "text/html", page), "(HTTP 502); a proxy or login page may have answered; check the address\n"},
		"page of a login":       {respond(200, "text/html", page), "unexpected response format; check the address (HTTP 200)\n"},
		"key of a proxy":        {respond(401, "text/html", page), "(HTTP 401); a proxy or login page may have answered; check the address\n"},
		"rejected key":          {respond(401, "application/json", refusal), "API key unknown (HTTP 401); check the key of the profile\n"},
		"key without the scope": {respond(403, "application/json", noScope), "(HTTP 403); use a key with this scope, or another profile\n"},
	} {
		t.Run(name, func(t *testing.T) {
			address := gone.URL
			if tt.handler != nil {
				service := httptest.NewServer(tt.handler)
				defer service.Close()
				address = service.URL
			}
			status, line := runAgainst(t, address, "list orders --limit 1")
			if status != exitFailed || !strings.HasSuffix(line, tt.advice) || strings.Count(line, "\n") != 1 {
				t.Errorf("status %d: %q", status, line)
			}
		})
	}
}

func TestAChangeThatIsNotConfirmedIsCheckedBeforeItIsRepeated(t *testing.T) {
	proxy := httptest.NewServer(respond(502, "text/html", "<html>Sorry</html>"))
	defer proxy.Close()
	status, line := runAgainst(t, proxy.URL, "webhook register https://me.example/hook")
	if status != exitUnconfirmed || !strings.HasSuffix(line, "; sent, not confirmed; check before retrying\n") {
		t.Errorf("status %d: %q", status, line)
	}
}

func TestALoginPageIsNotTakenForTheService(t *testing.T) {
	page := httptest.NewServer(respond(200, "text/html", "<html>Log in</html>"))
	defer page.Close()
	for _, command := range []string{"login --check", "doctor"} {
		if status, line := runAgainst(t, page.URL, command); status != exitFailed {
			t.Errorf("%s: status %d: %q", command, status, line)
		}
	}
	response := &api.Error{Foreign: true}
	if !errors.Is(connectionError(response), response) {
		t.Error("a response of a proxy counts as a response of the service")
	}
}

func TestErrorsOfGroupsNameTheCommandsThatRemain(t *testing.T) {
	for command, want := range map[string]string{
		"order":           "missing COMMAND: use one of show, cancel, archive, reject; see flightdesk order --help\n",
		"order xxxxxx":    `unknown command "xxxxxx"; use one of archive, cancel, reject, show; see flightdesk order --help` + "\n",
		"completion tcsh": `unknown command "tcsh"; use one of bash, fish, powershell, zsh; see flightdesk completion --help` + "\n",
	} {
		if status, line := runAgainst(t, "https://desk.example", command); status != exitUsage || line != want {
			t.Errorf("%s: status %d: %q", command, status, line)
		}
	}
}

func TestErrorsOfFilesSayWhatToDo(t *testing.T) {
	folder := t.TempDir()
	file := writeTestFile(t, "notes.txt", "notes")
	missing := filepath.Join(folder, "missing")
	for command, want := range map[string]string{
		"serve --settings " + missing:                                   "settings: " + missing + ": file not found\n",
		"serve --settings " + folder:                                    "settings: " + folder + ": is a folder; name a file in it\n",
		"serve --secrets " + missing:                                    "--secrets: " + missing + ": file not found\n",
		"serve --memory --tls-cert " + missing + " --tls-key " + file:   "could not load --tls-cert and --tls-key: " + missing + ": file not found\n",
		"serve --memory --addr 127.0.0.1:0 --audit-file " + folder:      "--audit-file: " + folder + ": is a folder; name a file in it\n",
		"serve --check " + file:                                         file + " is not a data folder: " + filepath.Join(file, "flightdesk.db") + ": not a folder; use another path\n",
		"serve --demo --ssh :0 --addr 127.0.0.1:0 --ssh-keys " + folder: "public keys: " + folder + ": is a folder; name a file in it\n",
	} {
		if status, line := runAgainst(t, "https://desk.example", command); status != exitFailed || line != want {
			t.Errorf("%s: status %d: %q", command, status, line)
		}
	}
	denied := &fs.PathError{Op: "open", Path: "/data", Err: fs.ErrPermission}
	const want = "/data: permission denied; check the permissions of the file and its folder"
	if text := errorText(denied); text != want {
		t.Errorf("%q, want %q", text, want)
	}
}
