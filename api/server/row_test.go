package server_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

// A row of a list has the same JSON as its type, whatever it contains.
func TestRowMatchesItsType(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		a, row, record, links := someRow(rng)
		want, err := json.Marshal(server.RecordOf(a, record, links))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := server.AppendRow([]byte("before"), a, row, links); err != nil || !bytes.Equal(got, append([]byte("before"), want...)) {
			t.Fatalf("%v\n%s\nwant\n%s", err, got, want)
		}
	}
}

func TestADamagedRowIsAnError(t *testing.T) {
	if text, err := server.EncodeRecord(store.Order{Name: "\xff"}); err == nil {
		t.Error(text)
	}
	text, err := server.EncodeRecord(store.Order{})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]store.OrderBrief{
		"no text": {}, "a price": {Text: text, Price: new(math.Inf(1))}, "an address": {Text: text, Notify: &store.Notify{Webhook: "\xff"}},
	} {
		if text, err := server.AppendRow(nil, store.Account{}, row, nil); err == nil {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// someRow returns an order as an order of the list and as a record.
func someRow(rng *rand.Rand) (a store.Account, row store.OrderBrief, record store.Record, links []string) {
	text := func() string {
		all := []string{"", "Solar farm", `"quoted" \ and <b>&`, "line\nbreak\t\x01", "Füße 東京 \u2028", "https://a.example/?x=1&y=2"}
		return all[rng.IntN(len(all))]
	}
	number := func() float64 {
		all := []float64{0, 1, 1234.5, 1e-7, 0.000001, 1e21, 123456789012345680000, -3.25, math.MaxFloat64, math.SmallestNonzeroFloat64, rng.Float64()}
		return all[rng.IntN(len(all))]
	}
	seldom := func() bool { return rng.IntN(3) == 0 }
	a = store.Account{ClientName: text(), ClientEmail: text()}
	o := store.Order{
		UUID: text(), Code: text(), Name: text(), CompanyName: text(), AreaSize: number(), Deliverables: []api.Deliverable{api.DeliverableJPG},
		Deadline: time.Unix(rng.Int64N(4e9), 0).In(time.FixedZone("", 3600*(rng.IntN(26)-12))),
		Status:   api.OrderStatuses()[rng.IntN(len(api.OrderStatuses()))],
	}
	o.Code = "ORD-" + text()
	products := api.DeliveryProducts()
	for range rng.IntN(4) {
		o.Deliverables = append(o.Deliverables, products[rng.IntN(len(products))])
	}
	if seldom() {
		o.RejectionReason = new(text())
	}
	record = store.Record{Order: o}
	record.Extras.OpenQuotes = rng.IntN(2)
	if seldom() {
		record.Price = new(number())
	}
	if !seldom() {
		location := []api.Point{}
		for range rng.IntN(4) {
			location = append(location, api.Point{Lat: number(), Lng: number()})
		}
		record.Locations = [][]api.Point{location}
	}
	if seldom() {
		record.Extras.Details = &api.RecordDetails{Description: text(), OtherMapType: text()}
		if seldom() {
			record.Extras.Details.PointOfContact = &api.PointOfContact{PocName: text(), PocPhone: text()}
			record.Extras.Details.AdvancedOption = &api.AdvancedOption{FlightHeight: new(number()), GCP: seldom()}
		}
	}
	if seldom() {
		record.Extras.Notify = &store.Notify{Webhook: text(), Email: seldom()}
	}
	for range rng.IntN(3) {
		links = append(links, text())
	}
	row = store.OrderBrief{
		Status: store.RecordStatus(o, record.Extras.OpenQuotes), RejectionReason: o.RejectionReason, Price: record.Price, Notify: record.Extras.Notify,
	}
	// The JSON is compared as the store saves it.
	if record.Locations != nil {
		o.Location = record.Locations[0]
	}
	row.Text, _ = server.EncodeRecord(o)
	if record.Extras.Details != nil {
		row.Details, _ = json.Marshal(record.Extras.Details)
	}
	return a, row, record, links
}
