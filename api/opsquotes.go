package api

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"
)

// OpsQuote is a quote as Operations sees it.
type OpsQuote struct {
	Quote
	UUID      string      `json:"uuid"` // the quoteId
	Status    QuoteStatus `json:"status"`
	CreatedAt Time        `json:"createdAt"`
	DecidedAt Time        `json:"decidedAt"` // zero: not yet
}

// QuoteInput is a new quote. The final price is worked out by the service.
type QuoteInput struct {
	QuoteName           string  `json:"quoteName" check:"required,name"`
	DeliveryBy          int     `json:"deliveryBy" check:"required,days"` // days, 1 to [MaxDeliveryDays]
	PriceBeforeDiscount float64 `json:"priceBeforeDiscount" check:"required,price"`
	ExpiryDate          Time    `json:"expiryDate" check:"required"` // in the future
	Description         string  `json:"description,omitzero" check:"remark"`
	Currency            string  `json:"currency,omitzero" check:"currency"`       // the account's if empty
	DiscountPercent     float64 `json:"discountPercent,omitzero" check:"percent"` // 0 to 100
	ReasonForDiscount   string  `json:"reasonForDiscount,omitzero" check:"text"`
}

// Limits of quotes.
const (
	MaxDeliveryDays = 3650
	MaxPrice        = 1e12 // before discount, in any currency
)

// OrderDetails are the members of an order record that no public request sets.
// Setting them replaces all of them.
type OrderDetails struct {
	Description    string          `json:"description,omitzero" check:"remark"`
	OtherMapType   string          `json:"otherMapType,omitzero" check:"label"`
	PointOfContact *PointOfContact `json:"pointOfContact,omitzero" check:"optional"`
	AdvancedOption *AdvancedOption `json:"advancedOption,omitzero" check:"optional"`
	Extra          ExtraMembers    `json:",embed"`
}

// NotificationInput is how a client is to hear that an order is complete.
// Setting it replaces earlier faults.
type NotificationInput struct {
	Webhook string `json:"webhook,omitzero" check:"url"` // https; "": none
	Email   bool   `json:"email,omitzero" check:"optional"`
}

// NotificationSettings are notifications as they were set, with the secret
// that the webhook is signed with.
type NotificationSettings struct {
	Webhook string       `json:"webhook"`
	Email   bool         `json:"email"`
	Secret  string       `json:"secret,omitzero"` // "" without a webhook
	Extra   ExtraMembers `json:",embed"`
}

// DatasetInput is a new dataset of the data library. All but its name may be
// empty.
type DatasetInput struct {
	DatasetName   string   `json:"datasetName" check:"required,name"`
	Categories    []string `json:"categories,omitzero" check:"optional"`
	Description   string   `json:"description,omitzero" check:"remark"`
	SDGGoals      []string `json:"sdgGoals,omitzero" check:"optional"`
	LocationLabel string   `json:"locationLabel,omitzero" check:"label"`
	LocationMap   []Point  `json:"locationMap,omitzero" check:"optional"`
	DateCompleted Date     `json:"dateCompleted,omitzero" check:"optional"`
}

// OpsDataset is a dataset as Operations made it.
type OpsDataset struct {
	Dataset
	UUID string `json:"uuid"` // the id
}

// Issue makes a quote for an order that bids.
func (s *OpsQuotesService) Issue(ctx context.Context, orderUUID string, in QuoteInput) (*OpsQuote, error) {
	return opsCall[OpsQuote](ctx, s.c, newOperation("issue quote", "POST orders/{}/quotes", orderUUID), in)
}

// End makes the [EndingMove] of an order. Where there is none the service
// says why.
func (s *OpsOrdersService) End(ctx context.Context, order *OpsOrder, reason string) (*Order, error) {
	if move, _ := EndingMove(order.Status); move == MoveReject {
		return s.Reject(ctx, order.UUID, reason)
	}
	return s.NotFeasible(ctx, order.UUID, reason)
}

// NotFeasible ends an order that is being carried out, since it cannot be
// flown. Doing it again changes nothing.
func (s *OpsOrdersService) NotFeasible(ctx context.Context, orderUUID, reason string) (*Order, error) {
	op := newOperation("report order as not feasible", "POST orders/{}/not-feasible", orderUUID).repeatable()
	return opsCall[Order](ctx, s.c, op, map[string]string{"reason": reason})
}

// Reject ends an order before a quote is accepted. Doing it again changes
// nothing.
func (s *OpsOrdersService) Reject(ctx context.Context, orderUUID, reason string) (*Order, error) {
	op := newOperation("reject order", "POST orders/{}/reject", orderUUID).repeatable()
	return opsCall[Order](ctx, s.c, op, map[string]string{"reason": reason})
}

// Delete takes an order away from its account; Operations still has it. Doing it
// again changes nothing.
func (s *OpsOrdersService) Delete(ctx context.Context, orderUUID string) (*Order, error) {
	return opsCall[Order](ctx, s.c, newOperation("delete order", "DELETE orders/{}", orderUUID), nil)
}

// SetDetails sets the members of an order record that no public request sets,
// all of them.
func (s *OpsOrdersService) SetDetails(ctx context.Context, orderUUID string, in OrderDetails) (*OrderDetails, error) {
	return opsCall[OrderDetails](ctx, s.c, newOperation("set order details", "PUT orders/{}/details", orderUUID), in)
}

// SetNotifications sets how the client hears that an order is complete. The
// secret stays the same as long as the address does.
func (s *OpsOrdersService) SetNotifications(
	ctx context.Context,
	orderUUID string,
	in NotificationInput,
) (*NotificationSettings, error) {
	op := newOperation("set notifications", "PUT orders/{}/notifications", orderUUID)
	return opsCall[NotificationSettings](ctx, s.c, op, in)
}

// Add uploads a dataset that an account has purchased. The kinds of its
// files are those of [DeliveryProducts], or jpg.
func (s *OpsDatasetsService) Add(
	ctx context.Context,
	accountUUID string,
	in DatasetInput,
	files ...FileInput,
) (*OpsDataset, error) {
	op := newOperation("add dataset", "POST accounts/{}/datasets", accountUUID).within(10 * s.c.timeout)
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
	op.setForm(fields, "files", files...)
	return opsCall[OpsDataset](ctx, s.c, op, nil)
}

// Generate has the service make sample files of the place that in names
// by LocationMap, as a dataset that an account has purchased.
func (s *OpsDatasetsService) Generate(ctx context.Context, accountUUID string, in DatasetInput) (*OpsDataset, error) {
	body := struct {
		DatasetInput
		Generate bool `json:"generate"`
	}{in, true}
	op := newOperation("generate dataset", "POST accounts/{}/datasets", accountUUID).within(10 * s.c.timeout)
	return opsCall[OpsDataset](ctx, s.c, op, body)
}
