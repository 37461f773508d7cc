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

// current returns the secret. At most once per rereadInterval, it first calls reload to read the
// secret again. If reload fails, the previous secret remains valid. If reload is nil, current
// always returns initial. name is the name of the secret in the log.
func (r *rereadSecret) current(name, initial string, reload func() (string, error), log *slog.Logger) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.value == "" {
		r.value = initial
	}
	now := time.Now()
	if reload == nil || now.Sub(r.lastRead) < rereadInterval {
		return r.value
	}
	r.lastRead = now
	value, err := reload()
	if err != nil {
		r.logFailure(name, err, log)
		return r.value
	}
	r.failing = false
	isSame := subtle.ConstantTimeCompare([]byte(value), []byte(r.value)) == 1
	if !isSame {
		log.Info("the " + name + " was replaced")
		r.value = value
	}
	return r.value
}

// logFailure logs the first of several failures to reload the secret.
func (r *rereadSecret) logFailure(name string, err error, log *slog.Logger) {
	if !r.failing {
		log.Warn("the "+name+" cannot be reloaded; the earlier one is used", "error", err)
	}
	r.failing = true
}

// currentOpsKey returns the key of the operations API.
func (s *Server) currentOpsKey() string {
	return s.service.opsKey.current("operations key", s.OpsKey, s.ReadOpsKey, s.Log)
}
