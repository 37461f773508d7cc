package cli

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/calendar"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

func listOrders(ctx context.Context, o *online, f listFlags, p printed) error {
	s := sheetOf("order", "orders", columns.Orders(nil), o.client.Now, "orderCode orderName status missionCount areaSize deadline createdAt",
		"orderCode orderName status missionCount areaSize deadline createdAt companyName uuid")
	wanted := rowsOf(o.client.Orders.All(ctx), f, func(r *api.Order) bool {
		o.seen.note(r.OrderCode)
		return f.status == "" || string(r.Status) == f.status
	})
	return s.print(p, wanted)
}

func listMissions(ctx context.Context, o *online, f listFlags, p printed) error {
	s := sheetOf("mission", "missions", columns.Missions(), o.client.Now, "missionCode orderCode missionName missionType status operatorName flightDate country areaSize",
		"missionCode orderCode missionName missionType status operatorName flightDate country city areaSize uuid")
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
	return calendar.Write(p.to, calendar.OfOrders(all), o.client.Now(), o.client.Host())
}

// quotesOf are all quotes of an order, the open ones first.
func quotesOf(r *api.OrderRecord, now time.Time) []columns.ListedQuote {
	var list []columns.ListedQuote
	add := func(status api.QuoteStatus, quotes ...api.Quote) {
		for _, q := range quotes {
			expired := status == api.QuoteOpen && q.IsExpired(now)
			list = append(list, columns.ListedQuote{OrderID: r.ID, OrderCode: r.OrderCode, OrderName: r.OrderName, Status: status, Expired: expired, Quote: q})
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

func quoteSheet(now func() time.Time) sheet[columns.ListedQuote] {
	return sheetOf("quote", "quotes", columns.Quotes(now), now, "order quoteId quoteName status price deliveryBy expiryDate",
		"order quoteId quoteName status finalPrice currency priceBeforeDiscount deliveryBy expiryDate")
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
	quotes := each(records, func(r *api.OrderRecord) ([]columns.ListedQuote, error) {
		o.seen.note(r.OrderCode)
		return quotesOf(r, now()), nil
	})
	return s.print(p, rowsOf(quotes, f, func(r *columns.ListedQuote) bool { return f.status == "" || string(r.Status) == f.status }))
}

func listFiles(ctx context.Context, o *online, f listFlags, p printed) error {
	s := sheetOf("file", "files", columns.Files(), o.client.Now, "missionCode orderCode version fileName fileDataType fileSize status",
		"missionCode orderCode version fileName fileDataType fileSize status uuid")
	found := each(o.detailed(ctx, f.of), func(order *api.Order) ([]columns.ListedFile, error) {
		o.seen.note(order.OrderCode)
		return filesOf(ctx, o, order.Missions)
	})
	if strings.HasPrefix(orderCode(f.of), "MSN-") {
		m, err := fetch.FindMission(ctx, o.client, orderCode(f.of))
		found = each(only(&m, err), func(m *api.Mission) ([]columns.ListedFile, error) {
			return filesOf(ctx, o, []api.Mission{*m})
		})
	}
	return s.print(p, rowsOf(found, f, nil))
}

// filesOf are the files of missions. Those that were never flown have none.
func filesOf(ctx context.Context, o *online, missions []api.Mission) ([]columns.ListedFile, error) {
	var list []columns.ListedFile
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
				list = append(list, columns.ListedFile{OrderCode: m.OrderCode, MissionCode: m.MissionCode, PackageUID: pack.UUID, Version: pack.Version, DeliveryFile: file})
			}
		}
	}
	return list, nil
}

func listDatasets(ctx context.Context, o *online, f listFlags, p printed) error {
	s := sheetOf("dataset", "datasets", columns.Datasets(nil), o.client.Now, "id datasetName categories locationLabel dateCompleted baseFiles",
		"id datasetName categories locationLabel dateCompleted baseFiles")
	return s.print(p, rowsOf(o.client.Library.All(ctx, api.DatasetListOptions{}), f, nil))
}

func listEndpoints(ctx context.Context, o *online, f listFlags, p printed) error {
	s := endpointSheet(o.client.Now)
	return s.print(p, rowsOf(o.client.Webhooks.All(ctx), f, nil))
}

func endpointSheet(now func() time.Time) sheet[api.WebhookEndpoint] {
	return sheetOf("endpoint", "endpoints", columns.Endpoints(), now, "uuid url status lastStatus events description",
		"uuid url status lastStatus events description createdAt")
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

func callbackSheet(now func() time.Time) sheet[columns.ListedCallback] {
	return sheetOf("callback", "callbacks", columns.Callbacks(), now, "uuid event orderCode outcome attempts createdAt",
		"uuid event orderCode success responseCode error attempts createdAt endpointUid")
}

// callbacksOf are the rows of the logs of endpoints, the newest first. Of each
// log no more are read than are asked for.
func callbacksOf(ctx context.Context, o *online, f listFlags, endpoints rows[api.WebhookEndpoint]) (rows[columns.ListedCallback], error) {
	var all []columns.ListedCallback
	for e, err := range endpoints {
		if err != nil {
			return nil, err
		}
		for d, err := range rowsOf(o.client.Webhooks.AllDeliveries(ctx, e.UUID), f, nil) {
			if err != nil {
				return nil, err
			}
			all = append(all, columns.ListedCallback{EndpointUID: e.UUID, WebhookDelivery: *d})
		}
	}
	slices.SortStableFunc(all, func(a, b columns.ListedCallback) int { return b.CreatedAt.Compare(a.CreatedAt.Time) })
	return each(only(&all, nil), func(list *[]columns.ListedCallback) ([]columns.ListedCallback, error) { return *list, nil }), nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func areaOf(m2 *float64) string {
	if m2 == nil || *m2 == 0 {
		return ""
	}
	return format.Area(*m2)
}

// priceOf writes the final price of a quote for people.
func priceOf(q *api.Quote) string {
	if q.FinalPrice.IsUnread() {
		return layout.Clean(q.FinalPrice.Raw) + " (not read)"
	}
	if !q.FinalPrice.Known {
		return "no price"
	}
	return format.Money(q.FinalPrice.Amount, q.Currency)
}
