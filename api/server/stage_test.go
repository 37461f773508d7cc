package server_test

import (
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
)

func TestNewOrderReachesEveryStage(t *testing.T) {
	s := start(t, &server.Server{})
	client, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	for stage, want := range map[server.OrderStage]struct {
		order   api.OrderStatus
		mission api.MissionStatus
	}{
		server.StagePlaced: {api.OrderBiddingWithQuote, api.MissionAwaitingPilot}, server.StageQuoted: {api.OrderBiddingWithQuote, api.MissionAwaitingPilot},
		server.StageAccepted: {api.OrderPendingOperator, api.MissionAwaitingPilot}, server.StageAssigned: {api.OrderOperatorAssigned, api.MissionPilotAssigned},
		server.StageScheduled: {api.OrderFlyingDateSet, api.MissionFlightScheduled}, server.StageDelivered: {api.OrderCompleted, api.MissionDataDelivered},
		server.StageCompleted: {api.OrderCompleted, api.MissionCompleted}, server.StageNotFeasible: {api.OrderNotFeasible, api.MissionCancelled},
		server.StageCancelled: {api.OrderCancelled, api.MissionCancelled}, server.StageRejected: {api.OrderRejected, api.MissionCancelled},
		server.StageArchived: {api.OrderArchived, api.MissionAwaitingPilot}, server.StageDeleted: {api.OrderDeleted, api.MissionAwaitingPilot},
	} {
		o, err := s.NewOrder(t.Context(), client, stage)
		if err != nil || o.Status != want.order || len(o.Missions) != 1 || o.Missions[0].Status != want.mission {
			t.Errorf("stage %s: %+v, %v", stage, o, err)
		}
	}
}
