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

func TestAResponseWithoutATemplateIsAnError(t *testing.T) {
	for _, body := range []string{
		``,
		`<html>`,
		"\n<p>Name, password</p>",
		`Please log in`,
		`Please log in, then try again`,
		"Log in:\tname\tpassword\n",
		"Session expired, log in\nName, password\nTry again, in 30\n",
		"Gr\xf6\xdfe;Breite",
		`"Please log in, then try again"`,
		`["Please log in","then try again"]`,
		`{"message":"Please log in, then try again"}`,
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
