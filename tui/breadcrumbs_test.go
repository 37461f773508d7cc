package tui

import "testing"

func TestBreadcrumbsThatDoNotFitLeaveOutTheMiddle(t *testing.T) {
	titles := []string{"Webhooks", "ORD-1", "Timeline", "MSN-1"}
	for _, c := range []struct {
		titles []string
		w      int
		want   int
	}{
		{titles, 35, 0}, // Webhooks › ORD-1 › Timeline › MSN-1
		{titles, 34, 1}, // Webhooks › … › Timeline › MSN-1
		{titles, 30, 2}, // Webhooks › … › MSN-1
		{titles, 5, 2},
		{titles[:2], 5, 0},
		{titles[:1], 5, 0},
	} {
		if got := countOmitted(c.titles, c.w); got != c.want {
			t.Errorf("%d of %d titles are left out in %d cells, not %d", got, len(c.titles), c.w, c.want)
		}
	}
}
