package kmlcsv

import "testing"

func TestEveryPatternCompiles(t *testing.T) {
	if len(patterns) == 0 {
		t.Fatal("no pattern is registered")
	}
	for _, pattern := range patterns {
		pattern() // panics if the expression is not valid
	}
}
