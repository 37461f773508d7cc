package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
)

func TestInvalidQuotes(t *testing.T) {
	b := newBench(t)
	path := "/orders/" + b.place(b.alice).UUID + "/quotes"
	body := func(change string) string {
		return `{"quoteName":"Q","deliveryBy":3,"priceBeforeDiscount":10,"expiryDate":"2026-03-15T00:00:00Z"` + change + `}`
	}
	for text, field := range map[string]string{
		`{"deliveryBy":3,"priceBeforeDiscount":10,"expiryDate":"2026-03-15T00:00:00Z"}`:                       "quoteName",
		`{"quoteName":"Q","priceBeforeDiscount":10,"expiryDate":"2026-03-15T00:00:00Z"}`:                      "deliveryBy",
		`{"quoteName":"Q","deliveryBy":"3 days","priceBeforeDiscount":1,"expiryDate":"2026-03-15T00:00:00Z"}`: "deliveryBy",
		`{"quoteName":"Q","deliveryBy":0,"priceBeforeDiscount":1,"expiryDate":"2026-03-15T00:00:00Z"}`:        "deliveryBy",
		`{"quoteName":"Q","deliveryBy":1.5,"priceBeforeDiscount":1,"expiryDate":"2026-03-15T00:00:00Z"}`:      "deliveryBy",
		`{"quoteName":"Q","deliveryBy":3,"priceBeforeDiscount":-1,"expiryDate":"2026-03-15T00:00:00Z"}`:       "priceBeforeDiscount",
		`{"quoteName":"Q","deliveryBy":3,"priceBeforeDiscount":2e12,"expiryDate":"2026-03-15T00:00:00Z"}`:     "priceBeforeDiscount",
		`{"quoteName":"Q","deliveryBy":3,"priceBeforeDiscount":1,"expiryDate":"2026-03-14T09:26:53Z"}`:        "expiryDate",
		`{"quoteName":"Q","deliveryBy":3,"priceBeforeDiscount":1,"expiryDate":"soon"}`:                        "expiryDate",
		body(`,"discountPercent":101`): "discountPercent", body(`,"currency":"eur"`): "currency", body(`,"reasonForDiscount":" "`): "reasonForDiscount",
		body(`,"finalPrice":1`): "finalPrice", body(`,"description":"` + strings.Repeat("x", 2001) + `"`): "description",
	} {
		r := b.ops("POST", path, text)
		wantFault(t, text, r, 400, api.CodeValidationFailed)
		if !slices.Equal(r.fields(), []string{field}) {
			t.Errorf("%s: faults at %v", text, r.fields())
		}
	}
	dear := b.ops("POST", path, `{"quoteName":"Q","deliveryBy":3,"priceBeforeDiscount":2e12,"expiryDate":"2026-03-15T00:00:00Z"}`)
	if got := dear.fault.Errors[0].Message; got != "must be from 0 to 1000000000000" {
		t.Errorf("a price beyond the limit: %q", got)
	}
	q := into[ops.Quote](t, b.ops("POST", path, body(`,"discountPercent":12.5,"currency":"JPY","reasonForDiscount":"first","description":null`)))
	if q.FinalPrice != api.PriceOf(9) || q.DiscountProvided != "12.5%" || *q.ReasonForDiscount != "first" || q.UUID != q.QuoteID || q.Status != api.QuoteOpen {
		t.Errorf("%+v", q)
	}
	wantFault(t, "no order", b.ops("POST", "/orders/x/quotes", "{"), 404, api.CodeNotFound)
	done := b.takenOver(api.OrderCompleted, api.MissionDataDelivered)
	wantFault(t, "too late", b.ops("POST", "/orders/"+done.uuid+"/quotes", body("")), 409, api.CodeConflict)
}

