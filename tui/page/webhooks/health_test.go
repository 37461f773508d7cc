package webhooks_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/tui/apptest"
)

func TestHomeShowsFailingEndpoints(t *testing.T) {
	d := apptest.Open(t, 120, 35, apptest.AtHome)
	d.RequireText("7 Webhooks !2", "▲ 7 Webhooks", "2 of 3 endpoints failing")
	d.Press("7")
	d.RequireText("7 Webhooks !3")
	d.Press("1")
	d.RequireText("7 Webhooks !3", "3 of 3 endpoints with problems")
}

func TestHomeReadsEndpointsOnceAndLast(t *testing.T) {
	var paths []string
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		if strings.HasSuffix(r.URL.Path, "/webhooks") {
			apptest.WriteAnswer(w, http.StatusForbidden, `{"success":false,"message":"no","data":{"code":"missing_scope"}}`)
			return
		}
		twoEndpoints(w, r)
	}, apptest.AtHome)
	isEndpoints := func(path string) bool { return strings.HasSuffix(path, "/webhooks") }
	isQuotes := func(path string) bool { return strings.HasSuffix(path, "/getorderslist") }
	if slices.IndexFunc(paths, isEndpoints) < slices.IndexFunc(paths, isQuotes) {
		t.Errorf("the endpoints are requested before the quotes: %v", paths)
	}
	d.Press("r", "r")
	others := slices.DeleteFunc(slices.Clone(paths), isEndpoints)
	if n := len(paths) - len(others); n != 1 {
		t.Errorf("the refused list of endpoints is requested %d times", n)
	}
}

func TestHomeDoesNotReadEndpointsWhileOrdersAreUnknown(t *testing.T) {
	var paths []string
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		apptest.AnswerBroken(w, r)
	}, apptest.AtHome)
	d.Press("r")
	d.Advance(3 * time.Minute)
	isEndpoints := func(path string) bool { return strings.HasSuffix(path, "/webhooks") }
	if len(paths) == 0 || slices.ContainsFunc(paths, isEndpoints) {
		t.Errorf("the requests are %v", paths)
	}
}

func TestHomeReadsBrokenEndpointsAsOftenAsOtherLists(t *testing.T) {
	count := map[string]int{}
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		count[r.URL.Path[strings.LastIndex(r.URL.Path, "/"):]]++
		if strings.HasSuffix(r.URL.Path, "/webhooks") {
			apptest.AnswerBroken(w, r)
			return
		}
		twoEndpoints(w, r)
	}, apptest.AtHome)
	for range 10 {
		d.Advance(time.Minute)
	}
	if count["/webhooks"] > 2*count["/orders"] {
		t.Errorf("the requests are %v", count)
	}
}
