package server_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	texttemplate "text/template" //nolint:depguard // only programs must not have templates

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"flightdesk/api/server"
)

const exampleFolder = "../../tui/cli/examples"

// alertFile is a file of alert rules, with the members that Prometheus reads.
type alertFile struct {
	Groups []struct {
		Name     string `yaml:"name"`
		Interval string `yaml:"interval"`
		Rules    []struct {
			Alert       string            `yaml:"alert"`
			Expr        string            `yaml:"expr"`
			For         string            `yaml:"for"`
			Labels      map[string]string `yaml:"labels"`
			Annotations map[string]string `yaml:"annotations"`
		} `yaml:"rules"`
	} `yaml:"groups"`
}

// Prometheus accepts the example alert rules, and their expressions fit the metrics of a running
// service.
func TestExampleAlertsFitTheService(t *testing.T) {
	path := filepath.Join(exampleFolder, "alerts.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file alertFile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	exported := exportedMetrics(t)
	names := map[string]bool{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if names[rule.Alert] || !regexp.MustCompile(`^Flightdesk[A-Za-z]+$`).MatchString(rule.Alert) {
				t.Errorf("%q is not a name, or two rules have it", rule.Alert)
			}
			names[rule.Alert] = true
			for _, fault := range expressionFaults(rule.Expr, exported) {
				t.Errorf("%s: %s", rule.Alert, fault)
			}
			if rule.For != "" {
				if _, err := model.ParseDuration(rule.For); err != nil {
					t.Errorf("%s: for: %v", rule.Alert, err)
				}
			}
			if !slices.Contains([]string{"critical", "warning", "info"}, rule.Labels["severity"]) {
				t.Errorf("%s: severity %q", rule.Alert, rule.Labels["severity"])
			}
			if fault := summaryFault(rule.Annotations["summary"], rule.Expr); fault != "" {
				t.Errorf("%s: summary: %s", rule.Alert, fault)
			}
		}
	}
	if len(names) == 0 {
		t.Error("no rules")
	}
	checkWithPromtool(t, path)
}

// checkWithPromtool checks alert rules with promtool, if it is installed.
func checkWithPromtool(t *testing.T, path string) {
	t.Helper()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Log("promtool is not installed; the functions of the expressions were compared with a list")
		return
	}
	out, err := exec.CommandContext(t.Context(), promtool, "check", "rules", path).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Each panel of the example dashboard has expressions that fit the metrics of a running service.
func TestTheExampleDashboardFitsTheService(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(exampleFolder, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	exported := exportedMetrics(t)
	count := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			count++
			for _, fault := range expressionFaults(target.Expr, exported) {
				t.Errorf("%s: %s", panel.Title, fault)
			}
		}
	}
	if count < len(dashboard.Panels) || count == 0 {
		t.Errorf("%d expressions in %d panels", count, len(dashboard.Panels))
	}
}

// A fault is found in each expression that does not fit the service.
func TestFaultsOfExpressionsAreFound(t *testing.T) {
	exported := exportedMetrics(t)
	for expression, want := range map[string]string{
		`flightdesk_database_up == 0`: "",
		`sum by (status) (rate(flightdesk_http_request_duration_seconds_count{status=~"5.."}[5m]))`: "",
		`flightdesk_nothing > 0`:                                    "no metric flightdesk_nothing",
		`flightdesk_http_request_duration_seconds > 1`:              "is a histogram",
		`rate(flightdesk_database_up[5m])`:                          "not a counter",
		`flightdesk_request_log_total{outcome="dropped"}`:           "no label outcome",
		`flightdesk_request_log_total{result="lost"}`:               `result is never "lost"`,
		`sum by (route) (rate(flightdesk_storage_full_total[5m]))`:  "no label route",
		`max(flightdesk_schema_version`:                             "brackets",
		`maximum(flightdesk_schema_version)`:                        "maximum is not a function",
		`increase(flightdesk_storage_full_total[five minutes]) > 0`: "five minutes",
		`increase(flightdesk_storage_full_total) > 0`:               "needs a range",
	} {
		got := strings.Join(expressionFaults(expression, exported), "; ")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
	if summaryFault("{{ $labels.instance }} is away", "max(flightdesk_schema_version) > 1") == "" {
		t.Error("an aggregate has no instance, but a summary with one has no fault")
	}
}

// exportedMetrics returns the metrics of a running service by name, including the metrics of a shared
// database.
func exportedMetrics(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	b := newBench(t)
	b.place(b.alice)
	text := b.call("GET", "/metrics", "", nil).raw
	parser := expfmt.NewTextParser(model.UTF8Validation)
	exported, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	shared, err := server.GatherPoolMetrics()
	if err != nil || len(shared) == 0 {
		t.Fatalf("metrics of a shared database: %d, %v", len(shared), err)
	}
	for _, family := range shared {
		exported[family.GetName()] = family
	}
	return exported
}

// The parts of an expression that are checked.
var (
	promSelector  = regexp.MustCompile(`\b(up|flightdesk_[a-z_]+)(?:\{([^}]*)\})?(\[[^\]]*\])?`)
	promMatcher   = regexp.MustCompile(`([a-z_]+)\s*(=~|!~|!=|=)\s*"([^"]*)"`)
	promGrouping  = regexp.MustCompile(`\b(?:by|without)\s*\(([^)]*)\)`)
	promCall      = regexp.MustCompile(`\b([a-z_]+)\s*\(`)
	promAggregate = regexp.MustCompile(`\b(?:sum|min|max|avg|count)\s*(by\s*\([^)]*\))?\s*\(`)
	promQuoted    = regexp.MustCompile(`"[^"]*"`)
)

// promFunctions are the functions, aggregations and keywords before a bracket that the examples use.
var promFunctions = []string{"rate", "increase", "sum", "min", "max", "abs", "topk", "histogram_quantile", "by"}

// targetLabels are the labels that Prometheus adds to each metric.
var targetLabels = []string{"instance", "job"}

// expressionFaults returns what is wrong with an expression for a service with these metrics.
func expressionFaults(expression string, exported map[string]*dto.MetricFamily) []string {
	var faults []string
	plain := promQuoted.ReplaceAllString(expression, `""`)
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(plain, pair[:1]) != strings.Count(plain, pair[1:]) {
			faults = append(faults, "brackets "+pair+" are not balanced")
		}
	}
	for _, call := range promCall.FindAllStringSubmatch(plain, -1) {
		if !slices.Contains(promFunctions, call[1]) {
			faults = append(faults, call[1]+" is not a function of the list in this test")
		}
	}
	known := slices.Clone(targetLabels)
	for _, at := range promSelector.FindAllStringSubmatchIndex(expression, -1) {
		part := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return expression[at[2*i]:at[2*i+1]]
		}
		if part(1) == "up" {
			continue
		}
		labels, found := selectorFaults(part(1), part(2), exported)
		known = append(known, labels...)
		faults = append(faults, found...)
		if len(found) == 0 {
			faults = append(faults, rangeFaults(expression[:at[0]], part(1), part(3), exported)...)
		}
	}
	for _, grouping := range promGrouping.FindAllStringSubmatch(expression, -1) {
		for label := range strings.SplitSeq(grouping[1], ",") {
			if label = strings.TrimSpace(label); !slices.Contains(known, label) {
				faults = append(faults, "no label "+label)
			}
		}
	}
	return faults
}

