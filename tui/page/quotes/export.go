package quotes

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
	"flightdesk/tui/page/exportdialog"
)

// comparison is what is written of a board, for the person who signs. Nothing
// of it changes while it is written.
type comparison struct {
	order  *api.OrderRecord
	orders map[string]string // names by id, where they are several
	board  board
	pick   *offer // that the others are compared with, nil for none
	notes  map[string]string
	host   string
	now    time.Time // and its zone
}

// export asks for a file and writes the comparison.
func (c *Compare) export() {
	all := comparison{c.record, c.sheet.orders, c.sheet.board, c.pick(), c.sheet.notes, c.Host, c.Now()}
	count := format.Count(len(all.board.open)+len(all.board.decided), "quote", "quotes")
	c.file.Ask(exportdialog.Job{
		Title: "Export comparison", Help: count + ", as Markdown (.md) or .csv", Says: "the comparison of " + count,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".csv") {
				return all.csv(to)
			}
			return all.markdown(to)
		},
	}, "quotes-"+fileName(name(c.record))+"-"+c.Now().Format(time.DateOnly)+".md")
}

// fileName is what of a name from outside may stand in a file's.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return -1
	}, s)
}

// sideBySide is how many quotes a page of paper has room for as columns; more
// are rows.
const sideBySide = 5

// markdown writes a table of the open quotes, the decided ones, and where to
// sign. Text from outside is text there, too.
func (c *comparison) markdown(to io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Quotes for %s\n\n", layout.Markdown(strings.TrimSpace(name(c.order)+" "+c.order.OrderName)))
	facts := []string{}
	if c.order.CompanyName != "" {
		facts = append(facts, layout.Markdown(c.order.CompanyName))
	}
	if a := c.order.AreaSize; a != nil && *a > 0 {
		facts = append(facts, format.Area(*a))
	}
	facts = append(facts, fmt.Sprintf("%d open, %d decided", len(c.board.open), len(c.board.decided)))
	fmt.Fprintf(&b, "%s. As of %s by the service's clock, from %s.\n", strings.Join(facts, ", "), c.now.Format("2006-01-02 15:04 -07:00"), layout.Markdown(c.host))
	if len(c.board.open) > 0 {
		b.WriteString("\n" + c.table())
	}
	if c.pick != nil && len(c.board.open) > 1 {
		fmt.Fprintf(&b, "\nDifferences are against %s. Prices in several currencies are not compared.\n", layout.Markdown(c.pick.name()))
	}
	if len(c.board.decided) > 0 {
		b.WriteString("\n## Decided\n\n")
	}
	for _, o := range c.board.decided {
		fmt.Fprintf(&b, "- %s: %s, %s, %s%s\n", layout.Markdown(string(o.stands)), layout.Markdown(o.name()), layout.Markdown(finalText(o)), layout.Markdown(o.DeliveryBy.String()), after(", note: ", layout.Markdown(c.notes[o.QuoteID])))
	}
	if len(c.board.open) > 0 {
		b.WriteString("\nAccepted quote: ____________________  Name, date: ____________________  Signature: ____________________\n")
	}
	_, err := io.WriteString(to, b.String())
	return err
}

