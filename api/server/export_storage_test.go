package server

import "flightdesk/api/server/internal/store/files"

// WaitForSweep returns when the files that nothing names have been dropped.
func WaitForSweep(s *Server) { <-s.service.upkeep.strays.done }

// BoundFiles makes a server in memory have space for so many bytes of files.
func BoundFiles(s *Server, bytes int64) {
	<-s.service.upkeep.strays.done // it reads what is replaced here
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
