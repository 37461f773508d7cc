package api

import (
	"strings"
	"testing"
	"time"
)

func TestAWalkEndsAfterTheTimeLimit(t *testing.T) {
	next, began := "c", time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	page := Page[struct{}]{NextCursor: &next, HasNextPage: true}
	walk := ListWalk{}
	if got, err := walk.addPage(page, 1, 1, began); got != "c" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	next = "d"
	if got, err := walk.addPage(page, 1, 1, began.Add(maxListTime)); got != "" || err == nil || !strings.Contains(err.Error(), "10 minutes") {
		t.Errorf("%q, %v", got, err)
	}
}
