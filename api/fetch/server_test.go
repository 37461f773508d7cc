package fetch

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"flightdesk/api"
)

func TestMain(m *testing.M) {
	if service := os.Getenv("FETCH_TEST_VICTIM"); service != "" {
		os.Exit(victim(service, os.Getenv("FETCH_TEST_DIR")))
	}
	goleak.VerifyTestMain(m)
}

// object is a file on the test server.
type object struct {
	id, name string
	product  api.Deliverable
	content  []byte
	modified time.Time
	listed   int64 // wrong size in the listing; 0 for the correct size
	plain    bool  // sent without digest and ETag
	noDigest bool
	sum      []byte // SHA-256; computed on first use
}

func (o *object) digest() []byte {
	if o.sum == nil {
		sum := sha256.Sum256(o.content)
		o.sum = sum[:]
	}
	return o.sum
}

func (o *object) tag() string {
	sum := o.digest()
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// fault responds to a request instead of the server. It returns false to leave the request to the
// next fault or the server.
type fault func(w http.ResponseWriter, r *http.Request, o *object) bool

// storage serves files by links that can expire. For requests to files, each fault is used once, in
// order.
type storage struct {
	t *testing.T
	*httptest.Server

	mu       sync.Mutex
	objects  []*object
	token    int // of fresh links
	oldest   int // token that is still good
	listings int
	faults   []fault
	always   fault
	requests []*http.Request
	sent     int64 // bytes of files
}

func newStorage(t *testing.T, objects ...*object) *storage {
	t.Helper()
	s := &storage{t: t, objects: objects}
	for i, o := range objects {
		o.id = fmt.Sprintf("file-%d", i)
		if o.modified.IsZero() {
			o.modified = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)
		}
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// pseudo returns n pseudo-random bytes that are the same every time.
func pseudo(seed uint64, n int) []byte {
	b := make([]byte, n)
	var key [32]byte
	key[0], key[1] = byte(seed), byte(seed>>8)
	_, _ = rand.NewChaCha8(key).Read(b)
	return b
}

func file(name string, n int) *object {
	return &object{name: name, product: "_2dMap", content: pseudo(uint64(len(name)*1000+n), n)}
}

func (s *storage) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Clone(context.Background()))
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/") // token, ID and optional name
	token, _ := strconv.Atoi(strings.TrimPrefix(parts[0], "SECRET"))
	var o *object
	for _, have := range s.objects {
		if len(parts) > 1 && have.id == parts[1] {
			have.digest()
			copied := *have
			o = &copied
		}
	}
	expired := token < s.oldest
	var do fault
	if o != nil && !expired && len(s.faults) > 0 && r.Method == http.MethodGet {
		do, s.faults = s.faults[0], s.faults[1:]
	}
	always := s.always
	s.mu.Unlock()
	switch {
	case r.URL.Path == "/list":
		files, _ := s.list(r.Context())
		_ = json.NewEncoder(w).Encode(files)
	case o == nil:
		http.NotFound(w, r)
	case expired:
		http.Error(w, "expired", http.StatusForbidden)
	case do != nil && do(w, r, o):
	case always != nil && always(w, r, o):
	default:
		s.give(w, r, o)
	}
}

// give sends an object without a fault.
func (s *storage) give(w http.ResponseWriter, r *http.Request, o *object) {
	describe(w.Header(), o)
	http.ServeContent(&counter{w, s}, r, "", o.modified, bytes.NewReader(o.content))
}

func describe(h http.Header, o *object) {
	h.Set("Content-Type", "application/octet-stream")
	if o.plain {
		return
	}
	h.Set("ETag", o.tag())
	if !o.noDigest {
		h.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(o.digest())+":")
	}
}

// counter counts the bytes of files that are sent.
type counter struct {
	http.ResponseWriter
	s *storage
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.s.mu.Lock()
	c.s.sent += int64(n)
	c.s.mu.Unlock()
	return n, err
}

// bytes returns how many bytes of files were sent.
func (s *storage) bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// cut ends the connection after n bytes of the body.
func (s *storage) cut(n int) fault {
	return func(w http.ResponseWriter, r *http.Request, o *object) bool {
		s.give(&shears{ResponseWriter: w, left: n, then: func() { panic(http.ErrAbortHandler) }}, r, o)
		return true
	}
}

// stall sends n bytes of the body and then nothing until the client disconnects.
func (s *storage) stall(n int) fault {
	return func(w http.ResponseWriter, r *http.Request, o *object) bool {
		s.give(&shears{ResponseWriter: w, left: n, then: func() {
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}}, r, o)
		return true
	}
}

// pass leaves a request to the server.
func pass(http.ResponseWriter, *http.Request, *object) bool { return false }

// status responds with a status and headers, given as alternating names and values.
func status(code int, header ...string) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ *object) bool {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		return true
	}
}

type shears struct {
	http.ResponseWriter
	left int
	then func()
}

func (c *shears) Write(b []byte) (int, error) {
	if len(b) < c.left {
		c.left -= len(b)
		return c.ResponseWriter.Write(b)
	}
	_, _ = c.ResponseWriter.Write(b[:c.left])
	_ = http.NewResponseController(c.ResponseWriter).Flush()
	c.then()
	return len(b), nil
}

// answer uses a fault for all requests to files.
func (s *storage) answer(f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = f
}

