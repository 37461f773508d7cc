//go:build !unix

package cli

import "github.com/charmbracelet/x/term"

// printsGoroutines does nothing: no signal asks for them here.
func printsGoroutines(*term.State) (stop func()) { return func() {} }
