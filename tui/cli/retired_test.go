package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/config"
)

const (
	maxHelpPages  = 80
	maxServeFlags = 36
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
