// Figures measures the downloader against those that people use, on a server
// on the same machine: many files, one large file, and one file over a line
// that is slow for each connection. The runs of all programs are interleaved,
// so what counts are the ratios within one call.
//
//	go run ./api/fetch/figures -dir /dev/shm -rounds 3
//
// Programs that are not installed are left out.
package main
