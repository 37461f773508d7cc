package session

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"flightdesk/api"
)

// The variables that stand for the key in a curl command: an account's, and the
// operations API's.
const (
	KeyVariable    = "FLIGHTDESK_API_KEY"
	OpsKeyVariable = "FLIGHTDESK_OPS_KEY"
)

// Variable returns the one that stands for the key of requests to an address.
func Variable(url string) string {
	if strings.Contains(url, "/api/ops/") {
		return OpsKeyVariable
	}
	return KeyVariable
}

// Curl returns the request as a command for a shell. The key is not in it: it comes
// from its [Variable]. Other masked values stay masked.
func (x *Exchange) Curl() string {
	var body []byte
	if x.RequestSize > 0 && x.Missing(true) == "" {
		body = x.RequestBody.Text()
	}
	text := CurlCommand(x.Method, x.URL, x.RequestHeader, body)
	if x.RequestSize > 0 && body == nil { // what is not there in full comes from a file
		text += " \\\n  --data-binary @body"
	}
	return text
}

// CurlCommand returns a request as a command for a shell, without its key.
func CurlCommand(method, url string, header []Header, body []byte) string {
	key := Variable(url)
	parts := []string{"curl -X " + quote(method) + " " + quote(url)}
	for _, h := range header {
		switch h.Name {
		case "Authorization":
			parts = append(parts, `-H "Authorization: Bearer $`+key+`"`)
		case "X-Api-Key":
			parts = append(parts, `-H "X-Api-Key: $`+key+`"`)
		case "Content-Length", "Accept-Encoding":
		default:
			parts = append(parts, "-H "+quote(h.Name+": "+h.Value))
		}
	}
	if len(body) > 0 {
		parts = append(parts, "--data-raw "+quote(string(body)))
	}
	return strings.Join(parts, " \\\n  ")
}

// plainWord is a text that every shell takes as one word.
var plainWord = regexp.MustCompile(`^[a-zA-Z0-9_./:-]+$`)

// quote makes one word of a shell of s.
func quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// harObject is an object of an HTTP archive.
type harObject = map[string]any

// WriteHAR writes exchanges as an HTTP archive, version 1.2. Bodies that are
// cut or no longer kept are said to be.
func WriteHAR(to io.Writer, exchanges []*Exchange) error {
	entries := make([]harObject, len(exchanges))
	for i, x := range exchanges {
		entries[i] = x.har()
	}
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(harObject{"log": harObject{
		"version": "1.2",
		"creator": harObject{"name": "flightdesk", "version": "1"},
		"entries": entries,
		"comment": "keys, secrets, signatures and link tokens are masked",
	}})
}

func (x *Exchange) har() harObject {
	ms := float64(x.Duration) / float64(time.Millisecond)
	request := harObject{
		"method":      x.Method,
		"url":         x.URL,
		"queryString": queryPairs(x.URL),
	}
	response := harObject{
		"status": x.Status, "statusText": http.StatusText(x.Status), "redirectURL": "", "content": harObject{
			"size":     x.ResponseSize,
			"mimeType": HeaderValue(x.ResponseHeader, "Content-Type"),
			"text":     string(x.ResponseBody.Text()),
			"comment":  x.Missing(false),
		},
	}
	if x.RequestSize > 0 {
		request["postData"] = harObject{
			"mimeType": HeaderValue(x.RequestHeader, "Content-Type"),
			"params":   []Header{},
			"text":     string(x.RequestBody.Text()),
		}
	}
	addMessage(request, x.RequestHeader, x.RequestSize)
	addMessage(response, x.ResponseHeader, x.ResponseSize)
	return harObject{
		"startedDateTime": x.Began.Format(time.RFC3339Nano), "time": ms, "comment": x.Err,
		"request": request, "response": response, "cache": harObject{},
		"timings": harObject{"send": 0, "wait": ms, "receive": 0},
	}
}

// addMessage adds what a request and an answer have in common.
func addMessage(to harObject, header []Header, size int64) {
	to["httpVersion"], to["cookies"], to["headers"] = "HTTP/1.1", []Header{}, append([]Header{}, header...)
	to["headersSize"], to["bodySize"] = -1, size
}

func queryPairs(address string) []Header {
	pairs := []Header{}
	if u, err := url.Parse(address); err == nil {
		for name, values := range u.Query() {
			for _, v := range values {
				pairs = append(pairs, Header{name, v})
			}
		}
	}
	return pairs
}

// Missing says why a body is not there in full, "" where it is.
func (x *Exchange) Missing(request bool) string {
	body, size := x.ResponseBody, x.ResponseSize
	if request {
		body, size = x.RequestBody, x.RequestSize
	}
	switch {
	case size == 0:
		return ""
	case x.Dropped:
		return "removed to make room for newer requests"
	case body.Len() == 0:
		return "not text, not stored"
	case body.Len() >= api.MaxShownBody || size > api.MaxFullBody:
		return "cut after its first 256 KiB"
	}
	return ""
}

// HeaderValue returns the first line of a header, "" for none.
func HeaderValue(h []Header, name string) string {
	for _, line := range h {
		if line.Name == name {
			return line.Value
		}
	}
	return ""
}
