package webhooks_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/webhooks"
)

const secret = "whsec_c2VjcmV0IG9mIGEgdGVzdCB3aXRoIDMyIGJ5dGVz"

const body = `{"id":"d-1","event":"mission.flight_scheduled","timestamp":"2026-11-24T11:59:00Z","data":{"mission":{"uuid":"m-1","missionCode":"MSN-7","name":"Köln <A&B>/C"}}}`

// whole is a callback that verifies.
func whole() webhooks.SignedCallback {
	return webhooks.SignedCallback{
		Body: []byte(body), Signature: api.Sign(secret, []byte(body)), Secret: secret,
		Event: "mission.flight_scheduled", Delivery: "d-1", Timestamp: "2026-11-24T11:59:30Z", At: noon,
	}
}

// signedAs has the callback signed for another text, or with another secret.
func signedAs(c *webhooks.SignedCallback, secret, body string) {
	c.Signature = api.Sign(secret, []byte(body))
}

func TestCheckSignature(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*webhooks.SignedCallback)
		cause  string // "" verifies
		advice string
	}{
		{"as it came", func(*webhooks.SignedCallback) {}, "", ""},
		{"without the other headers", func(c *webhooks.SignedCallback) { c.Event, c.Delivery, c.Timestamp = "", "", "" }, "", ""},
		{"the wrong secret", func(c *webhooks.SignedCallback) { c.Secret = "whsec_other" }, "Wrong secret or changed body", "full secret"},
		{"a secret with spaces", func(c *webhooks.SignedCallback) { c.Secret = " " + secret + "\n" }, "Wrong secret", "spaces or quotes"},
		{"given without whsec_", func(c *webhooks.SignedCallback) { c.Secret = secret[6:] }, "Wrong secret", "including whsec_"},
		{"a letter of the body is another", func(c *webhooks.SignedCallback) { c.Body = []byte(strings.Replace(body, "MSN-7", "MSN-8", 1)) }, "changed body", ""},
		{"the body is cut", func(c *webhooks.SignedCallback) { c.Body = []byte(body[:len(body)-2]) }, "Incomplete body", ""},
		{"a line's end was added", func(c *webhooks.SignedCallback) { c.Body = []byte(body + "\r\n") }, "changed body", "line endings"},
		{"indented", func(c *webhooks.SignedCallback) {
			c.Body = []byte(strings.ReplaceAll(body, ",", ",\n  "))
		}, "changed body", "bytes received"},
		{"another scheme", func(c *webhooks.SignedCallback) { signedAs(c, secret, c.Timestamp+"."+body) }, "changed body", "endpoint's full secret"},
		{"upper-case digits", func(c *webhooks.SignedCallback) { c.Signature = "sha256=" + strings.ToUpper(c.Signature[7:]) }, "Malformed signature", "64 lower-case"},
		{"no prefix", func(c *webhooks.SignedCallback) { c.Signature = c.Signature[7:] }, "Malformed signature", ""},
		{"in quotes", func(c *webhooks.SignedCallback) { c.Signature = `"` + c.Signature + `"` }, "Malformed signature", ""},
		{"spaces around it", func(c *webhooks.SignedCallback) { c.Signature += " " }, "Malformed signature", ""},
		{"base64", func(c *webhooks.SignedCallback) {
			sum, err := hex.DecodeString(c.Signature[7:])
			if err != nil {
				t.Fatal(err)
			}
			c.Signature = "sha256=" + base64.StdEncoding.EncodeToString(sum)
		}, "Malformed signature", ""},
		{"SHA-1", func(c *webhooks.SignedCallback) { c.Signature = "sha256=" + strings.Repeat("ab", 20) }, "Malformed signature", ""},
		{"no signature at all", func(c *webhooks.SignedCallback) { c.Signature = "nonsense\x1b[2J" }, "Malformed signature", ""},
		{"no event", func(c *webhooks.SignedCallback) { c.Body = []byte(`{"hello":1}`); signedAs(c, secret, `{"hello":1}`) }, "not an event of the service", ""},
		{"another event in the header", func(c *webhooks.SignedCallback) { c.Event = "mission.completed" }, "name different events", ""},
		{"another id in the header", func(c *webhooks.SignedCallback) { c.Delivery = "d-2" }, "name different events", ""},
		{"ten minutes old", func(c *webhooks.SignedCallback) {
			c.At = noon.Add(9 * time.Minute)
			c.Timestamp = "2026-11-24T12:08:00Z"
		}, "Too old: 10 minutes.", "was received"},
		{"sent again late", func(c *webhooks.SignedCallback) { c.Timestamp = "2026-11-20T11:59:30Z" }, "Too old: 4 days", ""},
		{"from the future", func(c *webhooks.SignedCallback) { c.At = noon.Add(-20 * time.Minute) }, "From the future: 19 minutes", "clock"},
		{"no time in the header", func(c *webhooks.SignedCallback) { c.Timestamp = "yesterday" }, "Malformed time in the headers", "RFC 3339"},
		{"no time in the body", func(c *webhooks.SignedCallback) {
			c.Body = []byte(`{"id":"d-1","event":"mission.flight_scheduled"}`)
			signedAs(c, secret, string(c.Body))
		}, "The body has no time", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := whole()
			tt.change(&c)
			v := webhooks.CheckSignature(c)
			if v.Verified != (tt.cause == "") || !strings.Contains(v.Cause, tt.cause) || tt.cause == "" && v.Cause != "" || !strings.Contains(v.Advice, tt.advice) {
				t.Errorf("%v: %s\n%s\n%+v", v.Verified, v.Cause, v.Advice, v.Checks)
			}
			if got := fmt.Sprintf("%+v", v); strings.Contains(got, secret[6:]) {
				t.Errorf("the secret is in %s", got)
			}
			// The workbench says of a whole callback what a receiver says.
			if c.Event != "" && c.Delivery != "" && c.Timestamp != "" {
				r := api.Receiver{Secret: c.Secret, Now: func() time.Time { return c.At }}
				_, err := r.VerifyCallback(map[string][]string{
					api.HeaderSignature: {c.Signature}, api.HeaderEvent: {c.Event}, api.HeaderDelivery: {c.Delivery}, api.HeaderTimestamp: {c.Timestamp},
				}, c.Body)
				if (err == nil) != v.Verified {
					t.Errorf("a receiver says %v", err)
				}
			}
		})
	}
}

func TestWhatIsMissingIsAskedFor(t *testing.T) {
	v := webhooks.CheckSignature(webhooks.SignedCallback{Signature: " "})
	if v.Verified || strings.Join(v.Missing, ", ") != "the body, the signature, the secret" {
		t.Errorf("%+v", v)
	}
	v = webhooks.CheckSignature(webhooks.SignedCallback{Body: []byte(body), Signature: "x", Secret: secret})
	if len(v.Missing) > 0 || v.Verified {
		t.Errorf("%+v", v)
	}
}

func FuzzCheckSignature(f *testing.F) {
	f.Add([]byte(body), "sha256=00", secret)
	f.Add([]byte("\xff\\u12"), `"sha256:"`, "whsec_")
	f.Fuzz(func(t *testing.T, body []byte, signature, secret string) {
		v := webhooks.CheckSignature(webhooks.SignedCallback{Body: body, Signature: signature, Secret: secret, At: noon})
		if v.Verified && api.VerifySignature(secret, signature, body) != nil {
			t.Errorf("verified although the signature does not hold: %+v", v)
		}
	})
}
