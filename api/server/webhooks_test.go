package server_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
)

const webhooks = publicHandlers + "/webhooks"

// register registers an endpoint and returns it with its secret.
func (b *bench) register(key, url string, events ...api.EventName) api.WebhookEndpoint {
	b.t.Helper()
	r := b.call("POST", webhooks, key, api.CreateWebhookRequest{URL: url, Events: events})
	if r.status != http.StatusCreated {
		b.t.Fatalf("registering %s: %d %s", url, r.status, r.raw)
	}
	return into[api.WebhookEndpoint](b.t, r)
}

func TestWebhookIsRegisteredReadAndDeleted(t *testing.T) {
	b := newBench(t)
	made := b.register(b.alice, "https://a.example/hook?x=1")
	if !regexp.MustCompile(`^whsec_[A-Za-z0-9_-]{43}$`).MatchString(made.Secret) {
		t.Errorf("the secret is %q", made.Secret)
	}
	if !slices.Equal(made.Events, api.EventNames()) || made.LastStatus != nil || made.Status != "active" {
		t.Errorf("registered %+v", made)
	}
	some := b.register(b.alice, "https://b.example/", api.EventMissionCompleted)
	if !slices.Equal(some.Events, []api.EventName{api.EventMissionCompleted}) || some.Secret == made.Secret {
		t.Errorf("registered %+v", some)
	}
	path := webhooks + "/" + made.UUID
	for _, r := range []reply{b.call("GET", path, b.alice, nil), b.call("GET", webhooks, b.alice, nil)} {
		if r.status != 200 || bytes.Contains(r.raw, []byte("whsec_")) || bytes.Contains(r.raw, []byte("secret")) {
			t.Errorf("%d %s", r.status, r.raw)
		}
	}
	if log := b.call("GET", path+"/deliveries", b.alice, nil); log.status != 200 {
		t.Errorf("the log: %d %s", log.status, log.raw)
	}
	if r := b.call("DELETE", path, b.alice, nil); r.status != 200 || string(r.Data) != "{}" {
		t.Errorf("deleting: %d %s", r.status, r.raw)
	}
	for _, r := range []reply{
		b.call("DELETE", path, b.alice, nil), b.call("GET", path, b.alice, nil),
		b.call("GET", path+"/deliveries", b.alice, nil), b.call("GET", webhooks+"/none", b.alice, nil),
	} {
		if r.status != 404 {
			t.Errorf("after deleting: %d %s", r.status, r.raw)
		}
	}
}

func TestWebhooksOfOthers(t *testing.T) {
	b := newBench(t)
	path := webhooks + "/" + b.register(b.alice, "https://a.example").UUID
	for _, r := range []reply{
		b.call("GET", path, b.bob, nil), b.call("DELETE", path, b.bob, nil), b.call("GET", path+"/deliveries?limit=0", b.bob, nil),
	} {
		if r.status != 403 || r.fault.Code != api.CodeNotYourResource {
			t.Errorf("%d %s", r.status, r.raw)
		}
	}
	if r := b.call("GET", webhooks, b.bob, nil); len(into[api.Page[api.WebhookEndpoint]](t, r).Items) != 0 {
		t.Errorf("listed %s", r.raw)
	}
	if r := b.call("GET", path, b.alice, nil); r.status != 200 {
		t.Errorf("it is gone: %d", r.status)
	}
}

func TestInvalidWebhooks(t *testing.T) {
	b := newBench(t)
	long := func(n int) string { return "https://a.example/" + strings.Repeat("x", n-len("https://a.example/")) }
	for _, c := range []struct {
		body   string
		fields string // empty for 201
	}{
		{`{"url":"https://a.example"}`, ""},
		{`{"url":"https://a.example:8443/p?q","events":null,"description":null}`, ""},
		{`{"url":"https://[2001:db8::1]/","description":"","events":["mission.completed"]}`, ""},
		{`{"url":"HTTPS://A.example"}`, ""},
		{`{"url":"https://127.0.0.1/"}`, ""}, // the target is checked when something is sent
		{`{"url":"` + long(2048) + `"}`, ""},
		{`{"url":"` + long(2049) + `"}`, "url"},
		{`{}`, "url"},
		{`[]`, "body"},
		{`{"url":null}`, "url"},
		{`{"url":""}`, "url"},
		{`{"url":7}`, "url"},
		{`{"url":"http://a.example"}`, "url"},
		{`{"url":"ftp://a.example"}`, "url"},
		{`{"url":"//a.example"}`, "url"},
		{`{"url":"/hook"}`, "url"},
		{`{"url":"https:a.example"}`, "url"},
		{`{"url":"https://"}`, "url"},
		{`{"url":"https:///p"}`, "url"},
		{`{"url":"https://:443/"}`, "url"},
		{`{"url":"https://a.example:0/"}`, "url"},
		{`{"url":"https://a.example:99999/"}`, "url"},
		{`{"url":"https://a.example:/"}`, "url"},
		{`{"url":"https://user@a.example"}`, "url"},
		{`{"url":"https://user:pass@a.example"}`, "url"},
		{`{"url":"https://@a.example"}`, "url"},
		{`{"url":"https://a.example/#"}`, "url"},
		{`{"url":"https://a.example/#part"}`, "url"},
		{`{"url":"https://a.example/a b"}`, "url"},
		{`{"url":" https://a.example"}`, "url"},
		{`{"url":"https://a.example/\n"}`, "url"},
		{`{"url":"https://a.example/\u0000"}`, "url"},
		{`{"url":"https://a.example","events":[]}`, "events"},
		{`{"url":"https://a.example","events":"mission.completed"}`, "events"},
		{`{"url":"https://a.example","events":["mission.completed","order.completed"]}`, "events[1]"},
		{`{"url":"https://a.example","events":["mission.completed","mission.completed"]}`, "events[1]"},
		{`{"url":"https://a.example","events":["Mission.Completed",null,1]}`, "events[0] events[1] events[2]"},
		{`{"url":"https://a.example","description":5}`, "description"},
		{`{"url":"https://a.example","description":"` + strings.Repeat("é", 2001) + `"}`, "description"},
		{`{"url":"https://a.example","description":"` + strings.Repeat("é", 2000) + `"}`, ""},
		{`{"url":"https://a.example","secret":"mine","status":"active"}`, "secret status"},
		{`{"url":"http://a.example","events":[],"description":5,"x":1}`, "url events description x"},
	} {
		r := b.call("POST", webhooks, b.alice, c.body)
		want := 400
		if c.fields == "" {
			want = 201
		}
		if got := strings.Join(r.fields(), " "); r.status != want || got != c.fields {
			t.Errorf("%.90s: %d at %q, want %d at %q", c.body, r.status, got, want, c.fields)
		}
	}
	for body, want := range map[string]int{`{"url":`: 400, ``: 400, `{"url":"https://a.example"} {}`: 400, `{"url":"a","url":"b"}`: 400} {
		if r := b.call("POST", webhooks, b.alice, body); r.status != want || r.fault.Code != api.CodeMalformedBody {
			t.Errorf("%s: %d %s", body, r.status, r.raw)
		}
	}
	if r := b.call("POST", webhooks, b.alice, `{}`, "Content-Type", "text/plain"); r.status != 415 {
		t.Errorf("text: %d", r.status)
	}
}

