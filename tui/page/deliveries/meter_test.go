package deliveries_test

import (
	"net/http"
	"testing"
	"time"

	"flightdesk/tui"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/apptest"
)

// slow is a line on which nothing comes.
type slow struct{}

func (slow) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// What the meters of 400 downloads cost: a look and a frame four times a
// second, in percent of the time. Below 1 they do not count.
func BenchmarkMeters(b *testing.B) {
	folder := b.TempDir()
	d := apptest.OpenAgainst(b, photographed, roomy, func(o *tui.Options) { o.Fetch.Dir, o.Fetch.Transport = folder, slow{} })
	d.Resize(140, 40)
	d.Press("5", "G", "f", "D")
	downloads := d.App.Downloads()
	if n := downloads.Unfinished(); n != 400 {
		b.Fatalf("%d downloads:\n%s", n, d.Screen())
	}
	for b.Loop() {
		d.Send(deliveries.DownloadWork{Downloads: downloads, Free: downloads.Free})
		d.View()
	}
	b.ReportMetric(100*float64(b.Elapsed())/float64(b.N)/float64(250*time.Millisecond), "%")
	if err := d.App.Close(); err != nil {
		b.Error(err)
	}
}
