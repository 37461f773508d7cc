package cli

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
)

// losingTransport sends changes to the service and loses the responses.
type losingTransport struct{}

func (losingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || r.Method == http.MethodGet {
		return resp, err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode >= 300 {
		return resp, errors.New("the service refused the change")
	}
	return nil, io.ErrUnexpectedEOF
}

// demoDesk returns the operations API of a new demo service, and a client of it that loses the
// responses to changes.
func demoDesk(t *testing.T) (service *server.Server, desk *ops.Client) {
	t.Helper()
	service, _ = served(t)
	desk, err := ops.NewClient(service.OpsURL(), service.Ready().OpsKey, api.WithTransport(losingTransport{}), api.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	return service, desk
}

// firstMission returns a mission of the demo with a status.
func firstMission(t *testing.T, desk *ops.Client, status api.MissionStatus) (*ops.Order, *ops.Mission) {
	t.Helper()
	for o, err := range desk.Orders.All(t.Context(), ops.OrderFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if !o.Status.HasAcceptedQuote() {
			continue
		}
		whole, err := desk.Orders.Get(t.Context(), o.UUID)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole.Missions {
			if whole.Missions[i].Status == status {
				return whole, &whole.Missions[i]
			}
		}
	}
	t.Fatalf("no mission is %s", status)
	return nil, nil
}

// firstOrder returns an order of the demo with a status.
func firstOrder(t *testing.T, desk *ops.Client, status api.OrderStatus) string {
	t.Helper()
	for o, err := range desk.Orders.All(t.Context(), ops.OrderFilter{Status: status}) {
		if err != nil {
			t.Fatal(err)
		}
		return o.UUID
	}
	t.Fatalf("no order is %s", status)
	return ""
}

// If the response to an operation is lost, its effect is found at the service.
func TestOperationsWhoseResponsesAreLostAreFoundAtTheService(t *testing.T) {
	service, desk := demoDesk(t)
	run := func(c commands.Command, target commands.Target, isLost bool) {
		t.Helper()
		target.Context, target.Client = t.Context(), desk
		done, err := c.Run(target)
		if errors.As(err, new(*commands.LostSecretError)) != isLost || err != nil && !isLost {
			t.Errorf("%s: %v", c.Verb, err)
		} else if err == nil && done.Done == "" {
			t.Errorf("%s: nothing is reported", c.Verb)
		}
	}
	onMission := func(status api.MissionStatus) commands.Target {
		_, m := firstMission(t, desk, status)
		return commands.Target{ID: m.UUID}
	}
	onOrder := func(status api.OrderStatus) commands.Target {
		return commands.Target{ID: firstOrder(t, desk, status)}
	}
	account := commands.Target{ID: service.Accounts()[0].UUID}
	flight := ops.FlightInput{FlightDate: api.TimeOf(time.Now().Add(48 * time.Hour).Truncate(time.Second)), ScheduledBy: "Operations"}

	run(commands.TakeSnapshot(new("before")), commands.Target{}, false)
	run(commands.IssueQuote(&ops.QuoteInput{QuoteName: "Night", DeliveryBy: 14}), onOrder(api.OrderBiddingWithQuote), false)
	run(commands.SetRecord(&commands.RecordChange{Description: new("levee")}), onOrder(api.OrderBiddingWithQuote), false)
	run(commands.SetNotifications(&ops.NotificationInput{Email: true}), onOrder(api.OrderBiddingWithQuote), false)
	run(commands.SetNotifications(&ops.NotificationInput{Webhook: "https://a.example/x"}), onOrder(api.OrderBiddingWithQuote), true)
	run(commands.EndOrder(new("why"), ""), onOrder(api.OrderBiddingWithQuote), false)
	run(commands.DeleteOrder(), onOrder(api.OrderRejected), false)
	run(commands.AssignOperator(new("Mele Taufa")), onMission(api.MissionAwaitingPilot), false)
	run(commands.ScheduleFlight(&flight, false), onMission(api.MissionPilotAssigned), false)
	run(commands.RecordPermission(&ops.PermissionInput{Status: api.PermissionRefused}), onMission(api.MissionFlightScheduled), false)
	run(commands.DeliverData(), onMission(api.MissionFlightScheduled), false)
	run(commands.AcceptDelivery(), onMission(api.MissionDataDelivered), false)

	run(commands.CreateAccount(&ops.AccountInput{CompanyName: "Nordwind"}), commands.Target{}, false)
	run(commands.ChangeAccount(&ops.AccountChange{ClientName: new("Bo")}), account, false)
	scopes := []api.Scope{api.ScopeOrdersRead}
	run(commands.IssueKey(&ops.KeyInput{Scopes: scopes, Description: "GIS"}), account, true)
	run(commands.RevokeKey(), commands.Target{ID: newestKey(t, desk, account.ID)}, false)
	run(commands.RequestKey(&ops.KeyRequestInput{IntendedUse: "GIS", Scopes: scopes}), account, false)
	run(commands.ApproveRequest(), commands.Target{ID: pendingRequest(t, desk)}, true)
	run(commands.RequestKey(&ops.KeyRequestInput{IntendedUse: "GIS 2", Scopes: scopes}), account, false)
	run(commands.DeclineRequest(new("why")), commands.Target{ID: pendingRequest(t, desk)}, false)
	run(commands.AddOperator(&ops.OperatorInput{Name: "Ida", Role: ops.RoleRead}), commands.Target{}, true)
	ida, err := commands.FindOperator(t.Context(), desk, "Ida")
	if err != nil {
		t.Fatal(err)
	}
	run(commands.RotateOperator(new(ops.RotationInput)), commands.Target{ID: ida.UUID}, true)
	run(commands.RevokeOperator(), commands.Target{ID: ida.UUID}, false)

	run(commands.AdvanceClock(&commands.ClockChange{By: api.Duration{Duration: time.Hour}}), commands.Target{}, false)
	run(commands.PaceSimulator(&commands.Pace{Pause: true}), commands.Target{}, false)
	run(commands.PaceSimulator(&commands.Pace{Step: true}), commands.Target{}, false)
	run(commands.SetFaults(&commands.FaultValues{FaultsInput: ops.FaultsInput{Status: 503}, Rate: 0.5}), commands.Target{}, false)
	run(commands.EndFaults(), commands.Target{}, false)
	run(commands.RestoreSnapshot(new("before")), commands.Target{}, false)
	run(commands.ResetWorld(), commands.Target{}, false)
}

func newestKey(t *testing.T, desk *ops.Client, account string) string {
	t.Helper()
	page, err := desk.Keys.List(t.Context(), account, api.ListOptions{Limit: 1})
	if err != nil || len(page.Items) == 0 {
		t.Fatalf("%d keys, %v", len(page.Items), err)
	}
	return page.Items[0].UUID
}

func pendingRequest(t *testing.T, desk *ops.Client) string {
	t.Helper()
	for r, err := range desk.Keys.AllRequests(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == ops.KeyRequestPending {
			return r.UUID
		}
	}
	t.Fatal("no request is pending")
	return ""
}

// Effects on callbacks, invitations, certificates and datasets are found too.
func TestSendingsWhoseResponsesAreLostAreFoundAtTheService(t *testing.T) {
	service, desk := demoDesk(t)
	target := commands.Target{Context: t.Context(), Client: desk, ID: service.Accounts()[0].UUID}
	invited, err := commands.Invite(target, "ada", "bo")
	if err != nil || len(invited) != 2 || invited[0].Code == "" {
		t.Errorf("invited %+v, %v", invited, err)
	}
	set, err := commands.AddDataset(target, &ops.DatasetInput{DatasetName: "Elbe", LocationMap: []api.Point{{Lat: 53, Lng: 10}}})
	if err != nil || set.UUID == "" || set.DatasetName != "Elbe" {
		t.Errorf("dataset %+v, %v", set, err)
	}
	receiver := httptest.NewTLSServer(http.NotFoundHandler())
	defer receiver.Close()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: receiver.Certificate().Raw})
	trusted, err := commands.TrustCertificate(target, bytes.Clone(certificate))
	if err != nil || trusted.Trusted != 1 {
		t.Errorf("trusted %+v, %v", trusted, err)
	}
	failure := failedCallback(t.Context(), t, desk, service)
	if err := failure.ResendItem(commands.Target{Context: t.Context(), Client: desk}); err != nil {
		t.Error(err)
	}
}

// failedCallback returns a failed callback of the demo.
func failedCallback(ctx context.Context, t *testing.T, desk *ops.Client, service *server.Server) *timeline.UndeliveredItem {
	t.Helper()
	for _, account := range service.Accounts() {
		for e, err := range desk.Webhooks.All(ctx, account.UUID) {
			if err != nil {
				t.Fatal(err)
			}
			for d, err := range desk.Webhooks.AllDeliveries(ctx, e.UUID) {
				if err != nil {
					t.Fatal(err)
				}
				if item := timeline.CallbackSending(d, e.URL); item.Failed() {
					return &item
				}
			}
		}
	}
	t.Fatal("no callback failed")
	return nil
}
