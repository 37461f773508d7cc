package api_test

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"flightdesk/api"
)

func TestRetriesCanBeTurnedOff(t *testing.T) {
	for retries, want := range map[int]int32{0: 1, 1: 2} {
		var asked atomic.Int32
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			answer(w, http.StatusServiceUnavailable, `{"success":false,"message":"busy"}`)
		}))
		c, err := api.NewClient(web.URL, api.WithRetries(retries))
		if err != nil {
			t.Fatal(err)
		}
		var of api.Metadata
		if _, err := c.Orders.Get(api.WithMetadata(t.Context(), &of), "ORD-1"); !api.IsStatus(err, http.StatusServiceUnavailable) {
			t.Errorf("%d retries: %v", retries, err)
		}
		web.Close()
		if asked.Load() != want || of.Attempt != int(want) || of.Status != http.StatusServiceUnavailable {
			t.Errorf("%d retries: asked %d times, %+v", retries, asked.Load(), of)
		}
	}
	if _, err := api.NewClient("http://127.0.0.1:1", api.WithRetries(-1)); err == nil {
		t.Error("-1 retries are taken")
	}
}

// Errors of downloads do not contain the link, and downloads do not send the API key.
func TestADownloadIsCompleteOrAnError(t *testing.T) {
	var key atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key.Store(key.Load() || r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "")
		if strings.HasSuffix(r.URL.Path, "expired") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte("content"))
	}))
	defer web.Close()
	c, err := api.NewClient(web.URL, api.WithKey("secret-key"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		link string
		size int64
		done bool
	}{
		{web.URL + "/token", 7, true},
		{web.URL + "/token", -1, true},
		{web.URL + "/token", 9, false},
		{web.URL + "/token", 3, false},
		{web.URL + "/token-expired", 7, false},
		{"http://127.0.0.1:1/token", 7, false},
		{"://token", 7, false},
	} {
		var got bytes.Buffer
		n, err := c.Files.Download(t.Context(), &api.DeliveryFile{FileName: "a.tif", FileSize: tt.size, DownloadURL: tt.link}, &got)
		if (err == nil) != tt.done || int(n) != got.Len() || err != nil && strings.Contains(err.Error(), "token") {
			t.Errorf("%s, %d bytes: %d, %v", tt.link, tt.size, n, err)
		}
	}
	if key.Load() {
		t.Error("the key was sent with the link")
	}
}

// An error of a proxy names the proxy, also for an address that is not known.
func TestAnErrorBehindAProxyNamesTheProxy(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer refusing.Close()
	for proxy, want := range map[string]string{
		"http://" + address:      "could not connect to desk.example through the proxy " + address + ": connection refused",
		refusing.URL:             "through the proxy " + strings.TrimPrefix(refusing.URL, "http://") + ": Forbidden",
		"http://proxy.invalid:1": "the proxy for desk.example: ",
	} {
		to, err := url.Parse(proxy)
		if err != nil {
			t.Fatal(err)
		}
		transport := &http.Transport{Proxy: http.ProxyURL(to)}
		client, err := api.NewClient("https://desk.example/api", api.WithKey("key"), api.WithTransport(transport), api.WithRetries(0))
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Orders.Get(t.Context(), "ORD-1")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "check HTTPS_PROXY") {
			t.Errorf("%s: %v, want %q", proxy, err, want)
		}
	}
}
