package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// maxPrintedBody is the largest number of bytes that are printed of the body of a request or a response.
const maxPrintedBody = 8 << 10

// Observe makes a client print its requests and responses on standard error, with secrets masked. It does
// nothing unless the environment variable FLIGHTDESK_DEBUG has the value "api".
func (p *program) Observe(c session.LoggedClient) {
	if p.Env.Lookup == nil {
		return
	}
	debug, _ := p.Env.Lookup("FLIGHTDESK_DEBUG")
	if debug != "api" {
		return
	}
	p.observed = append(p.observed, c)
	c.Observe(func(exchange api.Exchange) { printExchange(os.Stderr, &exchange) })
}

// printExchange prints a request with "> " before each line, and its response with "< ".
func printExchange(w io.Writer, exchange *api.Exchange) {
	duration := exchange.Duration.Milliseconds()
	result := fmt.Sprintf("no response after %d ms: %v", duration, exchange.Err)
	if exchange.Status != 0 {
		status := strings.TrimSpace(fmt.Sprint(exchange.Status, " ", http.StatusText(exchange.Status)))
		result = fmt.Sprintf("%s in %d ms", status, duration)
	}
	request := httpMessage{
		prefix:    "> ",
		firstLine: exchange.Method + " " + exchange.URL,
		header:    exchange.RequestHeader,
		body:      exchange.RequestBody,
		size:      exchange.RequestSize,
	}
	response := httpMessage{
		prefix:    "< ",
		firstLine: result,
		header:    exchange.ResponseHeader,
		body:      exchange.ResponseBody,
		size:      exchange.ResponseSize,
	}
	title := fmt.Sprintf("* %s, attempt %d\n", exchange.Began.Format("15:04:05.000"), max(1, exchange.Attempt))
	_, _ = io.WriteString(w, title+request.format()+response.format())
}

// httpMessage is a request or a response to print.
type httpMessage struct {
	prefix    string // before each line
	firstLine string
	header    http.Header
	body      []byte // beginning of the body
	size      int64  // size of the whole body in bytes
}

// format returns the lines of the message, with at most maxPrintedBody bytes of its body.
func (m *httpMessage) format() string {
	var message strings.Builder
	fmt.Fprintln(&message, m.firstLine)
	_ = m.header.Write(&message) // a strings.Builder returns no error
	body := m.body[:min(len(m.body), maxPrintedBody)]
	message.Write(body)
	if more := m.size - int64(len(body)); more > 0 {
		message.WriteString("\n… " + format.Bytes(more) + " more")
	}
	var text strings.Builder
	for line := range strings.Lines(message.String()) {
		text.WriteString(m.prefix + format.Clean(strings.TrimRight(line, "\r\n")) + "\n")
	}
	return text.String()
}
