package webhooks

import (
	"encoding/json"
	"fmt"
	"regexp"
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

// ReceiverCheck is one thing that a receiver looks at.
type ReceiverCheck struct {
	What string // signature, body, time
	Mark CheckMark
	Says string
}

// CallbackVerdict is whether a callback verifies, and why.
type CallbackVerdict struct {
	Verified bool
	Missing  []string // what has to be given before anything can be said
	Checks   []ReceiverCheck
	Cause    string // why it does not verify, as far as that can be told
	Advice   string // what to do about it
}

// CheckSignature examines a callback: whether it verifies, and if not, why, its
// header, its secret, its body or its time. No secret is in what it says.
func CheckSignature(c SignedCallback) CallbackVerdict {
	var v CallbackVerdict
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
	v.checkForm(c.Signature)
	v.checkMAC(&c)
	v.checkBody(&c)
	v.checkTimes(&c)
	v.Verified = true
	for _, check := range v.Checks {
		if check.Mark == CheckFails {
			v.Verified = false
		}
	}
	return v
}

func (v *CallbackVerdict) addCheck(what string, mark CheckMark, format string, args ...any) {
	v.Checks = append(v.Checks, ReceiverCheck{what, mark, fmt.Sprintf(format, args...)})
}

// blameCause names a cause, unless a weightier one is known.
func (v *CallbackVerdict) blameCause(cause, advice string) {
	if v.Cause == "" {
		v.Cause, v.Advice = cause, advice
	}
}

var wellFormed = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)

// checkForm looks at how the signature is written.
func (v *CallbackVerdict) checkForm(sent string) {
	const form = "sha256= and 64 lower-case hexadecimal digits"
	if wellFormed.MatchString(sent) {
		v.addCheck("Header", CheckHolds, form)
		return
	}
	v.addCheck("Header", CheckFails, "expected "+form)
	v.blameCause("Malformed signature header.", "Paste the header unchanged: "+form+".")
}

// checkMAC checks whether the signature is that of body and secret.
func (v *CallbackVerdict) checkMAC(c *SignedCallback) {
	switch {
	case api.VerifySignature(c.Secret, c.Signature, c.Body) == nil:
		v.addCheck("Signature", CheckHolds, "matches this body and secret")
		return
	case !wellFormed.MatchString(c.Signature):
		v.addCheck("Signature", CheckUnknown, "not compared")
		return
	}
	v.addCheck("Signature", CheckFails, "does not match this body and secret")
	if !json.Valid(c.Body) {
		v.blameCause("Incomplete body: not valid JSON.", "Part of it is missing, or something was added.")
	}
	v.blameCause(
		"Wrong secret or changed body.",
		"Use this endpoint's full secret, including whsec_, without spaces or quotes around it, and the exact bytes received. "+
			"Editors and programs change line endings, indentation and escapes when they save a body.",
	)
}

// checkBody looks whether the body is an event, and the headers say what it says.
func (v *CallbackVerdict) checkBody(c *SignedCallback) {
	e, err := api.DecodeEvent(c.Body)
	if err != nil {
		v.addCheck("Body", CheckFails, "not an event: no object with id and event")
		v.blameCause(
			"The body is not an event of the service.",
			"Check that it is complete. An event is a JSON object with id and event.",
		)
		return
	}
	v.addCheck("Body", CheckHolds, "event %s of %s", e.Event, orNone(e.Data.Mission.MissionCode))
	v.compareHeader("X-Service-Event", c.Event, string(e.Event))
	v.compareHeader("X-Service-Delivery", c.Delivery, e.ID)
}

// compareHeader compares a header with what the body says.
func (v *CallbackVerdict) compareHeader(header, sent, body string) {
	switch strings.TrimSpace(sent) {
	case "":
		v.addCheck(header, CheckUnknown, "not given; not compared with the body")
	case body:
		v.addCheck(header, CheckHolds, "matches the body")
	default:
		v.addCheck(header, CheckFails, "%s, but the body has %s", sent, body)
		v.blameCause(
			"The headers and the body name different events.",
			"The headers belong to another callback, or a proxy changed them.",
		)
	}
}

// checkTimes looks whether the callback is of now.
func (v *CallbackVerdict) checkTimes(c *SignedCallback) {
	tolerance := c.Tolerance
	if tolerance == 0 {
		tolerance = api.DefaultTolerance
	}
	if e, err := api.DecodeEvent(c.Body); err == nil {
		v.checkTime("Body time", e.Timestamp.Time, c.At, tolerance)
	}
	sent := strings.TrimSpace(c.Timestamp)
	if sent == "" {
		v.addCheck("X-Service-Timestamp", CheckUnknown, "not given; not checked")
		return
	}
	at, err := time.Parse(time.RFC3339, sent)
	if err != nil {
		v.addCheck("X-Service-Timestamp", CheckFails, "not a valid time; expected 2026-11-24T09:31:07Z")
		v.blameCause("Malformed time in the headers.", "Use RFC 3339, such as 2026-11-24T09:31:07Z.")
		return
	}
	v.checkTime("X-Service-Timestamp", at, c.At, tolerance)
}

func (v *CallbackVerdict) checkTime(what string, at, now time.Time, tolerance time.Duration) {
	switch age := now.Sub(at); {
	case at.IsZero():
		v.addCheck(what, CheckFails, "missing")
		v.blameCause("The body has no time.", "Every event of the service has a timestamp.")
	case age > tolerance:
		v.addCheck(what, CheckFails, "%s old; receivers accept up to %s", formatSpan(age), formatSpan(tolerance))
		v.blameCause(
			"Too old: "+formatSpan(age)+".",
			"Delayed on the way, or replayed by someone who recorded it. To check one from a log, set the time it was received.",
		)
	case age < -tolerance:
		v.addCheck(what, CheckFails, "%s ahead; receivers accept up to %s", formatSpan(-age), formatSpan(tolerance))
		v.blameCause("From the future: "+formatSpan(-age)+".", "The clock of this machine or of the service is wrong.")
	case age < 0:
		v.addCheck(what, CheckHolds, "%s ahead; receivers accept up to %s", formatSpan(-age), formatSpan(tolerance))
	default:
		v.addCheck(what, CheckHolds, "%s old; receivers accept up to %s", formatSpan(age), formatSpan(tolerance))
	}
}

// formatSpan writes a duration in its largest unit.
func formatSpan(d time.Duration) string {
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
