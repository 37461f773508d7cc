package cli

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/config"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

var update = flag.Bool("update", false, "write COMMANDS.md anew")

// value is a kind of value that a command prints, and when it prints it.
type value struct {
	of   any
	when string // condition; "" if it is always printed
}

// Printed values without a type in the program.
type (
	versionValue struct {
		Version string `json:"version"`
		Go      string `json:"go"`
		OS      string `json:"os"`
		Arch    string `json:"arch"`
	}
	aboutValue struct {
		Name    string   `json:"name"`
		Licence string   `json:"licence"`
		Version string   `json:"version"`
		Data    []string `json:"data"`
	}
	configPathValue struct {
		Path      string `json:"path"`
		State     string `json:"state"`
		Downloads string `json:"downloads"`
	}
	listeningValue struct {
		Event    string `json:"event"`
		URL      string `json:"url"`
		Endpoint string `json:"endpoint"`
		Addr     string `json:"addr"`
	}
)

// prints has the values that each command prints with --output json.
var prints = map[string][]value{
	"flightdesk version":          {{versionValue{}, ""}, {aboutValue{}, "with --licences"}},
	"flightdesk config path":      {{configPathValue{}, ""}},
	"flightdesk config show":      {{configuration{}, ""}},
	"flightdesk config check":     {{ConfigCheck{}, ""}},
	"flightdesk profiles":         {{configuredProfile{}, ""}},
	"flightdesk doctor":           {{doctorFinding{}, ""}},
	"flightdesk crs":              {{listedSystem{}, "one a line"}},
	"flightdesk parse":            {{parsedFile{}, ""}, {ordering.ServiceReading{}, "with --remote"}, {api.CSVTemplate{}, "with --template"}},
	"flightdesk fetch":            {{fetchedLine{}, ""}},
	"flightdesk check":            {{checking.Report{}, ""}},
	"flightdesk listen":           {{listeningValue{}, "once it listens"}, {api.Event{}, "for each event"}, {forwardedLine{}, "for each event that is forwarded"}},
	"flightdesk serve":            {{server.ReadyLine{}, "once it serves"}},
	"flightdesk place":            {{api.Order{}, ""}, {api.CreateOrderRequest{}, "with --dry-run"}},
	"flightdesk order show":       {{api.Order{}, ""}, {ops.Order{}, "with --view operations"}, {api.OrderRecord{}, "with --view record"}},
	"flightdesk order cancel":     {{api.Order{}, ""}},
	"flightdesk order archive":    {{api.Order{}, ""}},
	"flightdesk order reject":     {{api.Order{}, ""}},
	"flightdesk mission show":     {{missionStory{}, ""}},
	"flightdesk mission permit":   {{savedPermit{}, ""}},
	"flightdesk webhook register": {{api.WebhookEndpoint{}, ""}},
	"flightdesk webhook delete":   {{deletedEndpoint{}, ""}},
	"flightdesk webhook test":     {{sentTest{}, ""}},
	"flightdesk webhook verify":   {{verifiedCallback{}, ""}},
	"flightdesk quote accept":     {{QuoteDecision{}, ""}},
	"flightdesk quote reject":     {{QuoteDecision{}, ""}},
	"flightdesk list": {
		{api.Order{}, "orders"},
		{api.Mission{}, "missions"},
		{columns.ListedQuote{}, "quotes"},
		{columns.ListedFile{}, "files"},
		{api.Dataset{}, "datasets"},
		{api.WebhookEndpoint{}, "endpoints"},
		{columns.ListedCallback{}, "callbacks"},
		{ops.CompletionNotice{}, "notices"},
		{ops.LoggedRequest{}, "requests"},
		{ops.AuditEntry{}, "audit"},
		{api.OrderRecord{}, "records"},
	},
	"flightdesk find":                {{ops.Found{}, ""}},
	"flightdesk timeline":            {{timeline.TimelineReport{}, ""}},
	"flightdesk inspect":             {{timeline.TimelineReport{}, ""}},
	"flightdesk ops orders":          {{ops.Order{}, ""}},
	"flightdesk ops new-order":       {{api.Order{}, ""}},
	"flightdesk ops issue-quote":     {{ops.Quote{}, ""}, {ops.QuoteInput{}, "with --dry-run"}},
	"flightdesk ops delete-order":    {{api.Order{}, ""}},
	"flightdesk ops set-details":     {{api.RecordDetails{}, ""}},
	"flightdesk ops set-notices":     {{ops.NotificationSettings{}, ""}},
	"flightdesk ops assign-operator": {{api.Mission{}, ""}},
	"flightdesk ops schedule-flight": {{api.Mission{}, ""}},
	"flightdesk ops record-permit":   {{api.FlightPermission{}, ""}},
	"flightdesk ops deliver":         {{api.DeliveryPackage{}, ""}},
	"flightdesk ops accept-delivery": {{api.Mission{}, ""}},
	"flightdesk ops accounts":        {{ops.Account{}, ""}},
	"flightdesk ops invite":          {{invitation{}, ""}},
	"flightdesk ops new-account":     {{ops.Account{}, ""}},

	"flightdesk ops invitations": {{ops.Invitation{}, ""}},

	"flightdesk ops change-account":   {{ops.Account{}, ""}},
	"flightdesk ops keys":             {{ops.AccountKey{}, ""}},
	"flightdesk ops issue-key":        {{ops.AccountKey{}, ""}},
	"flightdesk ops revoke-key":       {{ops.AccountKey{}, ""}},
	"flightdesk ops approve-request":  {{ops.AccountKey{}, ""}},
	"flightdesk ops key-requests":     {{ops.KeyRequest{}, ""}},
	"flightdesk ops simulate-request": {{ops.KeyRequest{}, ""}},
	"flightdesk ops decline-request":  {{ops.KeyRequest{}, ""}},
	"flightdesk ops users":            {{ops.Operator{}, ""}},
	"flightdesk ops users add":        {{ops.Operator{}, ""}},
	"flightdesk ops users rotate":     {{ops.Operator{}, ""}},
	"flightdesk ops users revoke":     {{ops.Operator{}, ""}},
	"flightdesk ops add-dataset":      {{ops.Dataset{}, ""}},
	"flightdesk ops resend":           {{ResentItem{}, ""}},
	"flightdesk ops test-endpoint":    {{api.WebhookDelivery{}, ""}},
	"flightdesk ops webhook-trust":    {{ops.TrustResult{}, ""}},
	"flightdesk ops clock":            {{ops.ServiceClock{}, ""}},
	"flightdesk ops simulator":        {{ops.SimulatorState{}, ""}},
	"flightdesk ops end-order":        {{api.Order{}, ""}},
	"flightdesk ops faults":           {{ops.Faults{}, ""}},
	"flightdesk ops reset":            {{ops.ResetResult{}, ""}},
	"flightdesk ops snapshots":        {{ops.WorldSnapshot{}, ""}},
}

