package tui

import (
	"testing"
	"time"
)

var readAt = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestPagesAreUpdatedAFewTimesPerSecondWhileReading(t *testing.T) {
	var p readProgress
	if isDue, _ := p.nextUpdate(1, true, true, readAt); !isDue {
		t.Fatal("the first data is not shown at once")
	}
	p.update(1, readAt)
	if isDue, wait := p.nextUpdate(1, true, true, readAt); isDue || wait != 0 {
		t.Errorf("without new data: due %v, in %v", isDue, wait)
	}
	early := readAt.Add(updateGap / 5)
	if isDue, wait := p.nextUpdate(2, true, true, early); isDue || wait != updateGap*4/5 {
		t.Errorf("soon after an update: due %v, in %v", isDue, wait)
	}
	if isDue, wait := p.nextUpdate(3, true, true, early); isDue || wait != 0 {
		t.Errorf("while an update is scheduled: due %v, in %v", isDue, wait)
	}
	p.isScheduled = false
	if isDue, _ := p.nextUpdate(3, true, true, readAt.Add(updateGap)); !isDue {
		t.Error("the scheduled update is not due")
	}
}

func TestPagesAreUpdatedAtOnceWhenComplete(t *testing.T) {
	p := readProgress{version: 1, updatedAt: readAt, isIncomplete: true}
	if isDue, _ := p.nextUpdate(2, true, false, readAt); !isDue {
		t.Error("the last data that the page needs is not shown at once")
	}
	p = readProgress{version: 1, updatedAt: readAt}
	if isDue, _ := p.nextUpdate(2, false, false, readAt); !isDue {
		t.Error("the last data is not shown at once")
	}
}

func TestAccountIsReadEveryMinuteAndSavedEveryFiveMinutes(t *testing.T) {
	var p readProgress
	watched, saved := 0, 0
	for range int(10 * time.Minute / checkTime) {
		isWatchDue, isSaveDue := p.countCheck()
		if isWatchDue {
			watched++
		}
		if isSaveDue {
			saved++
		}
	}
	if watched != 10 || saved != 2 {
		t.Errorf("in ten minutes watched %d times and saved %d times", watched, saved)
	}
}
