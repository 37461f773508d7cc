package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The benchmarks measure how fast files of a local server are downloaded: many files, one large
// file, and one file with a rate limit per connection. If another download program is installed,
// it does the same after each round; x-peer is how many times longer it takes.
func BenchmarkDownloads(b *testing.B) {
	for _, c := range []struct {
		name  string
		files int
		size  int64
		rate  int // bytes per second of each connection; 0 means no limit
		peer  []string
	}{
		{"200 files of 5 MB", 200, 5_000_000, 0, []string{"rclone", "--transfers=8"}},
		{"one file of 2 GB", 1, 2_000_000_000, 0, []string{"rclone"}},
		{"one file of 200 MB at 25 MB per second and connection", 1, 200_000_000, 25_000_000, []string{"aria2c", "-x4", "-s4", "--min-split-size=1M"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			content := filepath.Join(b.TempDir(), "content")
			if err := os.WriteFile(content, nil, 0o600); err != nil {
				b.Fatal(err)
			}
			past := time.Now().Add(-time.Hour)
			if err := os.Truncate(content, c.size); err != nil {
				b.Fatal(err)
			}
			if err := os.Chtimes(content, past, past); err != nil {
				b.Fatal(err)
			}
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.rate > 0 {
					w = &slow{w, c.rate / 20, time.Now(), 0}
				}
				http.ServeFile(w, r, content)
			}))
			defer web.Close()
			p := Package{PackageInfo: PackageInfo{ID: "package", Kind: "delivery"}, Folder: []string{"files"}}
			for i := range c.files {
				p.Files = append(p.Files, File{ID: fmt.Sprint(i), Name: fmt.Sprintf("%04d.bin", i), Size: c.size, URL: fmt.Sprintf("%s/%d", web.URL, i)})
			}
			b.SetBytes(int64(c.files) * c.size)
			var ours, theirs time.Duration
			for i := 0; b.Loop(); i++ {
				ours += download(b, filepath.Join(b.TempDir(), fmt.Sprint(i)), p)
				b.StopTimer()
				theirs += byPeer(b, c.peer, web.URL, c.files)
				b.StartTimer()
			}
			if theirs > 0 {
				b.ReportMetric(theirs.Seconds()/ours.Seconds(), "x-peer")
			}
		})
	}
}

// byPeer downloads files 0 to n-1 of a server with another program. It returns how long that
// took, or 0 if the program is not installed.
func byPeer(b *testing.B, peer []string, server string, n int) time.Duration {
	b.Helper()
	program, err := exec.LookPath(peer[0])
	if err != nil {
		return 0
	}
	dir := b.TempDir()
	list, names := filepath.Join(dir, "list"), &strings.Builder{}
	into := filepath.Join(dir, "files")
	args := slices.Concat(peer[1:], []string{"copy", "--http-url=" + server, "--files-from=" + list, "--no-traverse", ":http:", into})
	begin := ""
	if peer[0] == "aria2c" {
		args = slices.Concat(peer[1:], []string{"--quiet", "--file-allocation=none", "--dir=" + into, "--input-file=" + list})
		begin = server + "/"
	}
	for i := range n {
		fmt.Fprintf(names, "%s%d\n", begin, i)
	}
	if err := os.WriteFile(list, []byte(names.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if out, err := exec.CommandContext(b.Context(), program, args...).CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", peer[0], err, out)
	}
	got, err := os.ReadDir(into)
	if err != nil || len(got) != n {
		b.Fatalf("%s brought %d of %d files, %v", peer[0], len(got), n, err)
	}
	for _, entry := range got { // our files are synced to disk
		f, err := os.Open(filepath.Join(into, entry.Name()))
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(began)
	if err := os.RemoveAll(into); err != nil {
		b.Fatal(err)
	}
	return took
}

// download downloads a package to a folder, removes it, and returns how long the download took.
func download(b *testing.B, dir string, p Package) time.Duration {
	b.Helper()
	began := time.Now()
	q, err := New(Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := q.Add(p, Waiting); err != nil {
		b.Fatal(err)
	}
	if err := q.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	if n := q.Summary().Count[Done]; n != len(p.Files) {
		b.Fatalf("%d of %d files were fetched", n, len(p.Files))
	}
	q.Close()
	took := time.Since(began)
	b.StopTimer()
	if err := os.RemoveAll(dir); err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
	return took
}

// shareOf reports how much of a period is taken by work that is done once per period.
func shareOf(b *testing.B, period time.Duration) {
	b.Helper()
	b.ReportMetric(100*float64(b.Elapsed())/float64(b.N)/float64(period), "%")
}

// The cost of showing progress: reading a queue of 1,000 files four times a second, as the app
// does, in percent of the time. Less than 1 is negligible.
func BenchmarkProgress(b *testing.B) {
	q, err := New(Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	f := newLockedFolder(q.o.Dir, Package{PackageInfo: PackageInfo{ID: "package", Kind: "delivery", Order: "ORD-1", Mission: "MSN-1"}})
	for i := range 1000 {
		it := &queueItem{id: ID(i), folder: f, file: File{ID: fmt.Sprint(i), Name: fmt.Sprintf("IMG_%04d.JPG", i)}, state: Done}
		it.size.Store(8_000_000)
		q.items = append(q.items, it)
	}
	for b.Loop() {
		if items, sum := q.State(); len(items) != 1000 || sum.Size != 8_000_000_000 {
			b.Fatal(sum)
		}
	}
	shareOf(b, 250*time.Millisecond)
}