func TestAnAccountHas20Webhooks(t *testing.T) {
	b := newBench(t)
	var want []string
	for i := range api.MaxWebhooks {
		want = append(want, b.register(b.alice, fmt.Sprintf("https://a.example/%d", i)).UUID)
	}
	slices.Reverse(want)
	if r := b.call("POST", webhooks, b.alice, `{"url":"https://a.example"}`); r.status != 409 || r.fault.Code != api.CodeConflict {
		t.Errorf("one more: %d %s", r.status, r.raw)
	}
	b.register(b.bob, "https://b.example")

	var got []string
	path := webhooks + "?limit=7"
	for path != "" {
		page := into[api.Page[api.WebhookEndpoint]](t, b.call("GET", path, b.alice, nil))
		for _, w := range page.Items {
			got = append(got, w.UUID)
		}
		path = ""
		if page.NextCursor != nil {
			path = webhooks + "?limit=7&cursor=" + *page.NextCursor
			if r := b.call("GET", path, b.bob, nil); r.status != 400 {
				t.Errorf("another account's cursor: %d", r.status)
			}
			back := into[api.Page[api.WebhookEndpoint]](t, b.call("GET", path+"&direction=prev", b.alice, nil))
			if n := len(back.Items); back.Items[n-1].UUID != got[len(got)-2] {
				t.Errorf("backwards from the cursor: %v", back.Items)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	b.call("DELETE", webhooks+"/"+want[3], b.alice, nil)
	b.register(b.alice, "https://a.example/again")
}

func TestSecretsAreEncryptedAtRest(t *testing.T) {
	dir := t.TempDir()
	s := &server.Server{Dir: dir}
	if err := s.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	made, err := client(t, s).Webhooks.Create(context.Background(), api.CreateWebhookRequest{URL: "https://a.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.*")) // without the folder of deliveries
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil || bytes.Contains(content, []byte(made.Secret)) || bytes.Contains(content, []byte(made.Secret[6:])) {
			t.Errorf("%s holds the secret, %v", f, err)
		}
	}
	key := filepath.Join(dir, "secrets.key")
	if info, err := os.Stat(key); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v %v", info, err)
	}
	for _, spoil := range []func() error{
		func() error { return os.WriteFile(key, []byte("short"), 0o600) },
		func() error { return os.Remove(key) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if err := (&server.Server{Dir: dir}).Start(context.Background()); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("without the key: %v", err)
		}
	}
}

func TestClientOfWebhooks(t *testing.T) {
	s := start(t, &server.Server{})
	c := client(t, s)
	ctx := context.Background()
	made, err := c.Webhooks.Create(ctx, api.CreateWebhookRequest{
		URL: "https://a.example", Events: []api.EventName{api.EventDataDelivered}, Description: "Büro",
	})
	if err != nil || made.Secret == "" || made.Description != "Büro" {
		t.Fatalf("%+v, %v", made, err)
	}
	got, err := c.Webhooks.Get(ctx, made.UUID)
	if err != nil || got.URL != made.URL || got.Secret != "" {
		t.Errorf("%+v, %v", got, err)
	}
	for w, err := range c.Webhooks.All(ctx) {
		if err != nil || w.UUID != made.UUID {
			t.Errorf("%+v, %v", w, err)
		}
	}
	for d, err := range c.Webhooks.AllDeliveries(ctx, made.UUID) {
		t.Errorf("a delivery %+v, %v", d, err)
	}
	if err := c.Webhooks.Delete(ctx, made.UUID); err != nil {
		t.Error(err)
	}
	if _, err := c.Webhooks.Get(ctx, made.UUID); !api.IsStatus(err, 404) {
		t.Error(err)
	}
}
