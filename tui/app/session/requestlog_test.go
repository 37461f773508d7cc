package session_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/session"
)

func exchange(n, size int) api.Exchange {
	return api.Exchange{
		Method: "GET", URL: "https://x.example/api/v1/public/orders/" + strconv.Itoa(n), Status: 200, Began: time.Unix(int64(n), 0),
		ResponseHeader: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"r-" + strconv.Itoa(n)}},
		ResponseBody:   noise[:size], ResponseSize: int64(size),
	}
}

// noise returns bytes that cannot be compressed.
var noise = func() []byte {
	text := make([]byte, 14_000)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(text) // never fails
	return text
}()

func TestABodyIsStoredUnchanged(t *testing.T) {
	orders := bytes.Repeat([]byte(`{"orderCode":"ORD-100201","status":"completed"},`), 1000)
	for _, text := range [][]byte{nil, {}, []byte("x"), noise, orders, orders[:600], make([]byte, 1<<20)} {
		b := session.NewBody(text)
		if !bytes.Equal(b.Text(), text) || b.Len() != len(text) {
			t.Errorf("%d bytes came back as %d of %d", len(text), len(b.Text()), b.Len())
		}
	}
	var l session.RequestLog
	l.Add(api.Exchange{ResponseBody: orders, ResponseSize: int64(len(orders))})
	if _, size := l.Newest(); size > len(orders)/10 {
		t.Errorf("%d bytes of orders take %d", len(orders), size)
	}
}

func TestTheLogKeepsTheNewestExchanges(t *testing.T) {
	var l session.RequestLog
	for n := range session.MaxExchanges + 50 {
		l.Add(exchange(n, 14_000))
	}
	kept, size := l.Newest()
	if len(kept) != session.MaxExchanges || size > session.MaxLogBytes {
		t.Fatalf("%d are kept in %d bytes", len(kept), size)
	}
	first, last := kept[0], kept[len(kept)-1]
	if first.Path != "/orders/"+strconv.Itoa(session.MaxExchanges+49) || first.ResponseBody.Len() != 14_000 || first.RequestID != "r-10049" {
		t.Errorf("the newest is %+v", first.Path)
	}
	if last.Number != 51 || !last.Dropped || last.ResponseBody.Text() != nil || last.Missing(false) == "" || last.ResponseSize != 14_000 {
		t.Errorf("the oldest is %d, %v", last.Number, last.Dropped)
	}
}

func TestAForgottenClientIsNotLogged(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	var l session.RequestLog
	var clients [2]*api.Client
	for i := range clients {
		c, err := api.NewClient(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		clients[i] = c
		l.Watch(c)
	}
	ask := func() {
		for _, c := range clients {
			_, _ = c.Orders.Get(context.Background(), "ORD-7")
		}
	}
	ask()
	l.Unwatch(clients[0])
	ask()
	if kept, _ := l.Newest(); len(kept) != 3 {
		t.Errorf("%d requests are kept", len(kept))
	}
}

// Secrets in headers, bodies and addresses are not stored or written.
func TestNothingStoredOrWrittenHasASecret(t *testing.T) {
	const key, hook = "planted-key-0815", "whsec_planted0815"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			w.Header().Set("X-Echo-"+name, r.Header.Get(name)+" "+hook)
		}
		w.Header().Set("Set-Cookie", "session="+key)
		w.Header().Set("X-Service-Signature", "sha256=0123456789abcdef0815")
		_, _ = w.Write([]byte(`{"success":true,"message":"` + key + `","data":{"orderName":"it's","secret":"planted-other-0815","u":"https://x/files/planted0815?sig=planted0815","n":"` + hook + `"}}`))
	}))
	defer srv.Close()
	var l session.RequestLog
	c, err := api.NewClient(srv.URL, api.WithKey(key))
	if err != nil {
		t.Fatal(err)
	}
	l.Watch(c)
	ctx := context.Background()
	if _, err := c.Orders.Get(ctx, key+hook); err != nil && !api.IsPartial(err) {
		t.Fatal(err)
	}
	if _, err := c.Orders.Create(ctx, api.CreateOrderRequest{Order: api.OrderInput{OrderName: "it's " + key + hook}}, "once"); err != nil {
		t.Fatal(err)
	}
	srv.Close()
	_, _ = c.Orders.Get(ctx, key)
	kept, _ := l.Newest()
	var all strings.Builder
	if len(kept) < 3 {
		t.Fatalf("%d kept", len(kept))
	}
	for _, x := range kept {
		all.WriteString(x.Curl() + x.URL + x.Path + x.Err + string(x.RequestBody.Text()) + string(x.ResponseBody.Text()))
		for _, h := range append(x.RequestHeader, x.ResponseHeader...) {
			all.WriteString(h.Name + h.Value)
		}
	}
	if i := strings.Index(all.String(), "0815"); i >= 0 {
		t.Errorf("a secret is shown: …%s…", all.String()[max(0, i-200):i+4])
	}
	if !strings.Contains(all.String(), "it's") {
		t.Error("what is no secret is gone, too")
	}
}

