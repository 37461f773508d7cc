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
		&cobra.Command{
			Use:   "quote",
			Short: "Compare, accept or reject quotes",
			Example: `# accept a quote by its ID
flightdesk quote accept ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82`,
		},
		quoteDecision("accept", changes.QuoteAccepted),
		quoteDecision("reject", changes.QuoteRejected),
		quoteCompare(),
	)
}

// quoteDecision returns the command that accepts or rejects a quote, as the verb says.
func quoteDecision(verb string, want changes.Kind) *cobra.Command {
	path := "flightdesk quote " + verb
	capitalized := format.CapitalizeFirst(verb)
	cmd := &cobra.Command{
		Use:   verb + " ORDER QUOTE",
		Short: capitalized + " a quote",
		Long: capitalized + `s a quote, named by the order's code or ID and the quote's ID (see flightdesk list quotes). Asks for
confirmation, showing the order, quote and amount; --yes skips it. The decision is sent once and cannot be undone. If
the response is lost, the order is reloaded to check the result; the exit status is 75 if it does not show the
decision.

--output json prints {"orderId", "orderCode", "quoteId", "outcome", "quote", "error"}, even if the decision failed;
outcome is open, accepted, rejected, closed or unknown.`,
		Example: "# asks for confirmation\n" + path + " ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82\n\n# in a script\n" + path + " ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes --output json",
	}
	confirmFlag(cmd)
	return defineService(cmd, nil, func(c *Call) error {
		return decideQuote(c, want, orderCode(c.Args[0]), c.Args[1])
	})
}

// QuoteDecision is the output of quote accept and quote reject with --output json.
type QuoteDecision struct {
	OrderID   string          `json:"orderId"`
	OrderCode string          `json:"orderCode,omitzero"`
	QuoteID   string          `json:"quoteId"`
	Outcome   api.QuoteStatus `json:"outcome"`
	Quote     *api.Quote      `json:"quote,omitzero"`
	Error     string          `json:"error,omitzero"`
}

// decideQuote accepts or rejects a quote after the user has confirmed it, and prints the outcome.
func decideQuote(c *Call, want changes.Kind, order, quote string) error {
	if err := errors.Join(c.CheckCanOrder(), c.Service.CheckHasV2("quotes")); err != nil {
		return err
	}
	record, err := c.FindRecord(order)
	if err != nil {
		return err
	}
	set := quoting.NewSet(c.Service.Now(), record)
	offer := set.FindOffer(quote)
	if offer == nil {
		return fmt.Errorf("%s has no quote %s; flightdesk list quotes --of %s lists its quotes", order, quote, order)
	}
	decision := set.NewDecision(want, offer)                  // has the current status of the offer
	isDecidedAsWanted := string(offer.Status) == string(want) // "accepted" or "rejected", in both types
	if isDecidedAsWanted {
		return printDecision(c, &decision)
	}
	if err := checkDecidable(c, want, record, &set, offer); err != nil {
		return printFailedDecision(c, &decision, err)
	}
	return confirmAndDecide(c, &decision)
}

// confirmAndDecide asks for confirmation, sends a decision and prints the outcome.
func confirmAndDecide(c *Call, d *quoting.Decision) error {
	question := strings.Join(d.DescribeLines(c.Service.Now(), "It cannot be undone."), "\n")
	if err := c.confirmChange(question, d.Verb(), "check with flightdesk list quotes, then use --yes"); err != nil {
		return err
	}
	decider := quoting.Decider{
		Client:  c.Service.Client,
		Log:     c.program.OpenChanges(),
		Host:    c.Service.Host(),
		Account: c.Service.AccountName(),
		Now:     c.Service.Client.Now,
	}
	// Decide updates the status of the offer in d, also if it returns an error.
	if err := decider.Decide(c, d); err != nil {
		return printFailedDecision(c, d, err)
	}
	return printDecision(c, d)
}

// checkDecidable returns an error with the reason if a quote can no longer be decided.
func checkDecidable(
	c *Call, want changes.Kind, record *api.OrderRecord, set *quoting.OfferSet, offer *quoting.Offer,
) error {
	if offer.Status == api.QuoteClosed && record.AcceptedQuote != nil {
		return fmt.Errorf("quote %s is closed because quote %s was accepted; nothing was sent",
			offer.QuoteName, record.AcceptedQuote.QuoteName)
	}
	if offer.Status != api.QuoteOpen {
		return fmt.Errorf("quote %s is %s; nothing was sent", offer.QuoteName, offer.Status)
	}
	reason := quoting.ChangedReason(want, offer, set, c.Service.Now())
	if reason == "" {
		return nil
	}
	if quoting.NewQuotedOrder(record, c.Service.Now()).HasExpired() {
		reason += "; " + strings.TrimSuffix(quoting.AllExpired, ".")
	}
	return errors.New(reason)
}

