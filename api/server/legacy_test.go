package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
)

const legacyHandlers = server.LegacyPath

// legacy calls the v2 API. Its successful responses have no envelope, so Data is the whole response.
func (b *bench) legacy(path, key, body string, header ...string) reply {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodPost, b.origin+legacyHandlers+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if body == "" {
		r.Body = http.NoBody
	}
	r.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	a := reply{status: resp.StatusCode, header: resp.Header}
	a.raw, err = io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	theContract(b.t).checkAnswer(b.t, r, resp, a.raw)
	a.Data = a.raw
	if resp.StatusCode == http.StatusOK {
		return a
	}
	if err := json.Unmarshal(a.raw, &a); err != nil {
		b.t.Fatalf("%s: %v", a.raw, err)
	}
	if err := json.Unmarshal(a.Data, &a.fault); err != nil {
		b.t.Fatalf("%s: %v", a.raw, err)
	}
	return a
}

// quote issues a quote for an order, valid for an hour.
func (b *bench) quote(order string, price float64) ops.Quote {
	b.t.Helper()
	r := b.ops("POST", "/orders/"+order+"/quotes", ops.QuoteInput{
		QuoteName: "Two crews", DeliveryBy: 20, PriceBeforeDiscount: price, ExpiryDate: api.TimeOf(b.clock.now().Add(time.Hour)),
	})
	if r.status != 201 {
		b.t.Fatalf("%d %s", r.status, r.raw)
	}
	return into[ops.Quote](b.t, r)
}

