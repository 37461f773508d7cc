package server

import "net/http"

// Direct returns a transport that calls the server in this process.
func Direct(s *Server) http.RoundTripper { return direct{s.handler} }
