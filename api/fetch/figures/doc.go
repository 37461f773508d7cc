// Figures measures the downloader against those that people use, on a server
// on the same machine: many files, one large file, and one file over a line
// that is slow for each connection. The runs of all programs are interleaved,
// in another order each round, after a round that does not count; what counts
// are the ratios within one call.
//
// A server that gives digests has the downloader work them out, which no other
// program here does by itself: there it is held against those that do it after.
//
//	go run ./api/fetch/figures -dir /dev/shm -rounds 5
//
// Programs that are not installed are left out.
package main
