package order

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/calendar"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/cli/run"
)

func listOrders(ctx context.Context, o *run.OnlineService, f listFlags, p run.PrintTarget) error {
	names := "orderCode orderName status missionCount areaSize deadline createdAt"
	s := run.NewSheet("order", "orders", columns.Orders(nil), o.Client.Now, names, names+" companyName uuid")
	wanted := run.RowsOf(o.Client.Orders.All(ctx), f.limit, func(r *api.Order) bool {
		o.Seen.NoteRow(r)
		return f.status == "" || string(r.Status) == f.status
	})
	return s.Print(p, wanted)
}

func listMissions(ctx context.Context, o *run.OnlineService, f listFlags, p run.PrintTarget) error {
	s := run.NewSheet("mission", "missions", columns.Missions(), o.Client.Now,
		"missionCode orderCode missionName missionType status operatorName flightDate country areaSize",
		"missionCode orderCode missionName missionType status operatorName flightDate country city areaSize uuid")
	var orders sync.Map // by uuid; several are read at once
	all := run.EachOf(detailedOrders(ctx, o, f.of), func(order *api.Order) ([]api.Mission, error) {
		o.Seen.NoteCode(order.OrderCode)
		if p.Format == "ics" { // only a calendar needs them; a long list would keep them all
			kept := *order
			kept.Missions = nil
			orders.Store(order.UUID, kept)
		}
		return order.Missions, nil
	})
	wanted := run.RowsOf(all, f.limit, func(r *api.Mission) bool {
		o.Seen.NoteCode(r.MissionCode)
		return f.status == "" || string(r.Status) == f.status
	})
	if p.Format == "ics" {
		return printCalendar(o, p, &orders, wanted)
	}
	return s.Print(p, wanted)
}

// printCalendar writes missions as the calendar that the app writes.
func printCalendar(o *run.OnlineService, p run.PrintTarget, orders *sync.Map, wanted run.Rows[api.Mission]) error {
	n, meter := 0, run.NewMeterLine(p.Progress)
	defer meter.ClearLine()
	var all []api.Order
	for m, err := range wanted {
		if err != nil {
			return err
		}
		n++
		meter.DrawLine("loading missions, %d…", n)
		if n := len(all); n == 0 || all[n-1].UUID != m.OrderUID {
			found, _ := orders.Load(m.OrderUID)
			one, _ := found.(api.Order) // a service may name another order; then only the flight is known
			one.UUID, one.Missions = m.OrderUID, nil
			all = append(all, one)
		}
		last := &all[len(all)-1]
		last.Missions = append(last.Missions, *m)
	}
	meter.ClearLine()
	return calendar.WriteCalendar(p.To, calendar.OfOrders(all), o.Client.Now(), o.Client.Host())
}

