package server_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// blank is a file of n zero bytes that needs no memory.
type blank struct{ at, n int64 }

// Read returns zeros.
func (z *blank) Read(b []byte) (int, error) {
	if z.at == z.n {
		return 0, io.EOF
	}
	b = b[:min(int64(len(b)), z.n-z.at)]
	clear(b)
	z.at += int64(len(b))
	return len(b), nil
}

// Seek is used to find out the size.
func (z *blank) Seek(offset int64, whence int) (int64, error) {
	z.at = offset + [...]int64{0, z.at, z.n}[whence]
	return z.at, nil
}

// BenchmarkDownload lets one client download a file of 256 MiB from the disk, and deliver one.
func BenchmarkDownload(b *testing.B) {
	const size = 256 << 20
	bench := newBenchOn(b, &server.Server{Dir: b.TempDir(), OpsKey: "desk"})
	p := bench.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	o, err := ops.NewClient(bench.origin+opsPath, "desk")
	if err != nil {
		b.Fatal(err)
	}
	deliver := func() {
		file := api.FileInput{Name: "a.jpg", FileDataType: api.DeliverableJPG, Content: &blank{n: size}}
		if _, err := o.Missions.Deliver(context.Background(), p.mission[0], file); err != nil {
			b.Fatal(err)
		}
	}
	deliver()
	b.Run("deliver", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			deliver()
		}
	})
	link := bench.filesOf(p)[0].DownloadURL
	b.Run("download", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			resp, err := http.Get(link)
			if err != nil {
				b.Fatal(err)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			if err != nil || n != size || resp.Body.Close() != nil {
				b.Fatal(n, err)
			}
		}
	})
}
