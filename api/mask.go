package api

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

const masked = "•••"

// secretHeader finds the names of headers whose values nobody needs to see.
var secretHeader = regexp.MustCompile(`(?i)authorization|api-?key|idempotency-key|token|secret|password|signature|cookie|credential|session`)

// hidden are the answers of secretHeader for the names that were seen; there are
// few, and they come again and again.
var hidden sync.Map

func isSecretName(name string) bool {
	if is, known := hidden.Load(name); known {
		return is.(bool)
	}
	is := secretHeader.MatchString(name)
	if count.Add(1) <= mostHidden { // a service may make names up
		hidden.Store(name, is)
	}
	return is
}

const mostHidden = 1000

var count atomic.Int64

func (c *Client) maskHeader(h http.Header) http.Header {
	h = h.Clone()
	for name, values := range h {
		if isSecretName(name) {
			h[name] = []string{masked}
			continue
		}
		for i, v := range values {
			values[i] = string(c.maskText([]byte(v)))
		}
	}
	return h
}

// longestSecret is how far behind what is shown of a body a secret may end.
const longestSecret = 16 << 10

func (c *Client) maskBody(h http.Header, body []byte) []byte {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if kind = strings.TrimSpace(kind); kind != "" && kind != "application/json" && !strings.HasPrefix(kind, "text/") {
		return nil
	}
	// What is cut off could end within a secret, so it is masked before, and so
	// much is left out as such a rest can be: masking may have made the text
	// before it short enough for it to be shown.
	cut := min(len(body), MaxWholeBody)
	whole := cut == len(body)
	body = c.maskText(body[:cut])
	if !whole {
		body = body[:max(0, len(body)-longestSecret)]
	}
	return body[:min(len(body), MaxShownBody)]
}

var (
	secretMember = regexp.MustCompile(`(?i)("(?:[a-z0-9_-]*(?:secret|token|password|signature|api[_-]?key|authorization)|key)"\s*:\s*)"(?:[^"\\]|\\.)*("|$)`)
	linkToken    = regexp.MustCompile(`(/files/)[^/"\s\\]+`)
	knownSecret  = regexp.MustCompile(`(?:fd_(?:test|ops|live)_|whsec_)[A-Za-z0-9_-]+|sha256=[0-9a-fA-F]{16,}`)
	signedQuery  = regexp.MustCompile(`(?i)([?&](?:[a-z0-9_-]*(?:signature|token|credential|key|sig|secret|password))=)[^&"\s\\]+`)
)

// masks are what is masked, and whether a text may have any of it: the
// expressions take a hundred times as long as such a look, and most answers have
// nothing to mask.
var masks = []struct {
	what *regexp.Regexp
	with string
	may  func([]byte) bool
}{
	{secretMember, `${1}"` + masked + `"`, mayHaveMember},
	{linkToken, "${1}" + masked, func(b []byte) bool { return bytes.Contains(b, []byte("/files/")) }},
	{knownSecret, masked, mayHaveKnown},
	{signedQuery, "${1}" + masked, mayHaveQuery},
}

// The ends of the names of secrets, as the expressions have them.
var (
	memberEnds = []string{"secret", "token", "password", "signature", "key", "authorization"}
	queryEnds  = []string{"signature", "token", "credential", "key", "sig", "secret", "password"}
)

// mayHaveMember looks before each colon for a name.
func mayHaveMember(b []byte) bool {
	for at := bytes.IndexByte(b, ':'); at >= 0; at = nextMark(b, at, ':') {
		end := at
		for end > 0 && b[end-1] <= ' ' {
			end--
		}
		if end > 1 && b[end-1] == '"' && endsLike(b[:end-1], memberEnds) {
			return true
		}
	}
	return false
}

// mayHaveQuery looks before each equals sign for a name.
func mayHaveQuery(b []byte) bool {
	for at := bytes.IndexByte(b, '='); at >= 0; at = nextMark(b, at, '=') {
		if endsLike(b[:at], queryEnds) {
			return true
		}
	}
	return false
}

func mayHaveKnown(b []byte) bool {
	for at := bytes.IndexByte(b, '_'); at >= 0; at = nextMark(b, at, '_') {
		if bytes.HasSuffix(b[:at], []byte("fd")) || bytes.HasSuffix(b[:at], []byte("whsec")) {
			return true
		}
	}
	return bytes.Contains(b, []byte("sha256="))
}

// nextMark returns where a mark stands behind the one at a place, -1 for nowhere.
func nextMark(b []byte, at int, mark byte) int {
	n := bytes.IndexByte(b[at+1:], mark)
	if n < 0 {
		return -1
	}
	return at + 1 + n
}

// endsLike reports whether b ends with one of the words, in whatever case.
func endsLike(b []byte, words []string) bool {
	for _, word := range words {
		if from := len(b) - len(word); from >= 0 && b[len(b)-1]|0x20 == word[len(word)-1] && b[from]|0x20 == word[0] && strings.EqualFold(string(b[from:]), word) {
			return true
		}
	}
	return false
}

// maskText masks what is known for a secret by its name or its form, and the
// client's own key wherever it stands. What it returns may be b itself.
func (c *Client) maskText(b []byte) []byte {
	for _, m := range masks {
		if m.may(b) {
			b = m.what.ReplaceAll(b, []byte(m.with))
		}
	}
	for _, form := range c.keyForms {
		if bytes.Contains(b, form) {
			b = bytes.ReplaceAll(b, form, []byte(masked))
		}
	}
	return b
}

// keyForms returns how a key may stand in a text: as it is, and escaped for an address
// or for JSON, which encoders make fit for a page of HTML as well.
func keyForms(key string) [][]byte {
	if key == "" {
		return nil
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key)
	lower := strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`).Replace(quoted)
	upper := strings.NewReplacer("&", `\u0026`, "<", `\u003C`, ">", `\u003E`).Replace(quoted)
	all := []string{key, url.QueryEscape(key), url.PathEscape(key), quoted, lower, upper}
	slices.Sort(all)
	var found [][]byte
	for _, form := range slices.Compact(all) {
		found = append(found, []byte(form))
	}
	return found
}

// Mask makes unreadable what in a text is known for a secret by its name or its
// form, and the client's own key.
func (c *Client) Mask(text string) string { return string(c.maskText([]byte(text))) }

// keys are those of the clients that this process has made.
var keys sync.Map

// leastKey is how short a key may be to be told from a word.
const leastKey = 8

// rememberKey keeps a client's key for [Mask].
func rememberKey(key string) {
	if len(key) >= leastKey {
		keys.Store(key, true)
	}
}

// Mask returns [Client.Mask] for what is no client's, as the report of a crash is: it
// masks the keys of all clients of this process.
func Mask(text string) string {
	text = new(Client).Mask(text)
	keys.Range(func(key, _ any) bool {
		for _, form := range keyForms(key.(string)) {
			text = strings.ReplaceAll(text, string(form), masked)
		}
		return true
	})
	return text
}

// maskError returns an error that says no secret: what it says may have the address
// that was asked for.
func (c *Client) maskError(err error) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	if shown := c.Mask(said); shown != said {
		return errors.New(shown)
	}
	return err
}

// maskURL returns an address without the secrets that addresses may have.
func (c *Client) maskURL(u *url.URL) string {
	shown := *u
	shown.User = nil
	return string(c.maskText([]byte(shown.String())))
}
