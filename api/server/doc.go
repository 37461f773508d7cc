// Package server is the drone-survey order service in one process, for demos,
// trainings, tests and developers of clients. It answers as the service does,
// and keeps what it is given.
//
//	s := &server.Server{Demo: true}
//	if err := s.Start(ctx); err != nil {
//		return err
//	}
//	defer s.Close()
//	client, err := s.Client() // no network needed
//
// The zero value keeps everything in a temporary folder and serves nobody
// until an account and a key are made. [Server.Handler] can be mounted
// anywhere; [Server.Listen] serves it on an address with timeouts that hold up
// against slow and hostile peers.
//
// Handlers translate between the wire and package domain, which decides; package
// store keeps. API keys are stored as hashes only. Those that the server
// makes for itself and the demo accounts are kept encrypted, too, so that a
// data folder has the same ones at every start.
package server
