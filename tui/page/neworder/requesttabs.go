package neworder

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// The tabs of the review.
const (
	tabMap = iota
	tabJSON
	tabCurl
)

// requestTabs has the tabs that show the request of an order: a map of its sites, the request as JSON, and the
// request as a curl command. The review draws the map itself.
type requestTabs struct {
	env     *page.Env
	bar     widget.Tabs             // line with the titles
	request *api.CreateOrderRequest // nil if there is no order
	json    []string                // lines of the request as JSON
	curl    string                  // the request as a curl command; "" until its tab is opened
}

// newRequestTabs returns tabs without a request. In plain mode, which does not show maps, it opens
// the JSON.
func newRequestTabs(env *page.Env) *requestTabs {
	t := &requestTabs{env: env}
	t.bar.Tabs = []widget.Tab{{Title: "Map"}, {Title: "JSON"}, {Title: "curl"}}
	if env.Look.Theme.Linear {
		t.bar.Set(tabJSON)
	}
	return t
}

// setRequest shows another request, or no request if request is nil.
func (t *requestTabs) setRequest(request *api.CreateOrderRequest) {
	t.request = request
	t.json = nil
	t.curl = ""
	if request != nil {
		t.json = previewLines(*request)
	}
	t.move(0)
}

// move opens the tab that is the given number of tabs further. The curl command is made when its
// tab is first opened.
func (t *requestTabs) move(by int) {
	t.bar.Move(by)
	if t.bar.At() == tabCurl && t.curl == "" && t.request != nil {
		t.curl = t.curlCommand()
	}
}

// isMapOpen reports whether the tab of the map is open.
func (t *requestTabs) isMapOpen() bool { return t.bar.At() == tabMap }

// curlCommand returns the request as a curl command for a shell.
func (t *requestTabs) curlCommand() string {
	body := ordering.EncodeRequest(t.request)
	profile := &t.env.Profile
	key := profile.OrderPlacer().AttemptKey(t.request.Order.OrderName, body, false)
	headers := []session.Header{
		{Name: "Accept", Value: "application/json"},
		{Name: "Authorization"},
		{Name: "Content-Type", Value: "application/json"},
		{Name: "Idempotency-Key", Value: key},
	}
	return session.CurlCommand("POST", profile.Client.BaseURL()+"/orders", headers, body)
}

// copyRequest copies the full curl command if its tab is open, otherwise the full request as JSON.
func (t *requestTabs) copyRequest() tea.Cmd {
	if t.bar.At() == tabCurl {
		return t.env.Files.CopyText(t.curl, "the curl command, which reads the key from $"+session.KeyVariable)
	}
	body := ordering.EncodeRequest(*t.request)
	return t.env.Files.CopyText(string(body), "the request, "+format.Bytes(int64(len(body))))
}

// lines returns the request in lines of at most w cells: as a curl command if that tab is open, otherwise as JSON.
// The lines of JSON are not wrapped.
func (t *requestTabs) lines(w int) []string {
	if t.bar.At() == tabCurl {
		return wrapCommand(t.curl, w)
	}
	return t.json
}

// countPoints encodes a list of points in a short form: the first point, and the number of all points.
var countPoints = json.MarshalToFunc(func(to *jsontext.Encoder, points []api.Point) error {
	if len(points) < 2 {
		return errors.ErrUnsupported
	}
	return json.MarshalEncode(to, []any{points[0], "… " + groupDigits(len(points)) + " points in total"})
})

// previewLines returns the lines of the request as JSON, with only the first point of each
// mission and the number of its points.
func previewLines(req api.CreateOrderRequest) []string {
	out, err := json.Marshal(req, jsontext.WithIndent("  "), json.WithMarshalers(countPoints))
	if err != nil {
		return []string{err.Error()}
	}
	return strings.Split(string(out), "\n")
}

// maxShownCommand is the number of bytes of a curl command that are shown. The user can copy the full command.
const maxShownCommand = 16_000

// wrapCommand breaks a command into lines of w cells.
func wrapCommand(command string, w int) []string {
	shown := strings.ToValidUTF8(command[:min(len(command), maxShownCommand)], "")
	lines := strings.Split(ansi.Hardwrap(shown, max(1, w), true), "\n")
	if len(command) > maxShownCommand {
		lines = append(lines, "… "+action.KeyOf(action.CopyRequest, action.NewOrderReview)+" copies the full command")
	}
	return lines
}
