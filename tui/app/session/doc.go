// Package session has what a run of the app needs besides the data of an account: the connection
// and what the key allows, the layout of the pages, the available clipboards, and the requests
// since the start with their responses, whose secrets are masked.
package session
