package widget_test

import (
	"io"
	"testing"

	"flightdesk/tui/theme"
)

// BenchmarkGrid measures the operations of a grid with 100,000 rows.
func BenchmarkGrid(b *testing.B) {
	rows := many(100_000)
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("refresh", func(b *testing.B) {
		s, _ := sheet(rows)
		for b.Loop() {
			s.SetSource(source(rows))
		}
	})
	b.Run("filter", func(b *testing.B) {
		s, _ := sheet(rows)
		for i := 0; b.Loop(); i++ {
			s.ApplyFilter([]string{"nor", "nort", "nort 7", "status:open 7"}[i%4])
		}
	})
	b.Run("first filter", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s, _ := sheet(rows)
			b.StartTimer()
			s.ApplyFilter("n")
		}
	})
	b.Run("facets", func(b *testing.B) {
		s, _ := sheet(rows)
		for b.Loop() {
			s.FindFacets("status:", 8)
		}
	})
	b.Run("sort", func(b *testing.B) {
		s, _ := sheet(rows)
		for b.Loop() {
			s.SortNext(1)
		}
	})
	b.Run("move and draw", func(b *testing.B) {
		s, _ := sheet(rows)
		for b.Loop() {
			s.Move(1)
			s.View(th, 120, 36, true)
		}
	})
	b.Run("export", func(b *testing.B) {
		s, _ := sheet(rows)
		for b.Loop() {
			if err := s.Export().Write(io.Discard, ".csv"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
