// Package connect has the page of the first run, which connects an account or opens the demo. The
// same page edits existing profiles.
package connect
