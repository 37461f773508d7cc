package webhooks_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/webhooks"
)

const secret = "whsec_c2VjcmV0IG9mIGEgdGVzdCB3aXRoIDMyIGJ5dGVz"

const body = `{"id":"d-1","event":"mission.flight_scheduled","timestamp":"2026-11-24T11:59:00Z","data":{"mission":{"uuid":"m-1","missionCode":"MSN-7","name":"Köln <A&B>/C"}}}`

// signedCallback is a callback with its secret and headers.
type signedCallback struct {
	Secret string
	Header http.Header
	Body   string
	At     time.Time
}

func (c *signedCallback) change(header, value string) { c.Header.Set(header, value) }

// sign signs the current body of the callback.
func (c *signedCallback) sign() { c.change(api.HeaderSignature, api.Sign(c.Secret, []byte(c.Body))) }

// whole returns a callback with a valid signature.
func whole() *signedCallback {
	c := &signedCallback{Secret: secret, Body: body, At: noon, Header: http.Header{}}
	c.change(api.HeaderEvent, "mission.flight_scheduled")
	c.change(api.HeaderDelivery, "d-1")
	c.change(api.HeaderTimestamp, "2026-11-24T11:59:30Z")
	c.sign()
	return c
}

func TestCheckSignature(t *testing.T) {
	signature := whole().Header.Get(api.HeaderSignature)
	signed := func(as string) func(c *signedCallback) {
		return func(c *signedCallback) { c.change(api.HeaderSignature, as) }
	}
	const malformed, differs = "64 lower-case hexadecimal digits", "does not match this body and secret"
	sum, err := hex.DecodeString(signature[7:])
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(*signedCallback)
		cause  string // "" verifies
		advice string
	}{
		{"as it came", func(*signedCallback) {}, "", ""},
		{"without the other headers", func(c *signedCallback) { c.Header = http.Header{}; c.sign() }, "", ""},
		{"the wrong secret", func(c *signedCallback) { c.Secret = "whsec_other" }, differs, "full secret"},
		{"a secret with spaces", func(c *signedCallback) { c.Secret = " " + secret + "\n" }, differs, "spaces, quotes"},
		{"given without whsec_", func(c *signedCallback) { c.Secret = secret[6:] }, differs, "without whsec_"},
		{"a letter of the body is another", func(c *signedCallback) { c.Body = strings.Replace(body, "MSN-7", "MSN-8", 1) }, differs, "bytes received"},
		{"the body is cut", func(c *signedCallback) { c.Body = body[:len(body)-2] }, differs, "not valid JSON"},
		{"a line's end was added", func(c *signedCallback) { c.Body = body + "\r\n" }, differs, "ends with a line end that was not sent"},
		{"indented", func(c *signedCallback) { c.Body = strings.ReplaceAll(body, ",", ",\n  ") }, differs, "written again with other spaces"},
		{"upper-case digits", signed("sha256=" + strings.ToUpper(signature[7:])), malformed, ""},
		{"no prefix", signed(signature[7:]), malformed, ""},
		{"in quotes", signed(`"` + signature + `"`), malformed, ""},
		{"spaces around it", signed(signature + " "), malformed, ""},
		{"base64", signed("sha256=" + base64.StdEncoding.EncodeToString(sum)), malformed, ""},
		{"SHA-1", signed("sha256=" + strings.Repeat("ab", 20)), malformed, ""},
		{"no signature at all", signed("nonsense\x1b[2J"), malformed, ""},
		{"no event", func(c *signedCallback) { c.Body = `{"hello":1}`; c.sign() }, "its body is not an event", "complete"},
		{"another event in the header", func(c *signedCallback) { c.change(api.HeaderEvent, "mission.completed") }, "name different events", "a proxy"},
		{"another id in the header", func(c *signedCallback) { c.change(api.HeaderDelivery, "d-2") }, "name different events", ""},
		{"ten minutes old", func(c *signedCallback) {
			c.At = noon.Add(9 * time.Minute)
			c.change(api.HeaderTimestamp, "2026-11-24T12:08:00Z")
		}, "the body has 2026-11-24T11:59:00Z", "was received"},
		{"sent again late", func(c *signedCallback) { c.change(api.HeaderTimestamp, "2026-11-20T11:59:30Z") }, "X-Service-Timestamp has 2026-11-20", ""},
		{"from the future", func(c *signedCallback) { c.At = noon.Add(-20 * time.Minute) }, "more than 5m0s from now", "a clock"},
		{"no time in the header", func(c *signedCallback) { c.change(api.HeaderTimestamp, "yesterday") }, "no time in the X-Service-Timestamp", ""},
		{"no time in the body", func(c *signedCallback) {
			c.Body = `{"id":"d-1","event":"mission.flight_scheduled"}`
			c.sign()
		}, "no time in the body", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := whole()
			tt.change(c)
			e, err := webhooks.CheckSignature(c.Secret, c.Header, []byte(c.Body), c.At)
			if (err == nil) != (tt.cause == "") || (err == nil) != (e != nil && e.ID == "d-1") {
				t.Fatalf("%v, %v", e, err)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.cause) || !strings.Contains(err.Error(), tt.advice) || strings.Contains(err.Error(), secret[6:])) {
				t.Error(err)
			}
		})
	}
}

func FuzzCheckSignature(f *testing.F) {
	f.Add([]byte(body), "sha256=00", secret)
	f.Add([]byte("\xff\\u12"), `"sha256:"`, "whsec_")
	f.Fuzz(func(t *testing.T, body []byte, signature, secret string) {
		e, err := webhooks.CheckSignature(secret, http.Header{api.HeaderSignature: {signature}}, body, noon)
		if err == nil && (e == nil || api.VerifySignature(secret, signature, body) != nil) {
			t.Error("verified although the signature does not hold")
		}
	})
}
