package tui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

// permitted has the parts of a mission with a flight permission, whose permit is at /permit.
var permitted = map[string]string{"permission": `{"missionUid":"m-1","status":"granted","permitFileUrl":"HOST/permit?token=secret"}`}

func TestPermitOpensWithTheSystemsProgram(t *testing.T) {
	var opened string
	d := apptest.OpenAgainst(t, apptest.ServeMission(`"status":"flightScheduled"`, permitted), func(o *tui.Options) {
		o.Opener = func(path string) error { opened = path; return nil }
	})
	d.Press("3", "enter", "O")
	d.RequireText("Opened MSN-9-permit.pdf")
	got, err := os.ReadFile(opened)
	if err != nil || string(got) != "%PDF-1.7 granted" || filepath.Base(opened) != "MSN-9-permit.pdf" {
		t.Errorf("%s holds %q, %v", opened, got, err)
	}
	info, err := os.Stat(filepath.Dir(opened))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others can look into its folder: %v, %v", info, err)
	}
	d.Close()
	if _, err := os.Stat(filepath.Dir(opened)); !os.IsNotExist(err) {
		t.Errorf("the folder is left behind: %v", err)
	}
}

func TestOnlyDocumentsOpenWithAnotherProgram(t *testing.T) {
	asked := false
	parts := map[string]string{
		"permission": strings.Replace(permitted["permission"], "/permit?", "/script?", 1),
		"script":     `{"uuid":"x"}`,
	}
	d := apptest.OpenAgainst(t, apptest.ServeMission(`"status":"flightScheduled"`, parts), func(o *tui.Options) {
		o.Opener = func(string) error { asked = true; return nil }
	})
	d.Press("3", "enter", "O")
	d.RequireText("Only PDF and image permits are opened; press E to save it")
	if asked {
		t.Error("it was handed to a program")
	}
}

func TestKeyShowsDeliveriesOfAMission(t *testing.T) {
	d := apptest.Open(t, 120, 30, apptest.AtHome)
	d.Press("f")
	d.RequireText("deliveries: no mission selected") // the first line is an order's quotes
	d.Press("shift+tab", "k", "f")                   // the line above the deadlines, which are the last group
	d.RequireText("Home › Deliveries", "MSN-300516", "3 new files")
	d.Press("esc", "3", "/")
	d.Type("Block A")
	d.Press("enter", "f")
	d.RequireText("Missions › Deliveries", "Block A", "MSN-300538")
	d.SeesNot("MSN-300516")
	d.Press("esc", "enter", "f")
	d.RequireText("› MSN-300538 › Deliveries", "Block A")
	d.Press("f")
	d.RequireText("Downloads", "6 files", "no limit")
	d.Close()
}

func TestMissionsOpenFromTheirOrder(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("/")
	d.Type("ORD-100231")
	d.Press("enter", "enter")
	d.RequireText("Orders › ORD-", "Block A", "Block B")
	d.Press("j", "enter")
	d.RequireText("› MSN-", "Block B", "Flight permission")
	d.Press("esc", "f")
	d.RequireText("› Deliveries", "Block A")
}

func TestMissionShowsItsCallbacks(t *testing.T) {
	parts := map[string]string{
		"planning": `{"version":2,"schedulingStatus":"rescheduled","flightDate":"2026-11-27T08:30:00+01:00","createdAt":"2026-11-23T09:00:00+01:00"},
			{"version":1,"schedulingStatus":"confirmed","flightDate":"2026-11-25T11:00:00+01:00","createdAt":"2026-11-20T09:00:00+01:00"}`,
		"webhooks": `{"uuid":"e-1","url":"https://hooks.example/a","events":[],"createdAt":"2026-11-01T09:00:00+01:00"}`,
		"deliveries": `{"uuid":"d-2","event":"mission.flight_scheduled","missionUid":"m-1","success":false,"responseCode":503,"attempts":4,"createdAt":"2026-11-23T09:00:01+01:00"},
			{"uuid":"d-1","event":"mission.operator_assigned","missionUid":"m-1","success":true,"responseCode":200,"attempts":1,"createdAt":"2026-11-18T09:00:01+01:00"}`,
	}
	flies := `"status":"flightScheduled","operatorName":"AeroScan","createdAt":"2026-11-10T09:00:00+01:00"`
	d := apptest.OpenAgainst(t, apptest.ServeMission(flies, parts))
	d.Resize(140, 40)
	d.Press("3", "enter")
	d.RequireText(
		"Callbacks, last 30 days", "✓ Operator assigned  answered 200  hooks",
		"! Flight scheduled   missing       hooks",
		"✗ Flight scheduled   answered 503  hooks",
	)

	parts["webhooks"] = ""
	d.Press("r")
	d.RequireText("Expected callbacks  no endpoints registered")
	d.SeesNot("missing       hooks")
}