func TestOperationsSetsDetailsAndNotifications(t *testing.T) {
	s := start(t, &server.Server{})
	o := desks(t, s)
	c := client(t, s)
	ctx := context.Background()
	order, err := c.Orders.Create(ctx, survey(), "")
	if err != nil {
		t.Fatal(err)
	}
	height := 80.5
	in := api.RecordDetails{
		Description: "both banks", OtherMapType: "hologram", PointOfContact: &api.PointOfContact{PocName: "Bo", PocPhone: "+46 1"},
		AdvancedOption: &api.AdvancedOption{FlightHeight: &height, GCP: true},
	}
	if got, err := o.Orders.SetDetails(ctx, order.UUID, in); err != nil || got.PointOfContact.PocPhone != "+46 1" {
		t.Fatalf("%+v, %v", got, err)
	}
	set := func(in ops.NotificationInput) string {
		got, err := o.Orders.SetNotifications(ctx, order.UUID, in)
		if err != nil || got.Webhook != in.Webhook || got.Email != in.Email || (got.Secret == "") != (in.Webhook == "") {
			t.Fatalf("%+v: %+v, %v", in, got, err)
		}
		return got.Secret
	}
	first := set(ops.NotificationInput{Webhook: "https://a.example/x", Email: true})
	if again := set(ops.NotificationInput{Webhook: "https://a.example/x"}); again != first {
		t.Errorf("the secret changed from %q to %q", first, again)
	}
	if other := set(ops.NotificationInput{Webhook: "https://b.example/x", Email: true}); other == first {
		t.Error("another address has the same secret")
	}
	rec, err := c.Records.Get(ctx, order.UUID)
	if err != nil || rec.Description != "both banks" || rec.OtherMapType != "hologram" || *rec.AdvancedOption.FlightHeight != 80.5 || !rec.AdvancedOption.GCP ||
		rec.Notifications.Webhook != "https://b.example/x" || !rec.Notifications.Email {
		t.Errorf("%+v, %v", rec, err)
	}
	seen, err := o.Orders.Get(ctx, order.UUID)
	if err != nil || seen.Details.OtherMapType != "hologram" || seen.Notifications.Webhook != "https://b.example/x" {
		t.Errorf("%+v, %v", seen, err)
	}
	if _, err := o.Orders.SetDetails(ctx, order.UUID, api.RecordDetails{}); err != nil {
		t.Fatal(err)
	}
	set(ops.NotificationInput{})
	rec, err = c.Records.Get(ctx, order.UUID)
	if err != nil || rec.Description != "" || rec.PointOfContact != nil || rec.Notifications == nil || rec.Notifications.Email {
		t.Errorf("%+v, %v", rec, err)
	}
}

func TestInvalidDetailsAndNotifications(t *testing.T) {
	b := newBench(t)
	path := "/orders/" + b.place(b.alice).UUID
	for _, c := range []struct{ path, body, field string }{
		{"/details", `{"advancedOption":{"gcp":"yes"}}`, "advancedOption.gcp"},
		{"/details", `{"advancedOption":{"flightHeight":-1}}`, "advancedOption.flightHeight"},
		{"/details", `{"pointOfContact":{"pocname":"x"}}`, "pointOfContact.pocname"},
		{"/details", `{"pointOfContact":[]}`, "pointOfContact"},
		{"/details", `{"orderName":"x"}`, "orderName"},
		{"/notifications", `{"webhook":"http://a.example"}`, "webhook"},
		{"/notifications", `{"webhook":"https://u:p@a.example"}`, "webhook"},
		{"/notifications", `{"email":"a@b.example"}`, "email"},
	} {
		r := b.ops("PUT", path+c.path, c.body)
		wantFault(t, c.body, r, 400, api.CodeValidationFailed)
		if !slices.Equal(r.fields(), []string{c.field}) {
			t.Errorf("%s: faults at %v", c.body, r.fields())
		}
	}
	archived := b.takenOver(api.OrderArchived, api.MissionCancelled)
	for _, what := range []string{"/details", "/notifications"} {
		wantFault(t, "no body", b.ops("PUT", path+what, nil), 400, api.CodeMalformedBody)
		wantFault(t, "no order", b.ops("PUT", "/orders/x"+what, "{"), 404, api.CodeNotFound)
		wantFault(t, "put away", b.ops("PUT", "/orders/"+archived.uuid+what, "{}"), 409, api.CodeConflict)
		if r := b.ops("PUT", path+what, `{"webhook":null}`); what == "/notifications" && r.status != 200 {
			t.Errorf("%s", r.raw)
		}
	}
}

