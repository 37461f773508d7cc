package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// loadTime is the duration of a load.
const loadTime = 4 * time.Second

// result is the result of a load.
type result struct {
	rate float64 // responses per second
	p99  time.Duration
	cpu  time.Duration // processor time of this process per response, with the client's part
}

// report adds the result to the metrics of the benchmark.
func (r result) report(b *testing.B, name string) {
	b.ReportMetric(r.rate, name+"/s")
	b.ReportMetric(float64(r.p99.Microseconds())/1000, name+"-p99-ms")
	b.ReportMetric(float64(r.cpu.Nanoseconds())/1000, name+"-cpu-µs")
}

// request is a request as bytes.
func request(method, path, key string, body []byte) []byte {
	return append(fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: bench\r\nX-Api-Key: %s\r\nContent-Length: %d\r\n\r\n",
		method, path, key, len(body)), body...)
}

// load sends a request repeatedly over a number of connections. It costs little compared with the
// service, because it only reads the status and the length of each response.
func load(b *testing.B, addr string, connections int, sent []byte, want string) result {
	b.Helper()
	return loadEach(b, addr, connections, func() []byte { return sent }, want)
}

// loadEach is [load] with a different request each time.
func loadEach(b *testing.B, addr string, connections int, next func() []byte, want string) result {
	b.Helper()
	var mu sync.Mutex
	var all []time.Duration
	var clients sync.WaitGroup
	began := time.Now()
	used := spent()
	for range connections {
		clients.Go(func() {
			took, err := hammer(addr, began.Add(loadTime), next, want)
			if err != nil {
				b.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	clients.Wait()
	if len(all) == 0 {
		b.Fatal("no answer came")
	}
	slices.Sort(all)
	return result{
		rate: float64(len(all)) / time.Since(began).Seconds(), p99: all[len(all)*99/100],
		cpu: (spent() - used) / time.Duration(len(all)),
	}
}

// hammer sends requests over one connection until a time, and returns how long each response took.
func hammer(addr string, end time.Time, next func() []byte, want string) ([]time.Duration, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r := bufio.NewReaderSize(c, 64<<10)
	took := make([]time.Duration, 0, 1<<16)
	for now := time.Now(); now.Before(end); {
		if _, err := c.Write(next()); err != nil {
			return took, err
		}
		if err := readAnswer(r, want); err != nil {
			return took, err
		}
		began := now
		now = time.Now()
		took = append(took, now.Sub(began))
	}
	return took, nil
}

// readAnswer reads one response.
func readAnswer(r *bufio.Reader, want string) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(line, []byte("HTTP/1.1 "+want)) {
		return fmt.Errorf("the answer is %s", bytes.TrimSpace(line))
	}
	length := -1
	for {
		line, err = r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) == 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, err = strconv.Atoi(strings.TrimSpace(string(value)))
			if err != nil {
				return err
			}
		}
	}
	_, err = r.Discard(length)
	return err
}

// bareAnswer serves a handler until the benchmark ends, and returns its address.
func bareAnswer(b *testing.B, handle http.HandlerFunc) string {
	s := httptest.NewServer(handle)
	b.Cleanup(s.Close)
	return s.Listener.Addr().String()
}
