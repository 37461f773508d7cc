package commands_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/commands"
)

// operationCase is an operation, with the reads in which its effect shows.
type operationCase struct {
	command commands.Command
	target  commands.Target
	path    string            // of the read that changes
	before  string            // data of that read before the change
	after   string            // data of that read after the change
	others  map[string]string // data of the other reads, by their paths
	old     string            // a record that does not show the change, as an answer; "" if the answer has no status
	secret  bool              // the secret is lost with the answer
}

func listOf(rows ...string) string {
	return `{"data":[` + strings.Join(rows, ",") + `],"nextCursor":null,"hasNextPage":false}`
}

const (
	orderStart   = `{"uuid":"o-1","orderCode":"ORD-1","orderName":"levee","status":`
	missionStart = `{"uuid":"m-1","missionCode":"MSN-1","missionName":"km 3","status":`
	flight       = "2026-12-01T09:00:00Z"
)

// orderWith returns an order with one mission.
func orderWith(mission string) string {
	return orderStart + `"operatorAssigned","missions":[` + mission + `]}`
}

func mission(status, more string) string { return missionStart + `"` + status + `"` + more + `}` }

// operationCases returns every operation that changes something.
func operationCases(t *testing.T) map[string]operationCase {
	at, err := time.Parse(time.RFC3339, flight)
	if err != nil {
		t.Fatal(err)
	}
	onOrder := commands.Target{ID: "o-1"}
	onMission := commands.Target{ID: "m-1"}
	of := func(id string) commands.Target { return commands.Target{ID: id} }
	cases := map[string]operationCase{
		"end-order": {
			command: commands.EndOrder(new("why"), ""), target: onOrder, path: "orders/o-1",
			before: orderStart + `"biddingWithQuote"}`, after: orderStart + `"rejected"}`, old: orderStart + `"biddingWithQuote"}`,
		},
		"reject-order": {
			command: commands.EndOrder(new("why"), api.MoveReject), target: onOrder, path: "orders/o-1",
			before: orderStart + `"biddingWithQuote"}`, after: orderStart + `"rejected"}`, old: orderStart + `"biddingWithQuote"}`,
		},
		"not-feasible": {
			command: commands.EndOrder(new("why"), api.MoveNotFeasible), target: onOrder, path: "orders/o-1",
			before: orderStart + `"pendingOperator"}`, after: orderStart + `"orderNotFeasible"}`, old: orderStart + `"pendingOperator"}`,
		},
		"delete-order": {
			command: commands.DeleteOrder(), target: onOrder, path: "orders/o-1",
			before: orderStart + `"pendingOperator"}`, after: orderStart + `"deleted"}`, old: orderStart + `"pendingOperator"}`,
		},
		"expire-quote": {
			command: commands.ExpireQuote(new(string)), target: onOrder, path: "clock",
			before: `{"now":"2026-11-28T09:00:00Z"}`, after: `{"now":"2026-12-02T09:00:00Z"}`,
			others: map[string]string{"orders/o-1": orderStart + `"biddingWithQuote","quotes":[{"uuid":"q-1","quoteName":"Economy","status":"open","expiryDate":"` + flight + `"}]}`},
		},
		"issue-quote": {
			command: commands.IssueQuote(&ops.QuoteInput{QuoteName: "Economy", DeliveryBy: 14, PriceBeforeDiscount: 10}), target: onOrder,
			path: "orders/o-1", before: orderStart + `"biddingWithQuote","quotes":[]}`,
			after: orderStart + `"biddingWithQuote","quotes":[{"uuid":"q-1","quoteName":"Economy","status":"open"}]}`,
		},
		"set-details": {
			command: commands.SetRecord(&commands.RecordChange{Description: new("levee")}), target: onOrder, path: "orders/o-1",
			before: orderStart + `"biddingWithQuote"}`, after: orderStart + `"biddingWithQuote","details":{"description":"levee"}}`,
		},
		"set-notices by e-mail": {
			command: commands.SetNotifications(&ops.NotificationInput{Email: true}), target: onOrder, path: "orders/o-1",
			before: orderStart + `"biddingWithQuote"}`, after: orderStart + `"biddingWithQuote","notifications":{"email":true}}`,
		},
		"set-notices by webhook": {
			command: commands.SetNotifications(&ops.NotificationInput{Webhook: "https://a.example"}), target: onOrder, path: "orders/o-1",
			before: orderStart + `"biddingWithQuote"}`, after: orderStart + `"biddingWithQuote","notifications":{"webhook":"https://a.example"}}`,
			secret: true,
		},
		"assign-operator": {
			command: commands.AssignOperator(new("Mele")), target: onMission, path: "orders/m-1", old: mission("awaitingPilot", ""),
			before: orderWith(mission("awaitingPilot", "")), after: orderWith(mission("pilotAssigned", `,"operatorName":"Mele"`)),
		},
		"schedule-flight": {
			command: commands.ScheduleFlight(&ops.FlightInput{FlightDate: api.TimeOf(at)}, false), target: onMission,
			path: "orders/m-1", before: orderWith(mission("pilotAssigned", "")), old: mission("pilotAssigned", ""),
			after: orderWith(mission("flightScheduled", `,"planning":[{"version":1,"flightDate":"`+flight+`"}]`)),
		},
		"record-permit": {
			command: commands.RecordPermission(&ops.PermissionInput{Status: api.PermissionGranted}), target: onMission,
			path: "orders/m-1", before: orderWith(mission("pilotAssigned", "")),
			after: orderWith(mission("pilotAssigned", `,"flightPermission":{"missionUid":"m-1","status":"granted","updatedAt":"`+flight+`"}`)),
		},
		"deliver": {
			command: commands.DeliverData(), target: onMission, path: "orders/m-1", before: orderWith(mission("flightScheduled", "")),
			after: orderWith(mission("dataDelivered", `,"packages":[{"uuid":"p-1","version":1,"fileCount":2,"totalSize":10}]`)),
		},
		"accept-delivery": {
			command: commands.AcceptDelivery(), target: onMission, path: "orders/m-1", old: mission("dataDelivered", ""),
			before: orderWith(mission("dataDelivered", "")), after: orderWith(mission("completed", "")),
		},
		"resend-callback": {
			command: commands.ResendCallback(), target: of("d-1"), path: "deliveries/d-1",
			before: `{"delivery":{"uuid":"d-1","success":false,"error":"HTTP 500"},"attempts":[{"number":4}]}`,
			after:  `{"delivery":{"uuid":"d-1","success":false,"error":"pending"},"attempts":[{"number":4}]}`,
		},
		"resend-notice": {
			command: commands.ResendNotice(), target: of("n-1"), path: "orders/o-1/notifications",
			before: listOf(`{"uuid":"n-1","orderUid":"o-1","success":false,"history":[{"number":4}]}`),
			after:  listOf(`{"uuid":"n-1","orderUid":"o-1","success":true,"history":[{"number":5}]}`),
			others: map[string]string{"orders": listOf(orderStart + `"completed"}`)},
		},
		"test-endpoint": {
			command: commands.TestEndpoint(new(api.EventFlightScheduled)), target: of("e-1"), path: "webhooks/e-1/deliveries",
			before: listOf(`{"uuid":"d-1","event":"mission.flight_scheduled","orderCode":"ORD-0"}`),
			after:  listOf(`{"uuid":"d-2","event":"mission.flight_scheduled","orderCode":"ORD-0"}`, `{"uuid":"d-1","event":"mission.flight_scheduled","orderCode":"ORD-0"}`),
		},
	}
	for name, c := range accountCases() {
		cases[name] = c
	}
	for name, c := range worldCases(at) {
		cases[name] = c
	}
	return cases
}