func printDecision(c *Call, d *quoting.Decision) error {
	return c.PrintResult(newQuoteDecision(d), d.Describe(string(d.Kind)))
}

// printFailedDecision returns the error of a decision, with the name of the order in front. With --output json
// it also prints the decision.
func printFailedDecision(c *Call, d *quoting.Decision, failure error) error {
	value := newQuoteDecision(d)
	value.Error = failure.Error()
	return printFailure(c, value, quoting.OrderName(d.Order), failure)
}

func newQuoteDecision(d *quoting.Decision) QuoteDecision {
	offer := d.Offers[0]
	return QuoteDecision{
		OrderID:   d.Order.ID,
		OrderCode: d.Order.OrderCode,
		QuoteID:   offer.QuoteID,
		Outcome:   offer.Status,
		Quote:     &offer.Quote,
	}
}

func quoteCompare() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare ORDER",
		Short: "Print the quotes of an order side by side",
		Long: `Prints the comparison of the app: a column per open quote and a row per term, and below them the decided
quotes; --output csv prints a row per quote. Differences are from the first open quote, or from the quote named by
--against. For the quotes as JSON, use flightdesk list quotes.`,
		Example: `flightdesk quote compare ORD-1042

# for a spreadsheet, compared with Express
flightdesk quote compare ORD-1042 --against Express --output csv > quotes.csv`,
	}
	against := ""
	cmd.Flags().StringVar(&against, "against", "", "quote to compare the others with, by ID or name")
	outputFlag(cmd, "table", "csv")
	return defineService(cmd, nil, func(c *Call) error { return compareQuotes(c, against) })
}

// compareQuotes prints a comparison of all quotes of the order in the arguments. The quotes are compared with
// the named quote or, if the name is "", with the first open quote.
func compareQuotes(c *Call, quoteName string) error {
	if err := c.Service.CheckHasV2("quotes"); err != nil {
		return err
	}
	record, err := c.FindRecord(c.Args[0])
	if err != nil {
		return err
	}
	comparison, err := quoting.NewComparison(c.closeArchived(record), quoteName, c.Service.Now())
	if err != nil {
		return prefixError(c.Args[0], err)
	}
	comparison.Set.Units = c.Service.Units
	if c.Output != "csv" {
		return c.PrintParts(nil, comparisonParts(comparison)...)
	}
	var table strings.Builder
	if err := comparison.WriteCSV(&table); err != nil {
		return err
	}
	return c.PrintParts(nil, textPart(table.String()))
}

// minQuoteWidth is the smallest width in cells to which the column of a quote is shortened.
const minQuoteWidth = 14

// comparisonParts returns the table of the open quotes and the list of the decided quotes.
func comparisonParts(c *quoting.QuoteComparison) []part {
	open := linePart("no open quotes")
	if len(c.Set.Open) > 0 {
		open = termTable(c)
	}
	parts := []part{open}
	if len(c.Set.Decided) == 0 {
		return parts
	}
	return append(parts, func(to *textWriter) {
		for _, o := range c.Set.Decided {
			line := fmt.Sprintf("%s: %s, %s, %s", o.Status, o.DisplayName(), o.PriceText(), o.DeliveryBy)
			fmt.Fprintln(to, format.Clean(line))
		}
	})
}

// termTable returns a table that compares the open quotes: a row for each term, such as the price, and a column for
// each quote.
func termTable(c *quoting.QuoteComparison) part {
	names := []columns.Cell{{}}
	specs := []columns.ColumnSpec{{}}
	for _, o := range c.Set.Open {
		names = append(names, columns.TextCell(format.Clean(o.DisplayName())).WithTone(format.Muted))
		specs = append(specs, columns.ColumnSpec{Right: true, Least: minQuoteWidth})
	}
	rows := [][]columns.Cell{names}
	for _, t := range c.Terms() {
		if row := termRow(t, c.Set.Open); row != nil {
			rows = append(rows, row)
		}
	}
	return func(to *textWriter) {
		for _, line := range to.alignRows(rows, specs) {
			fmt.Fprintln(to, line)
		}
		if len(c.Set.Open) > 1 {
			fmt.Fprintf(to, "\nDifferences are relative to %s.\n", format.Clean(c.Pick.DisplayName()))
		}
	}
}

// termRow returns the row of a term, or nil if the term has no title or no quote has a value for it.
func termRow(term columns.Column[*quoting.Offer], offers []*quoting.Offer) []columns.Cell {
	if term.Title == "" {
		return nil
	}
	row := []columns.Cell{columns.TextCell(term.Title).WithTone(format.Muted)}
	hasValue := false
	for _, o := range offers {
		cell := term.Value(o)
		if cell.Text != "" && cell.Text != format.None {
			hasValue = true
		}
		cell.Text = format.Clean(cell.Text)
		row = append(row, cell)
	}
	if !hasValue {
		return nil
	}
	return row
}
