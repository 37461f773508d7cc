package tui

import (
	"testing"
	"time"
)

var readAt = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestPagesAreUpdatedAFewTimesPerSecondWhileReading(t *testing.T) {
	var p readProgress
	if wait, isNeeded := p.nextUpdate(1, true, true, readAt); !isNeeded || wait != 0 {
		t.Fatal("the first data is not shown at once")
	}
	p.update(1, readAt)
	if _, isNeeded := p.nextUpdate(1, true, true, readAt); isNeeded {
		t.Error("the pages are updated without new data")
	}
	early := readAt.Add(updateGap / 5)
	if wait, isNeeded := p.nextUpdate(2, true, true, early); !isNeeded || wait != updateGap*4/5 {
		t.Errorf("soon after an update: needed %v, in %v", isNeeded, wait)
	}
	p.isScheduled = true
	if _, isNeeded := p.nextUpdate(3, true, true, early); isNeeded {
		t.Error("a second update is scheduled")
	}
	p.isScheduled = false
	if wait, isNeeded := p.nextUpdate(3, true, true, readAt.Add(updateGap)); !isNeeded || wait != 0 {
		t.Error("the scheduled update is not due")
	}
}

func TestPagesAreUpdatedAtOnceWhenComplete(t *testing.T) {
	p := readProgress{version: 1, updatedAt: readAt, isIncomplete: true}
	if wait, isNeeded := p.nextUpdate(2, true, false, readAt); !isNeeded || wait != 0 {
		t.Error("the last data that the page needs is not shown at once")
	}
	p = readProgress{version: 1, updatedAt: readAt}
	if wait, isNeeded := p.nextUpdate(2, false, false, readAt); !isNeeded || wait != 0 {
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
