package inspect

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

var noon = time.Date(2026, 11, 24, 9, 42, 1, 0, time.UTC)

// noDialogs drops dialogs.
type noDialogs struct{ page.Navigator }

func (noDialogs) Overlay(widget.Dialog) {}

func body(body string) func(*api.Exchange) {
	return func(x *api.Exchange) {
		x.ResponseHeader = http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"4f8e0c3a-77"}}
		x.ResponseBody, x.ResponseSize = []byte(body), int64(len(body))
	}
}

// newTestPage returns a page of four requests: one without a response, its retry, an error, and a
// response with unknown fields and values.
func newTestPage(t *testing.T) *RequestsPage {
	t.Helper()
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	env := &page.Env{Look: page.PageLook{Theme: th}, Clock: page.AppClock{Now: func() time.Time { return noon }}, Profile: page.ProfileService{RequestLog: new(session.RequestLog)}, Nav: noDialogs{}}
	put := func(method, path string, status int, took time.Duration, change func(*api.Exchange)) {
		x := api.Exchange{
			Method: method, URL: "https://desk.example/api/v1/public" + path, Status: status, Began: noon, Duration: took, Attempt: 1,
			RequestHeader: http.Header{"Authorization": {"•••"}, "Accept": {"application/json"}},
		}
		change(&x)
		env.Profile.RequestLog.Add(x)
	}
	put("GET", "/missions/9c01/planning", 0, 5*time.Second, func(x *api.Exchange) { x.Err = errors.New("no response from desk.example in 5 s\x1b[2J") })
	put("GET", "/missions/9c01/planning", 200, 16*time.Millisecond, func(x *api.Exchange) { x.Attempt = 2; body(`{"success":true}`)(x) })
	put("POST", "/orders/ORD-100241/cancel", 409, 22*time.Millisecond, body(`{"success":false,"message":"it is flown","data":{"code":"conflict"}}`))
	put("GET", "/orders/ORD-100241", 200, 31*time.Millisecond, body(`{"success":true,"data":{"orderCode":"ORD-100241","status":"onTheMoon","priority":"gold","orderName":"Küste"}}`))
	p := NewRequests(env, "")
	p.View(100, 30)
	return p
}

func frames(t *testing.T, p *RequestsPage, name string) {
	t.Helper()
	for _, size := range [][2]int{{60, 14}, {80, 20}, {140, 36}} {
		t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
			p.Env.Look.Width = size[0]
			shown := p.View(size[0], size[1])
			for _, line := range format.SplitLines(shown) {
				if format.Width(line) != size[0] {
					t.Errorf("%d cells: %q", format.Width(line), line)
				}
			}
			golden.RequireEqual(t, ansi.Strip(shown))
		})
	}
}

func TestFrames(t *testing.T) {
	p := newTestPage(t)
	frames(t, p, "list")
	p.HandleAction(action.Open)
	frames(t, p, "response")
	p.HandleAction(action.PrevTab)
	frames(t, p, "curl")
	p.HandleAction(action.PrevTab)
	p.HandleAction(action.Bottom)
	frames(t, p, "timing")
	p.InPlace = false
	p.HandleAction(action.OnlyFailures)
	frames(t, p, "failures")
}

func TestALongResponseIsScrolled(t *testing.T) {
	p := newTestPage(t)
	p.log.Add(api.Exchange{Method: "GET", Status: 200, ResponseSize: 1, ResponseBody: []byte("[1" + strings.Repeat(",1", 20_000) + ",77]")})
	p.Env.Look.Width = 80
	p.View(80, 20)
	p.HandleAction(action.Top)
	p.HandleAction(action.Open)
	p.View(80, 20)
	for range 5_000 {
		p.HandleAction(action.ScrollDown)
	}
	if shown := p.View(80, 20); !strings.Contains(shown, "77") {
		t.Errorf("the end is not shown:\n%s", shown)
	}
	for range 5_000 {
		p.HandleAction(action.ScrollUp)
	}
	if shown := p.View(80, 20); !strings.Contains(shown, "GET") {
		t.Errorf("the beginning is not shown:\n%s", shown)
	}
}

// BenchmarkScroll measures scrolling in a full request log.
func BenchmarkScroll(b *testing.B) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		b.Fatal(err)
	}
	env := &page.Env{Look: page.PageLook{Theme: th, Width: 140}, Clock: page.AppClock{Now: func() time.Time { return noon }}, Profile: page.ProfileService{RequestLog: new(session.RequestLog)}}
	for n := range session.MaxExchanges {
		env.Profile.RequestLog.Add(api.Exchange{Method: "GET", URL: fmt.Sprintf("https://x/orders/%d", n), Status: 200, ResponseBody: []byte(`{"success":true}`), ResponseSize: 16})
	}
	p := NewRequests(env, "")
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		p.HandleAction(action.Down)
		p.View(140, 40)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/p50")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms/p95")
}
