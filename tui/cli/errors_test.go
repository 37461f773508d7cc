package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
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
		"no service":            {nil, "; check that the service is running and the address is correct\n"},
		"page of a proxy":       {respond(502, "text/html", page), "(HTTP 502); a proxy or login page may have answered; check the address\n"},
		"page of a login":       {respond(200, "text/html", page), "unexpected response format; check the address (HTTP 200)\n"},
		"key of a proxy":        {respond(401, "text/html", page), "(HTTP 401); a proxy or login page may have answered; check the address\n"},
		"rejected key":          {respond(401, "application/json", refusal), "API key unknown (HTTP 401); check the key\n"},
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

func TestALoginPageIsNotMistakenForTheService(t *testing.T) {
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
		"order":           "missing COMMAND: use one of archive, cancel, reject, show; see flightdesk order --help\n",
		"order xxxxxx":    `unknown command "xxxxxx"; use one of archive, cancel, reject, show; see flightdesk order --help` + "\n",
		"completion tcsh": `unknown command "tcsh"; use one of bash, fish, powershell, zsh; see flightdesk completion --help` + "\n",
		"profiles nope":   `unknown command "nope"; use edit; see flightdesk profiles --help` + "\n",
	} {
		if status, line := runAgainst(t, "https://desk.example", command); status != exitUsage || line != want {
			t.Errorf("%s: status %d: %q", command, status, line)
		}
	}
}

func TestErrorsOfMissingFilesSayWhatToDo(t *testing.T) {
	file := writeTestFile(t, "notes.txt", "notes")
	missing := filepath.Join(t.TempDir(), "missing")
	for command, want := range map[string]string{
		"serve --settings " + missing:                                 "settings: " + missing + ": file not found\n",
		"serve --secrets " + missing:                                  "--secrets: " + missing + ": file not found\n",
		"serve --memory --tls-cert " + missing + " --tls-key " + file: "could not load --tls-cert and --tls-key: " + missing + ": file not found\n",
	} {
		if status, line := runAgainst(t, "https://desk.example", command); status != exitFailed || line != want {
			t.Errorf("%s: status %d: %q", command, status, line)
		}
	}
}

// reportedLine returns the line that the program prints for the error of a command.
func reportedLine(t *testing.T, err error) string {
	t.Helper()
	var stderr strings.Builder
	reportError(newInterruption(t.Context(), io.Discard, responseTimeout), &stderr, err)
	return strings.TrimSuffix(stderr.String(), "\n")
}

func TestPermissionErrorsHaveAdviceThatFits(t *testing.T) {
	bind := &net.OpError{Op: "listen", Net: "tcp", Err: fmt.Errorf("bind: %w", fs.ErrPermission)}
	missing := filepath.Join(t.TempDir(), "data")
	dataFolder := &fs.PathError{Op: "mkdir", Path: missing, Err: fs.ErrPermission}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"file":        {&fs.PathError{Op: "open", Path: "/a", Err: fs.ErrPermission}, "/a: permission denied; check the permissions of the file and its folder"},
		"renamed":     {&os.LinkError{Op: "rename", Old: "/b", New: "/a", Err: fs.ErrPermission}, "/a: permission denied; check the permissions of the file and its folder"},
		"port":        {fmt.Errorf("cannot listen on :80: %w; choose another with --addr", bind.Err), "cannot listen on :80: bind: permission denied; choose another with --addr"},
		"connection":  {fmt.Errorf("listening on :80: %w", bind), "listening on :80: listen tcp: bind: permission denied"},
		"data folder": {explainStartError(dataFolder, missing), "could not use the data folder " + missing + ": permission denied; set --data to a folder you can write to, or use --memory"},
	} {
		t.Run(name, func(t *testing.T) {
			if line := reportedLine(t, tt.err); line != tt.want {
				t.Errorf("%q, want %q", line, tt.want)
			}
		})
	}
}

func TestALostChangeIsNotAdvisedToRunAgain(t *testing.T) {
	lost := &api.TransportError{Op: "create order", Host: "desk.example", Err: io.ErrUnexpectedEOF, Sent: true}
	if line := reportedLine(t, lost); !strings.HasSuffix(line, "; check before retrying") {
		t.Errorf("%q", line)
	}
}

func TestAnErrorWithAdviceGetsNoOther(t *testing.T) {
	lost := &api.TransportError{Op: "create order", Host: "desk.example", Err: io.ErrUnexpectedEOF, Sent: true}
	advised := fmt.Errorf("1 of 2 orders placed; %w", &advisedError{Err: lost, Advice: "look at the list"})
	if line := reportedLine(t, advised); !strings.HasSuffix(line, "; look at the list") {
		t.Errorf("%q", line)
	}
	proxied := &api.TransportError{Op: "list orders", Host: "desk.example", Proxy: "proxy:3128", Err: io.ErrUnexpectedEOF}
	if line := reportedLine(t, proxied); !strings.HasSuffix(line, "; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY") {
		t.Errorf("%q", line)
	}
}

func TestPasswordsInURLsAreNotInErrors(t *testing.T) {
	const password = "0815planted"
	for _, command := range []string{
		"webhook test https://me:" + password + "@me.example/hook --secret-env SECRET",
		"webhook test htps://me:" + password + "@me.example/hook --secret-env SECRET",
		"webhook test https://me:" + password + "@me.example:port/hook --secret-env SECRET",
		"webhook register https://me:" + password + "@me.example/hook",
		"listen --url https://me:" + password + "@me.example/hook",
		"listen --url https://me.example/hook --forward-to https://me:" + password + "@me.example/hook",
		"login https://me:" + password + "@desk.example",
		"login htps://me:" + password + "@desk.example",
		"login --operations https://me:" + password + "@desk.example:port",
		"profiles edit env --address https://me:" + password + "@desk.example/api/v1/public",
		"orders https://me:" + password + "@desk.example",
		"order show ORD-1 https://me:" + password + "@desk.example",
		"serve postgres://me:" + password + "@db.example/desk",
		"serve --database postgres://me:" + password + "@db.example:port/desk --files s3://bucket",
		"serve --database mysql://me:" + password + "@db.example/desk --files s3://bucket",
		"serve --memory --addr 127.0.0.1:0 --files s3://me:" + password + "@bucket",
		"serve --memory --addr 127.0.0.1:0 --smtp smtp://me:" + password + "@mail.example:port",
		"serve --memory --addr 127.0.0.1:0 --smtp http://me:" + password + "@mail.example",
		"serve --memory --public-url https://me:" + password + "@desk.example",
	} {
		if status, line := runAgainst(t, "https://desk.example", command); status == exitDone || strings.Contains(line, password) {
			t.Errorf("%s: status %d: %q", command, status, line)
		}
	}
	for _, address := range []string{"https://me:" + password + "@desk.example", "htps://me:" + password + "@desk.example"} {
		if status, line := runAgainst(t, address, "list orders"); status == exitDone || strings.Contains(line, password) {
			t.Errorf("%s: status %d: %q", address, status, line)
		}
	}
}
