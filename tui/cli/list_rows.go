package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/page/missions"
	"flightdesk/tui/theme"
)

func listOrders(ctx context.Context, o *online, f listFlags, p printed) error {
	now := o.client.Now
	s := sheet[api.Order]{"order", "orders", []cellOf[api.Order]{
		{title: "Order", name: "orderCode", data: func(r *api.Order) string { return r.OrderCode }},
		{title: "Name", name: "orderName", least: 12, data: func(r *api.Order) string { return r.OrderName }},
		{
			title: "Status", name: "status", data: func(r *api.Order) string { return string(r.Status) },
			role: func(r *api.Order) theme.Role { return labels.OrderStatus(r.Status).Role },
		},
		{title: "Missions", name: "missionCount", right: true, data: func(r *api.Order) string { return whole(r.MissionCount) }},
		{
			title: "Area", name: "areaSize", right: true, data: func(r *api.Order) string { return decimal(r.AreaSize) },
			text: func(r *api.Order) string { return areaOf(r.AreaSize) },
		},
		{
			title: "Deadline", name: "deadline", right: true, data: func(r *api.Order) string { return moment(r.Deadline) },
			text: func(r *api.Order) string { return format.Day(r.Deadline.Time, now()) },
		},
		{
			title: "Placed", name: "createdAt", right: true, data: func(r *api.Order) string { return moment(r.CreatedAt) },
			text: func(r *api.Order) string { return format.Age(r.CreatedAt.Time, now()) },
		},
		{name: "companyName", data: func(r *api.Order) string { return r.CompanyName }},
		{name: "uuid", data: func(r *api.Order) string { return r.UUID }},
	}}
	wanted := rowsOf(o.client.Orders.All(ctx), f, func(r *api.Order) bool {
		o.seen.note(r.OrderCode)
		return f.status == "" || string(r.Status) == f.status
	})
	return s.print(p, wanted)
}

func listMissions(ctx context.Context, o *online, f listFlags, p printed) error {
	now := o.client.Now
	s := sheet[api.Mission]{"mission", "missions", []cellOf[api.Mission]{
		{title: "Mission", name: "missionCode", data: func(r *api.Mission) string { return r.MissionCode }},
		{title: "Order", name: "orderCode", data: func(r *api.Mission) string { return r.OrderCode }},
		{title: "Name", name: "missionName", least: 12, data: func(r *api.Mission) string { return r.MissionName }},
		{title: "Type", name: "missionType", data: func(r *api.Mission) string { return string(r.MissionType) }},
		{
			title: "Status", name: "status", data: func(r *api.Mission) string { return string(r.Status) },
			role: func(r *api.Mission) theme.Role { return labels.MissionStatus(r.Status).Role },
		},
		{title: "Operator", name: "operatorName", least: 8, data: func(r *api.Mission) string { return text(r.OperatorName) }},
		{
			title: "Flight", name: "flightDate", right: true, data: func(r *api.Mission) string { return moment(r.FlightDate) },
			text: func(r *api.Mission) string { return format.Day(r.FlightDate.Time, now()) },
		},
		{title: "Country", name: "country", least: 7, data: func(r *api.Mission) string { return r.Country }},
		{name: "city", data: func(r *api.Mission) string { return text(r.City) }},
		{
			title: "Area", name: "areaSize", right: true, data: func(r *api.Mission) string { return decimal(r.AreaSize) },
			text: func(r *api.Mission) string { return areaOf(r.AreaSize) },
		},
		{name: "uuid", data: func(r *api.Mission) string { return r.UUID }},
	}}
	var orders sync.Map // by uuid; several are read at once
	all := each(o.detailed(ctx, f.of), func(order *api.Order) ([]api.Mission, error) {
		o.seen.note(order.OrderCode)
		if p.format == "ics" { // only a calendar needs them; a long list would keep them all
			kept := *order
			kept.Missions = nil
			orders.Store(order.UUID, kept)
		}
		return order.Missions, nil
	})
	wanted := rowsOf(all, f, func(r *api.Mission) bool {
		o.seen.note(r.MissionCode)
		return f.status == "" || string(r.Status) == f.status
	})
	if p.format == "ics" {
		return o.printCalendar(p, &orders, wanted)
	}
	return s.print(p, wanted)
}

