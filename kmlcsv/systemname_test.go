package kmlcsv

import (
	"fmt"
	"strings"
	"testing"
)

// The coordinates of the place are from PROJ.
func TestTheNamesOfColumnsNameNationalSystems(t *testing.T) {
	for _, c := range []struct {
		place  string // latitude and longitude
		values string // the first column, the second column
		titles string // of the two columns
	}{
		{"52.090,5.120", "136687.49,455782.61", "RD X,RD Y|X RD,Y RD|x_rd,y_rd|RDX,RDY|X (m RD),Y (m RD)|X-coördinaat RD,Y-coördinaat RD|X (RD),Y"},
		{"46.950,7.440", "2600104.11,1199879.63", "E LV95,N LV95|LV95_E,LV95_N|CH1903+ E,CH1903+ N|MN95 E,MN95 N|E [LV95],N [LV95]|Swissgrid E,Swissgrid N"},
		{"46.950,7.440", "600104.11,199879.63", "Y LV03,X LV03|CH1903 Y,CH1903 X|Swissgrid E,Swissgrid N"},
		{"53.000,-1.500", "433653.30,344858.88", "OSGB E,OSGB N|BNG Easting,BNG Northing|OS Grid E,OS Grid N|Easting (BNG),Northing (BNG)"},
		{"53.340,-6.260", "715873.05,733607.75", "ITM E,ITM N|E (ITM),N (ITM)|ITM_X,ITM_Y"},
		{"31.780,35.200", "219035.70,631923.45", "ITM E,ITM N"},
		{"53.340,-6.260", "315947.12,233581.28", "ING Easting,ING Northing|Irish Grid E,Irish Grid N"},
		{"59.330,18.060", "6580798.39,674079.26", "SWEREF99 N,SWEREF99 E|SWEREF 99 TM N,SWEREF 99 TM E|N SWEREF99TM,E SWEREF99TM"},
		{"47.000,2.300", "646810.15,6655766.63", "Lambert93 X,Lambert93 Y|L93 X,L93 Y|X_L93,Y_L93|XL93,YL93|RGF93 X,RGF93 Y"},
		{"47.000,2.300", "597221.90,2222237.61", "Lambert II étendu X,Lambert II étendu Y|X L2E,Y L2E"},
		{"50.850,4.350", "148679.45,171066.81", "Lambert72 X,Lambert72 Y|X_L72,Y_L72"},
		{"52.200,19.000", "5785623.33,6568365.41", "X PL-2000,Y PL-2000|X 2000/6,Y 2000/6|PL-2000 strefa 6 X,PL-2000 strefa 6 Y"},
		{"50.080,14.420", "1043823.18,743011.72", "S-JTSK X,S-JTSK Y|X JTSK,Y JTSK|Krovak X,Krovak Y"},
		{"50.080,14.420", "743011.72,1043823.18", "Y (S-JTSK),X (S-JTSK)"},
		{"50.080,14.420", "-743011.72,-1043823.18", "X JTSK,Y JTSK"},
		{"48.700,9.100", "3507436.38,5395830.80", "GK R,GK H|GK3 R,GK3 H|GK Zone 3 R,GK Zone 3 H|GK Rechtswert,GK Hochwert|GK_R,GK_H|DHDN R,DHDN H|GKR,GKH"},
		{"48.200,16.370", "2814.77,340177.44", "GK M34 Y,GK M34 X|GK34 R,GK34 H"},
		{"48.700,9.100", "507358.08,5394111.90", "32U E,32U N|ETRS89 UTM32 E,ETRS89 UTM32 N|E_UTM32N,N_UTM32N|ETRS89 32N E,ETRS89 32N N"},
		{"47.500,19.050", "650192.51,239562.85", "EOV Y,EOV X|Y_EOV,X_EOV"},
		{"59.430,24.750", "6588254.20,542567.81", "L-EST97 X,L-EST97 Y"},
		{"-33.870,151.200", "333510.65,6250800.24", "MGA2020 z56 E,MGA2020 z56 N|E MGA2020-56,N MGA2020-56"},
		{"9.930,-84.080", "491227.82,1098003.50", "CRTM05 E,CRTM05 N"},
		{"38.720,-9.140", "-87567.12,-104793.56", "PT-TM06 M,PT-TM06 P"},
	} {
		for titles := range strings.SplitSeq(c.titles, "|") {
			table := "name," + titles + "\nA," + c.values + "\n"
			res, err := Parse([]byte(table), Options{NoPlaces: true})
			if err != nil || len(res.Placemarks) != 1 || res.Skipped > 0 {
				t.Errorf("%q: %v, %v", table, res, err)
				continue
			}
			p := res.Placemarks[0].Points()[0]
			if got := fmt.Sprintf("%.3f,%.3f", p[1], p[0]); got != c.place {
				t.Errorf("%q: %s, want %s, %v", table, got, c.place, res.Warnings)
			}
		}
	}
}

