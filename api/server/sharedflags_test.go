//go:build postgres

package server_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// Without its bucket a process remains in service: only requests for files fail.
func TestBucketOutage(t *testing.T) {
	bucket := storetest.NewBucket(t)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key.ID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Key.Secret)
	b := newBenchOn(t, &server.Server{Dir: t.TempDir(), Bucket: server.Bucket{Address: bucket.Address}})
	_, list := b.delivered(content{"map.tif", api.DeliverableJPG, "content of the map"})
	look := func(files string) {
		t.Helper()
		storetest.Eventually(t, "ready, with files "+files, func() bool {
			r := b.call("GET", "/readyz", "", nil)
			return r.status == 200 && strings.Contains(string(r.raw), `"files":"`+files+`"`) &&
				strings.Contains(string(r.raw), `"filesAwaySince":"`) == (files == "away")
		})
	}
	look("ok")
	bucket.Stop()
	look("away")
	if r := b.call("GET", "/metrics", b.s.OpsKey, nil); !strings.Contains(string(r.raw), "\nflightdesk_files_up 0\n") {
		t.Errorf("the metrics do not say it")
	}
	if r := b.fetch("GET", list[0].DownloadURL); r.status != 503 {
		t.Errorf("a file without the bucket: %d", r.status)
	}
}

// A bucket that cannot be reached at the start is used as soon as it can be reached.
func TestBucketThatIsUnavailableAtTheStart(t *testing.T) {
	bucket := storetest.NewBucket(t)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key.ID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Key.Secret)
	proxy := storetest.NewProxy(t, bucket.Port)
	proxy.SetAway(true)
	b := newBenchOn(t, &server.Server{
		Database: store.SharedDatabase{URL: storetest.SharedCluster(t).Database(t)},
		Bucket:   server.Bucket{Address: proxy.URL(bucket.Address)},
	})
	b.place(b.alice)
	hasFiles := func(state string) func() bool {
		return func() bool {
			r := b.call("GET", "/readyz", "", nil)
			return r.status == 200 && strings.Contains(string(r.raw), `"files":"`+state+`"`)
		}
	}
	storetest.Eventually(t, "files are away", hasFiles("away"))
	proxy.SetAway(false)
	storetest.Eventually(t, "files are there", hasFiles("ok"))
	_, list := b.delivered(content{"map.tif", api.DeliverableJPG, "content of the map"})
	if r := b.fetch("GET", list[0].DownloadURL); string(r.raw) != "content of the map" {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

// A download is redirected to the bucket, with the name of the file.
func TestDownloadsAreRedirectedToTheBucket(t *testing.T) {
	bucket := storetest.NewBucket(t)
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(bucket.Key.ID+"\n"+bucket.Key.Secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBenchOn(t, &server.Server{
		Database: store.SharedDatabase{URL: storetest.SharedCluster(t).Database(t)},
		Bucket:   server.Bucket{Address: bucket.Address, KeyFile: keyFile, Redirect: true},
	})
	_, list := b.delivered(content{"map.tif", api.DeliverableJPG, "content of the map"})
	sent := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	first, err := sent.Get(list[0].DownloadURL)
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Body.Close()
	to := first.Header.Get("Location")
	if first.StatusCode != http.StatusTemporaryRedirect || !strings.HasPrefix(to, fmt.Sprintf("http://127.0.0.1:%d/bucket/", bucket.Port)) ||
		strings.Contains(to, bucket.Key.Secret) {
		t.Fatalf("%d to %s", first.StatusCode, to)
	}
	second, err := sent.Get(to)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Body.Close()
	body, err := io.ReadAll(second.Body)
	if err != nil || string(body) != "content of the map" || !strings.Contains(second.Header.Get("Content-Disposition"), "map.tif") {
		t.Errorf("%q %v, %v", body, second.Header, err)
	}
	if r := b.fetch("GET", strings.Replace(list[0].DownloadURL, "/map.tif", "/other.tif", 1)); r.status != http.StatusForbidden {
		t.Errorf("a link that was altered: %d", r.status)
	}
}

// The key of the webhooks' secrets is in a file that all processes have, or in the database.
func TestProcessesShareTheKeyOfTheSecrets(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := file("key", hex.EncodeToString([]byte("an example of a key of 32 bytes!"))+"\n")
	url := storetest.SharedCluster(t).Database(t)
	with := func(keyFile string) *server.Server {
		return &server.Server{Database: store.SharedDatabase{URL: url, KeyFile: keyFile}}
	}
	first := newBenchOn(t, with(key))
	first.register(first.alice, "https://receiver.example/hook")
	newBenchOn(t, with(key))
	for keyFile, want := range map[string]string{
		"": "name it with --secrets",
		file("another", hex.EncodeToString([]byte("another example of such a key 32"))): "is not the key that the other processes use",
		file("short", "abcd"):         "contains no key",
		filepath.Join(dir, "nowhere"): "nowhere",
	} {
		if err := with(keyFile).Start(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with %q: %v", keyFile, err)
		}
	}
}

// A pool of the configured size works, its metrics are reported, and a request that waits too long for
// a connection gets a 503.
func TestAPoolOfAGivenSize(t *testing.T) {
	c := storetest.SharedCluster(t)
	url := c.Database(t)
	b := newBenchOn(t, &server.Server{Database: store.SharedDatabase{URL: url + "?lock_timeout=200&statement_timeout=400", Connections: 3}})
	placed := b.place(b.alice)
	before := figures(t, b.call("GET", "/metrics", "", nil).raw)
	if before["flightdesk_database_connections_max"] != 3 {
		t.Errorf("at most %v connections", before["flightdesk_database_connections_max"])
	}
	other, err := c.Open(t, url).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(`LOCK TABLE orders IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	for _, try := range [][2]string{{"GET", publicHandlers + "/orders"}, {"POST", publicHandlers + "/orders"}, {"GET", publicHandlers + "/orders/" + placed.OrderCode}} {
		var body any
		if try[0] == "POST" {
			body = survey()
		}
		r := b.call(try[0], try[1], b.alice, body)
		if r.status != 503 || r.header.Get("Retry-After") == "" || !strings.Contains(string(r.raw), "nothing was changed") {
			t.Errorf("%s %s while others hold the table: %d %s", try[0], try[1], r.status, r.raw)
		}
	}
	if err := other.Rollback(); err != nil {
		t.Fatal(err)
	}
	page := into[api.Page[api.Order]](t, b.call("GET", publicHandlers+"/orders", b.alice, nil))
	if len(page.Items) != 1 {
		t.Errorf("%d orders afterwards", len(page.Items))
	}
	after := figures(t, b.call("GET", "/metrics", "", nil).raw)
	for _, name := range []string{"queries_total", "query_seconds_total"} {
		name = "flightdesk_database_" + name
		if after[name] <= before[name] {
			t.Errorf("%s is %v after %v", name, after[name], before[name])
		}
	}
	if open := after["flightdesk_database_connections_open"]; open < 1 || open > 3 || after["flightdesk_database_connections_in_use"] > open {
		t.Errorf("%v connections are open, %v in use", open, after["flightdesk_database_connections_in_use"])
	}
}
