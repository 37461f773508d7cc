package server_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const exampleFolder = "../../tui/cli/examples"

var metricName = regexp.MustCompile(`flightdesk_[a-z_]+`)

// The example alert rules and the dashboard use only metrics that exist, and Prometheus
// accepts the rules.
func TestExampleAlertsUseMetricsThatExist(t *testing.T) {
	known, err := os.ReadFile("metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	names := metricName.FindAllString(string(known), -1)
	for _, file := range []string{"alerts.yaml", "dashboard.json"} {
		path := filepath.Join(exampleFolder, file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		used := metricName.FindAllString(string(text), -1)
		if len(used) == 0 {
			t.Errorf("%s uses no metric", file)
		}
		for _, name := range used {
			base := strings.TrimSuffix(strings.TrimSuffix(name, "_count"), "_bucket")
			if !slices.Contains(names, base) {
				t.Errorf("%s uses %s, which the service does not have", file, name)
			}
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("promtool is not installed; the syntax of the rules was not checked")
		return
	}
	out, err := exec.CommandContext(t.Context(), promtool, "check", "rules", filepath.Join(exampleFolder, "alerts.yaml")).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
