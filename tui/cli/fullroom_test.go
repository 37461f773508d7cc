//go:build campaign && unix

package cli

import (
	"strconv"
	"testing"
)

// fullRoomMemory is the largest memory of the process with a full room, as in the guide for
// trainers.
const fullRoomMemory = 1 << 30

// Sixteen people open four sessions each in large terminals and visit every page. The process stays
// within the memory in the guide.
func TestCampaignOfAFullRoom(t *testing.T) {
	const people, sessionsOfEach = 16, 4
	r := openRoom(t, nil)
	var screens []*screen
	for n := range people {
		user := "user" + strconv.Itoa(n+1)
		c := r.login(t, user)
		for range sessionsOfEach {
			screens = append(screens, openWideApp(t, c))
		}
	}
	r.waitForVisits(t, people*sessionsOfEach)
	t.Logf("%d MB when the apps are open", residentMemory(t)>>20)
	for _, s := range screens {
		s.shows(t, "Needs a decision")
	}
	for _, page := range []struct{ key, shows string }{
		{"2", "Orders"}, {"3", "Missions"}, {"4", "Quotes"}, {"5", "Deliveries"}, {"6", "Library"}, {"7", "Webhooks"}, {"1", "Home"},
	} {
		for _, s := range screens {
			s.typeKeys(t, page.key)
		}
		for _, s := range screens {
			s.shows(t, page.shows)
		}
	}
	rss := residentMemory(t)
	t.Logf("%d MB when every page was open", rss>>20)
	if rss > fullRoomMemory {
		t.Errorf("the process has %d MB, more than %d", rss>>20, fullRoomMemory>>20)
	}
}
