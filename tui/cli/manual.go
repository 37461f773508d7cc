package cli

import (
	"cmp"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand(root *cobra.Command) *cobra.Command {
	return defineCommand(&cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long:  "Prints the manual page of all commands, formatted for man.",
		Example: `# save it for man
flightdesk man > flightdesk.1`,
	}, func(c *Call) error { return printManual(c, root) })
}

// printManual prints the manual page of all commands.
func printManual(c *Call, root *cobra.Command) error {
	_, err := io.WriteString(c.Out(), manualOf(root))
	return err
}

// manual is a manual page with the macros of man(7).
type manual struct{ strings.Builder }

// manualOf returns the manual page of all commands.
func manualOf(root *cobra.Command) string {
	var m manual
	m.add(`.TH FLIGHTDESK 1 "" "flightdesk `, Version()+`" "`+root.Short+`"`)
	m.add(".SH NAME\n", root.Name()+" - "+root.Short)
	m.add(".SH SYNOPSIS\n", root.Name()+" [command] [flags]")
	m.addCommand(".SH DESCRIPTION\n", "", root)
	m.add(".SH COMMANDS", "")
	m.addSubcommands(root)
	m.add(".SH ENVIRONMENT", "")
	m.addList(environmentVariables)
	m.add(".SH FILES\n", "flightdesk config path prints the path of the configuration file; with --output json also the state and download folders.")
	m.add(".SH EXIT STATUS", "")
	m.addList(exitStatuses)
	return m.String()
}

// addSubcommands adds the subcommands of a command, each followed by its own subcommands.
func (m *manual) addSubcommands(parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		m.addCommand(".SS ", c.UseLine()+"\n", c)
		m.addSubcommands(c)
	}
}

// addCommand adds the description, the flags and the examples of a command.
func (m *manual) addCommand(macro, title string, c *cobra.Command) {
	m.add(macro, title+cmp.Or(c.Long, c.Short+"."))
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			m.addFlag(f)
		}
	})
	m.add(".PP\n.EX\n", c.Example)
	m.add(".EE", "")
}

func (m *manual) addFlag(f *pflag.Flag) {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	value, usage := pflag.UnquoteUsage(f)
	m.add(".TP\n.B ", name+" "+value+"\n"+usage)
}

// addList adds a list of terms with descriptions.
func (m *manual) addList(rows [][2]string) {
	for _, row := range rows {
		m.add(".TP\n.B ", row[0]+"\n"+row[1])
	}
}

// add adds macros, unchanged, and a text. In the text it escapes the characters that roff interprets.
func (m *manual) add(macros, text string) { m.WriteString(macros + roff.Replace(text) + "\n") }

// roff escapes the characters that roff interprets, and starts a paragraph after an empty line.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n\n", "\n.PP\n", "\n.", "\n\\&.", "\n'", "\n\\&'")
