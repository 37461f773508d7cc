package webhooks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

const (
	testKey      = "test event" // under which the last address is kept
	testPatience = 5 * time.Second
	mostAnswer   = 4 << 10
)

// testResult is what came of a test event.
type testResult struct {
	to     string
	event  api.EventName
	id     string
	status string // "" where no answer came
	ok     bool
	took   time.Duration
	answer string
	err    error
}

type testAnswer = page.Answer[testResult]

// askTest asks where to a test event is sent: by the app itself, signed with the
// secret of an endpoint, or one that is typed. It goes to this machine; anywhere
// else only after one more question.
func askTest(p page.Base, e *api.WebhookEndpoint, q *page.Question) tea.Cmd {
	var events []form.Option
	for _, name := range api.EventNames() {
		w := labels.Event(name)
		events = append(events, form.Option{Value: string(name), Label: w.Label, Help: w.Description})
	}
	secretHelp := "whsec_…, as the receiver has it"
	kept := e != nil && p.Secrets.Known(e.UUID)
	if kept {
		secretHelp = "left empty it is the kept one of " + layout.Cut(name(e), 30)
	}
	f := form.New(api.MaxURLLength, p.Now,
		&form.Field{ID: "to", Label: "Send to", Help: "a receiver on this machine"},
		&form.Field{ID: "event", Label: "Event", Kind: form.Choice, Options: events},
		&form.Field{ID: "secret", Label: "Secret", Secret: true, Help: secretHelp},
	)
	to := "http://127.0.0.1:3000/"
	p.UIState.Get(testKey, &to)
	f.Field("to").Set(to)
	f.Field("event").Set(string(api.EventFlightScheduled))
	p.Overlay(&dialog.Edit{Theme: p.Theme, Title: "Send test event", Form: f, Yes: "send", OnSave: func(f *form.Form) (tea.Cmd, bool) {
		to, secret := f.Field("to").Value(), f.Field("secret").Value()
		target, problem := receiver(to)
		if problem != "" {
			f.Field("to").Error = problem
			f.Focus("to")
			return nil, false
		}
		if secret == "" && kept {
			secret, _ = p.Secrets.Get(e.UUID) // it is at hand
		}
		if secret == "" {
			f.Field("secret").Error = "without a secret nothing can be signed"
			f.Focus("secret")
			return nil, false
		}
		p.UIState.Put(testKey, to)
		name := api.EventName(f.Field("event").Value())
		send := func() tea.Cmd { return tea.Batch(page.Keep(p.Env), sendTest(p, q, target, secret, name)) }
		if isLoopback(target.Hostname()) {
			return send(), true
		}
		p.Overlay(&dialog.Question{
			Theme: p.Theme, Title: "Send it away from this machine?", Yes: "send it there", No: "do not send",
			Lines: []string{target.Redacted(), "", "This is not this machine. A signed event that never happened goes there; whoever has it takes it for one of the service."},
			OnYes: send,
		})
		return nil, true
	}})
	return nil
}

// receiver reads the address of a receiver, and says what is wrong with it.
func receiver(text string) (u *url.URL, problem string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, "this is no http or https address"
	case u.User != nil || u.Fragment != "":
		return nil, "without user, password and fragment, please"
	}
	return u, ""
}

// isLoopback reports whether a host is this machine for certain.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// testEvent is an event of a mission that there is not, as the service's own
// test events are.
func testEvent(name api.EventName, now time.Time) (id string, body []byte, err error) {
	e := api.Event{ID: "test-" + strings.ToLower(rand.Text()), Event: name, Timestamp: api.At(now.UTC().Truncate(time.Millisecond))}
	e.Data.Mission = api.EventMission{
		UUID: "00000000-0000-7000-8000-000000000000", MissionCode: "MSN-0", Status: name.MissionStatus(),
		OrderUID: "00000000-0000-7000-8000-000000000001", OrderCode: "ORD-0",
	}
	body, err = json.Marshal(e)
	return e.ID, body, err
}

// sendTest sends a test event once.
func sendTest(p page.Base, q *page.Question, to *url.URL, secret string, event api.EventName) tea.Cmd {
	now := p.Client.Now()
	return page.Ask(p, q, func(ctx context.Context) (testResult, error) {
		r := testResult{to: to.Redacted(), event: event}
		var body []byte
		if r.id, body, r.err = testEvent(event, now); r.err == nil {
			r.post(ctx, to.String(), secret, body)
		}
		return r, nil
	})
}

func (r *testResult) post(ctx context.Context, to, secret string, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	var req *http.Request
	if req, r.err = api.NewCallback(ctx, to, secret, body); r.err != nil {
		return
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	began := time.Now()
	res, err := client.Do(req)
	r.took = time.Since(began)
	if err != nil {
		r.err = plain(err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, mostAnswer)) // as far as it comes
	r.status, r.ok, r.answer = res.Status, res.StatusCode >= 200 && res.StatusCode < 300, string(answer)
}

// plain is what went wrong with a request without its address, which is shown
// already.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		if u.Timeout() {
			return fmt.Errorf("no answer within %v, which is what the service waits", testPatience)
		}
		return u.Err
	}
	return err
}

// tested shows what came of a test event.
func tested(p page.Base, q *page.Question, msg testAnswer) tea.Cmd {
	if !msg.Of(q) || !msg.Take() {
		return nil
	}
	r := msg.Value
	p.Overlay(dialog.Sudden(&dialog.Reader{Theme: p.Theme, Title: "Test event", Text: func(w int) []string { return r.lines(p.Theme, w) }}, p.Now))
	return nil
}

func (r *testResult) lines(th *theme.Theme, w int) []string {
	line := func(label string, role theme.Role, text string) string {
		return layout.Cut(layout.Text(th.Raised(theme.Muted), layout.Left(label, 10))+layout.Text(th.Raised(role), text), w)
	}
	lines := []string{line("POST", theme.Text, r.to), line("event", theme.Text, string(r.event)+" of MSN-0, which there is not"), line("id", theme.Text, r.id)}
	wrap := func(role theme.Role, text string) {
		for _, part := range layout.Wrap(text, w) {
			lines = append(lines, layout.Text(th.Raised(role), part))
		}
	}
	lines = append(lines, "")
	switch {
	case r.err != nil:
		wrap(theme.Bad, "✗ "+layout.Clean(r.err.Error()))
		return lines
	case r.ok:
		wrap(theme.Good, fmt.Sprintf("✓ %s in %d ms: the receiver takes it", layout.Clean(r.status), r.took.Milliseconds()))
	default:
		wrap(theme.Bad, fmt.Sprintf("✗ %s in %d ms: the service would send it again, 4 tries in all", layout.Clean(r.status), r.took.Milliseconds()))
	}
	if r.took > testPatience/2 {
		wrap(theme.Attention, fmt.Sprintf("This is slow: after %v the service hangs up.", testPatience))
	}
	if r.answer != "" {
		lines = append(lines, "", layout.Text(th.Raised(theme.Muted), "It answers:"))
		for text := range strings.Lines(r.answer) {
			wrap(theme.Text, layout.Clean(strings.TrimRight(text, "\r\n")))
		}
	}
	return lines
}
