// Package tuitest drives the terminal app in tests, without a terminal. A test sends messages and keys; a
// [Driver] runs the resulting commands immediately and returns the screen as plain text. Its clock moves
// only in Advance, so that no test sleeps.
package tuitest
