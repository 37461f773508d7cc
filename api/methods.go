package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// changeMethods are the methods by which a service may make a change whose method the
// specification does not show.
var changeMethods = []string{http.MethodPost, http.MethodPut, http.MethodPatch}

// methodMemory has the methods by which a service makes changes, if they are not the
// usual ones.
type methodMemory struct {
	mu      sync.Mutex
	known   map[string]string // by the names of operations
	learned func(operation, method string)
}

// WithMethods sets by which methods the service makes changes, by the names of their
// operations, as an earlier client learned them. Each method that this client learns is
// passed to learned, unless that is nil.
func WithMethods(known map[string]string, learned func(operation, method string)) Option {
	return func(c *Connection) error {
		c.methods.known, c.methods.learned = map[string]string{}, learned
		for operation, method := range known {
			c.methods.known[operation] = method
		}
		return nil
	}
}

// of returns the method that is known of an operation, "" for none.
func (m *methodMemory) of(op *Operation) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if method := m.known[op.name]; slices.Contains(op.methods, method) {
		return method
	}
	return ""
}

func (m *methodMemory) learn(op *Operation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[op.name] == op.method {
		return
	}
	if m.known == nil {
		m.known = map[string]string{}
	}
	m.known[op.name] = op.method
	if m.learned != nil {
		m.learned(op.name, op.method)
	}
}

// performByAnyMethod performs a change by its method. If the service does not have that
// method, it tries each other method once, and learns the one that the service has. If it
// has none, the error is that of the first try.
func (c *Connection) performByAnyMethod(ctx context.Context, op *Operation) ([]byte, error) {
	if known := c.methods.of(op); known != "" {
		op.method = known
	}
	body, err := c.performOnce(ctx, op)
	if !isWithoutMethod(err) {
		return body, err
	}
	for _, method := range otherMethods(op, err) {
		other := *op
		other.method = method
		body, otherErr := c.performOnce(ctx, &other)
		if isWithoutMethod(otherErr) {
			continue
		}
		*op = other
		if otherErr == nil || IsStatus(otherErr, http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity) {
			c.methods.learn(op)
		}
		return body, otherErr
	}
	return nil, err
}

// isWithoutMethod reports whether an answer says that the service has no such method at the
// path, and so that nothing was done. A 404 with the service's own code is about what the
// path names.
func isWithoutMethod(err error) bool {
	var refusal *Error
	if !errors.As(err, &refusal) {
		return false
	}
	switch refusal.Status {
	case http.StatusMethodNotAllowed:
		return true
	case http.StatusNotFound:
		return refusal.Code != CodeNotFound
	}
	return false
}

// otherMethods returns the methods to try after a refusal: those that its header Allow
// names, or without that header all but the one that was tried.
func otherMethods(op *Operation, err error) []string {
	var refusal *Error
	_ = errors.As(err, &refusal)
	allowed := strings.ToUpper(refusal.allow)
	var others []string
	for _, method := range op.methods {
		isAllowed := allowed == "" || slices.ContainsFunc(strings.Split(allowed, ","), func(name string) bool {
			return strings.TrimSpace(name) == method
		})
		if isAllowed && method != op.method {
			others = append(others, method)
		}
	}
	return others
}
