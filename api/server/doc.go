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
// package store, which stores. API keys are stored as hashes only. The keys that the
// server generates, for itself and the demo accounts, are also stored encrypted,
// so that a data folder has the same keys at every start.
//
// # Bounds
//
// The resources of the service that clients can use are limited:
//
//	resource                        of one client                          in all
//	connections without a request                                          2,000; the one that has waited longest is closed
//	  their time                    5 s for a header, 2 min between requests
//	headers of a request            64 KiB
//	bodies                          5 MiB of JSON, 10 MiB of a survey file, after the key was checked
//	  their time                    30 s, 1 min for a survey file
//	  of refused requests           16 MiB and 5 s are read before the answer; 128 MiB if the body is too large
//	requests                        [Server.RateLimit] of a key            counted for 10,000 keys
//	survey files that are parsed                                           4 at a time; others wait
//	rows of a list                  100 a page
//	missions, points                1,000 of an order, 20,000 of a mission
//	webhook endpoints               20 of an account
//	callbacks under way                                                    1,024
//	  bytes of an answer            64 KiB
//	keys that are cached                                                   10,000
//	requests in the log             30 days                                500,000; 4,096 wait to be written
//	  of unknown senders            1,000 an hour of an address            10,000 an hour
//	entries of the audit trail      1,000 an hour of a kind and an operations user, changes aside; a read once an hour
//	certificates to be trusted      64 KiB
//	files of a delivery             1,000, 2 GiB, 30 min (operations only)
//
// A program that serves the app over SSH also has the limits of package sshserver.
package server
