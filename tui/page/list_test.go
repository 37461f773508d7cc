package page_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

// divider returns the column of the line between a list and its details, or -1.
func divider(d *apptest.Session) int {
	lines := strings.Split(d.Screen(), "\n")
	return slices.Index([]rune(lines[8]), '│')
}

func TestEveryDividerIsDraggedAndKept(t *testing.T) {
	for name, keys := range map[string][]string{
		"orders":            {"2"},
		"quotes":            {"4"},
		"deliveries":        {"5"},
		"library":           {"6"},
		"endpoints":         {"7"},
		"callbacks":         {"7", "enter"},
		"timeline":          {"2", "s"},
		"requests":          {"2", "w"},
		"operations":        {"9"},
		"requests for keys": {"9", "]", "]", "]"},
		"order":             {"2", "enter"},
		"mission":           {"3", "enter"},
		"home":              {"1"},
		"inspect":           {"8"},
		"client view":       {"9", "v"},
	} {
		t.Run(name, func(t *testing.T) {
			views := filepath.Join(t.TempDir(), "views.json")
			begin := func() *apptest.Session {
				d, _ := apptest.OpenOperations(t, 140, 40, func(o *tui.Options) { o.Views = views })
				d.Press(keys...)
				d.Advance(time.Second)
				return d
			}
			d := begin()
			from := divider(d)
			if from < 0 {
				t.Fatalf("no divider:\n%s", d.Screen())
			}
			d.Send(tea.MouseClickMsg{X: from, Y: 10, Button: tea.MouseLeft})
			d.Send(tea.MouseMotionMsg{X: from - 7, Y: 12, Button: tea.MouseLeft})
			d.Send(tea.MouseReleaseMsg{X: from - 7, Y: 12})
			d.Send(tea.MouseMotionMsg{X: from + 5, Y: 12})
			moved := divider(d)
			if moved >= from {
				t.Fatalf("the divider stays at %d, it was at %d:\n%s", moved, from, d.Screen())
			}
			if got := divider(begin()); got != moved {
				t.Errorf("in the next session the divider is at %d, want %d", got, moved)
			}
		})
	}
}

func TestScrollingLoadsOlderRows(t *testing.T) {
	asked := 0
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "datalibraryorders") {
			apptest.AnswerNothing(w, r)
			return
		}
		asked++
		var filter struct{ Limit, Page int }
		_ = json.NewDecoder(r.Body).Decode(&filter)
		var sets []string
		for i := filter.Page * filter.Limit; i < min(250, (filter.Page+1)*filter.Limit); i++ {
			sets = append(sets, fmt.Sprintf(`{"id":"d%d","datasetName":"Canopy %d"}`, i, i))
		}
		_, _ = w.Write([]byte("[" + strings.Join(sets, ",") + "]"))
	})
	d.Press("6")
	d.RequireText("100 datasets loaded, more below", "Canopy 0")
	d.Press("G")
	d.RequireText("200 datasets loaded, more below", "▸ Canopy 100")
	d.Press("G")
	d.RequireText("250 datasets · refreshed")
	if asked != 3 {
		t.Errorf("%d pages were read", asked)
	}
	d.Press("/")
	d.Type("canopy 249")
	d.RequireText("1 of 250")
}

// The log of an endpoint is loaded in parts.
func TestAListThatIsNotCompleteHasNotNoProblems(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		const row = `"uuid":"UUID","event":"mission.completed","missionUid":"m-1","success":true,"responseCode":200,"attempts":1,"createdAt":"2026-11-24T07:00:00Z"`
		switch {
		case strings.HasSuffix(r.URL.Path, "/webhooks"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"w-1","url":"https://a.example/in","events":["mission.completed"],"status":"active"`))
		case strings.HasSuffix(r.URL.Path, "/deliveries") && r.URL.Query().Get("cursor") == "":
			page := apptest.OrderList(strings.Replace(row, "UUID", "d-1", 1))
			page = strings.Replace(page, `"nextCursor":null,"hasNextPage":false`, `"nextCursor":"c2","hasNextPage":true`, 1)
			apptest.WriteAnswer(w, 200, page)
		case strings.HasSuffix(r.URL.Path, "/deliveries"):
			apptest.AnswerBroken(w, r)
		default:
			apptest.AnswerNothing(w, r)
		}
	})
	d.Press("7", "enter", "b")
	d.SeesNot("✓ No failed")
}

func TestDoubleClickKeepsAListWithoutDetails(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 100, 30)
	d.Press("9", "]", "]", "enter")
	d.RequireText("[Keys]", "Active")
	d.Send(tea.MouseClickMsg{X: 5, Y: 8, Button: tea.MouseLeft})
	d.Send(tea.MouseClickMsg{X: 5, Y: 8, Button: tea.MouseLeft})
	d.RequireText("[Keys]", "Active")
}
