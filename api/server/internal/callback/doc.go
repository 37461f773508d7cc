// Package callback sends callbacks. It signs them, retries failed attempts, and keeps
// slow and unreachable receivers from delaying the others.
//
// An attempt takes at most 5 s. At most 4 attempts to an endpoint and 1,024 in total run
// at the same time. Endpoints take turns. An endpoint that keeps failing rests after each
// failure, so that it is sent to about 100 times per second at most, until an attempt
// succeeds.
//
// A waiting delivery is kept in memory only by its ID. It is loaded when its turn comes, together
// with the next few deliveries to the same endpoint, and it is loaded again for every retry. So
// nothing is sent to an endpoint that was deleted in the meantime. Outcomes are saved in batches.
package callback
