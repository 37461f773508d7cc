package ops

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// Quote is a quote with the data that only Operations can read.
type Quote struct {
	api.Quote
	UUID      string          `json:"uuid"` // the quoteId of the client interface
	Status    api.QuoteStatus `json:"status"`
	CreatedAt api.Time        `json:"createdAt"`
	DecidedAt api.Time        `json:"decidedAt"` // zero until decided
}

// IsDecidable reports whether the client can decide the quote at the time now: it is open and not
// expired.
func (q *Quote) IsDecidable(now time.Time) bool {
	return q.Status == api.QuoteOpen && !q.IsExpired(now)
}

// QuoteInput is the request to issue a quote. The service calculates the final price.
type QuoteInput struct {
	QuoteName           string   `json:"quoteName" check:"required,name"`
	DeliveryBy          int      `json:"deliveryBy" check:"required,days"` // days, 1 to [MaxDeliveryDays]
	PriceBeforeDiscount float64  `json:"priceBeforeDiscount" check:"required,price"`
	ExpiryDate          api.Time `json:"expiryDate" check:"required"` // must be in the future
	Description         string   `json:"description,omitzero" check:"remark"`
	Currency            string   `json:"currency,omitzero" check:"currency"`       // the account's currency if empty
	DiscountPercent     float64  `json:"discountPercent,omitzero" check:"percent"` // 0 to 100
	ReasonForDiscount   string   `json:"reasonForDiscount,omitzero" check:"text"`
}

// Limits of quotes.
const (
	MaxDeliveryDays = 3650
	MaxPrice        = 1e12 // before discount, in any currency
)

// NotificationInput sets how a client is notified that an order is complete. It replaces all earlier
// settings and the record of failed notifications.
type NotificationInput struct {
	Webhook string `json:"webhook,omitzero" check:"url"` // https address; empty if there is none
	Email   bool   `json:"email,omitzero" check:"optional"`
}

// NotificationSettings are the notification settings of an order, with the secret that signs the
// webhook.
type NotificationSettings struct {
	Webhook string           `json:"webhook"`
	Email   bool             `json:"email"`
	Secret  string           `json:"secret,omitzero"` // "" without a webhook
	Extra   api.ExtraMembers `json:",embed"`
}

// DatasetInput is the request to add a dataset to the data library. Only the name is required.
type DatasetInput struct {
	DatasetName   string      `json:"datasetName" check:"required,name"`
	Categories    []string    `json:"categories,omitzero" check:"optional"`
	Description   string      `json:"description,omitzero" check:"remark"`
	SDGGoals      []string    `json:"sdgGoals,omitzero" check:"optional"`
	LocationLabel string      `json:"locationLabel,omitzero" check:"label"`
	LocationMap   []api.Point `json:"locationMap,omitzero" check:"optional"`
	DateCompleted api.Date    `json:"dateCompleted,omitzero" check:"optional"`
}

// Dataset is a dataset of the data library, as the operations API shows it.
type Dataset struct {
	api.Dataset
	UUID string `json:"uuid"` // the same as ID; the operations API calls every ID uuid
}

// Issue issues a quote for an order in review.
func (s *QuotesService) Issue(ctx context.Context, orderUUID string, in QuoteInput) (*Quote, error) {
	return api.CallOne[Quote](ctx, s.c, api.NewOperation("issue quote", "POST orders/{}/quotes", orderUUID), in)
}

// End ends an order with the move that its status allows: [OrdersService.Reject] or
// [OrdersService.NotFeasible], see [api.EndingMove]. If the status allows neither, End returns the
// error of the service.
func (s *OrdersService) End(ctx context.Context, order *Order, reason string) (*api.Order, error) {
	if move, _ := api.EndingMove(order.Status); move == api.MoveReject {
		return s.Reject(ctx, order.UUID, reason)
	}
	return s.NotFeasible(ctx, order.UUID, reason)
}

// NotFeasible ends an order in progress that cannot be flown. Repeating it changes nothing.
func (s *OrdersService) NotFeasible(ctx context.Context, orderUUID, reason string) (*api.Order, error) {
	op := api.NewOperation("report order as not feasible", "POST orders/{}/not-feasible", orderUUID).
		Repeatable()
	return api.CallOne[api.Order](ctx, s.c, op, map[string]string{"reason": reason})
}

// Reject ends an order before a quote is accepted. Repeating it changes nothing.
func (s *OrdersService) Reject(ctx context.Context, orderUUID, reason string) (*api.Order, error) {
	op := api.NewOperation("reject order", "POST orders/{}/reject", orderUUID).Repeatable()
	return api.CallOne[api.Order](ctx, s.c, op, map[string]string{"reason": reason})
}

// Delete removes an order from its account. Operations can still read it. Repeating it changes
// nothing.
func (s *OrdersService) Delete(ctx context.Context, orderUUID string) (*api.Order, error) {
	return api.CallOne[api.Order](
		ctx,
		s.c,
		api.NewOperation("delete order", "DELETE orders/{}", orderUUID),
		nil,
	)
}

// SetDetails replaces all members of an order record that the public API cannot set.
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

// SetNotifications sets how the client is notified that an order is complete. The secret only
// changes with the address.
func (s *OrdersService) SetNotifications(
	ctx context.Context,
	orderUUID string,
	in NotificationInput,
) (*NotificationSettings, error) {
	op := api.NewOperation("set notifications", "PUT orders/{}/notifications", orderUUID)
	return api.CallOne[NotificationSettings](ctx, s.c, op, in)
}

// Add uploads a dataset for an account. The kinds of its files are jpg or [api.DeliveryProducts].
func (s *DatasetsService) Add(
	ctx context.Context,
	accountUUID string,
	in DatasetInput,
	files ...api.FileInput,
) (*Dataset, error) {
	fields, err := in.formFields()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		fields = append(fields, [2]string{"fileDataType", string(f.FileDataType)})
	}
	op := api.NewOperation("add dataset", "POST accounts/{}/datasets", accountUUID).Slow(10)
	return api.CallOne[Dataset](ctx, s.c, op.WithForm(fields, "files", files...), nil)
}

// formFields returns the fields of the form that adds a dataset, as pairs of name and value.
func (in DatasetInput) formFields() ([][2]string, error) {
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
	return fields, nil
}

// Generate creates a dataset for an account at the service, with sample files of the location
// in.LocationMap.
func (s *DatasetsService) Generate(ctx context.Context, accountUUID string, in DatasetInput) (*Dataset, error) {
	body := struct {
		DatasetInput
		Generate bool `json:"generate"`
	}{in, true}
	op := api.NewOperation("generate dataset", "POST accounts/{}/datasets", accountUUID).Slow(10)
	return api.CallOne[Dataset](ctx, s.c, op, body)
}
