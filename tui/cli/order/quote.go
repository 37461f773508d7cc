package order

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// quoteVerb is one of the two quoting.
type quoteVerb struct {
	name    string
	want    api.QuoteStatus
	short   string
	follows string // what comes of it, said before it is done
}

// QuoteCommand compares and decides quotes.
func QuoteCommand(p *run.Program) *cobra.Command {
	return p.Group(
		&cobra.Command{
			Use:     "quote",
			Short:   "Compare, accept or reject quotes",
			Example: "# accept a quote by its id\nflightdesk quote accept ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82",
		},
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

// quoteFlags are those of a decision.
type quoteFlags struct {
	profile string
	output  *run.Choice
}

func quoteDecision(p *run.Program, verb quoteVerb) *cobra.Command {
	path := "flightdesk quote " + verb.name
	cmd := &cobra.Command{
		Use:   verb.name + " ORDER QUOTE",
		Short: verb.short,
		Long: "Decides a quote by the code or id of its order and the id of the quote (see flightdesk list quotes). Asks for " +
			"confirmation, showing the order, quote and amount; --yes skips it. The decision is sent once and cannot be undone. If the " +
			"response is lost, the order is reloaded to check the result; the exit status is 75 if it does not show the decision.\n\n" +
			`--output json prints {"orderId", "orderCode", "quoteId", "outcome", "quote", "error"}, even if the decision failed; ` +
			"outcome is open, accepted, rejected, closed or unknown.",
		Example: path + " ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82\n\n# in a script\n" +
			path + " ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes --output json",
		ValidArgsFunction: p.CompleteArguments([]run.NameKind{run.Orders}, []run.NameKind{run.Quotes}),
	}
	var f quoteFlags
	run.ConfirmFlag(cmd)
	f.output = run.OutputFlag(cmd, "table", "json")
	profile := run.ProfileFlag(cmd)
	cmd.Args = orderAndQuote
	return p.Command(cmd, func(cmd *cobra.Command, args []string) error {
		f.profile = *profile
		return decideQuote(p, cmd, verb, run.OrderCode(args[0]), args[1], f)
	})
}

func orderAndQuote(cmd *cobra.Command, args []string) error {
	if len(args) != 2 || args[0] == "" || args[1] == "" {
		return run.WrongUsage(
			cmd,
			"missing ORDER and QUOTE: name both, e.g. %s ORD-1042 QUOTE; flightdesk list quotes prints the ids",
			cmd.CommandPath(),
		)
	}
	return nil
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

func decideQuote(p *run.Program, cmd *cobra.Command, verb quoteVerb, order, quote string, f quoteFlags) error {
	ctx := cmd.Context()
	o, err := p.Connect(ctx, f.profile)
	if err != nil {
		return err
	}
	if err := errors.Join(o.MayOrder(ctx), o.MayQuote("quotes")); err != nil {
		return err
	}
	record, err := o.Client.Records.Get(ctx, order)
	if err != nil {
		return fmt.Errorf("%s: %w", order, err)
	}
	all := QuotesOf(record, o.Client.Now())
	at := slices.IndexFunc(all, func(r columns.ListedQuote) bool { return r.QuoteID == quote })
	if at < 0 {
		return fmt.Errorf("%s has no quote %s; flightdesk list quotes --of %s lists its quotes", order, quote, order)
	}
	row := all[at]
	switch {
	case row.Status == verb.want: // it is done; once more is no harm
		return tellDecision(cmd.OutOrStdout(), verb, &row, nil, f.output.Value)
	case row.Status != api.QuoteOpen:
		return tellDecision(cmd.OutOrStdout(), verb, &row, decidedBefore(&row, record), f.output.Value)
	case row.Expired:
		return fmt.Errorf("quote %s, %s, has expired; %s", row.QuoteName, run.PriceOf(&row.Quote), expiredAdvice(all))
	case verb.want == api.QuoteAccepted && row.FinalPrice.IsUnread():
		return fmt.Errorf("quote %s: its price %s; contact the service", row.QuoteName, run.PriceOf(&row.Quote))
	case verb.want == api.QuoteAccepted && !quoting.IsKnown(row.FinalPrice):
		return fmt.Errorf("quote %s has no price; contact the service", row.QuoteName)
	}
	without := "check with flightdesk list quotes, then use --yes"
	if err := run.ConfirmChange(cmd, verb.askDecision(&row), verb.name, without, "sent"); err != nil {
		return err
	}
	set := quoting.NewSet(record, o.Client.Now())
	log := p.OpenLedger()
	decider := quoting.Decider{
		Client: o.Client, Log: log, Host: o.Client.Host(), Account: o.AccountName(), Notes: log.LastNotes(o.Client.Host()), Now: o.Client.Now,
	}
	d := set.NewDecision(ledger.EntryKind(verb.want), record, set.FindOffer(quote))
	results, err := decider.DecideEach(ctx, &d)
	if err != nil {
		return tellDecision(cmd.OutOrStdout(), verb, &row, err, f.output.Value)
	}
	row.Status = results[0].Status
	return tellDecision(cmd.OutOrStdout(), verb, &row, faultOf(ctx, &results[0]), f.output.Value)
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
	open := func(q columns.ListedQuote) bool { return q.Status == api.QuoteOpen }
	live := func(q columns.ListedQuote) bool { return open(q) && !q.Expired }
	return slices.ContainsFunc(all, open) && !slices.ContainsFunc(all, live)
}

// decidedBefore returns why a quote that is not open cannot be decided.
func decidedBefore(r *columns.ListedQuote, record *api.OrderRecord) error {
	if won := record.AcceptedQuote; r.Status == api.QuoteClosed && won != nil {
		return fmt.Errorf(
			"quote %s is closed because quote %s was accepted; nothing was sent",
			r.QuoteName,
			won.QuoteName,
		)
	}
	return fmt.Errorf("quote %s is %s; nothing was sent", r.QuoteName, r.Status)
}

// faultOf returns the error of a decision that is not as it was wanted; where the
// command was interrupted, what was found out all the same.
func faultOf(ctx context.Context, r *quoting.DecisionResult) error {
	switch {
	case r.Err == nil:
		return nil
	case ctx.Err() != nil && r.Status != api.QuoteUnknown:
		return run.FoundError{Said: r.Offer.DisplayName() + " is " + string(r.Status), Err: ctx.Err()}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return r.Err
}

// askDecision names the order, the quote and the amount.
func (v quoteVerb) askDecision(r *columns.ListedQuote) string {
	return fmt.Sprintf(
		"%s  %s\n%s, %s, in %s\n%s this quote? This %s. It cannot be undone.",
		r.Order(),
		layout.Clean(r.OrderName),
		layout.Clean(r.QuoteName),
		layout.Clean(run.PriceOf(&r.Quote)),
		layout.Clean(r.DeliveryBy.String()),
		strings.ToUpper(v.name[:1])+v.name[1:],
		v.follows,
	)
}

// tellDecision prints what came of it. A decision that was not confirmed is an
// error, with the outcome as far as it is known.
func tellDecision(out io.Writer, verb quoteVerb, r *columns.ListedQuote, err error, output string) error {
	value := QuoteDecision{
		OrderID:   r.OrderID,
		OrderCode: r.OrderCode,
		QuoteID:   r.QuoteID,
		Quote:     &r.Quote,
		Outcome:   r.Status,
	}
	if err != nil {
		value.Error = err.Error()
		err = fmt.Errorf("%s: %w", r.Order(), err)
	}
	switch {
	case output == "json":
		return errors.Join(run.PrintValue(out, value), err)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(
		out,
		"%s %s, %s, for %s %s\n",
		verb.want,
		layout.Clean(r.QuoteName),
		layout.Clean(run.PriceOf(&r.Quote)),
		layout.Clean(r.Order()),
		layout.Clean(r.OrderName),
	)
	return err
}

func quoteCompare(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare ORDER",
		Short: "Print the quotes of an order side by side",
		Long: "Prints the same comparison of an order's quotes that the app exports: as Markdown with a line for a signature, or as CSV " +
			"with a row per quote. It shows differences from the first open quote, or from the quote named by --against, and includes " +
			"the notes stored on this machine. For the quotes as JSON, use flightdesk list quotes.",
		Example: "# to print and sign\nflightdesk quote compare ORD-1042 > quotes.md\n\n" +
			"# for a spreadsheet, compared with Express\nflightdesk quote compare ORD-1042 --against Express --output csv > quotes.csv",
		ValidArgsFunction: p.CompleteArguments([]run.NameKind{run.Orders}),
	}
	against := cmd.Flags().String("against", "", "quote to compare the others with, by id or name")
	form := run.OutputFlag(cmd, "markdown", "csv")
	profile := run.ProfileFlag(cmd)
	return p.Command(cmd, func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		o, err := p.Connect(ctx, *profile)
		if err == nil {
			err = o.MayQuote("quotes")
		}
		if err != nil {
			return err
		}
		defer p.RememberNames(o)
		record, err := o.Client.Records.Get(ctx, run.OrderCode(args[0]))
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		o.Seen.NoteCode(record.OrderCode)
		log := p.OpenLedger()
		if _, err := log.Entries(); err != nil {
			return err
		}
		host := o.Client.Host()
		var page strings.Builder
		comparison, err := quoting.NewComparison(record, *against, log.LastNotes(host), host, o.Client.Now())
		if err == nil {
			err = comparison.Write(&page, form.Value == "csv")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		return writeClean(cmd.OutOrStdout(), page.String())
	})
}

// writeClean writes lines as they are, but for what a terminal would obey.
func writeClean(to io.Writer, text string) error {
	out := bufio.NewWriter(to)
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		fmt.Fprint(out, layout.Clean(bare), line[len(bare):])
	}
	return out.Flush()
}
