package webhooks

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

func TestAnAddressIsCheckedWhileItIsTyped(t *testing.T) {
	for _, tt := range []struct {
		text, typing, entered string // a part of what is said, "" for nothing
	}{
		{"", "", "must start with https://"},
		{"ht", "", "must start with https://"},
		{"https://", "", "not an http or https URL"},
		{"http://a.example/", "must use https", "must use https"},
		{"HTTP://a.example/", "must use https", "must use https"},
		{"ftp://a.example/", "must start with https://", "must start with https://"},
		{"https://a.example/hook?x=1", "", ""},
		{"HTTPS://a.example", "", ""},
		{"https://a.example:8443/", "", ""},
		{"https://a b.example/", "not contain spaces", "not contain spaces"},
		{"https://a.example/#x", "remove the user, password or fragment", "fragment"},
		{"https://me:secret@a.example/", "remove the user", "remove the user"},
		{"https://a.example:port/", "not an http or https URL", "not an http or https URL"},
		{"https:///hook", "not an http or https URL", "not an http or https URL"},
	} {
		for typing, want := range map[bool]string{true: tt.typing, false: tt.entered} {
			if got := checkURL(tt.text, typing); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%.40q, typing %v: %q, want %q", tt.text, typing, got, want)
			}
		}
	}
}

func TestWhatIsTypedToDeleteAnEndpoint(t *testing.T) {
	for url, want := range map[string]string{
		"https://hooks.acme.example:8443/x":                "hooks.acme.example",
		"https://\x1b[2J.example/":                         "5f0c81d2",
		"https://" + strings.Repeat("a", 60) + ".example/": "5f0c81d2",
		"":                             "5f0c81d2",
		"https://b\u00fccher.example/": "5f0c81d2",
	} {
		if got := confirmWord(&api.WebhookEndpoint{URL: url, UUID: "5f0c81d2-77"}); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}

// bench is the workbench without a service.
func bench(t *testing.T) *SignatureCheck {
	t.Helper()
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	client, err := api.NewClient("http://127.0.0.1:1", api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	env := &page.Env{PageLook: page.PageLook{Theme: th, UIState: session.OpenUIState("")}, ProfileService: page.ProfileService{ProfileOptions: page.ProfileOptions{Client: client}, Secrets: webhooks.NewSecrets(nil), Feed: webhooks.NewFeed(webhooks.FeedOptions{Log: webhooks.OpenLog("")})}, AppClock: page.AppClock{Now: time.Now}}
	return newSignatureCheck(newEndpointBook(page.NewBase(env)), nil)
}

func TestARequestIsTakenApartHoweverItWasLogged(t *testing.T) {
	const body = `{"id":"d-1","event":"mission.completed"}`
	want := map[string]string{
		"signature": "sha256=ab", "event": "mission.completed", "delivery": "d-1", "timestamp": "2026-11-24T09:31:07Z", "body": body,
	}
	for name, text := range map[string]string{
		"as it was sent": "POST /hook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: sha256=ab\r\nX-Service-Event: mission.completed\r\n" +
			"X-Service-Delivery: d-1\r\nX-Service-Timestamp: 2026-11-24T09:31:07Z\r\n\r\n" + body,
		"as curl shows it": "> POST /hook HTTP/2\n> x-service-signature: sha256=ab\n> x-service-event: mission.completed\n> x-service-delivery: d-1\n" +
			"> x-service-timestamp: 2026-11-24T09:31:07Z\n\n" + body,
		"as a terminal pastes it": "X-Service-Signature: sha256=ab\rX-Service-Event: mission.completed\rX-Service-Delivery: d-1\r" +
			"X-Service-Timestamp: 2026-11-24T09:31:07Z\r\r" + body,
	} {
		t.Run(name, func(t *testing.T) {
			p := bench(t)
			p.pasteText(text)
			for id, value := range want {
				if got := p.form.Field(id).Value(); got != value {
					t.Errorf("%s is %q", id, got)
				}
			}
			if c := p.typedCallback(); string(c.Body) != body {
				t.Errorf("the body is %q", c.Body)
			}
		})
	}
}

// Every byte of a body counts, also those that a field cannot show.
func TestABodyIsKeptAsItWasPasted(t *testing.T) {
	p := bench(t)
	for pasted, want := range map[string]string{
		"{\r\n\t\"a\": 1\r\n}\r\n": "{\r\n\t\"a\": 1\r\n}\r\n",
		"{\r\"a\": 1\r}\r":         "{\n\"a\": 1\n}\n",
		" {} ":                     " {} ",
		"\x1b[2J":                  "\x1b[2J",
	} {
		p.HandleAction("clear")
		p.pasteText(pasted)
		if got := string(p.typedCallback().Body); got != want {
			t.Errorf("%q is %q", pasted, got)
		}
	}
	p.HandleAction("clear")
	long := strings.Repeat("0123456789", maxShown)
	p.pasteText(long)
	p.Update(tea.KeyPressMsg{Code: 'x', Text: "x"}) // would lose what is not shown
	if got := string(p.typedCallback().Body); got != long {
		t.Errorf("%d bytes of a long body are left", len(got))
	}
	p.form.Field("body").Set("typed")
	if got := string(p.typedCallback().Body); got != "typed" {
		t.Errorf("what is typed is %q", got)
	}
}

func TestACodeIsExplained(t *testing.T) {
	for code, want := range map[int]string{
		0: "", 204: "accepted it", 301: "Redirects are not followed", 400: "rejected the request", 401: "wrong secret", 404: "path", 429: "overloaded", 503: "receiver failed",
	} {
		if got := adviseOn(&api.WebhookDelivery{ResponseCode: &code}); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("of %d it says %q", code, got)
		}
	}
}
