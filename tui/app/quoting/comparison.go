package quoting

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// QuoteComparison is what is written of quotes, for the person who signs. Nothing
// of it changes while it is written.
type QuoteComparison struct {
	Order      *api.OrderRecord
	OrderNames map[string]string // by id, where they are several
	Set        OfferSet
	Pick       *Offer            // that the others are compared with, nil for none
	Notes      map[string]string // by quote id
	Host       string
	Now        time.Time // and its zone
}

// sideBySide is how many quotes a page of paper has room for as columns; more
// are rows.
const sideBySide = 5

// writeMarkdown writes a table of the open quotes, the decided ones, and where to
// sign. Text from outside is text there, too.
func (c *QuoteComparison) writeMarkdown(to io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"# Quotes for %s\n\n",
		layout.EscapeMarkdown(strings.TrimSpace(OrderName(c.Order)+" "+c.Order.OrderName)),
	)
	facts := []string{}
	if c.Order.CompanyName != "" {
		facts = append(facts, layout.EscapeMarkdown(c.Order.CompanyName))
	}
	if a := c.Order.AreaSize; a != nil && *a > 0 {
		facts = append(facts, format.Area(*a))
	}
	facts = append(facts, fmt.Sprintf("%d open, %d decided", len(c.Set.Open), len(c.Set.Decided)))
	fmt.Fprintf(
		&b,
		"%s. As of %s (service time), from %s.\n",
		strings.Join(facts, ", "),
		c.Now.Format("2006-01-02 15:04 -07:00"),
		layout.EscapeMarkdown(c.Host),
	)
	if len(c.Set.Open) > 0 {
		b.WriteString("\n" + c.tableText())
	}
	if c.Pick != nil && len(c.Set.Open) > 1 {
		fmt.Fprintf(
			&b,
			"\nDifferences are relative to %s. Prices in different currencies are not compared.\n",
			layout.EscapeMarkdown(c.Pick.DisplayName()),
		)
	}
	if len(c.Set.Decided) > 0 {
		b.WriteString("\n## Decided\n\n")
	}
	for _, o := range c.Set.Decided {
		fmt.Fprintf(
			&b,
			"- %s: %s, %s, %s%s\n",
			layout.EscapeMarkdown(string(o.Status)),
			layout.EscapeMarkdown(o.DisplayName()),
			layout.EscapeMarkdown(o.PriceText()),
			layout.EscapeMarkdown(o.DeliveryBy.String()),
			textAfter(", note: ", layout.EscapeMarkdown(c.Notes[o.QuoteID])),
		)
	}
	if len(c.Set.Open) > 0 {
		b.WriteString(
			"\nAccepted quote: ____________________  Name, date: ____________________  Signature: ____________________\n",
		)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

func textAfter(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// tableText has a row for each term and a column for each quote, or turned round
// where the quotes are too many.
func (c *QuoteComparison) tableText() string {
	terms := []struct {
		name string
		say  func(*Offer) string
	}{
		{"Quote", (*Offer).DisplayName},
		{"Order", func(o *Offer) string { return c.OrderNames[o.OrderID] }},
		{"Best of", func(o *Offer) string { return strings.Join(c.Set.BestWords(o, c.Now), ", ") }},
		{"Before discount", (*Offer).FullPriceText},
		{"Discount", (*Offer).DiscountText},
		{"Final price", (*Offer).PriceText},
		{"Difference", c.differenceText},
		{"Per " + format.PriceUnit().Name, (*Offer).PerAreaText},
		{"Per day", (*Offer).PerDayText},
		{"Delivery", (*Offer).DeliveryText},
		{"Expires", c.expiryText},
		{"Description", func(o *Offer) string { return o.Description }},
		{"Note", func(o *Offer) string { return c.Notes[o.QuoteID] }},
	}
	var rows [][]string
	for i, t := range terms {
		row := []string{t.name}
		if i == 0 {
			row[0] = "" // the corner
		}
		filled := false
		for _, o := range c.Set.Open {
			text := layout.EscapeMarkdown(t.say(o))
			filled = filled || text != "" && text != format.None
			row = append(row, text)
		}
		if filled || i == 0 {
			rows = append(rows, row)
		}
	}
	if len(c.Set.Open) > sideBySide {
		rows = transpose(rows)
	}
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|---|" + strings.Repeat("---:|", len(row)-1) + "\n")
		}
	}
	return b.String()
}

func transpose(rows [][]string) [][]string {
	all := make([][]string, len(rows[0]))
	for i := range all {
		for _, row := range rows {
			all[i] = append(all[i], row[i])
		}
	}
	return all
}

