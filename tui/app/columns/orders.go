package columns

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// Orders returns the columns of a table of orders. quotes returns the state of the quotes of the order with the
// given UUID; it is called only for orders without an accepted quote. quotes is nil if the quotes are not loaded.
func Orders(quotes func(uuid string) format.QuoteState) []Column[*api.Order] {
	return MakeColumns("orders", Values[*api.Order]{
		"status": func(o *api.Order) Cell {
			state := format.QuotesUnread
			if quotes != nil && o.Status == api.OrderBiddingWithQuote {
				state = quotes(o.UUID)
			}
			return OrderState(o.Status, state)
		},
		"reason":    func(o *api.Order) Cell { return TextCell(EndReason(o)) },
		"startDate": func(o *api.Order) Cell { return StartCell(o.StartDate) },
		"deadline":  func(o *api.Order) Cell { return EndCell(o.Deadline) },
	})
}

// OrderState returns a cell with an order's status. Statuses are sorted in the order in which an
// order goes through them.
func OrderState(s api.OrderStatus, quotes format.QuoteState) Cell {
	return StateCell(format.OrderState(s, quotes), rank(api.OrderStatuses(), s))
}

// rank returns the index of a status among the known statuses. Unknown statuses come last.
func rank[T comparable](all []T, s T) int {
	i := slices.Index(all, s)
	if i < 0 {
		return len(all)
	}
	return i
}

// EndReason returns the reason that was given for archiving or rejecting the order, or "".
func EndReason(o *api.Order) string {
	return cmp.Or(format.ValueOf(o.ArchiveReason), format.ValueOf(o.RejectionReason))
}

// OpsOrders returns the columns of a table of orders in the operations API. company returns the
// company name of an account; if company is nil, the column is left out.
func OpsOrders(company func(account string) string, now func() time.Time) []Column[*ops.Order] {
	all := MakeColumns("orders", Values[*ops.Order]{
		"status":    func(o *ops.Order) Cell { return OrderState(o.Status, QuotesOf(o, now())) },
		"reason":    func(o *ops.Order) Cell { return TextCell(EndReason(&o.Order)) },
		"startDate": func(o *ops.Order) Cell { return StartCell(o.StartDate) },
		"deadline":  func(o *ops.Order) Cell { return EndCell(o.Deadline) },
	})
	if company != nil {
		all = append(all, Column[*ops.Order]{
			ColumnSpec{Title: "Client", Width: 14, Fill: 1, Drop: 1},
			func(o *ops.Order) Cell { return TextCell(company(o.AccountUID)) },
		})
	}
	return append(all, MakeColumns("opsOrders", Values[*ops.Order]{
		"waitsFor": func(o *ops.Order) Cell {
			tone := format.Muted
			if o.WaitsForQuote(now()) {
				tone = format.Attention
			}
			return TextCell(WaitsFor(o)).WithTone(tone)
		},
	})...)
}

// QuotesOf returns the state of an order's quotes at the time now. It works for an order from a list,
// too, which has no quotes but their number.
func QuotesOf(o *ops.Order, now time.Time) format.QuoteState {
	areUnknown := o.OpenQuotes == nil && o.Quotes == nil
	if areUnknown {
		return format.QuotesUnread
	}
	return format.QuoteStateOf(o.CountUndecided(now))
}

// WaitsFor returns what must be done next for an order, such as "issue quote", or "" if there is nothing to do.
func WaitsFor(o *ops.Order) string {
	openQuotes := format.ValueOf(o.OpenQuotes)
	if openQuotes > 0 && o.Status == api.OrderBiddingWithQuote {
		return "client decides (" + format.Count(openQuotes, "quote") + ")"
	}
	return map[api.OrderStatus]string{
		api.OrderBiddingWithQuote: "issue quote", api.OrderPendingOperator: "assign operators",
		api.OrderOperatorAssigned: "schedule flights", api.OrderFlyingDateSet: "deliver data",
	}[o.Status]
}

// JoinValues joins values with spaces for exports. It uses the values that the service sent, not their labels.
func JoinValues[T ~string](values []T) string {
	return strings.Join(format.PlainTexts(values), " ")
}

// ListedQuote is a row of a table of quotes: a quote with the ID, code and name of its order.
type ListedQuote struct {
	OrderID   string          `json:"orderId"`
	OrderCode string          `json:"orderCode,omitzero"`
	OrderName string          `json:"orderName"`
	Status    api.QuoteStatus `json:"status"`
	Expired   *bool           `json:"expired"` // the quote is open but too old to be decided; nil if unknown
	api.Quote
}

// IsQuoteExpired reports whether an open quote is too old to be decided. It returns nil if that is
// unknown, because the expiry date is missing or unreadable.
func IsQuoteExpired(q *api.Quote, status api.QuoteStatus, now time.Time) *bool {
	if status == api.QuoteOpen && !q.ExpiryDate.IsRead() {
		return nil
	}
	expired := status == api.QuoteOpen && q.IsExpired(now)
	return &expired
}

// Order returns the order's code, or its ID if it has none.
func (q *ListedQuote) Order() string { return cmp.Or(q.OrderCode, q.OrderID) }

