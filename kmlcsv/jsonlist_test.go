package kmlcsv

import (
	"strings"
	"testing"
)

func TestAListOfObjectsIsReadAsSites(t *testing.T) {
	for text, want := range map[string]string{
		`[{"type":"Feature","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[9.1101,48.7101]}}]`:          "A asset 48.7101,9.1101 1",
		"[\n {\"name\":\"A\",\"lat\":48.7101,\"lng\":9.1101},\n {\"name\":\"B\",\"Latitude\":48.72,\"Longitude\":9.12}\n]\n": "A asset 48.7101,9.1101 1; B asset 48.7200,9.1200 1",
		`[{"lat":48.7,"lng":9.1},{"lat":48.7,"lng":9.2}]`:                                                                    "Placemark 1 linear 48.7000,9.1000 2",
	} {
		res, err := Parse([]byte(text), Options{NoPlaces: true})
		if err != nil || describeAt(res) != want {
			t.Errorf("%s: %v, %v, want %s", text, res, err, want)
			continue
		}
		checkResult(t, text, res)
	}
	res, err := Parse([]byte(`[{"name":"A","lat":48.7,"lng":9.1},{"name":"B","lat":99.5,"lng":190.5}]`), Options{NoPlaces: true})
	if err != nil || res.Skipped != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err = Parse([]byte(`[{"id":7,"size":1}]`), Options{}); err == nil || !strings.Contains(err.Error(), "it has the members id, size") {
		t.Errorf("other objects: %v", err)
	}
}
