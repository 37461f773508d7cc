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

// NewOrder places an order of one mission and takes it to a stage. It sends the requests of the
// account with client, which must be a client of this server. All other steps use the operations
// API. It returns the order with its mission at that stage.
func (s *Server) NewOrder(ctx context.Context, client *api.Client, stage OrderStage) (*api.Order, error) {
	operations, err := s.Ops()
	if err != nil {
		return nil, err
	}
	return ops.NewOrder(ctx, client, operations, stage, s.Now())
}
