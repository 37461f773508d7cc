package callback

import "net"

// Check checks an address with the guard.
func (t *Transport) Check(network, address string) error {
	return t.checkAddress(network, address, nil)
}

// Forbidden is the error of the guard.
var Forbidden = errForbidden

// Resolve has the transport ask this resolver from now on.
func (t *Transport) Resolve(r *net.Resolver) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resolver = r
	t.current = t.withRoots(t.roots)
}
