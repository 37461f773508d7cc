package server

import (
	"net"
	"net/http"
	"strings"
)

// BaseURL returns the address of the public API.
func (s *Server) BaseURL() string { return s.configuredOrigin() + PublicPath }

// LegacyURL returns the address of the v2 API.
func (s *Server) LegacyURL() string { return s.configuredOrigin() + LegacyPath }

// OpsURL returns the address of the operations API.
func (s *Server) OpsURL() string { return s.configuredOrigin() + OpsPath }

// configuredOrigin returns the scheme and host of the service's URLs. Before Bind, the host is a
// placeholder that does not resolve. Only clients in this process can use the placeholder,
// because they call the handler directly.
func (s *Server) configuredOrigin() string {
	if s.PublicURL != "" {
		return strings.TrimRight(s.PublicURL, "/")
	}
	bound := s.port.boundAddress()
	if bound == nil {
		return "http://flightdesk.invalid"
	}
	if s.TLS != nil {
		return "https://" + reachableHost(bound)
	}
	return "http://" + reachableHost(bound)
}

// linkOrigin returns the scheme and host of the links in the answer to a request. If the handler
// is mounted in another server, this service does not know its own address, and linkOrigin uses
// the host in the request.
func (s *Server) linkOrigin(r *http.Request) string {
	isMounted := s.port.boundAddress() == nil && s.PublicURL == ""
	if !isMounted || r.Host == "" {
		return s.configuredOrigin()
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// reachableHost returns the host and port of an address. If the server listens on all addresses,
// the host is the loopback address.
func reachableHost(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	loopback := *tcp
	loopback.IP = net.IPv4(127, 0, 0, 1)
	if tcp.IP.To4() == nil {
		loopback.IP = net.IPv6loopback
	}
	return loopback.String()
}

// ReadyLine is the line that a program prints when the service is ready, for scripts that
// wait for it.
type ReadyLine struct {
	Event         string        `json:"event"` // "ready"
	BaseURL       string        `json:"baseUrl"`
	LegacyBaseURL string        `json:"legacyBaseUrl"`
	OpsURL        string        `json:"opsUrl"`
	OpsKey        string        `json:"opsKey,omitzero"` // "" if the key was configured
	Accounts      []DemoAccount `json:"accounts"`
}

// Ready returns the addresses, accounts and keys of the server. They include secrets.
func (s *Server) Ready() ReadyLine {
	return ReadyLine{
		Event: "ready", BaseURL: s.BaseURL(), LegacyBaseURL: s.LegacyURL(), OpsURL: s.OpsURL(),
		OpsKey: s.service.ownOpsKey, Accounts: s.Accounts(),
	}
}