// printCalendar writes missions as the calendar that the app writes.
func (o *online) printCalendar(p printed, orders *sync.Map, wanted rows[api.Mission]) error {
	count := &tally{w: p.progress, what: "missions", drawn: time.Now()}
	defer count.clear()
	var all []api.Order
	for m, err := range wanted {
		if err != nil {
			return err
		}
		count.add()
		if n := len(all); n == 0 || all[n-1].UUID != m.OrderUID {
			found, _ := orders.Load(m.OrderUID)
			one, _ := found.(api.Order) // a service may name another order; then only the flight is known
			one.UUID, one.Missions = m.OrderUID, nil
			all = append(all, one)
		}
		last := &all[len(all)-1]
		last.Missions = append(last.Missions, *m)
	}
	count.clear()
	return missions.WriteCalendar(p.to, all, o.client.Now(), o.client.Host())
}

// quoteRow is a quote with its order, as list prints it.
type quoteRow struct {
	OrderID   string          `json:"orderId"`
	OrderCode string          `json:"orderCode,omitzero"`
	OrderName string          `json:"orderName"`
	Status    api.QuoteStatus `json:"status"`
	Expired   bool            `json:"expired"` // an open one that can no longer be decided
	api.Quote
}

// order is how people name the order.
func (r *quoteRow) order() string {
	if r.OrderCode != "" {
		return r.OrderCode
	}
	return r.OrderID
}

// quotesOf are all quotes of an order, the open ones first.
func quotesOf(r *api.OrderRecord, now time.Time) []quoteRow {
	var list []quoteRow
	add := func(status api.QuoteStatus, quotes ...api.Quote) {
		for _, q := range quotes {
			expired := status == api.QuoteOpen && q.IsExpired(now)
			list = append(list, quoteRow{r.ID, r.OrderCode, r.OrderName, status, expired, q})
		}
	}
	add(api.QuoteOpen, r.Quotes...)
	if r.AcceptedQuote != nil {
		add(api.QuoteAccepted, *r.AcceptedQuote)
	}
	add(api.QuoteRejected, r.RejectedQuotes...)
	add(api.QuoteClosed, r.ClosedQuotes...)
	return list
}

func quoteSheet(now func() time.Time) sheet[quoteRow] {
	return sheet[quoteRow]{"quote", "quotes", []cellOf[quoteRow]{
		{title: "Order", name: "order", data: (*quoteRow).order},
		{title: "Quote", name: "quoteId", data: func(r *quoteRow) string { return r.QuoteID }},
		{title: "From", name: "quoteName", least: 10, data: func(r *quoteRow) string { return r.QuoteName }},
		{
			title: "Status", name: "status", data: func(r *quoteRow) string { return string(r.Status) },
			role: quoteRole,
		},
		{title: "Price", right: true, text: func(r *quoteRow) string { return priceOf(&r.Quote) }},
		{name: "finalPrice", data: func(r *quoteRow) string { return amount(r.FinalPrice) }},
		{name: "currency", data: func(r *quoteRow) string { return r.Currency }},
		{name: "priceBeforeDiscount", data: func(r *quoteRow) string { return amount(r.PriceBeforeDiscount) }},
		{title: "Delivery", name: "deliveryBy", right: true, data: func(r *quoteRow) string { return r.DeliveryBy.String() }},
		{
			title: "Expires", name: "expiryDate", right: true, data: func(r *quoteRow) string { return moment(r.ExpiryDate) },
			text: func(r *quoteRow) string {
				if r.Status != api.QuoteOpen {
					return ""
				}
				return format.Left(r.ExpiryDate.Time, now(), false)
			},
		},
	}}
}

func listQuotes(ctx context.Context, o *online, f listFlags, p printed) error {
	now := o.client.Now
	s := quoteSheet(now)
	records := only(o.client.Records.Get(ctx, orderCode(f.of)))
	if f.of == "" {
		filter := api.RecordListOptions{Status: api.RecordQuoteReceived}
		if f.status != "" && f.status != string(api.QuoteOpen) {
			filter.Status = ""
		}
		records = each(o.client.Records.All(ctx, filter), func(r *api.OrderRecord) ([]api.OrderRecord, error) {
			full, err := o.client.Records.Get(ctx, r.ID)
			if err != nil {
				return nil, err
			}
			return []api.OrderRecord{*full}, nil
		})
	}
	quotes := each(records, func(r *api.OrderRecord) ([]quoteRow, error) {
		o.seen.note(r.OrderCode)
		return quotesOf(r, now()), nil
	})
	return s.print(p, rowsOf(quotes, f, func(r *quoteRow) bool { return f.status == "" || string(r.Status) == f.status }))
}

func quoteRole(r *quoteRow) theme.Role {
	switch {
	case r.Expired:
		return theme.Muted
	case r.Status == api.QuoteOpen:
		return theme.Attention
	case r.Status == api.QuoteAccepted:
		return theme.Good
	default:
		return theme.Muted
	}
}

