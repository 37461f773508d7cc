// Package inspect has the pages of the "Inspect" section, for support: the health of an
// account and the permissions of its key, the timeline of an order or a mission, the account's
// requests in the service's log, and the requests of this app with their responses.
package inspect
