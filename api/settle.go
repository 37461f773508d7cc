package api

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

// withLimit performs a read with a limit. If the service refuses it, the read is done again
// without a limit, and the client sends none from then on. Beyond the first page the limit
// is not to blame.
func (c *Connection) withLimit(limit int, isFirst bool, do func(limit int) error) error {
	if c.refusesLimits.Load() {
		limit = 0
	}
	err := do(limit)
	if limit == 0 || !isFirst || !IsStatus(err, http.StatusBadRequest, http.StatusUnprocessableEntity) {
		return err
	}
	if do(0) != nil {
		return err
	}
	c.refusesLimits.Store(true)
	return nil
}

// resolveLink makes a link whole that a service sent relative to its address.
func (c *Connection) resolveLink(link string) string {
	u, err := url.Parse(link)
	if err != nil || link == "" || u.IsAbs() {
		return link
	}
	base := *c.base
	base.Path += "/"
	return base.ResolveReference(u).String()
}

// resolveLinks makes the links of a record of the v2 API whole.
func (c *Connection) resolveLinks(record any) {
	var files *DeliveryFiles
	switch r := record.(type) {
	case *OrderRecord:
		files = r.DeliveryFiles
	case *Dataset:
		files = r.DeliveryFiles
	}
	if files == nil {
		return
	}
	whole := func(links []string) {
		for i := range links {
			links[i] = c.resolveLink(links[i])
		}
	}
	whole(files.BaseFiles)
	whole(files.Links)
	for _, links := range files.ProcessedData {
		whole(links)
	}
}

// settlePrices reads a record's prices beside their currency: an amount with another
// currency than the quote's is not read, and one that has it alone gives it.
func (q *Quote) settlePrices() {
	if strings.HasPrefix(q.Currency, "{") {
		q.Currency = tolerant.Members(jsontext.Value(q.Currency)).FirstText("code", "iso", "currency")
	}
	for _, p := range []*Price{&q.PriceBeforeDiscount, &q.FinalPrice} {
		if q.Currency == "" && p.Known && currencyCode.MatchString(p.currencies) {
			q.Currency = p.currencies
		}
		if p.Known && q.Currency != "" && !p.Fits(strings.ToUpper(q.Currency)) {
			*p = Price{Raw: p.Raw}
		}
		if p.Known && (p.Amount < 0 || p.Amount > highestPrice) {
			*p = Price{Raw: cmp.Or(p.Raw, strconv.FormatFloat(p.Amount, 'g', -1, 64))}
		}
	}
}

// highestPrice is beyond what any survey costs in any currency.
const highestPrice = 1e12

// endedStatuses are the statuses of their own by which services take quotes back.
var endedStatuses = []string{
	"expired",
	"withdrawn",
	"cancelled",
	"canceled",
	"superseded",
	"closed",
	"rejected",
	"declined",
}

// settleQuotes settles the prices of an order's quotes, and closes those that the service
// has taken back.
func (r *OrderRecord) settleQuotes() {
	isEnded := func(q Quote) bool {
		status := q.Extra["status"]
		return status != nil && slices.Contains(endedStatuses, strings.ToLower(tolerant.Text(jsontext.Value(status))))
	}
	for _, q := range r.Quotes {
		if isEnded(q) {
			r.ClosedQuotes = append(r.ClosedQuotes, q)
		}
	}
	r.Quotes = slices.DeleteFunc(r.Quotes, isEnded)
	for _, list := range [][]Quote{r.Quotes, r.RejectedQuotes, r.ClosedQuotes} {
		for i := range list {
			list[i].settlePrices()
		}
	}
	if r.AcceptedQuote != nil {
		r.AcceptedQuote.settlePrices()
	}
}
