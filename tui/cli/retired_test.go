package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/config"
)

const (
	maxHelpPages  = 80
	maxServeFlags = 28
)

// isShown reports whether the help shows a command, which is hidden if a command above it is hidden.
func isShown(cmd *cobra.Command) bool {
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.Hidden {
			return false
		}
	}
	return true
}

// The number of commands and of flags of serve is limited, so that people can learn them.
func TestTheHelpHasFewPages(t *testing.T) {
	root := rootCommand(&program{Env: config.SystemEnv()})
	var pages []string
	for _, cmd := range allCommands(root) {
		if isShown(cmd) && cmd != root && cmd.Name() != "help" {
			pages = append(pages, cmd.CommandPath())
		}
	}
	if len(pages) > maxHelpPages {
		t.Errorf("%d help pages: %s", len(pages), strings.Join(pages, ", "))
	}
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	flags := 0
	serve.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			flags++
		}
	})
	if flags > maxServeFlags {
		t.Errorf("serve has %d flags", flags)
	}
}

// Each flag of serve is below a heading, except for what all commands have.
func TestTheFlagsOfServeAreGrouped(t *testing.T) {
	root := rootCommand(&program{Env: config.SystemEnv()})
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	var others []string
	for _, section := range flagSections(serve) {
		titles = append(titles, section.title)
		if section.title != "flags" {
			continue
		}
		for _, row := range section.rows {
			others = append(others, row.term)
		}
	}
	if got := strings.Join(titles, ", "); got != "data, network, callbacks and mail, demo and training, the app over ssh, flags" {
		t.Errorf("the headings: %s", got)
	}
	if got := strings.Join(others, ", "); got != "-o --output, --settings" {
		t.Errorf("below no heading: %s", got)
	}
}

// An old flag works and says what to use.
func TestAnOldFlagWorksWithANote(t *testing.T) {
	root := rootCommand(&program{Env: config.SystemEnv()})
	for _, name := range commandsWithRetiredFlags {
		if cmd, _, err := root.Find([]string{name}); err != nil || cmd == root {
			t.Errorf("no command %s", name)
		}
	}
	backup, _, err := root.Find([]string{"backup"})
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	backup.Flags().SetOutput(&said)
	if err := backup.ParseFlags([]string{"--database-password-file", "f"}); err != nil {
		t.Fatal(err)
	}
	const note = "Flag --database-password-file has been deprecated, and works in this version only; " +
		"use the file database-password in the folder --secrets\n"
	if said.String() != note {
		t.Errorf("said %q", &said)
	}
}

// An old flag that a variable or the file of --settings sets has a note too.
func TestAnOldFlagThatASettingSetsHasANote(t *testing.T) {
	file := filepath.Join(t.TempDir(), "serve.toml")
	if err := os.WriteFile(file, []byte("name = 'desk-1'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, environment := range []string{"FLIGHTDESK_SERVE_NAME=desk-1", "FLIGHTDESK_SERVE_SETTINGS=" + file} {
		serve, _, err := rootCommand(&program{Env: config.SystemEnv()}).Find([]string{"serve"})
		if err != nil {
			t.Fatal(err)
		}
		var trouble bytes.Buffer
		serve.SetErr(&trouble)
		if err := applySettings(serve, []string{environment, "FLIGHTDESK_SERVE_ADDR=:80"}); err != nil {
			t.Fatal(err)
		}
		const note = "--name is an old name, and works in this version only; " +
			"use the option application_name of the address in --database\n"
		if trouble.String() != note {
			t.Errorf("%s: said %q", environment, &trouble)
		}
	}
}

// A retired command works and names its replacement.
func TestARetiredCommandWorksAndNamesItsReplacement(t *testing.T) {
	p := &program{Env: config.SystemEnv()}
	root := rootCommand(p)
	var out, trouble bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&trouble)
	root.SetArgs([]string{"about"})
	if err := root.ExecuteContext(t.Context()); err != nil || p.Fault != nil {
		t.Fatal(err, p.Fault)
	}
	const note = "flightdesk about is an old name, for this version only; use flightdesk version --licences\n"
	if trouble.String() != note || !strings.Contains(out.String(), "MIT licence") {
		t.Errorf("said %q, printed %q", &trouble, &out)
	}
}

// The commands and flags that replace retired commands exist.
func TestReplacementsOfRetiredCommandsExist(t *testing.T) {
	root := rootCommand(&program{Env: config.SystemEnv()})
	root.InitDefaultHelpCmd()
	for path, instead := range retiredCommands {
		instead, _, _ = strings.Cut(instead, ",")
		cmd, _, err := root.Find(strings.Fields(instead))
		if err != nil || cmd == root || !isShown(cmd) {
			t.Errorf("%s: %q is no command: %v", path, instead, err)
			continue
		}
		for _, word := range strings.Fields(instead) {
			if name, isFlag := strings.CutPrefix(word, "--"); isFlag && cmd.Flags().Lookup(name) == nil {
				t.Errorf("%s: %s has no flag %s", path, cmd.CommandPath(), word)
			}
		}
	}
}
