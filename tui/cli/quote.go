package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/layout"
)

// quoteVerb is one of the two quoting.
type quoteVerb struct {
	name    string
	want    api.QuoteStatus
	short   string
	follows string // what comes of it, said before it is done
	decide  func(*api.QuotesService, context.Context, string, string) (*api.QuoteDecision, error)
}

func (p *program) quoteCommand() *cobra.Command {
	return p.group(
		&cobra.Command{
			Use:     "quote",
			Short:   "Compare, accept or reject quotes",
			Example: "flightdesk quote accept ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82",
		},
		p.quoteDecision(quoteVerb{
			"accept", api.QuoteAccepted, "Accept a quote: the order is carried out at its price",
			"closes the other quotes; operators start", (*api.QuotesService).Accept,
		}),
		p.quoteDecision(quoteVerb{
			"reject", api.QuoteRejected, "Reject a quote",
			"without another open quote, the order goes back to the service for review", (*api.QuotesService).Reject,
		}),
		p.quoteCompare(),
	)
}

// quoteFlags are those of a decision.
type quoteFlags struct {
	profile string
	yes     bool
	output  *choice
}

func (p *program) quoteDecision(verb quoteVerb) *cobra.Command {
	path := "flightdesk quote " + verb.name
	cmd := &cobra.Command{
		Use:   verb.name + " ORDER QUOTE",
		Short: verb.short,
		Long: "Decides a quote by the code or id of its order and its own id, as flightdesk list quotes prints them. It asks " +
			"first, naming the order, the quote and the amount; --yes does not ask, for scripts. The decision is sent once and " +
			"cannot be taken back. Where the answer is lost, the order is read and tells how the quote stands. With --output " +
			"json it prints {\"orderId\", \"orderCode\", \"quoteId\", \"outcome\", \"quote\", \"error\"}, also when the decision did " +
			"not succeed; outcome is open, accepted, rejected, closed or unknown.",
		Example: path + " ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82\n\n# in a script\n" +
			path + " ORD-1042 01a1f8f0-4ba0-79b8-8433-3deb27c49f82 --yes --output json",
		ValidArgsFunction: p.completeCodes([]string{"ORD"}),
	}
	var f quoteFlags
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	f.output = outputFlag(cmd, "table", "json")
	profile := profileFlag(cmd)
	return p.command(cmd, orderAndQuote, func(cmd *cobra.Command, args []string) error {
		f.profile = *profile
		return p.decideQuote(cmd, verb, orderCode(args[0]), args[1], f)
	})
}

func orderAndQuote(cmd *cobra.Command, args []string) error {
	if len(args) != 2 || args[0] == "" || args[1] == "" {
		return wrongUsage(cmd, "name the order and the quote, as in %s ORD-1042 QUOTE; flightdesk list quotes has the ids", cmd.CommandPath())
	}
	return nil
}

// decided is the value that quote --output json prints.
type decided struct {
	OrderID   string          `json:"orderId"`
	OrderCode string          `json:"orderCode,omitzero"`
	QuoteID   string          `json:"quoteId"`
	Outcome   api.QuoteStatus `json:"outcome"`
	Quote     *api.Quote      `json:"quote,omitzero"`
	Error     string          `json:"error,omitzero"`
}

func (p *program) decideQuote(cmd *cobra.Command, verb quoteVerb, order, quote string, f quoteFlags) error {
	ctx := cmd.Context()
	o, err := p.connect(ctx, f.profile)
	if err != nil {
		return err
	}
	if err := errors.Join(o.mayOrder(ctx), o.mayQuote("quotes")); err != nil {
		return err
	}
	record, err := o.client.Records.Get(ctx, order)
	if err != nil {
		return fmt.Errorf("%s: %w", order, err)
	}
	all := quotesOf(record, o.client.Now())
	at := slices.IndexFunc(all, func(r columns.ListedQuote) bool { return r.QuoteID == quote })
	if at < 0 {
		return fmt.Errorf("%s has no quote %s; flightdesk list quotes --of %s has its quotes", order, quote, order)
	}
	row := all[at]
	if row.Expired {
		return fmt.Errorf("quote %s, %s, has expired; ask the service for a new one", row.QuoteName, priceOf(&row.Quote))
	}
	if verb.want == api.QuoteAccepted && row.FinalPrice.IsUnread() {
		return fmt.Errorf("quote %s: its price %s; ask the service for a readable one", row.QuoteName, priceOf(&row.Quote))
	}
	if !f.yes {
		sure, err := confirm(ctx, cmd, verb.question(&row), verb.name, "look at it with flightdesk list quotes, then use --yes")
		if err != nil {
			return err
		}
		if !sure {
			return errors.New("nothing was decided")
		}
	}
	decision, err := verb.decide(o.client.Quotes, ctx, record.ID, quote)
	if err != nil && ctx.Err() != nil {
		decision, err = o.readDecision(ctx, verb, record.ID, quote, err)
	}
	if failed := p.logDecision(o, verb, record, quote, err); failed != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), layout.Clean(failed.Error()))
	}
	return tellDecision(cmd.OutOrStdout(), verb, &row, decision, err, f.output.value)
}

