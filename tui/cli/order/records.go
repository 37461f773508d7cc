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
	typed := cmd.Flags().StringSlice("file-type", nil, "products whose links are included")
	completeProducts(cmd)
	var products []api.Deliverable
	check := func([]string) (err error) {
		products, err = productsOf(*typed)
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
		c.Seen.NoteCode(record.OrderCode)
		return run.PrintFacts(c.Out(), c.Output, record, columns.RecordFacts(record))
	})
}

// listRecords prints orders of the v2 API.
func listRecords(ctx context.Context, o *run.OnlineService, f listFlags, p run.PrintTarget) error {
	names := "orderCode orderName orderStatus clientName orderPrice deliveryDeadline deliveryFiles"
	s := run.NewSheet("order", "orders", columns.Records(), o.Client.Now, names, names+" id")
	products, err := productsOf(f.products)
	if err != nil {
		return err
	}
	opts := api.RecordListOptions{Status: api.RecordStatus(f.status), FileDataType: products}
	if f.page == noPage {
		return s.Print(p, run.RowsOf(o.Client.Records.All(ctx, opts), f.limit, func(r *api.OrderRecord) bool {
			o.Seen.NoteCode(r.OrderCode)
			return true
		}))
	}
	opts.Page, opts.Limit = f.page, f.limit
	found, err := o.Client.Records.List(ctx, opts)
	if err != nil {
		return err
	}
	return s.Print(p, run.ListRows(found))
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

// completeProducts completes the values of --file-type.
func completeProducts(cmd *cobra.Command) {
	run.CompleteValues(cmd, "file-type", run.Names(api.DeliveryProducts()))
}
