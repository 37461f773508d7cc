// Package feed is the events that were received: what comes while the app runs
// and listens, and what came before. Each is verified, kept once, and ordered
// by how far its mission was.
package feed
