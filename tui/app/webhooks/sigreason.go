package webhooks

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

const (
	secretPrefix  = "whsec_"
	byteOrderMark = "\uFEFF"
)

// variant is a secret or a body as it may have been before somebody or a program changed it.
type variant struct {
	text   string
	change string // describes how the original was changed; "" if it is unchanged
}

// SignatureReason returns why a signature does not match a secret and a body: in which way one or both
// were changed, such as "the body ends with a line end that was not sent". It returns "" if that cannot be
// determined. The result does not contain the secret.
func SignatureReason(secret, signature string, body []byte) string {
	for _, s := range secretVariants(secret) {
		for _, b := range bodyVariants(string(body)) {
			if api.VerifySignature(s.text, signature, []byte(b.text)) == nil {
				return joinChanges(s.change, b.change)
			}
		}
	}
	return ""
}

func joinChanges(changes ...string) string {
	var made []string
	for _, change := range changes {
		if change != "" {
			made = append(made, change)
		}
	}
	return strings.Join(made, ", and ")
}

// secretVariants returns the secret and what it may have been before a usual mistake in copying it, such
// as quotes around it.
func secretVariants(secret string) []variant {
	all := []variant{{text: secret}}
	trimmed := strings.Trim(secret, " \t\r\n\"'"+byteOrderMark)
	if trimmed != secret {
		all = append(all, variant{trimmed, "the secret has spaces, quotes or a line end around it"})
	}
	if !strings.HasPrefix(trimmed, secretPrefix) {
		all = append(all, variant{secretPrefix + trimmed, "the secret is given without " + secretPrefix})
	}
	return all
}

// bodyVariants returns the body and what it may have been before a usual change, such as different line
// ends or JSON that was formatted again.
func bodyVariants(body string) []variant {
	all := []variant{{text: body}}
	add := func(text, change string) {
		if text != body {
			all = append(all, variant{text, change})
		}
	}
	add(strings.TrimPrefix(body, byteOrderMark), "the body begins with a byte order mark that was not sent")
	add(strings.TrimRight(body, "\r\n"), "the body ends with a line end that was not sent")
	add(strings.ReplaceAll(body, "\r\n", "\n"), "the line ends of the body were changed")
	compact := jsontext.Value(strings.TrimPrefix(body, byteOrderMark))
	if compact.Compact() == nil {
		const rewritten = "the JSON of the body was written again"
		add(string(compact), rewritten+" with other spaces and line ends")
		for _, escaped := range []bool{true, false} {
			add(escapeHTML(string(compact), escaped), rewritten+" with other escapes")
		}
	}
	return all
}

// escapeHTML replaces the characters <, > and & in JSON by their escapes. If escape is false, it replaces
// the escapes by the characters.
func escapeHTML(text string, escape bool) string {
	for _, pair := range [][2]string{{"<", `\u003c`}, {">", `\u003e`}, {"&", `\u0026`}} {
		if escape {
			text = strings.ReplaceAll(text, pair[0], pair[1])
		} else {
			text = strings.ReplaceAll(text, pair[1], pair[0])
		}
	}
	return text
}

// excerptMargin is the number of bytes that [BodyDifference] shows before and after the first difference.
const excerptMargin = 20

// BodyDifference describes the first difference between the sent and the received body, or returns "" if they are
// equal.
func BodyDifference(sent, got []byte) string {
	if bytes.Equal(sent, got) {
		return ""
	}
	sentEvent, sentErr := api.DecodeEvent(sent)
	gotEvent, gotErr := api.DecodeEvent(got)
	if sentErr == nil && gotErr == nil && sentEvent.ID != gotEvent.ID {
		return fmt.Sprintf("the body is that of callback %s", gotEvent.ID)
	}
	first := 0
	for first < min(len(sent), len(got)) && sent[first] == got[first] {
		first++
	}
	if first == len(sent) {
		more := format.Count(len(got)-first, "byte")
		return fmt.Sprintf("the body has %s more than the %d that were sent: %q", more, first, excerpt(got, first))
	}
	if first == len(got) {
		return fmt.Sprintf("the body ends after %d of the %d bytes that were sent", first, len(sent))
	}
	return fmt.Sprintf("the body differs from byte %d on: sent %q, received %q", first+1, excerpt(sent, first), excerpt(got, first))
}

// excerpt returns the text around the byte at a position of a body, without cutting characters.
func excerpt(body []byte, position int) string {
	start := max(0, position-excerptMargin)
	end := min(len(body), position+excerptMargin)
	for start > 0 && !utf8.RuneStart(body[start]) {
		start--
	}
	for end < len(body) && !utf8.RuneStart(body[end]) {
		end++
	}
	return string(body[start:end])
}

// CompareSent returns nil if the body and the signature of a callback are those of an attempt to send it.
// Otherwise the error describes the difference: from the newest attempt with the same body or, if there is
// none, from the newest attempt.
func CompareSent(attempts []ops.CallbackAttempt, signature string, body []byte) error {
	if len(attempts) == 0 {
		return errors.New("nothing to compare with: no attempt is known")
	}
	if signature == "" {
		return errors.New("nothing to compare with: no signature was received")
	}
	bodyDifference := ""      // from the newest attempt
	signatureDifference := "" // from the newest attempt with the same body
	for _, a := range slices.Backward(attempts) {
		difference := BodyDifference([]byte(a.Body), body)
		if difference != "" {
			bodyDifference = cmp.Or(bodyDifference, difference)
			continue
		}
		if HeaderOf(a.Headers).Get(api.HeaderSignature) == signature {
			return nil
		}
		text := fmt.Sprintf("the body is that of attempt %d, but the signature is not", a.Number)
		signatureDifference = cmp.Or(signatureDifference, text)
	}
	return errors.New(cmp.Or(signatureDifference, bodyDifference))
}

// HeaderOf returns the HTTP headers of an attempt.
func HeaderOf(sent map[string]string) http.Header {
	h := http.Header{}
	for name, value := range sent {
		h.Set(name, value)
	}
	return h
}
