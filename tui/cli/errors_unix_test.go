//go:build unix

package cli

import (
	"path/filepath"
	"testing"
)

// The texts are for error numbers that only Unix returns.
func TestErrorsOfFoldersInPlaceOfFilesSayWhatToDo(t *testing.T) {
	folder := t.TempDir()
	file := writeTestFile(t, "notes.txt", "notes")
	for command, want := range map[string]string{
		"serve --settings " + folder:                                    "settings: " + folder + ": is a folder; name a file in it\n",
		"serve --memory --addr 127.0.0.1:0 --audit-file " + folder:      "--audit-file: " + folder + ": is a folder; name a file in it\n",
		"serve --check " + file:                                         file + " is not a data folder: " + filepath.Join(file, "flightdesk.db") + ": not a folder; use another path\n",
		"serve --demo --ssh :0 --addr 127.0.0.1:0 --ssh-keys " + folder: "public keys: " + folder + ": is a folder; name a file in it\n",
	} {
		if status, line := runAgainst(t, "https://desk.example", command); status != exitFailed || line != want {
			t.Errorf("%s: status %d: %q", command, status, line)
		}
	}
}
