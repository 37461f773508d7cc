// Package fetch downloads delivered files. It downloads several files at once, large files in
// parallel ranges, and resumes interrupted downloads. A file gets its final name only after
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
// A [Queue] starts working at the first [Queue.Add]. [Queue.Snapshot] and [Queue.Summary]
// return its progress, and [Queue.Subscribe] reports changes of states. All methods are safe
// for concurrent use. Only [Queue.Wait] waits for downloads.
//
// # On disk
//
// A package has a folder below [Options.Dir], with its files and a [Manifest],
// manifest.json. An incomplete file is NAME.part, and its state is in NAME.part.json. A file
// with its final name is complete: its size is right, and so is its digest if the server sent
// one.
//
// # Promises
//
//   - An existing file is never overwritten. An existing file with the same content counts as
//     downloaded.
//   - After a stop, a killed process or a lost connection, a download resumes and repeats at
//     most the last second. It only resumes if the server proves by If-Range that the file is
//     unchanged.
//   - Names sent by the service are never used as paths.
//   - The API key is not sent to links. Errors, snapshots, manifests and state files never
//     contain the tokens of links.
package fetch
