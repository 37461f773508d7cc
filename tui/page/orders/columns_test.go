package orders

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

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
	agenda, _ := m.renderAgenda(100, 5)
	lines := strings.Join(agenda, "\n")
	if !strings.Contains(lines, code+"  Lobau") {
		t.Errorf("the agenda is %q", lines)
	}
}

func TestTheAgendaCountsTheEventsThatDoNotFit(t *testing.T) {
	var missions []*mission
	for _, hour := range []int{8, 9, 10, 32, 33, 56} {
		missions = append(missions, &mission{
			Mission: api.Mission{UUID: format.GroupInt(hour), MissionName: "Lobau", FlightDate: on(24, hour)},
			Order:   &api.Order{},
		})
	}
	m := monthView{env: testEnv(), day: time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)}
	source := plan.Source{Missions: missions, Now: noon}
	m.setEvents(source.Events(), source.Missions)
	for h, more := range map[int]string{2: "─ ↓ 4 more ─", 3: "─ ↓ 3 more ─", 4: "─ ↓ 2 more ─", 5: "─ ↓ 1 more ─", 6: "───"} {
		lines, hidden := m.renderAgenda(100, h)
		rule := ansi.Strip(m.renderAgendaRule(hidden, 100))
		if len(lines) != h || !strings.HasSuffix(rule, more) {
			t.Errorf("above %d lines of the agenda, the rule is %q, want %q at its end", h, rule, more)
		}
	}
}

func TestADayWithoutRoomForItsEventsNamesTheFirst(t *testing.T) {
	m := monthView{env: testEnv(), day: time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)}
	m.env.Look.Theme = theme.LinearTheme()
	var missions []*mission
	for _, hour := range []int{8, 9} {
		missions = append(missions, &mission{
			Mission: api.Mission{UUID: format.GroupInt(hour), MissionName: "Lobau", FlightDate: on(24, hour)},
			Order:   &api.Order{},
		})
	}
	source := plan.Source{Missions: missions, Now: noon}
	m.setEvents(source.Events(), source.Missions)
	style := m.env.Look.Theme.Style
	for w, want := range map[int]string{10: "◎◎ Lobau", 8: "◎◎ Lobau", 7: "◎◎"} {
		lines := m.renderEvents(m.days[m.day], style, w, 1)
		if len(lines) != 1 || ansi.Strip(lines[0]) != want {
			t.Errorf("in %d cells, the day has %q, want %q", w, lines, want)
		}
	}
}

func TestANameThatIsCutInADayHasNoAddedBlank(t *testing.T) {
	for text, want := range map[string][]string{
		"csv-merged-name-cells":   {"csv-merged-", "name-cells"},
		"csv-merged-name-columns": {"csv-merged-", "name-colum…"},
		"csv-merged-n north area": {"csv-merged-", "n north ar…"},
	} {
		if lines := wrapText(text, 11, 2); !slices.Equal(lines, want) {
			t.Errorf("%q is wrapped to %q, want %q", text, lines, want)
		}
	}
	if lines := wrapText("csv-merged-name-columns", 11, 1); !slices.Equal(lines, []string{"csv-merged…"}) {
		t.Errorf("in one line: %q", lines)
	}
	if lines := wrapText("csv-merged-name-columns", 14, 1); !slices.Equal(lines, []string{"csv-merged-na…"}) {
		t.Errorf("in one line: %q", lines)
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
