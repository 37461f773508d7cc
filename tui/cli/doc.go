// Package cli is the command line: flags to calls, and errors to one line on
// standard error with an exit status: 0 done, 1 failed, 2 wrong usage, 130
// interrupted.
package cli
