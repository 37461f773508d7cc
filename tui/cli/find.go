package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// findCommand returns the command that finds an order, endpoint, request or other object in all
// accounts by its code, ID or name.
func findCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "find TEXT",
		Short: "Find an order, company, key or request in all accounts",
		Long: `Finds objects of all accounts by a text from a ticket, with the operations key: the code or ID of an order,
mission, quote, file, account, key, endpoint, callback or notice; a part of a company, contact, e-mail address or
endpoint address; the last four characters of a key; a request ID; or the name of a file. Capitals and accents make no
difference: koeln finds Köln. Exact matches come first; of each kind up to 20 are listed.

The exit status is 1 if nothing is found.`,
		Example: `# the account of a mission
flightdesk find MSN-2001

# a company, or the host of an endpoint
flightdesk find nordlicht`,
	}
	cmd.Args = checkArguments(cmd.Use, cmd.Example)
	outputFlag(cmd, "table", "wide", "json", "csv")
	profileFlag(cmd)
	return defineCommand(cmd, findText)
}

// findText prints the objects of all accounts that match the text in the arguments.
func findText(c *Call) error {
	service, err := c.RequireOps()
	if err != nil {
		return err
	}
	c.Service = service
	text := strings.Join(c.Args, " ")
	found, err := c.Service.Ops.Requests.Find(c, text)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("%q: nothing found; see flightdesk find --help for what can be found", format.Clean(text))
	}
	return printFormattedRows(c, "match", columns.Found(),
		"kind name companyName orderCode missionCode uuid", listRows(found))
}
