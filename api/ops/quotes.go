package ops

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// Quote is a quote as Operations sees it.
type Quote struct {
	api.Quote
	UUID      string          `json:"uuid"` // the quoteId
	Status    api.QuoteStatus `json:"status"`
	CreatedAt api.Time        `json:"createdAt"`
	DecidedAt api.Time        `json:"decidedAt"` // zero: not yet
}

// IsDecidable reports whether the client can decide the quote at the time now:
// it is open and not expired.
func (q *Quote) IsDecidable(now time.Time) bool {
	return q.Status == api.QuoteOpen && !q.IsExpired(now)
}

// QuoteInput is a new quote. The final price is worked out by the service.
type QuoteInput struct {
	QuoteName           string   `json:"quoteName" check:"required,name"`
	DeliveryBy          int      `json:"deliveryBy" check:"required,days"` // days, 1 to [MaxDeliveryDays]
	PriceBeforeDiscount float64  `json:"priceBeforeDiscount" check:"required,price"`
	ExpiryDate          api.Time `json:"expiryDate" check:"required"` // in the future
	Description         string   `json:"description,omitzero" check:"remark"`
	Currency            string   `json:"currency,omitzero" check:"currency"`       // the account's if empty
	DiscountPercent     float64  `json:"discountPercent,omitzero" check:"percent"` // 0 to 100
	ReasonForDiscount   string   `json:"reasonForDiscount,omitzero" check:"text"`
}

// Limits of quotes.
const (
	MaxDeliveryDays = 3650
	MaxPrice        = 1e12 // before discount, in any currency
)

// NotificationInput is how a client is to hear that an order is complete.
// Setting it replaces earlier faults.
type NotificationInput struct {
	Webhook string `json:"webhook,omitzero" check:"url"` // https; "": none
	Email   bool   `json:"email,omitzero" check:"optional"`
}

// NotificationSettings are notifications as they were set, with the secret
// that the webhook is signed with.
type NotificationSettings struct {
	Webhook string           `json:"webhook"`
	Email   bool             `json:"email"`
	Secret  string           `json:"secret,omitzero"` // "" without a webhook
	Extra   api.ExtraMembers `json:",embed"`
}

// DatasetInput is a new dataset of the data library. All but its name may be
// empty.
type DatasetInput struct {
	DatasetName   string      `json:"datasetName" check:"required,name"`
	Categories    []string    `json:"categories,omitzero" check:"optional"`
	Description   string      `json:"description,omitzero" check:"remark"`
	SDGGoals      []string    `json:"sdgGoals,omitzero" check:"optional"`
	LocationLabel string      `json:"locationLabel,omitzero" check:"label"`
	LocationMap   []api.Point `json:"locationMap,omitzero" check:"optional"`
	DateCompleted api.Date    `json:"dateCompleted,omitzero" check:"optional"`
}

// Dataset is a dataset as Operations made it.
type Dataset struct {
	api.Dataset
	UUID string `json:"uuid"` // the id
}

// Issue makes a quote for an order that bids.
func (s *QuotesService) Issue(ctx context.Context, orderUUID string, in QuoteInput) (*Quote, error) {
	return api.CallOne[Quote](ctx, s.c, api.NewOperation("issue quote", "POST orders/{}/quotes", orderUUID), in)
}

// End makes the [api.EndingMove] of an order. Where there is none the service
// says why.
func (s *OrdersService) End(ctx context.Context, order *Order, reason string) (*api.Order, error) {
	if move, _ := api.EndingMove(order.Status); move == api.MoveReject {
		return s.Reject(ctx, order.UUID, reason)
	}
	return s.NotFeasible(ctx, order.UUID, reason)
}

// NotFeasible ends an order that is being carried out, since it cannot be
// flown. Doing it again changes nothing.
func (s *OrdersService) NotFeasible(ctx context.Context, orderUUID, reason string) (*api.Order, error) {
	op := api.NewOperation("report order as not feasible", "POST orders/{}/not-feasible", orderUUID).
		Repeatable()
	return api.CallOne[api.Order](ctx, s.c, op, map[string]string{"reason": reason})
}

// Reject ends an order before a quote is accepted. Doing it again changes
// nothing.
func (s *OrdersService) Reject(ctx context.Context, orderUUID, reason string) (*api.Order, error) {
	op := api.NewOperation("reject order", "POST orders/{}/reject", orderUUID).Repeatable()
	return api.CallOne[api.Order](ctx, s.c, op, map[string]string{"reason": reason})
}

// Delete takes an order away from its account; Operations still has it. Doing it
// again changes nothing.
func (s *OrdersService) Delete(ctx context.Context, orderUUID string) (*api.Order, error) {
	return api.CallOne[api.Order](
		ctx,
		s.c,
		api.NewOperation("delete order", "DELETE orders/{}", orderUUID),
		nil,
	)
}

// SetDetails sets the members of an order record that no public request sets,
// all of them.
func (s *OrdersService) SetDetails(
	ctx context.Context,
	orderUUID string,
	in api.RecordDetails,
) (*api.RecordDetails, error) {
	return api.CallOne[api.RecordDetails](
		ctx,
		s.c,
		api.NewOperation("set order details", "PUT orders/{}/details", orderUUID),
		in,
	)
}

// SetNotifications sets how the client hears that an order is complete. The
// secret stays the same as long as the address does.
func (s *OrdersService) SetNotifications(
	ctx context.Context,
	orderUUID string,
	in NotificationInput,
) (*NotificationSettings, error) {
	op := api.NewOperation("set notifications", "PUT orders/{}/notifications", orderUUID)
	return api.CallOne[NotificationSettings](ctx, s.c, op, in)
}

// Add uploads a dataset that an account has purchased. The kinds of its
// files are those of [api.DeliveryProducts], or jpg.
func (s *DatasetsService) Add(
	ctx context.Context,
	accountUUID string,
	in DatasetInput,
	files ...api.FileInput,
) (*Dataset, error) {
	op := api.NewOperation("add dataset", "POST accounts/{}/datasets", accountUUID).Slow(10)
	fields := [][2]string{
		{"datasetName", in.DatasetName},
		{"description", in.Description},
		{"locationLabel", in.LocationLabel},
		{"dateCompleted", in.DateCompleted.String()},
	}
	for _, category := range in.Categories {
		fields = append(fields, [2]string{"categories", category})
	}
	for _, goal := range in.SDGGoals {
		fields = append(fields, [2]string{"sdgGoals", goal})
	}
	if len(in.LocationMap) > 0 {
		var points strings.Builder
		if err := json.MarshalWrite(&points, in.LocationMap); err != nil {
			return nil, err
		}
		fields = append(fields, [2]string{"locationMap", points.String()})
	}
	for _, f := range files {
		fields = append(fields, [2]string{"fileDataType", string(f.FileDataType)})
	}
	return api.CallOne[Dataset](ctx, s.c, op.WithForm(fields, "files", files...), nil)
}

// Generate has the service make sample files of the place that in names
// by LocationMap, as a dataset that an account has purchased.
func (s *DatasetsService) Generate(ctx context.Context, accountUUID string, in DatasetInput) (*Dataset, error) {
	body := struct {
		DatasetInput
		Generate bool `json:"generate"`
	}{in, true}
	op := api.NewOperation("generate dataset", "POST accounts/{}/datasets", accountUUID).Slow(10)
	return api.CallOne[Dataset](ctx, s.c, op, body)
}
