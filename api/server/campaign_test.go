//go:build campaign

package server_test

import (
	"bufio"
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	killRounds = flag.Int("kills", 20, "how often the service is killed")
	killWrites = flag.Int("writes", 100_000, "acknowledged writes in all")
)

// The long form of TestKilledServerLosesNothing. It also reports how long restarts take.
func TestCampaignOfKills(t *testing.T) {
	k := newKilled(t, t.TempDir())
	each := *killWrites / *killRounds
	for range *killRounds {
		k.round(each + rand.IntN(each/5+1))
	}
	n := k.checkAll()
	if n < *killWrites {
		t.Errorf("only %d writes were made", n)
	}
	restarts := slices.Clone(k.restarts[1:]) // the first start creates the demo data
	slices.Sort(restarts)
	median := restarts[len(restarts)/2]
	if median > 100*time.Millisecond {
		t.Errorf("a restart takes %v", median)
	}
	t.Logf("%d kills, %d acknowledged writes (%v orders, %v moves, %v revocations, %v quote decisions), none lost; restart %v, at most %v",
		*killRounds, n, len(k.acked["orders"]), len(k.acked["moves"]), len(k.acked["revocations"]), len(k.acked["quote decisions"]), median, restarts[len(restarts)-1])
}

func TestCampaignOfSlowHeaders(t *testing.T) {
	b := newBench(t)
	if cut := slowly(t, b, 500, time.Second); cut != 500 {
		t.Errorf("%d of 500 slow connections were cut off", cut)
	}
}

// Ten thousand idle connections do not delay others.
func TestCampaignOfIdleConnections(t *testing.T) {
	cmd, ready := startServer(t, apartFrom(t, t.TempDir())) // a process has its own limit of open files
	defer kill(t, cmd)
	b := &bench{t: t, origin: strings.TrimSuffix(ready.BaseURL, publicHandlers)}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	addr := strings.TrimPrefix(b.origin, "http://")
	for range 10_000 {
		conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", resp, err)
		}
	}
	wantHealthy(t, b, time.Second)
	b.place(ready.Accounts[0].Key)
}

// A body that never ends is refused after a timeout, whatever its headers claim.
func TestCampaignOfEndlessBodies(t *testing.T) {
	b := newBench(t)
	addr := strings.TrimPrefix(b.origin, "http://")
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			request := "POST " + publicHandlers + "/orders HTTP/1.1\r\nHost: x\r\nX-Api-Key: " + b.alice + "\r\nContent-Length: 1000\r\n\r\n{"
			if _, err := io.WriteString(conn, request); err != nil {
				t.Error(err)
				return
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode != http.StatusBadRequest {
				t.Errorf("%v, %v", resp, err)
			}
		})
	}
	wantHealthy(t, b, time.Second)
	all.Wait()
}
