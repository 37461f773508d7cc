package server

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"flightdesk/api"
)

// A client of a service that is still to start waits for it.
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

// A start that fails gives the port back.
func TestBindIsGivenBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Server{Dir: filepath.Join(file, "folder")}
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
