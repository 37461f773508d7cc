package neworder_test

import (
	"fmt"
	"strings"
	"testing"

	"flightdesk/tui/apptest"
)

// bigKML returns a KML file with n points. A file with 35,000 points has nearly 10 MB.
func bigKML(n int) string {
	var b strings.Builder
	b.WriteString(`<kml xmlns="http://www.opengis.net/kml/2.2"><Document>`)
	for i := range n {
		fmt.Fprintf(&b, "<Placemark><name>Mast %05d</name><description><![CDATA[%s]]></description><Point><coordinates>%.6f,%.6f,0</coordinates></Point></Placemark>\n",
			i, strings.Repeat("x", 150), 7+float64(i%300)/50, 48+float64(i/300)/50)
	}
	b.WriteString("</Document></kml>")
	return b.String()
}

// BenchmarkLargeFile reads a file of nearly 10 MB and draws its sites.
func BenchmarkLargeFile(b *testing.B) {
	big := bigKML(35_000)
	for b.Loop() {
		b.StopTimer()
		d := apptest.Open(b, 140, 40)
		d.WriteFile("big.kml", big)
		d.Press("n")
		d.Type("big")
		b.StartTimer()
		d.Press("enter")
		d.View()
	}
}

// BenchmarkKey presses keys on a new order with 10,000 sites.
func BenchmarkKey(b *testing.B) {
	d := apptest.Open(b, 140, 40)
	path := d.WriteFile("big.kml", bigKML(10_000))
	d.Press("n")
	d.Paste(path)
	d.Press("enter")
	for _, key := range []string{"j", "space", "ctrl+a", "+", "t"} {
		b.Run(key, func(b *testing.B) {
			for b.Loop() {
				d.Press(key)
				d.View()
			}
		})
	}
}

// BenchmarkBurst presses a key 400 times, like a key that is held down, and then draws the new order
// with 10,000 sites.
func BenchmarkBurst(b *testing.B) {
	d := apptest.Open(b, 140, 40)
	path := d.WriteFile("big.kml", bigKML(10_000))
	d.Press("n")
	d.Paste(path)
	d.Press("enter")
	for _, key := range []string{"j", "space"} {
		b.Run(key, func(b *testing.B) {
			for b.Loop() {
				for range 400 {
					d.Press(key)
				}
				d.View()
			}
		})
	}
}
