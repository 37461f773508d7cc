package webhooks

import "net"

// SetSocket replaces the socket of a listener.
func (l *EndpointListener) SetSocket(s net.Listener) { l.socket = s }

// Socket returns the socket of a listener.
func (l *EndpointListener) Socket() net.Listener { return l.socket }