func (c *QuoteComparison) differenceText(o *Offer) string {
	if c.Pick == nil || o == c.Pick || !AreComparable(o, c.Pick) {
		return ""
	}
	by, share, ok := Difference(o, c.Pick, (*Offer).Price)
	if !ok {
		return ""
	}
	return format.MoneyChange(by, o.Currency) + " " + o.Currency + ", " + format.Percent(share)
}

func (c *QuoteComparison) expiryText(o *Offer) string {
	switch {
	case !o.ExpiryDate.IsRead():
		return o.ExpiryDate.Raw
	case o.IsExpired(c.Now):
		return "expired " + o.ExpiryDate.In(c.Now.Location()).Format("2006-01-02 15:04 -07:00")
	default:
		return o.ExpiryDate.In(c.Now.Location()).Format("2006-01-02 15:04 -07:00")
	}
}

// pricePer names the column of prices for an area.
func pricePer() string {
	return map[string]string{"ha": "pricePerHectare", "km²": "pricePerKm2", "acre": "pricePerAcre"}[format.PriceUnit().Name]
}

// writeCSV writes a row for each quote: numbers without separators, times with
// their zone, and words that no spreadsheet takes for a formula.
func (c *QuoteComparison) writeCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	w.UseCRLF = true
	rows := [][]string{
		{
			"order",
			"orderId",
			"quote",
			"quoteId",
			"status",
			"bestOf",
			"priceBeforeDiscount",
			"discount",
			"reasonForDiscount",
			"finalPrice",
			"currency",
			"difference",
			"differencePercent",
			pricePer(),
			"pricePerDay",
			"deliveryBy",
			"expiryDate",
			"expired",
			"description",
			"note",
		},
	}
	for _, o := range slices.Concat(c.Set.Open, c.Set.Decided) {
		rows = append(rows, c.csvRow(o))
	}
	return w.WriteAll(rows)
}

func (c *QuoteComparison) csvRow(o *Offer) []string {
	word := format.InertCell
	sum := func(f float64, ok bool) string {
		if !ok {
			return ""
		}
		return strconv.FormatFloat(f, 'f', format.Decimals(o.Currency), 64)
	}
	price, priced := o.Price()
	perArea, hasArea := o.PerArea()
	perDay, hasDays := o.PerDay()
	by, share, comparable := 0.0, 0.0, false
	if c.Pick != nil && AreComparable(o, c.Pick) {
		by, share, comparable = Difference(o, c.Pick, (*Offer).Price)
	}
	percent, daysBy, expiry, reason := "", "", word(o.ExpiryDate.Raw), ""
	if comparable && c.Pick.FinalPrice.Amount != 0 {
		percent = strconv.FormatFloat(100*share, 'f', 1, 64)
	}
	if o.DeliveryBy.Known {
		daysBy = strconv.Itoa(o.DeliveryBy.Count)
	}
	if o.ExpiryDate.IsRead() {
		expiry = o.ExpiryDate.Format(time.RFC3339)
	}
	if o.ReasonForDiscount != nil {
		reason = *o.ReasonForDiscount
	}
	order := c.OrderNames[o.OrderID]
	if order == "" {
		order = strings.TrimSpace(OrderName(c.Order) + " " + c.Order.OrderName)
	}
	return []string{
		word(order), word(o.OrderID), word(o.DisplayName()), word(o.QuoteID), word(string(o.Status)), strings.Join(c.Set.BestWords(o, c.Now), ", "),
		sum(o.PriceBeforeDiscount.Amount, IsKnown(o.PriceBeforeDiscount)), word(o.DiscountProvided), word(reason), sum(price, priced), word(o.Currency),
		sum(by, comparable), percent, sum(perArea, hasArea), sum(perDay, hasDays), daysBy, expiry,
		strconv.FormatBool(o.Status == api.QuoteOpen && o.IsExpired(c.Now)), word(o.Description), word(c.Notes[o.QuoteID]),
	}
}

// NewComparison compares the quotes of an order with the first open one, or the
// one with the id or name against. Notes are by the quotes' ids.
func NewComparison(
	r *api.OrderRecord,
	against string,
	notes map[string]string,
	host string,
	now time.Time,
) (*QuoteComparison, error) {
	c := &QuoteComparison{Order: r, Set: NewSet(r, now), Notes: notes, Host: host, Now: now}
	for _, o := range c.Set.Open {
		if c.Pick == nil && against == "" || against != "" && (o.QuoteID == against || o.DisplayName() == against) {
			c.Pick = o
		}
	}
	if against != "" && c.Pick == nil {
		return nil, fmt.Errorf("no open quote %q to compare", against)
	}
	return c, nil
}

// Write writes the comparison as CSV or Markdown.
func (c *QuoteComparison) Write(to io.Writer, asCSV bool) error {
	if asCSV {
		return c.writeCSV(to)
	}
	return c.writeMarkdown(to)
}
