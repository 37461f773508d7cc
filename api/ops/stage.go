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

// Stages returns the stages to which [NewOrder] can take an order. The first seven follow each
// other; in the other stages, the order ended early.
func Stages() []Stage {
	return []Stage{
		StagePlaced, StageQuoted, StageAccepted, StageAssigned, StageScheduled, StageDelivered, StageCompleted,
		StageNotFeasible, StageCancelled, StageRejected, StageArchived, StageDeleted,
	}
}

// NewOrder places a sample order of one mission and takes it to a stage. client sends the requests
// of the account, such as accepting a quote. desk sends the requests of the operations team, such
// as issuing a quote. NewOrder returns the order with its mission at that stage. now is the
// service's time.
func NewOrder(ctx context.Context, client *api.Client, desk *Client, stage Stage, now time.Time) (*api.Order, error) {
	placed, err := client.Orders.Create(ctx, sampleOrder(now), "")
	if err != nil {
		return nil, err
	}
	order, err := client.Orders.Get(ctx, placed.OrderCode)
	if err != nil {
		return nil, fmt.Errorf("%s was placed, but could not be read: %w", placed.OrderCode, err)
	}
	staged := &stagedOrder{client: client, desk: desk, order: order, now: now}
	for _, move := range movesTo(stage) {
		if err := move(staged, ctx); err != nil {
			return order, fmt.Errorf("%s was placed, but is not at its stage: %w", order.OrderCode, err)
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

// stagedOrder is a sample order that is being taken to a stage, with the clients that this needs.
type stagedOrder struct {
	client *api.Client
	desk   *Client
	order  *api.Order
	quote  *Quote // set by issueQuote
	now    time.Time
}

// stageMove takes an order one step further, for example by issuing or accepting a quote.
type stageMove func(*stagedOrder, context.Context) error

// stageMoves are the moves from [StagePlaced] to [StageCompleted], each to the next stage.
var stageMoves = []stageMove{
	(*stagedOrder).issueQuote,
	(*stagedOrder).acceptQuote,
	(*stagedOrder).assignOperator,
	(*stagedOrder).scheduleFlight,
	(*stagedOrder).deliver,
	(*stagedOrder).acceptDelivery,
}

// movesTo returns the moves that lead to a stage.
func movesTo(stage Stage) []stageMove {
	switch stage {
	case StageNotFeasible:
		return append(slices.Clip(stageMoves[:2]), (*stagedOrder).reportNotFeasible)
	case StageCancelled:
		return []stageMove{(*stagedOrder).cancel}
	case StageRejected:
		return []stageMove{(*stagedOrder).reject}
	case StageArchived:
		return []stageMove{(*stagedOrder).archive}
	case StageDeleted:
		return []stageMove{(*stagedOrder).delete}
	}
	count := slices.Index(Stages(), stage)
	return stageMoves[:max(count, 0)]
}

// stageReason is the reason of moves that need one.
const stageReason = "for a test"

func (o *stagedOrder) missionUUID() string { return o.order.Missions[0].UUID }

func (o *stagedOrder) issueQuote(ctx context.Context) (err error) {
	o.quote, err = o.desk.Quotes.Issue(ctx, o.order.UUID, QuoteInput{
		QuoteName:           "Economy",
		DeliveryBy:          20,
		PriceBeforeDiscount: 1388.43,
		ExpiryDate:          api.TimeOf(o.now.AddDate(0, 0, 14)),
	})
	return err
}

func (o *stagedOrder) acceptQuote(ctx context.Context) error {
	_, err := o.client.Quotes.Accept(ctx, o.order.UUID, o.quote.QuoteID)
	return err
}

func (o *stagedOrder) assignOperator(ctx context.Context) error {
	_, err := o.desk.Missions.AssignOperator(ctx, o.missionUUID(), "Nordwind Drones")
	return err
}

func (o *stagedOrder) scheduleFlight(ctx context.Context) error {
	flight := FlightInput{FlightDate: api.TimeOf(o.now.AddDate(0, 0, 9))}
	_, err := o.desk.Missions.Schedule(ctx, o.missionUUID(), flight)
	return err
}

func (o *stagedOrder) deliver(ctx context.Context) error {
	_, err := o.desk.Missions.GenerateDelivery(ctx, o.missionUUID())
	return err
}

func (o *stagedOrder) acceptDelivery(ctx context.Context) error {
	_, err := o.desk.Missions.AcceptDelivery(ctx, o.missionUUID())
	return err
}

func (o *stagedOrder) reportNotFeasible(ctx context.Context) error {
	_, err := o.desk.Orders.NotFeasible(ctx, o.order.UUID, stageReason)
	return err
}

func (o *stagedOrder) cancel(ctx context.Context) error {
	_, err := o.client.Orders.Cancel(ctx, o.order.UUID)
	return err
}

func (o *stagedOrder) reject(ctx context.Context) error {
	_, err := o.client.Orders.Reject(ctx, o.order.UUID, stageReason)
	return err
}

func (o *stagedOrder) archive(ctx context.Context) error {
	_, err := o.client.Orders.Archive(ctx, o.order.UUID, stageReason)
	return err
}

func (o *stagedOrder) delete(ctx context.Context) error {
	_, err := o.desk.Orders.Delete(ctx, o.order.UUID)
	return err
}
