package checking

import (
	"strings"
	"testing"
	"time"

	"flightdesk/api"
)

func TestASummaryWithoutFilesHasItsProblems(t *testing.T) {
	for want, problems := range map[string]int{
		"no downloaded files to check":            0,
		"1 problem, no downloaded files to check": 1,
	} {
		r := Report{Problems: problems}
		if got := r.Summary(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAPlannedFlightIsNotInThePast(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for want, flight := range map[string]time.Time{
		"its flight is on 4 Dec":   now.AddDate(0, 0, 10),
		"its flight was on 20 Nov": now.AddDate(0, 0, -4),
	} {
		photo := &FileReport{Mission: "MSN-7"}
		photo.photo.Taken = now.AddDate(0, 0, -30)
		w := &work{Checker: Checker{Now: func() time.Time { return now }}, report: &Report{}, files: []*FileReport{photo}}
		w.judgePhotoDates(&api.Mission{MissionCode: "MSN-7", FlightDate: api.TimeOf(flight)})
		if got := w.report.Findings[0].Text; !strings.Contains(got, want) {
			t.Errorf("%q does not contain %q", got, want)
		}
	}
}
