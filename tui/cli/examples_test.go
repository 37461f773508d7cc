//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/config"
	keys "flightdesk/tui/action"
)

// stand is the stage of an order in an example.
type stand int

const (
	standBids stand = iota // has the quote Express
	standTaken
	standAssigned
	standScheduled
	standDelivered // has a permit
)

// gallery runs examples in a folder, on a demo service.
type gallery struct {
	t        *testing.T
	dir      string
	env      config.Env
	ops      *ops.Client
	client   *api.Client
	placed   int
	receiver string   // address of one that takes every event
	looked   sync.Map // variables that a command has read
}

// callbackBody is the body of a callback in the examples.
const callbackBody = `{"id":"a","event":"mission.completed"}`

func newGallery(t *testing.T) *gallery {
	t.Helper()
	s, _ := served(t)
	g := &gallery{t: t, dir: t.TempDir()}
	key := s.Accounts()[0].Key
	var err error
	if g.ops, err = ops.NewClient(s.OpsURL(), s.Ready().OpsKey); err != nil {
		t.Fatal(err)
	}
	if g.client, err = api.NewClient(s.BaseURL(), api.WithKey(key), api.WithLegacyURL(s.LegacyURL())); err != nil {
		t.Fatal(err)
	}
	g.files(s)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	g.receiver = receiver.URL
	vars := map[string]string{
		"HOOK_SECRET":       "whsec_example",
		"FLIGHTDESK_CONFIG": filepath.Join(g.dir, "config.toml"), "EXAMPLE_KEY": key, "EXAMPLE_OPS_KEY": s.Ready().OpsKey,
	}
	g.env = config.Env{
		Lookup: func(name string) (string, bool) {
			g.looked.Store(name, true)
			v, ok := vars[name]
			return v, ok
		},
		Keyring: ring{keys: map[string]string{}}.keyring(),
		Dirs:    config.Dirs{Home: g.dir, Config: g.dir, State: filepath.Join(g.dir, "state"), Downloads: filepath.Join(g.dir, "downloads")},
	}
	t.Chdir(g.dir)
	if _, err := g.ops.Accounts.Create(t.Context(), ops.AccountInput{CompanyName: "Nordwind AG", Currency: "EUR"}); err != nil {
		t.Fatal(err)
	}
	return g
}

// files writes the files that examples name.
func (g *gallery) files(s *server.Server) {
	site := `<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>Levee</name><Point><coordinates>9.97,53.54</coordinates></Point></Placemark></kml>`
	if err := makePair("receiver", filepath.Join(g.dir, "receiver.pem"), filepath.Join(g.dir, "receiver-key.pem")); err != nil {
		g.t.Fatal(err)
	}
	for name, content := range map[string]string{
		"sites.kml": site, "sites.kmz": site, "sites.csv": "name,latitude,longitude\nMast,48.4,11.7\n", "masts.csv": "name,latitude,longitude\nMast,48.4,11.7\n",
		"order.toml": "industryAssetType = \"waterManagement\"\ncompanyName = \"Nordwind AG\"\n",
		"body.json":  callbackBody, "a.jpg": "a", "b.jpg": "b", "ortho.tif": "o", "dtm.tif": "d", "permit.pdf": "%PDF-1.7",
		"config.toml": fmt.Sprintf("default_profile = \"prod\"\n[profiles.prod]\nbase_url = %q\nlegacy_base_url = %q\nops_url = %q\n"+
			"credential = { env = \"EXAMPLE_KEY\" }\nops_credential = { env = \"EXAMPLE_OPS_KEY\" }\n"+
			"[profiles.training]\nbase_url = %[1]q\ncredential = { env = \"EXAMPLE_KEY\" }\n", s.BaseURL(), s.LegacyURL(), s.OpsURL()),
	} {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(content), 0o600); err != nil {
			g.t.Fatal(err)
		}
	}
}

// must returns a function that returns a result, or ends the test on an error.
func must[T any](g *gallery) func(T, error) T {
	return func(v T, err error) T {
		g.t.Helper()
		if err != nil {
			g.t.Fatal(err)
		}
		return v
	}
}

