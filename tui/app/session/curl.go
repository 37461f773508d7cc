package session

import (
	"regexp"
	"strings"
)

// The environment variables with the key in a curl command.
const (
	KeyVariable    = "FLIGHTDESK_API_KEY"
	OpsKeyVariable = "FLIGHTDESK_OPS_KEY"
)

// Variable returns the name of the environment variable from which a curl command reads the key. Requests
// to the operations API have a different key from other requests.
func Variable(url string) string {
	if strings.Contains(url, "/api/ops/") {
		return OpsKeyVariable
	}
	return KeyVariable
}

// Curl returns the request as a shell command. The key is replaced by its [Variable];
// other masked values stay masked.
func (x *Exchange) Curl() string {
	var body []byte
	if x.RequestSize > 0 && x.Missing(true) == "" {
		body = x.RequestBody.Text()
	}
	text := CurlCommand(x.Method, x.URL, x.RequestHeader, body)
	if x.RequestSize > 0 && body == nil { // an incomplete body must be added as a file
		text += " \\\n  --data-binary @body"
	}
	return text
}

// CurlCommand returns a request as a curl command. The key is replaced by an environment variable, see
// [Variable].
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

// plainWord matches a word that needs no quotes in any shell.
var plainWord = regexp.MustCompile(`^[a-zA-Z0-9_./:-]+$`)

// quote quotes a word for a shell.
func quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
