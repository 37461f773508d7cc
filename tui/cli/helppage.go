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
	helpMargin   = 8 // left and right of the text together
	headIndent   = 2 // of the description and the headings
	bodyIndent   = 4 // of the text below a heading
	termGap      = 2 // between a command or a flag and its description
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
	width := helpWidth()
	fmt.Fprintln(out)
	printIndented(out, headIndent, wrapLines(cmp.Or(cmd.Long, cmd.Short), width, "\n"))
	printHelpHeading(out, "usage")
	printIndented(out, bodyIndent, usageOf(cmd, true))
	if cmd.Example != "" {
		printHelpHeading(out, "examples")
		printIndented(out, bodyIndent, paintComments(wrapLines(cmd.Example, width, "\\\n")))
	}
	hideUselessFlags(cmd)
	sections := append(commandSections(cmd), flagSections(cmd)...)
	termWidth := maxTermWidth(sections)
	for _, section := range sections {
		printHelpRows(out, section, termWidth, width)
	}
	fmt.Fprintln(out)
}

// helpWidth returns the width of the text on a help page.
func helpWidth() int {
	width := maxHelpWidth
	if terminal := terminalWidth(os.Stdout); terminal > 0 {
		width = min(width, terminal)
	}
	return width - helpMargin
}

// hideUselessFlags hides --read-only in the help of a command that does not use a profile.
func hideUselessFlags(cmd *cobra.Command) {
	readOnly := cmd.Flag("read-only")
	if readOnly == nil {
		return
	}
	usesProfile := cmd.Flag("profile") != nil
	readOnly.Hidden = !usesProfile // set in both cases, because all commands share the flag
}

// maxTermWidth returns the width of the widest term in the sections.
func maxTermWidth(sections []helpSection) int {
	widest := 0
	for _, section := range sections {
		for _, row := range section.rows {
			widest = max(widest, format.Width(row.term))
		}
	}
	return widest
}

func printHelpHeading(out io.Writer, title string) {
	fmt.Fprintln(out)
	printIndented(out, headIndent, helpHeading.Render(strings.ToUpper(title)))
	fmt.Fprintln(out)
}

// printIndented prints lines with spaces in front. Blank lines get no spaces.
func printIndented(out io.Writer, spaces int, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if line != "" {
			line = strings.Repeat(" ", spaces) + line
		}
		fmt.Fprintln(out, line)
	}
}

// minTextWidth is the width in cells that descriptions get even if the terminal is too narrow.
const minTextWidth = 20

// printHelpRows prints the heading and the rows of a section. The terms are in a column of termWidth cells, and
// the descriptions beside it. A section without rows is not printed.
func printHelpRows(out io.Writer, section helpSection, termWidth, width int) {
	if len(section.rows) == 0 {
		return
	}
	printHelpHeading(out, section.title)
	textColumn := bodyIndent + termWidth + termGap
	textWidth := max(minTextWidth, width-termWidth-termGap)
	for _, row := range section.rows {
		padding := termWidth - format.Width(row.term) + termGap
		left := strings.Repeat(" ", bodyIndent) + helpTerm.Render(row.term) + strings.Repeat(" ", padding)
		for _, line := range format.Wrap(row.text, textWidth) {
			fmt.Fprintln(out, strings.TrimRight(left+line, " "))
			left = strings.Repeat(" ", textColumn) // the term is only on the first line
		}
	}
}

// wrapLines wraps the lines of a text to a width with lineBreak, such as "\n" or, for the commands of an
// example, a backslash and "\n". A comment of an example, which begins with #, is wrapped so that each line
// begins with #.
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

// writeWrapped writes a line and inserts lineBreak between words, so that each part of the line fits width.
// Two cells of the width stay free, because lineBreak can begin with a backslash. A line is never broken at a
// hyphen, which can belong to a flag.
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

func paintComments(example string) string {
	lines := strings.Split(example, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "#") {
			lines[i] = helpComment.Render(line)
		}
	}
	return strings.Join(lines, "\n")
}

// usageOf returns the usage of a command, such as "place FILE... [--flags]". If withParents is set, it begins
// with the names of the parent commands, such as "flightdesk".
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

// commandSections returns the subcommands of a command, in the groups that the command has.
func commandSections(cmd *cobra.Command) []helpSection {
	if len(cmd.Groups()) == 0 {
		return []helpSection{{"commands", commandRows(cmd, nil)}}
	}
	var sections []helpSection
	for _, group := range cmd.Groups() {
		sections = append(sections, helpSection{group.Title, commandRows(cmd, group)})
	}
	return sections
}

// flagSections returns the flags of a command: a section for each group of the command in flagGroups, and a
// section with all other flags, sorted by name.
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

// flagRow returns a flag with its usage. The default is added unless it is empty or means off.
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