// accountCases returns the operations on accounts, keys and users.
func accountCases() map[string]operationCase {
	scopes := []api.Scope{api.ScopeOrdersRead}
	onAccount := commands.Target{ID: "a-1"}
	account := `{"uuid":"a-1","companyName":"Acme","clientName":"Ada"}`
	accounts := map[string]string{"accounts": listOf(account)}
	request := `{"uuid":"r-1","accountUid":"a-1","intendedUse":"GIS","status":`
	user := `{"uuid":"u-1","name":"Ida","role":"read","hint":"aaaa"}`
	invitation := `{"uuid":"i-1","user":"user1","code":"K7QWD"}`
	return map[string]operationCase{
		"new-account": {
			command: commands.CreateAccount(&ops.AccountInput{CompanyName: "Nord"}), path: "accounts",
			before: listOf(account), after: listOf(`{"uuid":"a-2","companyName":"Nord"}`, account),
		},
		"change-account": {
			command: commands.ChangeAccount(&ops.AccountChange{ClientName: new("Bo")}), target: onAccount, path: "accounts",
			before: listOf(account), after: listOf(`{"uuid":"a-1","companyName":"Acme","clientName":"Bo"}`),
		},
		"issue-key": {
			command: commands.IssueKey(&ops.KeyInput{Scopes: scopes, Description: "GIS"}), target: onAccount, path: "accounts/a-1/keys",
			before: listOf(), after: listOf(`{"uuid":"k-1","hint":"aaaa","description":"GIS","scopes":["orders:read"]}`), secret: true,
		},
		"revoke-key": {
			command: commands.RevokeKey(), target: commands.Target{ID: "k-1"}, path: "accounts/a-1/keys", others: accounts,
			before: listOf(`{"uuid":"k-1"}`), after: listOf(`{"uuid":"k-1","revokedAt":"` + flight + `"}`), old: `{"uuid":"k-1"}`,
		},
		"simulate-request": {
			command: commands.RequestKey(&ops.KeyRequestInput{IntendedUse: "GIS", Scopes: scopes}), target: onAccount, path: "key-requests",
			before: listOf(), after: listOf(request + `"pending"}`),
		},
		"approve-request": {
			command: commands.ApproveRequest(), target: commands.Target{ID: "r-1"}, path: "key-requests",
			before: listOf(request + `"pending"}`), after: listOf(request + `"approved"}`), secret: true,
		},
		"decline-request": {
			command: commands.DeclineRequest(new("why")), target: commands.Target{ID: "r-1"}, path: "key-requests",
			before: listOf(request + `"pending"}`), after: listOf(request + `"declined"}`), old: request + `"pending"}`,
		},
		"add": {
			command: commands.AddOperator(&ops.OperatorInput{Name: "Bo", Role: ops.RoleRead}), path: "operators",
			before: listOf(user), after: listOf(`{"uuid":"u-2","name":"Bo","role":"read"}`, user), secret: true,
		},
		"rotate": {
			command: commands.RotateOperator(new(ops.RotationInput)), target: commands.Target{ID: "u-1"}, path: "operators",
			before: listOf(user), after: listOf(`{"uuid":"u-1","name":"Ida","role":"read","hint":"bbbb"}`), secret: true,
		},
		"revoke": {
			command: commands.RevokeOperator(), target: commands.Target{ID: "u-1"}, path: "operators", old: user,
			before: listOf(user), after: listOf(`{"uuid":"u-1","name":"Ida","role":"read","revokedAt":"` + flight + `"}`),
		},
		"withdraw": {
			command: commands.WithdrawInvitation(), target: commands.Target{ID: "i-1"}, path: "invitations", old: invitation,
			before: listOf(invitation), after: listOf(`{"uuid":"i-1","user":"user1","withdrawnAt":"` + flight + `"}`),
		},
	}
}

