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

// demoCommand returns the command that opens the app with sample data.
func demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Open the app with sample data",
		Long: `Opens the app with sample accounts and orders, on a service that runs in the same process. Needs no
configuration and no network. Drafts, downloads and all data are deleted on exit.

--scenario plays a built-in scenario, or a text file of times and events, on the service's clock; api/README.md
describes the file. In Operations, test controls show the next events: c advances the clock, p pauses, and = plays the next event.`,
		Example: `# explore the app without an account
flightdesk demo

# a training session: a late flight
flightdesk demo --scenario late-flight

# the built-in scenarios
flightdesk demo --scenario list`,
	}
	service := newDemoServer()
	service.addDemoFlags(cmd)
	plainFlag(cmd)
	return defineCommand(cmd, func(c *Call) error { return runDemo(c, service) })
}

// runDemo checks the flags and runs the app on a service with sample data. With --scenario list it only lists the
// scenarios.
func runDemo(c *Call, service localService) error {
	if service.Script == listScenarios {
		return printScenarios(c.Out())
	}
	if err := service.checkDemoFlags(); err != nil {
		return badUsage(err)
	}
	if err := service.ReadScenario(c.Cmd); err != nil {
		return err
	}
	app := newAppRun(c)
	if !app.plain && !isTerminal(c.Out()) {
		return errors.New("standard output is not a terminal; use --plain, or flightdesk serve --demo for the service only")
	}
	service.SSH.State = c.program.Env.Dirs.State
	return app.run(c, func() (tui.Options, error) { return app.openDemo(c, service) })
}

// openDemo starts a demo and returns the options for starting the app with the demo. An invalid configuration is
// ignored.
func (s *appRun) openDemo(c *Call, service localService) (tui.Options, error) {
	demo, err := startDemo(c, s.cancel, service)
	if err != nil {
		return tui.Options{}, err
	}
	s.demo = demo
	settings, err := config.Load(c.program.Env)
	if err != nil {
		settings = &config.Config{}
	}
	_, _ = bindKeys(settings) // after an error the app has its default keys
	return s.options(settings, demo.options), nil
}

// newDemoServer returns the service of a demo, with its default settings. It is not started yet.
func newDemoServer() localService {
	return localService{server: &server.Server{
		Demo:         true,
		DemoKey:      server.NewKey(),
		OpsKey:       server.NewKey(),
		Simulate:     ops.DemoSpeed,
		WebhookAllow: loopback,
	}}
}

// loopback has the addresses of this machine. The demo may send callbacks to them, so that they reach
// the receiver of the app.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// demoService is a service with sample data in the process of the app.
type demoService struct {
	service localService
	folder  *atomicfile.TempFolder // has all files of the demo
	room    *TrainingRoom          // nil unless the app is served over SSH
	options tui.ProfileOptions     // of the app's profile

	cancel  context.CancelFunc // stops the service while it is starting
	started chan struct{}      // closed when the service has started or failed to start
}

// newLocalClients returns clients of a service in this process, with the key of an account and with a
// key of the operations API.
func newLocalClients(
	s *server.Server, key, opsKey string, options ...api.Option,
) (client *api.Client, opsClient *ops.Client, err error) {
	options = append(options, api.WithUserAgent(userAgent()))
	opsClient, err = ops.NewClient(s.OpsURL(), opsKey, options...)
	if err != nil {
		return nil, nil, err
	}
	options = append(options, api.WithKey(key), api.WithLegacyURL(s.LegacyURL()))
	client, err = api.NewClient(s.BaseURL(), options...)
	if err != nil {
		return nil, nil, err
	}
	return client, opsClient, nil
}

// maxQuickOrders is the largest number of additional orders for which startDemo does not wait until the service
// has started. With more orders the start takes so long that the first requests of the app would time out.
const maxQuickOrders = 100_000

