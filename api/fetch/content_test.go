package fetch

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// An error page is not saved as a file, even if the listing has no size to compare with.
func TestAnErrorPageIsNotSavedAsAFile(t *testing.T) {
	for _, tt := range []struct {
		name, mediaType, content string
		want                     string // part of the error; "" if the file is accepted
	}{
		{"dsm.tif", "image/tiff", `{"success":false,"message":"the link has expired"}`, "the link has expired"},
		{"dsm.tif", "image/tiff", `<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`, "AccessDenied"},
		{"dsm.tif", "image/tiff", "", "an empty answer"},
		{"dsm.tif", "image/tiff", "II*\x00rest", ""},
		{"cloud.laz", "application/vnd.laszip", "\x00\x01\x02\x03\x04", "other content"},
		{"cloud.laz", "application/vnd.laszip", "LASF\x00\x00", ""},
		{"report.pdf", "application/pdf", "<!DOCTYPE html><title>Sign in</title>", "Sign in"},
		{"mesh.obj", "model/obj", "<html>Sign in</html>", "Sign in"},
		{"mesh.obj", "model/obj", "v 1 2 3\n", ""},
		{"notes.txt", "text/plain", "", "an empty answer"},
		{"notes.txt", "text/plain", "Wind from the west.\n", ""},
		{"notes.txt", "text/plain", "\ufeff <!-- proxy -->\n<HEAD><title>Sign in</title>", "Sign in"},
		{"points.csv", "", "{\n  \"success\": false,\n  \"message\": \"expired\"}", "expired"},
		{"points.csv", "", `{"message":"expired"}`, "expired"},
		{"points.csv", "", "name,lat,lng\n", ""},
		{"sites.shp", "", "Service Unavailable", "Service Unavailable"},
		{"photo.JPG", "application/octet-stream", "<h1>Forbidden</h1>", "Forbidden"},
		{"photo.JPG", "application/octet-stream", "\xff\xd8\xffrest", ""},
		{"sites.geojson", "application/geo+json", `{"type":"FeatureCollection","features":[]}`, ""},
	} {
		s := newStorage(t, &object{name: tt.name, product: "_2dMap", content: []byte(tt.content), listed: -1, plain: true})
		p := s.delivery()
		p.Files[0].MediaType, p.List = tt.mediaType, nil
		d := queue(t, "", nil)
		items := d.fetch(p)
		if tt.want == "" {
			d.states(items, Done)
			continue
		}
		if err := items[0].Err; !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %q: %v", tt.name, tt.content, err)
		}
		entries, _ := os.ReadDir(d.folder())
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), tt.name) {
				t.Errorf("%s is left", e.Name())
			}
		}
	}
}
