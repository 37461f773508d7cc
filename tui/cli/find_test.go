package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// The name of a company means its account, while an address of a request means the order in it.
func TestACompanyMeansItsAccountAndNotAnOrder(t *testing.T) {
	match := &ops.Found{Kind: ops.FoundOrder, UUID: "019cc6c4-0000-7000-8000-000000000001", OrderCode: "ORD-2001"}
	for name, want := range map[string]bool{
		"nordlicht": true,
		"ord-2001":  false,
		"2001":      false,
		match.UUID:  false,
		"https://desk.example/api/v1/public/orders/ORD-2001/missions": false,
	} {
		if got := isFoundByCompany(name, match); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A link contains a token, which must not get into the address of a request.
func TestALinkIsNotSentAsAnID(t *testing.T) {
	var requests []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.Path)
		http.NotFound(w, r)
	}))
	defer web.Close()
	client, err := api.NewClient(web.URL, api.WithKey("key"))
	if err != nil {
		t.Fatal(err)
	}
	a := &accountView{call: &Call{Context: t.Context(), Service: &Service{Client: client}}}
	for _, link := range []string{"https://desk.example/files/to-k-en/north-field.tif", "a-b-c-d-e"} {
		if err := a.findOwn(link); !errors.Is(err, errUnknownName) {
			t.Errorf("%s: %v", link, err)
		}
	}
	if len(requests) > 0 {
		t.Errorf("requested %q", requests)
	}
	const id = "019cc6c4-0000-7000-8000-000000000001"
	if err := a.findOwn(id); !api.IsStatus(err, http.StatusNotFound) || len(requests) != 1 {
		t.Errorf("an ID: %v, requested %q", err, requests)
	}
}

// A request with an unknown key belongs to no account.
func TestNoticesOfARequestWithoutAnAccountAreRefused(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/find") {
			t.Errorf("requested %s", r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"success":true,"data":{"hasNextPage":false,"items":[{"kind":"request","uuid":"","name":"GET /orders 401",
			"accountUid":"","companyName":"","orderCode":"","missionCode":""}]}}`)
	}))
	defer web.Close()
	client, err := ops.NewClient(web.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	l := &listing{call: &Call{Context: t.Context(), Service: &Service{Ops: client}}}
	_, err = l.noticesOf("req-4711")
	if err == nil || err.Error() != "req-4711: a request of no known account" {
		t.Errorf("error %v", err)
	}
}
