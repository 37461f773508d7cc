package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every unit in the help of --unit can be chosen.
func TestTheUnitOfCoordinatesCanBePackedDegrees(t *testing.T) {
	for unit, row := range map[string]string{
		"deg": "A,48.1173,11.5167",
		"dm":  "A,4807.038,1131.002",
		"dms": "A,480702.3,113100.1",
	} {
		file := filepath.Join(t.TempDir(), "sites.csv")
		if err := os.WriteFile(file, []byte("name,latitude,longitude\n"+row+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := ran(t, "parse", file, "--unit", unit, "--output", "csv")
		if err != nil || !strings.Contains(out, "48.117") || !strings.Contains(out, "11.516") {
			t.Errorf("--unit %s: %v\n%s", unit, err, out)
		}
	}
}
