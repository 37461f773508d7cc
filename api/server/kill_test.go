package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"flightdesk/api"
	"flightdesk/api/server"
)

// serveVariable names the data folder that this program serves when a test
// starts it once more to kill it.
const serveVariable = "FLIGHTDESK_TEST_SERVE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveVariable); dir != "" {
		fmt.Fprintln(os.Stderr, serveUntilKilled(dir))
		os.Exit(1)
	}
	if want := os.Getenv(receiveVariable); want != "" {
		fmt.Fprintln(os.Stderr, receiveUntilKilled(want))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

func serveUntilKilled(dir string) error {
	s := &server.Server{Dir: dir, Demo: true}
	ctx := context.Background()
	if err := s.Start(ctx); err != nil {
		return err
	}
	if _, err := s.Listen(ctx, "127.0.0.1:0"); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(s.Ready()); err != nil {
		return err
	}
	return s.Wait()
}

// serveApart starts the server in a process of its own.
func serveApart(t *testing.T, dir string) (*exec.Cmd, server.Ready) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), serveVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var ready server.Ready
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&ready); err != nil {
		t.Fatal(err)
	}
	return cmd, ready
}

// What was acknowledged is there after the process was killed, whole.
func TestKilledServerLosesNothing(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var placed []string
	for round := range 3 {
		cmd, ready := serveApart(t, dir)
		c, err := api.NewClient(ready.BaseURL, api.WithKey(ready.Accounts[0].Key))
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range placed {
			if o, err := c.Orders.Get(t.Context(), code); err != nil || len(o.Missions) != 2 {
				t.Errorf("round %d: %s is lost or half made: %+v, %v", round, code, o, err)
			}
		}
		var writers sync.WaitGroup
		enough := make(chan struct{})
		goal := len(placed) + 100
		for range 8 {
			writers.Go(func() {
				for {
					o, err := c.Orders.Create(t.Context(), survey(), "")
					if err != nil {
						return // killed
					}
					mu.Lock()
					if placed = append(placed, o.OrderCode); len(placed) == goal {
						close(enough)
					}
					mu.Unlock()
				}
			})
		}
		<-enough
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		writers.Wait()
		if err := cmd.Wait(); err == nil {
			t.Error("the killed server ended well")
		}
	}
}
