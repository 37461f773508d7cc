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
)

const masked = "•••"

// secretHeader finds the names of headers whose values nobody needs to see.
var secretHeader = regexp.MustCompile(
	`(?i)authorization|api-?key|idempotency-key|token|secret|password|signature|cookie|credential|session`,
)

func (c *Connection) maskHeader(h http.Header) http.Header {
	h = h.Clone()
	for name, values := range h {
		if secretHeader.MatchString(name) {
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

func (c *Connection) maskBody(h http.Header, body []byte) []byte {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if kind = strings.TrimSpace(
		kind,
	); kind != "" && kind != "application/json" &&
		!strings.HasPrefix(kind, "text/") {
		return nil
	}
	// What is cut off could end within a secret, so it is masked before, and so
	// much is left out as such a rest can be: masking may have made the text
	// before it short enough for it to be shown.
	cut := min(len(body), MaxFullBody)
	whole := cut == len(body)
	body = c.maskText(body[:cut])
	if !whole {
		body = body[:max(0, len(body)-longestSecret)]
	}
	return body[:min(len(body), MaxShownBody)]
}

var (
	secretMember = regexp.MustCompile(
		`(?i)("(?:[a-z0-9_-]*(?:secret|token|password|signature|api[_-]?key|authorization)|key)"\s*:\s*)"(?:[^"\\]|\\.)*("|$)`,
	)
	linkToken   = regexp.MustCompile(`(/files/)[^/"\s\\]+`)
	knownSecret = regexp.MustCompile(`(?:fd_(?:test|ops|live)_|whsec_)[A-Za-z0-9_-]+|sha256=[0-9a-fA-F]{16,}`)
	signedQuery = regexp.MustCompile(
		`(?i)([?&](?:[a-z0-9_-]*(?:signature|token|credential|key|sig|secret|password))=)[^&"\s\\]+`,
	)
)

// textMask masks what an expression finds in texts that have one of some words: the
// expressions take a hundred times as long as such a look, and most answers have
// nothing to mask.
type textMask struct {
	what  *regexp.Regexp
	with  string
	words []string // in lower case
}

var masks = []textMask{
	{
		secretMember, `${1}"` + masked + `"`,
		[]string{`secret"`, `token"`, `password"`, `signature"`, `key"`, `authorization"`},
	},
	{linkToken, "${1}" + masked, []string{"/files/"}},
	{knownSecret, masked, []string{"fd_test_", "fd_ops_", "fd_live_", "whsec_", "sha256="}},
	{
		signedQuery, "${1}" + masked,
		[]string{"signature=", "token=", "credential=", "key=", "sig=", "secret=", "password="},
	},
}

// mayFind reports whether a text in lower case has one of the words.
func (m textMask) mayFind(lower []byte) bool {
	return slices.ContainsFunc(m.words, func(word string) bool { return bytes.Contains(lower, []byte(word)) })
}

// maskText masks what is known for a secret by its name or its form, and the
// client's own key wherever it stands.
func (c *Connection) maskText(b []byte) []byte {
	lower := bytes.ToLower(b)
	for _, m := range masks {
		if m.mayFind(lower) {
			b = m.what.ReplaceAll(b, []byte(m.with))
		}
	}
	for _, form := range c.keyForms {
		b = bytes.ReplaceAll(b, form, []byte(masked))
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
func (c *Connection) Mask(text string) string { return string(c.maskText([]byte(text))) }

// keys are those of the clients that this process has made.
var keys sync.Map

// minKeyLength is how short a key may be to be told from a word.
const minKeyLength = 8

// rememberKey keeps a client's key for [Mask].
func rememberKey(key string) {
	if len(key) >= minKeyLength {
		keys.Store(key, true)
	}
}

// Mask does what [Client.Mask] does for a text that belongs to no client, as the report
// of a crash: it masks the keys of all clients of this process.
func Mask(text string) string {
	text = new(Connection).Mask(text)
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
func (c *Connection) maskError(err error) error {
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
func (c *Connection) maskURL(u *url.URL) string {
	shown := *u
	shown.User = nil
	return string(c.maskText([]byte(shown.String())))
}
