package orders_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/tui/apptest"
)

func TestAMissionIsFoundByFilter(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("3")
	d.RequireText("24 missions", "Reihe Nord", "Main road", "MSN-")
	d.Press("/")
	d.Type("country:Kenya status:flightSch flight:<2026-12-10")
	d.Press("enter")
	d.RequireText("Block B", "1 of 24")
	d.SeesNot("Block A", "Main road")
	d.Press("v")
	d.RequireText("▸◎ Block B", "/ country:Kenya", "1 of 24")
	d.Press("v")
	d.RequireText("/ country:Kenya", "1 of 24")
	d.Press("tab")
	d.RequireText(": nothing else on this day")
	d.Press("]")
	d.Press("v") // the filter holds in the month, too
	d.RequireText("Block B", "1 of 24")
	d.Press("enter")
	d.RequireText("Missions › MSN-", "Block B", "Flight permission", "Planning")
	d.Press("o")
	d.RequireText("› ORD-", "Block A", "Block B")
	d.Press("esc", "esc")
	d.RequireText("1 of 24")
	d.Press("esc")
	d.RequireText("Main road")
}

func TestARescheduleIsToldInTheHistory(t *testing.T) {
	d := apptest.OpenAgainst(t, apptest.ServeMission(`"status":"flightScheduled","operatorName":"AeroScan","flightDate":"2026-11-27T08:30:00+01:00"`, map[string]string{
		"planning": `{"version":2,"schedulingStatus":"rescheduled","flightDate":"2026-11-27T08:30:00+01:00","scheduledBy":"Mia","note":"storm","createdAt":"2026-11-23T09:00:00+01:00"},
			{"version":1,"schedulingStatus":"confirmed","flightDate":"2026-11-25T11:00:00+01:00","scheduledBy":"AeroScan","note":null,"createdAt":"2026-11-20T09:00:00+01:00"}`,
		"permission":        `{"missionUid":"m-1","status":"granted","authority":"Luftamt Nord","reference":"N-7","validFrom":"2026-11-20T00:00:00Z","validTo":"2026-11-26T00:00:00Z","permitFileUrl":"HOST/permit?token=secret"}`,
		"delivery-packages": `{"uuid":"p-1","name":"Levee data","version":1,"status":"delivered","fileCount":1,"totalSize":4200000000,"createdAt":"2026-11-24T08:00:00+01:00"}`,
		"files":             `{"uuid":"f-1","fileName":"levee_ortho.tif","fileType":"image/tiff","fileDataType":"_2dMap","fileSize":4200000000,"status":"delivered","downloadUrl":"http://x/"}`,
	}))
	d.Press("3", "enter")
	d.RequireText("Missions › MSN-9", "◔ Planning v2 rescheduled  Fri 27 Nov 08:30, by Mia", "moved from Wed 25 Nov 11:00, 1 d 21 h later",
		"previously Confirmed", "previously by AeroScan", "storm", "◎ Planning v1 confirmed    Wed 25 Nov 11:00", " ↓ 16 more")
	d.Press("j")
	d.RequireText(" ↑ 1 · ↓ 15 more")
	d.Press("G")
	d.RequireText(" ↑ 16 more", "Data delivered     on Tue 24 Nov 08:00, delivery package v1")
	d.Resize(140, 40)
	d.RequireText("✓ Permission granted  Luftamt Nord, valid 20 Nov to 26 Nov", "N-7", "▲ flight date is after the permission ends",
		"Data delivered  v1, 1 file", "levee_ortho.tif  2D map  4.2 GB", "planning v1, AeroScan", "planning v2, Mia")
	d.SeesNot("secret")
	d.Press("O")
	d.RequireText("permit: no app found to open files; press E to save it")
	d.Press("E")
	d.RequireText("Save flight permit", "MSN-9-permit.pdf")
	d.Press("enter")
	d.RequireText("Exported the flight permit")
	if got, err := os.ReadFile(filepath.Join(d.Options.Folder, "MSN-9-permit.pdf")); err != nil || string(got) != "%PDF-1.7 granted" {
		t.Errorf("the permit is %q, %v", got, err)
	}
}

func TestALateMissionIsMarkedAndSaid(t *testing.T) {
	d := apptest.OpenAgainst(t, apptest.ServeMission(`"status":"flightScheduled","flightDate":"2026-12-04T08:30:00+01:00"`, nil))
	d.Press("3")
	d.RequireText("▲", "MSN-9 Flight 4 Dec, after deadline 1 Dec")
	d.Suspend(8 * 24 * time.Hour)
	d.RequireText("1 d overdue: Flight scheduled")
	d.Press("enter")
	d.RequireText("▲ 1 d overdue", "No planning recorded.")
	d.Press("G")
	d.RequireText("No flight permission recorded.", "No deliveries yet.", "Operator assigned")
	d.Press("O")
	d.RequireText("no flight permission recorded")
}

func TestTheMissionsAreWrittenToACalendar(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("3", "/")
	d.Type("Kenya")
	d.Press("enter", "W")
	d.RequireText("Export calendar", "1 deadline, 2 flights", "plan-2026-11-24.ics")
	d.Press("enter")
	got, err := os.ReadFile(filepath.Join(d.Options.Folder, "plan-2026-11-24.ics"))
	if err != nil || strings.Count(string(got), "BEGIN:VEVENT") != 3 || !strings.Contains(string(got), "SUMMARY:Flight: Block A") {
		t.Errorf("%v:\n%s", err, got)
	}
}