// fileRow is a delivered file with what it belongs to, as list prints it.
type fileRow struct {
	OrderCode   string `json:"orderCode"`
	MissionCode string `json:"missionCode"`
	PackageUID  string `json:"packageUid"`
	Version     int    `json:"version"` // of the package
	api.DeliveryFile
}

func listFiles(ctx context.Context, o *online, f listFlags, p printed) error {
	s := sheet[fileRow]{"file", "files", []cellOf[fileRow]{
		{title: "Mission", name: "missionCode", data: func(r *fileRow) string { return r.MissionCode }},
		{title: "Order", name: "orderCode", data: func(r *fileRow) string { return r.OrderCode }},
		{title: "Version", name: "version", right: true, data: func(r *fileRow) string { return strconv.Itoa(r.Version) }},
		{title: "File", name: "fileName", least: 16, data: func(r *fileRow) string { return r.FileName }},
		{title: "Product", name: "fileDataType", data: func(r *fileRow) string { return string(r.FileDataType) }},
		{
			title: "Size", name: "fileSize", right: true, data: func(r *fileRow) string { return strconv.FormatInt(r.FileSize, 10) },
			text: func(r *fileRow) string { return format.Bytes(r.FileSize) },
		},
		{title: "Status", name: "status", data: func(r *fileRow) string { return string(r.Status) }},
		{name: "uuid", data: func(r *fileRow) string { return r.UUID }},
	}}
	found := each(o.detailed(ctx, f.of), func(order *api.Order) ([]fileRow, error) {
		o.seen.note(order.OrderCode)
		return filesOf(ctx, o, order.Missions)
	})
	if strings.HasPrefix(orderCode(f.of), "MSN-") {
		m, err := fetch.FindMission(ctx, o.client, orderCode(f.of))
		found = each(only(&m, err), func(m *api.Mission) ([]fileRow, error) {
			return filesOf(ctx, o, []api.Mission{*m})
		})
	}
	return s.print(p, rowsOf(found, f, nil))
}

// filesOf are the files of missions. Those that were never flown have none.
func filesOf(ctx context.Context, o *online, missions []api.Mission) ([]fileRow, error) {
	var list []fileRow
	for _, m := range missions {
		if m.Status == api.MissionAwaitingPilot || m.Status == api.MissionPilotAssigned {
			continue
		}
		o.seen.note(m.MissionCode)
		packages, err := o.client.Missions.Packages(ctx, m.UUID)
		if err != nil {
			return nil, err
		}
		for _, pack := range packages {
			files, err := o.client.Files.List(ctx, pack.UUID)
			if err != nil {
				return nil, err
			}
			for _, file := range files {
				list = append(list, fileRow{m.OrderCode, m.MissionCode, pack.UUID, pack.Version, file})
			}
		}
	}
	return list, nil
}

func listDatasets(ctx context.Context, o *online, f listFlags, p printed) error {
	s := sheet[api.Dataset]{"dataset", "datasets", []cellOf[api.Dataset]{
		{title: "Dataset", name: "id", data: func(r *api.Dataset) string { return r.ID }},
		{title: "Name", name: "datasetName", least: 12, data: func(r *api.Dataset) string { return r.DatasetName }},
		{title: "Categories", name: "categories", least: 10, data: func(r *api.Dataset) string { return strings.Join(r.Categories, ", ") }},
		{title: "Place", name: "locationLabel", least: 8, data: func(r *api.Dataset) string { return r.LocationLabel }},
		{title: "Completed", name: "dateCompleted", right: true, data: func(r *api.Dataset) string { return r.DateCompleted.String() }},
		{title: "Files", name: "baseFiles", right: true, data: func(r *api.Dataset) string { return strconv.Itoa(r.DeliveryFiles.Len()) }},
	}}
	return s.print(p, rowsOf(o.client.Library.All(ctx, api.DatasetListOptions{}), f, nil))
}

func listEndpoints(ctx context.Context, o *online, f listFlags, p printed) error {
	s := endpointSheet()
	return s.print(p, rowsOf(o.client.Webhooks.All(ctx), f, nil))
}

func endpointSheet() sheet[api.WebhookEndpoint] {
	return sheet[api.WebhookEndpoint]{"endpoint", "endpoints", []cellOf[api.WebhookEndpoint]{
		{title: "Endpoint", name: "uuid", data: func(r *api.WebhookEndpoint) string { return r.UUID }},
		{title: "Address", name: "url", least: 16, data: func(r *api.WebhookEndpoint) string { return r.URL }},
		{title: "Status", name: "status", data: func(r *api.WebhookEndpoint) string { return r.Status }},
		{
			title: "Last", name: "lastStatus", data: func(r *api.WebhookEndpoint) string { return text(r.LastStatus) },
			role: func(r *api.WebhookEndpoint) theme.Role { return successRole(text(r.LastStatus) == "success") },
		},
		{title: "Events", text: func(r *api.WebhookEndpoint) string { return eventsOf(r.Events) }},
		{name: "events", data: func(r *api.WebhookEndpoint) string { return join(r.Events) }},
		{title: "Description", name: "description", least: 11, data: func(r *api.WebhookEndpoint) string { return r.Description }},
		{name: "createdAt", data: func(r *api.WebhookEndpoint) string { return moment(r.CreatedAt) }},
	}}
}

