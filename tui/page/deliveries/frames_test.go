package deliveries_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// delivered answers like a service with two packages and three datasets.
func delivered(w http.ResponseWriter, r *http.Request) {
	list := func(items ...string) {
		apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"data":[`+strings.Join(items, ",")+`],"nextCursor":null,"hasNextPage":false}}`)
	}
	file := func(name, kind, media string, size int) string {
		return fmt.Sprintf(`{"uuid":"f-%s","fileName":%q,"fileType":%q,"fileDataType":%q,"fileSize":%d,"status":"delivered","downloadUrl":"http://127.0.0.1:1/files/t/x"}`,
			name, name, media, kind, size)
	}
	const quay = `[{"lat":51.957,"lng":4.021},{"lat":51.957,"lng":4.024},{"lat":51.959,"lng":4.024}]`
	mission := func(n int, name string) string {
		return fmt.Sprintf(`{"uuid":"m-%d","missionCode":"MSN-20050%d","orderCode":"ORD-100240","missionName":%q,"missionType":"area","status":"dataDelivered",
			"country":"Netherlands","city":"Rotterdam","locationLabel":"Port","locationMap":%s}`, n, n, name, quay)
	}
	dataset := func(n int, name, categories, goals, place string) string {
		return fmt.Sprintf(`{"id":"d-%d","datasetName":%q,"categories":[%s],"sdgGoals":[%s],"description":"Canopy heights of the whole district, from a flight in leaf-off season.",
			"locationLabel":%q,"locationMap":%s,"dateCompleted":"2026-1%d-03"}`, n, name, categories, goals, place, quay, n%2)
	}
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/datalibraryorders"):
		_, _ = fmt.Fprintf(w, "[%s,%s]", dataset(1, "Rotterdam port 2026", `"Infrastructure"`, `"Industry, innovation"`, "Rotterdam"),
			dataset(2, "Harz canopy", `"Forest","Climate"`, `"Climate action","Life on land"`, "Goslar"))
	case strings.HasSuffix(path, "/orders/ORD-100240"):
		apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"uuid":"o","orderCode":"ORD-100240","status":"completed","missions":[`+
			mission(1, "Maasvlakte quay")+","+mission(2, "Harz forest")+`]}}`)
	case strings.HasSuffix(path, "/orders/ORD-100240/missions"):
		list(mission(1, "Maasvlakte quay"), mission(2, "Harz forest"))
	case strings.HasSuffix(path, "/orders"):
		list(`{"uuid":"o","orderCode":"ORD-100240","orderName":"Elbe","status":"completed","updatedAt":"2026-11-24T08:00:00Z"}`)
	case strings.HasSuffix(path, "/m-1/delivery-packages"):
		list(`{"uuid":"p-1","missionUid":"m-1","name":"Delivery","version":2,"status":"delivered","createdAt":"2026-11-24T08:31:00Z"}`)
	case strings.HasSuffix(path, "/m-2/delivery-packages"):
		list(`{"uuid":"p-2","missionUid":"m-2","name":"Delivery","version":1,"status":"accepted","createdAt":"2026-11-22T08:31:00Z"}`)
	case strings.HasSuffix(path, "/p-1/files"):
		list(file("quay_ortho_2cm.tif", "_2dMap", "image/tiff", 4_200_000_000), file("quay_dsm.tif", "digitalSurfaceModel", "image/tiff", 1_100_000_000),
			file("quay.laz", "LiDAR", "application/vnd.laszip", 800_000_000), file("contours.geojson", "topographicMap", "application/geo+json", 4_800_000))
	case strings.HasSuffix(path, "/p-2/files"):
		list(file("harz_ndvi_of_the_whole_district_in_leaf_off_season.tif", "ndvi", "image/tiff", 3_300_000_000))
	default:
		apptest.WriteAnswer(w, 404, `{"success":false,"message":"there is nothing here","data":{"code":"not_found"}}`)
	}
}

// roomy is a disk of which the frames are the same on every machine.
func roomy(o *tui.Options) {
	o.Fetch.Free = func(string) (int64, error) { return 212_000_000_000, nil }
}

func TestFramesOfDeliveries(t *testing.T) {
	d := apptest.OpenAgainst(t, delivered, roomy)
	d.Press("5")
	d.CompareMainFrames(t, "deliveries")
	d.Press("j", "space", "enter")
	d.CompareFrames(t, "deliveries-file")
	d.Press("esc", "v", "D")
	d.CompareFrames(t, "deliveries-flat-panel")
	d.Press("B")
	d.CompareFrames(t, "deliveries-bandwidth")
}

func TestFramesOfTheLibrary(t *testing.T) {
	d := apptest.OpenAgainst(t, delivered, roomy)
	d.Press("6")
	d.CompareMainFrames(t, "library")
	d.Press("m")
	d.CompareFrames(t, "library-map")
}

func TestFramesOfDeliveriesInOtherStates(t *testing.T) {
	for section, name := range map[string]string{"5": "deliveries", "6": "library"} {
		d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/datalibraryorders") {
				_, _ = w.Write([]byte("[]"))
				return
			}
			apptest.AnswerNothing(w, r)
		})
		d.Press(section)
		d.CompareFrames(t, name+"-empty")
		d = apptest.OpenAgainst(t, apptest.AnswerBroken)
		d.Press(section)
		d.CompareFrames(t, name+"-trouble")

		driver := tuitest.New(t)
		web := httptest.NewServer(http.HandlerFunc(delivered))
		t.Cleanup(web.Close)
		reading := apptest.OpenOn(t, driver, web.URL, "fd_test_key", "ACME Geo GmbH", 100, 30)
		reading.Hold()
		reading.Press(section)
		reading.CompareFrames(t, name+"-loading")
		reading.Release()
		reading.SeesNot("░░░")
	}
}
