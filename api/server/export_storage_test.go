package server

import "flightdesk/api/server/internal/store/files"

// WaitForSweep returns when the files that nothing names have been dropped.
func WaitForSweep(s *Server) { <-s.upkeep.strays.done }

// BoundFiles makes a server in memory have space for so many bytes of files.
func BoundFiles(s *Server, bytes int64) {
	<-s.upkeep.strays.done // it reads what is replaced here
	s.files = files.NewMemory(bytes)
	s.domain.Files = s.files
}

// FilesOf returns the file store of a server.
func FilesOf(s *Server) files.Store { return s.files }

// StopBackgroundWrites ends the jobs that write to the store without a request.
func StopBackgroundWrites(s *Server) {
	s.requests.work.stop()
	s.upkeep.stop()
}
