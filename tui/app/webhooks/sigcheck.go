package webhooks

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
)

// SignedCallback is what is known of a callback. What is empty was not given, and is not
// looked at.
type SignedCallback struct {
	Body      []byte
	Signature string // of the header
	Secret    string
	Event     string // the headers
	Delivery  string
	Timestamp string

	At        time.Time     // when it was received
	Tolerance time.Duration // 0: [api.DefaultTolerance]
}

// CheckMark is how a check ended.
type CheckMark int

// The marks.
const (
	CheckHolds   CheckMark = iota
	CheckFails             // a receiver does not take it for this
	CheckUnknown           // it was not given, or cannot be told
)

// Check is one thing that a receiver looks at.
type Check struct {
	What string // signature, body, time
	Mark CheckMark
	Says string
}

// Verdict is whether a callback verifies, and why.
type Verdict struct {
	Verified bool
	Missing  []string // what has to be given before anything can be said
	Checks   []Check
	Cause    string // why it does not verify, as far as that can be told
	Advice   string // what to do about it
}

// CheckSignature examines a callback: whether it verifies, and if not, why, its
// header, its secret, its body or its time. The forms in which secrets are often
// given are tried. No secret is in what it says.
func CheckSignature(c SignedCallback) Verdict {
	var v Verdict
	if len(c.Body) == 0 {
		v.Missing = append(v.Missing, "the body")
	}
	if strings.TrimSpace(c.Signature) == "" {
		v.Missing = append(v.Missing, "the signature")
	}
	if c.Secret == "" {
		v.Missing = append(v.Missing, "the secret")
	}
	if len(v.Missing) > 0 {
		return v
	}
	v.form(c.Signature)
	v.mac(&c)
	v.body(&c)
	v.times(&c)
	v.Verified = true
	for _, check := range v.Checks {
		if check.Mark == CheckFails {
			v.Verified = false
		}
	}
	return v
}

func (v *Verdict) add(what string, mark CheckMark, format string, args ...any) {
	v.Checks = append(v.Checks, Check{what, mark, fmt.Sprintf(format, args...)})
}

// blame names a cause, unless a weightier one is known.
func (v *Verdict) blame(cause, advice string) {
	if v.Cause == "" {
		v.Cause, v.Advice = cause, advice
	}
}

const prefix = "sha256="

// form looks at how the signature is written.
func (v *Verdict) form(sent string) {
	digits, prefixed := strings.CutPrefix(sent, prefix)
	fault := ""
	switch {
	case sent != strings.TrimSpace(sent):
		fault = "there are spaces around it"
	case strings.Trim(sent, `"'`) != sent:
		fault = "it stands in quotes"
	case !prefixed:
		fault = "it does not begin with " + prefix
	case strings.Trim(strings.ToLower(digits), "0123456789abcdef") != "":
		fault = "it has other characters than hexadecimal digits"
	case len(digits) != 64:
		fault = fmt.Sprintf("it has %d digits, not 64", len(digits))
	case digits != strings.ToLower(digits):
		fault = "its digits are upper-case"
	}
	if fault == "" {
		v.add("Header", CheckHolds, "sha256= and 64 lower-case hexadecimal digits")
		return
	}
	v.add("Header", CheckFails, "%s; it is sha256= and 64 lower-case hexadecimal digits", fault)
	v.blame("The signature's header is malformed: "+fault+".", "Give the header to the check as it came.")
}

// mac checks whether the signature is that of body and secret, and if not tries
// the forms in which secrets are often given.
func (v *Verdict) mac(c *SignedCallback) {
	if api.VerifySignature(c.Secret, c.Signature, c.Body) == nil {
		v.add("Signature", CheckHolds, "it is this body's with this secret")
		return
	}
	sum, known := sumOf(c.Signature)
	if !known {
		v.add("Signature", CheckUnknown, "nothing to compare with: %s", kindOf(c.Signature))
		return
	}
	switch secret, found := findSecret(c, sum); {
	case !found:
		v.add("Signature", CheckFails, "it does not match this body and secret")
		if !json.Valid(c.Body) {
			v.blame("The body is not whole: it is no JSON.", "Something is missing of it, or was added.")
		}
		v.blame("Another secret was used, or the body was altered.",
			"Is it the secret of this endpoint, whole, with whsec_? Is the body the bytes that came? Line ends, indents and escapes change when a program or an editor reads and writes it.")
	case secret.why == "":
		v.add("Signature", CheckHolds, "its digits are this body's with this secret")
	default:
		v.add("Signature", CheckFails, "it is this body's %s", secret.why)
		v.blame("The wrong secret: the body is "+secret.why+".", secret.advice)
	}
}

