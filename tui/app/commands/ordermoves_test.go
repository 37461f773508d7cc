package commands

import (
	"strings"
	"testing"

	"flightdesk/api"
)

func TestAnUnusualMoveHasAWarning(t *testing.T) {
	delivered := []api.Mission{{MissionCode: "MSN-1", Status: api.MissionDataDelivered}}
	for _, tt := range []struct {
		name     string
		order    api.Order
		move     api.OrderMove
		contains string // "" if nothing speaks against the move
	}{
		{"bidding", api.Order{Status: api.OrderBiddingWithQuote}, api.MoveCancel, ""},
		{"too late", api.Order{Status: api.OrderCompleted}, api.MoveReject, "usually only orders that are in review can be rejected. The service may refuse it."},
		{"data delivered", api.Order{Status: api.OrderFlyingDateSet, Missions: delivered}, api.MoveCancel, "Data of MSN-1 is already delivered. The service may refuse"},
		{"unknown status", api.Order{Status: "onHold"}, api.MoveArchive, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.order.OrderCode = "ORD-1"
			got := DoubtOrderMove(&tt.order, tt.move)
			if (got == "") != (tt.contains == "") || !strings.Contains(got, tt.contains) {
				t.Errorf("got %q, want %q", got, tt.contains)
			}
		})
	}
}
