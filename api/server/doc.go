// Package server is the drone-survey order service in one process, for demos,
// training, tests and client development. It answers as the service does, and
// stores what it receives.
//
//	s := &server.Server{Demo: true}
//	if err := s.Start(ctx); err != nil {
//		return err
//	}
//	defer s.Close()
//	client, err := s.Client() // no network needed
//
// The zero value stores everything in a temporary folder and rejects every
// request until an account and a key are created. [Server.Handler] can be mounted
// anywhere; [Server.Listen] serves it on an address with timeouts that protect it
// from slow and hostile peers.
//
// Handlers translate between the wire and package domain, which decides, and
// package store, which stores. API keys are stored as hashes only. Those that the
// server generates, for itself and the demo accounts, are also stored encrypted,
// so a data folder has the same ones at every start.
package server
