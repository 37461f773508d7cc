package order

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/cli/run"
)

// orderRecord prints an order of the v2 API.
func orderRecord(p *run.Program) *cobra.Command {
	const example = "# all fields of an order\nflightdesk order record ORD-1042\n\n" +
		"# the links of its maps\nflightdesk order record ORD-1042 --file-type _2dMap --output json"
	cmd := &cobra.Command{
		Use:   "record ORDER",
		Short: "Print all v2 fields of an order",
		Long: "Prints all v2 fields of an order, by its code or id: client, deadline, price, contact on site, flight height, " +
			"quotes and files by product. It also works for orders that the public API does not have. --file-type selects the products " +
			"whose links are included; links appear only in JSON, are valid for a day and need no key.",
		Example:           example,
		ValidArgsFunction: p.CompleteArguments([]run.NameKind{run.Orders}),
	}
	var typed []string
	addProductsFlag(cmd, &typed, "products whose links are included")
	var products []api.Deliverable
	check := func([]string) (err error) {
		products, err = productsOf(typed)
		return err
	}
	return p.ServiceCommand(cmd, check, func(ctx context.Context, c *run.ServiceCall) error {
		if err := c.MayQuote("order records"); err != nil {
			return err
		}
		record, err := c.Client.Records.Get(ctx, run.OrderCode(c.Args[0]), products...)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Args[0], err)
		}
		c.Seen.NoteRow(record)
		return run.PrintFacts(c.Out(), c.Output, record, columns.RecordFacts(record))
	})
}

// productsOf returns the delivery products of a flag.
func productsOf(typed []string) (products []api.Deliverable, err error) {
	known := api.DeliveryProducts()
	for _, name := range typed {
		product := api.Deliverable(strings.TrimSpace(name))
		if !slices.Contains(known, product) {
			return nil, fmt.Errorf("unknown product %q; use %s", name, strings.Join(run.Names(known), ", "))
		}
		products = append(products, product)
	}
	return products, nil
}

func addProductsFlag(cmd *cobra.Command, products *[]string, usage string) {
	cmd.Flags().StringSliceVar(products, "file-type", nil, usage)
	run.CompleteValues(cmd, "file-type", run.Names(api.DeliveryProducts()))
}
