package neworder_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func readOnly(o *tui.Options) { o.ReadOnly = true }

func TestAnOrderIsNotReadyToPlaceInReadOnlyMode(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.OpenAgainst(t, apptest.AnswerNothing, keep)
	d.ToReview("elbe")
	d.RequireText("✓ Ready to place")
	d.Close()

	reader := apptest.OpenAgainst(t, apptest.AnswerNothing, keep, apptest.AtHome, readOnly)
	reader.RequireText("Drafts")
	reader.Press("enter")
	reader.RequireText("[4 Review]", "Complete, but cannot be placed: read-only mode")
	reader.SeesNot("Ready to place", "S place order")
	reader.Press("esc")
	reader.RequireText("Draft saved")
	reader.SeesNot("n to continue") // the key is disabled
}

func TestAFaultOnTheReviewNamesNoKeyThatDoesNothingThere(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("far.csv", "name,lat,lng\nBuoy,-50,-120\nMast,48.4,11.7\n")
	d.Press("n")
	d.Type("far")
	d.Press("enter", "g")
	d.RequireText("has no country; press e")
	d.Press("]")
	d.Type("Chile")
	d.Press("enter")
	d.Type("tele")
	d.Press("ctrl+s")
	d.RequireText("✓ Ready to place")
	d.Press("u") // the country is removed again
	d.RequireText("[4 Review]", "Buoy has no country")
	d.SeesNot("press e")
	d.Press("S")
	d.RequireText("has no country; press enter to go to it")
}

func TestTheTypeOfMarkedSitesIsOfferedWhereItActs(t *testing.T) {
	d := openThreeKinds(t, 140, 36) // two points, a line and an area
	d.Press("shift+down", "shift+down")
	d.RequireText("2 marked", "▸ ✓   Pipe")
	d.SeesNot("t type") // it would change the line, which is not marked
	d.Press("t")
	d.RequireText("the points of each marked site allow only its type")
	d.Press("G", "shift+down")
	d.RequireText("3 marked", "t type")
	d.Press("t")
	d.RequireText("Field                 Line", "Mast                  Asset")
}

func TestAMessageCountsOnlySitesThatWereIncludedOrExcluded(t *testing.T) {
	d := openThreeKinds(t, 140, 36)
	d.Press("space", "V", "G", "V", "space") // the first is excluded already
	d.RequireText("4 sites, 0 included", "Excluded Yard and 2 more")
	d.Press("esc", "g", "space", "V", "G", "V", "space")
	d.RequireText("4 sites, 4 included", "Included Yard and 2 more")
}

func TestMarkedFilesAreOpenedWhateverIsTyped(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n", "shift+down")
	d.Type("53.6, 9.48")
	d.RequireText("enter opens the marked")
	d.SeesNot("enter adds this site")
	d.Press("enter")
	d.RequireText("[2 Sites]", "elbe_levee.kml")
}

func TestADraftThatIsNotOnDiskIsNotSaidToBeSaved(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "esc")
	d.RequireText("Draft kept until you quit · n on Home or in Orders continues it")
	d.SeesNot("Draft saved")
}

// lostOrder answers a request that places an order with nothing, and has no order.
type lostOrder struct{ posts int }

func (s *lostOrder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/orders") {
		s.posts++
		apptest.WriteAnswer(w, 502, "")
		return
	}
	apptest.AnswerNothing(w, r)
}

func TestAReadOnlyProfileOnlyLooksForASentOrder(t *testing.T) {
	service := &lostOrder{}
	drafts := t.TempDir()
	keep := func(o *tui.Options) {
		o.Drafts = drafts
		o.ChangesFile = filepath.Join(drafts, "decisions.jsonl")
	}
	d := apptest.OpenAgainst(t, service.ServeHTTP, keep)
	d.ToReview("elbe")
	d.Press("S", "enter")
	d.RequireText("The order may exist")
	posts := service.posts
	d.Close()

	reader := apptest.OpenAgainst(t, service.ServeHTTP, keep, apptest.AtHome, readOnly)
	reader.Press("enter")
	reader.RequireText("[4 Review]", "not confirmed. The order may")
	reader.Press("r")
	reader.RequireText("Order not found on the service")
	reader.SeesNot("S to place it", "r retry")
	reader.Press("r")
	if service.posts != posts {
		t.Errorf("a read-only profile has sent %d orders", service.posts-posts)
	}
}
