package webhooks_test

import (
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/webhooks"
)

// The change of a secret or a body is found, and the secret is not shown.
func TestTheReasonOfAWrongSignatureIsFound(t *testing.T) {
	indented := strings.ReplaceAll(strings.ReplaceAll(body, ",", ",\n  "), ":", ": ")
	indented = strings.ReplaceAll(indented, `11: 59: 00Z`, `11:59:00Z`)
	for _, tt := range []struct{ name, secret, body, want string }{
		{"as it was sent", secret, body, ""},
		{"no prefix", secret[6:], body, "the secret is given without whsec_"},
		{"quotes and a line end", `"` + secret + "\"\n", body, "the secret has spaces, quotes or a line end around it"},
		{"a final newline", secret, body + "\n", "the body ends with a line end that was not sent"},
		{"CRLF", secret, body + "\r\n", "the body ends with a line end that was not sent"},
		{"a byte order mark", secret, "\uFEFF" + body, "the body begins with a byte order mark that was not sent"},
		{"indented", secret, indented, "the JSON of the body was written again with other spaces and line ends"},
		{"escaped", secret, strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(body), "the JSON of the body was written again with other escapes"},
		{"both", secret[6:], body + "\n", "the secret is given without whsec_, and the body ends with a line end that was not sent"},
		{"another secret", "whsec_other", body, ""},
		{"another text", secret, strings.Replace(body, "MSN-7", "MSN-8", 1), ""},
	} {
		got := webhooks.SignatureReason(tt.secret, api.Sign(secret, []byte(body)), []byte(tt.body))
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if strings.Contains(got, secret[6:]) {
			t.Errorf("%s shows the secret", tt.name)
		}
	}
}

func TestTheFirstDifferenceOfABodyIsShown(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"the same", body, ""},
		{"another callback", strings.Replace(body, "d-1", "d-2", 1), "the body is that of callback d-2"},
		{"a letter", strings.Replace(body, "MSN-7", "MSN-8", 1), `missionCode\":\"MSN-7`},
		{"a line more", body + "\n", `the body has 1 byte more than the`},
		{"cut", body[:40], "the body ends after 40 of the"},
		{"in the middle of a character", strings.Replace(body, "ö", "ü", 1), `received "`},
	} {
		got := webhooks.BodyDifference([]byte(body), []byte(tt.got))
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A body that a customer received is compared with what was sent, without the secret.
func TestABodyIsComparedWithTheAttemptsOfItsCallback(t *testing.T) {
	const sent = `{"id":"d-1","event":"mission.completed","timestamp":"2026-11-24T11:59:00Z","data":{}}`
	attempts := []ops.CallbackAttempt{
		{Number: 1, Body: strings.Replace(sent, "59", "58", 1), Headers: map[string]string{"x-service-signature": "sha256=1"}},
		{Number: 2, Body: sent, Headers: map[string]string{"X-Service-Signature": "sha256=2"}},
	}
	for _, c := range []struct{ name, signature, body, want string }{
		{"the newest attempt", "sha256=2", sent, ""},
		{"the first attempt", "sha256=1", attempts[0].Body, ""},
		{"no signature", "", sent, "nothing to compare with"},
		{"the signature of another attempt", "sha256=1", sent, "the body is that of attempt 2, but the signature is not"},
		{"another callback", "sha256=2", strings.Replace(sent, "d-1", "d-2", 1), "the body is that of callback d-2"},
		{"a line end", "sha256=2", sent + "\n", "the body has 1 byte more than the"},
	} {
		got := ""
		if err := webhooks.CompareSent(attempts, c.signature, []byte(c.body)); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if webhooks.CompareSent(nil, "sha256=2", []byte(sent)) == nil {
		t.Error("a body matches a callback without attempts")
	}
}

// A callback that is sent again has the same body, with a new signature.
func TestAnOlderAttemptWithTheSameBodyMatches(t *testing.T) {
	attempts := []ops.CallbackAttempt{
		{Number: 1, Body: body, Headers: map[string]string{"X-Service-Signature": "sha256=1"}},
		{Number: 2, Body: body, Headers: map[string]string{"X-Service-Signature": "sha256=2"}},
	}
	if err := webhooks.CompareSent(attempts, "sha256=1", []byte(body)); err != nil {
		t.Error(err)
	}
}
