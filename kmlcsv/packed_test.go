package kmlcsv

import (
	"strings"
	"testing"
)

func TestDegreesWithoutSeparatorsAreReadByTheirLetters(t *testing.T) {
	const stuttgart, munich = "A asset 48.7100,9.1100 1", "A asset 48.1173,11.5167 1"
	for table, want := range map[string]string{
		"name,lat,lon\nA,484236N,0090636E\n":                            stuttgart,
		"name,lat,lon\nA,484236.0N,0090636.0E\n":                        stuttgart,
		"name,lat,lon\nA,N484236,E0090636\n":                            stuttgart,
		"name,lat,lon\nA,4842.6N,00906.6E\n":                            stuttgart,
		"name,lat,lon\nA,4842.6S,00906.6W\n":                            "A asset -48.7100,-9.1100 1",
		"name,lat,lon\nA,48-42-36N,009-06-36E\n":                        stuttgart,
		"name,lat,lon\nA,N48.42.36,E009.06.36\n":                        stuttgart,
		"name,pos\nA,484236N0090636E\n":                                 stuttgart,
		"name,pos\nA,484236N 0090636E\n":                                stuttgart,
		"name,lat,ns,lon,ew\nA,4807.038,N,01131.000,E\n":                munich,
		"name,Latitude,N/S,Longitude,E/W\nA,4807.038,N,01131.000,E\n":   munich,
		"name,Latitude,N/S,Longitude,E/W\nA,480702.3,N,0113100,E\n":     munich,
		"name,lat,ns,lon,ew\nA,4807.038,N,01131,E\nB,131,S,131,E\n":     munich + "; B asset -1.5167,1.5167 1",
		"name,Lat (ddmm.mmmm),Lon (dddmm.mmmm)\nA,4807.038,01131.000\n": munich,
		"name,Latitude DDMMSS,Longitude DDDMMSS\nA,480702.3,0113100\n":  munich,
	} {
		res, err := Parse([]byte(table), Options{NoPlaces: true})
		if err != nil || describeAt(res) != want || res.Skipped > 0 {
			t.Errorf("%q: %v, %v, want %s", table, res, err, want)
			continue
		}
		checkResult(t, table, res)
	}
	for _, cell := range []string{"487636N,0090636E", "4876.6N,00906.6E", "48423N,0090636E", "48-76-36N,009-06-36E", "1484236N,0090636E"} {
		if res, err := Parse([]byte("name,lat,lon\nA,"+cell+"\n"), Options{}); err == nil {
			t.Errorf("%s: %s", cell, describeAt(res))
		}
	}
}

func TestPackedDegreesWithoutLettersAskForTheUnit(t *testing.T) {
	for table, want := range map[string]struct{ choice, site string }{
		"name,lat,lon\nA,4807.038,01131.000\n":        {"dm", "A asset 48.1173,11.5167 1"},
		"name,lat,lon\nA,480702.3,-0113100\n":         {"dms", "A asset 48.1173,-11.5167 1"},
		"name,latitude,longitude\nA,484236,1200636\n": {"dms", "A asset 48.7100,120.1100 1"},
	} {
		res, err := Parse([]byte(table), Options{})
		if err == nil || len(res.Questions) != 1 || res.Questions[0].Kind != AskUnit || res.Questions[0].Choices[0].Value != want.choice {
			t.Errorf("%q: %v, %v", table, res, err)
			continue
		}
		res, err = Parse([]byte(table), Options{Unit: want.choice, NoPlaces: true})
		if err != nil || describeAt(res) != want.site {
			t.Errorf("%q: %v, %v", table, res, err)
		}
		if _, err = Parse([]byte(table), Options{Unit: "m"}); err == nil || !strings.Contains(err.Error(), "reference system") {
			t.Errorf("%q in metres: %v", table, err)
		}
	}
}

// The expected positions are from PROJ.
func TestGridPositionsInACellAreOnTheDatumOfTheTable(t *testing.T) {
	const moved = "A asset 48.7050,9.1088 1"
	for table, want := range map[string]string{
		"name,pos,datum\nA,32U 508091 5394868,ED50\n":                                         moved,
		"name,utm,datum\nA,UTM 32U 508091 5394868,ED50\n":                                     moved,
		"name,UTM ED50\nA,32U 508091 5394868\n":                                               moved,
		"ED50\nname,utm\nA,32U 508091 5394868\n":                                              moved,
		"name,mgrs,datum\nA,32UNU 0809094867,ED50\n":                                          moved,
		"name,pos,datum\nA,32U 508091 5394868; 32U 508191 5394868; 32U 508191 5394968,ED50\n": "A area 48.7050,9.1088 3",
		"name,pos,datum\nA,8FVC9G8F+6W,ED50\n":                                                "A asset 47.3656,8.5248 1",
	} {
		res, err := Parse([]byte(table), Options{NoPlaces: true})
		if err != nil || describeAt(res) != want {
			t.Errorf("%q: %v, %v, want %s", table, res, err, want)
		}
	}
	for table, want := range map[string]string{
		"name,mgrs,datum\nA,32UNU 0809194868,NAD27\n":          "other letters",
		"name,pos,datum\nA,\"48.71, 9.11\",Nowhere Datum\n":    "the datum Nowhere Datum is not known",
		"name,pos,datum\nA,32U 508091 5394868,Nowhere Datum\n": "the datum Nowhere Datum is not known",
	} {
		if res, err := Parse([]byte(table), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", table, res, err)
		}
	}
}

func TestTheErrorNamesTheLogOfAReceiver(t *testing.T) {
	_, err := Parse([]byte("$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\n"), Options{})
	if err == nil || !strings.Contains(err.Error(), "NMEA") {
		t.Error(err)
	}
}
