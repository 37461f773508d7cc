package webhooks

import (
	"strings"
	"testing"

	"flightdesk/api"
)

func TestAnAddressIsCheckedWhileItIsTyped(t *testing.T) {
	for _, tt := range []struct {
		text, typing, entered string // a part of the error while typing and afterwards, "" for none
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
		isLike := func(got, want string) bool { return (got == "") == (want == "") && strings.Contains(got, want) }
		if got := checkPartialURL(tt.text); !isLike(got, tt.typing) {
			t.Errorf("%.40q, typing: %q, want %q", tt.text, got, tt.typing)
		}
		if got := checkURL(tt.text); !isLike(got, tt.entered) {
			t.Errorf("%.40q, entered: %q, want %q", tt.text, got, tt.entered)
		}
	}
}

func TestTheWordThatConfirmsADeletion(t *testing.T) {
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

func TestARequestIsSplitIntoHeadersAndBody(t *testing.T) {
	const body = `{"id":"d-1","event":"mission.completed"}`
	for name, text := range map[string]string{
		"as it was sent": "POST /hook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: sha256=ab\r\nX-Service-Event: mission.completed\r\n" +
			"X-Service-Delivery: d-1\r\nX-Service-Timestamp: 2026-11-24T09:31:07Z\r\n\r\n" + body,
		"as curl shows it": "> POST /hook HTTP/2\n> x-service-signature: sha256=ab\n> x-service-event: mission.completed\n> x-service-delivery: d-1\n" +
			"> x-service-timestamp: 2026-11-24T09:31:07Z\n\n" + body,
		"with a body of lines": "X-Service-Signature: sha256=ab\nX-Service-Event: mission.completed\nX-Service-Delivery: d-1\n" +
			"X-Service-Timestamp: 2026-11-24T09:31:07Z\n\n" + body + "\n\na: b",
	} {
		t.Run(name, func(t *testing.T) {
			h, got := splitRequest(text)
			for header, value := range map[string]string{
				api.HeaderSignature: "sha256=ab", api.HeaderEvent: "mission.completed", api.HeaderDelivery: "d-1", api.HeaderTimestamp: "2026-11-24T09:31:07Z",
			} {
				if h.Get(header) != value {
					t.Errorf("%s is %q", header, h.Get(header))
				}
			}
			if !strings.HasPrefix(got, body) {
				t.Errorf("the body is %q", got)
			}
		})
	}
	for _, text := range []string{"{\n\"a\": 1\n\n}", " \r\n", body} {
		if h, got := splitRequest(text); len(h) > 0 || got != text {
			t.Errorf("%q is split into the headers %[3]v and the body %[2]q", text, got, h)
		}
	}
}

func TestAResponseCodeIsExplained(t *testing.T) {
	for code, want := range map[int]string{
		-7: "", 0: "make it reachable", 204: "accepted it", 301: "Redirects are not followed", 400: "rejected the request", 401: "wrong secret", 404: "path", 429: "overloaded", 503: "receiver failed",
	} {
		if got := adviseOn(&api.WebhookDelivery{ResponseCode: &code}); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("the advice on %d is %q", code, got)
		}
	}
}
