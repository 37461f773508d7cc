package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// changeMethods are the HTTP methods to try for changes for which the specification names no method.
var changeMethods = []string{http.MethodPost, http.MethodPut, http.MethodPatch}

// methodMemory remembers HTTP methods of changes. It has an entry for an operation only if the service did not accept
// the first method that the client tried.
type methodMemory struct {
	mu      sync.Mutex
	known   map[string]string // method by operation name
	learned func(operation, method string)
}

// WithMethods sets the methods of changes that an earlier client learned, by operation name.
// learned is called for each method that this client learns; it may be nil.
func WithMethods(known map[string]string, learned func(operation, method string)) Option {
	return func(c *Connection) error {
		c.methods.known = map[string]string{}
		c.methods.learned = learned
		for operation, method := range known {
			c.methods.known[operation] = method
		}
		return nil
	}
}

// get returns the known method of an operation, or "".
func (m *methodMemory) get(op *Operation) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	method := m.known[op.name]
	if !slices.Contains(op.methods, method) {
		return ""
	}
	return method
}

// set saves the method with which an operation succeeded.
func (m *methodMemory) set(op *Operation) {
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

// performByAnyMethod performs a change by its method. If the service does not have that method, it tries each other
// method once, and remembers the first that the service has. If the service has none of them, it returns the error of
// the first attempt.
func (c *Connection) performByAnyMethod(ctx context.Context, op *Operation) ([]byte, error) {
	if method := c.methods.get(op); method != "" {
		op.method = method
	}
	body, err := c.sendWithRetries(ctx, op)
	if !isMethodMissing(err) {
		return body, err
	}
	for _, method := range otherMethods(op, err) {
		other := *op
		other.method = method
		otherBody, otherErr := c.sendWithRetries(ctx, &other)
		if isMethodMissing(otherErr) {
			continue
		}
		*op = other // the caller needs the method and the headers of this response, even with an error
		if isMethodConfirmed(otherErr) {
			c.methods.set(op)
		}
		return otherBody, otherErr
	}
	return nil, err
}

// isMethodConfirmed reports whether the result of a change shows that the service has the method:
// the change succeeded, or was rejected for a reason that is not the method.
func isMethodConfirmed(err error) bool {
	return err == nil ||
		IsStatus(err, http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity)
}

// isMethodMissing reports whether an error response means that the service does not have the
// method at the path and has done nothing. A 404 with the service's own error code means
// instead that the resource does not exist.
func isMethodMissing(err error) bool {
	var refusal *Error
	if !errors.As(err, &refusal) {
		return false
	}
	if refusal.Status == http.StatusNotFound {
		return refusal.Code != CodeNotFound
	}
	return refusal.Status == http.StatusMethodNotAllowed
}

// otherMethods returns the methods of an operation to try after an error response, without
// the method already tried. If the response has an Allow header, only its methods are tried.
func otherMethods(op *Operation, err error) []string {
	var refusal *Error
	_ = errors.As(err, &refusal)
	isSeparator := func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }
	allowed := strings.FieldsFunc(strings.ToUpper(refusal.allow), isSeparator)
	var others []string
	for _, method := range op.methods {
		isAllowed := refusal.allow == "" || slices.Contains(allowed, method)
		if isAllowed && method != op.method {
			others = append(others, method)
		}
	}
	return others
}
