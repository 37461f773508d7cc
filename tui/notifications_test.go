package tui_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// growing is a service with one order. Its mission and its quotes can change.
type growing struct {
	mu              sync.Mutex
	mission, quotes string
	updated         time.Time
}

// becomes changes the mission and the quotes of the order.
func (g *growing) becomes(mission, quotes string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.updated = g.updated.Add(time.Minute)
	g.mission, g.quotes = mission, quotes
}

func (g *growing) serve(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.updated.Format(time.RFC3339)
	if strings.Contains(r.URL.Path, "getorder") {
		record := `{"id":"o-1","orderCode":"ORD-7","orderName":"Levee","orderStatus":"quoteReceived","status":"quoteReceived","quotes":[` + g.quotes + `]}`
		if strings.Contains(r.URL.Path, "list") {
			record = "[" + record + "]"
		}
		apptest.WriteAnswer(w, 200, record)
		return
	}
	apptest.ServeMission(fmt.Sprintf(`"updatedAt":%q,%s`, at, g.mission), nil)(&stamping{w, at}, r)
}

// stamping sets the time at which the order in a list changed.
type stamping struct {
	http.ResponseWriter
	at string
}

func (s *stamping) Write(p []byte) (int, error) {
	return s.ResponseWriter.Write([]byte(strings.ReplaceAll(string(p), "2026-11-20T09:00:00Z", s.at)))
}

const aQuote = `{"quoteId":"q-1","quoteName":"AeroScan","finalPrice":12420,"currency":"EUR","expiryDate":"2026-11-30T12:00:00Z"}`

// rung returns the escape sequences that were sent to the terminal.
func rung(d *tuitest.Driver) string { return strings.Join(d.Raw, "|") }

// atLibrary starts at the library, which reads neither orders nor quotes. Only the watch reads
// them.
func atLibrary(o *tui.Options) { o.Begin = action.GoLibrary }

func TestNewsIsReported(t *testing.T) {
	g := &growing{mission: `"status":"pilotAssigned"`, updated: tuitest.Clock.Add(-time.Hour)}
	d := apptest.OpenAgainst(t, g.serve, atLibrary)
	d.Advance(2 * time.Minute)
	d.SeesNot("N to show")
	d.Press("N")
	d.RequireText("notifications: no notifications")

	g.becomes(`"status":"pilotAssigned"`, aQuote)
	d.Advance(time.Minute)
	d.RequireText("◆ New quote: ORD-7, 12,420.00 EUR · N to show")
	if got := rung(d.Driver); got != "\a" {
		t.Errorf("the terminal was sent %q", got)
	}
	d.Press("N")
	d.RequireText("Library › ORD-7", "AeroScan", "Final price")

	g.becomes(`"status":"flightScheduled","flightDate":"2026-11-27T08:30:00+01:00"`, aQuote)
	d.Advance(time.Minute)
	d.RequireText("◎ Flight scheduled: MSN-9 Levee km 3, Fri 27 Nov 08:30 · N to show")
	d.Press("esc", "N")
	d.RequireText("Library › MSN-9")
	d.Press("esc") // where nothing of it is read but by the watch

	g.becomes(
		`"status":"dataDelivered","flightDate":"2026-11-28T08:30:00+01:00"`,
		aQuote+","+strings.Replace(aQuote, "q-1", "q-2", 1),
	)
	d.Advance(time.Minute)
	d.RequireText("New: 1 quote, 1 delivery · N to show")
	d.Press("N")
	d.RequireText("Library › ORD-7", "AeroScan")
	d.Press("esc", "N")
	d.RequireText("Library › Deliveries")
	d.Advance(3 * time.Minute)
	d.SeesNot("N to show")
}

func TestNotificationsFollowTheConfiguration(t *testing.T) {
	for _, c := range []struct{ way, program, want string }{
		{"auto", "WezTerm", "\a\x1b]9;flightdesk: ◎ Flight scheduled: MSN-9 Levee km 3, Fri 27 Nov 08:30\a"},
		{"auto", "Apple_Terminal", "\a"},
		{"bell", "WezTerm", "\a"},
		{"off", "WezTerm", ""},
	} {
		t.Setenv("TERM_PROGRAM", c.program)
		t.Setenv("TERM", "xterm-256color")
		g := &growing{mission: `"status":"pilotAssigned"`, updated: tuitest.Clock.Add(-time.Hour)}
		d := apptest.OpenAgainst(t, g.serve, atLibrary, func(o *tui.Options) { o.Notices = c.way })
		d.Advance(time.Minute)
		g.becomes(`"status":"flightScheduled","flightDate":"2026-11-27T08:30:00+01:00"`, "")
		d.Advance(time.Minute)
		d.RequireText("Levee km 3, Fri 27 Nov 08:30")
		if got := rung(d.Driver); got != c.want {
			t.Errorf("%s in %s: the terminal was sent %q, not %q", c.way, c.program, got, c.want)
		}
	}
}

func TestANotificationSaysOnlyWhatHasChanged(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{
			"a proposed date", `"status":"pilotAssigned"`, `"status":"pilotAssigned","flightDate":"2026-11-27T08:30:00+01:00"`,
			"◎ New flight date: MSN-9",
		},
		{
			"another date", `"status":"flightScheduled","flightDate":"2026-11-26T08:30:00+01:00"`,
			`"status":"flightScheduled","flightDate":"2026-11-27T08:30:00+01:00"`, "◎ Flight rescheduled: MSN-9",
		},
		{"data", `"status":"flightScheduled"`, `"status":"dataDelivered"`, "◕ Data delivered: MSN-9"},
		{"a change after the delivery", `"status":"dataDelivered"`, `"status":"dataDelivered"`, "◕ Updated after delivery: MSN-9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &growing{mission: c.before, updated: tuitest.Clock.Add(-time.Hour)}
			d := apptest.OpenAgainst(t, g.serve, atLibrary)
			d.Advance(2 * time.Minute)
			g.becomes(c.after, "")
			d.Advance(time.Minute)
			d.RequireText(c.want)
		})
	}
}
