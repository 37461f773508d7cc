// Package callback sends callbacks: it signs them, tries again where that may
// help, and keeps slow and dead receivers from delaying others.
//
// A try is at most 5 s long. An endpoint has at most 4 tries under way. All
// endpoints share a number of places for tries; one whose tries take over a
// second draws from a smaller number of its own from then on, until it answers
// faster, so that those who answer never wait for those who do not.
//
// An endpoint that keeps failing without being slow is sent to about 100 times
// a second at most, until it answers well.
//
// Nothing that waits is kept here but its number: a delivery is read when its
// turn comes, together with a few after it, and anew for each further try, so
// that one whose endpoint is gone is not sent. Outcomes are kept many at once.
package callback
