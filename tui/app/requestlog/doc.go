// Package wire keeps the requests of a run and their answers, and writes them
// as curl commands and as HTTP archives. What it is given is masked already.
package requestlog
