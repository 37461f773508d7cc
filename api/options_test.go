package api_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
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