// stage places an order with one mission and advances it to a stage. It returns the order, the code
// of the mission and the ID of the quote.
func (g *gallery) stage(to stand) (order *api.Order, mission, quote string) {
	g.t.Helper()
	ctx, now := context.Background(), time.Now()
	g.placed++
	order = must[*api.Order](g)(g.client.Orders.Create(ctx, api.CreateOrderRequest{
		Order: api.OrderInput{
			CompanyName: "Nordwind AG", OrderName: fmt.Sprint("Example ", g.placed), OrderType: api.SingleLocation, Sensors: []api.Sensor{"rgbSensor"},
			Deliverables: []api.Deliverable{"jpg", "_2dMap", "_3dMap", "digitalTerrainModel"}, MissionObjective: "mapAndSurvey",
			IndustryAssetType: "waterManagement", StartDate: api.TimeOf(now), Deadline: api.TimeOf(now.Add(1000 * time.Hour)),
		},
		Missions: []api.MissionInput{{
			MissionName: "Levee", MissionType: api.MissionAsset, Country: "Germany", LocationLabel: "Levee", LocationMap: []api.Point{{Lat: 53.54, Lng: 9.97}},
		}},
	}, api.NewIdempotencyKey()))
	detail := must[*ops.Order](g)(g.ops.Orders.Get(ctx, order.UUID))
	m := detail.Missions[0]
	in := detail.SuggestQuote(0, g.ops.Now())
	in.QuoteName = "Express"
	q := must[*ops.Quote](g)(g.ops.Quotes.Issue(ctx, order.UUID, in))
	flight := ops.FlightInput{FlightDate: api.TimeOf(now.Add(72 * time.Hour))}
	permit := &api.FileInput{Name: "permit.pdf", Content: strings.NewReader("%PDF-1.7")}
	for i, step := range []func() error{
		func() error { _, err := g.client.Quotes.Accept(ctx, order.UUID, q.UUID); return err },
		func() error { _, err := g.ops.Missions.AssignOperator(ctx, m.UUID, "Mele Taufa"); return err },
		func() error { _, err := g.ops.Missions.Schedule(ctx, m.UUID, flight); return err },
		func() error {
			photo := api.FileInput{Name: "a.jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader("a photo")}
			_, err := g.ops.Missions.Deliver(ctx, m.UUID, photo)
			return err
		},
	} {
		if stand(i) >= to {
			break
		}
		if err := step(); err != nil {
			g.t.Fatal(err)
		}
	}
	if to == standDelivered {
		must[*api.FlightPermission](g)(g.ops.Missions.SetFlightPermission(ctx, m.UUID, ops.PermissionInput{Status: api.PermissionGranted}, permit))
	}
	return order, m.MissionCode, q.UUID
}

// id returns the ID that replaces the placeholder in the examples of a command.
func (g *gallery) id(command, quote string) string {
	g.t.Helper()
	ctx := context.Background()
	account := must[*api.Page[ops.Account]](g)(g.ops.Accounts.List(ctx, api.ListOptions{})).Items[0].UUID
	oldest := func() string {
		all := must[*api.Page[api.WebhookEndpoint]](g)(g.client.Webhooks.List(ctx, api.ListOptions{})).Items
		return all[len(all)-1].UUID
	}
	switch command {
	case "flightdesk ops approve-request", "flightdesk ops decline-request":
		in := ops.KeyRequestInput{IntendedUse: "an example", Scopes: api.Scopes()}
		return must[*ops.KeyRequest](g)(g.ops.Keys.Request(ctx, account, in)).UUID
	case "flightdesk ops revoke-key":
		return must[*ops.AccountKey](g)(g.ops.Keys.Issue(ctx, account, ops.KeyInput{Scopes: api.Scopes()})).UUID
	case "flightdesk ops resend-notice":
		return g.notice()
	case "flightdesk ops callbacks", "flightdesk ops resend", "flightdesk ops test-endpoint", "flightdesk webhook delete":
		return oldest()
	case "flightdesk webhook test", "flightdesk webhook verify":
		if err := g.env.EndpointSecrets("prod").Set("01a1f8f0-4ba0-79b8-8433-3deb27c49f82", "whsec_example"); err != nil {
			g.t.Fatal(err)
		}
		return "01a1f8f0-4ba0-79b8-8433-3deb27c49f82"
	case "flightdesk ops resend-callback":
		log := must[*api.Page[api.WebhookDelivery]](g)(g.client.Webhooks.Deliveries(ctx, oldest(), api.ListOptions{Limit: api.MaxPageLimit})).Items
		return log[len(log)-1].UUID // newer callbacks are still being sent
	default:
		return quote
	}
}

// notice completes an order whose client gets an e-mail, and returns the ID of the notice after it
// was sent.
func (g *gallery) notice() string {
	g.t.Helper()
	ctx := context.Background()
	o, code, _ := g.stage(standScheduled)
	must[*ops.NotificationSettings](g)(g.ops.Orders.SetNotifications(ctx, o.UUID, ops.NotificationInput{Email: true}))
	mission := must[*ops.Order](g)(g.ops.Orders.Get(ctx, code)).Missions[0].UUID
	photo := api.FileInput{Name: "a.jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader("a photo")}
	must[*api.DeliveryPackage](g)(g.ops.Missions.Deliver(ctx, mission, photo))
	for began := time.Now(); time.Since(began) < patience; {
		all := must[*api.Page[ops.CompletionNotice]](g)(g.ops.Orders.Notifications(ctx, o.UUID, api.ListOptions{})).Items
		if len(all) > 0 && !all[0].IsPending() {
			return all[0].UUID
		}
	}
	g.t.Fatal("no notice was sent")
	return ""
}

// stages has the stages of the order and of the mission in the examples of a command. In other
// examples the order has an open quote and the mission is accepted.
var stages = map[string][2]stand{
	"flightdesk fetch":               {standDelivered, standDelivered},
	"flightdesk mission":             {standBids, standDelivered},
	"flightdesk mission show":        {standBids, standDelivered},
	"flightdesk mission permit":      {standBids, standDelivered},
	"flightdesk ops accept-delivery": {standBids, standDelivered},
	"flightdesk ops deliver":         {standBids, standScheduled},
	"flightdesk ops end-order":       {standBids, standTaken},
	"flightdesk ops not-feasible":    {standTaken, standTaken},
	"flightdesk ops schedule-flight": {standBids, standAssigned},
}

// shownElsewhere are commands whose examples need a terminal or a tunnel, or run until they are
// stopped. Here their examples are only parsed; other tests run them.
var shownElsewhere = []string{"flightdesk demo", "flightdesk listen", "flightdesk serve", "flightdesk backup", "flightdesk restore", "flightdesk login", "flightdesk logout"}

// setting returns a replacer of the names in the examples of a command.
func (g *gallery) setting(cmd *cobra.Command) *strings.Replacer {
	g.t.Helper()
	command := cmd.CommandPath()
	must[*ops.Faults](g)(g.ops.World.SetFaults(context.Background(), ops.FaultsInput{})) // an example can have set faults
	if command == "flightdesk ops clock" {                                               // the simulator, which another example starts, would add quotes
		must[*ops.SimulatorState](g)(g.ops.World.SetSimulator(context.Background(), ops.SimulatorInput{Paused: new(true)}))
	}
	if strings.Contains(command, "snapshot") {
		must[*ops.WorldSnapshot](g)(g.ops.World.TakeSnapshot(context.Background(), "morning"))
	}
	at, there := stages[command]
	if !there {
		at = [2]stand{standBids, standTaken}
	}
	const order, mission, id = "ORD-1042", "MSN-2001", "01a1f8f0-4ba0-79b8-8433-3deb27c49f82"
	pairs, quote := []string{
		"http://127.0.0.1:3000/hook", g.receiver, "sha256=0ac1", api.Sign("whsec_example", []byte(callbackBody)),
		"/data/surveys", filepath.Join(g.dir, "surveys"), "new-account \"Nordwind AG\"", "new-account \"Ostwind AG\"",
	}, ""
	if strings.Contains(cmd.Example, order) {
		o, _, q := g.stage(at[0])
		pairs, quote = append(pairs, order, o.OrderCode), q
	}
	if strings.Contains(cmd.Example, mission) {
		_, m, _ := g.stage(at[1])
		pairs = append(pairs, mission, m)
	}
	if strings.Contains(cmd.Example, id) {
		pairs = append(pairs, id, g.id(command, quote))
	}
	if command == "flightdesk ops resend" {
		pairs = append([]string{order + " --wait", "ORD-100231"}, pairs...) // the order has old failures
	}
	if command == "flightdesk ops webhooks" {
		pairs = append(pairs, "Nordwind AG", "Nordlicht Windkraft GmbH") // the account has endpoints
	}
	if strings.HasPrefix(command, "flightdesk ops invitations") {
		must[[]ops.Invitation](g)(g.ops.Invitations.Invite(context.Background(), "anna"))
	}
	if strings.HasPrefix(command, "flightdesk ops users") || command == "flightdesk list" {
		g.placed++
		name := fmt.Sprint("Operator ", g.placed)
		if cmd.Name() != "add" {
			must[*ops.Operator](g)(g.ops.Operators.Add(context.Background(), ops.OperatorInput{Name: name, Role: ops.RoleRead}))
		}
		pairs = append(pairs, "Ida Holm", name, "Night import", name)
	}
	return strings.NewReplacer(pairs...)
}

// shellWords splits a line into words like a shell.
func shellWords(line string) (list []string) {
	word, quoted, begun := "", false, false
	for _, r := range line {
		switch {
		case r == '"':
			quoted, begun = !quoted, true
		case r == ' ' && !quoted:
			if begun {
				list = append(list, word)
			}
			word, begun = "", false
		default:
			word, begun = word+string(r), true
		}
	}
	if begun {
		list = append(list, word)
	}
	return list
}

// call runs a line in this process and returns its output.
func (g *gallery) call(line string) (out, trouble string, err error) {
	p := &program{Ctx: g.t.Context(), Env: g.env}
	root := rootCommand(p)
	var stdout, stderr bytes.Buffer
	args := shellWords(line)[1:]
	if i := slices.Index(args, ">"); i >= 0 {
		args = args[:i]
	}
	if i := slices.Index(args, "<"); i >= 0 {
		from, err := os.Open(filepath.Join(g.dir, args[i+1]))
		if err != nil {
			return "", "", err
		}
		defer from.Close()
		root.SetIn(from)
		args = args[:i]
	} else {
		root.SetIn(strings.NewReader(""))
	}
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.SetArgs(args)
	err = root.ExecuteContext(g.t.Context())
	return stdout.String(), stderr.String(), errors.Join(err, p.Fault)
}

// run runs the examples of a command one after the other.
func (g *gallery) run(cmd *cobra.Command) {
	command := cmd.CommandPath()
	set := g.setting(cmd)
	ran := false
	g.looked.Clear()
	defer func() {
		if ran && cmd.HasParent() {
			g.checkReads(cmd)
		}
	}()
	for line := range strings.Lines(cmd.Example) {
		line = strings.TrimSpace(line)
		alone := slices.ContainsFunc(shownElsewhere, func(s string) bool { return strings.Contains(line+" ", s+" ") })
		if line == "" || strings.HasPrefix(line, "#") || alone {
			continue
		}
		ran = ran || strings.HasPrefix(line+" ", command+" ")
		line = strings.TrimSuffix(strings.TrimPrefix(line, "$EDITOR \"$("), ")\"")
		out, trouble, err := g.call(set.Replace(line))
		asks := err != nil && strings.HasPrefix(err.Error(), "cannot ask for confirmation without a terminal") && !strings.Contains(line, "--yes")
		if err != nil && !asks {
			g.t.Errorf("%s: %s: %v: %s%s", command, set.Replace(line), err, out, trouble)
		}
	}
}

// checkReads checks that the help has the variables that the last command read.
func (g *gallery) checkReads(cmd *cobra.Command) {
	g.t.Helper()
	g.looked.Range(func(name, _ any) bool {
		named := func(v [2]string) bool { // other names are in the configuration and the example
			return strings.HasPrefix(name.(string), "EXAMPLE_") || name == "HOOK_SECRET" || v[0] == name || strings.HasPrefix(name.(string), strings.TrimSuffix(v[0], "FLAG"))
		}
		if !slices.ContainsFunc(environmentVariables, named) {
			g.t.Errorf("%s reads %s, which the help does not name", cmd.CommandPath(), name)
		}
		return true
	})
}

// inOrder returns all commands. Commands that change the clock or restore data are last.
func inOrder() []*cobra.Command {
	last := []string{"flightdesk ops clock", "flightdesk ops expire-quote", "flightdesk ops faults", "flightdesk ops reset"}
	all := allCommands(rootCommand(&program{Env: config.SystemEnv()}))
	slices.SortStableFunc(all, func(a, b *cobra.Command) int {
		return slices.Index(last, a.CommandPath()) - slices.Index(last, b.CommandPath())
	})
	return all
}

// The examples of the help work on a service that has the objects in them.
func TestExamplesOfTheHelpRun(t *testing.T) {
	g := newGallery(t)
	for _, cmd := range inOrder() {
		g.run(cmd)
	}
}

// JSON output has the members in the reference, and no others.
func TestJSONOutputMatchesTheReference(t *testing.T) {
	g := newGallery(t)
	for _, cmd := range inOrder() {
		command := cmd.CommandPath()
		if prints[command] == nil || slices.Contains(shownElsewhere, command) {
			continue
		}
		line, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(firstCall(cmd.Example), "$EDITOR \"$("), ")\""), " >")
		calls := []string{line}
		if command == "flightdesk list" {
			calls = nil
			for _, l := range listKinds() {
				call := command + " " + l.Name + " --limit 3"
				if l.Name == notices {
					call += " --of nordlicht"
				}
				calls = append(calls, call)
			}
		}
		for i, call := range calls {
			if !strings.Contains(call, "--output json") {
				call += " --output json"
			}
			if cmd.Flags().Lookup("yes") != nil && !strings.Contains(call, "--yes") {
				call += " --yes"
			}
			out, trouble, err := g.call(g.setting(cmd).Replace(call))
			if err != nil || out == "" {
				t.Errorf("%s: %v, %q %s", call, err, out, trouble)
			}
			kinds := prints[command]
			if len(calls) > 1 {
				kinds = kinds[i : i+1]
			}
			for one := range strings.Lines(out) {
				if wrong := unlike(one, kinds); wrong != "" {
					t.Errorf("%s: %s in %s", call, wrong, one)
				}
			}
		}
	}
}

