package neworder_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/format"
)

// timed measures the longest time in which the app handles a message or draws a view, because keys
// wait meanwhile. It measures processor time, which other work on the machine does not change.
type timed struct {
	tea.Model
	longest time.Duration
}

func (m *timed) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	began := spent()
	model, cmd := m.Model.Update(msg)
	m.note(began)
	m.Model = model
	return m, cmd
}

func (m *timed) View() tea.View {
	began := spent()
	v := m.Model.View()
	m.note(began)
	return v
}

func (m *timed) note(began time.Duration) { m.longest = max(m.longest, spent()-began) }

// spent returns the processor time of this thread.
func spent() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// areasKML returns a KML file with n areas that have the given number of points.
func areasKML(n, points int) string {
	var b strings.Builder
	b.WriteString(`<kml xmlns="http://www.opengis.net/kml/2.2"><Document>`)
	for i := range n {
		x, y := 7+float64(i%40)/20, 48+float64(i/40)/20
		fmt.Fprintf(&b, "<Placemark><name>Field %04d</name><Polygon><outerBoundaryIs><LinearRing><coordinates>", i)
		for k := range points + 1 {
			turn := 2 * math.Pi * float64(k%points) / float64(points)
			fmt.Fprintf(&b, "%.7f,%.7f ", x+0.02*math.Cos(turn), y+0.02*math.Sin(turn))
		}
		b.WriteString("</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>\n")
	}
	b.WriteString("</Document></kml>")
	return b.String()
}

// work places an order from a large file, with every kind of edit on the way. It returns the longest
// wait of each step.
func work(t testing.TB, keep string) map[string]time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := apptest.Open(t, 140, 40, func(o *tui.Options) { o.Drafts = keep })
	m := &timed{Model: d.App}
	d.Start(m, 140, 40)
	path := d.WriteFile("fields.kml", areasKML(largeOrder, 100))
	waits := map[string]time.Duration{}
	do := func(step string, act func()) {
		m.longest = 0
		act()
		d.Advance(time.Second) // saves the draft
		d.View()
		waits[step] = m.longest
	}
	press := func(keys ...string) func() { return func() { d.Press(keys...) } }
	do("open", press("n"))
	do("read", func() { d.Paste(path); d.Press("enter") })
	n := format.GroupDigits(largeOrder, 0)
	d.RequireText(n + " sites, " + n + " included")
	do("move", press("j", "j", "G", "g", "ctrl+d"))
	do("leave out", press("space", "space"))
	do("all", press("ctrl+a", "ctrl+a"))
	do("undo", press("u"))
	do("type", press("t", "t", "t"))
	do("edit", func() { d.Press("e", "ctrl+u"); d.Type("Renamed"); d.Press("enter") })
	do("map", press("m", "+", "l", "z", "_", "esc"))
	do("by hand", func() { d.Press("i"); d.Type("47.1, 8.5"); d.Press("enter", "delete") })
	do("mark and merge", press("g", "shift+down", "shift+down", "c", "enter", "u"))
	do("form", press("]"))
	do("type in the form", func() { d.Type("agri") })
	do("review", press("ctrl+s"))
	do("tabs", press("tab", "tab", "tab", "G", "g"))
	do("copy", press("y"))
	do("place", press("S", "enter"))
	if o := d.NewestOrder(); len(o.Missions) != largeOrder || len(o.Missions[largeOrder-1].LocationMap) != 100 {
		t.Fatalf("placed is an order of %d missions", len(o.Missions))
	}
	return waits
}

// pause is the longest wait that a person does not notice.
const pause = 100 * time.Millisecond

func TestALargeOrderIsMadeWithoutAPause(t *testing.T) {
	for step, took := range work(t, t.TempDir()) {
		if took > pause*slowdown {
			t.Errorf("%s takes %v", step, took)
		}
	}
}

func BenchmarkLargeOrder(b *testing.B) {
	for b.Loop() {
		for step, took := range work(b, b.TempDir()) {
			b.ReportMetric(float64(took.Microseconds())/1000, strings.NewReplacer(" ", "-").Replace(step)+"-ms")
		}
	}
}

func TestTheReviewShowsTheSizeOfALargeRequest(t *testing.T) {
	d := apptest.Open(t, 140, 40)
	d.WriteFile("large.kml", areasKML(40, 2200))
	d.ToReview("large")
	d.RequireText("✓ Ready to place   3", "of the 5.2 MB that an order can have")
	d.Press("ctrl+b", "ctrl+b", "ctrl+a", "space", "]", "ctrl+s") // leaves one site included
	d.RequireText("1 mission", "✓ Ready to place")
	d.SeesNot("MB")
}