// texts are types that are encoded as a string or a number.
var texts = map[reflect.Type]string{
	reflect.TypeFor[time.Time]():         "time in RFC 3339",
	reflect.TypeFor[api.Time]():          "time in RFC 3339, or null",
	reflect.TypeFor[api.Date]():          "day like 2026-05-01, or empty",
	reflect.TypeFor[api.Duration]():      "length of time like 36h",
	reflect.TypeFor[api.Price]():         "number, or empty if unknown",
	reflect.TypeFor[api.Days]():          "text like 20 days",
	reflect.TypeFor[api.DeliveryFiles](): "signed links: {baseFiles, processedData}, or a list of them",

	reflect.TypeFor[timeline.DeliveryVerdict](): "text",
}

// choices are the known values of a type.
var choices = map[reflect.Type][]string{
	reflect.TypeFor[api.OrderStatus]():       format.PlainTexts(api.OrderStatuses()),
	reflect.TypeFor[api.MissionStatus]():     format.PlainTexts(api.MissionStatuses()),
	reflect.TypeFor[api.RecordStatus]():      format.PlainTexts(api.RecordStatuses()),
	reflect.TypeFor[api.QuoteStatus]():       format.PlainTexts(append(api.QuoteStatuses(), api.QuoteUnknown)),
	reflect.TypeFor[api.SchedulingStatus]():  format.PlainTexts(api.SchedulingStatuses()),
	reflect.TypeFor[api.PermissionStatus]():  format.PlainTexts(api.PermissionStatuses()),
	reflect.TypeFor[api.DeliveryStatus]():    format.PlainTexts(api.DeliveryStatuses()),
	reflect.TypeFor[ops.KeyRequestStatus]():  format.PlainTexts(ops.KeyRequestStatuses()),
	reflect.TypeFor[api.OrderType]():         format.PlainTexts(api.OrderTypes()),
	reflect.TypeFor[api.MissionType]():       format.PlainTexts(api.MissionTypes()),
	reflect.TypeFor[api.Scope]():             format.PlainTexts(api.Scopes()),
	reflect.TypeFor[api.EventName]():         format.PlainTexts(api.EventNames()),
	reflect.TypeFor[api.MissionObjective]():  format.PlainTexts(api.MissionObjectives()),
	reflect.TypeFor[api.IndustryAssetType](): format.PlainTexts(api.IndustryAssetTypes()),
	reflect.TypeFor[api.Sensor]():            format.PlainTexts(api.Sensors()),
	reflect.TypeFor[api.Deliverable]():       format.PlainTexts(api.Deliverables()),
}

