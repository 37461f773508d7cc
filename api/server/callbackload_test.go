package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
)

// receiveVariable holds how many callbacks this program receives when a
// benchmark starts it once more, so that what receivers cost is not taken for
// the service's.
const receiveVariable = "FLIGHTDESK_TEST_RECEIVE"

// apart is where receivers of a process of their own are.
type apart struct {
	URL         string
	Certificate []byte
}

// receiveUntilKilled says where it receives, and says it again once it has as
// many callbacks as wanted.
func receiveUntilKilled(want string) error {
	n, err := strconv.ParseInt(want, 10, 64)
	if err != nil {
		return err
	}
	v := newReceivers(n)
	s, certificate := v.serve()
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(apart{s.URL, certificate}); err != nil {
		return err
	}
	<-v.all
	if err := out.Encode(apart{s.URL, certificate}); err != nil {
		return err
	}
	select {}
}

// receiveApart starts receivers in a process of their own. It returns a channel
// that is closed when they have what they wait for or are stopped, and what
// stops them and tells the processor time that they took.
func receiveApart(b *testing.B, want int) (at apart, all <-chan struct{}, stop func() time.Duration) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), self)
	cmd.Env = append(os.Environ(), receiveVariable+"="+strconv.Itoa(want))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	said := json.NewDecoder(bufio.NewReader(out))
	if err := said.Decode(&at); err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var again apart
		_ = said.Decode(&again) // or the end of the process
	}()
	return at, done, func() time.Duration {
		_ = cmd.Process.Kill()
		<-done
		_ = cmd.Wait() // it was killed
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
}

// BenchmarkCallbacks tells how long healthy endpoints wait for 1,000 events
// beside ten that hang or fail: since the first was announced, and since the
// last was kept. The receivers' share of the processors is told, too.
func BenchmarkCallbacks(b *testing.B) {
	const events = 1000
	var all, late, theirs time.Duration
	for b.Loop() {
		at, done, stop := receiveApart(b, 10*events)
		c := newCrowd(b, &server.Server{Dir: b.TempDir()}, at.URL, at.Certificate)
		began := time.Now()
		c.announceAll(events)
		kept := time.Now()
		<-done
		all += time.Since(began)
		late += time.Since(kept)
		theirs += stop()
		_ = c.s.Close()
	}
	b.ReportMetric(all.Seconds()/float64(b.N), "s/received")
	b.ReportMetric(late.Seconds()/float64(b.N), "s/after-the-last")
	b.ReportMetric(theirs.Seconds()/float64(b.N), "s/processors-of-receivers")
}

// BenchmarkCreateBesideCallbacks tells what 1,000 events take from those who
// place orders meanwhile: the rates of ten seconds without and with them.
func BenchmarkCreateBesideCallbacks(b *testing.B) {
	const seconds, events = 10, 1000
	var quiet, busy float64
	for b.Loop() {
		quiet += placeBeside(b, 0, seconds*time.Second)
		busy += placeBeside(b, events, seconds*time.Second)
	}
	b.ReportMetric(quiet/float64(b.N), "quiet/s")
	b.ReportMetric(busy/float64(b.N), "busy/s")
	b.ReportMetric(100*(1-busy/quiet), "%lost")
}

// placeBeside has 32 callers place orders for a time, with events announced at
// its beginning, and returns their rate.
func placeBeside(b *testing.B, events int64, long time.Duration) float64 {
	b.Helper()
	at, _, stop := receiveApart(b, 0)
	c := newCrowd(b, &server.Server{Dir: b.TempDir()}, at.URL, at.Certificate)
	d := server.DomainOf(c.s)
	caller := &domain.Caller{Account: c.account}
	end := time.Now().Add(long)
	var placed atomic.Int64
	var clients sync.WaitGroup
	for range 32 {
		clients.Go(func() {
			for time.Now().Before(end) {
				if _, err := d.Orders.Place(context.Background(), caller, domain.OrderPlacement{Request: survey()}); err != nil {
					b.Error(err)
					return
				}
				placed.Add(1)
			}
		})
	}
	clients.Go(func() { c.announceAll(events) })
	clients.Wait()
	stop()
	_ = c.s.Close()
	return float64(placed.Load()) / long.Seconds()
}
