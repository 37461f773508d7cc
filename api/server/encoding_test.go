package server_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// withUnknown adds an unknown member to each record of a response, as a later version of the service
// can.
func withUnknown(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withUnknown(v[i])
		}
	case map[string]any:
		_, point := v["lat"]
		_, page := v["nextCursor"]
		for name := range v {
			if name != "processedData" { // its members are lists of links
				v[name] = withUnknown(v[name])
			}
		}
		if !point && !page {
			v["zz-new"] = map[string]any{"a": []any{1.5, nil, "ü<&>"}}
		}
	}
	return v
}

// checkRoundTrip decodes a record, encodes it and decodes it again, and checks that nothing was lost
// or added.
func checkRoundTrip[T any](t *testing.T, raw []byte) {
	t.Helper()
	var sent any
	if err := json.Unmarshal(raw, &sent); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	for range 2 { // unchanged, and with unknown members
		text, err := api.EncodeRecord(sent)
		if err != nil {
			t.Fatal(err)
		}
		var first, second T
		if err := api.DecodeRecord(text, &first); err != nil {
			t.Fatalf("%T: %v of %s", first, err, text)
		}
		written, err := api.EncodeRecord(first)
		if err != nil {
			t.Fatalf("%T: %v", first, err)
		}
		var got any
		if err := json.Unmarshal(written, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, sent) {
			t.Errorf("%T: %s\nwritten as %s", first, text, written)
		}
		if byPointer, err := api.EncodeRecord(&first); err != nil || string(byPointer) != string(written) {
			t.Errorf("%T: a pointer to it is written as %s, %v", first, byPointer, err)
		}
		if err := api.DecodeRecord(written, &second); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%T: read again as %+v, not %+v (%v)", first, second, first, err)
		}
		sent = withUnknown(sent)
	}
}

func TestAnswersAreUnchangedAfterDecodingAndEncoding(t *testing.T) {
	b := newBench(t)
	past := b.deliveredPast()
	code := b.place(b.alice)
	account := b.accountOf(b.alice)
	hook, _, _, dataset := b.furnish(account, code.UUID)
	b.sendTest(hook, api.EventFlightScheduled)
	get := func(path, key string) []byte {
		t.Helper()
		r := b.call("GET", path, key, nil)
		if r.status != 200 {
			t.Fatalf("%s: %d %s", path, r.status, r.raw)
		}
		return r.Data
	}
	desk := func(path string) []byte { return get(opsPath+path, b.s.Ready().OpsKey) }
	order := get(publicHandlers+"/orders/"+code.OrderCode, b.alice)
	checkRoundTrip[api.Order](t, order)
	checkRoundTrip[api.Page[api.Order]](t, get(publicHandlers+"/orders", b.alice))
	checkRoundTrip[api.Page[api.Mission]](t, get(publicHandlers+"/orders/"+code.OrderCode+"/missions", b.alice))
	packages := get(publicHandlers+"/missions/"+past.mission[0]+"/delivery-packages", past.key)
	checkRoundTrip[api.Page[api.DeliveryPackage]](t, packages)
	var found api.Page[api.DeliveryPackage]
	if err := api.DecodeRecord(packages, &found); err != nil || len(found.Items) != 1 {
		t.Fatalf("%s: %v", packages, err)
	}
	checkRoundTrip[api.Page[api.DeliveryFile]](t, get(publicHandlers+"/delivery-packages/"+found.Items[0].UUID+"/files", past.key))
	checkRoundTrip[api.Page[api.WebhookEndpoint]](t, get(webhooks, b.alice))
	checkRoundTrip[api.Page[api.WebhookDelivery]](t, get(webhooks+"/"+hook+"/deliveries", b.alice))
	checkRoundTrip[api.OrderRecord](t, b.legacy("/getorder/"+code.UUID, b.alice, "").Data)
	checkRoundTrip[api.OrderRecord](t, b.legacy("/getorder/"+past.uuid, past.key, "").Data)
	checkRoundTrip[struct {
		Orders []api.OrderRecord `json:"orders"`
		Extra  api.ExtraMembers  `json:",embed"`
	}](t, slices.Concat([]byte(`{"orders":`), b.legacy("/getorderslist", b.alice, "").Data, []byte("}")))
	checkRoundTrip[api.Dataset](t, b.legacy("/datalibraryorders/"+dataset, b.alice, "").Data)
	checkRoundTrip[ops.Order](t, desk("/orders/"+code.UUID))
	checkRoundTrip[ops.Order](t, desk("/orders/"+past.uuid))
	checkRoundTrip[api.Page[ops.Order]](t, desk("/orders"))
	checkRoundTrip[api.Page[ops.Account]](t, desk("/accounts"))
	checkRoundTrip[api.Page[ops.AccountKey]](t, desk("/accounts/"+account+"/keys"))
	checkRoundTrip[api.Page[ops.KeyRequest]](t, desk("/key-requests"))
	checkRoundTrip[ops.ServiceClock](t, desk("/clock"))
	checkRoundTrip[ops.Faults](t, desk("/faults"))
	checkRoundTrip[ops.SimulatorState](t, desk("/simulator"))
}
