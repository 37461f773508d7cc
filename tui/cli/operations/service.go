package operations

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
)

func opsClock() opsVerb {
	var by api.Duration
	var at string
	c := commands.AdvanceClock(&by)
	f := newFieldFlags(c.Fields, c.Limit, nil)
	return opsVerb{
		use:   "clock",
		row:   "advance-clock",
		short: "Show or advance the service's clock",
		long: "Prints the clock that all dates and expiries of the service follow. --advance moves it forward by a duration, --at to a " +
			"time. It cannot be moved back, and only with --memory or --demo.",
		example: "# the time at the service\nflightdesk ops clock\n\n# advance it by a day and a half\nflightdesk ops clock --advance 36h\n\n" +
			"# advance it to a time\nflightdesk ops clock --at \"in 3 days 08:00\"",
		changes: func() bool { return by.Duration > 0 || at != "" },
		flags: func(cmd *cobra.Command, flags *pflag.FlagSet) {
			f.addFlags(cmd, flags)
			flags.StringVar(&at, "at", "", "time to advance the clock to")
		},
		check: func([]string) error {
			if f.isGiven("advance") && at != "" {
				return errors.New("--advance and --at cannot be combined")
			}
			return f.checkArguments(nil)
		},
		do: func(ctx context.Context, r *opsRun, _ []string) error {
			clock, err := r.World.Clock(ctx)
			if err != nil {
				return err
			}
			switch {
			case by.Duration > 0:
				clock, err = c.Run(ctx, r.Ops, "")
			case at != "":
				to, wrong := commands.ParseMoment(at, r.Now())
				if wrong != nil {
					return run.BadUsage(r.cmd, fmt.Errorf("--at: %w", wrong))
				}
				clock, err = r.World.SetClock(ctx, to)
			}
			if err != nil {
				return err
			}
			ahead := "no"
			if clock.Ahead.Duration > 0 {
				ahead = clock.Ahead.String()
			}
			return r.printFacts(clock, [][2]string{
				{"Clock", columns.FormatMoment(clock.Now)},
				{"Ahead", ahead},
				{"Adjustable", map[bool]string{true: "yes", false: "no"}[clock.Adjustable]},
			})
		},
	}
}

func opsSimulator() opsVerb {
	var pause, resume, step bool
	var speed float64
	var given func(string) bool
	return opsVerb{
		use:   "simulator",
		short: "Show, pause, step or speed up the simulator",
		long: "Prints the simulator's state and next steps, and the scenario. --step runs the next step now, even if the simulator is paused; " +
			"with a scenario it advances the clock to the next event and plays it.",
		example: "# the next step\nflightdesk ops simulator\n\n" +
			"# pause it, and run one step\nflightdesk ops simulator --pause\nflightdesk ops simulator --step\n\n" +
			"# an hour per second\nflightdesk ops simulator --resume --speed 3600",
		changes: func() bool { return pause || resume || step || given("speed") },
		flags: func(_ *cobra.Command, f *pflag.FlagSet) {
			given = f.Changed
			f.BoolVar(&pause, "pause", false, "pause the simulator")
			f.BoolVar(&resume, "resume", false, "resume the simulator")
			f.BoolVar(&step, "step", false, "run the next step now")
			f.Float64Var(&speed, "speed", 0, "speed; 3600 runs an hour per second")
		},
		check: func([]string) error {
			switch {
			case pause && resume:
				return errors.New("--pause and --resume cannot be combined")
			case given("speed") && !(speed >= api.MinSpeed && speed <= api.MaxSpeed):
				return fmt.Errorf("--speed %v is out of range; use %v to %v", speed, api.MinSpeed, format.GroupDigits(api.MaxSpeed, 0))
			}
			return nil
		},
		do: func(ctx context.Context, r *opsRun, _ []string) error {
			in := api.SimulatorInput{Step: step}
			if pause || resume {
				in.Paused = &pause
			}
			if given("speed") {
				in.Speed = &speed
			}
			var state *api.SimulatorState
			var err error
			if in == (api.SimulatorInput{}) {
				state, err = r.World.Simulator(ctx)
			} else {
				state, err = commands.PaceSimulator(&in).Run(ctx, r.Ops, "")
			}
			if err != nil {
				return err
			}
			return r.printSimulator(state)
		},
	}
}

