package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"flightdesk/api"
)

func grants(t *testing.T, c *api.Client) map[api.Scope]api.ScopeState {
	t.Helper()
	found, err := c.Scopes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[api.Scope]api.ScopeState{}
	for i, g := range found {
		if g.Scope != api.Scopes()[i] {
			t.Errorf("%d is %s, want %s", i, g.Scope, api.Scopes()[i])
		}
		if (g.Err != nil) != (g.Grant == api.NotKnown) {
			t.Errorf("%s is %s with the error %v", g.Scope, g.Grant, g.Err)
		}
		got[g.Scope] = g.Grant
	}
	return got
}

func TestScopesInterpretsResponsesWithoutGuessing(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/orders":
			answer(w, http.StatusOK, `{"success":true,"data":{"data":[]}}`)
		case r.URL.Path == "/csv/example":
			answer(w, http.StatusForbidden, `{"success":false,"message":"no","data":{"code":"missing_scope"}}`)
		case strings.HasSuffix(r.URL.Path, "/delivery-packages"):
			answer(w, http.StatusForbidden, `{"success":false,"message":"no","data":{"code":"not_your_resource"}}`)
		default:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
		}
	})
	got := grants(t, c)
	for scope, want := range map[api.Scope]api.ScopeState{
		api.ScopeOrdersRead: api.Granted, api.ScopeOrdersWrite: api.NotGranted, api.ScopeFilesRead: api.NotKnown,
		api.ScopeWebhooksRead: api.NotKnown, api.ScopeWebhooksWrite: api.NotKnown,
	} {
		if got[scope] != want {
			t.Errorf("%s: %s, want %s", scope, got[scope], want)
		}
	}
}

func TestScopesOnlyReads(t *testing.T) {
	var asked atomic.Int32
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		answer(w, http.StatusServiceUnavailable, `{"success":false,"message":"stopping","data":{"code":"internal"}}`)
	})
	for scope, grant := range grants(t, c) {
		if grant != api.NotKnown {
			t.Errorf("%s: %s", scope, grant)
		}
	}
	if asked.Load() != 4 {
		t.Errorf("%d requests, want one for each scope that a read needs", asked.Load())
	}
}

func TestScopesOfARejectedKeyAreAnError(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusUnauthorized, `{"success":false,"message":"revoked","data":{"code":"unauthenticated"}}`)
	})
	if _, err := c.Scopes(t.Context()); !api.IsStatus(err, http.StatusUnauthorized) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Scopes(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestAPageThatIsNotFromTheServiceGrantsNoScope(t *testing.T) {
	for _, page := range []struct{ contentType, body string }{
		{"text/html", "<html>log in</html>"},
		{"text/html", "\n<!DOCTYPE html>\n<p>Name, password</p>"},
		{"text/html", " \r\n\t<html>"},
		{"text/plain", "Please log in"},
		{"text/plain", "Please log in\nname, password"},
		{"text/plain", "Please log in, then try again"},
		{"text/plain", "Your session has expired; log in"},
		{"application/json", "\n{\"success\":false,\"message\":\"log in, then try again\"}"},
		{"application/json", "\n{\"orders\": [1, 2"},
		{"application/json", "[1, 2"},
		{"text/plain", " \n"},
		{"text/plain", ""},
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", page.contentType)
			_, _ = w.Write([]byte(page.body))
		})
		for scope, grant := range grants(t, c) {
			if grant != api.NotKnown {
				t.Errorf("%q: %s: %s", page.body, scope, grant)
			}
		}
	}
}

// Only the probe of orders:write reads a CSV file, the template.
func TestATemplateInAnyFormAndEncodingProvesOneScope(t *testing.T) {
	for _, body := range []string{
		"name,latitude,longitude\nMast,53.6,9.4\n",
		"\"name\",\"latitude\",\"longitude\"\n",
		"\nname;latitude;longitude\r\n",
		"Gr\xf6\xdfe;Breite;L\xe4nge\n",          // Latin-1
		"\xff\xfei\x00d\x00,\x00x\x00,\x00y\x00", // UTF-16
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		for scope, grant := range grants(t, c) {
			want := api.NotKnown
			if scope == api.ScopeOrdersWrite {
				want = api.Granted
			}
			if grant != want {
				t.Errorf("%q: %s: %s, want %s", body, scope, grant, want)
			}
		}
	}
}

type panicking struct{}

func (panicking) RoundTrip(*http.Request) (*http.Response, error) { panic("no such wire") }

// A panic in a goroutine does not end the program.
func TestAPanicOfAScopeCheckIsItsError(t *testing.T) {
	c, err := api.NewClient("https://api.example", api.WithTransport(panicking{}))
	if err != nil {
		t.Fatal(err)
	}
	grants, err := c.Scopes(t.Context(), api.ScopeOrdersRead)
	var bug *api.PanicError
	if err != nil || len(grants) != 1 || !errors.As(grants[0].Err, &bug) {
		t.Errorf("%+v, %v", grants, err)
	}
}
