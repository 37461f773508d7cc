package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// listenRuns is a folder with a file for each run that has an endpoint. What a
// crash leaves there names an endpoint that nobody listens to.
type listenRuns string

// listenRun is such a file.
type listenRun struct {
	BaseURL string `json:"baseUrl"`
	Mark    string `json:"mark"` // the endpoint's description
	PID     int    `json:"pid"`
}

func (p *program) listenRuns() listenRuns {
	return listenRuns(filepath.Join(p.env.Dirs.State, "listen"))
}

const markPrefix = "flightdesk listen "

func (d listenRuns) file(mark string) string {
	return filepath.Join(string(d), strings.TrimPrefix(mark, markPrefix)+".json")
}

// begin notes a run before its endpoint is made, so that one whose answer was
// lost is found, too. The mark is the endpoint's description.
func (d listenRuns) begin(baseURL string) (mark string, err error) {
	mark = markPrefix + rand.Text()
	data, err := json.Marshal(listenRun{baseURL, mark, os.Getpid()})
	if err == nil {
		err = os.MkdirAll(string(d), 0o700)
	}
	if err == nil {
		err = os.WriteFile(d.file(mark), data, 0o600)
	}
	return mark, err
}

func (d listenRuns) end(mark string) error { return os.Remove(d.file(mark)) }

// clean removes the endpoints of runs that are over.
func (d listenRuns) clean(ctx context.Context, client *api.Client, told io.Writer) error {
	files, _ := filepath.Glob(filepath.Join(string(d), "*.json"))
	left := map[string]bool{}
	for _, name := range files {
		var r listenRun
		data, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(data, &r) != nil || d.file(r.Mark) != name || r.BaseURL != client.BaseURL() || isRunning(r.PID) {
			continue
		}
		left[r.Mark] = true
	}
	if len(left) == 0 {
		return nil
	}
	for e, err := range client.Webhooks.All(ctx) {
		if err != nil {
			return err
		}
		if !left[e.Description] {
			continue
		}
		if err := client.Webhooks.Delete(ctx, e.UUID); err != nil && !api.IsStatus(err, http.StatusNotFound) {
			return err
		}
		fmt.Fprintln(told, "removed an endpoint that an earlier run has left")
	}
	var errs []error
	for mark := range left {
		errs = append(errs, d.end(mark))
	}
	return errors.Join(errs...)
}

// isRunning reports whether there is a process of an id.
func isRunning(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil || pid <= 0 {
		return false
	}
	defer func() { _ = process.Release() }()
	err = process.Signal(syscall.Signal(0))
	return err == nil || runtime.GOOS == "windows" || // where only a running one is found
		errors.Is(err, os.ErrPermission)
}

// raw is a callback as it came.
type raw struct {
	header http.Header
	body   []byte
}

type rawKey struct{}

// maxRaw is more than a receiver takes of a callback.
const maxRaw = 2 << 20

// keepRaw has the callback go along with the context of its handler.
func keepRaw(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRaw))
		if err != nil {
			http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), rawKey{}, raw{r.Header, body}))
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// forwarding is how long the receiver that is forwarded to may take: the
// service waits for 5 seconds in all.
const forwarding = 4 * time.Second

// forward sends a callback on as it came.
func forward(ctx context.Context, to string) error {
	ctx, cancel := context.WithTimeout(ctx, forwarding)
	defer cancel()
	came, _ := ctx.Value(rawKey{}).(raw)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(came.body))
	if err != nil {
		return err
	}
	for _, name := range []string{"Content-Type", api.HeaderSignature, api.HeaderEvent, api.HeaderDelivery, api.HeaderTimestamp} {
		if values := came.header.Values(name); len(values) > 0 {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("--forward-to does not answer: %w", err)
	}
	_ = res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("--forward-to answers %d", res.StatusCode)
	}
	return nil
}

// quietLog drops what a server says of connections that break.
func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