func after(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// table has a row for each term and a column for each quote, or turned round
// where the quotes are too many.
func (c *comparison) table() string {
	terms := []struct {
		name string
		say  func(*offer) string
	}{
		{"Quote", (*offer).name},
		{"Order", func(o *offer) string { return c.orders[o.order] }},
		{"Best of", func(o *offer) string { return strings.Join(c.board.best(o, c.now), ", ") }},
		{"Before discount", func(o *offer) string {
			return priceText(o.PriceBeforeDiscount.Amount, known(o.PriceBeforeDiscount), o.Currency)
		}},
		{"Discount", (*offer).discount},
		{"Final price", finalText},
		{"Difference", c.difference},
		{"Per " + format.PriceUnit().Name, func(o *offer) string { f, ok := o.perArea(); return priceText(f, ok, o.Currency) }},
		{"Per day", func(o *offer) string { f, ok := o.perDay(); return priceText(f, ok, o.Currency) }},
		{"Delivery", func(o *offer) string { return o.DeliveryBy.String() }},
		{"Expires", c.expiry},
		{"Description", func(o *offer) string { return o.Description }},
		{"Note", func(o *offer) string { return c.notes[o.QuoteID] }},
	}
	var rows [][]string
	for i, t := range terms {
		row := []string{t.name}
		if i == 0 {
			row[0] = "" // the corner
		}
		filled := false
		for _, o := range c.board.open {
			text := layout.Markdown(t.say(o))
			filled = filled || text != "" && text != format.None
			row = append(row, text)
		}
		if filled || i == 0 {
			rows = append(rows, row)
		}
	}
	if len(c.board.open) > sideBySide {
		rows = turned(rows)
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

func turned(rows [][]string) [][]string {
	all := make([][]string, len(rows[0]))
	for i := range all {
		for _, row := range rows {
			all[i] = append(all[i], row[i])
		}
	}
	return all
}

func (c *comparison) difference(o *offer) string {
	if c.pick == nil || o == c.pick || !alike(o, c.pick) {
		return ""
	}
	by, share, ok := difference(o, c.pick, (*offer).price)
	if !ok {
		return ""
	}
	return format.MoneyChange(by, o.Currency) + " " + o.Currency + ", " + format.Percent(share)
}

func (c *comparison) expiry(o *offer) string {
	switch {
	case !o.ExpiryDate.IsRead():
		return o.ExpiryDate.Raw
	case o.IsExpired(c.now):
		return "expired " + o.ExpiryDate.In(c.now.Location()).Format("2006-01-02 15:04 -07:00")
	default:
		return o.ExpiryDate.In(c.now.Location()).Format("2006-01-02 15:04 -07:00")
	}
}

// pricePer names the column of prices for an area.
func pricePer() string {
	return map[string]string{"ha": "pricePerHectare", "km²": "pricePerKm2", "acre": "pricePerAcre"}[format.PriceUnit().Name]
}

// csv writes a row for each quote: numbers without separators, times with
// their zone, and words that no spreadsheet takes for a formula.
func (c *comparison) csv(to io.Writer) error {
	w := csv.NewWriter(to)
	w.UseCRLF = true
	rows := [][]string{{
		"order", "orderId", "quote", "quoteId", "status", "bestOf", "priceBeforeDiscount", "discount", "reasonForDiscount", "finalPrice", "currency",
		"difference", "differencePercent", pricePer(), "pricePerDay", "deliveryBy", "expiryDate", "expired", "description", "note",
	}}
	for _, o := range slices.Concat(c.board.open, c.board.decided) {
		rows = append(rows, c.row(o))
	}
	return w.WriteAll(rows)
}

func (c *comparison) row(o *offer) []string {
	word := format.Inert
	sum := func(f float64, ok bool) string {
		if !ok {
			return ""
		}
		return strconv.FormatFloat(f, 'f', format.Decimals(o.Currency), 64)
	}
	price, priced := o.price()
	perArea, hasArea := o.perArea()
	perDay, hasDays := o.perDay()
	by, share, comparable := 0.0, 0.0, false
	if c.pick != nil && alike(o, c.pick) {
		by, share, comparable = difference(o, c.pick, (*offer).price)
	}
	percent, daysBy, expiry, reason := "", "", word(o.ExpiryDate.Raw), ""
	if comparable && c.pick.FinalPrice.Amount != 0 {
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
	order := c.orders[o.order]
	if order == "" {
		order = strings.TrimSpace(name(c.order) + " " + c.order.OrderName)
	}
	return []string{
		word(order), word(o.order), word(o.name()), word(o.QuoteID), word(string(o.stands)), strings.Join(c.board.best(o, c.now), ", "),
		sum(o.PriceBeforeDiscount.Amount, known(o.PriceBeforeDiscount)), word(o.DiscountProvided), word(reason), sum(price, priced), word(o.Currency),
		sum(by, comparable), percent, sum(perArea, hasArea), sum(perDay, hasDays), daysBy, expiry,
		strconv.FormatBool(o.stands == api.QuoteOpen && o.IsExpired(c.now)), word(o.Description), word(c.notes[o.QuoteID]),
	}
}
