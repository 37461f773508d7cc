package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/tui/format"
)

// Sizes of a help page in cells.
const (
	maxHelpWidth = 120
	helpMargin   = 8
)

// The styles of help. They use only the sixteen colours of the terminal, which are readable on its
// background. To use other colours, the program would have to query the terminal for its background,
// and a terminal that does not reply would delay the help.
var (
	helpHeading = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Cyan)
	helpTerm    = lipgloss.NewStyle().Foreground(lipgloss.Blue)
	helpComment = lipgloss.NewStyle().Faint(true)
)

// helpRow is a command or a flag, with its description.
type helpRow struct{ term, text string }

// printHelp prints the help page of a command.
func printHelp(cmd *cobra.Command, _ []string) {
	out := colorprofile.NewWriter(cmd.OutOrStdout(), os.Environ())
	width := maxHelpWidth
	if terminal := terminalWidth(os.Stdout); terminal > 0 {
		width = min(width, terminal)
	}
	width -= helpMargin
	if readOnly := cmd.Flag("read-only"); readOnly != nil {
		readOnly.Hidden = cmd.Flag("profile") == nil // it only has an effect on a profile
	}
	fmt.Fprintln(out)
	printIndented(out, 2, wrapLines(cmp.Or(cmd.Long, cmd.Short), width, "\n"))
	printHelpHeading(out, "usage")
	printIndented(out, 4, usageOf(cmd, true))
	if cmd.Example != "" {
		printHelpHeading(out, "examples")
		printIndented(out, 4, paintComments(wrapLines(cmd.Example, width, "\\\n")))
	}
	flags := flagSections(cmd)
	termWidth := maxTermWidth(commandRows(cmd, nil))
	for _, section := range flags {
		termWidth = max(termWidth, maxTermWidth(section.rows))
	}
	for _, group := range cmd.Groups() {
		printHelpRows(out, group.Title, commandRows(cmd, group), termWidth, width)
	}
	if len(cmd.Groups()) == 0 {
		printHelpRows(out, "commands", commandRows(cmd, nil), termWidth, width)
	}
	for _, section := range flags {
		printHelpRows(out, section.title, section.rows, termWidth, width)
	}
	fmt.Fprintln(out)
}

// maxTermWidth returns the width of the widest term of rows.
func maxTermWidth(rows []helpRow) int {
	widest := 0
	for _, row := range rows {
		widest = max(widest, format.Width(row.term))
	}
	return widest
}

func printHelpHeading(out io.Writer, title string) {
	fmt.Fprintf(out, "\n  %s\n\n", helpHeading.Render(strings.ToUpper(title)))
}

// printIndented prints lines behind spaces. Blank lines get no spaces.
func printIndented(out io.Writer, spaces int, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if line != "" {
			line = strings.Repeat(" ", spaces) + line
		}
		fmt.Fprintln(out, line)
	}
}

// printHelpRows prints a heading, and rows with the terms in a column of termWidth cells and the
// descriptions beside it.
func printHelpRows(out io.Writer, title string, rows []helpRow, termWidth, width int) {
	if len(rows) == 0 {
		return
	}
	printHelpHeading(out, title)
	for _, row := range rows {
		left := "    " + helpTerm.Render(row.term) + strings.Repeat(" ", termWidth-format.Width(row.term)+2)
		for _, line := range format.Wrap(row.text, max(20, width-termWidth-2)) {
			fmt.Fprintln(out, strings.TrimRight(left+line, " "))
			left = strings.Repeat(" ", termWidth+6)
		}
	}
}

// wrapLines inserts lineBreak into the lines of a text that are wider than width. Comments of examples,
// which begin with #, continue on a line with # instead.
func wrapLines(text string, width int, lineBreak string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			writeWrapped(&b, line, width, "\n# ")
		} else {
			writeWrapped(&b, line, width, lineBreak)
		}
	}
	return b.String()
}

// writeWrapped writes a line, with line breaks between words so that its parts fit width. Two cells
// are left for the backslash at the end of a part. Hyphens never end a part, because they can belong
// to a flag.
func writeWrapped(b *strings.Builder, line string, width int, lineBreak string) {
	column := 0
	for _, word := range strings.SplitAfter(line, " ") {
		size := format.Width(strings.TrimRight(word, " \n"))
		if column > 0 && column+size > width-2 {
			b.WriteString(lineBreak)
			column = 0
		}
		b.WriteString(word)
		column += size + 1
	}
}

// paintComments paints the comments of an example.
func paintComments(example string) string {
	lines := strings.Split(example, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "#") {
			lines[i] = helpComment.Render(line)
		}
	}
	return strings.Join(lines, "\n")
}

// usageOf returns the usage of a command, such as "place FILE... [--flags]", behind the names of its
// parents if withParents is set.
func usageOf(cmd *cobra.Command, withParents bool) string {
	usage := cmd.Use
	if withParents && cmd.HasParent() {
		usage = cmd.Parent().CommandPath() + " " + usage
	}
	if cmd.HasAvailableSubCommands() {
		usage += " [command]"
	}
	hasFlags := false
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			hasFlags = true
		}
	})
	if hasFlags {
		usage += " [--flags]"
	}
	return usage
}

// commandRows returns the subcommands of a group, or all subcommands if the group is nil.
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

// flagGroup is a heading for flags in the help of a command.
type flagGroup struct {
	title string
	flags []string // names in the order of the help
}

// flagGroups are the groups of flags of commands that have many, by the name of the command.
var flagGroups = map[string][]flagGroup{
	"serve": {
		{"data", []string{"data", "memory", "database", "files", "secrets", "keep-logs", "audit-file", "check"}},
		{"network", []string{
			"addr", "public-url", "tls-cert", "tls-key", "trusted-proxies", "ops-key", "rate-limit", "drain",
		}},
		{"callbacks and mail", []string{"webhook-allow", "webhook-ca", "smtp"}},
		{"demo and training", []string{"demo", "demo-size", "scenario", "simulate"}},
		{"the app over ssh", []string{"ssh", "ssh-keys", "ssh-profiles"}},
	},
}

// helpSection is a heading with its rows.
type helpSection struct {
	title string
	rows  []helpRow
}

// flagSections returns the flags of a command: those of its groups, and all others in the order of
// their names.
func flagSections(cmd *cobra.Command) []helpSection {
	var sections []helpSection
	isGrouped := map[string]bool{}
	for _, group := range flagGroups[cmd.Name()] {
		section := helpSection{title: group.title}
		for _, name := range group.flags {
			isGrouped[name] = true
			section.rows = append(section.rows, flagRow(cmd.Flag(name)))
		}
		sections = append(sections, section)
	}
	others := helpSection{title: "flags"}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !isGrouped[f.Name] {
			others.rows = append(others.rows, flagRow(f))
		}
	})
	return append(sections, others)
}

// flagRow returns a flag with its usage, and its default unless that is empty.
func flagRow(f *pflag.Flag) helpRow {
	term := "--" + f.Name
	if f.Shorthand != "" {
		term = "-" + f.Shorthand + " " + term
	}
	text := format.CapitalizeFirst(f.Usage)
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
	default:
		text += " (" + f.DefValue + ")"
	}
	return helpRow{term, text}
}
