package crs

import "testing"

func BenchmarkAMillionPointsOfUTM(b *testing.B) {
	s, err := FindCode(25832)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range 1_000_000 {
			if _, _, err := s.ToWGS84(400_000+float64(i%1000)*200, 5_300_000+float64(i/1000)*300); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkAMillionPointsWithAShiftOfDatum(b *testing.B) {
	s, err := FindCode(31468)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range 1_000_000 {
			if _, _, err := s.ToWGS84(4_400_000+float64(i%1000)*200, 5_300_000+float64(i/1000)*300); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkTheFirstDefinition reads the registry and makes one system, as a program does once.
func BenchmarkTheFirstDefinition(b *testing.B) {
	for b.Loop() {
		g := readRegistry()
		if _, err := g.makeSystem(g.indexOf(25832)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse(definitions[0].text); err != nil {
			b.Fatal(err)
		}
	}
}
