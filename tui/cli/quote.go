package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
)

// quoteVerb is one of the two quoting.
type quoteVerb struct {
	name    string
	want    api.QuoteStatus
	short   string
	follows string // what comes of it, said before it is done
}

// quoteCommand compares and decides quotes.
func quoteCommand(p *program) *cobra.Command {
	return p.Group(
		newCommand(
			"quote",
			"Compare, accept or reject quotes",
			"", "# accept a quote by its ID\nflightdesk quote accept ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82",
		),
		quoteDecision(p, quoteVerb{
			"accept", api.QuoteAccepted, "Accept a quote",
			"starts the work and closes the other quotes",
		}),
		quoteDecision(p, quoteVerb{
			"reject", api.QuoteRejected, "Reject a quote",
			"returns the order to review if no other quote is open",
		}),
		quoteCompare(p),
	)
}

func quoteDecision(p *program, verb quoteVerb) *cobra.Command {
	path := "flightdesk quote " + verb.name
	cmd := newCommand(
		verb.name+" ORDER QUOTE",
		verb.short,
		verb.short[:6]+`s a quote, named by the order's code or ID and the quote's ID (see flightdesk list quotes). Asks for
confirmation, showing the order, quote and amount; --yes skips it. The decision is sent once and cannot be undone. If
the response is lost, the order is reloaded to check the result; the exit status is 75 if it does not show the
decision.

--output json prints {"orderId", "orderCode", "quoteId", "outcome", "quote", "error"}, even if the decision failed;
outcome is open, accepted, rejected, closed or unknown.`,
		"# asks for confirmation\n"+path+" ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82\n\n# in a script\n"+path+" ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes --output json",
	)
	confirmFlag(cmd)
	return p.ServiceCommand(cmd, nil, func(c *Call) error {
		return decideQuote(c, verb, orderCode(c.Args[0]), c.Args[1])
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

func decideQuote(c *Call, verb quoteVerb, order, quote string) error {
	if err := errors.Join(c.MayOrder(), c.MayQuote("quotes")); err != nil {
		return err
	}
	record, err := c.FindRecord(order)
	if err != nil {
		return err
	}
	all := quotesOf(record, c.Now())
	at := slices.IndexFunc(all, func(r columns.ListedQuote) bool { return r.QuoteID == quote })
	if at < 0 {
		return fmt.Errorf(
			"%s has no quote %s; flightdesk list quotes --of %s lists its quotes",
			order,
			quote,
			order,
		)
	}
	row := all[at]
	switch {
	case row.Status == verb.want: // it is done; once more is no harm
		return verb.tellDecision(c, &row, nil)
	case row.Status != api.QuoteOpen:
		return verb.tellDecision(c, &row, decidedBefore(&row, record))
	case row.Expired:
		return fmt.Errorf(
			"quote %s, %s, has expired; %s",
			row.QuoteName,
			priceOf(&row.Quote),
			expiredAdvice(all),
		)
	case verb.want == api.QuoteAccepted && row.FinalPrice.IsUnread():
		return fmt.Errorf("quote %s: its price %s; contact the service", row.QuoteName, priceOf(&row.Quote))
	case verb.want == api.QuoteAccepted && !quoting.IsKnown(row.FinalPrice):
		return fmt.Errorf("quote %s has no price; contact the service", row.QuoteName)
	}
	without := "check with flightdesk list quotes, then use --yes"
	if err := c.confirmChange(verb.askDecision(&row), verb.name, without, "sent"); err != nil {
		return err
	}
	set := quoting.NewSet(record, c.Now())
	log := c.OpenLedger()
	decider := quoting.Decider{
		Client:  c.Client,
		Log:     log,
		Host:    c.Host(),
		Account: c.AccountName(),
		Notes:   log.LastNotes(c.Host()),
		Now:     c.Client.Now,
	}
	d := set.NewDecision(ordering.EntryKind(verb.want), record, set.FindOffer(quote))
	results, err := decider.DecideEach(c, &d)
	if err != nil {
		return verb.tellDecision(c, &row, err)
	}
	row.Status = results[0].Status
	return verb.tellDecision(c, &row, c.faultOf(&results[0]))
}

// expiredAdvice says what can be done where a quote has expired.
func expiredAdvice(all []columns.ListedQuote) string {
	if allExpired(all) {
		return "all quotes have expired; ask the service for new ones, cancel the order with flightdesk order cancel, or place it again"
	}
	return "decide on another, or ask the service for a new one"
}

// allExpired reports whether there are open quotes and none can be decided.
func allExpired(all []columns.ListedQuote) bool {
	open := slices.DeleteFunc(
		slices.Clone(all),
		func(q columns.ListedQuote) bool { return q.Status != api.QuoteOpen },
	)
	return len(open) > 0 && !slices.ContainsFunc(open, func(q columns.ListedQuote) bool { return !q.Expired })
}

// decidedBefore returns why a quote that is not open cannot be decided.
func decidedBefore(r *columns.ListedQuote, record *api.OrderRecord) error {
	if won := record.AcceptedQuote; r.Status == api.QuoteClosed && won != nil {
		const why = "quote %s is closed because quote %s was accepted; nothing was sent"
		return fmt.Errorf(why, r.QuoteName, won.QuoteName)
	}
	return fmt.Errorf("quote %s is %s; nothing was sent", r.QuoteName, r.Status)
}

// faultOf returns the error of a decision that is not as it was wanted; where the
// command was interrupted, what was found out all the same.
func (c *Call) faultOf(r *quoting.DecisionResult) error {
	switch {
	case r.Err == nil:
		return nil
	case c.Err() != nil && r.Status != api.QuoteUnknown:
		return foundError{Said: r.Offer.DisplayName() + " is " + string(r.Status), Err: c.Err()}
	case c.Err() != nil:
		return c.Err()
	}
	return r.Err
}

// askDecision names the order, the quote and the amount.
func (v quoteVerb) askDecision(r *columns.ListedQuote) string {
	return fmt.Sprintf(
		"%s  %s\n%s, %s, in %s\n%s this quote? This %s. It cannot be undone.",
		r.Order(),
		format.Clean(r.OrderName),
		format.Clean(r.QuoteName),
		format.Clean(priceOf(&r.Quote)),
		format.Clean(r.DeliveryBy.String()),
		strings.ToUpper(v.name[:1])+v.name[1:],
		v.follows,
	)
}

// tellDecision prints what came of it. A decision that was not confirmed is an
// error, with the outcome as far as it is known.
func (v quoteVerb) tellDecision(c *Call, r *columns.ListedQuote, err error) error {
	value := QuoteDecision{
		OrderID:   r.OrderID,
		OrderCode: r.OrderCode,
		QuoteID:   r.QuoteID,
		Quote:     &r.Quote,
		Outcome:   r.Status,
	}
	if err != nil {
		value.Error = err.Error()
		err = inName(r.Order(), err)
	}
	if err != nil && c.Output != "json" {
		return err
	}
	line := fmt.Sprintf(
		"%s %s, %s, for %s %s",
		v.want,
		r.QuoteName,
		priceOf(&r.Quote),
		r.Order(),
		r.OrderName,
	)
	return errors.Join(c.PrintAnswer(value, line), err)
}

func quoteCompare(p *program) *cobra.Command {
	cmd := newCommand(
		"compare ORDER",
		"Print the quotes of an order side by side",
		`Prints the same comparison of an order's quotes that the app exports: as Markdown with a line for a
signature, or as CSV with a row per quote. It shows differences from the first open quote, or from the quote named by
--against, and includes the notes stored on this machine. For the quotes as JSON, use flightdesk list quotes.`,
		`# to print and sign
flightdesk quote compare ORD-1042 > quotes.md

# for a spreadsheet, compared with Express
flightdesk quote compare ORD-1042 --against Express --output csv > quotes.csv`,
	)
	against := cmd.Flags().String("against", "", "quote to compare the others with, by ID or name")
	outputFlag(cmd, "markdown", "csv")
	return p.ServiceCommand(cmd, nil, func(c *Call) error {
		if err := c.MayQuote("quotes"); err != nil {
			return err
		}
		record, err := c.FindRecord(c.Args[0])
		if err != nil {
			return err
		}
		log := p.OpenLedger()
		if _, err := log.Entries(); err != nil {
			return err
		}
		host := c.Host()
		var page strings.Builder
		comparison, err := quoting.NewComparison(record, *against, log.LastNotes(host), host, c.Now())
		if err == nil {
			comparison.Set.Units = c.Units
			err = comparison.Write(&page, c.Output == "csv")
		}
		if err != nil {
			return inName(c.Args[0], err)
		}
		return writeClean(c.Out(), page.String())
	})
}

// writeClean writes lines as they are, but for what a terminal would obey.
func writeClean(to io.Writer, text string) error {
	out := bufio.NewWriter(to)
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		fmt.Fprint(out, format.Clean(bare), line[len(bare):])
	}
	return out.Flush()
}
