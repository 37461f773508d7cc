package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/tui/format"
)

const (
	widestHelp = 120 // cells of the terminal that help uses
	helpMargin = 8   // cells at the sides of its texts
)

// The styles of help. They use the sixteen colours of the terminal, which fit its background,
// so that the terminal need not be asked for it: one that does not answer would delay help.
var (
	helpHeading = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Cyan)
	helpTerm    = lipgloss.NewStyle().Foreground(lipgloss.Blue)
	helpRemark  = lipgloss.NewStyle().Faint(true)
)

// helpRow is a command or a flag with its description.
type helpRow struct{ term, text string }

// printHelp prints the help page of a command.
func printHelp(cmd *cobra.Command, _ []string) {
	out := colorprofile.NewWriter(cmd.OutOrStdout(), os.Environ())
	width := min(cmp.Or(terminalWidth(os.Stdout), widestHelp), widestHelp) - helpMargin
	if readOnly := cmd.Flag("read-only"); readOnly != nil {
		readOnly.Hidden = cmd.Flag("profile") == nil // it has no effect there
	}
	fmt.Fprintln(out)
	printIndented(out, 2, wrapLines(cmp.Or(cmd.Long, cmd.Short), width, "\n"))
	printHelpHeading(out, "usage")
	printIndented(out, 4, usageOf(cmd, true))
	if cmd.Example != "" {
		printHelpHeading(out, "examples")
		printIndented(out, 4, paintRemarks(wrapLines(cmd.Example, width, "\\\n")))
	}
	flags := flagRows(cmd)
	widest := 0
	for _, row := range append(commandRows(cmd, nil), flags...) {
		widest = max(widest, format.Width(row.term))
	}
	for _, group := range cmd.Groups() {
		printHelpRows(out, group.Title, commandRows(cmd, group), widest, width)
	}
	if len(cmd.Groups()) == 0 {
		printHelpRows(out, "commands", commandRows(cmd, nil), widest, width)
	}
	printHelpRows(out, "flags", flags, widest, width)
	fmt.Fprintln(out)
}

func printHelpHeading(out io.Writer, title string) {
	fmt.Fprintf(out, "\n  %s\n\n", helpHeading.Render(strings.ToUpper(title)))
}

// printIndented prints lines behind n spaces; a blank line stays blank.
func printIndented(out io.Writer, n int, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if line != "" {
			line = strings.Repeat(" ", n) + line
		}
		fmt.Fprintln(out, line)
	}
}

// printHelpRows prints a heading and rows in two columns, the first one widest cells wide.
func printHelpRows(out io.Writer, title string, rows []helpRow, widest, width int) {
	if len(rows) == 0 {
		return
	}
	printHelpHeading(out, title)
	for _, row := range rows {
		term := "    " + helpTerm.Render(row.term) + strings.Repeat(" ", widest-format.Width(row.term)+2)
		for _, line := range format.Wrap(row.text, max(20, width-widest-2)) {
			fmt.Fprintln(out, strings.TrimRight(term+line, " "))
			term = strings.Repeat(" ", widest+6)
		}
	}
}

// paintRemarks paints the lines of an example that are remarks.
func paintRemarks(example string) string {
	lines := strings.Split(example, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "#") {
			lines[i] = helpRemark.Render(line)
		}
	}
	return strings.Join(lines, "\n")
}

// usageOf returns how a command is called, with its full path or without the commands above
// it: "flightdesk place FILE... [--flags]".
func usageOf(cmd *cobra.Command, full bool) string {
	usage := cmd.Use
	if full && cmd.HasParent() {
		usage = cmd.Parent().CommandPath() + " " + usage
	}
	if cmd.HasAvailableSubCommands() {
		usage += " [command]"
	}
	hasFlags := false
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { hasFlags = hasFlags || !f.Hidden && f.Name != "help" })
	if hasFlags {
		usage += " [--flags]"
	}
	return usage
}

// commandRows returns the commands below cmd that belong to a group, or all for nil.
func commandRows(cmd *cobra.Command, group *cobra.Group) []helpRow {
	var rows []helpRow
	for _, sub := range cmd.Commands() {
		isShown := sub.IsAvailableCommand() || sub.Name() == "help"
		if !isShown || group != nil && sub.GroupID != group.ID {
			continue
		}
		rows = append(rows, helpRow{usageOf(sub, false), sub.Short})
	}
	return rows
}

// flagRows returns the flags of a command.
func flagRows(cmd *cobra.Command) []helpRow {
	var rows []helpRow
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		term := "--" + f.Name
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + " " + term
		}
		first, size := utf8.DecodeRuneInString(f.Usage)
		text := string(unicode.ToUpper(first)) + f.Usage[size:]
		switch f.DefValue {
		case "", "false", "0", "[]":
		default:
			text += " (" + f.DefValue + ")"
		}
		rows = append(rows, helpRow{term, text})
	}
	cmd.Flags().VisitAll(add) // in the order of their names
	return rows
}
