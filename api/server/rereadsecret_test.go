package server_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api/server"
)

// A new operations key is accepted and the old one refused without a restart. A file that
// cannot be read changes nothing.
func TestTheOperationsKeyIsReplacedWithoutARestart(t *testing.T) {
	var key atomic.Value
	key.Store("first-key")
	var log bytes.Buffer
	b := newBenchOn(t, &server.Server{
		OpsKey: "first-key",
		ReadOpsKey: func() (string, error) {
			if key.Load() == "" {
				return "", errors.New("the file is empty")
			}
			return key.Load().(string), nil
		},
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	status := func(key string) int { return b.call("GET", opsPath+"/accounts", key, nil).status }
	if status("first-key") != 200 {
		t.Fatal("the first key is refused")
	}
	key.Store("second-key")
	end := time.Now().Add(time.Minute)
	for status("second-key") != 200 {
		if time.Now().After(end) {
			t.Fatal("the second key is refused")
		}
	}
	if got := status("first-key"); got != 401 {
		t.Errorf("the first key afterwards: %d", got)
	}
	key.Store("")
	for !strings.Contains(log.String(), "cannot be reloaded") {
		if status("second-key") != 200 {
			t.Fatal("the second key is refused when the file cannot be read")
		}
		if time.Now().After(end) {
			t.Fatal("nothing is logged about the file")
		}
	}
	if strings.Contains(log.String(), "second-key") || strings.Count(log.String(), "the operations key was replaced") != 1 {
		t.Errorf("the log: %s", &log)
	}
}
