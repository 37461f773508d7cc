package server

import "flightdesk/api/server/internal/store/files"

// WaitForSweep returns when the unreferenced files have been deleted.
func WaitForSweep(s *Server) { <-s.service.upkeep.strays.done }

// BoundFiles limits the file store of a server in memory to a number of bytes.
func BoundFiles(s *Server, bytes int64) {
	<-s.service.upkeep.strays.done // the strays job reads the file store that is replaced here
	s.service.files = files.NewMemory(bytes)
	s.service.domain.Files = s.service.files
}

// FilesOf returns the file store of a server.
func FilesOf(s *Server) files.Store { return s.service.files }

// StopBackgroundWrites ends the request log and the upkeep, which write to the store without a request.
func StopBackgroundWrites(s *Server) {
	s.service.requests.work.stop()
	s.service.upkeep.stop()
}
