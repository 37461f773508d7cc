package commands

import (
	"strings"
	"testing"

	"flightdesk/api"
)

func TestRefuseOrderMove(t *testing.T) {
	delivered := []api.Mission{{MissionCode: "MSN-1", Status: api.MissionDataDelivered}}
	for _, tt := range []struct {
		name     string
		order    api.Order
		move     api.OrderMove
		contains string // "" where the move is possible
	}{
		{"bidding", api.Order{Status: api.OrderBiddingWithQuote}, api.MoveCancel, ""},
		{"done before", api.Order{Status: api.OrderCancelled}, api.MoveCancel, "is already cancelled"},
		{"too late", api.Order{Status: api.OrderCompleted}, api.MoveReject, "only orders that are bidding can be rejected"},
		{"data delivered", api.Order{Status: api.OrderFlyingDateSet, Missions: delivered}, api.MoveCancel, "data of MSN-1 is already delivered"},
		{"unknown status", api.Order{Status: "onHold"}, api.MoveArchive, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.order.OrderCode = "ORD-1"
			got := RefuseOrderMove(&tt.order, tt.move)
			if (got == "") != (tt.contains == "") || !strings.Contains(got, tt.contains) {
				t.Errorf("got %q, want %q", got, tt.contains)
			}
		})
	}
}
