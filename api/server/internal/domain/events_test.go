package domain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// mailbox is a sender that records its deliveries.
type mailbox struct {
	sent      []store.Delivery
	forgotten []int64
}

func (m *mailbox) Send(d ...store.Delivery) { m.sent = append(m.sent, d...) }

func (m *mailbox) CancelEndpoint(id int64) { m.forgotten = append(m.forgotten, id) }

// endpoint adds an endpoint to an account.
func endpoint(t *testing.T, d *domain.Service, account store.Account, uuid string, events ...api.EventName) store.Webhook {
	t.Helper()
	w := store.Webhook{AccountID: account.ID, UUID: uuid, URL: "https://a.example", Events: events, Created: noon, Updated: noon}
	if err := d.Store.Write(t.Context(), func(tx *store.Tx) error { return store.Insert(tx, &w) }); err != nil {
		t.Fatal(err)
	}
	return w
}

func logOf(t *testing.T, d *domain.Service, w store.Webhook) []store.Delivery {
	t.Helper()
	log, err := store.List[store.Delivery](t.Context(), d.Store, w.ID, store.ListWindow{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestEventsReachTheSubscribedEndpoints(t *testing.T) {
	d, c := open(t)
	box := &mailbox{}
	d.Sender = box
	other, err := d.Accounts.NewAccount(t.Context(), store.Account{CompanyName: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	all := endpoint(t, d, c.Account, "all", api.EventNames()...)
	some := endpoint(t, d, c.Account, "some", api.EventMissionCompleted)
	foreign := endpoint(t, d, other, "foreign", api.EventNames()...)

	order := store.Order{AccountID: c.Account.ID, UUID: "o", Code: "ORD-1"}
	mission := store.Mission{UUID: "m", Code: "MSN-1", Status: api.MissionPilotAssigned}
	if err := d.Announce(t.Context(), api.EventOperatorAssigned, order, mission, nil); err != nil {
		t.Fatal(err)
	}
	log := logOf(t, d, all)
	if len(log) != 1 || len(logOf(t, d, some)) != 0 || len(logOf(t, d, foreign)) != 0 {
		t.Fatalf("the log has %+v", log)
	}
	row := log[0]
	if row.Success || row.Attempts != 0 || row.Error == nil || *row.Error != "pending" || row.MissionUUID != "m" || row.OrderCode != "ORD-1" {
		t.Errorf("the row is %+v", row)
	}
	if diff := cmp.Diff(box.sent, log); diff != "" {
		t.Errorf("sent differs from kept: %s", diff)
	}
	var event api.Event
	if err := json.Unmarshal([]byte(row.Body), &event); err != nil {
		t.Fatal(err)
	}
	want := api.Event{
		ID: row.UUID, Event: api.EventOperatorAssigned, Timestamp: api.TimeOf(noon),
		Data: api.EventData{Mission: api.EventMission{
			UUID: "m", MissionCode: "MSN-1", Status: api.MissionPilotAssigned, OrderUID: "o", OrderCode: "ORD-1",
		}},
	}
	if diff := cmp.Diff(event, want); diff != "" {
		t.Errorf("the body: %s", diff)
	}
}

func TestAFailedMoveAnnouncesNothing(t *testing.T) {
	d, c := open(t)
	box := &mailbox{}
	d.Sender = box
	w := endpoint(t, d, c.Account, "w", api.EventNames()...)
	wrong := errors.New("the move is not possible")
	err := d.Announce(context.Background(), api.EventMissionCompleted, store.Order{AccountID: c.Account.ID}, store.Mission{}, wrong)
	if !errors.Is(err, wrong) || len(box.sent) != 0 || len(logOf(t, d, w)) != 0 {
		t.Errorf("%v; sent %v, kept %v", err, box.sent, logOf(t, d, w))
	}
}
