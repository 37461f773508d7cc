package main

import "testing"

func TestTheTimesOfBenchmarksAreReadFromTheirOutput(t *testing.T) {
	output := "goos: linux\nBenchmarkA-2   \t 100\t  1234.5 ns/op\t 3 B/op\nBenchmarkB/x-2 \t 1\t 7 ns/op\nPASS\n"
	got := parseOutput(output, "ns/op")
	if len(got) != 2 || got["BenchmarkA-2"] != 1234.5 || got["BenchmarkB/x-2"] != 7 {
		t.Errorf("%v", got)
	}
	if got := parseOutput(output, "B/op"); len(got) != 1 || got["BenchmarkA-2"] != 3 {
		t.Errorf("of another metric: %v", got)
	}
}

func TestABenchmarkIsSlowerOnlyIfItsFastestAndItsMedianRunAre(t *testing.T) {
	for name, c := range map[string]struct {
		before, after []float64
		want          bool
	}{
		"all runs":           {[]float64{10, 11, 12}, []float64{12, 13, 14}, true},
		"one slow run":       {[]float64{10, 11, 12}, []float64{10, 11, 90}, false},
		"one fast run":       {[]float64{10, 11, 12}, []float64{10, 20, 21}, false},
		"less than a tenth":  {[]float64{10, 11, 12}, []float64{10.9, 12, 13}, false},
		"faster":             {[]float64{10, 11, 12}, []float64{5, 6, 7}, false},
		"more than a tenth":  {[]float64{100}, []float64{111}, true},
		"a lucky baseline":   {[]float64{5, 11, 12}, []float64{11, 11, 12}, false},
		"an unlucky measure": {[]float64{10, 11, 50}, []float64{11.5, 40, 60}, true},
	} {
		times := timings{[]string{"x"}, map[string][]float64{"x": c.before}, map[string][]float64{"x": c.after}}
		if got := len(times.slower()) > 0; got != c.want {
			t.Errorf("%s: slower %t, want %t", name, got, c.want)
		}
	}
}
