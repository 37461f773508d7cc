package domain_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func TestEndpointsOfAnAccount(t *testing.T) {
	d, c, box, _ := openWhole(t)
	ctx := t.Context()
	register := func(events ...api.EventName) (store.Webhook, error) {
		w, secret, err := d.Callbacks.NewWebhook(ctx, c, api.CreateWebhookRequest{URL: "https://a.example", Events: events, Description: "D"})
		if err != nil {
			return w, err
		}
		got, err := d.Callbacks.Webhook(ctx, c, w.UUID)
		if opened, verr := d.Vault.Open(w.UUID, got.Secret); verr != nil || opened != secret || !strings.HasPrefix(secret, "whsec_") || strings.Contains(got.Secret, secret) {
			t.Errorf("the secret %q is kept as %q, %v", secret, got.Secret, verr)
		}
		if got.URL != "https://a.example" || got.Description != "D" || !got.Created.Equal(noon) || !got.Updated.Equal(noon) || got.LastStatus != nil {
			t.Errorf("kept as %+v", got)
		}
		return got, err
	}
	all, err := register()
	if err != nil || !slices.Equal(all.Events, api.EventNames()) {
		t.Errorf("without events: %+v, %v", all, err)
	}
	for range api.MaxWebhooks - 1 {
		if w, err := register(api.EventMissionCompleted); err != nil || len(w.Events) != 1 {
			t.Fatalf("%+v, %v", w, err)
		}
	}
	if _, err := register(); codeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "limit of 20 endpoints") {
		t.Errorf("one more than the limit: %v", err)
	}
	other := &domain.Caller{}
	for what, err := range map[string]error{
		"reading":  func() error { _, err := d.Callbacks.Webhook(ctx, other, all.UUID); return err }(),
		"deleting": d.Callbacks.DeleteWebhook(ctx, other, all.UUID),
	} {
		if codeOf(err) != api.CodeNotYourResource {
			t.Errorf("%s another's: %v", what, err)
		}
	}
	if w, err := d.Callbacks.Webhook(ctx, nil, all.UUID); err != nil || w.ID != all.ID {
		t.Errorf("for the service itself: %+v, %v", w, err)
	}
	if box.forgotten != nil {
		t.Errorf("%v are forgotten", box.forgotten)
	}
	if err := d.Callbacks.DeleteWebhook(ctx, c, all.UUID); err != nil || !slices.Equal(box.forgotten, []int64{all.ID}) {
		t.Errorf("deleted: %v, forgotten %v", err, box.forgotten)
	}
	if err := d.Callbacks.DeleteWebhook(ctx, c, all.UUID); codeOf(err) != api.CodeNotFound {
		t.Errorf("deleted once more: %v", err)
	}
	if _, err := register(); err != nil {
		t.Errorf("in its place: %v", err)
	}
}

func TestResentCallbacksHaveTheCurrentTime(t *testing.T) {
	d, c, box, _ := openWhole(t)
	ctx := t.Context()
	w := endpoint(t, d, c.Account, "w")
	sent, err := d.Callbacks.Test(ctx, "w", api.EventFlightScheduled)
	if err != nil || sent.OrderCode != "ORD-0" || !strings.Contains(sent.Body, `"MSN-0"`) || !strings.Contains(sent.Body, string(api.MissionFlightScheduled)) {
		t.Fatalf("%+v, %v", sent, err)
	}
	if log := logOf(t, d, w); len(log) != 1 || len(box.sent) != 1 || box.sent[0].ID != log[0].ID {
		t.Errorf("kept %+v, sent %+v", log, box.sent)
	}
	if _, err := d.Callbacks.Resend(ctx, sent.UUID); codeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "still being sent") {
		t.Errorf("again while it is sent: %v", err)
	}
	for i, success := range []bool{true, false} {
		outcome := store.Delivery{Success: success, ResponseCode: 200, Attempts: 1}
		if !success {
			failed := "HTTP 500"
			outcome.Error = &failed
		}
		err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.RecordDeliveries(outcome, []int64{sent.ID}) })
		if err != nil {
			t.Fatal(err)
		}
		later := noon.Add(time.Duration(i+1) * time.Hour)
		d.Now = func() time.Time { return later }
		again, err := d.Callbacks.Resend(ctx, sent.UUID)
		if err != nil || again.ID != sent.ID || !again.Resent.Equal(later) || len(box.sent) != i+2 {
			t.Fatalf("%+v, %v, %d sent", again, err, len(box.sent))
		}
		var event api.Event
		if err := json.Unmarshal([]byte(box.sent[i+1].Body), &event); err != nil || event.ID != sent.UUID || !event.Timestamp.Equal(later) {
			t.Errorf("sent again is %+v, %v", event, err)
		}
		row, webhook, tries, err := d.Callbacks.History(ctx, sent.UUID)
		if err != nil || webhook != "w" || len(tries) != 0 || row.Success || *row.Error != store.DeliveryPending || row.Attempts != 1 || !row.Resent.Equal(later) {
			t.Errorf("kept as %+v of %s, %v", row, webhook, err)
		}
	}
	for what, err := range map[string]error{
		"sending again": func() error { _, err := d.Callbacks.Resend(ctx, "none"); return err }(),
		"testing":       func() error { _, err := d.Callbacks.Test(ctx, "none", api.EventDataDelivered); return err }(),
		"looking":       func() error { _, _, _, err := d.Callbacks.History(ctx, "none"); return err }(),
		"a notice":      func() error { _, _, err := d.Callbacks.ResendNotice(ctx, "none"); return err }(),
	} {
		if codeOf(err) != api.CodeNotFound {
			t.Errorf("%s what is not there: %v", what, err)
		}
	}
}

