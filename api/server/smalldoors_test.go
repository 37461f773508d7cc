package server_test

import (
	"net/http"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
)

func TestRangesFollowRFC9110(t *testing.T) {
	b := newBench(t)
	_, files := b.delivered(content{"a.jpg", "jpg", "0123456789"})
	for header, want := range map[string]string{
		"chars=0-5":                    "200 0123456789",
		"bytes":                        "200 0123456789",
		"bytes=0-3":                    "206 0123",
		"Bytes=0-3":                    "206 0123",
		"bytes=7-99":                   "206 789",
		"bytes=7-99999999999999999999": "206 789",
		"bytes=-3":                     "206 789",
		"bytes=-99999999999999999999":  "206 0123456789",
		"bytes=-0":                     "416",
		"bytes=-000":                   "416",
		"bytes=10-":                    "416",
		"bytes=99999999999999999999-":  "416",
		"bytes=99999999999999999999-99999999999999999999": "416",
		"bytes=-0, 2-3": "206 23",
	} {
		r := b.fetch("GET", files[0].DownloadURL, "Range", header)
		got := strings.TrimSpace(http.StatusText(r.status))
		switch r.status {
		case 200:
			got = "200 " + string(r.raw)
		case 206:
			got = "206 " + string(r.raw)
		case 416:
			got = "416"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", header, got, want)
		}
		if r.status == 416 && r.header.Get("Content-Range") != "bytes */10" {
			t.Errorf("%s: Content-Range %q", header, r.header.Get("Content-Range"))
		}
	}
}

func TestBodyWithContentEncodingIsRefused(t *testing.T) {
	b := newBench(t)
	body := string(mustJSON(t, survey()))
	for _, coding := range []string{"gzip", "br", "identity, gzip"} {
		r := b.call("POST", publicHandlers+"/orders", b.alice, body, "Content-Encoding", coding)
		wantFault(t, coding, r, 415, api.CodeUnsupportedMediaType)
		if r.header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s: Accept-Encoding %q", coding, r.header.Get("Accept-Encoding"))
		}
	}
	if r := b.call("POST", publicHandlers+"/orders", b.alice, body, "Content-Encoding", "identity"); r.status != 201 {
		t.Errorf("identity: %d %s", r.status, r.raw)
	}
}

func TestTheFolderOfFilesIsNotRedirected(t *testing.T) {
	b := newBench(t)
	r := b.call("GET", "/files", "", nil)
	wantFault(t, "/files", r, 404, api.CodeNotFound)
	if r.header.Get("X-Request-Id") == "" {
		t.Error("the answer has no request id")
	}
}

func TestArchivingAnOrderClosesItsQuotes(t *testing.T) {
	b := newBench(t)
	order := b.place(b.alice)
	quote := b.quote(order.UUID, 900)
	if r := b.call("POST", publicHandlers+"/orders/"+order.UUID+"/archive", b.alice, `{"reason":"old"}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	record := into[api.OrderRecord](t, b.legacy("/getorder/"+order.UUID, b.alice, ""))
	if record.OrderStatus != api.RecordCancelled || record.Status != "" || record.Instruction != "" || len(record.Quotes) != 0 ||
		len(record.ClosedQuotes) != 1 || record.ClosedQuotes[0].QuoteID != quote.UUID {
		t.Errorf("%+v", record)
	}
	if list := b.legacy("/getorderslist", b.alice, `{"status":"quoteReceived"}`); string(list.raw) != "[]" {
		t.Errorf("listed to be decided: %s", list.raw)
	}
	seen := into[ops.Order](t, b.ops("GET", "/orders/"+order.UUID, nil))
	if seen.Status != api.OrderArchived || len(seen.Quotes) != 1 || seen.Quotes[0].Status != api.QuoteClosed {
		t.Errorf("for Operations: %+v", seen.Quotes)
	}
}
