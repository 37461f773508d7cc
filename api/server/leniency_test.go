package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/kmlcsv"
)

// Dates are ISO 8601 with a valid offset, and are returned as RFC 3339 in that offset.
func TestDatesOfISO8601(t *testing.T) {
	b := newBench(t)
	for sent, want := range map[string]string{
		"2026-05-01T08:00Z":               "2026-05-01T08:00:00Z",
		"2026-05-01T08:00:00+0530":        "2026-05-01T08:00:00+05:30",
		"2026-05-01T08:00:00.5+05":        "2026-05-01T08:00:00.5+05:00",
		"2026-05-01T08:00-11":             "2026-05-01T08:00:00-11:00",
		"2026-05-01T08:00:00+23:59":       "2026-05-01T08:00:00+23:59",
		"2026-05-01T08:00:00.25-00:30":    "2026-05-01T08:00:00.25-00:30",
		"2026-05-01T08:00:00+24:00":       "",
		"2026-05-01T08:00:00+23:60":       "",
		"2026-05-01T08:00:00+99:99":       "",
		"2026-05-01T08:00:00+2400":        "",
		"2026-05-01T08+05":                "",
		"2026-05-01T08:00:00.1234567891Z": "2026-05-01T08:00:00.123456789Z",
		"2026-05-01t08:00:00z":            "2026-05-01T08:00:00Z",
		"2026-05-01t08:00:00.5+05:00":     "2026-05-01T08:00:00.5+05:00",
		"2026-05-01 08:00:00z":            "",
	} {
		req := survey()
		body := strings.Replace(string(mustJSON(t, req)), `"`+req.Order.StartDate.Format(time.RFC3339Nano)+`"`, `"`+sent+`"`, 1)
		body = strings.Replace(body, `"`+req.Order.Deadline.Format(time.RFC3339Nano)+`"`, `"2027-01-01T00:00:00Z"`, 1)
		r := b.call("POST", publicHandlers+"/orders", b.alice, body)
		if want == "" && (r.status != 400 || len(r.fields()) != 1 || r.fields()[0] != "order.startDate") {
			t.Errorf("%s: %d %s", sent, r.status, r.raw)
		} else if want != "" && (r.status != 201 || !strings.Contains(string(r.raw), `"startDate":"`+want+`"`)) {
			t.Errorf("%s: %d %s", sent, r.status, r.raw)
		}
	}
}