// members lists the names of an object's members.
func members(t testing.TB, raw []byte) []string {
	t.Helper()
	var names []string
	var object map[string]jsontext.Value
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestRecordOfANewOrder(t *testing.T) {
	b := newBench(t)
	o := b.place(b.alice)
	for _, path := range []string{"/getorder/" + o.UUID, "/getorder/" + o.OrderCode} {
		for _, body := range []string{"", "{}", `{"fileDataType":null}`, `{"fileDataType":[]}`, `{"fileDataType":["ndvi","ndvi"]}`} {
			r := b.legacy(path, b.alice, body)
			rec := into[api.OrderRecord](t, r)
			if r.status != 200 || rec.ID != o.UUID || rec.OrderCode != o.OrderCode || rec.OrderStatus != api.RecordReviewing || rec.OrderPrice.Known {
				t.Fatalf("%s %s: %d %s", path, body, r.status, r.raw)
			}
			if !bytes.Contains(r.raw, []byte(`"orderPrice":""`)) || !bytes.Contains(r.raw, []byte(`"deliveryFiles":{"baseFiles":[],"processedData":{}}`)) {
				t.Errorf("%s", r.raw)
			}
			if *rec.AreaSize != 1200.5 || rec.CompanyName != o.CompanyName || rec.DeliveryDeadline.String() != "2026-05-11" ||
				!slices.Equal(rec.MapTypes, []api.Deliverable{"thermalMap"}) || len(rec.LocationMap) != 3 || len(rec.LocationMaps) != 2 {
				t.Errorf("%+v", rec)
			}
			for _, unset := range []string{"description", "otherMapType", "pointOfContact", "advancedOption", "notifications", "quotes", "status", "acceptedQuote"} {
				if slices.Contains(members(t, r.raw), unset) {
					t.Errorf("%s is there: %s", unset, r.raw)
				}
			}
		}
	}
}

func TestLegacyChecksComeInOrder(t *testing.T) {
	b := newBench(t)
	o := b.place(b.alice)
	q := b.quote(o.UUID, 10)
	read := b.issue(b.accountOf(b.alice), domain.KeySpec{Scopes: []api.Scope{api.ScopeOrdersRead}}).key
	files := b.issue(b.accountOf(b.alice), domain.KeySpec{Scopes: []api.Scope{api.ScopeFilesRead}}).key
	order := "/getorder/" + o.UUID
	decision := "/order/" + o.UUID + "/quote/" + q.UUID
	text := []string{"Content-Type", "text/plain"}
	for _, c := range []struct {
		what, path, key, body string
		header                []string
		status                int
		code                  api.ErrorCode
	}{
		{"no key", "/getorder/x", "nobody", "{", text, 401, api.CodeUnauthenticated},
		{"no scope to read", "/getorder/x", files, "{", text, 403, api.CodeMissingScope},
		{"no scope to list", "/getorderslist", files, "{", text, 403, api.CodeMissingScope},
		{"no scope to decide", "/order/x/quote/y", read, "{", text, 403, api.CodeMissingScope},
		{"no scope for the library", "/datalibraryorders", read, "{", text, 403, api.CodeMissingScope},
		{"no scope for a dataset", "/datalibraryorders/x", read, "{", text, 403, api.CodeMissingScope},
		{"no order", "/getorder/x", b.alice, "{", text, 404, api.CodeNotFound},
		{"no order to decide on", "/order/x/quote/" + q.UUID, b.alice, "{", text, 404, api.CodeNotFound},
		{"no quote", "/order/" + o.UUID + "/quote/x", b.alice, "{", text, 404, api.CodeNotFound},
		{"no dataset", "/datalibraryorders/x", b.alice, "{", text, 404, api.CodeNotFound},
		{"not yours", order, b.bob, "{", text, 403, api.CodeNotYourResource},
		{"not yours to decide", decision, b.bob, "{", text, 403, api.CodeNotYourResource},
		{"media type", order, b.alice, "{", text, 415, api.CodeUnsupportedMediaType},
		{"media type of a list", "/getorderslist", b.alice, "{", text, 415, api.CodeUnsupportedMediaType},
		{"too large", order, b.alice, strings.Repeat(" ", api.MaxBodyBytes+1), nil, 413, api.CodeTooLarge},
		{"no JSON", order, b.alice, "{", nil, 400, api.CodeMalformedBody},
		{"two values", "/getorderslist", b.alice, "{}{}", nil, 400, api.CodeMalformedBody},
		{"a decision without body", decision, b.alice, "", nil, 400, api.CodeMalformedBody},
		{"a decision of nothing", decision, b.alice, "{}", nil, 400, api.CodeValidationFailed},
		{"no creation here", "/createorder", b.alice, "{}", nil, 404, api.CodeNotFound},
	} {
		wantFault(t, c.what, b.legacy(c.path, c.key, c.body, c.header...), c.status, c.code)
	}
	wantFault(t, "by GET", b.call("GET", legacyHandlers+order, b.alice, nil), 405, api.CodeMethodNotAllowed)
}

func TestInvalidSelections(t *testing.T) {
	b := newBench(t)
	o := b.place(b.alice)
	eleven := `["_2dMap","_3dMap","elevationMap","digitalTerrainModel","digitalSurfaceModel","thermalMap","ndvi","multispectral","streamedData","raw","raw"]`
	for _, c := range []struct{ path, body, field string }{
		{"/getorderslist", `{"limit":0}`, "limit"},
		{"/getorderslist", `{"limit":101}`, "limit"},
		{"/getorderslist", `{"limit":1.5}`, "limit"},
		{"/getorderslist", `{"limit":"10"}`, "limit"},
		{"/getorderslist", `{"page":-1}`, "page"},
		{"/getorderslist", `{"page":[]}`, "page"},
		{"/getorderslist", `{"status":"biddingWithQuote"}`, "status"},
		{"/getorderslist", `{"fileDataType":"raw"}`, "fileDataType"},
		{"/getorderslist", `{"fileDataType":["jpg"]}`, "fileDataType[0]"},
		{"/getorderslist", `{"cursor":"x"}`, "cursor"},
		{"/getorderslist", `{"Page":1}`, "Page"},
		{"/getorder/" + o.UUID, `{"limit":1}`, "limit"},
		{"/getorder/" + o.UUID, `{"fileDataType":["raw","hologram"]}`, "fileDataType[1]"},
		{"/datalibraryorders", `{"fileDataType":` + eleven + `}`, "fileDataType"},
		{"/datalibraryorders", `{"status":"completed"}`, "status"},
		{"/datalibraryorders", `{"limit":1000}`, "limit"},
		{"/datalibraryorders", `[]`, "body"},
	} {
		r := b.legacy(c.path, b.alice, c.body)
		wantFault(t, c.path+" "+c.body, r, 400, api.CodeValidationFailed)
		if !slices.Equal(r.fields(), []string{c.field}) {
			t.Errorf("%s %s: faults at %v", c.path, c.body, r.fields())
		}
	}
	for _, body := range []string{`{"fileDataType":` + eleven + `}`, `{"page":2147483647}`, `{"page":null,"limit":null,"status":null}`} {
		if r := b.legacy("/getorderslist", b.alice, body); r.status != 200 {
			t.Errorf("%s: %d %s", body, r.status, r.raw)
		}
	}
}

func TestQuoteStage(t *testing.T) {
	b := newBench(t)
	o := b.place(b.alice)
	first := b.quote(o.UUID, 1000)
	second := b.quote(o.UUID, 900.555)
	r := b.legacy("/getorder/"+o.UUID, b.alice, "")
	rec := into[api.OrderRecord](t, r)
	if rec.Status != api.RecordQuoteReceived || rec.OrderStatus != api.RecordQuoteReceived || rec.Instruction == "" || len(rec.Quotes) != 2 ||
		rec.RejectedQuotes == nil || len(rec.RejectedQuotes) != 0 || rec.OrderDetails == nil || rec.OrderDetails.ID != o.UUID {
		t.Fatalf("%s", r.raw)
	}
	q := rec.Quotes[1]
	if q.QuoteID != second.UUID || q.PriceBeforeDiscount != api.PriceOf(900.56) || q.FinalPrice != api.PriceOf(900.56) || q.Currency != "EUR" ||
		q.DiscountProvided != "0%" || q.DeliveryBy != api.DaysOf(20) || !bytes.Contains(r.raw, []byte(`"deliveryBy":"20 days"`)) {
		t.Errorf("%s", r.raw)
	}
	if list := into[[]api.OrderRecord](t, b.legacy("/getorderslist", b.alice, `{"status":"quoteReceived"}`)); len(list) != 1 || list[0].ID != o.UUID {
		t.Errorf("%+v", list)
	}

	reject := b.legacy("/order/"+o.UUID+"/quote/"+first.UUID, b.alice, `{"status":"reject"}`)
	if reject.status != 200 || !bytes.HasPrefix(reject.raw, []byte(`{"status":"Quote rejected","quoteDetails":{"quoteId":"`+first.UUID)) {
		t.Fatalf("%s", reject.raw)
	}
	if again := b.legacy("/order/"+o.OrderCode+"/quote/"+first.UUID, b.alice, `{"status":"reject"}`); again.status != 200 {
		t.Errorf("again: %s", again.raw)
	}
	rec = into[api.OrderRecord](t, b.legacy("/getorder/"+o.UUID, b.alice, ""))
	if len(rec.Quotes) != 1 || len(rec.RejectedQuotes) != 1 || rec.RejectedQuotes[0].QuoteID != first.UUID {
		t.Errorf("%+v", rec)
	}
	b.legacy("/order/"+o.UUID+"/quote/"+second.UUID, b.alice, `{"status":"reject"}`)
	rec = into[api.OrderRecord](t, b.legacy("/getorder/"+o.UUID, b.alice, ""))
	if rec.OrderStatus != api.RecordReviewing || rec.Status != "" || len(rec.RejectedQuotes) != 2 || rec.ClosedQuotes == nil || rec.AcceptedQuote != nil {
		t.Errorf("after the last rejection: %+v", rec)
	}

	third := b.quote(o.UUID, 50)
	fourth := b.quote(o.UUID, 60)
	accept := b.legacy("/order/"+o.UUID+"/quote/"+fourth.UUID, b.alice, `{"status":"accept"}`)
	if accept.status != 200 || !bytes.HasPrefix(accept.raw, []byte(`{"status":"Quote accepted",`)) {
		t.Fatalf("%s", accept.raw)
	}
	late := b.legacy("/order/"+o.UUID+"/quote/"+third.UUID, b.alice, `{"status":"accept"}`)
	wantFault(t, "a closed quote", late, 409, api.CodeConflict)
	if !strings.Contains(late.Message, fourth.UUID) || !strings.Contains(late.Message, "accepted") {
		t.Errorf("%s", late.raw)
	}
	rec = into[api.OrderRecord](t, b.legacy("/getorder/"+o.UUID, b.alice, ""))
	if rec.OrderStatus != api.RecordPendingOperator || rec.OrderPrice != api.PriceOf(60) || rec.AcceptedQuote == nil ||
		rec.AcceptedQuote.QuoteID != fourth.UUID || len(rec.ClosedQuotes) != 1 || len(rec.RejectedQuotes) != 2 || rec.Quotes != nil {
		t.Errorf("%+v", rec)
	}
	if public := into[api.Order](t, b.call("GET", publicHandlers+"/orders/"+o.OrderCode, b.alice, nil)); public.Status != api.OrderPendingOperator {
		t.Errorf("publicly %s", public.Status)
	}
	desk := into[ops.Order](t, b.ops("GET", "/orders/"+o.UUID, nil))
	var seen []api.QuoteStatus
	for _, q := range desk.Quotes {
		seen = append(seen, q.Status)
	}
	if !slices.Equal(seen, []api.QuoteStatus{"accepted", "closed", "rejected", "rejected"}) {
		t.Errorf("the desk sees %v", seen)
	}
}

func TestExpiredQuotes(t *testing.T) {
	b := newBench(t)
	o := b.place(b.alice)
	q := b.quote(o.UUID, 10)
	b.clock.advance(time.Hour)
	for _, verb := range []string{"accept", "reject"} {
		wantFault(t, verb, b.legacy("/order/"+o.UUID+"/quote/"+q.UUID, b.alice, `{"status":"`+verb+`"}`), 409, api.CodeQuoteExpired)
	}
	rec := into[api.OrderRecord](t, b.legacy("/getorder/"+o.UUID, b.alice, ""))
	if rec.Status != api.RecordQuoteReceived || len(rec.Quotes) != 1 || rec.Quotes[0].QuoteID != q.UUID {
		t.Errorf("%+v", rec)
	}
}

func TestPagesOfRecords(t *testing.T) {
	b := newBench(t)
	var placed []string
	for range 13 {
		placed = append(placed, b.place(b.alice).UUID)
	}
	slices.Reverse(placed)
	b.place(b.bob)
	ids := func(body string) (ids []string) {
		for _, r := range into[[]api.OrderRecord](t, b.legacy("/getorderslist", b.alice, body)) {
			ids = append(ids, r.ID)
		}
		return ids
	}
	for body, want := range map[string][]string{
		"": placed, "{}": placed, `{"limit":null}`: placed, `{"page":0}`: placed[:10], `{"page":1}`: placed[10:], `{"limit":4,"page":2}`: placed[8:12],
		`{"status":"reviewing"}`: placed[:10], `{"fileDataType":["raw"]}`: placed[:10], `{"page":7}`: nil, `{"status":"deleted"}`: nil,
	} {
		if got := ids(body); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
	if r := b.legacy("/getorderslist", b.alice, `{"status":"deleted"}`); string(r.raw) != "[]" {
		t.Errorf("none: %s", r.raw)
	}
	if r := b.ops("DELETE", "/orders/"+placed[0], nil); r.status != 200 {
		t.Fatalf("%s", r.raw)
	}
	if r := b.ops("DELETE", "/orders/"+placed[0], "{}"); r.status != 200 {
		t.Errorf("again: %s", r.raw)
	}
	if got := ids(""); !slices.Equal(got, placed) {
		t.Errorf("with the deleted order: %v", got)
	}
	if got := ids(`{"page":0}`); !slices.Equal(got, placed[:10]) {
		t.Errorf("a page with the deleted order: %v", got)
	}
	if got := ids(`{"status":"deleted"}`); !slices.Equal(got, placed[:1]) {
		t.Errorf("deleted: %v", got)
	}
	wantFault(t, "no order to delete", b.ops("DELETE", "/orders/x", "["), 404, api.CodeNotFound)
	archive := b.call("POST", publicHandlers+"/orders/"+placed[1]+"/archive", b.alice, `{"reason":"old"}`)
	if rec := into[api.OrderRecord](t, b.legacy("/getorder/"+placed[1], b.alice, "")); archive.status != 200 || rec.OrderStatus != api.RecordCancelled {
		t.Errorf("archived: %+v", rec)
	}
}

// In the v2 API, an account sees the records of its deleted orders, without files, quotes and links.
// In the public API it does not see them.
func TestDeletedOrdersKeepABareRecord(t *testing.T) {
	b := newBench(t)
	bidding := b.place(b.alice)
	quote := b.quote(bidding.UUID, 1000)
	accepted := b.place(b.alice)
	b.quote(accepted.UUID, 2000)
	path := "/order/" + accepted.UUID + "/quote/" + b.quote(accepted.UUID, 1000).UUID
	if r := b.legacy(path, b.alice, `{"status":"accept"}`); r.status != 200 {
		t.Fatalf("%s", r.raw)
	}
	delivered := b.deliveredPast()
	for id, key := range map[string]string{bidding.UUID: b.alice, accepted.UUID: b.alice, delivered.uuid: delivered.key} {
		if r := b.ops("DELETE", "/orders/"+id, nil); r.status != 200 {
			t.Fatalf("%s", r.raw)
		}
		got := b.legacy("/getorder/"+id, key, "")
		rec := into[api.OrderRecord](t, got)
		if rec.ID != id || rec.OrderStatus != api.RecordDeleted || rec.OrderName == "" {
			t.Errorf("getorder: %s", got.raw)
		}
		for _, absent := range []string{"uotes\"", "acceptedQuote", "instruction", "/files/"} {
			if bytes.Contains(got.raw, []byte(absent)) {
				t.Errorf("getorder shows %s: %s", absent, got.raw)
			}
		}
		for _, body := range []string{"", `{"limit":100}`, `{"status":"deleted"}`} {
			list := into[[]api.OrderRecord](t, b.legacy("/getorderslist", key, body))
			i := slices.IndexFunc(list, func(r api.OrderRecord) bool { return r.ID == id })
			if i < 0 || list[i].OrderStatus != api.RecordDeleted || len(list[i].DeliveryFiles.Links) > 0 {
				t.Errorf("getorderslist %s: %+v", body, list)
			}
		}
		wantFault(t, "the public API", b.call("GET", publicHandlers+"/orders/"+rec.OrderCode, key, nil), 404, api.CodeNotFound)
	}
	wantFault(t, "another account", b.legacy("/getorder/"+bidding.UUID, b.bob, ""), 403, api.CodeNotYourResource)
	wantFault(t, "its quote", b.legacy("/order/"+bidding.UUID+"/quote/"+quote.UUID, b.alice, `{"status":"accept"}`), 404, api.CodeNotFound)
}

// A list that is sent in several parts is complete, and is the same for a client that reads it page by
// page.
func TestLongListIsSentInParts(t *testing.T) {
	b := newBench(t)
	for range 450 {
		b.place(b.alice)
	}
	r := b.legacy("/getorderslist", b.alice, "")
	if got := into[[]api.OrderRecord](t, r); len(got) != 450 || r.header.Get("Content-Length") != "" {
		t.Errorf("%d orders in %d bytes, %v", len(got), len(r.raw), r.header)
	}
	c, err := api.NewClient(b.origin+publicHandlers, api.WithKey(b.alice), api.WithLegacyURL(b.origin+legacyHandlers))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range c.Records.All(t.Context(), api.RecordListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 450 {
		t.Errorf("%d orders in pages", n)
	}
}

// deliveredPast stores an order of one mission and delivers files of the mission.
func (b *bench) deliveredPast() past {
	b.t.Helper()
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	form, mediaType := filesForm(b.t, "files", nil, content{"a.jpg", "jpg", "a"}, content{"t.tif", "thermalMap", "t"}, content{"b.jpg", "jpg", "b"})
	if r := b.ops("POST", "/missions/"+p.mission[0]+"/deliver", form, "Content-Type", mediaType); r.status != 201 {
		b.t.Fatalf("%d %s", r.status, r.raw)
	}
	return p
}

func TestFilesOfRecords(t *testing.T) {
	b := newBench(t)
	p := b.deliveredPast()
	noFiles := b.issue(p.account, domain.KeySpec{Scopes: []api.Scope{api.ScopeOrdersRead}}).key
	counts := func(key, body string) string {
		f := into[api.OrderRecord](t, b.legacy("/getorder/"+p.uuid, key, body)).DeliveryFiles
		list := into[[]api.OrderRecord](t, b.legacy("/getorderslist", key, body))
		return fmt.Sprint(len(f.BaseFiles), len(f.ProcessedData), len(f.ProcessedData["thermalMap"]), len(list[0].DeliveryFiles.Links))
	}
	for body, want := range map[string]string{
		"": "2 1 1 3", `{"fileDataType":["thermalMap","raw"]}`: "0 1 1 1", `{"fileDataType":["raw"]}`: "0 0 0 0",
	} {
		if got := counts(p.key, body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
		if got := counts(noFiles, body); got != "0 0 0 0" {
			t.Errorf("%s without files:read: %s", body, got)
		}
	}
	rec := into[api.OrderRecord](t, b.legacy("/getorder/"+p.uuid, p.key, ""))
	if rec.OrderStatus != api.RecordCompleted {
		t.Errorf("%+v", rec)
	}
	resp, err := http.Get(rec.DeliveryFiles.ProcessedData["thermalMap"][0])
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "t" || resp.StatusCode != http.StatusOK {
		t.Errorf("%d %s, %v", resp.StatusCode, body, err)
	}
}