// body looks whether the body is an event, and the headers say what it says.
func (v *Verdict) body(c *SignedCallback) {
	e, err := api.DecodeEvent(c.Body)
	if err != nil {
		v.add("Body", CheckFails, "it is no event: an object with an id and an event")
		v.blame("The body is no event of the service.", "Is it whole? An event is a JSON object with an id and an event.")
		return
	}
	v.add("Body", CheckHolds, "an event, %s of %s", e.Event, orNone(e.Data.Mission.MissionCode))
	v.same("X-Service-Event", c.Event, string(e.Event))
	v.same("X-Service-Delivery", c.Delivery, e.ID)
}

// same compares a header with what the body says.
func (v *Verdict) same(header, sent, body string) {
	switch strings.TrimSpace(sent) {
	case "":
		v.add(header, CheckUnknown, "not given, so not compared with the body")
	case body:
		v.add(header, CheckHolds, "what the body says")
	default:
		v.add(header, CheckFails, "it says %s, the body %s", sent, body)
		v.blame("The headers name another event than the body.", "They belong to another callback, or something in between has written them.")
	}
}

// times looks whether the callback is of now.
func (v *Verdict) times(c *SignedCallback) {
	tolerance := c.Tolerance
	if tolerance == 0 {
		tolerance = api.DefaultTolerance
	}
	if e, err := api.DecodeEvent(c.Body); err == nil {
		v.time("Body's time", e.Timestamp.Time, c.At, tolerance)
	}
	sent := strings.TrimSpace(c.Timestamp)
	if sent == "" {
		v.add("X-Service-Timestamp", CheckUnknown, "not given, so not looked at")
		return
	}
	at, err := time.Parse(time.RFC3339, sent)
	if err != nil {
		v.add("X-Service-Timestamp", CheckFails, "it is no time as in 2026-11-24T09:31:07Z")
		v.blame("The time in the headers is malformed.", "It is RFC 3339, as in 2026-11-24T09:31:07Z.")
		return
	}
	v.time("X-Service-Timestamp", at, c.At, tolerance)
}

func (v *Verdict) time(what string, at, now time.Time, tolerance time.Duration) {
	switch age := now.Sub(at); {
	case at.IsZero():
		v.add(what, CheckFails, "there is none")
		v.blame("The body has no time.", "An event of the service has one.")
	case age > tolerance:
		v.add(what, CheckFails, "%s old; a receiver takes %s", span(age), span(tolerance))
		v.blame("It is too old: "+span(age)+". Signature and body hold.", "Held back on its way, or sent again by somebody who has recorded it. To look at one from a log, set the time that it was received at.")
	case age < -tolerance:
		v.add(what, CheckFails, "%s ahead; a receiver takes %s", span(-age), span(tolerance))
		v.blame("It is from the future: "+span(-age)+".", "The clock here, or the service's, is wrong.")
	case age < 0:
		v.add(what, CheckHolds, "%s ahead; a receiver takes %s", span(-age), span(tolerance))
	default:
		v.add(what, CheckHolds, "%s old; a receiver takes %s", span(age), span(tolerance))
	}
}

// span writes a duration in its largest unit.
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	default:
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	}
}

func orNone(s string) string {
	if s == "" {
		return "no mission"
	}
	return s
}

// errNoSum says that a signature has no sum in it.
var errNoSum = errors.New("no sum")

// decodeHex reads 64 hexadecimal digits of any case.
func decodeHex(digits string) ([]byte, error) {
	if len(digits) != 64 {
		return nil, errNoSum
	}
	return hex.DecodeString(digits)
}