// QuotesOf returns all quotes of an order, the open ones first.
func QuotesOf(r *api.OrderRecord, now time.Time) []columns.ListedQuote {
	var list []columns.ListedQuote
	add := func(status api.QuoteStatus, quotes ...api.Quote) {
		for _, q := range quotes {
			list = append(list, columns.ListedQuote{
				OrderID: r.ID, OrderCode: r.OrderCode, OrderName: r.OrderName, Status: status,
				Expired: status == api.QuoteOpen && q.IsExpired(now), Quote: q,
			})
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

func quoteSheet(now func() time.Time) run.RowSheet[columns.ListedQuote] {
	return run.NewSheet("quote", "quotes", columns.Quotes(now), now,
		"order quoteId quoteName status price deliveryBy expiryDate",
		"order quoteId quoteName status finalPrice currency priceBeforeDiscount deliveryBy expiryDate")
}

func listQuotes(ctx context.Context, o *run.OnlineService, f listFlags, p run.PrintTarget) error {
	now := o.Client.Now
	s := quoteSheet(now)
	records := run.OneRow(o.Client.Records.Get(ctx, run.OrderCode(f.of)))
	if f.of == "" {
		filter := api.RecordListOptions{Status: api.RecordQuoteReceived}
		if f.status != "" && f.status != string(api.QuoteOpen) {
			filter.Status = ""
		}
		records = run.EachOf(o.Client.Records.All(ctx, filter), func(r *api.OrderRecord) ([]api.OrderRecord, error) {
			return run.Single(o.Client.Records.Get(ctx, r.ID))
		})
	}
	quotes := run.EachOf(records, func(r *api.OrderRecord) ([]columns.ListedQuote, error) {
		o.Seen.NoteRow(r)
		list := QuotesOf(r, now())
		for i := range list {
			o.Seen.NoteRow(&list[i])
		}
		return list, nil
	})
	return s.Print(p, run.RowsOf(quotes, f.limit, func(r *columns.ListedQuote) bool {
		return f.status == "" || string(r.Status) == f.status
	}))
}

func listFiles(ctx context.Context, o *run.OnlineService, f listFlags, p run.PrintTarget) error {
	names := "missionCode orderCode version fileName fileDataType fileSize status"
	s := run.NewSheet("file", "files", columns.Files(), o.Client.Now, names, names+" uuid")
	l := fileLister{OnlineService: o}
	found := run.EachOf(detailedOrders(ctx, o, f.of), func(order *api.Order) ([]columns.ListedFile, error) {
		o.Seen.NoteCode(order.OrderCode)
		return l.filesOf(ctx, order.Missions...)
	})
	if strings.HasPrefix(run.OrderCode(f.of), "MSN-") {
		m, err := fetch.FindMission(ctx, o.Client, run.OrderCode(f.of))
		found = run.EachOf(run.OneRow(&m, err), func(m *api.Mission) ([]columns.ListedFile, error) {
			return l.filesOf(ctx, *m)
		})
	}
	return cmp.Or(s.Print(p, run.RowsOf(found, f.limit, nil)), l.missing)
}

// fileLister lists files of missions. It is safe for concurrent use.
type fileLister struct {
	*run.OnlineService
	mu      sync.Mutex
	missing error // of the first mission whose files the service does not have
}

// filesOf returns the files of missions. Those that were never flown have none; those that
// the service does not have do not hide the others.
func (l *fileLister) filesOf(ctx context.Context, missions ...api.Mission) (list []columns.ListedFile, err error) {
	for _, m := range missions {
		if m.Status == api.MissionAwaitingPilot || m.Status == api.MissionPilotAssigned {
			continue
		}
		l.Seen.NoteCode(m.MissionCode)
		packages, err := l.Client.Missions.Packages(ctx, m.UUID)
		for i := 0; err == nil && i < len(packages); i++ {
			var files []api.DeliveryFile
			files, err = l.Client.Files.List(ctx, packages[i].UUID)
			for _, file := range files {
				list = append(list, columns.ListedFile{
					OrderCode: m.OrderCode, MissionCode: m.MissionCode, PackageUID: packages[i].UUID,
					Version: packages[i].Version, Package: packages[i].Extra, DeliveryFile: file,
				})
			}
		}
		switch {
		case api.IsStatus(err, http.StatusNotFound):
			l.mu.Lock()
			l.missing = cmp.Or(l.missing, fmt.Errorf("mission %s: %w; all other files are listed", m.MissionCode, err))
			l.mu.Unlock()
		case err != nil:
			return nil, err
		}
	}
	return list, nil
}

func listDatasets(ctx context.Context, o *run.OnlineService, f listFlags, p run.PrintTarget) error {
	names := "id datasetName categories locationLabel dateCompleted baseFiles"
	s := run.NewSheet("dataset", "datasets", columns.Datasets(nil), o.Client.Now, names, names)
	return s.Print(p, run.RowsOf(o.Client.Library.All(ctx, api.DatasetListOptions{}), f.limit, nil))
}

func listEndpoints(ctx context.Context, o *run.OnlineService, f listFlags, p run.PrintTarget) error {
	s := run.EndpointSheet(o.Client.Now)
	return s.Print(p, run.RowsOf(o.Client.Webhooks.All(ctx), f.limit, func(e *api.WebhookEndpoint) bool {
		o.Seen.NoteRow(e)
		return true
	}))
}
