package quoting

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// QuoteComparison compares the quotes of an order, as a page of the app and as a file.
type QuoteComparison struct {
	Order *api.OrderRecord
	Set   OfferSet
	Pick  *Offer    // selected quote, with which the others are compared; nil for none
	At    time.Time // current time, in the time zone of the user
}

// Terms returns the terms of a quote that are compared, such as its price and its delivery time. On the
// screen, each term with a title is a row, and in a CSV file, each term with a name is a column. The
// screen does not show a term that is Off. If there is little room, it leaves out the terms with the
// highest Drop first.
func (c *QuoteComparison) Terms() []columns.Column[*Offer] {
	terms := columns.MakeColumns("terms", columns.Values[*Offer]{
		"order":               func(*Offer) columns.Cell { return columns.TextCell(FullName(c.Order)) },
		"quote":               func(o *Offer) columns.Cell { return columns.TextCell(o.DisplayName()) },
		"bestOf":              func(o *Offer) columns.Cell { return columns.TextCell(c.Set.BestOf(o, c.At)) },
		"priceBeforeDiscount": func(o *Offer) columns.Cell { return o.priceCell(o.PriceBeforeDiscount) },
		"discount":            discountCell,
		"finalPrice":          func(o *Offer) columns.Cell { return o.priceCell(o.FinalPrice) },
		"difference":          c.priceDifference,
		"differencePercent":   c.percentDifference,
		"pricePerArea":        func(o *Offer) columns.Cell { return o.priceCell(c.pricePerArea(o)) },
		AgainstPick:           c.dayDifference, // the title, because this term has no name and is not in CSV files
		"expiryDate":          c.expiryCell,
		"expired":             func(o *Offer) columns.Cell { return columns.TextCell(c.expiredText(o)) },
	})
	for i := range terms {
		if terms[i].Name == "pricePerArea" {
			c.nameByUnit(&terms[i])
		}
	}
	return terms
}

// nameByUnit sets the title and the name of the column with the price per area, such as "Price per ha".
// The user chooses the unit.
func (c *QuoteComparison) nameByUnit(pricePerArea *columns.Column[*Offer]) {
	unit := c.Set.Units.PriceUnit().Name
	pricePerArea.Title = "Price per " + unit
	pricePerArea.Name = areaNames[unit]
}

// discountCell returns a cell with the discount and its reason. The raw value of the cell is the discount
// as the service sent it.
func discountCell(o *Offer) columns.Cell {
	return columns.LabelCell(cmp.Or(o.DiscountText(), format.None), o.DiscountProvided)
}

// pricePerArea returns the price of an offer per unit of area.
func (c *QuoteComparison) pricePerArea(o *Offer) api.Price {
	perSquareMetre, known := o.PerArea()
	return api.Price{Amount: perSquareMetre * c.Set.Units.PriceUnit().Per, Known: known}
}

// expiredText returns "true" or "false" for whether an offer has expired, or "" if its expiry is unknown.
func (c *QuoteComparison) expiredText(o *Offer) string {
	isExpired := columns.IsQuoteExpired(&o.Quote, o.Status, c.At)
	if isExpired == nil {
		return ""
	}
	return strconv.FormatBool(*isExpired)
}

// AgainstPick is the title of the rows that compare each quote with the selected quote.
const AgainstPick = "vs. selected"

// areaNames has the name of the column with the price per area in a CSV file, by the unit of areas.
var areaNames = map[string]string{
	"ha":   "pricePerHectare",
	"km²":  "pricePerKm2",
	"acre": "pricePerAcre",
}

// differenceCell returns a cell with the difference to the selected quote. A lower value is coloured as
// good.
func differenceCell(difference float64, text string) columns.Cell {
	cell := columns.Cell{Text: text, Num: difference, Known: true}
	if difference < 0 {
		cell.Role = format.Good
	} else if difference > 0 {
		cell.Role = format.Attention
	}
	return cell
}

func (c *QuoteComparison) priceDifference(o *Offer) columns.Cell {
	difference, share, ok := Difference(o, c.Pick, (*Offer).Price)
	if !ok {
		return columns.NoCell()
	}
	if o.Currency == "" || c.Pick.Currency == "" {
		return columns.TextCell("no currency").WithTone(format.Attention)
	}
	if o.Currency != c.Pick.Currency {
		return columns.TextCell("other currency").WithTone(format.Attention)
	}
	text := format.MoneyChange(difference, o.Currency) + " " + format.Percent(share)
	cell := differenceCell(difference, text)
	cell.Code = o.Currency
	return cell
}

func (c *QuoteComparison) percentDifference(o *Offer) columns.Cell {
	difference := c.priceDifference(o)
	if !difference.Known || c.Pick.FinalPrice.Amount == 0 {
		return columns.Cell{}
	}
	share := 100 * difference.Num / c.Pick.FinalPrice.Amount
	return columns.Cell{Text: strconv.FormatFloat(share, 'f', 1, 64), Known: true}
}

func (c *QuoteComparison) dayDifference(o *Offer) columns.Cell {
	days, _, ok := Difference(o, c.Pick, (*Offer).DeliveryDays)
	if !ok {
		return columns.NoCell()
	}
	if days == 0 {
		return differenceCell(0, "the same")
	}
	unit := " days"
	if days == 1 || days == -1 {
		unit = " day"
	}
	return differenceCell(days, format.SignedChange(days, 0)+unit)
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

// WriteCSV writes a row for each quote. Numbers have no separators, times have their zone,
// and text that a spreadsheet would evaluate as a formula is escaped.
func (c *QuoteComparison) WriteCSV(to io.Writer) error {
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

// NewComparison compares the quotes of an order with the open quote whose ID or name is pick. If pick is
// "", that is the first open quote. It returns an error if there is no open quote with that ID or name.
func NewComparison(r *api.OrderRecord, pick string, now time.Time) (*QuoteComparison, error) {
	c := &QuoteComparison{Order: r, Set: NewSet(now, r), At: now}
	if pick == "" {
		if len(c.Set.Open) > 0 {
			c.Pick = c.Set.Open[0]
		}
		return c, nil
	}
	for _, o := range c.Set.Open {
		if o.QuoteID == pick || o.DisplayName() == pick {
			c.Pick = o
		}
	}
	if c.Pick == nil {
		return nil, fmt.Errorf("no open quote %q to compare", pick)
	}
	return c, nil
}
