package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/config"
	"flightdesk/tui/format"
)

// allCommands returns cmd and all commands below it.
func allCommands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, allCommands(sub)...)
	}
	return all
}

func TestEveryCommandHasAnExampleThatWorks(t *testing.T) {
	root := rootCommand(&program{Env: config.SystemEnv()})
	for _, cmd := range allCommands(root) {
		if cmd.Short == "" || !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s: no summary, or no example of it: %q", cmd.CommandPath(), cmd.Example)
		}
		for line := range strings.Lines(cmd.Example) {
			_, call, found := strings.Cut(strings.TrimSpace(line), root.Name()+" ")
			if !found {
				continue
			}
			call, _, _ = strings.Cut(call, " >")
			call, _, _ = strings.Cut(call, " <")
			target, args, err := root.Find(strings.Fields(strings.Trim(call, `)"`)))
			if err != nil || target == root {
				t.Errorf("%s: the example %q names no command: %v", cmd.CommandPath(), line, err)
				continue
			}
			if err := target.ParseFlags(args); err != nil {
				t.Errorf("%s: the example %q has a wrong flag: %v", cmd.CommandPath(), line, err)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || strings.Contains(f.Usage, "`") { // the help would show backquotes
				t.Errorf("%s: the help of --%s is empty or has backquotes", cmd.CommandPath(), f.Name)
			}
		})
	}
}

// Wrapped examples keep all their text, and a shell still reads the same command.
func TestExamplesAreWrappedWithoutLosingText(t *testing.T) {
	root := rootCommand(&program{Env: config.SystemEnv()})
	for _, cmd := range allCommands(root) {
		for width := 52; width <= 112; width += 20 {
			wrapped := wrapLines(cmd.Example, width, "\\\n")
			joined := strings.ReplaceAll(wrapped, " \\\n", " ")
			for line := range strings.Lines(cmd.Example) {
				if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && !strings.Contains(joined, line) {
					t.Errorf("%s at %d: %q is not in\n%s", cmd.CommandPath(), width, line, wrapped)
				}
			}
			for line := range strings.Lines(wrapped) {
				line = strings.TrimSuffix(line, "\n")
				if format.Width(line) > width && strings.Contains(strings.TrimSuffix(line, " \\"), " ") {
					t.Errorf("%s at %d: %q", cmd.CommandPath(), width, line)
				}
			}
		}
	}
}
