package kmlcsv

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paulmach/orb"
)

// The expected sites of each file in testdata/survey: kind, longitude and latitude of the first point to four
// decimals, and number of points. Projected coordinates were converted by GDAL 3.6.2. An expectation that begins
// with "?" is a question.
func TestSurveyFilesOfCustomersAreRead(t *testing.T) {
	expected, err := os.ReadFile("testdata/survey/EXPECTED.tsv")
	if err != nil {
		t.Fatal(err)
	}
	right, questions := 0, 0
	for line := range strings.Lines(string(expected)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		data, err := os.ReadFile(filepath.Join("testdata/survey", name))
		if err != nil {
			t.Error(err)
			continue
		}
		res, err := Parse(data, Options{Name: name})
		if question, asks := strings.CutPrefix(want, "?"); asks {
			if questions++; err == nil || !strings.Contains(err.Error(), question) {
				t.Errorf("%s: error %v, want the question %q", name, err, question)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkResult(t, name, res)
		if got := describeSites(res.Placemarks); got != want {
			t.Errorf("%s:\n got %s\nwant %s\n%v", name, got, want, res.Warnings)
			continue
		}
		right++
	}
	if right < 112 || right+questions < 125 {
		t.Errorf("%d right, %d questions", right, questions)
	}
}

func describeSites(placemarks []Placemark) string {
	var sites []string
	for _, p := range placemarks {
		points := p.Points()
		sites = append(sites, fmt.Sprintf("%s %s %.4f,%.4f %d", p.Name, p.Kind(), points[0][0], points[0][1], len(points)))
	}
	return strings.Join(sites, "; ")
}

func TestARowWithoutItsHemisphereIsSkipped(t *testing.T) {
	res, err := Parse([]byte("name,lat,ns,lon,ew\nA,39.7,N,105.1,W\nB,39.7,N,105.1,\n"), Options{NoPlaces: true})
	if err != nil || len(res.Placemarks) != 1 || len(res.Warnings) != 1 || !res.Warnings[0].Skipped || res.Warnings[0].Code != WrongHemisphere || res.Placemarks[0].Geometry != orb.Geometry(orb.Point{-105.1, 39.7}) {
		t.Error(res, err)
	}
}

func FuzzSurvey(f *testing.F) {
	files, _ := filepath.Glob("testdata/survey/*")
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		res, err := Parse(data, Options{NoPlaces: true, MaxBytes: 1 << 20})
		if res != nil {
			if err := res.CheckAccounts(); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			return
		}
		if err := res.CheckAccounts(); err != nil {
			t.Fatal(err)
		}
		for _, p := range res.Placemarks {
			for _, at := range p.Points() {
				if !(at[0] >= -180 && at[0] <= 180 && at[1] >= -90 && at[1] <= 90) {
					t.Fatalf("%s is not on the globe: %v", p.Name, at)
				}
			}
		}
	})
}

func TestVerticesByNameAndNumberMakeOnePolygon(t *testing.T) {
	rows := func(numbers string) string {
		text := "Site," + "%s" + ",Lat,Lon\n"
		for i, n := range strings.Fields(numbers) {
			text += fmt.Sprintf("%c,%s,%f,%f\n", 'A'+i/3, n, 48+float64(i/3)/10+float64(i%3)/100, 9+float64(i%3)/100*float64(i%2))
		}
		return text
	}
	for _, c := range []struct {
		name, numbers string
		sites         int
	}{
		{"Point", "1 2 3 1 2 3", 2},
		{"No", "1 2 3 1 2 3", 2},
		{"Nr.", "1 2 3 1 2 3 1 2 3", 3},
		{"Corner ID", "1 2 3 1 2 3", 2},
		{"No", "1 2 3 4 5 6", 6}, // it counts the rows
		{"No", "1 2 3", 3},       // three masts of one kind as well
		{"Point", "1 3 2 1 2 3", 6},
		{"Point", "a b c d e f", 6},
	} {
		res, err := Parse(fmt.Appendf(nil, rows(c.numbers), c.name), Options{NoPlaces: true})
		if err != nil || len(res.Placemarks) != c.sites {
			t.Error(c, res, err)
		}
	}
}

// corpusFiles returns the names of the files in testdata/survey.
func corpusFiles(t testing.TB) (names []string) {
	entries, err := os.ReadDir("testdata/survey")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
