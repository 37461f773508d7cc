package run

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// mostShown is how many bytes of a body are printed.
const mostShown = 8 << 10

// observedClient is a client whose requests can be shown.
type observedClient interface {
	Observe(observe func(api.Exchange))
	Shown()
}

// Observe prints the requests of a client and their answers on standard error,
// with secrets masked, where FLIGHTDESK_DEBUG says api.
func (p *Program) Observe(c observedClient) {
	if p.Env.Lookup == nil {
		return
	}
	if what, _ := p.Env.Lookup("FLIGHTDESK_DEBUG"); what != "api" {
		return
	}
	p.observed = append(p.observed, c)
	c.Observe(func(x api.Exchange) { printExchange(os.Stderr, &x) })
}

// WaitObserved returns once all requests of the run are printed.
func (p *Program) WaitObserved() {
	for _, c := range p.observed {
		c.Shown()
	}
}

// printExchange writes a request behind >, and its answer behind <.
func printExchange(to io.Writer, x *api.Exchange) {
	var b strings.Builder
	line := func(mark, text string) { fmt.Fprintf(&b, "%s %s\n", mark, layout.Clean(text)) }
	line("*", x.Began.Format("15:04:05.000")+", attempt "+fmt.Sprint(max(1, x.Attempt)))
	line(">", x.Method+" "+x.URL)
	printMessage(line, ">", x.RequestHeader, x.RequestBody, x.RequestSize)
	took := fmt.Sprintf("%d ms", x.Duration.Milliseconds())
	if x.Status == 0 {
		line("<", fmt.Sprintf("no response after %s: %v", took, x.Err))
	} else {
		line("<", strings.TrimSpace(fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status)))+" in "+took)
		printMessage(line, "<", x.ResponseHeader, x.ResponseBody, x.ResponseSize)
	}
	_, _ = io.WriteString(to, b.String())
}

func printMessage(line func(mark, text string), mark string, header http.Header, body []byte, size int64) {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		line(mark, name+": "+strings.Join(header[name], ", "))
	}
	shown := body[:min(len(body), mostShown)]
	for text := range strings.Lines(string(shown)) {
		line(mark, strings.TrimRight(text, "\r\n"))
	}
	if more := size - int64(len(shown)); more > 0 {
		line(mark, "… "+format.Bytes(more)+" more")
	}
}
