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

// secretHeader matches the names of headers with secret values.
var secretHeader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)authorization|api-?key|idempotency-key|token|secret|password|signature|cookie|credential|session`,
	)
})

func (c *Connection) maskHeader(h http.Header) http.Header {
	h = h.Clone()
	for name, values := range h {
		if secretHeader().MatchString(name) {
			h[name] = []string{masked}
			continue
		}
		for i, v := range values {
			values[i] = string(c.maskText([]byte(v)))
		}
	}
	return h
}

// longestSecret is the length of the longest secret that a body can contain, in bytes.
const longestSecret = 16 << 10

// maskBody masks the secrets of a body and truncates it to [MaxShownBody]. It returns nil for
// a body that is not text.
func (c *Connection) maskBody(h http.Header, body []byte) []byte {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	kind = strings.TrimSpace(kind)
	isText := kind == "" || kind == "application/json" || strings.HasPrefix(kind, "text/")
	if !isText {
		return nil
	}
	if len(body) <= MaxFullBody {
		body = c.maskText(body)
		return body[:min(len(body), MaxShownBody)]
	}
	// The cut can split a secret, and the mask does not recognize the half that remains at the end.
	// So the end is removed, too, by the length of the longest secret.
	body = c.maskText(body[:MaxFullBody])
	body = body[:max(0, len(body)-longestSecret)]
	return body[:min(len(body), MaxShownBody)]
}

// textMask replaces the matches of an expression. Matching takes a hundred times as long as searching for words, and
// most responses have nothing to mask. The expression is therefore used only if the text contains one of the words.
type textMask struct {
	secret      *regexp.Regexp
	replacement string
	words       []string // in lower case
}

// masks returns the masks of all kinds of secrets. They are made when a text is first masked, because compiling them
// takes a noticeable part of the program's start.
var masks = sync.OnceValue(func() []textMask {
	return []textMask{
		{ // members of JSON
			secret: regexp.MustCompile(
				`(?i)("(?:[a-z0-9_-]*(?:secret|token|password|signature|api[_-]?key|authorization)|key)"\s*:\s*)"(?:[^"\\]|\\.)*("|$)`,
			),
			replacement: `${1}"` + masked + `"`,
			words:       []string{`secret"`, `token"`, `password"`, `signature"`, `key"`, `authorization"`},
		},
		{ // tokens of links to files
			secret:      regexp.MustCompile(`(?i)(/files/)[^/"\s\\]+`),
			replacement: "${1}" + masked,
			words:       []string{"/files/"},
		},
		{ // tokens of escaped links to files; a token ends at the next escaped slash
			secret: regexp.MustCompile(
				`(?i)((?:/|%2f)files%2f)(?:[^/"\s\\%&]|%[013-9a-f]|%2[0-9a-e])+`,
			),
			replacement: "${1}" + masked,
			words:       []string{"files%2f"},
		},
		{ // keys, webhook secrets and signatures
			secret:      regexp.MustCompile(`(?:fd_(?:test|ops|live)_|whsec_)[A-Za-z0-9_-]+|sha256=[0-9a-fA-F]{16,}`),
			replacement: masked,
			words:       []string{"fd_test_", "fd_ops_", "fd_live_", "whsec_", "sha256="},
		},
		{ // parameters of a URL
			secret: regexp.MustCompile(
				`(?i)([?&](?:[a-z0-9_-]*(?:signature|token|credential|key|sig|secret|password))=)[^&"\s\\]+`,
			),
			replacement: "${1}" + masked,
			words:       []string{"signature=", "token=", "credential=", "key=", "sig=", "secret=", "password="},
		},
	}
})

// mayFind reports whether the text, in lower case, contains one of the words.
func (m textMask) mayFind(lower []byte) bool {
	return slices.ContainsFunc(m.words, func(word string) bool { return bytes.Contains(lower, []byte(word)) })
}

// maskText masks the values of members and parameters with the name of a secret, texts in the form of a
// secret, and every occurrence of the client's API key.
func (c *Connection) maskText(b []byte) []byte {
	lower := bytes.ToLower(b)
	for _, m := range masks() {
		if m.mayFind(lower) {
			b = m.secret.ReplaceAll(b, []byte(m.replacement))
		}
	}
	for _, form := range c.keyForms {
		b = bytes.ReplaceAll(b, form, []byte(masked))
	}
	return b
}

// keyForms returns the spellings of a key: unchanged, escaped for a URL, and escaped for
// JSON with and without the escapes that encoders add for HTML.
func keyForms(key string) [][]byte {
	if key == "" {
		return nil
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key)
	lower := strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`).Replace(quoted)
	upper := strings.NewReplacer("&", `\u0026`, "<", `\u003C`, ">", `\u003E`).Replace(quoted)
	all := []string{key, url.QueryEscape(key), url.PathEscape(key), quoted, lower, upper}
	slices.Sort(all)
	var forms [][]byte
	for _, form := range slices.Compact(all) {
		forms = append(forms, []byte(form))
	}
	return forms
}

// Mask masks the secrets in a text, including the client's API key.
func (c *Connection) Mask(text string) string { return string(c.maskText([]byte(text))) }

// keys are the API keys of all clients of this process.
var keys sync.Map

// minKeyLength is the length below which a key could be an ordinary word.
const minKeyLength = 8

// addKey adds a client's API key to the keys that [Mask] masks.
func addKey(key string) {
	if len(key) >= minKeyLength {
		keys.Store(key, true)
	}
}

// Mask masks the secrets of a text that belongs to no particular client, such as a crash
// report. Unlike [Connection.Mask], it masks the API keys of all clients of this process.
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

// maskError returns an error without secrets, which the address in its text can contain.
func (c *Connection) maskError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	maskedText := c.Mask(text)
	if maskedText == text {
		return err
	}
	return errors.New(maskedText)
}

// maskURL returns an address without its secrets.
func (c *Connection) maskURL(u *url.URL) string {
	shown := *u
	shown.User = nil
	return string(c.maskText([]byte(shown.String())))
}
