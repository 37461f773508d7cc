package server

import (
	"crypto/subtle"
	"log/slog"
	"sync"
	"time"
)

// rereadInterval is the interval at which a secret is read again.
const rereadInterval = time.Second

// rereadSecret is a secret in a file that may be replaced while the service runs.
type rereadSecret struct {
	mu       sync.Mutex
	value    string
	lastRead time.Time
	failing  bool // the last attempt to read failed and was logged
}

// current returns the secret. It calls read if the last call was rereadInterval ago; if
// read fails, the previous secret remains valid. If read is nil, the secret is always
// the initial one. name is the name of the secret in the log.
func (r *rereadSecret) current(name, initial string, read func() (string, error), log *slog.Logger) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.value == "" {
		r.value = initial
	}
	now := time.Now()
	if read == nil || now.Sub(r.lastRead) < rereadInterval {
		return r.value
	}
	r.lastRead = now
	value, err := read()
	if err != nil && !r.failing {
		log.Warn("the "+name+" cannot be reloaded; the earlier one is used", "error", err)
	}
	r.failing = err != nil
	if err != nil {
		return r.value
	}
	isSame := subtle.ConstantTimeCompare([]byte(value), []byte(r.value)) == 1
	if !isSame {
		log.Info("the " + name + " was replaced")
		r.value = value
	}
	return r.value
}

// currentOpsKey returns the key of the operations API.
func (s *Server) currentOpsKey() string {
	return s.opsKey.current("operations key", s.OpsKey, s.ReadOpsKey, s.Log)
}
