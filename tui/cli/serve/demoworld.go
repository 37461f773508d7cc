package serve

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/scenario"
	"flightdesk/tui/cli/run"
)

// DemoWorld is what a demo's world is like.
type DemoWorld struct {
	*server.Server
	SSH    SSH
	Script string `flag:"scenario,scenario to play, as a built-in name or a file; list shows the names"`
}

// listScenarios stands for the names of the built-in scenarios.
const listScenarios = "list"

// AddFlags adds the flags. The speed of the server is the one without a flag.
func (w *DemoWorld) AddFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	w.SSH.addFlags(cmd)
	run.AddFlags(cmd, w)
	flags.IntVar(&w.DemoOrders, "demo-orders", 0, "number of additional orders in the first account")
	flags.Func("demo-file-size", "size of generated delivery files, such as 20MB; small if omitted", w.setFileSize)
	flags.Float64Var(&w.Simulate, "simulate", w.Simulate,
		"speed of the simulator; 3600 runs an hour per second, 0 is off")
	_ = cmd.RegisterFlagCompletionFunc(
		"scenario",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(scenario.BuiltinNames(), listScenarios), cobra.ShellCompDirectiveDefault
		},
	)
}

// ListScenarios prints the built-in scenarios, and what a file can have, if the flag asks for them.
func (w *DemoWorld) ListScenarios(out io.Writer) (bool, error) {
	if w.Script != listScenarios {
		return false, nil
	}
	for _, name := range scenario.BuiltinNames() {
		s, err := scenario.Load(name)
		if err != nil {
			return true, err
		}
		if _, err := fmt.Fprintf(out, "%-15s %s\n", name, s.Title); err != nil {
			return true, err
		}
	}
	_, err := fmt.Fprint(
		out,
		"\nA file has a line for each event: its time since the start, such as 90m or 1d6h, and one of\n\n",
		scenario.EventHelp(),
	)
	return true, err
}

// ReadScenario reads the scenario. Its events need the simulator's loop, which runs at
// the demo's speed unless a speed was given.
func (w *DemoWorld) ReadScenario(cmd *cobra.Command) (err error) {
	if w.Script == "" {
		return nil
	}
	if !cmd.Flags().Changed("simulate") {
		w.Simulate = ops.DemoSpeed
	}
	if w.Scenario, err = scenario.Load(w.Script); err != nil {
		return fmt.Errorf("--scenario: %w", err)
	}
	return nil
}

// CheckFlags returns an error where a flag is out of its range, or needs a demo.
func (w *DemoWorld) CheckFlags() error {
	return cmp.Or(w.SSH.checkFlags(w.Demo), checkRules(
		flagRule{w.Script != "" && !w.Demo, "--scenario needs --demo"},
		flagRule{
			w.DemoOrders < 0 || w.DemoOrders > server.MaxDemoOrders,
			fmt.Sprint("--demo-orders must be from 0 to ", server.MaxDemoOrders),
		},
		flagRule{
			!isRate(w.Simulate, ops.MinSpeed, ops.MaxSpeed),
			fmt.Sprintf("--simulate must be from %v to %v, or 0 for off", ops.MinSpeed, float64(ops.MaxSpeed)),
		},
	))
}
