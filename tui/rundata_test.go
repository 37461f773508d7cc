package tui

import (
	"os"
	"testing"

	"flightdesk/tui/app/ordering"
)

func TestProfilesWithTheSameFolderShareTheirDrafts(t *testing.T) {
	var data runData
	folder := t.TempDir()
	first := data.draftsOf("live", folder, ordering.FileReader{})
	if second := data.draftsOf("test", folder, ordering.FileReader{}); second != first {
		t.Error("two profiles have two values for one folder")
	}
	inMemory := data.draftsOf("live", "", ordering.FileReader{})
	if other := data.draftsOf("test", "", ordering.FileReader{}); other == inMemory {
		t.Error("two profiles share drafts in memory")
	}
	if err := data.close(); err != nil {
		t.Error(err)
	}
}

func TestTheScratchFolderIsDeletedAtTheEnd(t *testing.T) {
	var data runData
	path, err := data.scratch.folder()
	if err != nil {
		t.Fatal(err)
	}
	if err := data.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the folder %s is left", path)
	}
}
