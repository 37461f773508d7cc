package commands

import (
	"math"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

func TestTimesAreParsedAsPeopleTypeThem(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 11, 21, 14, 5, 30, 0, zone)
	for typed, want := range map[string]string{
		"2026-12-01 09:30":          "2026-12-01T09:30:00+02:00",
		" 2026-12-01T09:30 ":        "2026-12-01T09:30:00+02:00",
		"2026-12-01T09:30:00Z":      "2026-12-01T09:30:00Z",
		"2026-12-01T09:30:00-05:00": "2026-12-01T09:30:00-05:00",
		"2026-12-01":                "2026-12-01T00:00:00+02:00",
		"1 Dec":                     "2026-12-01T00:00:00+02:00",
		"1 Dec 09:30":               "2026-12-01T09:30:00+02:00",
		"tomorrow 06:00":            "2026-11-22T06:00:00+02:00",
		"in 3 days":                 "2026-11-24T00:00:00+02:00",
		"in 3 days 09:30":           "2026-11-24T09:30:00+02:00",
		"in 3 weeks":                "2026-12-12T00:00:00+02:00",
		"36h":                       "2026-11-23T02:05:30+02:00",
		"in 90m":                    "2026-11-21T15:35:30+02:00",
		"+7d":                       "2026-11-28T14:05:30+02:00",
		"7d":                        "2026-11-28T14:05:30+02:00",
	} {
		if got, err := ParseMoment(typed, now); err != nil || got.Start().Format(time.RFC3339) != want {
			t.Errorf("%q is %s, %v; want %s", typed, got.Start().Format(time.RFC3339), err, want)
		}
	}
	for _, typed := range []string{"", " ", "soon", "09:30", "2026-13-01", "2026-12-01 25:00", "-36h", "0h", "in", "1 Dec 9.30"} {
		if got, err := ParseMoment(typed, now); err == nil || !strings.Contains(err.Error(), "is not a valid time") {
			t.Errorf("%q is %s, %v", typed, got, err)
		}
	}
}

func TestInvalidValuesOfFieldsAreReported(t *testing.T) {
	days := 0
	price := math.NaN()
	rate := 0.2
	late := api.Duration{Duration: time.Minute}
	event := "order.completed"
	status := ""
	scopes := []api.Scope{}
	name := " "
	for _, tt := range []struct {
		field   Field
		fault   string
		missing bool
	}{
		{Field{Value: &days, Least: 1, Most: 3650}, "0 is not between 1 and 3,650", false},
		{Field{Value: &days, Most: 3650}, "", false},
		{Field{Value: &price, Most: 100, Unit: "%"}, "NaN is not between 0 and 100 percent", false},
		{Field{Value: &rate, Unit: "%", Most: 1}, "", false},
		{Field{Value: new(2.0), Unit: "%", Most: 1}, "2 is not between 0 and 1", false},
		{Field{Value: &late, Most: 30}, "1m is not a valid duration; use up to 30s, e.g. 500ms", false},
		{Field{Value: &event, Required: "name it", Known: TestEndpoint(new(api.EventName)).Fields[0].Known}, `"order.completed" is not valid; use mission.operator_assigned, `, false},
		{Field{Value: &status, Required: "say it"}, "", true},
		{Field{Value: &scopes, Required: "say it"}, "", true},
		{Field{Value: &name, Required: "say it"}, "", true},
		{Field{Value: &name}, "", false},
		{Field{Value: &api.Time{}, Required: "say it"}, "", true},
	} {
		if got := tt.field.ValueFault(); (got == "") != (tt.fault == "") || !strings.HasPrefix(got, tt.fault) {
			t.Errorf("%T %v: fault %q, want %q", tt.field.Value, tt.field.Value, got, tt.fault)
		}
		if got := tt.field.IsMissing(); got != tt.missing {
			t.Errorf("%T %v: missing %t", tt.field.Value, tt.field.Value, got)
		}
	}
}

