package basemap

import "testing"

func BenchmarkDecode(b *testing.B) {
	for level, name := range []string{"world", "region"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				decodeLines(inflateLevel(level))
			}
		})
	}
}
