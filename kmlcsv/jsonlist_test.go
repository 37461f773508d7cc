package kmlcsv

import (
	"strings"
	"testing"
)

func TestAListOfObjectsIsReadAsSites(t *testing.T) {
	for text, want := range map[string]string{
		`[{"type":"Feature","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[9.1101,48.7101]}}]`:               "A asset 48.7101,9.1101 1",
		"[\n {\"name\":\"A\",\"lat\":48.7101,\"lng\":9.1101},\n {\"name\":\"B\",\"Latitude\":48.72,\"Longitude\":9.12}\n]\n":      "A asset 48.7101,9.1101 1; B asset 48.7200,9.1200 1",
		"{\"name\":\"A\",\"lat\":48.71,\"lon\":9.11}\n{\"name\":\"B\",\"lat\":48.72,\"lon\":9.12}\n":                              "A asset 48.7100,9.1100 1; B asset 48.7200,9.1200 1",
		`[{"name":"A","location":{"lat":48.71,"lng":9.11}}]`:                                                                      "A asset 48.7100,9.1100 1",
		`{"data":[{"name":"A","geometry":{"type":"Point","coordinates":[9.11,48.71]}}]}`:                                          "A asset 48.7100,9.1100 1",
		`[{"name":"A","lat":48.71,"lng":9.11,"boundary":[{"lat":48.7,"lng":9.1},{"lat":48.7,"lng":9.2},{"lat":48.8,"lng":9.2}]}]`: "A area 48.7000,9.1000 3",
		`{"name":"A","position":{"lat":48.71,"lng":9.11},"geometry":{"type":"LineString","coordinates":[[9.1,48.7],[9.2,48.7]]}}`: "A linear 48.7000,9.1000 2",
		`{"count":1,"sites":[{"name":"A","lat":"48.71","lon":"9.11"}]}`:                                                           "A asset 48.7100,9.1100 1",
		`[{"lat":48.7,"lng":9.1},{"lat":48.7,"lng":9.2}]`:                                                                         "Placemark 1 linear 48.7000,9.1000 2",
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
	res, err = Parse([]byte(`[{"name":"A","lat":48.7,"lng":null},{"name":"B","lat":48.7,"lng":9.1}]`), Options{NoPlaces: true})
	if err != nil || describeAt(res) != "B asset 48.7000,9.1000 1" || res.Skipped != 1 {
		t.Errorf("an object without a longitude: %+v, %v", res, err)
	}
	trip := `{"name":"trip","lat":1,"lng":2,"stations":[{"name":"A","lat":48.71,"lon":9.11}]}`
	if _, err = Parse([]byte(trip), Options{}); err == nil {
		t.Error("a position beside a list of sites was read")
	}
	two := `{"sites":[{"lat":48.71,"lon":9.11}],"poles":[{"lat":48.71,"lon":9.11}]}`
	if _, err = Parse([]byte(two), Options{}); err == nil || !strings.Contains(err.Error(), "it has the members sites, poles") {
		t.Errorf("two lists: %v", err)
	}
	if _, err = Parse([]byte(`[{"id":7,"size":1}]`), Options{}); err == nil || !strings.Contains(err.Error(), "it has the members id, size") {
		t.Errorf("other objects: %v", err)
	}
}