func TestNoticesAreResentToCurrentAddressesOnly(t *testing.T) {
	d, c, _, post := openWhole(t)
	ctx := t.Context()
	o, _ := bidding(t, d, c, 0)
	const url, other = "https://a.example/done", "https://a.example/other"
	secret, err := d.Orders.SetNotifications(ctx, o.UUID, url, true)
	if err != nil || !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("%q, %v", secret, err)
	}
	for _, try := range []struct {
		url  string
		same bool
	}{{url, true}, {other, false}, {url, false}} {
		again, err := d.Orders.SetNotifications(ctx, o.UUID, try.url, false)
		if err != nil || (again == secret) != try.same || again == "" {
			t.Errorf("to %s: %q, %v", try.url, again, err)
		}
		set := kept(t, d, o.UUID).Extras.Notify
		if opened, err := d.Vault.Open(set.Owner, set.Secret); err != nil || opened != again || set.Webhook != try.url || set.Email {
			t.Errorf("kept as %+v, %v", set, err)
		}
	}
	failed := "HTTP 500"
	pending := store.DeliveryPending
	add := func(n store.Notice) store.Notice {
		t.Helper()
		n.OrderID = o.ID
		n.Body = "{}"
		n.Created = noon
		n.UUID = domain.FormUUID(noon, [16]byte{15: byte(len(post.notices)), 14: byte(len(n.Address)), 13: byte(len(n.Kind))})
		if err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.InsertNotice(&n) }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	hook := add(store.Notice{Kind: store.NoticeWebhook, Address: url, Error: &failed})
	letter := add(store.Notice{Kind: store.NoticeEmail, Address: "a@a.example", Error: &failed})
	add(store.Notice{Kind: store.NoticeEmail, Address: "ok@a.example", Success: true})
	add(store.Notice{Kind: store.NoticeEmail, Address: "later@a.example", Error: &pending})
	if all, err := d.Records.FailedNotices(ctx, o); err != nil || !slices.Equal(all, []string{"webhook: HTTP 500", "email: HTTP 500"}) {
		t.Errorf("failed are %q, %v", all, err)
	}
	resend := func(n store.Notice) error {
		of, sent, err := d.Callbacks.ResendNotice(ctx, n.UUID)
		if err == nil && (of.UUID != o.UUID || sent.ID != n.ID || *sent.Error != store.DeliveryPending) {
			t.Errorf("sent again: %+v, %+v", of, sent)
		}
		return err
	}
	if err := resend(hook); err != nil || len(post.notices) != 1 || post.notices[0].UUID != hook.UUID {
		t.Errorf("%v, sent %+v", err, post.notices)
	}
	if err := resend(hook); codeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "still being sent") {
		t.Errorf("while it is sent: %v", err)
	}
	moved := add(store.Notice{Kind: store.NoticeWebhook, Address: other, Error: &failed})
	if err := resend(moved); codeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "no longer go to that address") {
		t.Errorf("to another address: %v", err)
	}
	if secret, err := d.Orders.SetNotifications(ctx, o.UUID, "", false); err != nil || secret != "" {
		t.Errorf("without a webhook: %q, %v", secret, err)
	}
	if err := resend(letter); err != nil || len(post.notices) != 2 {
		t.Errorf("a letter: %v, sent %+v", err, post.notices)
	}
	unset, _ := bidding(t, d, c, 0)
	o = unset
	if err := resend(add(store.Notice{Kind: store.NoticeWebhook, Address: url + "/2", Error: &failed})); codeOf(err) != api.CodeConflict {
		t.Errorf("of an order without notifications: %v", err)
	}
	{
		if _, err := d.Orders.SetNotifications(ctx, "none", "", true); codeOf(err) != api.CodeNotFound {
			t.Errorf("of no order: %v", err)
		}
	}
}
