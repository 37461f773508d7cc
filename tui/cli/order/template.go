package order

import (
	"fmt"

	"github.com/spf13/cobra"

	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// SavedTemplate is what template --to FILE --output json prints.
type SavedTemplate struct {
	Path string `json:"path"`
	Size int    `json:"size"` // bytes
}

// TemplateCommand prints or saves the service's CSV template.
func TemplateCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "template", Short: "Print or save the service's CSV template",
		Long: "Prints a CSV file with the columns that the service reads, or saves it as the file named by --to. Existing files are not " +
			`overwritten. --output json prints {"fileName", "contentType", "content"}; with --to, {"path", "size"}.`,
		Example: "# save it\nflightdesk template --to mysites.csv\n\n# redirect it to a file\nflightdesk template > mysites.csv",
	}
	to := cmd.Flags().String("to", "", "output file; standard output if omitted")
	output := run.OutputFlag(cmd, "table", "json")
	profile := run.ProfileFlag(cmd)
	return p.Command(cmd, run.NoArguments, func(cmd *cobra.Command, _ []string) error {
		ctx, out := cmd.Context(), cmd.OutOrStdout()
		o, err := p.Connect(ctx, *profile)
		if err != nil {
			return err
		}
		file, err := o.Client.Surveys.Template(ctx)
		switch {
		case err != nil:
			return err
		case *to != "" && *to != "-":
			return saveTemplate(cmd, *to, []byte(file.Content), output.Value == "json")
		case output.Value == "json":
			return run.PrintValue(out, file)
		case run.IsTerminal(out):
			for _, line := range layout.SplitLines(file.Content) {
				fmt.Fprintln(out, layout.Clean(line))
			}
			return nil
		}
		_, err = fmt.Fprint(out, file.Content)
		return err
	})
}

func saveTemplate(cmd *cobra.Command, path string, content []byte, asJSON bool) error {
	if err := writeNew(path, content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if asJSON {
		return run.PrintValue(cmd.OutOrStdout(), SavedTemplate{path, len(content)})
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), layout.Clean("saved "+path+", "+format.Bytes(int64(len(content)))))
	return err
}
