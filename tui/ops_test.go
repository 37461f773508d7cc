package tui_test

import (
	"errors"
	"net/http/httptest"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/tuitest"
)

// opsDesk starts the app at the operations desk of the real service.
func opsDesk(t testing.TB, w, h int, change ...func(*tui.Options)) (*desk, *api.Ops) {
	t.Helper()
	d := tuitest.New(t)
	s := &server.Server{Demo: true, Now: d.Now}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	ops, err := api.NewOps(web.URL+server.OpsPath, s.OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	at := func(o *tui.Options) { o.Ops, o.Begin = ops, action.GoOps }
	account := s.Accounts()[0]
	return launch(t, d, web.URL+server.PublicPath, account.Key, account.CompanyName, w, h, append([]func(*tui.Options){at}, change...)...), ops
}

func TestAFlightIsRescheduledWithItsReason(t *testing.T) {
	d, ops := opsDesk(t, 140, 40)
	d.Press("/")
	d.Type("Main road")
	d.Press("enter")
	d.Sees("MSN-300544", "deliver", "◎ flightScheduled")
	d.Press("s")
	d.Sees("Reschedule flight", "What was planned stays in its history", "Reason")
	d.Press("enter")
	d.Sees("say why it is moved")
	d.Type("storm warning for the coast")
	d.Press("shift+tab", "shift+tab", "ctrl+u")
	d.Type("25 h")
	d.Press("enter")
	d.Sees("type a time as 09:30")
	d.Press("ctrl+u")
	d.Type("11:30")
	d.Press("shift+tab")
	d.Type("in 5 days")
	d.Press("enter")
	d.Sees("MSN-300544 flies Sun 29 Nov 11:30", "Sun 29 Nov 11:30, in 5 d", "rescheduled “storm")
	m := mission(t, ops, "MSN-300544")
	if p := m.Planning[0]; p.SchedulingStatus != api.ScheduleRescheduled || *p.Note != "storm warning for the coast" || !m.FlightDate.Equal(p.FlightDate.Time) {
		t.Errorf("the planning is %+v", p)
	}
	// The client reads it, too.
	d.Press("v")
	d.Sees("CLIENT'S VIEW", "Sun 29 Nov 11:30")
}

// mission reads a mission as the desk sees it.
func mission(t *testing.T, ops *api.Ops, code string) *api.OpsMission {
	t.Helper()
	for o, err := range ops.AllOrders(t.Context(), api.OpsOrderFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		full, err := ops.Order(t.Context(), o.UUID)
		if err != nil {
			t.Fatal(err)
		}
		for i := range full.Missions {
			if full.Missions[i].MissionCode == code {
				return &full.Missions[i]
			}
		}
	}
	t.Fatalf("there is no mission %s", code)
	return nil
}

func TestThePermissionTakesADocumentAndADeliveryTakesFiles(t *testing.T) {
	d, ops := opsDesk(t, 100, 30)
	permit := d.write("permit.pdf", "%PDF-1.4 permit")
	d.write("ortho_main_road.tif", "II*\x00tile")
	d.write("DJI_0001.jpg", "\xff\xd8\xff photo")
	d.Press("/")
	d.Type("Main road")
	d.Press("enter", "t")
	d.Sees("Flight permission", "It takes the place of what is recorded now")
	d.Press("tab", "ctrl+u")
	d.Type("Luftfartstilsynet")
	d.Press("tab", "tab")
	d.Type("1 Dec")
	d.Press("tab")
	d.Type("1 Nov 2026")
	d.Press("tab")
	d.Type("choose")
	d.Press("enter")
	d.Sees("this is before it begins")
	d.Type("31 Dec")
	d.Press("enter")
	d.Sees("Document of the permission", "permit.pdf", "~/surveys")
	d.Type("zzz")
	d.Sees("no name here has that")
	d.Press("ctrl+u")
	d.Paste(permit)
	d.Press("enter")
	d.Sees("▸  permit.pdf")
	d.Press("enter")
	d.Sees("permission of MSN-300544 recorded: granted, with permit.pdf")
	p := mission(t, ops, "MSN-300544").FlightPermission
	if p.Status != api.PermissionGranted || *p.Authority != "Luftfartstilsynet" || p.PermitFileURL == nil {
		t.Errorf("the permission is %+v", p)
	}

	d.Press("d")
	d.Sees("Deliver", "Ordered: ", "make sample files")
	d.Type("choose")
	d.Press("enter")
	d.Sees("Files of MSN-300544")
	d.Press("ctrl+s")
	d.Sees("no file is marked")
	d.Type("ortho")
	d.Press("enter", "ctrl+u")
	d.Type("DJI")
	d.Press("enter", "right", "left")
	d.Sees("✓ DJI_0001.jpg", "Photos (jpg)", "ctrl+s deliver 2")
	d.Press("ctrl+s")
	d.Sees("delivered 2 files", "of MSN-300544")
	m := mission(t, ops, "MSN-300544")
	if m.Status != api.MissionDataDelivered || m.Packages[0].FileCount != 2 {
		t.Errorf("the mission is %+v", m)
	}
}

func TestWithoutAKeyOfTheDeskItsKeySaysSo(t *testing.T) {
	d := open(t, 140, 40)
	d.SeesNot("9 Operations")
	d.Press("9")
	d.Sees("operations: this profile has no key of the operations desk; ops_url and ops_credential in config.toml name one")
	d = open(t, 140, 40, func(o *tui.Options) { o.NoOps = errors.New("the keyring is locked") })
	d.Press("9")
	d.Sees("operations: the key of the operations desk cannot be had: the keyring is locked")
}
