//go:build postgres

package server_test

import (
	"context"
	"testing"
	"time"

	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// writeCutHistory checks what clients see of three processes whose connections to the
// database are cut, before a request or between COMMIT and its answer.
func writeCutHistory(t *testing.T, operations int) {
	t.Helper()
	cluster := storetest.SharedCluster(t)
	url := cluster.Database(t)
	var benches []*bench
	var proxies []*storetest.Proxy
	for range 3 {
		proxy := storetest.NewProxy(t, cluster)
		proxies = append(proxies, proxy)
		benches = append(benches, newBenchOn(t, &server.Server{Database: store.SharedDatabase{URL: proxy.URL(url)}}))
	}
	h := newHistorian(operations, benches...)
	writeHistory(t, h, 3, func(ctx context.Context) {
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(150 * time.Millisecond):
			}
			if proxy := proxies[n%len(proxies)]; n%2 == 0 {
				proxy.CutAnswer()
			} else {
				proxy.CutRequest()
			}
		}
	})
	settled := uint64(0)
	for _, b := range benches {
		settled += server.DomainOf(b.s).Store.Stats().InDoubt
	}
	t.Logf("%d commits were in doubt and settled", settled)
	if settled == 0 {
		t.Error("no commit was in doubt")
	}
}

func TestHistoriesOfProcessesWhoseConnectionsAreCut(t *testing.T) { writeCutHistory(t, 1500) }
