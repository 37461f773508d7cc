package server_test

import (
	"net/http"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// The notices of all orders of an account are in one list, newest first, which can be limited to
// failed notices. Other accounts do not see them.
func TestTheNoticesOfAnAccountAreListed(t *testing.T) {
	s := &server.Server{}
	server.SetTiming(s, quick)
	b := newBenchOn(t, s)
	o := desks(t, b.s)
	first := finished(t, b, "https://127.0.0.1:1/x") // callbacks cannot be sent to this address, so the webhook fails
	b.noticesOf(first.uuid)
	var all []*ops.CompletionNotice
	for n, err := range o.Accounts.AllNotifications(t.Context(), first.account, ops.NoticeFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	if len(all) != 2 || all[0].CreatedAt.Before(all[1].CreatedAt.Time) || all[0].OrderUID != first.uuid || !strings.HasPrefix(all[0].OrderCode, "ORD-") {
		t.Fatalf("%+v", all)
	}
	one := api.ListOptions{Limit: 1}
	page, err := o.Accounts.Notifications(t.Context(), first.account, ops.NoticeFilter{}, one)
	if err != nil || len(page.Items) != 1 || page.NextCursor == nil || page.Items[0].UUID != all[0].UUID {
		t.Fatalf("the first page: %+v, %v", page, err)
	}
	one.Cursor = *page.NextCursor
	page, err = o.Accounts.Notifications(t.Context(), first.account, ops.NoticeFilter{}, one)
	if err != nil || len(page.Items) != 1 || page.HasNextPage || page.Items[0].UUID != all[1].UUID {
		t.Errorf("the second page: %+v, %v", page, err)
	}
	page, err = o.Accounts.Notifications(t.Context(), first.account, ops.NoticeFilter{Failed: true}, api.ListOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].IsEmail() || !strings.Contains(*page.Items[0].Error, "not allowed") {
		t.Errorf("failed: %+v, %v", page, err)
	}
	for a, err := range o.Accounts.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		page, err := o.Accounts.Notifications(t.Context(), a.UUID, ops.NoticeFilter{}, api.ListOptions{})
		if err != nil || a.UUID != first.account && len(page.Items) > 0 {
			t.Errorf("%s: %+v, %v", a.CompanyName, page, err)
		}
	}
	path := "/accounts/" + first.account + "/notifications"
	wantFault(t, "a wrong parameter", b.ops("GET", path+"?failed=perhaps", nil), http.StatusBadRequest, api.CodeValidationFailed)
	wantFault(t, "no such account", b.ops("GET", "/accounts/nope/notifications", nil), http.StatusNotFound, api.CodeNotFound)
}
