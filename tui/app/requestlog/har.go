package requestlog

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
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
	text := Command(x.Method, x.URL, x.RequestHeader(), body)
	if x.RequestSize > 0 && body == nil { // what is not there in full comes from a file
		text += " \\\n  --data-binary @body"
	}
	return text
}

// Command returns a request as a command for a shell, without its key.
func Command(method, url string, header []Header, body []byte) string {
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

// quote makes one word of a shell of s.
func quote(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harContent struct {
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

type harPost struct {
	MimeType string    `json:"mimeType"`
	Params   []harPair `json:"params"`
	Text     string    `json:"text"`
}

type harRequest struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []harPair `json:"cookies"`
	Headers     []harPair `json:"headers"`
	QueryString []harPair `json:"queryString"`
	PostData    *harPost  `json:"postData,omitempty"`
	HeadersSize int       `json:"headersSize"`
	BodySize    int64     `json:"bodySize"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []harPair  `json:"cookies"`
	Headers     []harPair  `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int64      `json:"bodySize"`
}

type harTimings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

type harEntry struct {
	Started  string      `json:"startedDateTime"`
	Time     float64     `json:"time"` // milliseconds
	Request  harRequest  `json:"request"`
	Response harResponse `json:"response"`
	Cache    struct{}    `json:"cache"`
	Timings  harTimings  `json:"timings"`
	Comment  string      `json:"comment,omitempty"`
}

// WriteHAR writes exchanges as an HTTP archive, version 1.2. Bodies that are
// cut or no longer kept are said to be.
func WriteHAR(to io.Writer, exchanges []*Exchange) error {
	entries := make([]harEntry, len(exchanges))
	for i, x := range exchanges {
		entries[i] = x.har()
	}
	type named struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{"log": struct {
		Version string     `json:"version"`
		Creator named      `json:"creator"`
		Entries []harEntry `json:"entries"`
		Comment string     `json:"comment"`
	}{"1.2", named{"flightdesk", "1"}, entries, "keys, secrets, signatures and link tokens are masked"}})
}

func (x *Exchange) har() harEntry {
	ms := float64(x.Duration) / float64(time.Millisecond)
	e := harEntry{
		Started: x.Began.Format(time.RFC3339Nano), Time: ms, Timings: harTimings{Wait: ms}, Comment: x.Err,
		Request: harRequest{
			Method: x.Method, URL: x.URL, HTTPVersion: "HTTP/1.1", Cookies: []harPair{}, QueryString: []harPair{},
			Headers: pairs(x.RequestHeader()), HeadersSize: -1, BodySize: x.RequestSize,
		},
		Response: harResponse{
			Status:      x.Status,
			StatusText:  http.StatusText(x.Status),
			HTTPVersion: "HTTP/1.1",
			Cookies:     []harPair{},
			Headers:     pairs(x.ResponseHeader()),
			HeadersSize: -1,
			BodySize:    x.ResponseSize,
			Content: harContent{
				Size:     x.ResponseSize,
				MimeType: HeaderValue(x.ResponseHeader(), "Content-Type"),
				Text:     string(x.ResponseBody.Text()),
				Comment:  x.Missing(false),
			},
		},
	}
	if u, err := url.Parse(x.URL); err == nil {
		for name, values := range u.Query() {
			for _, v := range values {
				e.Request.QueryString = append(e.Request.QueryString, harPair{name, v})
			}
		}
	}
	if x.RequestSize > 0 {
		e.Request.PostData = &harPost{
			MimeType: HeaderValue(x.RequestHeader(), "Content-Type"),
			Params:   []harPair{},
			Text:     string(x.RequestBody.Text()),
		}
	}
	return e
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
	case body.Len() >= api.MaxShownBody || size > api.MaxWholeBody:
		return "cut after its first 256 KiB"
	}
	return ""
}

func pairs(h []Header) []harPair {
	p := make([]harPair, len(h))
	for i, line := range h {
		p[i] = harPair(line)
	}
	return p
}

func HeaderValue(h []Header, name string) string {
	for _, line := range h {
		if line.Name == name {
			return line.Value
		}
	}
	return ""
}
