package cli

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/config"
	"flightdesk/config/atomicfile"
	"flightdesk/tui"
	"flightdesk/tui/app/session"
)

func demoCommand() *cobra.Command {
	cmd := newCommand(
		"demo",
		"Open the app with sample data",
		`Opens the app with sample accounts and orders, on a service that runs in the same process. Needs no
configuration and no network. Drafts, downloads and all data are deleted on exit.

--scenario plays a built-in scenario, or a text file of times and events, on the service's clock; api/README.md
describes the file. In Operations, test controls show the next events: c advances the clock, p pauses, and = plays the next event.`,
		`# explore the app without an account
flightdesk demo

# a training session: a late flight
flightdesk demo --scenario late-flight

# the built-in scenarios
flightdesk demo --scenario list`,
	)
	world := newDemoWorld()
	world.addWorld(cmd)
	plainFlag(cmd)
	return defineCommand(cmd, func(c *Call) error {
		world.SSH.State = c.Env.Dirs.State
		if listed, err := world.ListScenarios(c.Out()); listed {
			return err
		}
		if err := world.checkWorld(); err != nil {
			return badUsage(err)
		}
		if err := world.ReadScenario(cmd); err != nil {
			return err
		}
		app := newAppRun(c)
		if !app.plain && !isTerminal(c.Out()) {
			return errors.New("standard output is not a terminal; use --plain, or flightdesk serve --demo for the service only")
		}
		return app.run(c, func() (o tui.Options, err error) {
			if app.demo, err = startDemo(c, app.ended, world); err != nil {
				return o, err
			}
			conf, err := config.Load(c.Env)
			if err != nil { // its faults do not keep the demo from starting
				conf = &config.Config{}
			}
			_, _ = bindKeys(conf) // with a fault the keys stay the app's own
			return app.begin(conf, app.demo.options), nil
		})
	})
}

// newDemoWorld returns a demo that has not started.
func newDemoWorld() localService {
	return localService{Server: &server.Server{
		Demo: true, DemoKey: server.NewKey(), OpsKey: server.NewKey(), Simulate: ops.DemoSpeed, WebhookAllow: thisMachine,
	}}
}

// demoService is a service of this process, with data to try.
type demoService struct {
	localService
	folder  *atomicfile.TempFolder // all that is written is below it
	room    *TrainingRoom
	options tui.ProfileOptions

	cancel  context.CancelFunc // ends the start
	started chan struct{}      // closed when that has ended, either way
}

// clientsOf returns the clients of an account and of the operations API of a service in this process.
func clientsOf(
	s *server.Server, key, opsKey string, more ...api.Option,
) (client *api.Client, desk *ops.Client, err error) {
	more = append(more, api.WithUserAgent(userAgent()))
	if desk, err = ops.NewClient(s.OpsURL(), opsKey, more...); err == nil {
		more = append(more, api.WithKey(key), api.WithLegacyURL(s.LegacyURL()))
		client, err = api.NewClient(s.BaseURL(), more...)
	}
	return client, desk, err
}

// promptly is how many further orders a service starts with in so short a time
// that the app is shown meanwhile: with more, its first questions would be
// given up before there is anybody to answer.
const promptly = 100_000

// startDemo starts a service with a world beside the app: its address and key
// are known at once, and what is asked before it is ready waits for it. ended
// is called when it does not start, or ends by itself.
func startDemo(
	ctx context.Context, ended context.CancelCauseFunc, world localService,
) (d *demoService, err error) {
	atomicfile.RemoveAbandoned()
	kept, err := atomicfile.NewTempFolder("demo")
	if err != nil {
		return nil, err
	}
	s, surveys := world.Server, filepath.Join(kept.Path, "surveys")
	defer func() { //nolint:contextcheck // it is closed also when ctx has ended
		if err != nil {
			err = errors.Join(err, s.Close(), kept.Remove())
		}
	}()
	// The service outlasts the app, which may still be saving when ctx ends.
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d = &demoService{
		localService: world,
		folder:       kept,
		cancel:       cancel,
		started:      make(chan struct{}),
	}
	if _, err := s.Bind(lasting, "127.0.0.1:0"); err != nil {
		cancel()
		return nil, fmt.Errorf("no free port for the service: %w", err)
	}
	client, desk, err := clientsOf(s, s.DemoKey, s.OpsKey)
	if err != nil {
		return nil, err
	}
	d.options = tui.ProfileOptions{
		Client: client, Ops: desk, Company: server.DemoCompany(), Profile: session.Demo, ServerMode: true,
		Notices: "off", // its world moves all the time
		Fetch:   fetch.Options{Dir: filepath.Join(kept.Path, "deliveries"), UserAgent: userAgent()},
		Samples: surveys,
	}
	d.options.KeepIn(kept.Path, "")
	d.options.Known = ""
	if d.SSH.Addr != "" {
		s.WebhookAllow = nil // callbacks of guests must not reach this machine
	}
	endWith(ended, func() error { return d.run(lasting, surveys) })
	if d.DemoOrders > promptly || d.SSH.Addr != "" {
		select {
		case <-d.started:
			if d.room != nil {
				d.options.Room = d.room.For(desk, server.Peer{}, s.OpsKey)
			}
		case <-ctx.Done():
		}
	}
	return d, nil
}

// thisMachine is where the demo's callbacks may go besides the public addresses:
// to the app's own receiver.
var thisMachine = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// run starts the service, and returns when it has ended.
func (d *demoService) run(ctx context.Context, surveys string) error {
	if err := d.start(ctx, surveys); err != nil {
		return fmt.Errorf("the service did not start: %w", err)
	}
	return errors.Join(errors.New("the service stopped unexpectedly"), d.Wait()) //nolint:contextcheck // it is closed whatever ended it
}

func (d *demoService) start(ctx context.Context, surveys string) (err error) {
	defer close(d.started)
	if err = d.Start(ctx); err == nil {
		err = d.Serve(ctx)
	}
	if err == nil {
		err = os.CopyFS(surveys, server.DemoSurveys())
	}
	if err == nil {
		d.room, err = d.SSH.Open(ctx, d.Server)
	}
	return err
}

// Close ends the service, or its start, and removes what it wrote.
func (d *demoService) Close() error {
	select {
	case <-d.started:
	default:
		d.cancel()
	}
	<-d.started
	defer d.cancel()
	return errors.Join(d.room.Close(), d.Server.Close(), d.folder.Remove())
}

// endWith ends the app when the service does, also by a panic: nobody would answer.
func endWith(ended context.CancelCauseFunc, run func() error) {
	done := api.Go(run)
	api.Go(func() error {
		ended(<-done)
		return nil
	})
}
