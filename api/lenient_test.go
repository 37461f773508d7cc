package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// oddOrder has a wrong type in nearly every member.
const oddOrder = `{"success":true,"message":7,"data":{"uuid":17,"orderCode":"ORD-1","orderName":null,"status":"inReview",
 "startDate":"2026-12-01","deadline":"soon","createdAt":1764000000,"sensors":"rgbSensor","deliverables":[1,"jpg"],
 "areaSize":"1200.5 m2","rejectionReason":{"why":"wind"},"missionCount":"1","priority":"gold",
 "missions":[{"missionCode":200,"areaSize":"","locationMap":[{"lat":"48.1","lng":11.5}],"flightDate":null,"crew":2}]}}`

func TestARecordWithMistypedMembersIsReadable(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, oddOrder) })
	o, err := c.Orders.Get(t.Context(), "ORD-1")
	if err != nil {
		t.Fatal(err)
	}
	if o.UUID != "17" || o.OrderName != "" || o.Status != "inReview" {
		t.Errorf("texts: %q %q %q", o.UUID, o.OrderName, o.Status)
	}
	if !o.StartDate.Equal(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) || o.Deadline.Raw != "soon" || !o.CreatedAt.Equal(time.Unix(1764000000, 0)) {
		t.Errorf("times: %+v %+v %+v", o.StartDate, o.Deadline, o.CreatedAt)
	}
	if o.AreaSize == nil || *o.AreaSize != 1200.5 || o.MissionCount == nil || *o.MissionCount != 1 {
		t.Errorf("numbers: %v %v", o.AreaSize, o.MissionCount)
	}
	if len(o.Sensors) != 0 || len(o.Deliverables) != 2 || o.Deliverables[0] != "1" {
		t.Errorf("lists: %v %v", o.Sensors, o.Deliverables)
	}
	if o.RejectionReason == nil || *o.RejectionReason != `{"why":"wind"}` {
		t.Errorf("reason: %v", o.RejectionReason)
	}
	if string(o.Extra["priority"]) != `"gold"` {
		t.Errorf("unknown members: %v", o.Extra)
	}
	m := o.Missions[0]
	if m.MissionCode != "200" || m.AreaSize != nil || m.LocationMap[0] != (api.Point{Lat: 48.1, Lng: 11.5}) || string(m.Extra["crew"]) != "2" {
		t.Errorf("mission: %+v", m)
	}
}

