package operations

import (
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
	f := fieldFlags{fields: c.Fields, limit: c.Limit}
	return opsVerb{
		use: "clock", row: "advance-clock", short: "The service's clock, and move it forward",
		long: "Prints the clock that every date and expiry of the service follows. --advance moves it forward by a length of time, --at " +
			"to a moment; it cannot be moved back. Only a service with --memory or --demo has a clock that can be moved.",
		example: "flightdesk ops clock\nflightdesk ops clock --advance 36h\nflightdesk ops clock --at \"in 3 days 08:00\"",
		changes: func() bool { return by.Duration > 0 || at != "" },
		flags: func(cmd *cobra.Command, flags *pflag.FlagSet) {
			f.flags(cmd, flags)
			flags.StringVar(&at, "at", "", "the moment that it is put to")
		},
		check: func([]string) error {
			if f.given("advance") && at != "" {
				return errors.New("--advance and --at both move the clock; name one")
			}
			return f.check(nil)
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
			ahead := "not at all"
			if clock.Ahead.Duration > 0 {
				ahead = clock.Ahead.String()
			}
			return r.facts(clock, [2]string{"Clock", columns.Moment(clock.Now)}, [2]string{"Ahead", ahead},
				[2]string{"Can be moved", map[bool]string{true: "yes", false: "no"}[clock.Adjustable]})
		},
	}
}

func opsSimulator() opsVerb {
	var pause, resume, step bool
	var speed float64
	var given func(string) bool
	return opsVerb{
		use: "simulator", short: "The simulator: what it does next, pause, speed and step",
		long: "Prints what the simulator, which plays the service's people, does next. --step has it run the next step now, also while " +
			"it is paused.",
		example: "flightdesk ops simulator\nflightdesk ops simulator --pause\nflightdesk ops simulator --step\nflightdesk ops simulator --resume --speed 3600",
		changes: func() bool { return pause || resume || step || given("speed") },
		flags: func(_ *cobra.Command, f *pflag.FlagSet) {
			given = f.Changed
			f.BoolVar(&pause, "pause", false, "have it wait")
			f.BoolVar(&resume, "resume", false, "resume the simulator")
			f.BoolVar(&step, "step", false, "run the next step now")
			f.Float64Var(&speed, "speed", 0, "times faster than life")
		},
		check: func([]string) error {
			switch {
			case pause && resume:
				return errors.New("--pause and --resume are opposites; name one")
			case given("speed") && !(speed >= api.MinSpeed && speed <= api.MaxSpeed):
				return fmt.Errorf("--speed %v is not between %v and %v", speed, api.MinSpeed, format.Group(api.MaxSpeed, 0))
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
			var state *api.Simulator
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

func (r *opsRun) printSimulator(state *api.Simulator) error {
	for _, step := range state.Upcoming {
		r.seen.Note(step.OrderCode)
		r.seen.Note(run.TextOf(step.MissionCode))
	}
	works := "works"
	if state.Paused {
		works = "paused"
	}
	speed := "" // it has none before it is first set going
	if state.Speed > 0 {
		speed = strconv.FormatFloat(state.Speed, 'f', -1, 64) + " times life"
	}
	err := r.facts(state, [2]string{"Simulator", works}, [2]string{"Speed", speed},
		[2]string{"Steps taken", strconv.Itoa(state.Done)}, [2]string{"Waiting", strconv.Itoa(state.Waiting)}, [2]string{"Trouble", run.TextOf(state.LastError)})
	if err != nil || r.output == "json" {
		return err
	}
	if _, err := fmt.Fprintln(r.out); err != nil {
		return err
	}
	s := run.NewSheet("step ahead", "steps ahead", columns.SimulatorSteps(), r.Now, "does orderCode missionCode at", "")
	return s.Print(r.printed(), run.Listed(state.Upcoming))
}

func opsFaults() opsVerb {
	in := commands.FaultValues{Rate: 1}
	c := commands.SetFaults(&in)
	f := fieldFlags{fields: c.Fields, limit: c.Limit, together: c.Check}
	off := false
	some := func() bool {
		return slices.ContainsFunc(c.Fields, func(field commands.Field) bool { return f.given(field.Flag) })
	}
	return opsVerb{
		use: "faults", row: "set-fault", short: "What goes wrong on purpose, to try clients",
		long: "Prints or sets what goes wrong with requests to the two interfaces: answers that come late, or with a status. What is set " +
			"takes the place of what was set before; --off ends it.",
		example: "flightdesk ops faults --status 503 --rate 0.2 --path /orders\nflightdesk ops faults --latency 2s\nflightdesk ops faults --off",
		changes: func() bool { return off || some() },
		flags: func(cmd *cobra.Command, flags *pflag.FlagSet) {
			f.flags(cmd, flags)
			flags.BoolVar(&off, "off", false, "let nothing go wrong")
		},
		check: func([]string) error {
			switch {
			case off && some():
				return errors.New("--off ends all faults; name it alone")
			case !some():
				return nil
			}
			return f.check(nil)
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
	if f.Latency.Duration == 0 && f.Status == 0 {
		return r.tell(f, "no faults set")
	}
	late, status := "", ""
	if f.Latency.Duration > 0 {
		late = f.Latency.String()
	}
	if f.Status > 0 {
		status = strconv.Itoa(f.Status)
	}
	return r.facts(f, [2]string{"Latency", late}, [2]string{"Status", status}, [2]string{"Share", strconv.FormatFloat(100*f.Rate, 'f', -1, 64) + "%"},
		[2]string{"Path", f.Path}, [2]string{"So far", format.Count(f.Injected, "request", "requests")})
}

func opsEndFaults() opsVerb {
	return verbOf(commands.EndFaults(), opsVerb{
		short: "Let nothing go wrong on purpose any more", long: "Ends what faults has set, as faults --off does.", example: "flightdesk ops end-faults",
	}, func(r *opsRun, _ string, f *api.Faults) error { return r.printFaults(f) })
}

func opsReset() opsVerb {
	return verbOf(commands.Reset(), opsVerb{
		short: "Go back to the seeded world; accounts and keys stay",
		long: "Puts everything back to what the service was first filled with: orders, webhooks, requests for keys and files made since are " +
			"deleted; accounts and keys stay. Only with --memory or --demo. Asks first, unless --yes is given.",
		example: "flightdesk ops reset --yes",
		question: func(r *opsRun, _ []string) (string, error) {
			return "Every order, webhook and file that was made at " + r.Host() + " since it was filled is gone.", nil
		},
	}, func(r *opsRun, _ string, again *api.ResetResult) error {
		return r.tell(again, "everything is as at first: %s", format.Count(again.Orders, "order", "orders"))
	})
}
