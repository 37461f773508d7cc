package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// printTemplate prints the CSV template of the service. It returns an error if there are files in the arguments.
func printTemplate(c *Call) error {
	if len(c.Args) > 0 {
		return wrongUsage("--template reads no files; remove FILE or --template")
	}
	service, err := c.Connect()
	if err != nil {
		return err
	}
	c.Service = service
	file, err := c.Service.Client.Surveys.Template(c)
	if err != nil {
		return err
	}
	if c.Output != "json" && !isTerminal(c.Out()) {
		_, err = fmt.Fprint(c.Out(), file.Content)
		return err
	}
	return c.PrintParts(file, textPart(file.Content))
}

// savedTemplate is the output of template --to FILE --output json.
type savedTemplate struct {
	Path string `json:"path"`
	Size int    `json:"size"` // bytes
}

// templateCommand returns the command that prints or saves the service's CSV template.
func templateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "template",
		Short: "Print or save the service's CSV template",
		Long: `Prints a CSV file with the columns that the service reads, or saves it as the file named by --to. Existing
files are not overwritten. --output json prints {"fileName", "contentType", "content"}; with --to, {"path", "size"}.`,
		Example: `# save it
flightdesk template --to mysites.csv

# redirect it to a file
flightdesk template > mysites.csv`,
	}
	to := ""
	cmd.Flags().StringVar(&to, "to", "", "output file; standard output if omitted")
	outputFlag(cmd, "csv", "json")
	return defineService(cmd, nil, func(c *Call) error {
		if to == "" || to == "-" {
			return printTemplate(c)
		}
		file, err := c.Service.Client.Surveys.Template(c)
		if err != nil {
			return err
		}
		return saveNewFile(c, to, []byte(file.Content), savedTemplate{to, len(file.Content)})
	})
}
