package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api"
)

func TestObserverSeesNoSecrets(t *testing.T) {
	const link = "TOKENTOKENTOKEN"
	secrets := []string{testKey, "whsec_abcdef", "fd_test_fresh", link, "deadbeefdeadbeefdeadbeef", "s3cr\\\"et", "hunter2", "once-only"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Service-Signature", "sha256=deadbeefdeadbeefdeadbeef")
		w.Header().Set("Location", "/files/"+link+"/a.jpg")
		answer(w, 200, `{"success":true,"message":"your key is `+testKey+`","data":{"orderName":"Levee","parts":[
			{"uuid":"o-1","secret":"whsec_abcdef"},{"key": "fd_test_fresh"},{"clientSecret":"s3cr\"et"},{"password":"hunter2"},
			{"downloadUrl":"https://x.example/files/`+link+`/a.jpg"},{"u":"https://s3.example/a?X-Amz-Signature=deadbeefdeadbeefdeadbeef"}]}}`)
	}))
	defer srv.Close()
	var seen []api.Exchange
	c, err := api.NewClient(srv.URL, api.WithKey(testKey), api.WithObserver(func(x api.Exchange) { seen = append(seen, x) }))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	req := api.CreateOrderRequest{Order: api.OrderInput{OrderName: "near " + testKey}}
	if _, err := c.Orders.Create(ctx, req, "once-only"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Orders.Get(ctx, testKey); err != nil && !api.IsPartial(err) {
		t.Fatal(err)
	}
	srv.Close()
	if _, err := c.Orders.Get(ctx, "ORD-1"); err == nil {
		t.Error("a closed service answered")
	}
	c.Shown()
	if len(seen) < 2 || seen[0].Status != 200 || seen[0].Method != http.MethodPost || seen[0].URL != srv.URL+"/orders" || seen[0].ResponseSize == 0 ||
		seen[0].Duration <= 0 || !strings.Contains(string(seen[0].RequestBody), `"orderName":"near`) ||
		!strings.Contains(string(seen[0].ResponseBody), `"orderName":"Levee"`) {
		t.Errorf("seen %+v", seen)
	}
	if last := seen[len(seen)-1]; last.Status != 0 || last.Err == nil {
		t.Errorf("without an answer: %+v", last)
	}
	for _, x := range seen {
		shown := fmt.Sprintf("%+v %s %s", x, x.RequestBody, x.ResponseBody)
		for _, secret := range secrets {
			if strings.Contains(shown, secret) {
				t.Errorf("%q is shown in %s", secret, shown)
			}
		}
	}
}

func TestObserverSeesEachAttemptAndNoFiles(t *testing.T) {
	tries := 0
	var seen []api.Exchange
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if tries++; tries == 1 {
			answer(w, http.StatusServiceUnavailable, `{"success":false,"message":"stopping","data":{"code":"internal"}}`)
			return
		}
		answer(w, 200, `{"success":true,"message":"1 placemark read","data":{"placemarks":[]}}`)
	}))
	defer srv.Close()
	c, err := api.NewClient(srv.URL, api.WithKey(testKey), api.WithObserver(func(x api.Exchange) { seen = append(seen, x) }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Surveys.ParseKML(context.Background(), "a.kml", []byte("<kml>"+testKey)); err != nil {
		t.Fatal(err)
	}
	c.Shown()
	if len(seen) != 2 || seen[0].Status != 503 || seen[0].Attempt != 1 || seen[1].Attempt != 2 || seen[1].Status != 200 || len(seen[0].RequestBody) != 0 || seen[0].RequestSize < 5 {
		t.Errorf("seen %+v", seen)
	}
}

// Calls do not wait for the observer. The observer is called sequentially and in order, even
// if it panics or blocks.
func TestTheObserverDoesNotDelayCalls(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"success":true,"data":{"data":[],"nextCursor":null,"hasNextPage":false}}`)
	}))
	defer srv.Close()
	hold := make(chan struct{})
	var seen []string
	c, err := api.NewClient(srv.URL, api.WithKey(testKey), api.WithObserver(func(x api.Exchange) {
		<-hold
		_, query, _ := strings.Cut(x.URL, "?")
		if seen = append(seen, query); len(seen) == 2 {
			panic("in the observer")
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		if _, err := c.Orders.List(context.Background(), api.ListOptions{Limit: n}); err != nil {
			t.Fatal(err)
		}
	}
	close(hold) // the observer has been blocked until here
	c.Shown()
	if got := strings.Join(seen, " "); got != "limit=1 limit=2 limit=3" {
		t.Errorf("shown was %s", got)
	}
}
