package server_test

import (
	"net/http"
	"testing"

	"flightdesk/api/server"
)

func TestGeneratedFilesAreNotSentAgain(t *testing.T) {
	b := newBenchOn(t, &server.Server{})
	get := func(path, accept, tag string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.origin+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+b.alice)
		r.Header.Set("Accept", accept)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer
	}
	for path, accept := range map[string]string{
		"/openapi.yaml":                 "*/*",
		publicHandlers + "/csv/example": "text/csv",
		"/openapi-operations.yaml":      "*/*",
	} {
		tag := get(path, accept, "").Header.Get("ETag")
		if tag == "" {
			t.Fatalf("%s has no ETag", path)
		}
		for sent, want := range map[string]int{
			tag: 304, "W/" + tag: 304, `"a", ` + tag: 304, "*": 304, `"a"`: 200,
		} {
			answer := get(path, accept, sent)
			if answer.StatusCode != want || answer.Header.Get("ETag") != tag {
				t.Errorf("%s, If-None-Match %s: %d, %s", path, sent, answer.StatusCode, answer.Header.Get("ETag"))
			}
		}
	}
}

func TestConditionalHeadersChangeNoOtherAnswers(t *testing.T) {
	b := newBenchOn(t, &server.Server{})
	order := b.place(b.alice)
	quote := b.quote(order.UUID, 100)
	for what, got := range map[string]reply{
		"a decision": b.legacy("/order/"+order.UUID+"/quote/"+quote.UUID, b.alice, `{"status":"reject"}`, "If-None-Match", "*"),
		"a record":   b.legacy("/getorder/"+order.UUID, b.alice, "", "If-None-Match", "*"),
		"metrics":    b.call("GET", "/metrics", "", nil, "If-None-Match", "*"),
	} {
		if got.status != 200 || len(got.raw) == 0 || got.header.Get("ETag") != "" {
			t.Errorf("%s: %d, %d bytes, ETag %q", what, got.status, len(got.raw), got.header.Get("ETag"))
		}
	}
}
