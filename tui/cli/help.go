package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// The library that prints the help uses so many cells of the terminal, and cuts
// examples that are longer by so many.
const (
	widestHelp = 120
	helpMargin = 8
)

// completeHelp has the help of each command below root show its examples in full.
func completeHelp(root, cmd *cobra.Command) {
	if cmd.Flags().Lookup("help") == nil {
		cmd.Flags().BoolP("help", "h", false, "show this help")
	}
	for _, sub := range cmd.Commands() {
		completeHelp(root, sub)
		sub.SetHelpFunc(func(cmd *cobra.Command, args []string) {
			width := run.TerminalWidth(os.Stdout)
			if width == 0 || width > widestHelp {
				width = widestHelp
			}
			cmd.Flag("read-only").Hidden = cmd.Flag("profile") == nil // it has no effect there
			cmd.Long = wrapText(cmd.Long, width-helpMargin)
			cmd.Example = wrapExample(cmd.Example, width-helpMargin)
			root.HelpFunc()(cmd, args)
		})
	}
}

// environmentCommand prints what the program reads besides its arguments.
func environmentCommand(p *run.Program) *cobra.Command {
	text := "Variables override the configuration file, and flags override variables.\n\n"
	for _, v := range variables {
		text += v[0] + ": " + v[1] + ".\n\n"
	}
	cmd := &cobra.Command{
		Use:   "environment",
		Short: "Show the environment variables that are read",
		Long: text + `Drafts, views and offline data are in the state folder, and the data of a local service in its subfolder
server; flightdesk config path --output json prints the folders.`,
		Example: "# the variables and what they set\nflightdesk environment",
	}
	return p.Command(cmd, func(_ context.Context, c *run.Call) error { return c.Cmd.Help() })
}

// wrapExample continues lines of an example that are too wide on the next one, as
// the shell reads them. A word in quotes stays whole.
func wrapExample(example string, width int) string {
	var lines []string
	for line := range strings.Lines(example) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			for _, part := range layout.Wrap(strings.TrimSpace(strings.TrimPrefix(line, "#")), width-2) {
				lines = append(lines, "# "+part)
			}
			continue
		}
		lines = append(lines, continued(line, width, " \\")...)
	}
	return strings.Join(lines, "\n")
}

// wrapText wraps lines at spaces; the library would also part a flag after its hyphens.
func wrapText(text string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, continued(line, width, "")...)
	}
	return strings.Join(lines, "\n")
}

// continued returns the parts of a line that is too wide, all but the last with end.
func continued(line string, width int, end string) (lines []string) {
	if layout.Width(line) <= width {
		return []string{line}
	}
	const margin = 4 // cells of the indent and of what ends a line
	current := ""
	for _, word := range shellWord.FindAllString(line, -1) {
		if current != "" && layout.Width(current)+1+layout.Width(word) > width-margin {
			lines = append(lines, current+end)
			current = ""
		}
		current = strings.TrimSpace(current + " " + word)
	}
	return append(lines, current)
}

// shellWord matches a word of a command, with the spaces between quotes.
var shellWord = regexp.MustCompile(`(?:"[^"]*"|[^ ])+`)

// inWords says of a flag's value what is wrong with it, without the library's
// names for it.
func inWords(err error) error {
	var wrong *pflag.InvalidValueError
	var number *strconv.NumError
	var missing *pflag.NotExistError
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		return fmt.Errorf("unknown flag: -%s", missing.GetSpecifiedName())
	case !errors.As(err, &wrong):
		return err
	case !errors.As(err, &number):
		fault := wrong.Unwrap().Error()
		if !strings.HasPrefix(fault, "not ") {
			fault = "not valid; " + fault
		}
		return fmt.Errorf("--%s %q is %s", wrong.GetFlag().Name, wrong.GetValue(), fault)
	}
	kind := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false"}[wrong.GetFlag().Value.Type()]
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("--%s %s is too large", wrong.GetFlag().Name, wrong.GetValue())
	case kind == "":
		return err
	}
	return fmt.Errorf("--%s %q is not %s", wrong.GetFlag().Name, wrong.GetValue(), kind)
}