// selectorFaults returns the labels of a metric, and what is wrong with its name and the matchers of
// its labels.
func selectorFaults(name, matchers string, exported map[string]*dto.MetricFamily) (labels, faults []string) {
	base := strings.TrimSuffix(strings.TrimSuffix(name, "_count"), "_bucket")
	family := exported[base]
	if family == nil {
		return nil, []string{"no metric " + name}
	}
	isHistogram := family.GetType() == dto.MetricType_HISTOGRAM
	if isHistogram == (base == name) {
		return nil, []string{base + " is a histogram, or has no parts"}
	}
	if strings.HasSuffix(name, "_bucket") {
		labels = append(labels, "le")
	}
	values := map[string][]string{}
	for _, metric := range family.GetMetric() {
		for _, label := range metric.GetLabel() {
			values[label.GetName()] = append(values[label.GetName()], label.GetValue())
		}
	}
	for label := range values {
		labels = append(labels, label)
	}
	for _, matcher := range promMatcher.FindAllStringSubmatch(matchers, -1) {
		label, operator, value := matcher[1], matcher[2], matcher[3]
		if slices.Contains(targetLabels, label) {
			continue
		}
		if values[label] == nil {
			faults = append(faults, "no label "+label)
		} else if operator == "=" && !slices.Contains(values[label], value) {
			faults = append(faults, label+` is never "`+value+`"`)
		}
	}
	return labels, faults
}

// rangeFaults returns what is wrong with the range of a metric in an expression. before is the
// expression in front of the metric.
func rangeFaults(before, name, window string, exported map[string]*dto.MetricFamily) []string {
	before = strings.TrimSpace(before)
	isRate := strings.HasSuffix(before, "rate(") || strings.HasSuffix(before, "increase(")
	if !isRate {
		if window != "" {
			return []string{name + " has a range, but no rate"}
		}
		return nil
	}
	family := exported[name]
	if family != nil && family.GetType() != dto.MetricType_COUNTER {
		return []string{name + " is not a counter"}
	}
	if window == "" {
		return []string{name + " needs a range"}
	}
	if _, err := model.ParseDuration(strings.Trim(window, "[]")); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// summaryFault returns what is wrong with the summary of an alert, or "".
func summaryFault(summary, expression string) string {
	parsed, err := texttemplate.New("summary").Option("missingkey=error").
		Parse(`{{ $labels := .Labels }}{{ $value := .Value }}` + summary)
	if err != nil {
		return err.Error()
	}
	labels := map[string]string{"instance": "desk-1"}
	for _, aggregate := range promAggregate.FindAllStringSubmatch(expression, -1) {
		if !strings.Contains(aggregate[1], "instance") {
			labels = map[string]string{}
		}
	}
	var shown strings.Builder
	err = parsed.Execute(&shown, map[string]any{"Labels": labels, "Value": 31.5})
	if err != nil {
		return err.Error()
	}
	if shown.Len() == 0 {
		return "empty"
	}
	return ""
}