func TestAnAmbiguousNameOfASystemAsks(t *testing.T) {
	for table, want := range map[string]string{
		"name,UTM32 E,UTM32 N\nA,507358.08,5394111.90\n":           "hemisphere north",
		"name,MGA E,MGA N\nA,333510.65,6250800.24\n":               "system EPSG:28350",
		"name,TWD97 E,TWD97 N\nA,306513.25,2769217.28\n":           "system EPSG:3826",
		"name,ETRS89 UTM E,ETRS89 UTM N\nA,507358.08,5394111.90\n": "system EPSG:25830",
		"name,Rechtswert,Hochwert\nA,507358.08,5394111.90\n":       "system EPSG:25832",
		"PTID;Y;X;Z\nP1;508091.23;5394868.12;281.44\n":             "system EPSG:25832",
		"name,R,H\nA,3507436.38,5395830.80\n":                      "system EPSG:31467",
		"name,X 1992,Y 1992\nA,483432.20,636640.47\n":              "axes lng-lat",
		"name,LKS92 X,LKS92 Y\nA,311824.63,506082.93\n":            "axes lng-lat",
	} {
		res, err := Parse([]byte(table), Options{})
		if err == nil || len(res.Questions) == 0 || len(res.Placemarks) > 0 {
			t.Errorf("%q: %v, %v", table, res, err)
			continue
		}
		q := res.Questions[len(res.Questions)-1]
		if got := string(q.Kind) + " " + q.Choices[0].Value; got != want {
			t.Errorf("%q: %s, want %s", table, got, want)
		}
	}
}

func TestARowOrATitleNamesANationalSystem(t *testing.T) {
	const utrecht = "A asset 52.0900,5.1200 1"
	for table, want := range map[string]string{
		"RD coördinaten\nname,X,Y\nA,136687.49,455782.61\n":                               utrecht,
		"Coordinate system: RD\n\nname,X,Y\nA,136687.49,455782.61\n":                      utrecht,
		"EPSG:28992\nA,136687.49,455782.61,3.1\n":                                         utrecht,
		"name,X,Y\nRD\nA,136687.49,455782.61\n":                                           utrecht,
		"name,X,Y\n,RD,RD\nA,136687.49,455782.61\n":                                       utrecht,
		"name,X,Y,system\nA,136687.49,455782.61,RD\nB,715873.05,733607.75,ITM\n":          utrecht + "; B asset 53.3400,-6.2600 1",
		"name,R,G,B,H,N,E\nA,1,2,3,4,52.09,5.12\n":                                        utrecht,
		"name,height H,X RD,Y RD\nA,12.1,136687.49,455782.61\n":                           utrecht,
		"name,N LV03,E LV95,N LV95,E LV03\nA,199879.63,2600104.11,1199879.63,600104.11\n": "A asset 46.9500,7.4400 1",
		"name,Ring,Lat,Lon\nA,7,52.09,5.12\n":                                             utrecht,
	} {
		res, err := Parse([]byte(table), Options{NoPlaces: true})
		if err != nil || describeAt(res) != want || res.Skipped > 0 {
			t.Errorf("%q: %v, %v, want %s", table, res, err, want)
		}
	}
}
