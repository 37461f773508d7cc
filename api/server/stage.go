package server

import (
	"context"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// OrderStage is the stage to which [Server.NewOrder] takes an order.
type OrderStage = ops.Stage

// Stages of orders; see package ops.
const (
	StagePlaced      = ops.StagePlaced
	StageQuoted      = ops.StageQuoted
	StageAccepted    = ops.StageAccepted
	StageAssigned    = ops.StageAssigned
	StageScheduled   = ops.StageScheduled
	StageDelivered   = ops.StageDelivered
	StageCompleted   = ops.StageCompleted
	StageNotFeasible = ops.StageNotFeasible
	StageCancelled   = ops.StageCancelled
	StageRejected    = ops.StageRejected
	StageArchived    = ops.StageArchived
	StageDeleted     = ops.StageDeleted
)

// NewOrder places an order of one mission with a client of this server and takes the order to
// a stage. It takes the steps of the account with the client, and all other steps through the
// operations API. It returns the order with its mission at that stage.
func (s *Server) NewOrder(ctx context.Context, client *api.Client, stage OrderStage) (*api.Order, error) {
	operations, err := s.Ops()
	if err != nil {
		return nil, err
	}
	return ops.NewOrder(ctx, client, operations, stage, s.Now())
}