func TestOperationsEndsOrders(t *testing.T) {
	b := newBench(t)
	o := b.place(b.alice)
	wantFault(t, "not feasible before a quote", b.ops("POST", "/orders/"+o.UUID+"/not-feasible", `{"reason":"fog"}`), 409, api.CodeConflict)
	for range 2 {
		r := b.ops("POST", "/orders/"+o.UUID+"/reject", `{"reason":"no fly zone"}`)
		if got := into[api.Order](t, r); got.Status != api.OrderRejected || *got.RejectionReason != "no fly zone" || statuses(got)[0] != api.MissionCancelled {
			t.Errorf("%s", r.raw)
		}
	}
	rec := into[api.OrderRecord](t, b.legacy("/getorder/"+o.UUID, b.alice, ""))
	if rec.OrderStatus != api.RecordRejected || rec.OrderRejectionReason != "no fly zone" {
		t.Errorf("%+v", rec)
	}
	for _, status := range []api.OrderStatus{api.OrderPendingOperator, api.OrderOperatorAssigned, api.OrderFlyingDateSet} {
		p := b.takenOver(status, api.MissionPilotAssigned)
		r := b.ops("POST", "/orders/"+p.uuid+"/not-feasible", `{"reason":"crane"}`)
		if got := into[api.Order](t, r); got.Status != api.OrderNotFeasible || statuses(got)[0] != api.MissionCancelled {
			t.Errorf("%s", r.raw)
		}
		rec := into[api.OrderRecord](t, b.legacy("/getorder/"+p.uuid, p.key, ""))
		if rec.OrderStatus != api.RecordNotFeasible || rec.OrderRejectionReason != "crane" {
			t.Errorf("%+v", rec)
		}
	}
	done := b.takenOver(api.OrderCompleted, api.MissionCompleted)
	wantFault(t, "not feasible when done", b.ops("POST", "/orders/"+done.uuid+"/not-feasible", `{"reason":"x"}`), 409, api.CodeConflict)
	wantFault(t, "rejected when done", b.ops("POST", "/orders/"+done.uuid+"/reject", `{"reason":"x"}`), 409, api.CodeConflict)
	wantFault(t, "without reason", b.ops("POST", "/orders/"+done.uuid+"/reject", `{}`), 400, api.CodeValidationFailed)
	wantFault(t, "no order", b.ops("POST", "/orders/x/not-feasible", `{`), 404, api.CodeNotFound)
	archived := b.takenOver(api.OrderArchived, api.MissionCancelled)
	if got := into[api.Order](t, b.ops("DELETE", "/orders/"+archived.uuid, nil)); got.Status != api.OrderDeleted {
		t.Errorf("%+v", got)
	}
	if list := into[[]api.OrderRecord](t, b.legacy("/getorderslist", archived.key, `{"status":"deleted"}`)); len(list) != 1 || list[0].OrderStatus != api.RecordDeleted {
		t.Errorf("%+v", list)
	}
}