func (r *opsRun) printSimulator(state *api.SimulatorState) error {
	for _, step := range state.Upcoming {
		r.seen.NoteCode(step.OrderCode)
		r.seen.NoteCode(run.TextOf(step.MissionCode))
	}
	works := "works"
	if state.Paused {
		works = "paused"
	}
	speed := "" // it has none before it is first set going
	if state.Speed > 0 {
		speed = strconv.FormatFloat(state.Speed, 'f', -1, 64) + " times real time"
	}
	if r.output == "json" {
		return run.PrintValue(r.out, state)
	}
	out, th := bufio.NewWriter(r.out), run.ShellTheme(r.out)
	run.WriteFacts(out, th, [][2]string{
		{"Simulator", works},
		{"Speed", speed},
		{"Steps done", strconv.Itoa(state.Done)},
		{"Waiting", strconv.Itoa(state.Waiting)},
		{"Trouble", run.TextOf(state.LastError)},
	})
	fmt.Fprintln(out)
	steps := run.NewSheet("step waiting", "steps waiting", columns.SimulatorSteps(), r.Now, "does orderCode missionCode at", "")
	steps.PrintTable(out, run.PointersTo(state.Upcoming), r.out)
	if s := state.Scenario; s != nil {
		last := cmp.Or(s.Last, &api.ScenarioEvent{}).Does
		fmt.Fprintln(out)
		run.WriteFacts(out, th, [][2]string{
			{"Scenario", s.Title},
			{"Events", fmt.Sprintf("%d of %d", s.Done, s.Events)},
			{"Last", last},
			{"Trouble", run.TextOf(s.LastError)},
		})
		fmt.Fprintln(out)
		events := run.NewSheet("event ahead", "events ahead", columns.ScenarioEvents(), r.Now, "does orderCode at", "")
		events.PrintTable(out, run.PointersTo(s.Upcoming), r.out)
	}
	return out.Flush()
}

func opsFaults() opsVerb {
	in := commands.FaultValues{Rate: 1}
	c := commands.SetFaults(&in)
	f := newFieldFlags(c.Fields, c.Limit, c.Check)
	off := false
	some := func() bool {
		return slices.ContainsFunc(f.fields, func(field *fieldFlag) bool { return field.given })
	}
	return opsVerb{
		use:   "faults",
		row:   "set-fault",
		short: "Show or set faults of requests or callbacks",
		long: "Prints or sets faults of requests to the public and v2 APIs, to test clients: delayed responses, or error statuses. With " +
			"--callbacks, callbacks are dropped, delayed, duplicated or reordered instead. A setting replaces the previous one; --off clears it.",
		example: "# a fifth of the requests for orders fail\nflightdesk ops faults --status 503 --rate 0.2 --path /orders\n\n" +
			"# slow responses\nflightdesk ops faults --latency 2s\n\n# every callback arrives twice\nflightdesk ops faults --callbacks duplicate\n\n# no more faults\nflightdesk ops faults --off",
		changes: func() bool { return off || some() },
		flags: func(cmd *cobra.Command, flags *pflag.FlagSet) {
			f.addFlags(cmd, flags)
			flags.BoolVar(&off, "off", false, "clear all faults")
		},
		check: func([]string) error {
			switch {
			case off && some():
				return errors.New("--off cannot be combined with other flags")
			case !some():
				return nil
			}
			return f.checkArguments(nil)
		},
		do: func(ctx context.Context, r *opsRun, _ []string) (err error) {
			var now *api.Faults
			switch {
			case off:
				now, err = commands.EndFaults().Run(ctx, r.Ops, "")
			case some():
				now, err = c.Run(ctx, r.Ops, "")
			default:
				now, err = r.World.Faults(ctx)
			}
			if err != nil {
				return err
			}
			return r.printFaults(now)
		},
	}
}

