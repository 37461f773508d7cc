package kmlcsv_test

import (
	"os"
	"slices"
	"testing"

	"flightdesk/kmlcsv"
)

func TestOptionsChooseTheLayoutOfATable(t *testing.T) {
	const titled = "Sites 2026;;\nWhat;Up;Right\nname;lat;lng\nFreising;48,40;11,74\nErding;48,31;11,91\n"
	for name, tt := range map[string]struct {
		file   string
		opts   kmlcsv.Options
		header int
		names  []string
	}{
		"found":      {titled, kmlcsv.Options{}, 3, []string{"Freising", "Erding"}},
		"header row": {titled, kmlcsv.Options{HeaderRow: 4, Columns: columnsAt(1, 2, 0)}, 4, []string{"Erding"}},
		"no header":  {"A,48.40001,11.74\nB,48.31001,11.91\n", kmlcsv.Options{HeaderRow: -1, Columns: columnsAt(1, 2, 0)}, -1, []string{"A", "B"}},
		"separator":  {"name;where;lat;lng\nA,b;c;48.4;11.7\n", kmlcsv.Options{Separator: ';'}, 1, []string{"A,b"}},
	} {
		res, err := kmlcsv.Parse([]byte(tt.file), tt.opts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, p := range res.Placemarks {
			names = append(names, p.Name)
		}
		if !slices.Equal(names, tt.names) || res.Layout.HeaderRow != tt.header {
			t.Errorf("%s: %v below row %d, want %v below %d", name, names, res.Layout.HeaderRow, tt.names, tt.header)
		}
	}
}

func columnsAt(lat, lng, label int) *kmlcsv.Columns {
	c := kmlcsv.EmptyColumns()
	c.Latitude, c.Longitude, c.Label = lat, lng, label
	return &c
}

func TestUnknownColumnsAreGuessed(t *testing.T) {
	res, err := kmlcsv.Parse([]byte("Mast;a;b\nFreising;48;11\nErding;47;12\n"), kmlcsv.Options{})
	if err == nil || res == nil {
		t.Fatal(res, err)
	}
	if c := res.Columns; c.Latitude != 1 || c.Longitude != 2 || c.Label != 0 {
		t.Errorf("%+v", c)
	}
	titled, err := kmlcsv.Parse([]byte("Our masts;;\n\nMast;a;b\nFreising;48;11\n"), kmlcsv.Options{})
	if err == nil || titled == nil || titled.Layout.HeaderRow != 3 || titled.Columns != res.Columns {
		t.Errorf("below a title: %+v, %v", titled, err)
	}
	if rows := res.Layout.Rows; len(rows) != 3 || rows[2][0] != "Erding" || res.Layout.Separator != ';' {
		t.Errorf("%+v", res.Layout)
	}
}

func TestTheAttributeThatNamesFeaturesIsChosen(t *testing.T) {
	const file = `{"type":"FeatureCollection","features":[
		{"type":"Feature","properties":{"id":7,"plot":"North"},"geometry":{"type":"Point","coordinates":[9.48,53.6]}},
		{"type":"Feature","properties":{"id":8,"plot":"South"},"geometry":{"type":"Point","coordinates":[9.49,53.6]}}]}`
	for attribute, want := range map[string]string{"": "North", "id": "7"} {
		res, err := kmlcsv.Parse([]byte(file), kmlcsv.Options{NameAttribute: attribute})
		if err != nil || res.Placemarks[0].Name != want {
			t.Errorf("%q: %v, %v", attribute, res, err)
			continue
		}
		if l := res.Layout; len(l.Rows) != 3 || !slices.Equal(l.Rows[0], []string{"id", "plot"}) || l.Rows[2][1] != "South" ||
			attribute == "" && l.Name != "plot" {
			t.Errorf("%q: %+v", attribute, l)
		}
	}
}

func TestASheetIsChosen(t *testing.T) {
	data, err := os.ReadFile("testdata/survey/cover-sheet.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	res, err := kmlcsv.Parse(data, kmlcsv.Options{})
	if err != nil || res.Layout.Sheet != "S2" || !slices.Equal(res.Layout.Sheets, []string{"S1", "S2"}) {
		t.Fatalf("%+v, %v", res, err)
	}
	res, err = kmlcsv.Parse(data, kmlcsv.Options{Sheet: "S1"})
	if err == nil || res == nil || res.Layout.Sheet != "S1" {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err = kmlcsv.Parse(data, kmlcsv.Options{Sheet: "none"}); err == nil {
		t.Error("a sheet that there is not is read")
	}
}

func TestRechtsAndHochAreProjected(t *testing.T) {
	table := "Client: ACME\n\nName;Rechts;Hoch\nMast 1;512345,2;5402345,1\n"
	res, err := kmlcsv.Parse([]byte(table), kmlcsv.Options{Name: "masts.csv", CRS: 25832})
	if err != nil || len(res.Placemarks) != 1 || res.Placemarks[0].Name != "Mast 1" {
		t.Fatalf("%+v, %v", res, err)
	}
	if p := res.Placemarks[0].Points()[0]; p.Lat() < 48.7 || p.Lat() > 48.8 || p.Lon() < 9.1 || p.Lon() > 9.2 {
		t.Errorf("placed at %v", p)
	}
}

func TestRepeatedAttributesKeepTheirValues(t *testing.T) {
	const file = `{"type":"Feature","properties":{"plot":"North","plot":"South"},"geometry":{"type":"Point","coordinates":[9.48,53.6]}}`
	res, err := kmlcsv.Parse([]byte(file), kmlcsv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rows := res.Layout.Rows; len(rows) != 2 || !slices.Equal(rows[1], []string{"North", "South"}) {
		t.Errorf("%q", rows)
	}
}