func TestDatasets(t *testing.T) {
	b := newBench(t)
	o := desks(t, b.s)
	account := b.accountOf(b.alice)
	ctx := context.Background()
	add := func(name string, files ...api.FileInput) *ops.Dataset {
		set, err := o.Datasets.Add(ctx, account, ops.DatasetInput{
			DatasetName: name, Categories: []string{"coast", "erosion, tides"}, Description: "d", SDGGoals: []string{"13"}, LocationLabel: "Sylt",
			LocationMap: []api.Point{{Lat: 54.9, Lng: 8.3}}, DateCompleted: api.ParseDate("2025-11-02"),
		}, files...)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	file := func(name string, kind api.Deliverable) api.FileInput {
		return api.FileInput{Name: name, FileDataType: kind, Content: strings.NewReader(name)}
	}
	first := add("First", file("a.jpg", "jpg"), file("b.tif", "elevationMap"), file("c.las", "LiDAR"))
	if first.UUID == "" || first.ID != first.UUID || first.DeliveryFiles.Len() != 3 || len(first.Categories) != 2 {
		t.Fatalf("%+v", first)
	}
	for range 11 {
		add("More", file("x.jpg", "jpg"))
	}
	c, err := api.NewClient(b.origin+publicHandlers, api.WithKey(b.alice), api.WithLegacyURL(b.origin+legacyHandlers))
	if err != nil {
		t.Fatal(err)
	}
	set, err := c.Library.Get(ctx, first.UUID)
	if err != nil || len(set.DeliveryFiles.BaseFiles) != 1 || len(set.DeliveryFiles.ProcessedData) != 0 || set.DateCompleted.String() != "2025-11-02" ||
		set.Categories[1] != "erosion, tides" || set.SDGGoals[0] != "13" || set.LocationMap[0].Lng != 8.3 || set.LocationLabel != "Sylt" {
		t.Errorf("%+v, %v", set, err)
	}
	set, err = c.Library.Get(ctx, first.UUID, "elevationMap", "raw")
	if err != nil || len(set.DeliveryFiles.BaseFiles) != 0 || len(set.DeliveryFiles.ProcessedData) != 1 {
		t.Fatalf("%+v, %v", set, err)
	}
	resp, err := http.Get(set.DeliveryFiles.ProcessedData["elevationMap"][0])
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "b.tif" {
		t.Errorf("%s, %v", body, err)
	}
	if page := into[[]api.Dataset](t, b.legacy("/datalibraryorders", b.alice, "")); len(page) != 10 || page[0].DatasetName != "More" {
		t.Errorf("%+v", page)
	}
	page := into[[]api.Dataset](t, b.legacy("/datalibraryorders", b.alice, `{"page":1,"fileDataType":["LiDAR"]}`))
	if len(page) != 2 || page[1].ID != first.UUID || page[1].DeliveryFiles.Len() != 1 || page[0].DeliveryFiles.Len() != 0 {
		t.Errorf("%+v", page)
	}
	if none := b.legacy("/datalibraryorders", b.bob, ""); string(none.raw) != "[]" {
		t.Errorf("another account's: %s", none.raw)
	}
	wantFault(t, "another account's", b.legacy("/datalibraryorders/"+first.UUID, b.bob, "{"), 403, api.CodeNotYourResource)
}

func TestInvalidDatasets(t *testing.T) {
	b := newBench(t)
	path := "/accounts/" + b.accountOf(b.alice) + "/datasets"
	for what, c := range map[string]struct {
		fields [][2]string
		files  []content
		want   []string
	}{
		"nothing":         {nil, nil, []string{"files", "datasetName"}},
		"no kind":         {[][2]string{{"datasetName", "A"}}, []content{{"a.jpg", "", "a"}}, []string{"fileDataType"}},
		"unknown kind":    {[][2]string{{"datasetName", "A"}}, []content{{"a.jpg", "photo", "a"}}, []string{"fileDataType[0]"}},
		"two names":       {[][2]string{{"datasetName", "A"}, {"datasetName", "B"}}, []content{{"a.jpg", "jpg", "a"}}, []string{"datasetName", "datasetName"}},
		"no date":         {[][2]string{{"datasetName", "A"}, {"dateCompleted", "2025-13-01"}}, []content{{"a.jpg", "jpg", "a"}}, []string{"dateCompleted"}},
		"no location":     {[][2]string{{"datasetName", "A"}, {"locationMap", "[{"}}, []content{{"a.jpg", "jpg", "a"}}, []string{"locationMap"}},
		"half a location": {[][2]string{{"datasetName", "A"}, {"locationMap", `[{"lat":1}]`}}, []content{{"a.jpg", "jpg", "a"}}, []string{"locationMap[0].lng"}},
		"a blank goal":    {[][2]string{{"datasetName", "A"}, {"sdgGoals", " "}}, []content{{"a.jpg", "jpg", "a"}}, []string{"sdgGoals[0]"}},
	} {
		form, mediaType := filesForm(t, "files", c.fields, c.files...)
		r := b.ops("POST", path, form, "Content-Type", mediaType)
		wantFault(t, what, r, 400, api.CodeValidationFailed)
		if !slices.Equal(r.fields(), c.want) {
			t.Errorf("%s: faults at %v", what, r.fields())
		}
	}
	if n := server.FilesKept(b.s); n != 0 {
		t.Errorf("%d files of refused uploads are kept", n)
	}
	wantFault(t, "a text", b.ops("POST", path, "{}", "Content-Type", "text/plain"), 415, api.CodeUnsupportedMediaType)
	wantFault(t, "no account", b.ops("POST", "/accounts/x/datasets", "{}"), 404, api.CodeNotFound)
}

// The bodies that Operations and the v2 API take are read or refused
// with a reason; what is read, the document takes.
func FuzzRecordBodies(f *testing.F) {
	for kind, bodies := range [][]string{
		{`{"status":"completed","fileDataType":["raw"],"limit":5,"page":2}`, `{}`, `{"limit":1e2}`, `{"page":-0}`},
		{`{"status":"accept"}`, `{"status":"reject","x":1}`},
		{`{"quoteName":"Q","deliveryBy":3,"priceBeforeDiscount":10.005,"expiryDate":"2100-01-01T00:00:00Z","discountPercent":5}`},
		{`{"description":"d","pointOfContact":{"pocName":"n"},"advancedOption":{"flightHeight":80,"gcp":true}}`},
		{`{"webhook":"https://a.example","email":true}`},
	} {
		for _, body := range bodies {
			f.Add(byte(kind), []byte(body))
		}
	}
	paths := []string{"/api/v2/getorderslist", "/api/v2/order/o/quote/q", "/api/ops/v1/orders/o/quotes", "/api/ops/v1/orders/o/details", "/api/ops/v1/orders/o/notifications"}
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		k := int(kind) % len(paths)
		err := server.ReadRecordBody(k, body, time.Unix(0, 0))
		var refusal *domain.Error
		if err != nil {
			if !errors.As(err, &refusal) || refusal.Message == "" {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		method := http.MethodPost
		if k > 2 {
			method = http.MethodPut
		}
		r, err := http.NewRequest(method, "http://localhost"+paths[k], strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if err := theContract(t).acceptsRequest(r); err != nil {
			t.Errorf("the document refuses it: %v", err)
		}
	})
}
