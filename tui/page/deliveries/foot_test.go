package deliveries_test

import (
	"net/http"
	"strings"
	"testing"

	"flightdesk/tui/apptest"
)

func TestALineBelowTheFilesSaysWhatWillBeDownloaded(t *testing.T) {
	x := openDeliveries(t, 140, 40)
	x.Press("5", "G")
	x.RequireText(" f download 1 file, ", " → ")
	x.Press("space", "k", "space")
	x.RequireText(" f download 2 marked files, ")
	x.Press("f")
	x.until(t, "the marked files", idle)
	x.RequireText(" F download all 3 new files, ")
	x.Press("F")
	x.until(t, "all files", idle)
	x.RequireText(" Already downloaded; folder ")
	x.SeesNot("F download all")
}

func TestSpareLinesBelowTheFilesHaveTheTotals(t *testing.T) {
	d := apptest.OpenAgainst(t, delivered, roomy)
	d.Press("5")
	d.RequireText("Totals", "All deliveries", "9.4 GB")
	d.Resize(80, 18)
	d.RequireText("Harz forest")
	d.SeesNot("Totals")
}

func TestTotalsOfLoadedDeliveriesAreNotCalledAll(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/p-2/files") {
			apptest.WriteAnswer(w, 500, `{"success":false,"message":"out of order","data":{"code":"internal"}}`)
			return
		}
		delivered(w, r)
	}, roomy)
	d.Press("5")
	d.RequireText("Loaded deliveries", "6.1 GB")
	d.SeesNot("All deliveries")
}

func TestTheLibraryDescribesADatasetBelowTheListInANarrowWindow(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("6")
	d.RequireText("─ Dataset", "Categories", "UN goals")
}

// The rows of the totals add up to the last one at any height.
func TestTotalsOfOrdersWithoutRoomShareARow(t *testing.T) {
	d := apptest.Open(t, 80, 26)
	d.Press("5")
	d.RequireText("ORD-", " more orders ", "All deliveries")
	d.Resize(80, 22)
	d.RequireText("Totals", "All deliveries")
	d.SeesNot("ORD-", "more orders")
}
