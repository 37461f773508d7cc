package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// found searches for a text and returns what was found.
func (b *bench) found(text string) []ops.Found {
	b.t.Helper()
	r := b.ops("GET", "/find?q="+url.QueryEscape(text), nil)
	if r.status != http.StatusOK {
		b.t.Fatalf("find %s: %d %s", text, r.status, r.raw)
	}
	return into[api.Page[ops.Found]](b.t, r).Items
}

// Any reference in a ticket is found with its account.
func TestFindAcceptsTextsFromTickets(t *testing.T) {
	b := newBench(t)
	koeln := b.account("Vermessung Köln AG")
	account := b.accountOf(koeln)
	if r := b.ops("PATCH", "/accounts/"+account, `{"clientName":"Jörg Müller","clientEmail":"joerg@vermessung.example"}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	key := b.issue(account, domain.KeySpec{Scopes: api.Scopes()})
	order := b.place(koeln)
	detail := into[api.Order](t, b.call("GET", publicHandlers+"/orders/"+order.OrderCode, koeln, nil))
	mission := detail.Missions[0]
	quote := b.quote(order.UUID, 100)
	endpoint := b.register(koeln, "https://hooks.vermessung.example/flights")
	incoming := b.register(koeln, "https://hooks.vermessung.example/files/incoming")
	ofClient := b.register(koeln, "https://hooks.vermessung.example"+publicHandlers+"/00000000-0000-0000-0000-000000000001")
	callback := b.sendTest(endpoint.UUID, api.EventFlightScheduled)
	b.call("GET", publicHandlers+"/orders", koeln, nil, "X-Request-Id", "req-4711")
	past, files := b.delivered(content{"Nordfeld.tif", api.DeliverableJPG, "content of the map"})
	for _, c := range []struct {
		text, kind, name, uuid, account string
	}{
		{order.OrderCode, "order", "order code", order.UUID, account},
		{strings.ToLower(order.OrderCode), "order", "order code", order.UUID, account},
		{strings.TrimPrefix(order.OrderCode, "ORD-"), "order", "order number", order.UUID, account},
		{order.UUID, "order", "order UUID", order.UUID, account},
		{strings.ToUpper(order.UUID), "order", "order UUID", order.UUID, account},
		{mission.MissionCode, "mission", "mission code", mission.UUID, account},
		{mission.UUID, "mission", "mission UUID", mission.UUID, account},
		{quote.UUID, "quote", "quote ID", quote.UUID, account},
		{endpoint.UUID, "endpoint", "endpoint ID", endpoint.UUID, account},
		{"https://hooks.vermessung.example/flights", "endpoint", "address", endpoint.UUID, account},
		{incoming.URL, "endpoint", "address like a link", incoming.UUID, account},
		{ofClient.URL, "endpoint", "address like a request", ofClient.UUID, account},
		{"HOOKS.vermessung.example/", "endpoint", "host", endpoint.UUID, account},
		{callback.UUID, "callback", "callback ID", callback.UUID, account},
		{"joerg@vermessung.example", "account", "e-mail", account, account},
		{"jörg", "account", "contact", account, account},
		{"koeln", "account", "company", account, account},
		{"koln", "account", "company", account, account},
		{"KÖLN", "account", "company", account, account},
		{account, "account", "account ID", account, account},
		{key.key[len(key.key)-4:], "key", "key ending", key.uuid, account},
		{"••••" + key.key[len(key.key)-4:], "key", "key ending", key.uuid, account},
		{key.uuid, "key", "key ID", key.uuid, account},
		{"req-4711", "request", "request ID", "", account},
		{"nordfeld.TIF", "file", "file name", files[0].UUID, past.account},
		{files[0].UUID, "file", "file ID", files[0].UUID, past.account},
		{files[0].DownloadURL, "file", "link", files[0].UUID, past.account},
		{strings.Replace(files[0].DownloadURL, "/files/", "/files/x", 1), "file", "altered link", files[0].UUID, past.account},
		{b.origin + publicHandlers + "/orders/" + order.OrderCode + "/missions?limit=3", "order", "address of a request", order.UUID, account},
		{b.origin + publicHandlers + "/missions/" + mission.UUID + "/planning", "mission", "address of a request", mission.UUID, account},
	} {
		found := b.found(c.text)
		i := slices.IndexFunc(found, func(f ops.Found) bool {
			return string(f.Kind) == c.kind && f.UUID == c.uuid && f.AccountUID == c.account
		})
		if i < 0 {
			t.Errorf("%s %q: %+v", c.name, c.text, found)
		}
	}
	if f := b.found(mission.MissionCode); len(f) != 1 || f[0].OrderCode != order.OrderCode || f[0].CompanyName != "Vermessung Köln AG" {
		t.Errorf("a mission: %+v", f)
	}
	if f := b.found("req-4711"); f[0].Name != "GET /api/v1/public/orders 200" {
		t.Errorf("a request: %+v", f)
	}
	if f := b.found(detail.CompanyName); len(f) == 0 || f[0].Kind != ops.FoundOrder {
		t.Errorf("the company of an order: %+v", f)
	}
	longLink := b.origin + "/files/x/" + strings.Repeat("x", domain.MaxSearch)
	for _, nothing := range []string{longLink, "nobody", "ORD-1", "00000000-0000-0000-0000-000000000000", "%%%", "___"} {
		if f := b.found(nothing); len(f) != 0 {
			t.Errorf("%s: %+v", nothing, f)
		}
	}
	for _, bad := range []string{"", "x", strings.Repeat("x", domain.MaxSearch+1), "a\x00b"} {
		if r := b.ops("GET", "/find?q="+url.QueryEscape(bad), nil); r.status != 400 || r.fields()[0] != "q" {
			t.Errorf("%q: %d %s", bad, r.status, r.raw)
		}
	}
	client := desks(t, b.s)
	if got, err := client.Requests.Find(t.Context(), "koeln"); err != nil || len(got) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := client.Requests.Find(t.Context(), " "+key.key); err != nil || len(got) != 1 || got[0].UUID != key.uuid {
		t.Errorf("a key: %+v, %v", got, err)
	}
	for _, header := range []string{"Bearer ", "Authorization: Bearer "} {
		got, err := client.Requests.Find(t.Context(), header+key.key)
		if err != nil || len(got) != 1 || got[0].UUID != key.uuid {
			t.Errorf("%s and a key: %+v, %v", header, got, err)
		}
	}
}

// BenchmarkFind searches a folder of 100,000 orders, 1,000 accounts and 3,000 endpoints.
func BenchmarkFind(b *testing.B) {
	grown := growFolder(b, 100_000)
	s := start(b, &server.Server{Dir: grown.dir})
	d := server.DomainOf(s)
	ctx := context.Background()
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		var all error
		for i := range 1000 {
			account := store.Account{
				UUID: fmt.Sprintf("account-%d", i), CompanyName: fmt.Sprintf("Vermessung Süd %d", i),
				ClientEmail: fmt.Sprintf("client%d@example.com", i), Created: time.Now(),
			}
			all = errors.Join(all, store.Insert(tx, &account))
			for j := range 3 {
				all = errors.Join(all, store.Insert(tx, &store.Webhook{
					UUID: fmt.Sprintf("webhook-%d-%d", i, j), AccountID: account.ID, Created: time.Now(), Updated: time.Now(),
					URL: fmt.Sprintf("https://hooks%d.example.com/flights/%d", i, j),
				}))
			}
		}
		return all
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, text := range []string{"ORD-150000", "sued 999", "hooks999.example.com", "no such thing", "00000000-0000-4000-8000-000000000000"} {
		b.Run(strings.ReplaceAll(text, " ", "-"), func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Requests.Find(ctx, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A file without a package is found by its link too: a file of a dataset, and a permit.
func TestFindAcceptsLinksOfPermitsAndDatasets(t *testing.T) {
	b := newBench(t)
	client := desks(t, b.s)
	account := b.accountOf(b.alice)
	order := b.place(b.alice)
	mission := into[api.Order](t, b.call("GET", publicHandlers+"/orders/"+order.OrderCode, b.alice, nil)).Missions[0]
	file := func(name string) *api.FileInput {
		return &api.FileInput{Name: name, FileDataType: api.DeliverableJPG, Content: strings.NewReader(name)}
	}
	dataset, err := client.Datasets.Add(t.Context(), account, ops.DatasetInput{DatasetName: "Sylt"}, *file("coast.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	permission := ops.PermissionInput{Status: api.PermissionGranted}
	_, err = client.Missions.SetFlightPermission(t.Context(), mission.UUID, permission, file("permit.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	permit := into[api.FlightPermission](t, b.call("GET", publicHandlers+"/missions/"+mission.UUID+"/flight-permission", b.alice, nil))
	fileOfDataset := dataset.DeliveryFiles.BaseFiles[0]
	for _, c := range []struct{ link, name, order, mission string }{
		{fileOfDataset, "coast.jpg", "", ""},
		{*permit.PermitFileURL, "permit.pdf", order.OrderCode, mission.MissionCode},
	} {
		found := b.found(c.link)
		if len(found) != 1 {
			t.Errorf("%s: %+v", c.name, found)
			continue
		}
		f := found[0]
		if f.Kind != ops.FoundFile || f.Name != c.name || f.AccountUID != account || f.OrderCode != c.order || f.MissionCode != c.mission {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}
