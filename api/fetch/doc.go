// Package fetch downloads delivered files: several at once, large ones in
// ranges side by side, resumable at any moment, verified before they get their
// name.
//
//	q, err := fetch.New(fetch.Options{Dir: "deliveries"})
//	packages, err := fetch.Order(ctx, client, "ORD-1042")
//	for _, p := range packages {
//		_, err = q.Add(p, 0)
//	}
//	err = q.Wait(ctx)
//	defer q.Close()
//
// A [Queue] starts to work at the first [Queue.Add]. It is polled with
// [Queue.Snapshot] or [Queue.Summary] and reports changed states through
// [Queue.Subscribe]; all its methods are safe for concurrent use and none of
// them waits for the network.
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
//   - A file that is there already is never overwritten. One of the same
//     content counts as fetched.
//   - What was fetched before a stop, a kill of the process or a lost line is
//     not fetched again, except for the last second. It continues only if the
//     server proves, by If-Range, that the file is still the same.
//   - Names come from the service and are never taken for paths.
//   - The API key is not sent to links. The tokens of links are in no error,
//     snapshot, manifest or state file.
package fetch
