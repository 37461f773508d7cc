package deliveries_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/tui"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/apptest"
)

// recorded answers as delivered does, with a record of the order that has one
// of the packages' files and two of its own. Links are good once.
func recorded(links *atomic.Int32) http.HandlerFunc {
	content := map[string]string{"report.csv": "tree;height\nfir;31\n", "Handover.pdf": strings.Repeat("p", 3000)}
	return func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(r.URL.Path, "/")
		name := parts[len(parts)-1]
		switch text, known := content[name]; {
		case strings.Contains(r.URL.Path, "/getorder/"):
			at := fmt.Sprintf("http://%s/link/%d/", r.Host, links.Add(1))
			_, _ = fmt.Fprintf(w, `{"id":"o","orderCode":"ORD-100240","orderName":"Elbe","deliveryFiles":{"baseFiles":[],"processedData":{
				"_2dMap":["%squay_ortho_2cm.tif"],"topographicMap":["%sreport.csv","%sHandover.pdf"]}}}`, at, at, at)
		case !known:
			delivered(w, r)
		case parts[2] != fmt.Sprint(links.Load()):
			http.Error(w, "expired", http.StatusForbidden)
		default:
			w.Header().Set("ETag", `"one"`)
			http.ServeContent(w, r, name, time.Date(2026, 11, 23, 9, 30, 0, 0, time.UTC), strings.NewReader(text))
		}
	}
}

// What only the order's record has is delivered, too. Its links carry neither
// size nor age, and are known again by product and name.
func TestFilesOfARecordStandBesideThePackages(t *testing.T) {
	var links atomic.Int32
	folder := t.TempDir()
	d := apptest.OpenAgainst(t, recorded(&links), func(o *tui.Options) { o.Fetch.Dir = folder })
	d.Press("5")
	d.RequireText("Elbe record ORD-100240", "report.csv", "19 B", "Handover.pdf", "3.0 kB", "23 h")
	if n := strings.Count(d.Screen(), "quay_ortho_2cm.tif"); n != 1 {
		t.Errorf("the file that both have is there %d times:\n%s", n, d.Screen())
	}
	links.Add(1) // the links that were shown have expired
	d.Press("/")
	d.Type("file:report.csv")
	d.Press("enter", "f")
	downloads := d.App.Downloads()
	for end := time.Now().Add(time.Minute); len(downloads.Items) == 0 || downloads.Busy(); {
		if time.Now().After(end) {
			t.Fatalf("%+v", downloads.Items)
		}
		d.Send(deliveries.DownloadWork{Downloads: downloads, Free: downloads.Free})
	}
	got, err := os.ReadFile(filepath.Join(folder, "ORD-100240", "record", "report.csv"))
	if err != nil || string(got) != "tree;height\nfir;31\n" {
		t.Errorf("%q, %v", got, err)
	}
	d.Press("enter")
	d.RequireText("no preview of .csv files")
}

// A service that keeps no records, or does not say, has packages alone.
func TestPackagesWithoutARecord(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusForbidden} {
		d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/getorder/") {
				w.WriteHeader(status)
				return
			}
			delivered(w, r)
		})
		d.Press("5")
		d.RequireText("quay_ortho_2cm.tif", "2 new packages, 5 files")
		d.SeesNot("record")
	}
}

// What has left the list of orders is shown no longer, and not counted as new.
func TestAnOrderThatHasLeftTheListTakesItsPackagesWithIt(t *testing.T) {
	gone := false
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if gone && strings.HasSuffix(r.URL.Path, "/orders") {
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"data":[],"nextCursor":null,"hasNextPage":false}}`)
			return
		}
		delivered(w, r)
	})
	d.Press("5")
	d.RequireText("quay_ortho_2cm.tif", "5 Deliveries (2)")
	gone = true
	d.Press("r")
	d.RequireText("No deliveries yet.")
	d.SeesNot("quay_ortho_2cm.tif", "5 Deliveries (2)")
}

// An order that only the v2 API has is delivered like any other.
func TestAnOrderThatOnlyTheSecondGenerationHas(t *testing.T) {
	var links atomic.Int32
	folder := t.TempDir()
	serve := recorded(&links)
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case strings.HasSuffix(path, "/getorderslist"):
			_, _ = w.Write([]byte(`[{"id":"o-9","orderCode":"ORD-9","orderName":"Weser","orderStatus":"completed","deliveryFiles":["http://x/weser.csv"]},
				{"id":"o-8","orderCode":"ORD-8","orderName":"Aller","orderStatus":"reviewing"},{"id":"o","orderCode":"ORD-100240","orderName":"Elbe","orderStatus":"completed"}]`))
		case strings.HasSuffix(path, "/getorder/o-9"):
			_, _ = fmt.Fprintf(w, `{"id":"o-9","orderCode":"ORD-9","orderName":"Weser","deliveryFiles":{"baseFiles":[],"processedData":{"ndvi":["http://%s/link/%d/report.csv"]}}}`,
				r.Host, links.Load())
		default:
			serve(w, r)
		}
	}, func(o *tui.Options) { o.Fetch.Dir = folder })
	d.Press("5")
	d.RequireText("Weser record ORD-9", "Elbe record ORD-100240", "19 B")
	d.SeesNot("Aller")
	d.Press("/")
	d.Type("weser")
	d.Press("enter", "f")
	for downloads, end := d.App.Downloads(), time.Now().Add(time.Minute); len(downloads.Items) == 0 || downloads.Busy(); {
		if time.Now().After(end) {
			t.Fatalf("%+v", downloads.Items)
		}
		d.Send(deliveries.DownloadWork{Downloads: downloads, Free: downloads.Free})
	}
	if _, err := os.Stat(filepath.Join(folder, "ORD-9", "record", "report.csv")); err != nil {
		t.Error(err)
	}
}
