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

// receiveVariable has the number of callbacks that this program receives when a benchmark starts it as
// a second process. So the time of the receivers does not count as the time of the service.
const receiveVariable = "FLIGHTDESK_TEST_RECEIVE"

// apart has the addresses of receivers in a separate process.
type apart struct {
	URL         string
	Certificate []byte
}

// receiveUntilKilled prints its address, and prints it again when it has received the wanted number of
// callbacks.
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

// receiveApart starts receivers in a separate process. It returns a channel that is closed when they
// have received the wanted callbacks or are stopped, and a function that stops them and returns the
// processor time that they used.
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
		_ = said.Decode(&again) // fails if the process has ended
	}()
	return at, done, func() time.Duration {
		_ = cmd.Process.Kill()
		<-done
		_ = cmd.Wait() // it was killed
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
}

// BenchmarkCallbacks measures how long healthy endpoints wait for 1,000 events while ten other
// endpoints hang or fail: from the first announcement, and from the last stored event. It also reports
// the processor time of the receivers.
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

// BenchmarkCreateBesideCallbacks measures how much 1,000 events slow down placing orders: the rates
// within ten seconds without and with the events.
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

// placeBeside places orders for a time with 32 callers, announces events at the beginning, and returns
// the rate.
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
