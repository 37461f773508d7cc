package quoting

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// QuoteComparison is the quotes of an order beside each other, on the screen and for the
// person who signs. Nothing of it changes while it is written.
type QuoteComparison struct {
	Order  *api.OrderRecord
	Others []*api.OrderRecord // whose quotes are compared as well
	Set    OfferSet
	Pick   *Offer // that the others are compared with, nil for none
	Host   string
	At     time.Time // now, and its zone
}

// areaTitle returns the title of the price of an area, with the order's area.
func (c *QuoteComparison) areaTitle() string {
	unit := c.Set.Units.PriceUnit()
	if a := format.ValueOf(c.Order.AreaSize); a > 0 {
		return fmt.Sprintf("Per %s (%s)", unit.Name, format.GroupDigits(a/unit.Per, 2))
	}
	return "Per " + unit.Name
}

// sideBySide is how many quotes a page of paper has room for as columns; more
// are rows.
const sideBySide = 5

// Terms returns what is compared of quotes: rows on the screen and on paper, columns of
// a file. Those without a title are in the file only, and the one without a name is not.
// Those that are Off are not on the screen, which leaves out the highest Drop first.
func (c *QuoteComparison) Terms() []columns.Column[*Offer] {
	text := func(value func(*Offer) string) func(*Offer) columns.Cell {
		return func(o *Offer) columns.Cell { return columns.TextCell(value(o)) }
	}
	price := func(value func(*Offer) api.Price) func(*Offer) columns.Cell {
		return func(o *Offer) columns.Cell { return o.priceCell(value(o)) }
	}
	unit := c.Set.Units.PriceUnit()
	all := columns.MakeColumns("terms", columns.Values[*Offer]{
		"order": func(o *Offer) columns.Cell {
			return columns.Cell{Text: c.OrderOf(o), Data: FullName(o.Order)}
		},
		"quote":               text((*Offer).DisplayName),
		"bestOf":              text(func(o *Offer) string { return c.Set.BestOf(o, c.At) }),
		"priceBeforeDiscount": price(func(o *Offer) api.Price { return o.PriceBeforeDiscount }),
		"discount": func(o *Offer) columns.Cell {
			return columns.LabelCell(cmp.Or(o.DiscountText(), format.None), o.DiscountProvided)
		},
		"finalPrice":        price(func(o *Offer) api.Price { return o.FinalPrice }),
		"difference":        c.priceDifference,
		"differencePercent": c.percentDifference,
		"pricePerArea": price(func(o *Offer) api.Price {
			sum, known := o.PerArea()
			return api.Price{Amount: sum * unit.Per, Known: known}
		}),
		"pricePerDay": price(func(o *Offer) api.Price {
			sum, known := o.PerDay()
			return api.Price{Amount: sum, Known: known}
		}),
		AgainstPick:  c.dayDifference,
		"expiryDate": c.expiryCell,
		"expired": text(func(o *Offer) string {
			expired := columns.IsQuoteExpired(&o.Quote, o.Status, c.At)
			if expired == nil {
				return ""
			}
			return strconv.FormatBool(*expired)
		}),
	})
	for i := range all {
		if perArea := &all[i]; perArea.Name == "pricePerArea" {
			perArea.Title, perArea.Name = c.areaTitle(), areaNames[unit.Name]
		}
	}
	return all
}

// AgainstPick is the title of the terms that compare a figure with the picked quote's.
const AgainstPick = "vs. selected"

// areaNames are the names of the price of an area, by its unit.
var areaNames = map[string]string{
	"ha":   "pricePerHectare",
	"km²":  "pricePerKm2",
	"acre": "pricePerAcre",
}

// OrderOf returns the order of a quote, which people need only where they are several.
func (c *QuoteComparison) OrderOf(o *Offer) string {
	if len(c.Others) == 0 {
		return ""
	}
	return FullName(o.Order)
}

// differenceCell returns a difference to the picked quote; less is better.
func differenceCell(by float64, text string) columns.Cell {
	cell := columns.Cell{Text: text, Num: by, Known: true}
	switch {
	case by < 0:
		cell.Role = format.Good
	case by > 0:
		cell.Role = format.Attention
	}
	return cell
}

func (c *QuoteComparison) priceDifference(o *Offer) columns.Cell {
	by, share, ok := Difference(o, c.Pick, (*Offer).Price)
	switch {
	case !ok:
		return columns.NoCell()
	case o.Currency == "" || c.Pick.Currency == "":
		return columns.TextCell("no currency").WithTone(format.Attention)
	case o.Currency != c.Pick.Currency:
		return columns.TextCell("other currency").WithTone(format.Attention)
	}
	cell := differenceCell(by, format.MoneyChange(by, o.Currency)+" "+format.Percent(share))
	cell.Code = o.Currency
	return cell
}