func TestValuesAreCheckedTogether(t *testing.T) {
	day := func(n int) api.Time { return api.TimeOf(time.Date(2026, 12, n, 0, 0, 0, 0, time.UTC)) }
	for name, tt := range map[string]struct {
		check func() (string, string)
		field string // "" where all is right
	}{
		"a permission":                {RecordPermission(&ops.PermissionInput{ValidFrom: day(1), ValidTo: day(2)}).Check, ""},
		"one that ends before":        {RecordPermission(&ops.PermissionInput{ValidFrom: day(2), ValidTo: day(1)}).Check, "validTo"},
		"a discount":                  {IssueQuote(&ops.QuoteInput{DiscountPercent: 5, ReasonForDiscount: "near"}).Check, ""},
		"a reason without a discount": {IssueQuote(&ops.QuoteInput{ReasonForDiscount: "near"}).Check, "reasonForDiscount"},
		"a status":                    {SetFaults(&FaultValues{FaultsInput: ops.FaultsInput{Status: 503}}).Check, ""},
		"no fault":                    {SetFaults(&FaultValues{}).Check, "latency"},
		"a status of success":         {SetFaults(&FaultValues{FaultsInput: ops.FaultsInput{Status: 200}}).Check, "status"},
		"a path without a slash":      {SetFaults(&FaultValues{FaultsInput: ops.FaultsInput{Status: 503, Path: "orders"}}).Check, "path"},
	} {
		if field, fault := tt.check(); field != tt.field || (fault == "") != (tt.field == "") {
			t.Errorf("%s: %q at %q, want it at %q", name, fault, field, tt.field)
		}
	}
}

