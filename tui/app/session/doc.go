// Package session has what a run of the app works with besides an account's data: how
// an account is connected with and what its key allows, how pages are shown, the
// clipboards that can be reached, and the requests since the start with their
// responses, which are masked before they come here.
package session