// readDecision reads how a quote is whose decision was interrupted.
func (o *online) readDecision(ctx context.Context, verb quoteVerb, order, quote string, interrupted error) (*api.QuoteDecision, error) {
	after, cancel := commands.ReadBackContext(ctx)
	defer cancel()
	record, err := o.client.Records.Get(after, order)
	if err != nil {
		return nil, interrupted
	}
	set := quoting.NewSet(record, o.client.Now())
	switch offer := set.Find(quote); {
	case offer == nil:
		return nil, interrupted
	case offer.Status == verb.want:
		return &api.QuoteDecision{Outcome: verb.want, Quote: &offer.Quote, Order: record}, nil
	default:
		return nil, foundError{fmt.Sprintf("%s is %s", offer.Name(), offer.Status), ctx.Err()}
	}
}

// logDecision keeps the decision where the app keeps its own.
func (p *program) logDecision(o *online, verb quoteVerb, record *api.OrderRecord, quote string, err error) error {
	set := quoting.NewSet(record, o.client.Now())
	offer := set.Find(quote)
	d := set.NewDecision(quoting.Kind(verb.want), record, offer)
	e := d.Entry(offer)
	e.At, e.Host, e.Account, e.Outcome = o.client.Now(), o.client.Host(), cmp.Or(o.Company, o.Name), "confirmed"
	if err != nil {
		e.Outcome = err.Error()
	}
	return quoting.OpenLog(filepath.Join(p.env.Dirs.State, "decisions.jsonl")).Add(e)
}

// question names the order, the quote and the amount.
func (v quoteVerb) question(r *columns.ListedQuote) string {
	return fmt.Sprintf("%s  %s\n%s, %s, in %s\n%s this quote? This %s, and there is no way back.", r.Order(), layout.Clean(r.OrderName),
		layout.Clean(r.QuoteName), layout.Clean(priceOf(&r.Quote)), layout.Clean(r.DeliveryBy.String()),
		strings.ToUpper(v.name[:1])+v.name[1:], v.follows)
}

// confirm asks a person to type a word. Where there is no person it is an
// error that says how to do without.
func confirm(ctx context.Context, cmd *cobra.Command, question, word, without string) (bool, error) {
	in, ok := cmd.InOrStdin().(io.Writer) // a file; a terminal is one
	if !ok || !isTerminal(in) || !isTerminal(cmd.ErrOrStderr()) {
		return false, errors.New("there is no terminal to ask on; " + without)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s\nType %s to do it: ", question, word)
	typed := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
		typed <- strings.TrimSpace(line)
	}()
	select {
	case line := <-typed:
		return strings.EqualFold(line, word), nil
	case <-ctx.Done():
		fmt.Fprintln(cmd.ErrOrStderr())
		return false, ctx.Err()
	}
}

// tellDecision prints what came of it. A decision that was not confirmed is an
// error, with the outcome as far as it is known.
func tellDecision(out io.Writer, verb quoteVerb, r *columns.ListedQuote, d *api.QuoteDecision, err error, output string) error {
	value := decided{OrderID: r.OrderID, OrderCode: r.OrderCode, QuoteID: r.QuoteID, Quote: &r.Quote, Outcome: r.Status}
	if d == nil {
		d = api.DecisionOf(err)
	}
	if d != nil {
		value.Outcome = d.Outcome
	}
	if err != nil {
		value.Error = err.Error()
		err = fmt.Errorf("%s: %w", r.Order(), err)
	}
	switch {
	case output == "json":
		return errors.Join(printValue(out, value), err)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(out, "%s %s, %s, for %s %s\n", verb.want, layout.Clean(r.QuoteName), layout.Clean(priceOf(&r.Quote)),
		layout.Clean(r.Order()), layout.Clean(r.OrderName))
	return err
}
