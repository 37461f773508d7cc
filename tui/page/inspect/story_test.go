package inspect

import (
	"testing"
	"time"

	"flightdesk/tui/app/timeline"
)

func TestATimelineOpensAtTheFirstFailureOrTheNewestEntry(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 11, 24, hour, 0, 0, 0, time.UTC) }
	old := &entry{ID: "old", At: at(1)}
	failure := &entry{ID: "failure", At: at(2), Failed: true}
	newest := &entry{ID: "newest", At: at(3)}
	ahead := &entry{ID: "ahead", At: at(4), Ahead: true}
	undated := &entry{ID: "undated"}
	if got := firstFailureOrNewest([]*entry{old, failure, newest, ahead}); got != failure {
		t.Errorf("with a failure: %+v", got)
	}
	if got := firstFailureOrNewest([]*entry{old, newest, ahead, undated}); got != newest {
		t.Errorf("without a failure: %+v", got)
	}
	if got := firstFailureOrNewest([]*timeline.TimelineEntry{ahead}); got != nil {
		t.Errorf("with future entries only: %+v", got)
	}
}
