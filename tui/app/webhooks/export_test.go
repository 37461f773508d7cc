package webhooks

import "net"

// SetSocket has a listener take connections of something else.
func (l *EndpointListener) SetSocket(s net.Listener) { l.socket = s }

// Socket is what a listener takes connections from.
func (l *EndpointListener) Socket() net.Listener { return l.socket }
