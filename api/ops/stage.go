package ops

import (
	"context"
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
)

// Stage is how far [NewOrder] takes an order.
type Stage string

// The stages. The first seven follow each other, the others end an order early.
const (
	StagePlaced      Stage = "placed"      // waits for quotes
	StageQuoted      Stage = "quoted"      // has one quote that can be decided
	StageAccepted    Stage = "accepted"    // its quote is accepted, operators are pending
	StageAssigned    Stage = "assigned"    // its mission has an operator
	StageScheduled   Stage = "scheduled"   // its mission has a flight date
	StageDelivered   Stage = "delivered"   // its mission has a package of sample files, which completes the order
	StageCompleted   Stage = "completed"   // the package is accepted
	StageNotFeasible Stage = "notFeasible" // ended by the service once the quote was accepted
	StageCancelled   Stage = "cancelled"   // by the client, without a quote
	StageRejected    Stage = "rejected"    // by the client, without a quote
	StageArchived    Stage = "archived"    // by the client, without a quote
	StageDeleted     Stage = "deleted"     // by the service, without a quote
)

// Stages returns all stages.
func Stages() []Stage {
	return []Stage{
		StagePlaced, StageQuoted, StageAccepted, StageAssigned, StageScheduled, StageDelivered, StageCompleted,
		StageNotFeasible, StageCancelled, StageRejected, StageArchived, StageDeleted,
	}
}

// NewOrder places a sample order of one mission with a client of an account and makes the
// moves, the service's and the client's, that take it to a stage. It returns the order with its
// mission as both are then. now is the service's time.
func NewOrder(ctx context.Context, client *api.Client, desk *Client, stage Stage, now time.Time) (*api.Order, error) {
	placed, err := client.Orders.Create(ctx, sampleOrder(now), "")
	if err != nil {
		return nil, err
	}
	order, err := client.Orders.Get(ctx, placed.OrderCode)
	if err != nil {
		return nil, err
	}
	for _, move := range movesTo(ctx, stage, desk, client, order, now) {
		if err := move(); err != nil {
			return order, fmt.Errorf("take %s to its stage: %w", order.OrderCode, err)
		}
	}
	if stage == StageDeleted { // the client does not see it any more
		order.Status = api.OrderDeleted
		return order, nil
	}
	return client.Orders.Get(ctx, order.OrderCode)
}

func sampleOrder(now time.Time) api.CreateOrderRequest {
	return api.CreateOrderRequest{
		Order: api.OrderInput{
			CompanyName: "Test account",
			OrderName:   "Elbe levee",
			OrderType:   api.SingleLocation,
			Sensors:     []api.Sensor{api.SensorRGB},
			Deliverables: []api.Deliverable{
				api.Deliverable2DMap,
			},
			MissionObjective:  api.ObjectiveMapAndSurvey,
			IndustryAssetType: api.AssetWaterManagement,
			StartDate:         api.TimeOf(now.AddDate(0, 0, 1)),
			Deadline:          api.TimeOf(now.AddDate(0, 0, 40)),
		},
		Missions: []api.MissionInput{
			{
				MissionName:   "Levee km 3",
				MissionType:   api.MissionArea,
				Country:       "Germany",
				LocationLabel: "Stade",
				AreaSize:      142_000,
				LocationMap: []api.Point{
					{Lat: 53.6, Lng: 9.4},
					{Lat: 53.6, Lng: 9.405},
					{Lat: 53.603, Lng: 9.405},
					{Lat: 53.603, Lng: 9.4},
				},
			},
		},
	}
}

type stageMove func() error

// movesTo lists what leads to a stage.
func movesTo(
	ctx context.Context,
	stage Stage,
	desk *Client,
	client *api.Client,
	order *api.Order,
	now time.Time,
) []stageMove {
	const reason = "for a test"
	id, mission := order.UUID, order.Missions[0].UUID
	var quote *Quote
	way := []stageMove{
		func() (err error) {
			quote, err = desk.Quotes.Issue(ctx, id, QuoteInput{
				QuoteName:           "Economy",
				DeliveryBy:          20,
				PriceBeforeDiscount: 1388.43,
				ExpiryDate:          api.TimeOf(now.AddDate(0, 0, 14)),
			})
			return err
		},
		func() error { return errorOf(client.Quotes.Accept(ctx, id, quote.QuoteID)) },
		func() error {
			return errorOf(desk.Missions.AssignOperator(ctx, mission, "Nordwind Drones"))
		},
		func() error {
			return errorOf(
				desk.Missions.Schedule(
					ctx,
					mission,
					FlightInput{FlightDate: api.TimeOf(now.AddDate(0, 0, 9))},
				),
			)
		},
		func() error { return errorOf(desk.Missions.GenerateDelivery(ctx, mission)) },
		func() error { return errorOf(desk.Missions.AcceptDelivery(ctx, mission)) },
	}
	switch stage {
	case StageNotFeasible:
		return append(
			way[:2],
			func() error { return errorOf(desk.Orders.NotFeasible(ctx, id, reason)) },
		)
	case StageCancelled:
		return []stageMove{func() error { return errorOf(client.Orders.Cancel(ctx, id)) }}
	case StageRejected:
		return []stageMove{func() error { return errorOf(client.Orders.Reject(ctx, id, reason)) }}
	case StageArchived:
		return []stageMove{func() error { return errorOf(client.Orders.Archive(ctx, id, reason)) }}
	case StageDeleted:
		return []stageMove{func() error { return errorOf(desk.Orders.Delete(ctx, id)) }}
	}
	count := slices.Index(Stages(), stage)
	return way[:min(max(count, 0), len(way))]
}

// errorOf leaves out what a call returned.
func errorOf[T any](_ T, err error) error { return err }