func (r *opsRun) printFaults(f *api.Faults) error {
	if f.Latency.Duration == 0 && f.Status == 0 && f.Callbacks == "" {
		return r.printAnswer(f, "no faults set")
	}
	late, status := "", ""
	if f.Latency.Duration > 0 {
		late = f.Latency.String()
	}
	if f.Status > 0 {
		status = strconv.Itoa(f.Status)
	}
	soFar := format.Count(f.Injected, "request", "requests")
	if f.Callbacks != "" {
		soFar = format.Count(f.Injected, "callback", "callbacks")
	}
	return r.printFacts(f, [][2]string{
		{"Latency", late},
		{"Status", status},
		{"Callbacks", string(f.Callbacks)},
		{"Share", strconv.FormatFloat(100*f.Rate, 'f', -1, 64) + "%"},
		{"Path", f.Path},
		{"So far", soFar},
	})
}

func opsEndFaults() opsVerb {
	return verbOf(commands.EndFaults(), opsVerb{
		short:   "Clear all faults",
		long:    "Clears all faults, like faults --off.",
		example: "# clear all faults\nflightdesk ops end-faults",
	}, func(r *opsRun, _ string, f *api.Faults) error { return r.printFaults(f) })
}

func opsReset() opsVerb {
	return verbOf(commands.ResetWorld(), opsVerb{
		short: "Restore the initial orders",
		long: "Restores the initial orders, quotes, deliveries and callbacks, and deletes everything created since. Accounts and keys " +
			"are kept. Works only with --memory or --demo. Asks for confirmation; --yes skips it.",
		example: "# in a script\nflightdesk ops reset --yes",
		question: func(r *opsRun, _ []string) (string, error) {
			return "This restores the initial orders at " + r.Host() + " and deletes everything created since. Accounts and keys are kept. It cannot be undone.", nil
		},
	}, func(r *opsRun, _ string, again *api.ResetResult) error {
		return r.printAnswer(again, "service reset: %s", format.Count(again.Orders, "order", "orders"))
	})
}

func opsSnapshots() opsVerb {
	return opsVerb{
		use: "snapshots", short: "List snapshots, newest first", rows: true,
		long:    "Lists the snapshots of a service with --memory or --demo, and when they were taken.",
		example: "# the snapshots\nflightdesk ops snapshots",
		do: func(ctx context.Context, r *opsRun, _ []string) error {
			all, err := r.World.Snapshots(ctx)
			if err != nil {
				return err
			}
			s := run.NewSheet("snapshot", "snapshots", columns.Snapshots(), r.Now, "name takenAt bytes", "name takenAt bytes")
			return printRows(r, s, run.ListRows(all))
		},
	}
}

func opsTakeSnapshot() opsVerb {
	return verbOf(commands.TakeSnapshot(new(string)), opsVerb{
		short:   "Keep everything under a name, to restore it later",
		long:    "Keeps everything, with accounts, keys and clock, under a name. A name taken again is replaced; a reset keeps snapshots. Works only with --memory or --demo.",
		example: "# before a training\nflightdesk ops take-snapshot morning",
	}, nil)
}

func opsRestoreSnapshot() opsVerb {
	return verbOf(commands.RestoreSnapshot(new(string)), opsVerb{
		short:   "Restore a snapshot",
		long:    "Replaces everything, with accounts, keys and clock, by the snapshot. Works only with --memory or --demo. Asks for confirmation; --yes skips it.",
		example: "# after a training\nflightdesk ops restore-snapshot morning --yes",
		question: func(r *opsRun, args []string) (string, error) {
			return "This replaces everything at " + r.Host() + " by the snapshot " + args[0] + ". It cannot be undone.", nil
		},
	}, nil)
}
