// Package fetch downloads delivered files: several at once, large ones in
// parallel ranges, resumable at any point. A file gets its final name only after
// it is verified.
//
//	q, err := fetch.New(fetch.Options{Dir: "deliveries"})
//	defer q.Close()
//	packages, err := fetch.Order(ctx, client, "ORD-1042")
//	for _, p := range packages {
//		_, err = q.Add(p, fetch.Waiting)
//	}
//	err = q.Wait(ctx) // for all downloads
//
// A [Queue] starts to work at the first [Queue.Add]. It is polled with
// [Queue.Snapshot] or [Queue.Summary] and reports changed states through
// [Queue.Subscribe]. All its methods are safe for concurrent use; only [Queue.Wait]
// waits for downloads.
//
// # On disk
//
// A package has its own folder below [Options.Dir], with its files and a
// [Manifest], manifest.json. An incomplete file is NAME.part, and its state
// is in NAME.part.json. A file with its final name is complete: its size is right,
// and its digest where the server gave one.
//
// # Promises
//
//   - An existing file is never overwritten. One with the same content counts
//     as downloaded.
//   - After a stop, a killed process or a lost connection a download resumes
//     where it was, except for the last second, and only if the server proves,
//     by If-Range, that the file is unchanged.
//   - Names come from the service and are never used as paths.
//   - The API key is not sent to links. Errors, snapshots, manifests and state files
//     never contain the tokens of links.
package fetch