// worldCases returns the test controls.
func worldCases(at time.Time) map[string]operationCase {
	audit := func(operation string) string {
		return listOf(`{"id":8,"kind":"change","operation":"`+operation+`"}`, `{"id":7,"kind":"change","operation":"`+operation+`"}`)
	}
	paused := `{"paused":true,"speed":1,"done":3}`
	return map[string]operationCase{
		"clock, by a time": {
			command: commands.AdvanceClock(&commands.ClockChange{By: api.Duration{Duration: time.Hour}}), path: "clock",
			before: `{"now":"2026-11-28T09:00:00Z","ahead":"1h0m0s"}`, after: `{"now":"2026-11-28T10:00:00Z","ahead":"2h0m0s"}`,
		},
		"clock, to a time": {
			command: commands.AdvanceClock(&commands.ClockChange{To: api.TimeOf(at)}), path: "clock",
			before: `{"now":"2026-11-28T09:00:00Z","ahead":"0s"}`, after: `{"now":"2026-12-01T09:00:01Z","ahead":"72h0m0s"}`,
		},
		"simulator, resumed": {
			command: commands.PaceSimulator(&commands.Pace{Resume: true}), path: "simulator",
			before: paused, after: `{"paused":false,"speed":1,"done":3}`,
		},
		"simulator, a step": {
			command: commands.PaceSimulator(&commands.Pace{Step: true}), path: "simulator",
			before: paused, after: `{"paused":true,"speed":1,"done":4}`,
		},
		"faults": {
			command: commands.SetFaults(&commands.FaultValues{FaultsInput: ops.FaultsInput{Status: 503}, Rate: 1}), path: "faults",
			before: `{"status":0,"rate":0}`, after: `{"status":503,"rate":1}`,
		},
		"clear-faults": {
			command: commands.EndFaults(), path: "faults",
			before: `{"status":503,"rate":1}`, after: `{"status":0,"rate":0}`,
		},
		"reset": {
			command: commands.ResetWorld(), path: "audit", before: listOf(`{"id":7,"kind":"change","operation":"POST /reset"}`),
			after: audit("POST /reset"), others: map[string]string{"orders": listOf(orderStart + `"completed"}`)},
		},
		"take-snapshot": {
			command: commands.TakeSnapshot(new("noon")), path: "snapshots",
			before: listOf(`{"name":"noon","takenAt":"2026-11-28T09:00:00Z"}`), after: listOf(`{"name":"noon","takenAt":"` + flight + `"}`),
		},
		"restore-snapshot": {
			command: commands.RestoreSnapshot(new("noon")), path: "audit",
			before: listOf(`{"id":7,"kind":"change","operation":"POST /snapshots/{name}/restore"}`),
			after:  audit("POST /snapshots/{name}/restore"),
			others: map[string]string{"snapshots": listOf(`{"name":"noon","takenAt":"` + flight + `"}`)},
		},
	}
}

