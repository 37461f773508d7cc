package page

import (
	"testing"

	"flightdesk/tui/app/session"
)

func TestALayoutSavedUnderTheEarlierNameIsRead(t *testing.T) {
	state := session.OpenUIState("")
	state.Put(panesKey("desk-queue"), 3)
	var got int
	if !readLayout(state, panesKey, "operations-tasks", &got) || got != 3 {
		t.Errorf("got %d", got)
	}
	state.Put(panesKey("operations-tasks"), 5)
	if !readLayout(state, panesKey, "operations-tasks", &got) || got != 5 {
		t.Errorf("got %d after saving under the new name", got)
	}
	if readLayout(state, panesKey, "orders", &got) {
		t.Error("a layout that was never saved is read")
	}
}
