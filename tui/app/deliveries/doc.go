// Package deliveries has what was delivered: packages and files as the cache
// knows them, what of them is on this machine, and the rows that a list shows; and
// what the app downloads, whichever page is shown: one queue, and what of it is to
// be gone on with the next time.
package deliveries
