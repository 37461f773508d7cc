package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/tui/format"
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
			width := terminalWidth(os.Stdout)
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
func environmentCommand(p *program) *cobra.Command {
	text := "Variables override the configuration file, and flags override variables.\n\n"
	for _, v := range variables {
		text += v[0] + ": " + v[1] + ".\n\n"
	}
	cmd := newCommand(
		"environment",
		"Show the environment variables that are read",
		text+`Drafts, views and offline data are in the state folder, and the data of a local service in its subfolder
server; flightdesk config path --output json prints the folders.`,
		"# the variables and what they set\nflightdesk environment",
	)
	return p.Command(cmd, func(c *Call) error { return c.Cmd.Help() })
}

// wrapExample continues lines of an example that are too wide on the next one, as
// the shell reads them. A word in quotes stays whole.
func wrapExample(example string, width int) string {
	var lines []string
	for line := range strings.Lines(example) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			for _, part := range format.Wrap(strings.TrimSpace(strings.TrimPrefix(line, "#")), width-2) {
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
	if format.Width(line) <= width {
		return []string{line}
	}
	const margin = 4 // cells of the indent and of what ends a line
	current := ""
	for _, word := range shellWord.FindAllString(line, -1) {
		if current != "" && format.Width(current)+1+format.Width(word) > width-margin {
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

func manCommand(p *program, root *cobra.Command) *cobra.Command {
	return p.Command(newCommand(
		"man", "Print the manual page",
		"Prints the manual page of all commands, formatted for man.",
		"# save it for man\nflightdesk man > flightdesk.1",
	), func(c *Call) error {
		m := newManual(c.Out())
		m.page(root)
		return m.w.Flush()
	})
}

// manual writes a page with the macros of man(7). Errors come with the flush.
type manual struct{ w *bufio.Writer }

func newManual(w io.Writer) *manual { return &manual{bufio.NewWriter(w)} }

// The variables that the program reads, and the files that it has.
var (
	variables = [][2]string{
		{"FLIGHTDESK_CONFIG", "path of the configuration file"},
		{"FLIGHTDESK_BASE_URL", "address of the public API"},
		{"FLIGHTDESK_LEGACY_BASE_URL", "address of the v2 API"},
		{"FLIGHTDESK_API_KEY", "API key"},
		{"FLIGHTDESK_OPS_URL", "address of the operations API"},
		{"FLIGHTDESK_OPS_KEY", "key of the operations API"},
		{
			"FLIGHTDESK_DEBUG",
			"if set to api, requests and responses are printed on standard error, with secrets masked",
		},
		{"FLIGHTDESK_SERVE_…", "flags of serve, such as FLIGHTDESK_SERVE_ADDR for --addr"},
		{"PGPASSWORD", "password for the serve database"},
		{"AWS_ACCESS_KEY_ID", "access key ID for the serve bucket"},
		{"AWS_SECRET_ACCESS_KEY", "secret access key for the serve bucket"},
		{"NO_COLOR", "turns colours off, as TERM=dumb does"},
	}
	statuses = [][2]string{
		{"0", "done"},
		{"1", "failed"},
		{"2", "wrong usage"},
		{"75", "sent and not confirmed"},
		{"130", "interrupted"},
		{"129, 143", "stopped by a hang-up, or by a request to terminate"},
	}
)

func (m *manual) page(root *cobra.Command) {
	name := root.Name()
	m.macro("TH", strings.ToUpper(name), "1", "", name+" "+Version(), root.Short)
	m.macro("SH", "NAME")
	m.text(name + " - " + root.Short)
	m.macro("SH", "SYNOPSIS")
	m.bold(name)
	m.text("[command] [flags]")
	m.macro("SH", "DESCRIPTION")
	m.command(root)
	m.macro("SH", "COMMANDS")
	m.below(root)
	m.macro("SH", "ENVIRONMENT")
	m.list(variables)
	m.macro("SH", "FILES")
	m.text(
		"flightdesk config path prints the path of the configuration file; with --output json also the state and download folders.",
	)
	m.macro("SH", "EXIT STATUS")
	m.list(statuses)
}

// below writes the commands below one, each with what is below it.
func (m *manual) below(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		m.macro("SS", c.UseLine())
		m.command(c)
		m.below(c)
	}
}

// command writes what a command does, its flags and its examples.
func (m *manual) command(c *cobra.Command) {
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	for line := range strings.Lines(strings.TrimSpace(long)) {
		if line = strings.TrimSpace(line); line == "" {
			m.macro("PP")
			continue
		}
		m.text(line)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.Value.Type() != "bool" {
			name += " " + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		}
		m.macro("TP")
		m.bold(name)
		m.text(f.Usage)
	})
	if c.Example == "" {
		return
	}
	m.macro("PP")
	m.macro("EX")
	for line := range strings.Lines(c.Example) {
		m.text(strings.TrimRight(line, "\n"))
	}
	m.macro("EE")
}

func (m *manual) list(rows [][2]string) {
	for _, row := range rows {
		m.macro("TP")
		m.bold(row[0])
		m.text(row[1])
	}
}

func (m *manual) macro(name string, words ...string) {
	line := "." + name
	for _, word := range words {
		line += ` "` + strings.ReplaceAll(roff.Replace(word), `"`, `\(dq`) + `"`
	}
	fmt.Fprintln(m.w, line)
}

func (m *manual) bold(text string) { fmt.Fprintf(m.w, "\\fB%s\\fR\n", roff.Replace(text)) }

// text writes a line of text, also one that looks like a macro.
func (m *manual) text(line string) {
	if line = roff.Replace(line); strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	fmt.Fprintln(m.w, line)
}

// roff writes what is meant as it stands.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`)