func (c *QuoteComparison) percentDifference(o *Offer) columns.Cell {
	by := c.priceDifference(o)
	if !by.Known || c.Pick.FinalPrice.Amount == 0 {
		return columns.Cell{}
	}
	share := 100 * by.Num / c.Pick.FinalPrice.Amount
	return columns.Cell{Text: strconv.FormatFloat(share, 'f', 1, 64), Known: true}
}

func (c *QuoteComparison) dayDifference(o *Offer) columns.Cell {
	by, _, ok := Difference(o, c.Pick, (*Offer).DeliveryDays)
	switch {
	case !ok:
		return columns.NoCell()
	case by == 0:
		return differenceCell(0, "the same")
	case by == 1 || by == -1:
		return differenceCell(by, format.SignedChange(by, 0)+" day")
	}
	return differenceCell(by, format.SignedChange(by, 0)+" days")
}

func (c *QuoteComparison) expiryCell(o *Offer) columns.Cell {
	if !o.ExpiryDate.IsRead() {
		return columns.Cell{Text: o.ExpiryDate.Raw, Data: o.ExpiryDate.Raw}
	}
	text := o.ExpiryDate.In(c.At.Location()).Format("2006-01-02 15:04 -07:00")
	if o.IsExpired(c.At) {
		text = "expired " + text
	}
	return columns.Cell{Text: text, Time: o.ExpiryDate.Time, Known: true}
}

// writeMarkdown writes a table of the open quotes, the decided ones, and where to
// sign. Text from outside is text there, too.
func (c *QuoteComparison) writeMarkdown(to io.Writer) error {
	var b strings.Builder
	text := format.EscapeMarkdown
	fmt.Fprintf(&b, "# Quotes for %s\n\n", text(FullName(c.Order)))
	if c.Order.CompanyName != "" {
		b.WriteString(text(c.Order.CompanyName) + ", ")
	}
	if a := format.ValueOf(c.Order.AreaSize); a > 0 {
		b.WriteString(c.Set.Units.Area(a) + ", ")
	}
	at := c.At.Format("2006-01-02 15:04 -07:00")
	fmt.Fprintf(&b, "%d open, %d decided. As of %s (service time), from %s.\n",
		len(c.Set.Open), len(c.Set.Decided), at, text(c.Host))
	if len(c.Set.Open) > 0 {
		b.WriteString("\n" + c.tableText())
	}
	if c.Pick != nil && len(c.Set.Open) > 1 {
		b.WriteString("\nDifferences are relative to " + text(c.Pick.DisplayName()) +
			". Prices in different currencies are not compared.\n")
	}
	for i, o := range c.Set.Decided {
		if i == 0 {
			b.WriteString("\n## Decided\n\n")
		}
		b.WriteString(
			"- " + text(string(o.Status)+": "+o.DisplayName()+", "+o.PriceText()+", "+o.DeliveryBy.String()),
		)
		b.WriteString("\n")
	}
	if len(c.Set.Open) > 0 {
		b.WriteString(
			"\nAccepted quote: ____________________  Name, date: ____________________  Signature: ____________________\n",
		)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// tableText has a row for each term and a column for each quote, or turned round
// where the quotes are too many.
func (c *QuoteComparison) tableText() string {
	rows := [][]string{{""}}
	for _, o := range c.Set.Open {
		rows[0] = append(rows[0], format.EscapeMarkdown(o.DisplayName()))
	}
	for _, t := range c.Terms() {
		row, filled := []string{t.Title}, false
		for _, o := range c.Set.Open {
			text := t.Value(o).Text
			filled = filled || text != "" && text != format.None
			row = append(row, format.EscapeMarkdown(text))
		}
		if filled && t.Title != "" {
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

// writeCSV writes a row for each quote: numbers without separators, times with
// their zone, and words that no spreadsheet takes for a formula.
func (c *QuoteComparison) writeCSV(to io.Writer) error {
	terms := slices.DeleteFunc(c.Terms(), func(t columns.Column[*Offer]) bool { return t.Name == "" })
	rows := make([][]string, 1+len(c.Set.Open)+len(c.Set.Decided))
	for _, t := range terms {
		rows[0] = append(rows[0], t.Name)
		for i, o := range slices.Concat(c.Set.Open, c.Set.Decided) {
			cell := t.Value(o)
			text := cmp.Or(t.RawCell(cell), cell.Data)
			if !cell.Known {
				text = format.InertCell(text)
			}
			rows[i+1] = append(rows[i+1], text)
		}
	}
	w := csv.NewWriter(to)
	w.UseCRLF = true
	return w.WriteAll(rows)
}

// NewComparison compares the quotes of an order with the first open one, or the
// one with the id or name against.
func NewComparison(
	r *api.OrderRecord,
	against string,
	host string,
	now time.Time,
) (*QuoteComparison, error) {
	c := &QuoteComparison{
		Order: r,
		Set:   NewSet(now, r),
		Host:  host,
		At:    now,
	}
	for _, o := range c.Set.Open {
		if c.Pick == nil && against == "" ||
			against != "" && (o.QuoteID == against || o.DisplayName() == against) {
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
