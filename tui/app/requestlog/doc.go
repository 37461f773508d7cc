// Package requestlog keeps the requests since the start and their responses, and writes them
// as curl commands and as HTTP archives. What it is given is masked already.
package requestlog
