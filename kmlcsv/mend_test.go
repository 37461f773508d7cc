package kmlcsv_test

import (
	"math"
	"strings"
	"testing"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv"
)

func TestAPositionWithOnePossibleCorrectionIsCorrected(t *testing.T) {
	for row, want := range map[string]struct {
		at  orb.Point
		fix string
	}{
		"9.4821E,53.6012N": {orb.Point{9.4821, 53.6012}, "swaps latitude and longitude, as their letters show"},
		"53.6O12,9.4821":   {orb.Point{9.4821, 53.6012}, "reads 53.6O12 as 53.6012"},
		"53.60l2,9.482I0":  {orb.Point{9.4821, 53.6012}, "reads 53.60l2 as 53.6012 and 9.482I0 as 9.48210"},
		"53.6O12N,9.4821E": {orb.Point{9.4821, 53.6012}, "reads 53.6O12N as 53.6012N"},
	} {
		res, err := kmlcsv.Parse([]byte("name,lat,lng\nGood,48.4,11.7\nBad,"+row+"\n"), kmlcsv.Options{})
		if err != nil || len(res.Warnings) != 1 || !res.Warnings[0].Skipped || res.Warnings[0].Fixed == nil {
			t.Errorf("%s: %+v, %v", row, res, err)
			continue
		}
		w := res.Warnings[0]
		p, ok := w.Fixed.Geometry.(orb.Point)
		if !ok || math.Abs(p[0]-want.at[0]) > 1e-6 || math.Abs(p[1]-want.at[1]) > 1e-6 || !strings.HasPrefix(w.Fix, want.fix) {
			t.Errorf("%s: %v, %q", row, p, w.Fix)
		}
		if w.Fixed.Name != "Bad" || w.Fixed.Country == "" || w.Fixed.Line != 3 {
			t.Errorf("%s: %+v", row, w.Fixed)
		}
	}
	for _, row := range []string{"48.4O,11.8", "abc,11.8", "48.4.4,11.8", "481371540,11.5", "5376.072N,00928.926E", "N,E", "9.4821E,8.1E"} {
		res, _ := kmlcsv.Parse([]byte("name,lat,lng\nGood,48.4,11.7\nBad,"+row+"\n"), kmlcsv.Options{})
		if res == nil || len(res.Warnings) == 0 {
			t.Errorf("%s is not warned of", row)
		} else if w := res.Warnings[0]; w.Fixed != nil {
			t.Errorf("%s: %+v, %q", row, w.Fixed, w.Fix)
		}
	}
}

// A corrected vertex would be a separate site, and the site that it belongs to would still be missing.
func TestAVertexIsNotOfferedAsASite(t *testing.T) {
	for _, bad := range []string{"48.1,11.5O5", "48.1,11.O5", "11.5E,48.1N", "151.2,48.1"} {
		rows := "A,1,Field,48.1,11.4\nA,2,Field," + bad + "\nA,3,Field,48.2,11.5\nA,4,Field,48.2,11.4\n"
		for _, join := range []kmlcsv.Kind{"", kmlcsv.Area} {
			res, err := kmlcsv.Parse([]byte("id,seq,name,lat,lng\n"+rows), kmlcsv.Options{Join: join})
			if err != nil && res == nil {
				t.Errorf("%s: %v", bad, err)
				continue
			}
			skipped := 0
			for _, w := range res.Warnings {
				if w.Skipped {
					skipped++
				}
				if w.Fixed != nil || w.Fix != "" {
					t.Errorf("%s, join %q: offers %+v, %q", bad, join, w.Fixed, w.Fix)
				}
			}
			if skipped != 2 || len(res.Placemarks) != 0 {
				t.Errorf("%s, join %q: %d skipped, %+v", bad, join, skipped, res.Placemarks)
			}
		}
		// A row without a number in the sequence is a site of its own.
		res, err := kmlcsv.Parse([]byte("id,seq,name,lat,lng\nB,,Good,48.4,11.7\nA,,Field,"+bad+"\n"), kmlcsv.Options{})
		if err != nil || len(res.Warnings) != 1 || res.Warnings[0].Fixed == nil {
			t.Errorf("%s alone: %+v, %v", bad, res, err)
		}
	}
}
