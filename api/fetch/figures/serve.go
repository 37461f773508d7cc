package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"flightdesk/api/fetch"
)

func fileName(i int) string { return fmt.Sprintf("%04d.bin", i) }

// makeFiles writes files of random content, an hour old, with their digests
// beside the folder.
func makeFiles(dir string, count int, size int64) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	digests := map[string][]byte{}
	past := time.Now().Add(-time.Hour)
	for i := range count {
		f, err := os.Create(filepath.Join(dir, fileName(i)))
		if err != nil {
			return err
		}
		sum := sha256.New()
		random := rand.NewChaCha8([32]byte{byte(i)})
		_, err = io.Copy(io.MultiWriter(f, sum), io.LimitReader(random, size))
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err == nil {
			err = os.Chtimes(f.Name(), past, past)
		}
		if err != nil {
			return err
		}
		digests[fileName(i)] = sum.Sum(nil)
	}
	text, err := json.Marshal(digests)
	if err != nil {
		return err
	}
	return os.WriteFile(dir+".digests", text, 0o600)
}

// writeList writes the addresses one a line, as aria2c reads them.
func writeList(path, base string, count int) error {
	var b strings.Builder
	for i := range count {
		b.WriteString(base + fileName(i) + "\n")
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

// startServer serves a folder from a process of its own.
func startServer(self, dir string, rate int64, digests bool) (base string, stop func(), err error) {
	cmd := exec.CommandContext(context.Background(), self, "-serve", dir, "-rate", fmt.Sprint(rate), fmt.Sprintf("-digests=%t", digests))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the server does not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

// listPath lists the files.
const listPath = "list.json"

// serveFolder serves files, with their digests where that is wanted, and prints
// its address.
func serveFolder(dir string, rate int64, withDigests bool) error {
	text, err := os.ReadFile(dir + ".digests")
	if err != nil {
		return err
	}
	digests := map[string][]byte{}
	if err := json.Unmarshal(text, &digests); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	sizes := map[string]int64{}
	for name := range digests {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		sizes[name] = info.Size()
	}
	files := http.FileServer(http.Dir(dir))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/"+listPath {
			_ = json.NewEncoder(w).Encode(sizes)
			return
		}
		if sum := digests[strings.TrimPrefix(r.URL.Path, "/")]; sum != nil {
			w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
			if withDigests {
				w.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum)+":")
			}
		}
		if rate > 0 {
			w = &paced{w, rate, time.Now(), 0}
		}
		files.ServeHTTP(w, r)
	})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	return server.Serve(listener)
}

// paced sends at a rate.
type paced struct {
	http.ResponseWriter
	rate  int64
	began time.Time
	sent  int64
}

func (p *paced) Write(b []byte) (int, error) {
	p.sent += int64(len(b))
	time.Sleep(time.Until(p.began.Add(time.Duration(float64(p.sent) / float64(p.rate) * float64(time.Second)))))
	return p.ResponseWriter.Write(b)
}

// listed lists the files of a server as a service would, with their sizes.
func listed(base string) (files []fetch.File, err error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, base+listPath, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	sizes := map[string]int64{}
	if err := json.NewDecoder(resp.Body).Decode(&sizes); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		files = append(files, fetch.File{ID: name, Name: name, Size: sizes[name], URL: base + name})
	}
	return files, nil
}
