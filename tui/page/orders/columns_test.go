package orders

import (
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/plan"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// testEnv returns an environment whose clock shows noon.
func testEnv() *page.Env {
	env := &page.Env{Clock: page.AppClock{Now: func() time.Time { return noon }}}
	env.Look.Theme = theme.LinearTheme()
	return env
}

func TestTheAgendaShowsLongCodesInFull(t *testing.T) {
	const code = "MISSION-2026-000042"
	x := &mission{
		Mission: api.Mission{UUID: "m-1", MissionCode: code, MissionName: "Lobau", FlightDate: on(24, 15)},
		Order:   &api.Order{},
	}
	m := monthView{env: testEnv(), day: time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)}
	source := plan.Source{Missions: []*mission{x}, Now: noon}
	m.setEvents(source.Events(), source.Missions)
	lines := strings.Join(m.renderAgenda(100, 5), "\n")
	if !strings.Contains(lines, code+"  Lobau") {
		t.Errorf("the agenda is %q", lines)
	}
}

func TestEntriesWithoutDetailsAreInOneLineIfTheyFit(t *testing.T) {
	p := &MissionPage{}
	p.Base = page.NewBase(testEnv())
	e := &timeline.TimelineEntry{Glyph: "✓", Brief: "Flight scheduled", To: "hooks", At: noon}
	text := "✓ Flight scheduled  hooks"
	w := len("   ") + format.Width(text) + len("  ") + format.Width(format.Age(noon, noon)) + 1
	lines := p.renderEntries([]*timeline.TimelineEntry{e}, w)
	if len(lines) != 1 || !strings.Contains(lines[0], text) {
		t.Errorf("the entry is %q", lines)
	}
	lines = p.renderEntries([]*timeline.TimelineEntry{e}, w-1)
	if len(lines) != 2 || strings.TrimSpace(lines[1]) != "hooks" {
		t.Errorf("the entry in two lines is %q", lines)
	}
}
