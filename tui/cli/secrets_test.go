package cli

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/tuitest"
)

// planted is a part of every secret in this test, and of nothing else.
const planted = "0815planted"

const (
	plantedKey  = "fd_test_" + planted + "+a/b" // addresses and JSON have it with escapes
	plantedHook = "whsec_" + planted
)

// leaky is a service with secrets everywhere in its responses: in all headers, in members of bodies
// and in addresses. It also repeats what it was sent.
func leaky(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name := range r.Header {
		h.Set("X-Echo-"+name, r.Header.Get(name)+" "+plantedHook)
	}
	for _, name := range []string{
		"Set-Cookie", "X-Service-Signature", "X-Session-Token", "X-Amz-Security-Token", "Api-Key", "X-Client-Secret", "Proxy-Authorization", "X-Password",
	} {
		h.Set(name, "plain "+planted)
	}
	h.Set("Location", "https://u:"+plantedHook+"@desk.example/files/"+planted+"/a.jpg?token="+planted)
	h.Set("X-Request-Id", plantedHook)
	h.Set("Content-Type", "application/json")
	secrets := `"secret":"` + planted + `","clientSecret":"a\"` + planted + `","accessToken":"` + planted + `","api_key":"` + planted + `","password":"` + planted +
		`","orderName":"Levee ` + plantedKey + ` ` + plantedHook + `","note":"fd_ops_` + planted + ` sha256=00112233445566778899` + `","u":"https://x.example/files/` + planted +
		`/b.tif?X-Amz-Signature=` + planted + `&X-Amz-Credential=` + planted + `"`
	const order = `"uuid":"o-1","orderCode":"ORD-7","status":"flyingDateSet","createdAt":"2026-11-18T08:00:00Z","updatedAt":"2026-11-19T08:00:00Z"`
	list := func(items string) string { return `{"data":[` + items + `],"nextCursor":null,"hasNextPage":false}` }
	data := list(`{` + order + `,` + secrets + `}`)
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/ORD-7"):
		data = `{` + order + `,` + secrets + `,"missions":[{"uuid":"m-1","missionCode":"MSN-9","status":"flightScheduled","missionName":"` + plantedHook + `"}]}`
	case strings.HasSuffix(path, "/missions"):
		data = list(`{"uuid":"m-1","missionCode":"MSN-9","status":"flightScheduled","missionName":"` + plantedHook + `"}`)
	case strings.HasSuffix(path, "/planning"):
		data = list(`{"version":1,"schedulingStatus":"confirmed","scheduledBy":"` + plantedKey + `","note":"call with ` + plantedHook + `","createdAt":"2026-11-18T08:00:00Z"}`)
	case strings.HasSuffix(path, "/webhooks"):
		data = list(`{"uuid":"w-1","url":"https://hooks.example/in?token=` + planted + `","createdAt":"2026-11-01T08:00:00Z",` + secrets + `}`)
	case strings.HasSuffix(path, "/deliveries"):
		data = list(`{"uuid":"d-1","event":"mission.flight_scheduled","missionUid":"m-1","orderCode":"ORD-7","success":false,"error":"no ` + plantedKey + `","createdAt":"2026-11-20T08:00:00Z"}`)
	case strings.HasSuffix(path, "/flight-permission"):
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = fmt.Fprintf(w, `{"success":false,"message":"the token %s was refused","data":{"code":"internal","requestId":"%s"}}`, plantedKey, plantedHook)
		return
	case strings.HasSuffix(path, "/delivery-packages"):
		panic(http.ErrAbortHandler) // without a response the error has the address
	}
	_, _ = w.Write([]byte(`{"success":true,"message":"your key is ` + plantedKey + `","data":` + data + `}`))
}