// member is a member of a value.
type member struct {
	name     string
	of       reflect.Type
	optional bool
}

// members returns the members of a struct, including members of embedded structs. An outer member
// hides an embedded member of the same name.
func members(t reflect.Type) (all []member) {
	var inner []member
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case strings.Contains(options, "embed") || name == "-":
		case f.Anonymous && name == "":
			inner = append(inner, members(f.Type)...)
		case f.IsExported():
			all = append(all, member{name, f.Type, strings.Contains(options, "omitzero") || strings.Contains(options, "omitempty")})
		}
	}
	for _, m := range slices.Backward(inner) {
		if !slices.ContainsFunc(all, func(outer member) bool { return outer.name == m.name }) {
			all = slices.Insert(all, 0, m)
		}
	}
	return all
}

// reference writes the page with all commands.
type reference struct {
	b     strings.Builder
	types []reflect.Type // found so far
}

// called returns the name of a type in the page.
func called(t reflect.Type) string {
	name := map[string]string{
		"versionValue": "Version", "aboutValue": "About", "configPathValue": "Paths", "listeningValue": "Listening", "forwardedLine": "Forwarded",
		"TimelineReport": "Report", "TimelineEntry": "ReportEntry", "SourceFault": "ReportWarning",
		"missionStory": "MissionDetails", "Shown": "Profile", "shownCredential": "Credential", "shownTheme": "Theme", "shownKeys": "Keys",
	}[t.Name()]
	if name == "" {
		name = strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	}
	if strings.HasSuffix(t.PkgPath(), "/ops") && t.NumField() > 0 && t.Field(0).Anonymous {
		name = "Ops" + name // an order of the operations API embeds an order
	}
	return name
}