func TestTheMonthIsAPlan(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("3", "v", "v")
	d.RequireText("23 Nov – 27 Dec", "▲ deadline  ◆ expiry  ◎ flight  ◕ delivery", "◎ 09:00  flight    MSN-300544  Main road", "8 missions without a date")
	d.Press("]")
	d.RequireText("23 Nov – 27 Dec", "▲ Whitelee", "◆ Standard", "◎ Block B")
	d.Press("right")
	d.RequireText("Fri 25 Dec  ▲ 18:00  deadline  ORD-100228  Whitelee blade inspection, spring")
	d.Press("f")
	d.RequireText("no mission selected; select a flight or delivery")
	d.Press("enter")
	d.RequireText("› ORD-100228", "Whitelee blade inspection, spring")
}

func TestTheMonthOpensQuotesAndShowsDeliveries(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("3", "v", "v")
	d.RequireText("▲ deadline  ◆ expiry", "8 without a date", "Tue 24 Nov  ◆")
	d.RequireText("expiry    ORD-100246  Priority")
	d.Press("enter")
	d.RequireText("› ORD-100246", "▸Priority")
	d.Press("esc", "left")
	d.RequireText("delivery  MSN-300538  Block A")
}

func TestMissionsOfManyOrdersAreReadInTheBackground(t *testing.T) {
	const n = 3000
	var reads atomic.Int32
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		var items []string
		next, more := `null`, false
		if strings.HasSuffix(r.URL.Path, "/missions") {
			code := strings.Split(r.URL.Path, "/")[2]
			reads.Add(1)
			items = []string{`{"uuid":"m-` + code + `","missionCode":"M` + code + `","missionName":"Levee","status":"flightScheduled","country":"Germany"}`}
		} else {
			from := 0
			_, _ = fmt.Sscan(r.URL.Query().Get("cursor"), &from)
			for i := from; i < min(n, from+100); i++ {
				items = append(items, fmt.Sprintf(`{"uuid":"o-%d","orderCode":"O%d","status":"flyingDateSet","updatedAt":"2026-11-20T09:00:00Z"}`, i, i))
			}
			if more = from+100 < n; more {
				next = fmt.Sprintf(`"%d"`, from+100)
			}
		}
		apptest.WriteAnswer(w, 200, fmt.Sprintf(`{"success":true,"message":"","data":{"data":[%s],"nextCursor":%s,"hasNextPage":%v}}`, strings.Join(items, ","), next, more))
	})
	d.Press("3")
	d.RequireText("2,000 of 3,000 orders loaded")
	if reads.Load() != 2000 {
		t.Errorf("the missions of %d orders were read", reads.Load())
	}
	d.Press("/")
	d.Type("MO1999")
	d.RequireText("1 of 2,000")
}

func TestFramesOfMissions(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Press("3")
	d.CompareMainFrames(t, "missions")
	d.Press("v")
	d.CompareFrames(t, "missions-map")
	d.Press("v", "]", "left")
	d.CompareFrames(t, "missions-month")
	d.Press("v", "/")
	d.Type("Block A")
	d.Press("enter", "enter")
	d.CompareMainFrames(t, "mission")
}

func TestFramesOfMissionsThatAreNotThere(t *testing.T) {
	empty := apptest.OpenAgainst(t, apptest.AnswerNothing)
	empty.Press("3")
	empty.CompareFrames(t, "missions-empty")
	trouble := apptest.OpenAgainst(t, apptest.AnswerBroken)
	trouble.Press("3")
	trouble.CompareFrames(t, "missions-trouble")
	reading := apptest.OpenUnanswered(t, apptest.AnswerNothing)
	reading.Press("3")
	reading.CompareFrames(t, "missions-loading")
	reading.Release()
	reading.RequireText("No missions yet.")
}

func TestWhatAnotherPageHadReadIsShown(t *testing.T) {
	d := apptest.OpenUnanswered(t, apptest.ServeMission(`"status":"flightScheduled","flightDate":"2026-11-26T08:30:00+01:00"`, nil))
	d.Press("1", "3") // Operations has asked for all when the missions come to be looked at
	d.RequireText("[3 Missions]", "░░░")
	d.Release()
	_ = d.Screen() // what is drawn of the answers, which came at once
	d.Advance(time.Second)
	d.RequireText("MSN-9", "1 mission")
}

func TestTheMonthBeginsWithTheCurrentWeek(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("3", "v", "v")
	d.RequireText("23 Nov – 27 Dec", "─ 23 ─")
	d.SeesNot("October", "─ 16 ─")
	d.Press("up") // the week before
	d.RequireText("November 2026", "▸17", "─ 23 ─")
	d.Press("down")
	d.RequireText("23 Nov – 27 Dec")
}

func TestTheLegendOfTheMonthHasTheMarkOfCancelledFlights(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("3", "v", "v")
	d.SeesNot("⊖")
	d.Press("[")
	d.RequireText("October 2026", "⊖ cancelled")
}

func TestATitleIsNotTheLastLineInView(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("3", "/")
	d.Type("MSN-300538")
	d.Press("enter", "enter")
	d.RequireText("Area · 202.9 ha", "more")
	d.Press("down")
	d.SeesNot("Planning")
	d.Press("down")
	d.RequireText("Planning", "◎ Planning v")
}

func TestNoColumnOfAMissionEndsWithATitle(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	openRow(d, "3", "MSN-300538")
	for height := 14; height < 36; height++ {
		d.Resize(120, height)
		above, _, isCut := strings.Cut(d.Screen(), "\n ↓ ")
		if !isCut {
			continue
		}
		last := above[strings.LastIndex(above, "\n")+1:]
		for _, title := range []string{"│ Deliveries", "│ Callbacks, last 30 days", " Planning   "} {
			isTitle := strings.Contains(last, title) && !strings.Contains(last, "Planning v")
			if isTitle {
				t.Errorf("the last of %d lines has only a title:\n%s", height, last)
			}
		}
	}
}