// The message of a 400 is sufficient for clients that show nothing else.
func TestErrorMessageContainsTheFirstFieldError(t *testing.T) {
	b := newBench(t)
	r := b.call("POST", opsPath+"/accounts", b.s.Ready().OpsKey, `{}`)
	if r.status != 400 || r.Message != "companyName: is required" {
		t.Errorf("%d %s", r.status, r.raw)
	}
	r = b.call("POST", opsPath+"/accounts", b.s.Ready().OpsKey, `{"currency":"x","more":1}`)
	if r.status != 400 || !strings.HasPrefix(r.Message, "currency: must be ") || !strings.HasSuffix(r.Message, ", and 2 more") {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

// An optional member that is null or empty counts as not given. In a change, it clears a contact and
// leaves the currency unchanged.
func TestOptionalTextsMayBeEmpty(t *testing.T) {
	b := newBench(t)
	key := b.s.Ready().OpsKey
	for _, nothing := range []string{`""`, `null`, `  ""`} {
		r := b.call("POST", opsPath+"/accounts", key, `{"companyName":"A","clientEmail":`+nothing+`,"currency":`+nothing+`}`)
		if r.status != 201 || into[ops.Account](t, r).Currency != "USD" {
			t.Fatalf("%s: %d %s", nothing, r.status, r.raw)
		}
		uuid := into[ops.Account](t, r).UUID
		b.call("PATCH", opsPath+"/accounts/"+uuid, key, `{"clientName":"Ann","clientEmail":"a@example.com","currency":"EUR"}`)
		r = b.call("PATCH", opsPath+"/accounts/"+uuid, key, `{"clientEmail":`+nothing+`,"currency":`+nothing+`}`)
		if a := into[ops.Account](t, r); r.status != 200 || a.ClientName != "Ann" || a.ClientEmail != "" || a.Currency != "EUR" {
			t.Errorf("a change to %s: %d %s", nothing, r.status, r.raw)
		}
		r = b.legacy("/getorderslist", b.alice, `{"status":`+nothing+`}`)
		if r.status != 200 {
			t.Errorf("a filter of %s: %d %s", nothing, r.status, r.raw)
		}
	}
	p := b.takenOver(api.OrderOperatorAssigned, api.MissionPilotAssigned)
	r := b.call("POST", opsPath+"/missions/"+p.mission[0]+"/schedule", key, `{"flightDate":"2027-01-01T00:00Z","note":"","scheduledBy":""}`)
	if r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	r = b.call("GET", publicHandlers+"/missions/"+p.mission[0]+"/planning", p.key, nil)
	if strings.Contains(string(r.raw), `"note":""`) || strings.Contains(string(r.raw), `"scheduledBy":""`) {
		t.Errorf("what is not given is kept as a text: %s", r.raw)
	}
}

// An invalid member is listed once. No text can have the character U+0000.
func TestAnInvalidMemberIsListedOnce(t *testing.T) {
	b := newBench(t)
	for member, values := range map[string][]string{
		"currency":    {`7`, `"` + strings.Repeat("X", 300) + `"`, `"EU\u0000"`},
		"clientEmail": {`false`, `"` + strings.Repeat("x", 300) + `"`, `"a\u0000@example.com"`},
		"clientName":  {`[]`, `"` + strings.Repeat("x", 300) + `"`, `"Ann\u0000"`},
	} {
		for _, value := range values {
			r := b.call("POST", opsPath+"/accounts", b.s.Ready().OpsKey, `{"companyName":"A","`+member+`":`+value+`}`)
			if r.status != 400 || !slices.Equal(r.fields(), []string{member}) {
				t.Errorf("%s %.20s: %d %s", member, value, r.status, r.raw)
			}
		}
	}
}

// An empty body counts as none, whatever its Content-Type is.
func TestEmptyBodyMayHaveAnyMediaType(t *testing.T) {
	b := newBench(t)
	for _, kind := range []string{"application/x-www-form-urlencoded", "text/plain", "application/"} {
		if r := b.legacy("/getorderslist", b.alice, "", "Content-Type", kind); r.status != 200 {
			t.Errorf("%s: %d %s", kind, r.status, r.raw)
		}
		if r := b.legacy("/getorderslist", b.alice, "{}", "Content-Type", kind); r.status != 415 {
			t.Errorf("%s with a body: %d %s", kind, r.status, r.raw)
		}
	}
}

// A rate of 0 clears the faults, like {}.
func TestRateZeroClearsFaults(t *testing.T) {
	b := newBench(t)
	key := b.s.Ready().OpsKey
	for _, body := range []string{`{"rate":0}`, `{"rate":0,"status":500}`, `{}`} {
		if r := b.call("PUT", opsPath+"/faults", key, `{"status":500}`); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		if r := b.call("GET", publicHandlers+"/orders", b.alice, nil); r.status != 500 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		if r := b.call("PUT", opsPath+"/faults", key, body); r.status != 200 {
			t.Errorf("%s: %d %s", body, r.status, r.raw)
		}
		if r := b.call("GET", publicHandlers+"/orders", b.alice, nil); r.status != 200 {
			t.Errorf("after %s: %d %s", body, r.status, r.raw)
		}
	}
}

// The template is in the envelope, like every response, unless the client asks for the file.
type template struct {
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType"`
	Content     string `json:"content"`
}

func TestTemplateIsSentInTheEnvelope(t *testing.T) {
	b := newBench(t)
	for _, accept := range []string{"", "application/json", "*/*", "text/csv;q=0, application/json"} {
		r := b.call("GET", publicHandlers+"/csv/example", b.alice, nil, "Accept", accept)
		got := into[template](t, r)
		if r.status != 200 || got.FileName != "sites.csv" || got.ContentType != "text/csv" || got.Content != string(kmlcsv.Template()) {
			t.Errorf("%q: %d %s", accept, r.status, r.raw)
		}
	}
}

// A record has the company that its order names, and the client of its account.
func TestARecordHasTheCompanyOfItsOrder(t *testing.T) {
	b := newBench(t)
	o := b.place(b.alice)
	r := b.legacy("/getorder/"+o.UUID, b.alice, "")
	if !strings.Contains(string(r.raw), `"companyName":"`+o.CompanyName+`"`) {
		t.Errorf("the order is of %s: %s", o.CompanyName, r.raw)
	}
}

// An elevation map is another name of a topographic map: it can be delivered if a topographic map was
// ordered, and either name finds both.
func TestElevationMapsAreTopographicMaps(t *testing.T) {
	b := newBench(t)
	b.ordered = []api.Deliverable{api.DeliverableTopographicMap, "ndvi", "jpg"}
	p, list := b.delivered(
		content{"heights.geojson", api.DeliverableElevationMap, "contours"}, content{"photo.jpg", "jpg", "picture"},
	)
	if len(list) != 2 || list[0].FileDataType != api.DeliverableElevationMap {
		t.Fatalf("%+v", list)
	}
	for _, kind := range []api.Deliverable{api.DeliverableElevationMap, api.DeliverableTopographicMap, "ndvi"} {
		r := b.legacy("/getorder/"+p.uuid, p.key, `{"fileDataType":["`+string(kind)+`"]}`)
		if found := strings.Contains(string(r.raw), "heights.geojson"); r.status != 200 || found != (kind != "ndvi") {
			t.Errorf("%s: %d %s", kind, r.status, r.raw)
		}
	}
}

// HEAD ignores a range.
func TestHeadIgnoresRanges(t *testing.T) {
	b := newBench(t)
	_, list := b.delivered(content{"first.jpg", "jpg", "the first picture"})
	link := list[0].DownloadURL
	whole := b.fetch(http.MethodHead, link)
	part := b.fetch(http.MethodHead, link, "Range", "bytes=0-9")
	if part.status != 200 || part.header.Get("Content-Range") != "" || part.header.Get("Content-Length") != whole.header.Get("Content-Length") {
		t.Errorf("%d %v", part.status, part.header)
	}
	if got := b.fetch(http.MethodGet, link, "Range", "bytes=0-9"); got.status != 206 || len(got.raw) != 10 {
		t.Errorf("%d %v", got.status, got.header)
	}
}