// Secrets in headers, bodies and addresses are not in anything that is shown of requests, copied,
// saved, reported or logged, nor in the report of a crash.
func TestNoSecretIsShownCopiedSavedOrLogged(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	web := httptest.NewServer(http.HandlerFunc(leaky))
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL, api.WithKey(plantedKey))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder // all output
	d := tuitest.New(t)
	app := tui.New(tui.Options{
		ProfileOptions: tui.ProfileOptions{Client: client, Host: "desk.example"},
		Theme:          "dark", Folder: home, Now: d.Now, After: d.After, Begin: "go-orders",
		Clipboard: func(text string) (string, error) { out.WriteString(text); return "", nil },
	})
	d.Start(app, 200, 60)
	look := func() { out.WriteString(d.Screen()) }
	if _, err := client.Orders.Get(t.Context(), "ORD-7/"+plantedKey+plantedHook); err != nil { // with escapes in the address
		t.Fatal(err)
	}
	if _, err := client.Orders.Create(t.Context(), api.CreateOrderRequest{Order: api.OrderInput{OrderName: plantedKey + " " + plantedHook}}, planted); err != nil {
		t.Fatal(err)
	}
	d.Press("s") // the timeline requests everything else
	d.RequireText("Timeline of ORD-7", "◇ Placed", "1 mission")
	look()
	save(d, home, &out, "story.md", "story.json")
	d.Press("8")
	d.RequireText("Key permissions")
	look()
	save(d, home, &out, "account.md", "account.json")
	d.Press("w")
	d.RequireText("Inspect › Request log", "POST", "/planning", "/deliveries")
	for range strings.Count(d.Screen(), "/") {
		for range 4 { // response, request, timing, curl
			look()
			d.Press("]")
		}
		d.Press("c", "j")
	}
	save(d, home, &out, "requests.csv", "requests.json")
	if err := app.Close(); err != nil {
		t.Fatal(err)
	}
	out.WriteString(crashOf(t, home, fmt.Errorf("asking %s with %s: %w", plantedHook, plantedKey, errors.New("no answer"))))
	out.WriteString(logOf(t))
	for _, want := range []string{"ORD-7", "curl -X POST", "Authorization: Bearer $FLIGHTDESK_API_KEY", "# Timeline of ORD-7", "internal error", "•••", "orders"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in what came out", want)
		}
	}
	if i := strings.Index(out.String(), planted); i >= 0 {
		t.Errorf("a secret came out: …%s…", out.String()[max(0, i-300):min(out.Len(), i+40)])
	}
}

// save saves the content of the screen under several names and returns what was written.
func save(d *tuitest.Driver, home string, out *strings.Builder, names ...string) {
	for _, name := range names {
		d.Press("E", "ctrl+u")
		d.Type(filepath.Join(home, name))
		d.Press("enter")
		d.RequireText("Exported ")
		text, err := os.ReadFile(filepath.Join(home, name))
		if err != nil {
			panic(err)
		}
		out.Write(text)
	}
}

// crashOf returns the message and the report of a crash.
func crashOf(t *testing.T, home string, reason any) string {
	t.Helper()
	p := &program{Env: config.Env{Dirs: config.Dirs{State: filepath.Join(home, "state")}}}
	text := saveCrash(p, reason, []byte("goroutine 1\n\tauthorize("+plantedKey+")"))
	files, err := filepath.Glob(filepath.Join(home, "state", "crash-*.txt"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files of a crash, %v", len(files), err)
	}
	kept, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return text + string(kept)
}

// logOf returns the log of a service that gets requests with secrets.
func logOf(t *testing.T) string {
	t.Helper()
	var log bytes.Buffer
	s := &server.Server{Demo: true, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	for _, key := range []string{plantedKey, s.Accounts()[0].Key} {
		client, err := api.NewClient(web.URL+server.PublicPath, api.WithKey(key))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = client.Orders.List(t.Context(), api.ListOptions{Cursor: plantedHook})
		_, _ = client.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: "https://hooks.example/?token=" + planted})
	}
	web.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, a := range s.Accounts() {
		if strings.Contains(log.String(), a.Key) {
			t.Errorf("the key %s… is in the service's log", a.Key[:12])
		}
	}
	return log.String()
}
