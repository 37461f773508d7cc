// Package gaps finds what an endpoint should have been told and was not: it
// compares how far missions are with the endpoint's log and with what was
// received here. It reads nothing and keeps nothing.
package missing
