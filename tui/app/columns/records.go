package columns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// Records returns the columns of a table of orders in the v2 API. quotes returns the state of an order's quotes, which a list
// of orders does not include; nil if it is unknown.
func Records(quotes func(uuid string) format.QuoteState) []Column[*api.OrderRecord] {
	return MakeColumns("records", Values[*api.OrderRecord]{
		"orderCode": func(r *api.OrderRecord) Cell { return TextCell(cmp.Or(r.OrderCode, r.ID)) },
		"orderStatus": func(r *api.OrderRecord) Cell {
			status := r.StageStatus()
			state := format.QuotesUnread
			if quotes != nil && status == api.RecordQuoteReceived {
				state = quotes(r.ID)
			}
			return LabelCell(format.RecordState(status, state).Label, string(status))
		},
		"orderPrice":    func(r *api.OrderRecord) Cell { return TextCell(recordPrice(r)) },
		"deliveryFiles": func(r *api.OrderRecord) Cell { return NumberCell(r.DeliveryFiles.Len()) },
	})
}

// recordPrice returns the price of an order in the currency of its quote.
func recordPrice(r *api.OrderRecord) string {
	if !r.OrderPrice.Known {
		return r.OrderPrice.Raw
	}
	currency := ""
	if r.AcceptedQuote != nil {
		currency = r.AcceptedQuote.Currency
	}
	return format.Money(r.OrderPrice.Amount, currency)
}

// RecordFacts returns the labels and values for displaying an order of the v2 API. It omits empty values.
// Expired quotes are listed separately from open quotes. Members that this program does not know are at the end.
func RecordFacts(r *api.OrderRecord, units format.Units, now time.Time) [][2]string {
	var facts [][2]string
	add := func(label, value string) {
		if strings.TrimSpace(value) != "" {
			facts = append(facts, [2]string{label, value})
		}
	}
	add("Order", strings.TrimSpace(cmp.Or(r.OrderCode, r.ID)+"  "+r.OrderName))
	open, expired := splitExpired(r.Quotes, now)
	quotes := format.QuoteStateOf(len(open), len(expired))
	add("Status", format.RecordState(r.StageStatus(), quotes).Label)
	add("Company", r.CompanyName)
	add("Client", r.ClientName)
	add("E-mail", r.ClientEmail)
	add("Deadline", r.DeliveryDeadline.String())
	add("Price", recordPrice(r))
	add("Rejection reason", r.OrderRejectionReason)
	if r.AreaSize != nil {
		add("Area", units.Area(*r.AreaSize))
	}
	// The v2 API does not list the product JPG, the photos, because every order has it. If an order is only for
	// photos, its list is empty.
	if r.MapTypes != nil {
		add("Products", Products(append([]api.Deliverable{api.DeliverableJPG}, r.MapTypes...)))
	}
	for _, fact := range DetailFacts(&r.RecordDetails) {
		add(fact[0], fact[1])
	}
	if r.Notifications != nil {
		add("Notifications", notifiedText(r.Notifications))
	}
	add("Instruction", r.Instruction)
	add("Open quotes", quoteNames(open...))
	add("Expired quotes", quoteNames(expired...))
	add("Rejected quotes", quoteNames(r.RejectedQuotes...))
	add("Closed quotes", quoteNames(r.ClosedQuotes...))
	if r.AcceptedQuote != nil {
		add("Accepted quote", quoteNames(*r.AcceptedQuote))
	}
	add("Files", countFiles(r.DeliveryFiles))
	return append(facts, unknownRecordMembers(r)...)
}

// RecordOnlyFacts returns the labels and values of the fields of a v2 record that an order of the public API does not
// have, without the quotes and the instruction. It omits empty values.
func RecordOnlyFacts(r *api.OrderRecord) [][2]string {
	facts := [][2]string{
		{"Price", recordPrice(r)},
		{"Client", r.ClientName},
		{"E-mail", r.ClientEmail},
	}
	facts = append(facts, DetailFacts(&r.RecordDetails)...)
	if r.Notifications != nil {
		facts = append(facts, [2]string{"Notifications", notifiedText(r.Notifications)})
	}
	facts = append(facts, [2]string{"Files", countFiles(r.DeliveryFiles)})
	facts = append(facts, unknownRecordMembers(r)...)
	return slices.DeleteFunc(facts, func(fact [2]string) bool { return strings.TrimSpace(fact[1]) == "" })
}

// splitExpired returns the quotes that can be decided, and the quotes that have expired.
func splitExpired(quotes []api.Quote, now time.Time) (open, expired []api.Quote) {
	for i := range quotes {
		if quotes[i].IsExpired(now) {
			expired = append(expired, quotes[i])
		} else {
			open = append(open, quotes[i])
		}
	}
	return open, expired
}

// unknownRecordMembers returns the members of a record and of its parts that this program does not
// know.
func unknownRecordMembers(r *api.OrderRecord) [][2]string {
	var unknown [][2]string
	if r.Notifications != nil {
		unknown = append(unknown, UnknownMembers(r.Notifications.Extra)...)
	}
	if r.PointOfContact != nil {
		unknown = append(unknown, UnknownMembers(r.PointOfContact.Extra)...)
	}
	if r.AdvancedOption != nil {
		unknown = append(unknown, UnknownMembers(r.AdvancedOption.Extra)...)
	}
	if r.DeliveryFiles != nil {
		unknown = append(unknown, UnknownMembers(r.DeliveryFiles.Extra)...)
	}
	return append(unknown, UnknownMembers(r.Extra)...)
}

// DetailFacts returns the labels and values for displaying an order's details. Empty values are included.
func DetailFacts(d *api.RecordDetails) [][2]string {
	facts := [][2]string{{"Description", d.Description}, {"Other product", d.OtherMapType}}
	if c := d.PointOfContact; c != nil {
		facts = append(facts, [2]string{"Contact on site", strings.Trim(c.PocName+", "+c.PocPhone, ", ")})
	}
	if option := d.AdvancedOption; option != nil {
		if option.FlightHeight != nil {
			facts = append(facts, [2]string{"Flight height", fmt.Sprintf("%g m", *option.FlightHeight)})
		}
		groundControl := "no"
		if option.GCP {
			groundControl = "yes"
		}
		facts = append(facts, [2]string{"Ground control", groundControl})
	}
	return facts
}

func notifiedText(n *api.Notifications) string {
	var ways []string
	if n.Email {
		ways = append(ways, "e-mail")
	}
	if n.Webhook != "" {
		ways = append(ways, n.Webhook)
	}
	text := cmp.Or(strings.Join(ways, ", "), "none")
	if len(n.Failed) > 0 {
		text += " (failed: " + strings.Join(n.Failed, "; ") + ")"
	}
	return text
}

func quoteNames(quotes ...api.Quote) string {
	var names []string
	for i := range quotes {
		names = append(names, cmp.Or(quotes[i].QuoteName, quotes[i].QuoteID))
	}
	return strings.Join(names, ", ")
}

// countFiles returns a text with the number of an order's files for each product.
func countFiles(f *api.DeliveryFiles) string {
	if f.Len() == 0 {
		return ""
	}
	var parts []string
	if n := len(f.BaseFiles); n > 0 {
		parts = append(parts, fmt.Sprintf("%s %d", format.Word(api.DeliverableJPG).Label, n))
	}
	for product, links := range f.ProcessedData {
		if len(links) > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", format.Word(product).Label, len(links)))
		}
	}
	slices.Sort(parts)
	if n := len(f.Links); n > 0 {
		parts = append(parts, format.Count(n, "link"))
	}
	return strings.Join(parts, ", ")
}
