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

// configuredOrigin returns what links begin with. Before Bind it is a name that no network
// knows, which is enough for a client in this process.
func (s *Server) configuredOrigin() string {
	if s.PublicURL != "" {
		return strings.TrimRight(s.PublicURL, "/")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound == nil {
		return "http://flightdesk.invalid"
	}
	if s.TLS != nil {
		return "https://" + reachableHost(s.bound.Addr())
	}
	return "http://" + reachableHost(s.bound.Addr())
}

// linkOrigin returns what the links in the answer to a request begin with. Where the
// handler is mounted in another server, only the request knows its address.
func (s *Server) linkOrigin(r *http.Request) string {
	s.mu.Lock()
	mounted := s.bound == nil && s.PublicURL == ""
	s.mu.Unlock()
	if !mounted || r.Host == "" {
		return s.configuredOrigin()
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// reachableHost names the loopback address where the server listens on all.
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

// ReadyLine is the line that a program starting the service waits for.
type ReadyLine struct {
	Event         string        `json:"event"` // "ready"
	BaseURL       string        `json:"baseUrl"`
	LegacyBaseURL string        `json:"legacyBaseUrl"`
	OpsURL        string        `json:"opsUrl"`
	OpsKey        string        `json:"opsKey,omitzero"` // "" where it was given
	Accounts      []DemoAccount `json:"accounts"`
}

// Ready says where the server is and who may use it. It contains secrets.
func (s *Server) Ready() ReadyLine {
	return ReadyLine{
		Event: "ready", BaseURL: s.BaseURL(), LegacyBaseURL: s.LegacyURL(), OpsURL: s.OpsURL(),
		OpsKey: s.shownKey, Accounts: s.Accounts(),
	}
}
