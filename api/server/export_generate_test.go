package server

import "flightdesk/api/server/internal/store/files"

// LimitFiles gives a server an empty file store that is full at so many bytes.
func LimitFiles(s *Server, bytes int64) {
	<-s.service.upkeep.strays.done // it reads what is replaced here
	s.service.domain.Files = files.NewMemory(bytes)
}
