package cli

import (
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
)

// orderRecord returns the command that prints an order of the v2 API.
func orderRecord() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record ORDER",
		Short: "Print all v2 fields of an order",
		Long: `Prints all v2 fields of an order, by its code or ID: client, deadline, price, contact on site, flight height,
quotes and files by product. It also works for orders that the public API does not have. --file-type selects the
products whose links are included; links appear only in JSON, are valid for a day and need no key.`,
		Example: `# all fields of an order
flightdesk order record ORD-1042

# the links of its maps
flightdesk order record ORD-1042 --file-type _2dMap --output json`,
	}
	products := productsFlag(cmd, "products whose links are included")
	return defineService(cmd, nil, func(c *Call) error { return printRecord(c, products.Values) })
}

// printRecord prints all v2 fields of an order. JSON also has the download links of the given products.
func printRecord(c *Call, products []api.Deliverable) error {
	if err := c.Service.CheckHasV2("order records"); err != nil {
		return err
	}
	record, err := c.FindRecord(c.Args[0], products...)
	if err != nil {
		return err
	}
	return c.PrintFacts(record, columns.RecordFacts(record, c.Service.Units, c.Service.Now()))
}

func productsFlag(cmd *cobra.Command, usage string) *choice[api.Deliverable] {
	return listFlag(cmd, "file-type", usage, api.DeliveryProducts())
}
