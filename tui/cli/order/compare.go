package order

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/tui/app/quoting"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

func quoteCompare(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "compare ORDER", Short: "Print the quotes of an order side by side",
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
	return p.Command(cmd, run.CheckArguments(cmd.Use, cmd.Example), func(cmd *cobra.Command, args []string) error {
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
