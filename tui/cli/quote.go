package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
)

// quoteCommand returns the group of commands that compare and decide quotes.
func quoteCommand() *cobra.Command {
	return defineGroup(
		newCommand(
			"quote",
			"Compare, accept or reject quotes",
			"", "# accept a quote by its ID\nflightdesk quote accept ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82",
		),
		quoteDecision("accept", changes.QuoteAccepted),
		quoteDecision("reject", changes.QuoteRejected),
		quoteCompare(),
	)
}

func quoteDecision(verb string, want changes.Kind) *cobra.Command {
	path, short := "flightdesk quote "+verb, format.CapitalizeFirst(verb)
	cmd := newCommand(
		verb+" ORDER QUOTE",
		short+" a quote",
		short+`s a quote, named by the order's code or ID and the quote's ID (see flightdesk list quotes). Asks for
confirmation, showing the order, quote and amount; --yes skips it. The decision is sent once and cannot be undone. If
the response is lost, the order is reloaded to check the result; the exit status is 75 if it does not show the
decision.

--output json prints {"orderId", "orderCode", "quoteId", "outcome", "quote", "error"}, even if the decision failed;
outcome is open, accepted, rejected, closed or unknown.`,
		"# asks for confirmation\n"+path+" ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82\n\n# in a script\n"+path+" ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes --output json",
	)
	confirmFlag(cmd)
	return defineService(cmd, nil, func(c *Call) error {
		return decideQuote(c, want, orderCode(c.Args[0]), c.Args[1])
	})
}

// QuoteDecision is the value that quote --output json prints.
type QuoteDecision struct {
	OrderID   string          `json:"orderId"`
	OrderCode string          `json:"orderCode,omitzero"`
	QuoteID   string          `json:"quoteId"`
	Outcome   api.QuoteStatus `json:"outcome"`
	Quote     *api.Quote      `json:"quote,omitzero"`
	Error     string          `json:"error,omitzero"`
}

func decideQuote(c *Call, want changes.Kind, order, quote string) error {
	if err := errors.Join(c.MayOrder(), c.MayQuote("quotes")); err != nil {
		return err
	}
	record, err := c.FindRecord(order)
	if err != nil {
		return err
	}
	set := quoting.NewSet(c.Now(), record)
	offer := set.FindOffer(quote)
	if offer == nil {
		return fmt.Errorf("%s has no quote %s; flightdesk list quotes --of %s lists its quotes",
			order, quote, order)
	}
	d := set.NewDecision(want, offer)
	switch {
	case string(offer.Status) == string(want): // it is done; once more is no harm
		return tellDecision(c, &d, nil)
	case offer.Status == api.QuoteClosed && record.AcceptedQuote != nil:
		return tellDecision(c, &d, fmt.Errorf("quote %s is closed because quote %s was accepted; nothing was sent",
			offer.QuoteName, record.AcceptedQuote.QuoteName))
	case offer.Status != api.QuoteOpen:
		return tellDecision(c, &d, fmt.Errorf("quote %s is %s; nothing was sent", offer.QuoteName, offer.Status))
	}
	if why := quoting.ChangedReason(want, offer, &set, c.Now()); why != "" {
		if quoting.StandingOf(record, c.Now()).HasExpired() {
			why += "; " + strings.TrimSuffix(quoting.AllExpired, ".")
		}
		return tellDecision(c, &d, errors.New(why))
	}
	question := strings.Join(d.DescribeLines(c.Now(), "It cannot be undone."), "\n")
	if err := c.confirmChange(question, d.Verb(), "check with flightdesk list quotes, then use --yes"); err != nil {
		return err
	}
	log := c.OpenChanges()
	decider := quoting.Decider{
		Client: c.Client, Log: log, Host: c.Host(), Account: c.AccountName(), Now: c.Client.Now,
	}
	return tellDecision(c, &d, decider.Decide(c, &d))
}