func TestACurlCommandIsQuotedForAShell(t *testing.T) {
	var l session.RequestLog
	l.Add(api.Exchange{
		Method: "POST", URL: "https://x.example/a?b=c&d='", RequestBody: []byte(`{"n":"it's $HOME"}`), RequestSize: 18,
		RequestHeader: http.Header{"Authorization": {"•••"}, "Content-Type": {"application/json"}},
	})
	kept, _ := l.Newest()
	cmd := exec.Command("sh", "-c", `curl() { printf '%s\n' "$@"; }; `+kept[0].Curl())
	cmd.Env = []string{session.KeyVariable + "=k-1"}
	got, err := cmd.Output()
	want := "-X\nPOST\nhttps://x.example/a?b=c&d='\n-H\nAuthorization: Bearer k-1\n-H\nContent-Type: application/json\n--data-raw\n{\"n\":\"it's $HOME\"}\n"
	if err != nil || string(got) != want {
		t.Errorf("%v:\n%s", err, got)
	}
}

func TestTheOperationsKeyHasAnotherVariable(t *testing.T) {
	x := func(url string) string {
		return session.CurlCommand("GET", url, []session.Header{{Name: "Authorization", Value: "•••"}}, nil)
	}
	if got := x("https://x.example/api/ops/v1/orders"); !strings.Contains(got, "Bearer $FLIGHTDESK_OPS_KEY") {
		t.Errorf("at the desk: %s", got)
	}
	if got := x("https://x.example/api/v1/public/orders"); !strings.Contains(got, "Bearer $FLIGHTDESK_API_KEY") {
		t.Errorf("an account's: %s", got)
	}
}

func TestUnknownFieldsAndStatusesAreNoted(t *testing.T) {
	for line, want := range map[string]string{
		`  "priority": "gold",`:           "+ unknown field",
		`  "status": "biddingWithQuote",`: "",
		`  "orderStatus": "onTheMoon",`:   "? not a known status",
		`  "status": {`:                   "",
		`  "missions": [`:                 "",
		`  "a string in a list",`:         "",
		`}`:                               "",
		`  "openQuotes": 2,`:              "", // of the operations API
		`  "flightPermission": {`:         "",
		`  "upcoming": [`:                 "",
		`  "injected": 3,`:                "",
		`  "ahead": "36h0m0s",`:           "",
		`  "hint": "x9Ab",`:               "",
	} {
		if got := session.LineNote(line); got != want {
			t.Errorf("%s is noted %q", line, got)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	var l session.RequestLog
	x := exchange(1, 14_000)
	for b.Loop() {
		l.Add(x)
	}
}

// Masking can make a body shorter that was cut before.
func TestACutBodyIsReportedEvenIfMaskingShortenedIt(t *testing.T) {
	for _, c := range []struct {
		body, size int
		missing    bool
	}{
		{100, api.MaxFullBody + 1, true},
		{api.MaxShownBody, api.MaxShownBody + 1, true},
		{100, 2000, false},
		{100, api.MaxFullBody, false},
	} {
		x := session.Exchange{ResponseBody: session.NewBody(make([]byte, c.body)), Exchange: api.Exchange{ResponseSize: int64(c.size)}}
		if got := x.Missing(false); (got != "") != c.missing {
			t.Errorf("%d bytes shown of %d: %q", c.body, c.size, got)
		}
	}
}

func TestALogOfManyExchangesUsesLessMemory(t *testing.T) {
	l := session.RequestLog{Bytes: 1 << 20}
	for n := range 200 {
		l.Add(exchange(n, 14_000))
	}
	if kept, size := l.Newest(); len(kept) != 200 || size > 1<<20 || !kept[199].Dropped || kept[0].Dropped {
		t.Errorf("%d are kept in %d bytes", len(kept), size)
	}
}
