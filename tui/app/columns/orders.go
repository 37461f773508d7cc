package columns

import (
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// Orders are the columns of an order. quotes is what is known of an order's
// quotes; nil where they are not read.
func Orders(quotes func(uuid string) labels.Quotes) []Column[api.Order] {
	return []Column[api.Order]{
		{Spec{Title: "Code", Full: "Order", Name: "orderCode", Width: 10}, func(o *api.Order) Cell { return Text(o.OrderCode) }},
		{Spec{Title: "Name", Name: "orderName", Width: 14, Fill: 1, Least: 12}, func(o *api.Order) Cell { return Text(o.OrderName) }},
		{Spec{Title: "Status", Name: "status", Kind: Status, Width: 19}, func(o *api.Order) Cell {
			if quotes == nil {
				return OrderState(o.Status, labels.QuotesUnread)
			}
			return OrderState(o.Status, quotes(o.UUID))
		}},
		{Spec{Title: "Missions", Name: "missionCount", Kind: Number, Drop: 3}, func(o *api.Order) Cell { return NumOf(o.MissionCount) }},
		{Spec{Title: "Area", Name: "areaSize", Kind: Area, Drop: 2}, func(o *api.Order) Cell { return AreaOf(o.AreaSize, o.Extra) }},
		{Spec{Title: "Due", Full: "Deadline", Name: "deadline", Kind: Date, Drop: 1}, func(o *api.Order) Cell { return At(o.Deadline) }},
		{Spec{Title: "Placed", Name: "createdAt", Kind: Date, Ago: true, Drop: 4, Off: true}, func(o *api.Order) Cell { return At(o.CreatedAt) }},
		{Spec{Title: "Updated", Name: "updatedAt", Kind: Date, Drop: 5, Off: true}, func(o *api.Order) Cell { return At(o.UpdatedAt) }},
		{Spec{Title: "Start", Name: "startDate", Kind: Date, Drop: 5, Off: true}, func(o *api.Order) Cell { return At(o.StartDate) }},
		{Spec{Title: "Type", Name: "orderType", Width: 14, Drop: 7, Off: true}, func(o *api.Order) Cell { return labelOf(o.OrderType, labels.OrderType) }},
		{Spec{Title: "Objective", Name: "missionObjective", Width: 16, Drop: 6, Off: true}, func(o *api.Order) Cell { return labelOf(o.MissionObjective, labels.Objective) }},
		{Spec{Title: "Asset type", Name: "industryAssetType", Width: 16, Drop: 6, Off: true}, func(o *api.Order) Cell { return labelOf(o.IndustryAssetType, labels.AssetType) }},
		{Spec{Title: "Company", Name: "companyName", Width: 16, Drop: 8, Off: true, Least: 8}, func(o *api.Order) Cell { return Text(o.CompanyName) }},
		{Spec{Title: "Reason", Name: "reason", Width: 20, Drop: 8, Off: true}, func(o *api.Order) Cell { return Text(Reason(o)) }},
		{Spec{Name: "uuid", Shell: true}, func(o *api.Order) Cell { return Text(o.UUID) }},
	}
}

// OrderState is an order's status, ordered as the life of an order goes.
func OrderState(s api.OrderStatus, quotes labels.Quotes) Cell {
	return State(labels.OrderState(s, quotes), rank(api.OrderStatuses(), s))
}

// rank is the place of a status among the known ones; others come last.
func rank[T comparable](all []T, s T) int {
	if i := slices.Index(all, s); i >= 0 {
		return i
	}
	return len(all)
}

// Reason is why an order was rejected or archived, "" where it was not.
func Reason(o *api.Order) string {
	for _, r := range []*string{o.ArchiveReason, o.RejectionReason} {
		if r != nil && *r != "" {
			return *r
		}
	}
	return ""
}

// OpsOrders are the columns of an order of any account. company names the
// account of an id.
func OpsOrders(company func(account string) string, now func() time.Time) []Column[api.OpsOrder] {
	common := Of(Orders(nil), func(o *api.OpsOrder) *api.Order { return &o.Order })
	common = With(common, "status", func(o *api.OpsOrder) Cell { return OrderState(o.Status, quotesOf(o)) })
	return append(common,
		Column[api.OpsOrder]{Spec{Title: "Client", Name: "client"}, func(o *api.OpsOrder) Cell { return Text(company(o.AccountUID)) }},
		Column[api.OpsOrder]{Spec{Title: "Quotes", Name: "openQuotes", Kind: Number}, func(o *api.OpsOrder) Cell { return NumOf(o.OpenQuotes) }},
		Column[api.OpsOrder]{Spec{Title: "Next step", Name: "waitsFor", Shell: true}, func(o *api.OpsOrder) Cell {
			if o.WaitsForQuote(now()) {
				return Text(WaitsFor(o)).In(labels.Attention)
			}
			return Text(WaitsFor(o)).In(labels.Muted)
		}},
		Column[api.OpsOrder]{Spec{Name: "accountUid", Shell: true}, func(o *api.OpsOrder) Cell { return Text(o.AccountUID) }},
	)
}

// quotesOf is what a row of a list says of an order's quotes.
func quotesOf(o *api.OpsOrder) labels.Quotes {
	switch {
	case o.OpenQuotes == nil:
		return labels.QuotesUnread
	case *o.OpenQuotes == 0:
		return labels.QuotesNone
	default:
		return labels.QuotesReady
	}
}

func openQuotes(o *api.OpsOrder) int {
	if o.OpenQuotes == nil {
		return 0
	}
	return *o.OpenQuotes
}

// WaitsFor says who is to move next.
func WaitsFor(o *api.OpsOrder) string {
	if n := openQuotes(o); n > 0 && o.Status == api.OrderBiddingWithQuote {
		return "client, " + format.Count(n, "quote", "quotes")
	}
	return map[api.OrderStatus]string{
		api.OrderBiddingWithQuote: "quote", api.OrderPendingOperator: "operators",
		api.OrderOperatorAssigned: "flights", api.OrderFlyingDateSet: "deliveries",
	}[o.Status]
}

// Join writes wire values one after the other, for programs.
func Join[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, " ")
}