// vagueService answers changes vaguely, and shows their effect in its reads.
type vagueService struct {
	mu      sync.Mutex
	c       operationCase
	when    effect
	answer  func(http.ResponseWriter)
	changes int  // requests that change something
	reads   int  // since the change
	applied bool // the effect shows
}

func (s *vagueService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method != http.MethodGet {
		s.changes++
		s.applied = s.when == atOnce
		s.answer(w)
		return
	}
	if s.changes > 0 {
		s.reads++
	}
	if s.when == later && s.reads > 2 {
		s.applied = true
	}
	path := strings.TrimPrefix(r.URL.Path, "/api/ops/v1/")
	data, found := s.c.others[path]
	if path == s.c.path && s.applied {
		data = s.c.after
	} else if path == s.c.path {
		data = s.c.before
	} else if !found {
		w.WriteHeader(http.StatusNotFound)
		data = "null"
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"success":true,"message":"","data":%s}`, data)
}

// For every operation and response, the report is true or says that the change is not
// confirmed, and nothing is sent twice.
func TestEveryOperationIsReportedCorrectlyWhateverTheResponse(t *testing.T) {
	for operation, c := range operationCases(t) {
		answers := vagueAnswers()
		delete(answers, "order as before")
		if c.old != "" {
			answers["record as before"] = func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"success":true,"message":"","data":%s}`, c.old)
			}
		}
		for name, answer := range answers {
			for _, when := range []effect{atOnce, later, never} {
				t.Run(fmt.Sprintf("%s, %s, %s", operation, name, when), func(t *testing.T) {
					service := &vagueService{c: c, when: when, answer: answer}
					checkOperation(t, service)
				})
			}
		}
	}
}

// checkOperation runs the operation of a service, and compares what is reported with what
// became of it.
func checkOperation(t *testing.T, service *vagueService) {
	t.Helper()
	web := httptest.NewServer(service)
	defer web.Close()
	client, err := ops.NewClient(web.URL+"/api/ops/v1", "k", api.WithBackoff(time.Millisecond), api.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	target := service.c.target
	target.Context = t.Context()
	target.Client = client
	target.LookSchedule.Pauses = make([]time.Duration, 3)
	done, err := service.c.command.Run(target)
	isUnconfirmed := errors.As(err, new(*changes.UnconfirmedError))
	isLost := errors.As(err, new(*commands.LostSecretError))
	switch {
	case service.when == never && !isUnconfirmed:
		t.Errorf("nothing was made, reported %v, %+v", err, done)
	case service.when != never && service.c.secret && !isLost:
		t.Errorf("the secret is lost, reported %v, %+v", err, done)
	case service.when != never && !service.c.secret && (err != nil || done.Done == ""):
		t.Errorf("it was made, reported %v, %+v", err, done)
	case service.changes != 1:
		t.Errorf("sent %d times", service.changes)
	}
}
