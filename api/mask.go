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

func hides(name string) bool {
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
		if hides(name) {
			h[name] = []string{masked}
			continue
		}
		for i, v := range values {
			values[i] = string(c.maskText([]byte(v)))
		}
	}
	return h
}

func (c *Client) maskBody(h http.Header, body []byte) []byte {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if kind = strings.TrimSpace(kind); kind != "" && kind != "application/json" && !strings.HasPrefix(kind, "text/") {
		return nil
	}
	// What is cut off could end within a secret, so it is masked before.
	body = c.maskText(body)
	return body[:min(len(body), MaxShownBody)]
}

var (
	secretMember = regexp.MustCompile(`(?i)("(?:[a-z0-9_-]*(?:secret|token|password|signature|api[_-]?key|authorization)|key)"\s*:\s*)"(?:[^"\\]|\\.)*("|$)`)
	linkToken    = regexp.MustCompile(`(/files/)[^/"\s\\]+`)
	knownSecret  = regexp.MustCompile(`(?:fd_(?:test|ops|live)_|whsec_)[A-Za-z0-9_-]+|sha256=[0-9a-fA-F]{16,}`)
	signedQuery  = regexp.MustCompile(`(?i)([?&](?:[a-z0-9_-]*(?:signature|token|credential|key|sig|secret|password))=)[^&"\s\\]+`)
)

// masks are what is masked, and parts in lower case of which one is in whatever
// the expression finds.
var masks = []struct {
	what  *regexp.Regexp
	with  string
	needs []string
}{
	{secretMember, `${1}"` + masked + `"`, []string{`secret"`, `key"`, `token"`, `password"`, `signature"`, `authorization"`}},
	{linkToken, "${1}" + masked, []string{"/files/"}},
	{knownSecret, masked, []string{"fd_", "whsec_", "sha256="}},
	{signedQuery, "${1}" + masked, []string{"signature=", "token=", "credential=", "key=", "sig=", "secret=", "password="}},
}

// maskText masks what is known for a secret by its name or its form, and the
// client's own key wherever it stands.
func (c *Client) maskText(b []byte) []byte {
	// The expressions take a hundred times as long as the search for what they
	// could find, and most answers have none of it.
	low := bytes.ToLower(b)
	for _, m := range masks {
		if slices.ContainsFunc(m.needs, func(part string) bool { return bytes.Contains(low, []byte(part)) }) {
			b = m.what.ReplaceAll(b, []byte(m.with))
		}
	}
	for _, form := range c.keyForms {
		b = bytes.ReplaceAll(b, form, []byte(masked))
	}
	return b
}

// forms are how a key may stand in a text: as it is, and escaped for an address
// or for JSON.
func forms(key string) [][]byte {
	if key == "" {
		return nil
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key)
	all := []string{key, url.QueryEscape(key), url.PathEscape(key), quoted}
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

// remember keeps a client's key for [Mask].
func remember(key string) {
	if len(key) >= leastKey {
		keys.Store(key, true)
	}
}

// Mask is [Client.Mask] for what is no client's, as the report of a crash is: it
// masks the keys of all clients of this process.
func Mask(text string) string {
	text = new(Client).Mask(text)
	keys.Range(func(key, _ any) bool {
		for _, form := range forms(key.(string)) {
			text = strings.ReplaceAll(text, string(form), masked)
		}
		return true
	})
	return text
}

// maskError is an error that says no secret: what it says may have the address
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

// maskURL is an address without the secrets that addresses may have.
func (c *Client) maskURL(u *url.URL) string {
	shown := *u
	shown.User = nil
	return string(c.maskText([]byte(shown.String())))
}