func TestANumberOutOfRangeDoesNotHideOtherMembers(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"success":true,"message":"","data":{"orderCode":"ORD-1","areaSize":1e999,"missions":[{"areaSize":-1e999,"locationMap":[{"lat":1e999,"lng":2}]}]}}`)
	})
	o, err := c.Orders.Get(t.Context(), "ORD-1")
	if err != nil || o.OrderCode != "ORD-1" || o.AreaSize != nil || o.Missions[0].LocationMap != nil || string(o.Missions[0].Extra["areaSize"]) != "-1e999" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestTheOutcomeOfACallbackIsRead(t *testing.T) {
	for row, want := range map[string]bool{
		`{"uuid":"d-1","success":"Y"}`:                      true,
		`{"uuid":"d-1","success":"N","responseCode":200}`:   false,
		`{"uuid":"d-1","success":false,"responseCode":200}`: false,
		`{"uuid":"d-1","responseCode":204}`:                 true,
		`{"uuid":"d-1","responseCode":500}`:                 false,
		`{"uuid":"d-1"}`:                                    false,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, `{"success":true,"data":{"data":[`+row+`],"hasNextPage":false}}`)
		})
		page, err := c.Webhooks.Deliveries(t.Context(), "e-1", api.ListOptions{})
		if err != nil || len(page.Items) != 1 || page.Items[0].Success != want {
			t.Errorf("%s: %+v, %v", row, page, err)
		}
	}
}

// A response is only empty if the service sent an empty list.
func TestOnlyAListCanBeEmpty(t *testing.T) {
	for body, isList := range map[string]bool{
		`{"success":true,"data":{"data":[],"total":0}}`: true,
		`{"data":null,"total":0}`:                       true,
		`{"success":true,"data":{"data":null}}`:         false,
		`{"success":true,"message":"","data":null}`:     false,
		`null`: false,
		`{"success":true,"data":{"data":[],"nextCursor":5,"hasNextPage":"false"}}`: true,
		`{"data":null}`:                       false,
		`{"code":0,"msg":"ok","data":null}`:   false,
		`{"success":true,"data":{"data":{}}}`: false,
		`{"success":true,"data":{}}`:          false,
		`{}`:                                  false,
		`{"code":40301,"msg":"key of another account","data":null}`:     false,
		`{"errors":[{"message":"key of another account"}],"data":null}`: false,
		`{"statusCode":403,"message":"key of another account"}`:         false,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		page, err := c.Orders.List(t.Context(), api.ListOptions{})
		if isList != (err == nil) || isList && (len(page.Items) != 0 || page.HasNextPage) {
			t.Errorf("%s: %+v, %v", body, page, err)
		}
		if strings.Contains(body, "another account") && !strings.Contains(fmt.Sprint(err), "key of another account") {
			t.Errorf("%s: the reason is lost: %v", body, err)
		}
	}
}

func TestAnUnreadableMemberDoesNotHideItsRecord(t *testing.T) {
	var o ops.Order
	sent := `{"orderCode":"ORD-1","missions":[7,null,{"missionCode":"MSN-1","packages":{},"flightPermission":"none"}],"account":"ACME","quotes":{}}`
	if err := api.DecodeRecord([]byte(sent), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Missions) != 1 || o.Missions[0].MissionCode != "MSN-1" || o.Missions[0].FlightPermission != nil || o.Account != nil || len(o.Quotes) != 0 {
		t.Errorf("order: %+v", o)
	}
	var k ops.AccountKey
	if err := api.DecodeRecord([]byte(`{"uuid":"k","scopes":["orders:read",2],"\u0068int":"9xyz"}`), &k); err != nil {
		t.Fatal(err)
	}
	if k.UUID != "k" || k.Hint != "9xyz" || len(k.Scopes) != 2 || len(k.Extra) != 0 {
		t.Errorf("key: %+v", k)
	}
}

// Lists in the formats of well-known services are read, and an incomplete list is reported.
func TestListsOfOtherServices(t *testing.T) {
	for body, want := range map[string]string{
		`{"docs":[{"uuid":"o-1"}],"totalDocs":1,"nextPage":null}`:                                  "o-1 <nil>",
		`{"data":{"edges":[{"node":{"uuid":"o-1"},"cursor":"x"},{"node":{"uuid":"o-2"}}]}}`:        "o-1 o-2 <nil>",
		`{"data":[{"type":"orders","uuid":"o-1","attributes":{"orderCode":"ORD-1"}}]}`:             "o-1 <nil>",
		`{"_embedded":{"orders":[{"uuid":"o-1"}]},"_links":{}}`:                                    "o-1 <nil>",
		`{"data":[{"order":{"uuid":"o-1"}}]}`:                                                      "o-1 <nil>",
		`{"data":[{"uuid":"o-1"},"x",null]}`:                                                       "o-1 <nil>",
		`{"data":[{"uuid":"o-1"},{"order_code":"ORD-2"}]}`:                                         "o-1 only 1 of the rows could be loaded: 1 more could not be read",
		`{"data":[{"uuid":"o-1"}],"total":16}`:                                                     "o-1 only 1 of the rows could be loaded: the service has 16",
		`{"data":[{"uuid":"o-1"}],"nextPage":2}`:                                                   "o-1 only 1 of the rows could be loaded: the service sent no cursor for the next page",
		`{"data":[{"order_code":"ORD-1"},{"order_code":"ORD-2"}]}`:                                 "list orders: none of the 2 rows of the response can be read (HTTP 200)",
		`{"data":{"data":[{"uuid":"o-1"}],"hasNextPage":false,"nextCursor":"o-1"},"success":true}`: "o-1 <nil>",
		`{"data":{"data":[{"uuid":"o-1"}],"hasNextPage":true,"nextCursor":"o-1"},"success":true}`:  "o-1 o-2 <nil>",
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("cursor") != "" {
				body = `{"data":[{"uuid":"o-2"}],"hasNextPage":false}`
			}
			answer(w, http.StatusOK, body)
		})
		var got strings.Builder
		var err error
		for o, failed := range c.Orders.All(t.Context()) {
			if err = failed; err == nil {
				got.WriteString(o.UUID + " ")
			}
		}
		if read := fmt.Sprint(got.String(), err); read != want {
			t.Errorf("%s: %q; want %q", body, read, want)
		}
	}
}

func TestAnInvalidListInARecordIsReportedAndNotEmpty(t *testing.T) {
	answerOrder := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/missions") {
			answer(w, http.StatusOK, `{"success":true,"data":{"data":[{"missionCode":"MSN-1"},{"missionCode":"MSN-2"}],"hasNextPage":false}}`)
			return
		}
		answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"o-1","orderCode":"ORD-1","missions":{"MSN-1":{"missionCode":"MSN-1"}},
			"quotes":{"open":[{"quoteId":"q-1"}],"withdrawn":[{"quoteId":"q-2"}]}}}`)
	}
	o, err := serve(t, answerOrder).Orders.Get(t.Context(), "ORD-1")
	if err != nil || len(o.Missions) != 2 || o.Missions[1].MissionCode != "MSN-2" {
		t.Errorf("the missions are not read from their own list: %+v, %v", o, err)
	}
	r, err := serveLegacy(t, answerOrder).Records.Get(t.Context(), "ORD-1")
	var missing *api.MissingError
	if !errors.As(err, &missing) || r == nil || r.OrderCode != "ORD-1" || string(r.Extra["quotes"]) == "" {
		t.Errorf("quotes that cannot be read are not reported: %+v, %v", r, err)
	}
}

func TestAnAmbiguousListIsAnError(t *testing.T) {
	for _, body := range []string{
		`{"first":[{"uuid":"o-1"}],"second":[{"uuid":"o-2"}]}`,
		`{"u1":{"uuid":"o-1"},"u2":{"uuid":"o-2"}}`,
		`{"first":[],"second":[]}`,
		`{"success":true,"errors":[]}`,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		page, err := c.Orders.List(t.Context(), api.ListOptions{})
		if err == nil {
			t.Errorf("%s is read as %+v", body, page.Items)
		}
	}
}
