// Package page defines what the pages of the app share: the interface called by
// the root, the messages sent to it, and background questions whose late answers
// are dropped. Start with Page and Env.
package page
