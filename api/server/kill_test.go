package server_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// serveVariable is an environment variable with the process, as JSON, that this program has to serve.
// Tests start the program again with it, to kill it.
const serveVariable = "FLIGHTDESK_TEST_SERVE"

// process describes a server in a separate process.
type process struct {
	Addr     string // empty for any port
	Dir      string // a folder with the demo data
	Database store.SharedDatabase
	Bucket   server.Bucket
	URL      string // origin of its links
	Name     string
	Ahead    time.Duration // how far its clock is ahead
	CA       []byte        // certificates of receivers on loopback
}

func TestMain(m *testing.M) {
	if what := os.Getenv(serveVariable); what != "" {
		fmt.Fprintln(os.Stderr, serveUntilKilled(what))
		os.Exit(1)
	}
	if want := os.Getenv(receiveVariable); want != "" {
		fmt.Fprintln(os.Stderr, receiveUntilKilled(want))
		os.Exit(1)
	}
	storetest.RunTests(m)
}

func serveUntilKilled(what string) error {
	var it process
	if err := json.Unmarshal([]byte(what), &it); err != nil {
		return err
	}
	s := &server.Server{
		Dir: it.Dir, Demo: it.Dir != "", Database: it.Database, Bucket: it.Bucket, PublicURL: it.URL, Name: it.Name,
		StartWait: time.Minute, Drain: 100 * time.Millisecond,
	}
	s.Now = func() time.Time { return time.Now().Add(it.Ahead) }
	s.WebhookCA = it.CA
	if it.CA != nil {
		s.WebhookAllow = loopback
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := s.Start(ctx); err != nil {
		return err
	}
	if _, err := s.Listen(ctx, cmp.Or(it.Addr, "127.0.0.1:0")); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(s.Ready()); err != nil {
		return err
	}
	return s.Wait()
}

// apartFrom prepares this program to serve the folder in a separate process.
func apartFrom(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	return inProcess(t, process{Dir: dir})
}

// inProcess prepares this program to serve in a separate process.
func inProcess(t *testing.T, what process) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), serveVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	return cmd
}

// startServer starts a server in a separate process and returns when it serves. The process ends at
// the end of the test at the latest.
func startServer(t *testing.T, cmd *exec.Cmd) (*exec.Cmd, server.ReadyLine) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	var ready server.ReadyLine
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&ready); err != nil {
		t.Fatal(err)
	}
	return cmd, ready
}

// kill ends a server like a power failure.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the killed server ended well")
	}
}

// scheduledMission finds a mission of a demo account with a flight date.
func scheduledMission(t *testing.T, o *ops.Client, account string) string {
	t.Helper()
	ctx := context.Background()
	page, err := o.Orders.List(ctx, ops.OrderFilter{Account: account, Status: api.OrderFlyingDateSet}, api.ListOptions{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, listed := range page.Items {
		order, err := o.Orders.Get(ctx, listed.UUID)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range order.Missions {
			if m.Status == api.MissionFlightScheduled {
				return m.UUID
			}
		}
	}
	t.Fatal("the demo has no mission with a flight date")
	return ""
}
