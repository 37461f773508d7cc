package connect_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/app/session"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// firstRun is the app without a configuration, with a setup that records what it is given.
type firstRun struct {
	*apptest.Session
	tried, kept []session.TypedAccount
	refuse      error
	notice      session.SaveNotice
	demos       int
	addresses   []session.TriedAddress
	unreadable  error // error of reading the edited profile
}

func newFirstRun(t *testing.T, w, h int) *firstRun {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"x","orderCode":"ORD-77","orderName":"Levee"`))
	}))
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL, api.WithKey("fd_test_other"), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	f := &firstRun{notice: session.SaveNotice{Text: "the key is in the keyring"}}
	setup := &session.AccountSetup{
		Try: func(_ context.Context, a session.TypedAccount) (session.TriedAccount, error) {
			f.tried = append(f.tried, a)
			return session.TriedAccount{TypedAccount: a, Addresses: f.addresses, Grants: []api.ScopeGrant{
				{Scope: api.ScopeOrdersRead, Grant: api.Granted},
				{Scope: api.ScopeOrdersWrite, Grant: api.NotGranted},
				{Scope: api.ScopeFilesRead, Grant: api.NotKnown, Err: errors.New("late")},
			}}, f.refuse
		},
		Save: func(_ context.Context, a session.TypedAccount) (session.SaveNotice, error) {
			f.kept = append(f.kept, a)
			return f.notice, nil
		},
		Current: func(profile string) (session.TypedAccount, error) {
			if f.unreadable != nil {
				return session.TypedAccount{}, f.unreadable
			}
			return session.TypedAccount{Edited: profile, Profile: config.Profile{
				Name: profile, BaseURL: "https://desk.example/api/v1/public", Band: "test",
			}}, nil
		},
		Demo: func(context.Context) error { f.demos++; return f.refuse },
	}
	d := tuitest.New(t)
	opts := tui.Options{
		ProfileOptions: tui.ProfileOptions{Setup: setup},
		Theme:          "dark", Folder: t.TempDir(), Now: d.Now, After: d.After,
		Switch: func(_ context.Context, name string) (tui.ProfileOptions, error) {
			return tui.ProfileOptions{Client: client, Profile: name, Profiles: []string{name}, Setup: setup}, nil
		},
	}
	app := tui.New(opts)
	d.Start(app, w, h)
	f.Session = &apptest.Session{Driver: d, T: t, Client: client, Options: opts, App: app}
	return f
}

func TestTheFirstRunOpensTheDemo(t *testing.T) {
	f := newFirstRun(t, 80, 24)
	f.RequireText("Welcome to flightdesk", "▸ d  Try the demo", "c  Connect an account")
	f.Press("enter")
	f.RequireText(" demo · read+write", "[1 Home]")
	f.Press("2")
	f.RequireText("ORD-77")
	if f.demos != 1 {
		t.Errorf("%d demos were started, want 1", f.demos)
	}

	f = newFirstRun(t, 80, 24)
	f.refuse = errors.New("no port is free")
	f.Press("d")
	f.RequireText("No port is free", "Try the demo")
}

func TestTheFirstRunConnects(t *testing.T) {
	f := newFirstRun(t, 80, 24)
	f.Press("j", "enter")
	f.RequireText("Connect an account", "API key")
	f.refuse = config.Fault{Key: session.FieldBaseURL, Problem: "the address must end in /api/v1/public"}
	f.Paste("https://desk.example")
	f.Press("tab")
	f.Paste("fd_live_secret")
	f.SeesNot("fd_live_secret")
	f.RequireText("••••••••••••••")
	f.Press("ctrl+s")
	f.RequireText("the address must end in /api/v1/public")
	f.refuse = nil
	f.Press("end")
	f.Paste("/api/v1/public")
	f.Press("ctrl+s")
	f.RequireText("Key accepted. Permissions:", "✓ yes", "orders:read", "✗ no", "orders:write", "? unknown", "files:read")
	f.Press("esc")
	f.RequireText("Connect an account")
	f.Press("ctrl+s", "enter")
	f.RequireText(" prod · read+write", "[1 Home]")
	f.Press("2")
	f.RequireText("ORD-77")
	want := session.TypedAccount{
		Key: "fd_live_secret", Profile: config.Profile{Name: "prod", BaseURL: "https://desk.example/api/v1/public", Band: "live"},
	}
	if len(f.kept) != 1 || !reflect.DeepEqual(f.kept[0], want) || len(f.tried) != 3 {
		t.Errorf("kept %+v, tried %d times", f.kept, len(f.tried))
	}
}

func TestTriedAddressesAreListed(t *testing.T) {
	f := newFirstRun(t, 100, 30)
	f.addresses = []session.TriedAddress{{URL: "https://desk.example/api/v1/public", Err: errors.New("no answer")}, {URL: "http://desk.example/api/v1/public"}}
	f.refuse = errors.New("nothing answers")
	f.Press("c", "ctrl+s")
	f.RequireText("✗ https://desk.example/api/v1/public  No answer", "✓ http://desk.example/api/v1/public  answers")
	f.refuse = nil
	f.Press("ctrl+s")
	f.RequireText("Key accepted", "✗ https://desk.example/api/v1/public  No answer")
}

func TestAConnectionErrorIsSaidOnceAndMarksTheAddress(t *testing.T) {
	refused := &api.TransportError{Host: "127.0.0.1:9", Err: errors.New("connection refused")}
	for _, width := range []int{80, 120} {
		f := newFirstRun(t, width, 24)
		f.refuse = refused
		f.addresses = []session.TriedAddress{
			{URL: "https://127.0.0.1:9/api/v1/public", Err: refused},
			{URL: "http://127.0.0.1:9/api/v1/public", Err: refused},
		}
		f.Press("c", "tab", "ctrl+s")
		f.RequireText("▸ Address", "! not reached over https and http, path /api/v1/public")
		if n := strings.Count(f.Screen(), "Could not connect"); n != 1 {
			t.Errorf("the error is on the screen %d times:\n%s", n, f.Screen())
		}
		f.addresses = f.addresses[:1]
		f.refuse = &api.Error{Status: 404, Foreign: true, Message: "no such page"}
		f.addresses[0].Err = f.refuse
		f.Press("ctrl+s")
		f.RequireText("Tried https, path /api/v1/public")
		f.SeesNot("not reached")
	}
}

func TestAProfileIsEditedAndRenamed(t *testing.T) {
	f := newFirstRun(t, 100, 30)
	f.Press("d", "2")
	f.RequireText("ORD-77")
	f.Press("alt+e")
	f.RequireText("Edit profile demo", "https://desk.example/api/v1/public", "Operations", "Profile      demo")
	f.Press("tab")
	f.RequireText("Empty keeps the stored key")
	f.Press("tab")
	f.Paste("https://desk.example/api/v2")
	f.Press("tab")
	f.Paste("https://desk.example/api/ops/v1")
	f.Press("ctrl+s", "enter")
	f.RequireText("Profile demo saved", "[1 Home]")
	want := session.TypedAccount{
		Edited: "demo", Profile: config.Profile{
			Name: "demo", BaseURL: "https://desk.example/api/v1/public", LegacyBaseURL: "https://desk.example/api/v2",
			OpsURL: "https://desk.example/api/ops/v1", Band: "test",
		},
	}
	if len(f.kept) != 1 || !reflect.DeepEqual(f.kept[0], want) {
		t.Errorf("kept %+v", f.kept)
	}
	f.Press("alt+e", "tab", "tab", "tab", "tab", "tab")
	f.Paste("demo-2")
	f.Press("ctrl+s", "enter")
	f.RequireText("Profile renamed to demo-2", "[1 Home]", " demo-2 · ")
	if last := f.kept[len(f.kept)-1]; last.Edited != "demo" || last.Name != "demo-2" {
		t.Errorf("kept %+v", last)
	}
	f.Press("alt+e", "esc")
	f.RequireText("[1 Home]")
}

func TestAProfileThatCannotBeLoadedIsLoadedAgain(t *testing.T) {
	f := newFirstRun(t, 100, 30)
	f.Press("d", "2")
	f.unreadable = errors.New("config.toml: permission denied")
	f.Press("alt+e")
	f.RequireText("Edit profile demo", "permission denied", "ctrl+s retry")
	f.SeesNot("Your input is kept")
	f.unreadable = nil
	f.Press("ctrl+s")
	f.RequireText("https://desk.example/api/v1/public")
	f.SeesNot("permission denied")
	if len(f.tried) != 0 {
		t.Errorf("the key of a profile that was not loaded was tested: %+v", f.tried)
	}
	f.refuse = errors.New("no answer")
	f.Press("ctrl+s")
	f.RequireText("Your input is kept")
}

func TestLoadingAProfileAgainKeepsTypedFields(t *testing.T) {
	f := newFirstRun(t, 100, 30)
	f.Press("d", "2")
	f.unreadable = errors.New("config.toml: permission denied")
	f.Press("alt+e", "tab", "tab")
	f.Paste("https://typed.example/api/v2")
	f.unreadable = nil
	f.Press("ctrl+s")
	f.RequireText("https://desk.example/api/v1/public", "https://typed.example/api/v2", "Profile      demo")
}

func TestAKeyStoredInAFileIsReported(t *testing.T) {
	f := newFirstRun(t, 80, 24)
	f.notice = session.SaveNotice{Warn: true, Text: "It stands in the file prod.key instead."}
	f.Press("c", "ctrl+s", "enter")
	f.RequireText("Account saved", "It stands in the file prod.key instead.")
	f.SeesNot("[1 Home]")
	f.Press("enter", "2")
	f.RequireText("ORD-77")
}

func TestTheFirstRunShowsErrors(t *testing.T) {
	f := newFirstRun(t, 80, 24)
	f.refuse = &api.Error{Status: 401, Code: api.CodeUnauthenticated, Message: "it was revoked"}
	f.Press("c", "ctrl+s")
	f.RequireText("The service does not accept this key", "The service says: it was revoked", "ctrl+s retry")
	f.Press("esc")
	f.RequireText("Welcome to flightdesk")
	f.Hold()
	f.refuse = nil
	f.Press("c", "ctrl+s")
	f.RequireText("Testing the key…")
	f.Press("ctrl+s", "esc") // cancels the test of the key
	f.Release()
	f.RequireText("Connect an account")
	if len(f.tried) != 2 {
		t.Errorf("the key was tested %d times, want 2", len(f.tried))
	}
}

func TestAnErrorFocusesTheFieldToCorrect(t *testing.T) {
	withCertificate := func(problem error) error { return &tls.CertificateVerificationError{Err: problem} }
	untrusted := withCertificate(x509.UnknownAuthorityError{})
	otherHost := x509.HostnameError{
		Certificate: &x509.Certificate{DNSNames: []string{"other.example"}},
		Host:        "desk.example",
	}
	expired := x509.CertificateInvalidError{Reason: x509.Expired}
	for name, test := range map[string]struct {
		err   error
		texts []string
	}{
		"certificate": {
			&api.TransportError{Host: "desk.example", Err: untrusted},
			[]string{"▸ CA file", "needed: certificate of the service's authority (PEM file)", "signed by an unknown authority"},
		},
		"key":     {&api.Error{Status: 401, Code: api.CodeUnauthenticated}, []string{"▸ API key", "does not accept this key"}},
		"address": {&api.TransportError{Host: "desk.example", Err: errors.New("connection refused")}, []string{"▸ Address", "desk.example"}},
		"expired": {
			&api.TransportError{Host: "desk.example", Err: withCertificate(expired)},
			[]string{"▸ Address", "certificate has expired", "Correct the address, or ask whoever runs the service"},
		},
		"other host": {
			&api.TransportError{Host: "desk.example", Err: withCertificate(otherHost)},
			[]string{"▸ Address", "certificate is valid for other.example"},
		},
		"answer of a proxy": {&api.Error{Status: 401, Foreign: true, Message: "log in"}, []string{"▸ v2 address"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirstRun(t, 100, 30)
			f.refuse = test.err
			f.Press("c", "tab", "tab", "ctrl+s")
			f.RequireText(test.texts...)
			if name != "certificate" {
				f.SeesNot("needed: certificate")
			}
		})
	}
}

func TestAPastedKeyReplacesARejectedKey(t *testing.T) {
	f := newFirstRun(t, 100, 30)
	f.refuse = &api.Error{Status: 401, Code: api.CodeUnauthenticated}
	f.Press("c", "tab")
	f.Paste("fd_live_wrong")
	f.Press("tab", "ctrl+s")
	f.Paste("fd_live_right")
	f.Press("ctrl+s")
	if key := f.tried[len(f.tried)-1].Key; key != "fd_live_right" {
		t.Errorf("the key is %q", key)
	}
}

func TestAnErrorIsBelowTheForm(t *testing.T) {
	f := newFirstRun(t, 100, 40)
	f.refuse = errors.New("nothing answers")
	f.Press("c", "ctrl+s")
	lines := strings.Split(f.Screen(), "\n")
	lineWith := func(text string) int {
		return slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, text) })
	}
	const distance = 2 // a blank line is between the last field and the error
	if got := lineWith("Nothing answers") - lineWith("Environment"); got != distance {
		t.Errorf("the error is %d lines below the last field, want %d:\n%s", got, distance, f.Screen())
	}
}

func TestFramesOfTheFirstRun(t *testing.T) {
	f := newFirstRun(t, 100, 30)
	f.CompareMainFrames(t, "welcome")
	f.Press("c")
	f.CompareFrames(t, "account")
	f.Press("ctrl+s")
	f.CompareFrames(t, "scopes")
	for _, size := range [][2]int{{60, 18}, {61, 24}, {200, 50}} {
		f.Resize(size[0], size[1])
		if lines := strings.Count(f.View().Content, "\n") + 1; lines != size[1] {
			t.Errorf("in a window of %v, the view has %d lines", size, lines)
		}
	}
}

func TestASecondAccountIsAddedInTheApp(t *testing.T) {
	f := newFirstRun(t, 80, 24)
	f.Press("enter")
	f.RequireText("[1 Home]")
	f.Press(":")
	f.Type("account")
	f.RequireText("Connect another account")
	f.Press("esc", "alt+n")
	f.RequireText("Add account", "Service and key", "prod")
	f.Press("esc")
	f.RequireText("[1 Home]")
	f.Press("alt+n")
	f.Paste("https://other.example")
	f.Press("tab")
	f.Paste("Bearer fd_live_second")
	f.Press("ctrl+s")
	f.RequireText("Key accepted. Permissions:")
	f.Press("enter")
	if len(f.kept) != 1 || f.kept[0].Key != "fd_live_second" || f.kept[0].Edited != "" || f.kept[0].Name != "prod" {
		t.Errorf("kept %+v", f.kept)
	}
	f.RequireText("Switched to profile prod")
}

func TestTheFormOfAnAccountListsTheSavedProfilesAndTheNextSteps(t *testing.T) {
	f := newFirstRun(t, 120, 35)
	f.Press("c")
	f.RequireText("What happens next", "ctrl+s tests the key")
	f.SeesNot("Profiles on this machine")
	f.Press("esc", "d")
	f.Press("alt+e")
	f.RequireText("Profiles on this machine", "demo  Test · desk.example  in use", "An empty key keeps")
	f.Resize(80, 24)
	f.RequireText("Profiles on this machine", "demo  Test · desk.example  in use")
	f.SeesNot("What happens next")
}
