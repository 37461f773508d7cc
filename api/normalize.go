package api

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

// withLimit performs a read with a limit. If the service rejects the first page, it reads
// again without a limit. If that succeeds, the client sends no more limits.
func (c *Connection) withLimit(limit int, isFirst bool, do func(limit int) error) error {
	if c.refusesLimits.Load() {
		limit = 0
	}
	err := do(limit)
	isRefused := IsStatus(err, http.StatusBadRequest, http.StatusUnprocessableEntity)
	mayBeLimit := limit > 0 && isFirst && isRefused
	if !mayBeLimit {
		return err
	}
	if do(0) != nil {
		return err
	}
	c.refusesLimits.Store(true)
	return nil
}

// resolveLink returns an absolute link. A relative link is relative to the address of the API.
func (c *Connection) resolveLink(link string) string {
	u, err := url.Parse(link)
	if err != nil || link == "" || u.IsAbs() {
		return link
	}
	base := *c.base
	base.Path += "/"
	return base.ResolveReference(u).String()
}

// resolveLinks makes the links of a v2 record absolute.
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
	resolve := func(links []string) {
		for i := range links {
			links[i] = c.resolveLink(links[i])
		}
	}
	resolve(files.BaseFiles)
	resolve(files.Links)
	for _, links := range files.ProcessedData {
		resolve(links)
	}
}

// checkPrices checks the prices of a quote. A price becomes unknown if it is negative, if it is too high, or if it
// was sent with another currency than the currency of the quote. If the quote has no currency, it gets the currency
// that was sent with its price.
func (q *Quote) checkPrices() {
	if strings.HasPrefix(q.Currency, "{") {
		q.Currency = tolerant.Members(jsontext.Value(q.Currency)).FirstText("code", "iso", "currency")
	}
	for _, price := range []*Price{&q.PriceBeforeDiscount, &q.FinalPrice} {
		if !price.Known {
			continue
		}
		if q.Currency == "" && currencyCode.MatchString(price.currencies) {
			q.Currency = price.currencies
		}
		isOtherCurrency := q.Currency != "" && !price.Fits(strings.ToUpper(q.Currency))
		isImplausible := price.Amount < 0 || price.Amount > maxPrice
		if isOtherCurrency || isImplausible {
			*price = price.unread()
		}
	}
}

// unread returns an unknown price with the text that was sent.
func (p Price) unread() Price {
	if p.Raw != "" {
		return Price{Raw: p.Raw}
	}
	return Price{Raw: strconv.FormatFloat(p.Amount, 'g', -1, 64)}
}

// maxPrice is more than any survey costs in any currency.
const maxPrice = 1e12

// withdrawnStatuses are the statuses that services use for withdrawn quotes. The specification has no such status.
var withdrawnStatuses = []string{
	"expired",
	"withdrawn",
	"cancelled",
	"canceled",
	"superseded",
	"closed",
	"rejected",
	"declined",
}

// isWithdrawn reports whether the service sent a member "status", which the specification does not have,
// and the status means that the quote was withdrawn.
func (q *Quote) isWithdrawn() bool {
	sent := q.Extra["status"]
	if sent == nil {
		return false
	}
	status := strings.ToLower(tolerant.Text(jsontext.Value(sent)))
	return slices.Contains(withdrawnStatuses, status)
}

// checkQuotes moves withdrawn quotes to ClosedQuotes and checks the prices of all quotes.
func (r *OrderRecord) checkQuotes() {
	open := r.Quotes[:0]
	for _, q := range r.Quotes {
		if q.isWithdrawn() {
			r.ClosedQuotes = append(r.ClosedQuotes, q)
		} else {
			open = append(open, q)
		}
	}
	r.Quotes = open
	for _, list := range [][]Quote{r.Quotes, r.RejectedQuotes, r.ClosedQuotes} {
		for i := range list {
			list[i].checkPrices()
		}
	}
	if r.AcceptedQuote != nil {
		r.AcceptedQuote.checkPrices()
	}
}
