package webhooks

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// RunFolder is a folder with a file for each run that has an endpoint. What a
// crash leaves there names an endpoint that nobody listens to. With "" nothing
// is noted.
type RunFolder string

// LeftEndpoint is an endpoint that an earlier run has left, and that is removed now.
type LeftEndpoint struct {
	Endpoint api.WebhookEndpoint
	// Missed are the callbacks that did not get there, as its log has them,
	// oldest first. They are not sent again.
	Missed []api.WebhookDelivery
}

// runFile is such a file. A lock beside it is held as long as the run lasts, on any
// machine or in any container.
type runFile struct {
	BaseURL string `json:"baseUrl"`
	Account string `json:"account,omitempty"` // whose endpoint it is; "" for one that is not told
	Mark    string `json:"mark"`              // the endpoint's description
	PID     int    `json:"pid"`               // for disks without locks
}

// listenRun is a run that is noted.
type listenRun struct {
	mark string // the endpoint's description
	lock *atomicfile.Lock
}

const markPrefix = "flightdesk listen "

func (d RunFolder) filePath(mark string) string {
	return filepath.Join(string(d), strings.TrimPrefix(mark, markPrefix)+".json")
}

// beginRun notes a run before its endpoint is made, so that one whose answer was
// lost is found, too.
func (d RunFolder) beginRun(baseURL, account string) (run listenRun, err error) {
	run.mark = markPrefix + rand.Text()
	if d == "" {
		return run, nil
	}
	data, err := json.Marshal(runFile{baseURL, account, run.mark, os.Getpid()})
	if err == nil {
		err = os.MkdirAll(string(d), 0o700)
	}
	if err != nil {
		return run, err
	}
	name := d.filePath(run.mark)
	if run.lock, err = atomicfile.TryLock(name + lockEnding); err != nil {
		return run, err
	}
	return run, os.WriteFile(name, data, 0o600)
}

const lockEnding = ".lock"

// endRun forgets a run.
func (d RunFolder) endRun(run listenRun) error {
	if d == "" {
		return nil
	}
	name := d.filePath(run.mark)
	err := errors.Join(os.Remove(name), run.lock.Unlock())
	_ = os.Remove(name + lockEnding)
	return err
}

// removeLeft removes the endpoints of runs that are over, and returns them with what
// their logs say was missed.
func (d RunFolder) removeLeft(
	ctx context.Context,
	client *api.Client,
	account string,
) (removed []LeftEndpoint, err error) {
	marks := d.endedRuns(client.BaseURL(), account)
	if len(marks) == 0 {
		return nil, nil
	}
	for e, err := range client.Webhooks.All(ctx) {
		if err != nil {
			return removed, err
		}
		if !marks[e.Description] {
			continue
		}
		left := LeftEndpoint{Endpoint: *e}
		if left.Missed, err = missedRows(ctx, client, e.UUID); err != nil {
			return removed, err
		}
		if err := client.Webhooks.Delete(ctx, e.UUID); err != nil && !api.IsStatus(err, http.StatusNotFound) {
			return removed, err
		}
		removed = append(removed, left)
	}
	var errs []error
	for mark := range marks {
		errs = append(errs, d.endRun(listenRun{mark: mark}))
	}
	return removed, errors.Join(errs...)
}

// endedRuns returns the marks of an account's runs on a service that are over.
func (d RunFolder) endedRuns(baseURL, account string) map[string]bool {
	marks := map[string]bool{}
	if d == "" {
		return marks
	}
	files, _ := filepath.Glob(filepath.Join(string(d), "*.json"))
	for _, name := range files {
		var r runFile
		data, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(data, &r) != nil || d.filePath(r.Mark) != name || isLive(name, r.PID) {
			continue
		}
		if r.BaseURL == baseURL && (r.Account == account || r.Account == "") {
			marks[r.Mark] = true
		}
	}
	return marks
}

// mostMissed is how much of a log is read.
const mostMissed = 10_000

// missedRows returns the callbacks of an endpoint's log that did not get there.
func missedRows(
	ctx context.Context,
	client *api.Client,
	endpoint string,
) (rows []api.WebhookDelivery, err error) {
	read := 0
	for row, err := range client.Webhooks.AllDeliveries(ctx, endpoint) {
		switch {
		case api.IsStatus(err, http.StatusNotFound):
			return rows, nil // it was removed meanwhile
		case err != nil:
			return nil, err
		case !row.Success:
			rows = append(rows, *row)
		}
		if read++; read == mostMissed {
			break
		}
	}
	slices.Reverse(rows)
	return rows, nil
}

// isLive reports whether the run of a file and a process is going on.
func isLive(name string, pid int) bool {
	lock, err := atomicfile.TryLock(name + lockEnding)
	var held *atomicfile.HeldError
	switch {
	case errors.As(err, &held):
		return true
	case err != nil:
		return isRunning(pid)
	}
	_ = lock.Unlock()
	return false
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