func TestRefusals(t *testing.T) {
	order := func(s api.OrderStatus) *ops.Order {
		return &ops.Order{Order: api.Order{OrderCode: "ORD-1", Status: s}}
	}
	mission := func(s api.MissionStatus) *ops.Mission {
		return &ops.Mission{Mission: api.Mission{MissionCode: "MSN-1", Status: s}}
	}
	for got, want := range map[string]string{
		RefuseQuote(order(api.OrderBiddingWithQuote), nil):                                                                       "",
		RefuseQuote(order(api.OrderCancelled), nil):                                                                              "ORD-1 is cancelled; no more quotes are possible",
		RefuseEnd(order(api.OrderCompleted), nil):                                                                                "ORD-1 is already completed",
		RefuseExpiry(order(api.OrderBiddingWithQuote), nil, time.Now()):                                                          "ORD-1 has no open quote; issue one first",
		RefuseExpiry(order(api.OrderCancelled), nil, time.Now()):                                                                 "ORD-1 has no open quote",
		RefuseExpiry(order(api.OrderBiddingWithQuote), &ops.Quote{}, time.Now()):                                                 "the selected quote is not open",
		RefuseMissionMove(api.MoveDeliver)(order(api.OrderCompleted), mission(api.MissionCompleted)):                             "MSN-1 is completed",
		RefusePermission(order(api.OrderArchived), mission(api.MissionCompleted)):                                                "ORD-1 is archived",
		RefuseMissionMove(api.MoveSchedule)(order(api.OrderBiddingWithQuote), mission(api.MissionAwaitingPilot)):                 "ORD-1 has no accepted quote yet; its client accepts one first",
		RefuseMissionMove(api.MoveSchedule)(order(api.OrderPendingOperator), nil):                                                "no mission selected; select one",
		RefuseMissionMove(api.MoveSchedule)(order(api.OrderPendingOperator), mission(api.MissionAwaitingPilot)):                  "MSN-1 has the status Awaiting operator; a flight needs an operator, and no data delivered yet",
		RefuseMissionMove(api.MoveAssignOperator)(order(api.OrderFlyingDateSet), mission(api.MissionFlightScheduled)):            "MSN-1 has the status Flight scheduled; operators are assigned before the flight is scheduled",
		RefuseQuote(order(api.OrderOperatorAssigned), nil):                                                                       "ORD-1 has the status Operator assigned; no more quotes are possible",
		RefuseMissionMove(api.MoveAssignOperator)(order(api.OrderPendingOperator), mission(api.MissionAwaitingPilot)) + "assign": "assign",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFieldsAreParsedAndFormatted(t *testing.T) {
	for _, tt := range []struct {
		value       any
		typed, text string
		fault       string // "" where the value is read
	}{
		{new(string), "as typed ", "as typed ", ""},
		{new(int), "14", "14", ""},
		{new(int), "2.5", "0", "not a whole number"},
		{new(float64), "4200.5", "4200.5", ""},
		{new(float64), "much", "0", "not a valid number"},
		{new(bool), "true", "true", ""},
		{new(*bool), "no idea", "false", "not a valid choice; use true or false"},
		{new(*string), "", "", ""},
		{new(*float64), "80", "80", ""},
		{new(api.Duration), "90m", "1h30m", ""},
		{new(api.Duration), "-1h", "-1h", "not a valid duration; use 90s, 36h or 7d"},
		{new(api.Time), "in 3 days", "", ""},
		{&api.Time{Time: time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)}, "", "", ""},
		{new([]api.Scope), "orders:read,files:read", "orders:read,files:read", ""},
		{&[]api.Scope{api.ScopeFilesRead}, "", "", ""},
	} {
		f := Field{Value: tt.value}
		fault := ""
		if err := f.Set(tt.typed); err != nil {
			fault = err.Error()
		}
		if fault != tt.fault || f.String() != tt.text {
			t.Errorf("%T %q is %q, fault %q; want %q, %q", tt.value, tt.typed, f.String(), fault, tt.text, tt.fault)
		}
	}
	all := Field{Value: new([]api.Scope)}
	if err := all.Set("all"); err != nil || len(*all.Value.(*[]api.Scope)) != len(api.Scopes()) {
		t.Errorf("all scopes are %s, %v", all.String(), err)
	}
}

func TestTheMessageHasMembersOfTheResponse(t *testing.T) {
	order := &api.Order{OrderCode: "ORD-7", OrderName: "Levee", Status: api.OrderRejected}
	mission := &api.Mission{MissionCode: "MSN-1", MissionName: "North", OperatorName: new("Nordflug")}
	quote := &ops.Quote{Quote: api.Quote{QuoteName: "Express", FinalPrice: api.Price{Known: true, Amount: 875}, Currency: "EUR"}}
	pack := &api.DeliveryPackage{Version: 3, FileCount: 2, TotalSize: 4100}
	answers := map[any]string{
		&ops.Account{}:    "new-account change-account",
		&ops.AccountKey{}: "issue-key revoke-key approve-request",
		&ops.KeyRequest{}: "simulate-request decline-request",
		&ops.Operator{}:   "add rotate revoke",
		&ops.Invitation{}: "withdraw",
		order:             "end-order reject-order not-feasible delete-order",
		quote:             "issue-quote",
		mission:           "assign-operator accept-delivery",
		&api.WebhookDelivery{Event: api.EventDataDelivered}: "resend-callback test-endpoint",
		&ops.CompletionNotice{}:                             "resend-notice",
		&ops.WorldSnapshot{}:                                "take-snapshot restore-snapshot",
		&ops.ResetResult{Orders: 1}:                         "reset",
		pack:                                                "deliver",
		&api.RecordDetails{}:                                "set-details",
		&ops.NotificationSettings{}:                         "set-notices",
		&ops.ServiceClock{}:                                 "clock",
	}
	said := map[string]string{}
	for answer, verbs := range answers {
		for verb := range strings.FieldsSeq(verbs) {
			c := Named(verb)
			said[verb] = c.describeDone(answer)
		}
	}
	for verb, want := range map[string]string{
		"reject-order": "ORD-7 Levee: Rejected", "assign-operator": "MSN-1 North: operator assigned, Nordflug",
		"issue-quote": "quote Express issued: 875.00 EUR, in ", "deliver": "package 3 delivered: 2 files, 4.1 kB",
		"test-endpoint": "callback for Data delivered queued", "reset": "service reset: 1 order",
	} {
		if !strings.HasPrefix(said[verb], want) {
			t.Errorf("%s says %q, want %q", verb, said[verb], want)
		}
	}
	for verb, c := range commands {
		if c.Done != "" && said[verb] == "" {
			t.Errorf("%s says nothing of an answer", verb)
		}
	}
}

func TestADayMeansItsEndInFieldsForEnds(t *testing.T) {
	now := time.Date(2026, 11, 21, 14, 5, 30, 0, time.FixedZone("EET", 7200))
	expires := Field{Value: new(api.Time), DayEnd: true}
	for typed, want := range map[string]string{
		"2026-12-31":           "2026-12-31T23:59:59+02:00",
		"2026-12-31 09:30":     "2026-12-31T09:30:00+02:00",
		"2026-12-31T09:30:00Z": "2026-12-31T09:30:00Z",
	} {
		day, err := ParseMoment(typed, now)
		if got := expires.Moment(day).Format(time.RFC3339); err != nil || got != want {
			t.Errorf("%q ends at %s, %v; want %s", typed, got, err, want)
		}
	}
	if _, err := ParseMoment("03/04/2027 09:30", now); err == nil || !strings.Contains(err.Error(), "4 Mar 2027") {
		t.Errorf("a day with two readings: %v", err)
	}
}