// change replaces the content of an object.
func (s *storage) change(i int, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[i].content, s.objects[i].sum = content, nil
	s.objects[i].modified = s.objects[i].modified.Add(time.Hour)
}

// expire makes all links invalid that were returned before.
func (s *storage) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token++
	s.oldest = s.token
}

func (s *storage) list(context.Context) ([]File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listings++
	var files []File
	for _, o := range s.objects {
		f := File{
			ID: o.id, Name: o.name, Product: o.product, Size: int64(len(o.content)), Listed: time.Now(),
			URL: fmt.Sprintf("%s/SECRET%d/%s?signature=SECRET", s.URL, s.token, o.id),
		}
		if o.listed != 0 {
			f.Size = o.listed
		}
		files = append(files, f)
	}
	return files, nil
}

// delivery returns the package of all objects.
func (s *storage) delivery() Package {
	p := Package{
		PackageInfo: PackageInfo{
			ID: "package-1", Kind: "delivery", Name: "North wall, 2026-03-14", Version: 1, Order: "ORD-1", Mission: "MSN-1",
			MissionUID: "mission-1",
		},
		Service: "https://desk.example/api/v1/public",
		Folder:  []string{"ORD-1", "MSN-1", "v1"}, List: s.list,
	}
	p.Files, _ = s.list(context.Background())
	return p
}

// asked returns the requests for files so far.
func (s *storage) asked() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request{}, s.requests...)
}

var testPace = timeLimits{
	firstBackoff: time.Millisecond, lastBackoff: 5 * time.Millisecond, stall: 30 * time.Second,
	longestWait: 10 * time.Minute, save: 5 * time.Millisecond, linkAge: 23 * time.Hour,
}

// impatient gives up stalled connections after three seconds, for tests in which servers stall. Other tests
// have more time, because the machine may be busy.
func impatient(o *Options) { o.pace.stall = 3 * time.Second }

// testQueue is a queue with its test and folder.
type testQueue struct {
	*Queue
	t   *testing.T
	dir string
}

// queue returns a queue that downloads to dir, or to a new folder if dir is "".
func queue(t *testing.T, dir string, change func(*Options)) *testQueue {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	pace := testPace
	o := Options{Dir: dir, Tries: 5, pace: &pace}
	if change != nil {
		change(&o)
	}
	q, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return &testQueue{q, t, dir}
}

// fetch adds a package, waits, and returns the items.
func (d *testQueue) fetch(p Package) []Item {
	d.t.Helper()
	if _, err := d.Add(p, Waiting); err != nil {
		d.t.Fatal(err)
	}
	d.wait()
	return d.Snapshot()
}

func (d *testQueue) wait() {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	err := d.Wait(ctx)
	if ctx.Err() != nil {
		d.t.Fatalf("%v, with %+v", err, d.Snapshot())
	}
	failed := slices.ContainsFunc(d.Snapshot(), func(it Item) bool { return it.State == Failed })
	if failed != (err != nil) {
		d.t.Errorf("waiting ended with %v, and a file failed: %v", err, failed)
	}
}

// until waits until a condition is true. It checks the condition after each change of the queue and
// 100 times per second.
func (d *testQueue) until(what string, holds func() bool) {
	d.t.Helper()
	changes, end := d.Subscribe()
	defer end()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	late := time.After(time.Minute)
	for !holds() {
		select {
		case <-changes:
		case <-look.C:
		case <-late:
			d.t.Fatalf("not %s: %+v", what, d.Snapshot())
		}
	}
}

func (d *testQueue) folder() string { return filepath.Join(d.dir, "ORD-1", "MSN-1", "v1") }

// holds checks that the folder has exactly these files and a manifest.
func (d *testQueue) holds(want map[string][]byte) {
	d.t.Helper()
	entries, err := os.ReadDir(d.folder())
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		content, expected := want[e.Name()]
		if !expected {
			if e.Name() != manifestName {
				d.t.Errorf("%s is there", e.Name())
			}
			continue
		}
		if got, err := os.ReadFile(filepath.Join(d.folder(), e.Name())); err != nil || !bytes.Equal(got, content) {
			d.t.Errorf("%s: %v, %d bytes, want %d; equal: %t", e.Name(), err, len(got), len(content), bytes.Equal(got, content))
		}
	}
	for name := range want {
		if _, err := os.Stat(filepath.Join(d.folder(), name)); err != nil {
			d.t.Error(err)
		}
	}
}

// all returns the content of the folder when all files are downloaded.
func (s *storage) all() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := map[string][]byte{}
	for _, o := range s.objects {
		want[o.name] = o.content
	}
	return want
}

func (d *testQueue) states(items []Item, want State) {
	d.t.Helper()
	for _, it := range items {
		if it.State != want {
			d.t.Errorf("%s is %s, want %s: %v", it.Name, it.State, want, it.Err)
		}
	}
}

func md5Of(b []byte) string {
	sum := md5.Sum(b)
	return hex.EncodeToString(sum[:])
}

func emptyRoot(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// all returns the IDs of all items.
func (d *testQueue) all() (ids []ID) {
	for _, it := range d.Snapshot() {
		ids = append(ids, it.ID)
	}
	return ids
}

func (d *testQueue) item(id ID) (one Item) {
	for _, it := range d.Snapshot() {
		if it.ID == id {
			one = it
		}
	}
	return one
}
