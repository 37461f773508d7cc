package deliveries_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"flightdesk/tui/apptest"
)

// photographed answers as delivered does, with 400 photos in a package.
func photographed(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/p-2/files") {
		delivered(w, r)
		return
	}
	files := []string{`{"uuid":"map","fileName":"harz_map.tif","fileType":"image/tiff","fileDataType":"_2dMap","fileSize":3300000000,"status":"delivered","downloadUrl":"http://127.0.0.1:1/x"}`}
	for i := range 400 {
		files = append(files, fmt.Sprintf(`{"uuid":"i-%d","fileName":"IMG_%04d.JPG","fileType":"image/jpeg","fileDataType":"jpg","fileSize":8000000,
			"status":"delivered","downloadUrl":"http://127.0.0.1:1/x"}`, i, i+1))
	}
	apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"data":[`+strings.Join(files, ",")+`],"nextCursor":null,"hasNextPage":false}}`)
}

func TestPhotosAreOneRowThatOpens(t *testing.T) {
	d := apptest.OpenAgainst(t, photographed, roomy)
	d.Press("5")
	d.RequireText("▹ IMG_0001…0400.JPG ×400", "3.2 GB", "harz_map.tif")
	d.SeesNot("IMG_0002.JPG")
	d.Press("G")
	d.CompareFrames(t, "deliveries-run")
	d.Press("enter")
	d.RequireText("▿ IMG_0001…0400.JPG", "    IMG_0001.JPG", "    IMG_0002.JPG")
	d.Press("G", "enter")
	d.RequireText("IMG_0400.JPG", "Size        8.0 MB")
	d.Press("esc")
	for range 400 {
		d.Press("k")
	}
	d.Press("enter")
	d.SeesNot("IMG_0002.JPG")

	// One that is searched for is found, also in what is shut.
	d.Press("/")
	d.Type("img_0217")
	d.Press("enter")
	d.RequireText("IMG_0217.JPG", "1 of 407")
	d.Press("esc")
	d.RequireText("▹ IMG_0001…0400.JPG")
	d.SeesNot("IMG_0217.JPG")

	// It is marked, and fetched, as a whole.
	d.Press("G", "space", "f")
	if n := len(d.App.Downloads().Items); n != 400 {
		t.Errorf("%d files are in the queue", n)
	}
	if err := d.App.Close(); err != nil {
		t.Error(err)
	}
}
