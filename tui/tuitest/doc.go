// Package tuitest drives the terminal app in tests without a terminal: messages
// go in, commands are run to their end at once, plain text comes out. Time
// stands still but for Advance, so no test sleeps.
package tuitest
