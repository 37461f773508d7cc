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
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/timeline"
)

// settled responds for two callbacks and a notice that were sent again.
func settled(w http.ResponseWriter, r *http.Request) {
	answers := map[string]string{
		"/deliveries/good":         `{"delivery":{"uuid":"good","success":true,"responseCode":204},"attempts":[]}`,
		"/deliveries/bad":          `{"delivery":{"uuid":"bad","success":false,"responseCode":410},"attempts":[]}`,
		"/orders/o1/notifications": `{"items":[{"uuid":"other","success":true},{"uuid":"note","success":false,"error":"connection refused"}],"hasNextPage":false}`,
	}
	for path, data := range answers {
		if strings.HasSuffix(r.URL.Path, path) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"success":true,"data":%s}`, data)
			return
		}
	}
	http.NotFound(w, r)
}

func TestResendPrintsTheResultOfEachItem(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(settled))
	defer web.Close()
	desk, err := ops.NewClient(web.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	r := &resendRun{call: &Call{Context: t.Context(), Service: &Service{Ops: desk}}}
	list := []ResentItem{
		newResentItem(timeline.CallbackSending(&api.WebhookDelivery{UUID: "good"}, "")),
		newResentItem(timeline.CallbackSending(&api.WebhookDelivery{UUID: "bad"}, "")),
		newResentItem(timeline.NoticeSending(&ops.CompletionNotice{UUID: "note", OrderUID: "o1"}, "")),
		{UUID: "no", Kind: "callback", Result: resultRefused, Error: "being sent"},
	}
	if err := r.waitForResults(list); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"delivered ", "failed HTTP 410", "failed connection refused", "refused being sent"} {
		if got := list[i].Result + " " + list[i].Error; got != want {
			t.Errorf("%s: %q, want %q", list[i].UUID, got, want)
		}
	}
	if err := undeliveredError(list); err == nil || err.Error() != "3 of 4 not delivered" {
		t.Errorf("error %v", err)
	}
	if err := undeliveredError(list[:1]); err != nil {
		t.Errorf("all delivered: %v", err)
	}
}

func TestAnUnconfirmedResendIsNotARefusal(t *testing.T) {
	open := &changes.UnconfirmedError{Err: errors.New("no response")}
	list := []ResentItem{{UUID: "good", Result: resultDelivered}, {UUID: "open", Result: resultUnconfirmed, unsureErr: open}}
	if err := undeliveredError(list); !errors.As(err, new(*changes.UnconfirmedError)) {
		t.Errorf("error %v", err)
	}
	list = append(list, ResentItem{UUID: "no", Result: resultRefused})
	err := undeliveredError(list)
	if !errors.As(err, new(*changes.UnconfirmedError)) || !strings.Contains(err.Error(), "1 of 3 not delivered") {
		t.Errorf("error %v", err)
	}
}