// callbackRow is a row of an endpoint's log, as list prints it.
type callbackRow struct {
	EndpointUID string `json:"endpointUid"`
	api.WebhookDelivery
}

func listCallbacks(ctx context.Context, o *online, f listFlags, p printed) error {
	s := callbackSheet(o.client.Now)
	endpoints := only(&api.WebhookEndpoint{UUID: f.of}, nil)
	if f.of == "" {
		endpoints = o.client.Webhooks.All(ctx)
	}
	found, err := callbacksOf(ctx, o, f, endpoints)
	if err != nil {
		return err
	}
	return s.print(p, rowsOf(found, f, nil))
}

func callbackSheet(now func() time.Time) sheet[callbackRow] {
	return sheet[callbackRow]{"callback", "callbacks", []cellOf[callbackRow]{
		{title: "Callback", name: "uuid", data: func(r *callbackRow) string { return r.UUID }},
		{title: "Event", name: "event", data: func(r *callbackRow) string { return string(r.Event) }},
		{title: "Order", name: "orderCode", data: func(r *callbackRow) string { return r.OrderCode }},
		{
			title: "Outcome", text: outcomeOf,
			role: func(r *callbackRow) theme.Role { return successRole(r.Success) },
		},
		{name: "success", data: func(r *callbackRow) string { return strconv.FormatBool(r.Success) }},
		{name: "responseCode", data: func(r *callbackRow) string { return whole(r.ResponseCode) }},
		{name: "error", data: func(r *callbackRow) string { return text(r.Error) }},
		{title: "Tries", name: "attempts", right: true, data: func(r *callbackRow) string { return whole(r.Attempts) }},
		{
			title: "When", name: "createdAt", right: true, data: func(r *callbackRow) string { return moment(r.CreatedAt) },
			text: func(r *callbackRow) string { return format.Age(r.CreatedAt.Time, now()) },
		},
		{name: "endpointUid", data: func(r *callbackRow) string { return r.EndpointUID }},
	}}
}

// callbacksOf are the rows of the logs of endpoints, the newest first. Of each
// log no more are read than are asked for.
func callbacksOf(ctx context.Context, o *online, f listFlags, endpoints rows[api.WebhookEndpoint]) (rows[callbackRow], error) {
	var all []callbackRow
	for e, err := range endpoints {
		if err != nil {
			return nil, err
		}
		for d, err := range rowsOf(o.client.Webhooks.AllDeliveries(ctx, e.UUID), f, nil) {
			if err != nil {
				return nil, err
			}
			all = append(all, callbackRow{e.UUID, *d})
		}
	}
	slices.SortStableFunc(all, func(a, b callbackRow) int { return b.CreatedAt.Compare(a.CreatedAt.Time) })
	return each(only(&all, nil), func(list *[]callbackRow) ([]callbackRow, error) { return *list, nil }), nil
}

func outcomeOf(r *callbackRow) string {
	switch {
	case r.Success:
		return "delivered"
	case text(r.Error) != "":
		return text(r.Error)
	case r.ResponseCode != nil && *r.ResponseCode > 0:
		return "HTTP " + whole(r.ResponseCode)
	default:
		return "failed"
	}
}

func successRole(ok bool) theme.Role {
	if ok {
		return theme.Good
	}
	return theme.Bad
}

func eventsOf(events []api.EventName) string {
	if len(events) == len(api.EventNames()) {
		return "all"
	}
	return join(events)
}

func join[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, " ")
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func whole(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func decimal(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func areaOf(m2 *float64) string {
	if m2 == nil || *m2 == 0 {
		return ""
	}
	return format.Area(*m2)
}

func amount(p api.Price) string {
	if !p.Known {
		return ""
	}
	return strconv.FormatFloat(p.Amount, 'f', -1, 64)
}

// priceOf writes the final price of a quote for people.
func priceOf(q *api.Quote) string {
	if !q.FinalPrice.Known {
		return "no price"
	}
	return format.Money(q.FinalPrice.Amount, q.Currency)
}

// moment writes a time for programs, or what was sent in its place.
func moment(t api.Time) string {
	if t.IsZero() {
		return t.Raw
	}
	return t.Format(time.RFC3339)
}
