package api

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAWalkEndsAfterTheTimeLimit(t *testing.T) {
	began := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	page := pageEnd{rowCount: 1, newCount: 1, hasNext: true, cursor: "c"}
	walk := ListWalk{}
	if got, err := walk.addPage(page, began); got != "c" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	page.cursor = "d"
	if got, err := walk.addPage(page, began.Add(maxListTime)); got != "" || err == nil || !strings.Contains(err.Error(), "10 minutes") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAWalkOfNumberedPagesEndsAfterTheTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endless := func(n int) ([]string, error) {
			time.Sleep(time.Minute) // of the test's clock
			return []string{strconv.Itoa(n)}, nil
		}
		id := func(row *string) string { return *row }
		rows := 0
		var last error
		for _, err := range walkPages(t.Context(), endless, id) {
			if err != nil {
				last = err
				break
			}
			if rows++; rows > 100 {
				break
			}
		}
		if rows != 11 || last == nil || !strings.Contains(last.Error(), "10 minutes") {
			t.Errorf("%d rows, %v", rows, last)
		}
	})
}