// tellDecision prints the outcome of a decision. If the decision was not confirmed, it returns an
// error with what is known of the outcome.
func tellDecision(c *Call, d *quoting.Decision, err error) error {
	offer := d.Offers[0]
	value := QuoteDecision{
		OrderID: d.Order.ID, OrderCode: d.Order.OrderCode, QuoteID: offer.QuoteID, Quote: &offer.Quote,
		Outcome: offer.Status, Error: textOfError(err),
	}
	return printOutcome(c, value, quoting.OrderName(d.Order), d.Describe(string(d.Kind)), err)
}

func quoteCompare() *cobra.Command {
	cmd := newCommand(
		"compare ORDER",
		"Print the quotes of an order side by side",
		`Prints the comparison of the app: a column per open quote and a row per term, and below them the decided
quotes; --output csv prints a row per quote. Differences are from the first open quote, or from the quote named by
--against. For the quotes as JSON, use flightdesk list quotes.`,
		`flightdesk quote compare ORD-1042

# for a spreadsheet, compared with Express
flightdesk quote compare ORD-1042 --against Express --output csv > quotes.csv`,
	)
	against := ""
	addFlag(cmd, "against,quote to compare the others with, by ID or name", &against)
	outputFlag(cmd, "table", "csv")
	return defineService(cmd, nil, func(c *Call) error {
		if err := c.MayQuote("quotes"); err != nil {
			return err
		}
		record, err := c.FindRecord(c.Args[0])
		if err != nil {
			return err
		}
		comparison, err := quoting.NewComparison(c.closeArchived(record), against, c.Now())
		if err != nil {
			return inName(c.Args[0], err)
		}
		comparison.Set.Units = c.Units
		if c.Output == "csv" {
			var table strings.Builder
			if err := comparison.WriteCSV(&table); err != nil {
				return err
			}
			return c.PrintParts(nil, textPart(table.String()))
		}
		return c.PrintParts(nil, comparisonParts(comparison)...)
	})
}

// leastQuoteWidth is the smallest width to which the column of a quote is cut.
const leastQuoteWidth = 14

// comparisonParts returns the table of the open quotes and the list of the decided ones.
func comparisonParts(c *quoting.QuoteComparison) []part {
	open := linePart("no open quotes")
	if len(c.Set.Open) > 0 {
		open = termTable(c)
	}
	parts := []part{open}
	if len(c.Set.Decided) > 0 {
		parts = append(parts, func(to *paper) {
			for _, o := range c.Set.Decided {
				line := fmt.Sprintf("%s: %s, %s, %s", o.Status, o.DisplayName(), o.PriceText(), o.DeliveryBy)
				fmt.Fprintln(to, format.Clean(line))
			}
		})
	}
	return parts
}

// termTable returns a table with a row for each term and a column for each open quote.
func termTable(c *quoting.QuoteComparison) part {
	names := []columns.Cell{{}}
	specs := []columns.ColumnSpec{{}}
	for _, o := range c.Set.Open {
		names = append(names, columns.TextCell(format.Clean(o.DisplayName())).WithTone(format.Muted))
		specs = append(specs, columns.ColumnSpec{Right: true, Least: leastQuoteWidth})
	}
	rows := [][]columns.Cell{names}
	for _, t := range c.Terms() {
		if row := termRow(t, c.Set.Open); row != nil {
			rows = append(rows, row)
		}
	}
	return func(to *paper) {
		for _, line := range to.alignRows(rows, specs) {
			fmt.Fprintln(to, line)
		}
		if len(c.Set.Open) > 1 {
			fmt.Fprintf(to, "\nDifferences are relative to %s.\n", format.Clean(c.Pick.DisplayName()))
		}
	}
}

// termRow returns the row of a term, or nil if it has no title or no quote has a value.
func termRow(t columns.Column[*quoting.Offer], offers []*quoting.Offer) []columns.Cell {
	row := []columns.Cell{columns.TextCell(t.Title).WithTone(format.Muted)}
	filled := false
	for _, o := range offers {
		cell := t.Value(o)
		filled = filled || cell.Text != "" && cell.Text != format.None
		cell.Text = format.Clean(cell.Text)
		row = append(row, cell)
	}
	if t.Title == "" || !filled {
		return nil
	}
	return row
}
