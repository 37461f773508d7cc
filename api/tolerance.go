package api

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// noLimit is what a client has learned of a service that refuses limits.
const noLimit = -1

// withLimit performs a read with a limit. Where the service refuses it, the read
// is done again with the maximum that the refusal names, or without a limit,
// and the client keeps to that. Beyond the first page the limit is not to blame.
func (c *Connection) withLimit(limit int, first bool, do func(limit int) error) error {
	if most := int(c.maxLimit.Load()); most == noLimit {
		limit = 0
	} else if most > 0 {
		limit = min(limit, most)
	}
	err := do(limit)
	if limit == 0 || !first || !IsStatus(err, http.StatusBadRequest, http.StatusUnprocessableEntity) {
		return err
	}
	for _, less := range []int{allowedLimit(err, limit), 0} {
		if less == limit {
			continue
		}
		if do(less) == nil {
			if less == 0 {
				less = noLimit
			}
			c.maxLimit.Store(int64(less))
			return nil
		}
	}
	return err
}

var digits = regexp.MustCompile(`\b\d{1,4}\b`)

// allowedLimit returns the maximum that a refusal names: the greatest number in it
// below the limit that was asked for, 0 for none.
func allowedLimit(err error, asked int) (most int) {
	var refusal *Error
	if !errors.As(err, &refusal) {
		return 0
	}
	text := refusal.Message
	for _, f := range refusal.Fields {
		text += " " + f.Field + " " + f.Message
	}
	if !strings.Contains(strings.ToLower(text), "limit") {
		return 0
	}
	for _, number := range digits.FindAllString(text, -1) {
		if n, err := strconv.Atoi(number); err == nil && n < asked {
			most = max(most, n)
		}
	}
	return most
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
		q.Currency = firstText(membersOf(jsontext.Value(q.Currency)), "code", "iso", "currency")
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
		return status != nil && slices.Contains(endedStatuses, strings.ToLower(textOf(jsontext.Value(status))))
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
