package server

// WaitForSweep returns when the files that nothing names have been dropped.
func WaitForSweep(s *Server) { <-s.sweep.done }
