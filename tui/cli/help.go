package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/tui/format"
)

// environmentCommand prints what the program reads besides its arguments.
func environmentCommand() *cobra.Command {
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
	cmd.Hidden = true // a topic of help: flightdesk help environment
	return defineCommand(cmd, func(c *Call) error { return c.Cmd.Help() })
}

// wrapLines continues lines that are too wide on the next one, behind end, and remarks as remarks. It breaks them at
// spaces only, so that a flag is never parted after its hyphens.
func wrapLines(text string, width int, end string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		between, at := end, 0
		if strings.HasPrefix(line, "#") {
			between = "\n# "
		}
		for _, word := range strings.SplitAfter(line, " ") {
			size := format.Width(strings.TrimRight(word, " \n"))
			if at > 0 && at+size > width-2 {
				b.WriteString(between)
				at = 0
			}
			b.WriteString(word)
			at += size + 1
		}
	}
	return b.String()
}

// inWords says of a flag's value what is wrong with it, without the library's
// names for it.
func inWords(err error) error {
	var wrong *pflag.InvalidValueError
	var missing *pflag.NotExistError
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		return fmt.Errorf("unknown flag: -%s", missing.GetSpecifiedName())
	case !errors.As(err, &wrong):
		return err
	}
	flag, fault := wrong.GetFlag(), strings.TrimPrefix(wrong.Unwrap().Error(), "is ")
	kind := map[string]string{
		"int":     "a whole number",
		"uint":    "a whole number from 0",
		"float64": "a number",
		"bool":    "true or false",
	}[flag.Value.Type()]
	switch {
	case errors.Is(err, strconv.ErrRange):
		fault = "too large"
	case kind != "":
		fault = "not " + kind
	case !strings.HasPrefix(fault, "not "):
		fault = "not valid; " + fault
	}
	return fmt.Errorf("--%s %q is %s", flag.Name, wrong.GetValue(), fault)
}

func manCommand(root *cobra.Command) *cobra.Command {
	return defineCommand(newCommand(
		"man", "Print the manual page",
		"Prints the manual page of all commands, formatted for man.",
		"# save it for man\nflightdesk man > flightdesk.1",
	), func(c *Call) error { return printManual(c, root) })
}

// printManual prints the manual page of all commands.
func printManual(c *Call, root *cobra.Command) error {
	_, err := io.WriteString(c.Out(), manualOf(root))
	return err
}

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

// manual is a page with the macros of man(7).
type manual struct{ strings.Builder }

// manualOf returns the page of all commands.
func manualOf(root *cobra.Command) string {
	var m manual
	m.add(`.TH FLIGHTDESK 1 "" "flightdesk `, Version()+`" "`+root.Short+`"`)
	m.add(".SH NAME\n", root.Name()+" - "+root.Short)
	m.add(".SH SYNOPSIS\n", root.Name()+" [command] [flags]")
	m.addCommand(".SH DESCRIPTION\n", "", root)
	m.add(".SH COMMANDS", "")
	m.addBelow(root)
	m.add(".SH ENVIRONMENT", "")
	m.addList(variables)
	m.add(".SH FILES\n", "flightdesk config path prints the path of the configuration file; with --output json also the state and download folders.")
	m.add(".SH EXIT STATUS", "")
	m.addList(statuses)
	return m.String()
}

// addBelow adds the commands below one, each with what is below it.
func (m *manual) addBelow(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if !c.Hidden && c.Name() != "help" {
			m.addCommand(".SS ", c.UseLine()+"\n", c)
			m.addBelow(c)
		}
	}
}

// addCommand adds what a command does, its flags and its examples.
func (m *manual) addCommand(macro, title string, c *cobra.Command) {
	m.add(macro, title+cmp.Or(c.Long, c.Short+"."))
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if value, usage := pflag.UnquoteUsage(f); !f.Hidden {
			m.add(".TP\n.B ", strings.TrimPrefix("-"+f.Shorthand+", ", "-, ")+"--"+f.Name+" "+value+"\n"+usage)
		}
	})
	m.add(".PP\n.EX\n", c.Example)
	m.add(".EE", "")
}

func (m *manual) addList(rows [][2]string) {
	for _, row := range rows {
		m.add(".TP\n.B ", row[0]+"\n"+row[1])
	}
}

// add adds macros and a text as it stands.
func (m *manual) add(macros, text string) { m.WriteString(macros + roff.Replace(text) + "\n") }

// roff writes what is meant as it stands; an empty line begins a paragraph.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n\n", "\n.PP\n", "\n.", "\n\\&.", "\n'", "\n\\&'")
