package apptest_test

import (
	"testing"

	"flightdesk/tui/apptest"
)

// BenchmarkKey tells what a key and its frame cost, once a page has what it shows.
func BenchmarkKey(b *testing.B) {
	for _, page := range []struct{ name, key string }{{"Home", "1"}, {"Orders", "2"}, {"Missions", "3"}} {
		b.Run(page.name, func(b *testing.B) {
			d := apptest.Open(b, 120, 40)
			d.Press(page.key)
			d.View()
			for n := 0; b.Loop(); n++ {
				d.Press([]string{"j", "k"}[n%2])
				d.View()
			}
		})
	}
}
