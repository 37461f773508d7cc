package server_test

import (
	"slices"
	"strings"
	"testing"

	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

func TestWhatIsHeldIsBounded(t *testing.T) {
	var h server.Held
	for i := range int64(100) {
		h.Add([]store.Delivery{{ID: i, WebhookID: i % 2, Body: strings.Repeat("x", 1<<18)}})
	}
	found, others := h.Take([]int64{0, 1, 99})
	if len(found) != 2 || !slices.Equal(others, []int64{99}) {
		t.Fatalf("%d found, others %v", len(found), others)
	}
	if again, _ := h.Take([]int64{0}); len(again) != 0 {
		t.Error("given out twice")
	}
	h.Add([]store.Delivery{{ID: 2, Body: "old"}})
	h.Add([]store.Delivery{{ID: 2, Body: "new"}, {ID: 200, WebhookID: 1}})
	h.Forget(1)
	if found, others = h.Take([]int64{2, 3, 200}); len(found) != 1 || found[0].Body != "new" || len(others) != 2 {
		t.Errorf("%d found, others %v", len(found), others)
	}
	h.Take([]int64{4, 6})
	if n := h.Size(); n != 0 {
		t.Errorf("%d bytes of nothing", n)
	}
}
