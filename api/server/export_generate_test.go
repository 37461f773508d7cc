package server

import "flightdesk/api/server/internal/store/files"

// LimitFiles gives a server an empty file store with space for a number of bytes.
func LimitFiles(s *Server, bytes int64) {
	<-s.service.upkeep.strays.done // the strays job reads the file store that is replaced here
	s.service.domain.Files = files.NewMemory(bytes)
}
