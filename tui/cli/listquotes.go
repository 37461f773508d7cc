package cli

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
)

// quotesOf returns all quotes of an order, starting with the open quotes.
func quotesOf(r *api.OrderRecord, now time.Time) []columns.ListedQuote {
	var list []columns.ListedQuote
	set := quoting.NewSet(now, r)
	for _, offer := range slices.Concat(set.Open, set.Decided) {
		list = append(list, columns.ListedQuote{
			OrderID:   r.ID,
			OrderCode: r.OrderCode,
			OrderName: r.OrderName,
			Status:    offer.Status,
			Expired:   columns.IsQuoteExpired(&offer.Quote, offer.Status, now),
			Quote:     offer.Quote,
		})
	}
	return list
}

// quoteNames are the columns that a table of quotes begins with.
const quoteNames = "quoteId quoteName status finalPrice deliveryBy expiryDate"

func listQuotes(l *listing) error {
	records := l.quotedRecords()
	if l.Of != "" {
		records = oneRow(l.call.FindRecord(l.Of))
	}
	quotes := eachOf(records, func(r *api.OrderRecord) ([]columns.ListedQuote, error) {
		l.call.Names.AddRow(r)
		return quotesOf(l.call.closeArchived(r), l.call.Service.Now()), nil
	})
	sheet := newSheet("quote", columns.Quotes(l.call.Service.Now), "order "+quoteNames)
	if l.Of == "" && l.Status == "" {
		sheet.Nothing = "no quotes of orders that need a decision"
	} else {
		sheet.Nothing = "no matching quotes"
	}
	return printSheet(l.call, sheet, quotes)
}

// quotedRecords returns the v2 records of the orders that need a decision on a quote, or of
// all orders if --status asks for decided quotes. Archived orders need no decision, even if
// their record still has open quotes.
func (l *listing) quotedRecords() Rows[*api.OrderRecord] {
	needsDecision := l.Status == "" || isLabel(l.Status, []string{string(api.QuoteOpen), expiredQuote()})
	filter := api.RecordListOptions{}
	if needsDecision {
		filter.Status = api.RecordQuoteReceived
	}
	listed := l.call.Service.Client.Records.All(l.call, filter)
	records := eachOf(listed, func(r *api.OrderRecord) ([]api.OrderRecord, error) {
		if needsDecision && l.call.isArchived(r) {
			return nil, nil
		}
		return l.readQuotedRecord(r)
	})
	return func(yield func(*api.OrderRecord, error) bool) {
		for record, err := range records {
			if err != nil {
				err = explainUnavailable("quotes", err)
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// readQuotedRecord reads the record of a listed order, which has the quotes.
func (l *listing) readQuotedRecord(listed *api.OrderRecord) ([]api.OrderRecord, error) {
	// The service finds a record by its ID or its code. People know the code.
	id := cmp.Or(listed.ID, listed.OrderCode)
	name := cmp.Or(listed.OrderCode, listed.ID)
	record, err := l.call.Service.Client.Records.Get(l.call, id)
	if err != nil {
		return nil, fmt.Errorf("order %s: %w", name, err)
	}
	return []api.OrderRecord{*record}, nil
}

// isArchived reports whether the order of a v2 record is archived in the public API.
func (c *Call) isArchived(r *api.OrderRecord) bool {
	order, err := c.Service.Client.Orders.Get(c, cmp.Or(r.OrderCode, r.ID))
	return (err == nil || api.IsPartial(err)) && order.Status == api.OrderArchived
}

// closeArchived returns the record of an order. If the order is archived, it returns a copy of the record in
// which no quotes are open.
func (c *Call) closeArchived(r *api.OrderRecord) *api.OrderRecord {
	if len(r.Quotes) > 0 && c.isArchived(r) {
		return quoting.CloseArchived(r)
	}
	return r
}