// says describes the values of a type.
func (r *reference) says(t reflect.Type) string {
	switch text := texts[t]; {
	case text != "":
		return text
	case t.Kind() == reflect.Pointer && texts[t.Elem()] != "":
		return texts[t.Elem()]
	case t.Kind() == reflect.Pointer:
		return r.says(t.Elem()) + ", or null"
	}
	switch t.Kind() {
	case reflect.Struct:
		if !slices.Contains(r.types, t) {
			r.types = append(r.types, t)
		}
		return "[" + called(t) + "](#" + strings.ToLower(called(t)) + "-value)"
	case reflect.Slice:
		return "list of: " + r.says(t.Elem())
	case reflect.Map:
		return "object, by name: " + r.says(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Float64:
		return "number"
	}
	if known := choices[t]; known != nil {
		return "text: `" + strings.Join(known, "` `") + "`"
	}
	return "text"
}

func (r *reference) command(c *cobra.Command) {
	level := strings.Repeat("#", min(3, len(strings.Fields(c.CommandPath()))))
	fmt.Fprintf(&r.b, "\n%s %s\n\n", level, strings.TrimPrefix(c.CommandPath(), "flightdesk "))
	fmt.Fprintf(&r.b, "%s.\n", c.Short)
	if c.Runnable() && !c.HasSubCommands() {
		fmt.Fprintf(&r.b, "\n`%s`\n", c.UseLine())
	}
	rows := ""
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden {
			return
		}
		name, usage := "--"+f.Name, f.Usage
		if f.Shorthand != "" {
			name += ", -" + f.Shorthand
		}
		if d := f.DefValue; d != "" && d != "false" && d != "[]" && d != "0" {
			usage += " (" + d + ")"
		}
		rows += fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(usage, "|", `\|`))
	})
	if rows != "" {
		fmt.Fprintf(&r.b, "\n| flag | meaning |\n|---|---|\n%s", rows)
	}
	for _, v := range prints[c.CommandPath()] {
		when := ""
		if v.when != "" {
			when = ", " + v.when
		}
		fmt.Fprintf(&r.b, "\nJSON%s: %s\n", when, r.says(reflect.TypeOf(v.of)))
	}
}

func (r *reference) write() string {
	r.b.WriteString("# Commands\n\nGenerated from the program; `--help` of each command has details and examples. `--output json` prints JSON Lines, one object per line: each\n" +
		"command names its value, and the last section lists the members of all values. Later versions can add members; those listed here\n" +
		"stay. Members sent by the service that flightdesk does not know are passed on. Areas are in square metres, file sizes in bytes.\n\n" +
		"Errors are one line on standard error. The exit status is 0 for success, 1 for a failure, 2 for wrong usage, 75 for a change sent but not confirmed,\n" +
		"130 after an interrupt,\n" +
		"129 after a hang-up and 143 after a request to terminate; `serve` and `listen` stop on all three with 0.\n")
	root := rootCommand(&program{Env: config.SystemEnv()})
	for _, c := range allCommands(root) {
		if c != root && !c.Hidden {
			r.command(c)
		}
	}
	r.b.WriteString("\n## Values\n")
	for i := 0; i < len(r.types); i++ { // writing a type can add types
		fmt.Fprintf(&r.b, "\n### %s (value)\n\n| member | type |\n|---|---|\n", called(r.types[i]))
		for _, m := range members(r.types[i]) {
			if m.optional && m.of.Kind() == reflect.Pointer {
				m.of = m.of.Elem() // nil members are absent and not null
			}
			says := r.says(m.of)
			if m.optional {
				says += "; may be absent"
			}
			fmt.Fprintf(&r.b, "| `%s` | %s |\n", m.name, strings.ReplaceAll(says, "|", `\|`))
		}
	}
	return r.b.String()
}

// The reference in the documentation is generated by this test. JSON members in it are a promise to
// users, so that a removed member shows in its changes.
func TestTheReferenceIsUpToDate(t *testing.T) {
	const file = "COMMANDS.md"
	want := (&reference{}).write()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Errorf("tui/cli/%s is stale (%v); go test ./tui/cli -update writes it", file, err)
	}
}

// Every command with --output json has its output in the reference.
func TestEveryJSONOutputIsDocumented(t *testing.T) {
	root := rootCommand(&program{Env: config.SystemEnv()})
	seen := map[string]bool{}
	for _, c := range allCommands(root) {
		if c.Hidden {
			continue
		}
		output := c.LocalFlags().Lookup("output")
		printed := output != nil && strings.Contains(output.Usage, "json")
		seen[c.CommandPath()] = printed
		if printed != (prints[c.CommandPath()] != nil) {
			t.Errorf("%s: --output json is there: %v; what it prints is said: %v", c.CommandPath(), printed, !printed)
		}
	}
	for path := range prints {
		if !seen[path] {
			t.Errorf("no %s with --output", path)
		}
	}
}
