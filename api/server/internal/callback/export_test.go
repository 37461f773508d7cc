package callback

import "net"

// Check checks an address with the guard.
func (t *Transport) Check(network, address string) error {
	return t.checkAddress(network, address, nil)
}

// Forbidden is the error of the guard.
var Forbidden = errForbidden

// Resolve replaces the resolver of the transport.
func (t *Transport) Resolve(r *net.Resolver) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resolver = r
	t.current = t.withRoots(t.roots)
}
