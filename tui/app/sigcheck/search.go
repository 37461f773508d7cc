package sigcheck

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// variant is a text that may have been meant.
type variant struct {
	data        []byte
	why, advice string // empty for the text itself
}

// search finds a body and a secret that the sum is of.
func search(c *Callback, sum []byte) (body, secret variant, found bool) {
	secrets := secretsLike(c.Secret)
	for _, body := range bodiesLike(c) {
		for _, secret := range secrets {
			mac := hmac.New(sha256.New, secret.data)
			mac.Write(body.data)
			if hmac.Equal(mac.Sum(nil), sum) {
				return body, secret, true
			}
		}
	}
	return body, secret, false
}

// sumOf reads the sum of a signature, however it is written.
func sumOf(sent string) (sum []byte, ok bool) {
	text := strings.Trim(strings.TrimSpace(sent), `"'`)
	for _, p := range []string{prefix, "SHA256=", "sha256:", "v1="} {
		text = strings.TrimPrefix(text, p)
	}
	if sum, err := decodeHex(text); err == nil {
		return sum, true
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if sum, err := enc.DecodeString(text); err == nil && len(sum) == sha256.Size {
			return sum, true
		}
	}
	return nil, false
}

// kindOf says what a signature without a SHA-256 sum may be.
func kindOf(sent string) string {
	text := strings.TrimPrefix(strings.TrimSpace(sent), prefix)
	hexadecimal := strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
	switch {
	case hexadecimal && len(text) == 40:
		return "40 digits are a SHA-1, not a SHA-256"
	case hexadecimal && len(text) == 128:
		return "128 digits are a SHA-512, not a SHA-256"
	case hexadecimal && len(text) > 0 && len(text) < 64:
		return "it is cut short"
	default:
		return "there is no SHA-256 in it"
	}
}

const secretPrefix = "whsec_"

// secretsLike are the secret, and what else it may have been used as.
func secretsLike(secret string) []variant {
	const whole = "The key is the whole text of the secret, whsec_ and all, as it is."
	all := []variant{{data: []byte(secret)}}
	if trimmed := strings.Trim(secret, " \t\r\n\"'"); trimmed != secret {
		all = append(all, variant{[]byte(trimmed), "signed with the secret without the spaces or quotes around it", "Take the spaces and quotes around the secret away."})
		secret = trimmed
	}
	bare, prefixed := strings.CutPrefix(secret, secretPrefix)
	if prefixed {
		all = append(all, variant{[]byte(bare), "signed with the secret without its whsec_", whole})
	} else {
		all = append(all, variant{[]byte(secretPrefix + secret), "signed with the secret with whsec_ before it", "The secret here lacks its beginning, whsec_."})
	}
	for _, enc := range []*base64.Encoding{base64.RawURLEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.StdEncoding} {
		if key, err := enc.DecodeString(bare); err == nil && len(key) > 0 {
			all = append(all, variant{key, "signed with the bytes that the secret is the base64 of", whole})
			break
		}
	}
	return append(all,
		variant{[]byte(secret + "\n"), "signed with the secret and a line's end", "Whoever signed has read the secret from a file with its line's end."},
		variant{nil, "signed with an empty secret", "Whoever signed had no secret: is a variable not set?"})
}

// mostTried is the size of bodies that variants are tried of; the service's are
// below 1 KiB.
const mostTried = 64 << 10

// bodiesLike are the body, and what else it may have been.
func bodiesLike(c *Callback) []variant {
	const raw = "Check the bytes as they came, before anything reads or writes them; parsing and writing JSON again changes them."
	body := c.Body
	all := []variant{{data: body}}
	if len(body) > mostTried {
		return all
	}
	add := func(data []byte, why, advice string) {
		if !bytes.Equal(data, body) {
			all = append(all, variant{data, why, advice})
		}
	}
	trimmed := bytes.TrimRight(body, "\r\n")
	add(trimmed, "the body without the line's end behind it", "Something has added a line's end: an editor, or echo.")
	add(append(bytes.Clone(trimmed), '\n'), "the body with a line's end behind it", "Something has taken the line's end away.")
	add(bytes.TrimSpace(body), "the body without the spaces around it", "Something has added spaces.")
	add(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), "the body without its byte order mark", "An editor has put a byte order mark before it.")
	lf := bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	add(lf, "the body with other line ends (LF)", "Its line ends were changed on the way.")
	add(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n")), "the body with other line ends (CRLF)", "Its line ends were changed on the way.")
	joined := bytes.ReplaceAll(bytes.ReplaceAll(body, []byte("\r"), nil), []byte("\n"), nil)
	add(joined, "the body without the line breaks in it", "It was wrapped on its way, by a terminal or an e-mail.")
	for _, text := range [][]byte{body, joined} {
		for _, written := range rewritten(text) {
			add(written.data, written.why, raw)
		}
	}
	if c.Timestamp != "" {
		at := strings.TrimSpace(c.Timestamp)
		add(append([]byte(at+"."), body...), "the time, a full stop and the body", "This is another scheme: here the signature is of the body alone.")
		add(append([]byte(at), body...), "the time and the body", "This is another scheme: here the signature is of the body alone.")
	}
	return all
}

// rewritten are the usual ways to write the body's JSON, had it been read and
// written again.
func rewritten(body []byte) (all []variant) {
	var compact bytes.Buffer
	if json.Compact(&compact, bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))) != nil {
		return nil
	}
	texts := []struct {
		text []byte
		why  string
	}{{compact.Bytes(), "the same JSON without spaces"}, {spaced(compact.Bytes()), "the same JSON with a space behind commas and colons"}}
	for _, indent := range []string{"  ", "    ", "\t"} {
		var b bytes.Buffer
		if json.Indent(&b, compact.Bytes(), "", indent) == nil {
			texts = append(texts, struct {
				text []byte
				why  string
			}{b.Bytes(), "the same JSON with lines and indents"})
		}
	}
	for _, t := range texts {
		all = append(all, variant{data: t.text, why: t.why})
		var b bytes.Buffer
		json.HTMLEscape(&b, t.text)
		all = append(all,
			variant{data: b.Bytes(), why: t.why + " and <, > and & escaped"},
			variant{data: ascii(t.text), why: t.why + " and letters beyond ASCII escaped"},
			variant{data: unescaped(t.text), why: t.why + " and letters written out"},
			variant{data: bytes.ReplaceAll(t.text, []byte("/"), []byte(`\/`)), why: t.why + " and slashes escaped"})
	}
	return all
}

// spaced puts a space behind every comma and colon outside of texts.
func spaced(text []byte) []byte {
	var b bytes.Buffer
	in, escaped := false, false
	for _, c := range text {
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case in && c == '\\':
			escaped = true
		case c == '"':
			in = !in
		case !in && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.Bytes()
}

// ascii escapes what is beyond ASCII, as UTF-16 where it takes two.
func ascii(text []byte) []byte {
	var b strings.Builder
	for _, r := range string(text) {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return []byte(b.String())
}

// unescaped writes out the letters that are escaped.
func unescaped(text []byte) []byte {
	return escapes.ReplaceAllFunc(text, func(found []byte) []byte {
		var s string
		if json.Unmarshal([]byte(`"`+string(found)+`"`), &s) != nil || strings.ContainsAny(s, "\"\\") || strings.ContainsFunc(s, unicode.IsControl) {
			return found
		}
		return []byte(s)
	})
}

var escapes = regexp.MustCompile(`(\\u[0-9a-fA-F]{4})+`)
