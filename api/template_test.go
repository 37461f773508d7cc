package api_test

import (
	"io"
	"net/http"
	"testing"
)

func TestTheTemplateIsReadInEveryForm(t *testing.T) {
	const file = "name,latitude,longitude\nMast,53.6,9.4\n"
	const quoted = `"name,latitude,longitude\nMast,53.6,9.4\n"`
	const head = "name,latitude,longitude\n"
	const columns = `["name","latitude","longitude"]`
	const quotedCells = "\"name\",\"latitude\",\"longitude\"\n"
	for body, want := range map[string]string{
		file:                                   file,
		quotedCells:                            quotedCells,
		"nombre;cota;ancho\nMástil;53,6;9,4\n": "nombre;cota;ancho\nMástil;53,6;9,4\n",
		quoted:                                 file,
		`{"success":true,"message":"a, b","data":` + quoted + `}`:                                        file,
		`{"success":true,"data":{"fileName":"x.csv","contentType":"text/csv","content":` + quoted + `}}`: file,
		`{"success":true,"data":{"csv":` + quoted + `}}`:                                                 file,
		`{"success":true,"data":{"contentType":"text/csv","csv":` + quoted + `}}`:                        file,
		`{"success":true,"data":{"template":{"text":` + quoted + `}}}`:                                   file,
		`{"success":true,"data":{"columns":` + columns + `}}`:                                            head,
		`{"success":true,"data":` + columns + `}`:                                                        head,
		columns: head,
		`{"success":true,"data":[["name","latitude","longitude"],["Mast",53.6,9.4]]}`:        file,
		`{"success":true,"data":[{"name":"Mast","latitude":53.6,"longitude":9.4}]}`:          file,
		`{"success":true,"data":{"rows":[{"name":"Mast","latitude":53.6,"longitude":9.4}]}}`: file,
		`{"success":true,"data":{"columns":` + columns + `,"rows":[["Mast",53.6,9.4]]}}`:     file,
		`{"csv":` + quoted + `}`: file,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		got, err := c.Surveys.Template(t.Context())
		if err != nil || got.Content != want || got.FileName == "" {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

func TestATemplateHasTitlesInAnyLanguageAndEncoding(t *testing.T) {
	for body, want := range map[string]string{
		"名称,緯度,経度\n":                          "名称,緯度,経度\n",
		"название;широта;долгота":             "название;широта;долгота",
		"nom,adresse,type de mission\n":       "nom,adresse,type de mission\n",
		"name;address":                        "name;address",
		"Name, Address, City\nMast, Weg, Ulm": "Name, Address, City\nMast, Weg, Ulm",
		"name|lat|lng\n":                      "name|lat|lng\n",
		"sep=;\nid;Latitude in decimal degrees;Longitude in decimal degrees":  "sep=;\nid;Latitude in decimal degrees;Longitude in decimal degrees",
		"# Sites, one a row\nname,latitude,longitude\n":                       "# Sites, one a row\nname,latitude,longitude\n",
		"\"Name; short\",\"Kind of survey\",\"WKT\"\r\n":                      "\"Name; short\",\"Kind of survey\",\"WKT\"\r\n",
		"\"Name, short\";\"Kind of survey\";\"Hochwert\"\nMast;rgb;\"1,5\"\n": "\"Name, short\";\"Kind of survey\";\"Hochwert\"\nMast;rgb;\"1,5\"\n",
		"name;rue;ville;;\rMast;1 rue X;Lyon;;\r":                             "name;rue;ville;;\rMast;1 rue X;Lyon;;\r",
		"\ufeff\"name\",\"lat\",\"lng\"\n":                                    "\"name\",\"lat\",\"lng\"\n",
		"Gr\xf6\xdfe;Breite":                                                  "Größe;Breite",
		"\xff\xfen\x00,\x00\xe9\x00t\x00\xe9\x00,\x00x\x00":                   "n,été,x",
		"\xfe\xff\x00i\x00d\x00,\x00x":                                        "id,x",
		"i\x00d\x00;\x00x\x00":                                                "id;x",
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		got, err := c.Surveys.Template(t.Context())
		if err != nil || got.Content != want {
			t.Errorf("%q: %+v, %v", body, got, err)
		}
	}
}

func TestAFileOfTheTypeCSVIsTheTemplate(t *testing.T) {
	contentType := ""
	body := ""
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	})
	const sentence = "Address of the site, as on its sign"
	for _, response := range []struct {
		contentType, body string
		isTemplate        bool
	}{
		{"text/csv; charset=utf-8", sentence, true},
		{"Text/CSV", "Address\n", true},
		{"text/plain", sentence, false},
		{"text/csv", " \n", false},
		{"text/csv", "<html>Log in</html>", false},
	} {
		contentType = response.contentType
		body = response.body
		got, err := c.Surveys.Template(t.Context())
		if isTemplate := err == nil; isTemplate != response.isTemplate || isTemplate && got.Content != body {
			t.Errorf("%s, %q: %+v, %v", contentType, body, got, err)
		}
	}
}

func TestAResponseWithoutATemplateIsAnError(t *testing.T) {
	for _, body := range []string{
		``,
		`<html>`,
		"\n<p>Name, password</p>",
		`Please log in`,
		`Please log in, then try again`,
		"Log in:\tname\tpassword\n",
		"Session expired, log in\nName, password\nTry again, in 30\n",
		`"Please log in, then try again"`,
		`["Please log in","then try again"]`,
		`["Please log in","then try again","or wait"]`,
		`{"message":"Please log in, then try again"}`,
		`{"success":true,"message":"Please log in, then try again"}`,
		"Sorry, log in, or wait\n",
		"status=error;code=401",
		"PK\x03\x04,\x14,\x08",
		`{"content":"Please log in, then try again"}`,
		`null`,
		`{}`,
		`[]`,
		`{"data":[7]}`,
		`{"success":true,"data":null}`,
		`{"success":true,"message":"a, b","data":{}}`,
		`{"success":false,"message":"no, not for you"}`,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		if got, err := c.Surveys.Template(t.Context()); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
}
