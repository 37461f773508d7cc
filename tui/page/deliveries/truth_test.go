package deliveries_test

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"flightdesk/tui/apptest"
)

// The newest orders of an account need not have deliveries.
func TestDeliveriesOfOlderOrdersAreFound(t *testing.T) {
	var orders []string
	for i := range 260 {
		orders = append(orders, fmt.Sprintf(`"uuid":"o-%d","orderCode":"ORD-%d","orderName":"Levee","status":"pendingOperator"`, i, i))
	}
	delivered := apptest.ServeMission(`"status":"dataDelivered"`, map[string]string{
		"delivery-packages": `{"uuid":"p-1","name":"Levee data","version":1,"status":"delivered","fileCount":1,"totalSize":42,"createdAt":"2026-11-24T08:00:00+01:00"}`,
		"files":             `{"uuid":"f-1","fileName":"levee_ortho.tif","fileDataType":"_2dMap","fileSize":42,"status":"delivered","downloadUrl":"http://x/"}`,
	})
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		isMissions := path.Base(r.URL.Path) == "missions" && strings.Contains(r.URL.Path, "/orders/")
		switch {
		case strings.HasSuffix(r.URL.Path, "/orders"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(orders...))
		case isMissions && !strings.Contains(r.URL.Path, "/ORD-255/"):
			apptest.AnswerNothing(w, r)
		default:
			delivered(w, r)
		}
	})
	d.Press("5")
	d.Advance(time.Second)
	d.RequireText("Levee km 3", "1 new file")
	d.SeesNot("No deliveries yet")
}

func TestMarkAllMarksOnlyTheFilesThatMatchTheFilter(t *testing.T) {
	d := apptest.OpenAgainst(t, delivered, roomy)
	d.Press("5", "/")
	d.Type("quay_")
	d.Press("enter", "ctrl+a", "f")
	if n := len(d.App.Downloads().Items); n != 2 {
		t.Errorf("%d files are in the queue, want the two that match", n)
	}
	if err := d.App.Close(); err != nil {
		t.Error(err)
	}
}

func TestMarkAllMarksTheFilesOfCollapsedPackages(t *testing.T) {
	d := apptest.OpenAgainst(t, delivered, roomy)
	d.Press("5", "G", "k", "enter") // collapses the second package
	d.RequireText("▹ Harz forest")
	d.Press("ctrl+a", "f")
	if n := len(d.App.Downloads().Items); n != 5 {
		t.Errorf("%d files are in the queue, want all five", n)
	}
	d.Press("ctrl+a")
	d.SeesNot("f download", "download 5")
	d.Press("f")
	d.RequireText("download: already in the download queue")
	if err := d.App.Close(); err != nil {
		t.Error(err)
	}
}