// Quotes returns the columns of a table of quotes.
func Quotes(now func() time.Time) []Column[*ListedQuote] {
	return MakeColumns("quotes", Values[*ListedQuote]{
		"order": func(q *ListedQuote) Cell { return TextCell(q.Order()) },
		"status": func(q *ListedQuote) Cell {
			return StateCell(format.QuoteLabel(q.Status, format.ValueOf(q.Expired)), 0)
		},
		"finalPrice":          func(q *ListedQuote) Cell { return PriceCell(q.FinalPrice, q.Currency) },
		"priceBeforeDiscount": func(q *ListedQuote) Cell { return PriceCell(q.PriceBeforeDiscount, q.Currency) },
		"expiryDate": func(q *ListedQuote) Cell {
			cell := TimeCell(q.ExpiryDate)
			if !q.ExpiryDate.IsRead() {
				return cell
			}
			cell.Text = format.None
			if q.Status == api.QuoteOpen {
				cell.Text = format.TimeLeft(q.ExpiryDate.Time, now(), false)
			}
			return cell
		},
	})
}

// OpsQuotes returns the columns for quotes that only the operations API has: when a quote was created and decided.
func OpsQuotes(now func() time.Time) []Column[*ops.Quote] {
	moment := func(at api.Time) Cell {
		cell := TimeCell(at)
		if at.IsRead() {
			cell.Text = format.Moment(at.Time, now())
		}
		return cell
	}
	return MakeColumns("opsQuotes", Values[*ops.Quote]{
		"createdAt": func(q *ops.Quote) Cell { return moment(q.CreatedAt) },
		"decidedAt": func(q *ops.Quote) Cell { return moment(q.DecidedAt) },
	})
}

// Sites returns the columns of a table of the sites in a draft.
func Sites() []Column[*ordering.Site] {
	return MakeColumns("sites", Values[*ordering.Site]{
		"included":    includedCell,
		"missionType": siteType,
		"areaSize":    siteSize,
		"file": func(s *ordering.Site) Cell {
			if s.File == "" {
				return NoCell()
			}
			return TextCell(filepath.Base(s.File))
		},
		"problem": siteProblem,
	})
}

// includedCell shows whether a site will be ordered: ✓ for an included site, ● for a site that was already ordered.
func includedCell(s *ordering.Site) Cell {
	if s.Placed {
		return Cell{Text: "●", Code: "placed", Role: format.Good, Num: 2, Known: true}
	}
	if s.In {
		return Cell{Text: "✓", Code: "yes", Role: format.Good, Num: 1, Known: true}
	}
	return Cell{Text: format.None, Code: "no", Role: format.Muted, Known: true}
}

// siteType returns a cell with the type of a site. A site without a location has no type yet.
func siteType(s *ordering.Site) Cell {
	if s.Geometry == nil {
		return NoCell()
	}
	return WordCell(&s.Type)
}

// siteSize returns a cell with the area of a site, or the length of a line as text.
func siteSize(s *ordering.Site) Cell {
	if s.Geometry != nil && s.Type == api.MissionArea {
		return NumberCell(s.Area)
	}
	return TextCell(s.SizeText(format.Units{}))
}

// siteProblem lists the problems of a site: an error, a warning, or a location that
// occurs twice.
func siteProblem(s *ordering.Site) Cell {
	var all []string
	if s.IsFaulty() {
		all = append(all, "error")
	}
	if len(s.Warnings) > 0 {
		all = append(all, "warning")
	}
	if s.Doubled {
		all = append(all, "double")
	} else if s.Duplicate != "" {
		all = append(all, "known")
	}
	return TextCell(strings.Join(all, ", "))
}

// Decisions returns the columns of the decision log.
func Decisions() []Column[*changes.Change] {
	return MakeColumns("decisions", Values[*changes.Change]{
		"at":       func(e *changes.Change) Cell { return TimeCell(api.TimeOf(e.At)) },
		"decision": decisionCell,
		"outcome":  func(e *changes.Change) Cell { return capitalCell(e.Outcome.Text) },
		"order":    func(e *changes.Change) Cell { return TextOr(e.OrderLabel()) },
		"quote":    func(e *changes.Change) Cell { return TextOr(cmp.Or(e.Quote.Name, e.Endpoint.Address)) },
		"against":  func(e *changes.Change) Cell { return TextOr(strings.Join(e.Quote.Against, "; ")) },
	})
}

// decisionCell returns a cell with the kind of a change, such as "accepted". An unconfirmed change is
// marked: "accepted?" if its outcome is unknown, "not accepted" if it failed.
func decisionCell(c *changes.Change) Cell {
	switch c.State() {
	case changes.Sent, changes.Unknown:
		return capitalCell(string(c.Kind) + "?").WithTone(format.Attention)
	case changes.Held, changes.Failed:
		return capitalCell("not " + string(c.Kind)).WithTone(format.Attention)
	}
	cell := capitalCell(string(c.Kind))
	if c.Kind == changes.QuoteAccepted {
		return cell.WithTone(format.Good)
	}
	return cell
}
