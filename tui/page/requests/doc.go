// Package requests shows the requests since the start and their responses.
package requests
