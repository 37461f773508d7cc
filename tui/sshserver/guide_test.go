package sshserver

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTheGuideOfATrainingNamesTheLimits(t *testing.T) {
	guide, err := os.ReadFile("../guides/training.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(guide)), " ")
	for _, want := range []string{
		fmt.Sprintf("up to %d sessions of guests and %d of operations", maxGuests, maxOperators),
		fmt.Sprintf("(%d of `viewer`)", maxViewers),
		fmt.Sprintf("%d MiB and 2,000 files, the room %d GiB on disk", maxBytes>>20, maxRoomBytes>>30),
		fmt.Sprintf("a survey file may have up to %d MiB and a draft 5,000 sites", maxSurveyBytes>>20),
	} {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(want)) {
			t.Errorf("the guide lacks %q", want)
		}
	}
	if maxSessionsOf != 4 || maxFiles != 2_000 || maxSites != 5_000 || maxReadings != 2 {
		t.Error("the guide says four sessions, 2,000 files, 5,000 sites and two files at a time")
	}
}
