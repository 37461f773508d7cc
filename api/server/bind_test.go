package server

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"flightdesk/api"
)

// Requests that are sent before the service has started wait for the start.
func TestBindBeforeStart(t *testing.T) {
	s := &Server{Demo: true, DemoKey: NewKey()}
	if err := s.Serve(t.Context()); err == nil {
		t.Error("it serves before it has started")
	}
	if _, err := s.Bind(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	client, err := api.NewClient(s.BaseURL(), api.WithKey(s.DemoKey))
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	go func() {
		_, err := client.Orders.List(context.Background(), api.ListOptions{})
		asked <- err
	}()
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-asked; err != nil {
		t.Error(err)
	}
	if got := s.Accounts()[0].CompanyName; got != DemoCompany() {
		t.Errorf("the first account is %s, not %s", got, DemoCompany())
	}
	if _, err := s.Listen(t.Context(), "127.0.0.1:0"); err == nil {
		t.Error("it listens twice")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A service that stops answers requests for a while, but is not ready.
func TestServiceDrainsBeforeItStops(t *testing.T) {
	s := &Server{Drain: time.Hour}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	addr, err := s.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	status := func(path string) int {
		r, err := http.Get("http://" + addr.String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		return r.StatusCode
	}
	if got := status("/readyz"); got != http.StatusOK {
		t.Errorf("ready: %d", got)
	}
	stop()
	for end := time.Now().Add(time.Minute); status("/readyz") != http.StatusServiceUnavailable; {
		if time.Now().After(end) {
			t.Fatal("it is still ready")
		}
	}
	if got := status("/openapi.yaml"); got != http.StatusOK {
		t.Errorf("served meanwhile: %d", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
}

// A failed start releases the port.
func TestFailedStartReleasesThePort(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{0, time.Minute} {
		s := &Server{Dir: filepath.Join(file, "folder"), StartWait: wait}
		addr, err := s.Bind(t.Context(), "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Start(t.Context()); err == nil {
			t.Fatal("it starts in a folder that cannot be")
		}
		other := new(Server)
		if _, err := other.Bind(t.Context(), addr.String()); err != nil {
			t.Error(err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
}