// startDemo starts the service of a demo in the background. It usually returns before the service has started,
// because requests wait for the start. If the app is also served over SSH, or if the start takes so long that
// requests would time out, startDemo waits until the service has started.
//
// ended is called with an error if the service does not start or stops by itself.
func startDemo(
	ctx context.Context, ended context.CancelCauseFunc, service localService,
) (*demoService, error) {
	atomicfile.RemoveAbandoned()
	folder, err := atomicfile.NewTempFolder("demo")
	if err != nil {
		return nil, err
	}
	// The service runs longer than ctx, because the app can still be saving when ctx ends.
	serviceCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d := &demoService{
		service: service,
		folder:  folder,
		cancel:  cancel,
		started: make(chan struct{}),
	}
	if err := d.bind(serviceCtx); err != nil {
		cancel()
		closeErr := d.service.server.Close() //nolint:contextcheck // it is closed also when ctx has ended
		return nil, errors.Join(err, closeErr, folder.Remove())
	}
	isServedOverSSH := d.service.SSH.Addr != ""
	if isServedOverSSH {
		d.service.server.WebhookAllow = nil // callbacks of other users must not reach this machine
	}
	cancelWhenDone(ended, func() error { return d.run(serviceCtx) })
	startsSlowly := d.service.server.DemoOrders > maxQuickOrders
	if isServedOverSSH || startsSlowly {
		d.waitForStart(ctx)
	}
	return d, nil
}

// waitForStart waits until the service has started or failed to start. If the app is served over SSH, it then adds
// the training room, through which the other users are managed, to the options of the app. It returns early if ctx
// ends, because then the app ends too.
func (d *demoService) waitForStart(ctx context.Context) {
	select {
	case <-d.started: // start has set d.room
	case <-ctx.Done():
		return
	}
	if d.room != nil { // nil without SSH, and if the service did not start
		d.options.Room = d.room.View(d.options.Ops, server.Peer{}, d.service.server.OpsKey)
	}
}

// bind makes the service listen on a free port of this machine, and sets the options of the app.
func (d *demoService) bind(ctx context.Context) error {
	if _, err := d.service.server.Bind(ctx, "127.0.0.1:0"); err != nil {
		return fmt.Errorf("no free port for the service: %w", err)
	}
	client, opsClient, err := newLocalClients(d.service.server, d.service.server.DemoKey, d.service.server.OpsKey)
	if err != nil {
		return err
	}
	d.options = d.newOptions(client, opsClient)
	return nil
}

// surveysFolder returns the path of the folder with the sample survey files.
func (d *demoService) surveysFolder() string { return filepath.Join(d.folder.Path, "surveys") }

// newOptions returns the options of the app's profile. All files are in the folder of the demo.
func (d *demoService) newOptions(client *api.Client, opsClient *ops.Client) tui.ProfileOptions {
	o := tui.ProfileOptions{
		Client:     client,
		Ops:        opsClient,
		Company:    server.DemoCompany(),
		Profile:    session.Demo,
		ServerMode: true,
		Notices:    "off", // the simulator would cause too many
		Fetch:      fetch.Options{Dir: filepath.Join(d.folder.Path, "deliveries"), UserAgent: userAgent()},
		Samples:    d.surveysFolder(),
	}
	o.SetPaths(d.folder.Path, "")
	o.Known = ""
	return o
}

// run starts the service and waits until it stops. It always returns an error.
func (d *demoService) run(ctx context.Context) error {
	if err := d.start(ctx); err != nil {
		return fmt.Errorf("the service did not start: %w", err)
	}
	return errors.Join(errors.New("the service stopped unexpectedly"), d.service.server.Wait()) //nolint:contextcheck // it is closed whatever ended it
}

// start starts the service, unpacks the sample survey files into a folder and serves the app over
// SSH if a flag says so.
func (d *demoService) start(ctx context.Context) error {
	defer close(d.started)
	if err := d.service.server.Start(ctx); err != nil {
		return err
	}
	if err := d.service.server.Serve(ctx); err != nil {
		return err
	}
	if err := os.CopyFS(d.surveysFolder(), server.DemoSurveys()); err != nil {
		return err
	}
	var err error
	d.room, err = d.service.SSH.Open(ctx, d.service.server)
	return err
}

// Close stops the service, even while it is starting, and removes its files.
func (d *demoService) Close() error {
	select {
	case <-d.started:
	default:
		d.cancel()
	}
	<-d.started
	defer d.cancel()
	return errors.Join(d.room.Close(), d.service.server.Close(), d.folder.Remove())
}

// cancelWhenDone runs a function in the background. When the function returns or panics, it calls
// cancel with the error.
func cancelWhenDone(cancel context.CancelCauseFunc, run func() error) {
	done := api.Go(run)
	api.Go(func() error {
		cancel(<-done)
		return nil
	})
}
