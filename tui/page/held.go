package page

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// HoldTime is how long what changes the service is held back, so that it can
// be taken back.
const HoldTime = 8 * time.Second

// Held is a change of the service that was asked for and confirmed, but leaves
// only after [HoldTime]. Until then u stops it. It leaves whatever page is
// shown then, also when the one that asked is gone.
type HeldChange struct {
	Text string // what is to be done, verb first: cancel ORD-100240
	Done string // what is said once it is done: Cancelled ORD-100240
	// Of is what it changes, by its id. While one change of it has not been
	// answered no other should be asked for: see [Env.Waits]. "" for nothing.
	Of   string
	Send func(ctx context.Context) error
}

// SentMsg tells every page that something held has left, and what came of it.
// The root says so in the status row; pages read anew what it changed.
type SentMsg struct {
	Held HeldChange
	Err  error
}

// UndoMsg keeps how a change can be taken back, which u does, the newest first.
// It is for what only this program knows. Sending it shows a toast.
type UndoMsg struct {
	Text string // what was done: removed Levee km 3
	// Undo makes it undone; ok false where that is no longer possible.
	Undo func() (cmd tea.Cmd, ok bool)
	// Redo does it again; nil where it cannot be.
	Redo   func() (cmd tea.Cmd, ok bool)
	Weight int  // how much is kept for that, in sites
	Quiet  bool // what was done is seen: there is no toast
}