// unlike returns how a line differs from all kinds of values, or "" if it matches one.
func unlike(line string, kinds []value) (wrong string) {
	var got map[string]any
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		return err.Error()
	}
	for _, kind := range kinds {
		wrong = ""
		known := members(reflect.TypeOf(kind.of))
		for _, m := range known {
			if _, there := got[m.name]; !there && !m.optional {
				wrong = "there is no " + m.name
			}
		}
		for name := range got {
			if !slices.ContainsFunc(known, func(m member) bool { return m.name == name }) {
				wrong = "nothing is said of " + name
			}
		}
		if wrong == "" {
			return ""
		}
	}
	return wrong
}

// Every action on the pages of Operations has a command of the same name.
func TestActionsOfOperationsHaveCommands(t *testing.T) {
	pages := []keys.ID{
		keys.Open, keys.ShowClientView, keys.SwitchSide, keys.NextTab, keys.PrevTab, keys.Refresh, keys.Back, // do not change anything
		keys.InspectAny,                                             // flightdesk inspect and timeline
		keys.SimPause, keys.SimSlower, keys.SimFaster, keys.SimStep, // flags of ops simulator
	}
	ops := operationsCommand()
	n := 0
	for _, a := range keys.AllActions() {
		if !strings.HasPrefix(string(a.Scope), "ops") || slices.Contains(pages, a.ID) {
			continue
		}
		n++
		words := []string{string(a.ID)}
		if a.Scope == keys.OpsOperators {
			words = []string{"operators", strings.TrimSuffix(string(a.ID), "-operator")}
		}
		if found, rest, err := ops.Find(words); err != nil || found == ops || len(rest) > 0 {
			t.Errorf("flightdesk ops %s is missing, though %s.%s exists", a.ID, a.Scope, a.ID)
		}
	}
	if n < 15 {
		t.Errorf("only %d actions of the service were found", n)
	}
}

// Each list is printed in each format. Only the list of missions can be a calendar.
func TestListsPrintInEveryFormat(t *testing.T) {
	g := newGallery(t)
	for _, cmd := range allCommands(rootCommand(&program{Env: config.SystemEnv()})) {
		if cmd.CommandPath() != "flightdesk list" {
			continue
		}
		set := g.setting(cmd)
		for _, kind := range listKinds() {
			for _, format := range []string{"table", "wide", "csv", "json"} {
				line := "flightdesk list " + kind.Name + " --output " + format
				if kind.Name == notices {
					line += ` --of "Nordlicht Windkraft GmbH"` // notices are listed by account or order
				}
				call := set.Replace(line)
				if out, trouble, err := g.call(call); err != nil || out == "" || trouble != "" && format != "table" && format != "wide" {
					t.Errorf("%s: %v, %q, %s", call, err, out, trouble)
				}
			}
		}
	}
}
