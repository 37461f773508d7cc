// Command speed runs the benchmarks of the working tree and of an earlier commit, and reports every benchmark that
// became more than a tenth slower. The file baseline names the earlier commit. The runs of both trees alternate, so
// that other load of the machine slows both down. The file benchmarks.tsv lists the benchmarks. A benchmark that runs
// for a fixed time has another metric there, which is compared instead of the time.
//
//	go run ./.ci/speed
//
// A benchmark counts as slower if its fastest run and its median run are slower, also in a second comparison with more
// rounds. To accept a slower benchmark, write a later commit into the file baseline, with the reason in the commit
// message.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	tolerated  = 1.10 // times the time of the baseline
	rounds     = 5
	moreRounds = 12 // for a package with benchmarks that seem slower
	benchTime  = "200ms"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	slower, err := compareTrees(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(2)
	}
	if len(slower) > 0 {
		fmt.Printf("\nslower by more than a tenth:\n  %s\n", strings.Join(slower, "\n  "))
		os.Exit(1)
	}
	fmt.Println("\nnothing is slower by more than a tenth")
}

// compareTrees compares all listed benchmarks with the baseline and describes the slower benchmarks.
func compareTrees(ctx context.Context) (slower []string, err error) {
	listed, err := readBenchmarks(".ci/speed/benchmarks.tsv")
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "speed")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	old := filepath.Join(folder, "baseline")
	if err := checkOutBaseline(ctx, old); err != nil {
		return nil, err
	}
	defer func() {
		removal := run(context.WithoutCancel(ctx), ".", "git", "worktree", "remove", "--force", old)
		err = errors.Join(err, removal)
	}()
	for i, b := range listed {
		pair := testPair{
			before: filepath.Join(folder, fmt.Sprintf("before%d", i)),
			after:  filepath.Join(folder, fmt.Sprintf("after%d", i)),
		}
		found, err := pair.compare(ctx, old, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.pkg, err)
		}
		slower = append(slower, found...)
	}
	return slower, nil
}

// checkOutBaseline checks out the commit of the baseline into a new folder.
func checkOutBaseline(ctx context.Context, folder string) error {
	commit, err := os.ReadFile(".ci/speed/baseline")
	if err != nil {
		return err
	}
	err = run(ctx, ".", "git", "worktree", "add", "--detach", folder, strings.TrimSpace(string(commit)))
	if err != nil {
		return fmt.Errorf("the baseline cannot be checked out, fetch the whole history: %w", err)
	}
	return nil
}

// benchmark is a line of the list.
type benchmark struct {
	pkg, pattern string
	unit         string // of the compared metric; less is better
}

func readBenchmarks(file string) (listed []benchmark, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < 2 || len(fields) > 3 {
			return nil, fmt.Errorf("%s: %q is no package, pattern and unit", file, line)
		}
		b := benchmark{pkg: fields[0], pattern: fields[1], unit: "ns/op"}
		if len(fields) == 3 {
			b.unit = fields[2]
		}
		listed = append(listed, b)
	}
	return listed, nil
}

// testPair are the test programs of one package: of the baseline and of the working tree.
type testPair struct{ before, after string }

// compare builds the test programs of both trees, runs their benchmarks, prints the ratios, and describes the slower
// benchmarks. old is the folder of the baseline. A package that the baseline does not have is not compared.
func (p testPair) compare(ctx context.Context, old string, b benchmark) (slower []string, err error) {
	if _, err := os.Stat(filepath.Join(old, b.pkg)); err != nil {
		fmt.Printf("%s: not in the baseline\n", b.pkg)
		return nil, nil
	}
	if err := buildTests(ctx, old, b.pkg, p.before); err != nil {
		return nil, err
	}
	if err := buildTests(ctx, ".", b.pkg, p.after); err != nil {
		return nil, err
	}
	times, err := p.measure(ctx, old, b, rounds)
	if err != nil {
		return nil, err
	}
	if len(times.slower()) > 0 {
		times, err = p.measure(ctx, old, b, moreRounds)
		if err != nil {
			return nil, err
		}
	}
	for _, name := range times.names {
		fmt.Printf("%5.2f  %s %s\n", times.ratio(name), b.pkg, name)
	}
	for _, name := range times.slower() {
		slower = append(slower, fmt.Sprintf("%.2f times as long: %s %s", times.ratio(name), b.pkg, name))
	}
	return slower, nil
}

// buildTests builds the test program of a package of a tree.
func buildTests(ctx context.Context, tree, pkg, program string) error {
	return run(ctx, tree, "go", "test", "-vet=off", "-c", "-o", program, pkg)
}

// measure runs the benchmarks of both programs alternately, as often as rounds. The result has the benchmarks that both
// programs have.
func (p testPair) measure(ctx context.Context, old string, b benchmark, rounds int) (*timings, error) {
	t := &timings{before: map[string][]float64{}, after: map[string][]float64{}}
	for range rounds {
		if err := runBenchmarks(ctx, filepath.Join(old, b.pkg), p.before, b, t.before); err != nil {
			return nil, err
		}
		if err := runBenchmarks(ctx, b.pkg, p.after, b, t.after); err != nil {
			return nil, err
		}
	}
	for name := range t.after {
		if len(t.before[name]) > 0 {
			t.names = append(t.names, name)
		}
	}
	slices.Sort(t.names)
	return t, nil
}

// runBenchmarks runs a test program once and adds the metric of each benchmark to times.
func runBenchmarks(ctx context.Context, folder, program string, b benchmark, times map[string][]float64) error {
	cmd := exec.CommandContext(ctx, program, "-test.run=^$", "-test.bench="+b.pattern, "-test.benchtime="+benchTime)
	cmd.Dir = folder
	output, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(output))
	}
	for name, value := range parseOutput(string(output), b.unit) {
		times[name] = append(times[name], value)
	}
	return nil
}

// parseOutput returns the values with a unit in the output of benchmarks, by the names of the
// benchmarks.
func parseOutput(output, unit string) map[string]float64 {
	values := map[string]float64{}
	lines := bufio.NewScanner(strings.NewReader(output))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		i := slices.Index(fields, unit)
		if i < 1 {
			continue
		}
		value, err := strconv.ParseFloat(fields[i-1], 64)
		if err == nil {
			values[fields[0]] = value
		}
	}
	return values
}

// timings are the times, or another metric, of all runs by the names of benchmarks.
type timings struct {
	names         []string // of the benchmarks that both trees have
	before, after map[string][]float64
}

// ratio returns how many times as long the fastest run takes as in the baseline.
func (t *timings) ratio(name string) float64 {
	return slices.Min(t.after[name]) / slices.Min(t.before[name])
}

// slower returns the benchmarks whose fastest and median runs are both slower.
func (t *timings) slower() (names []string) {
	for _, name := range t.names {
		if t.ratio(name) > tolerated && median(t.after[name]) > tolerated*median(t.before[name]) {
			names = append(names, name)
		}
	}
	return names
}

func median(times []float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

func run(ctx context.Context, folder, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(output))
	}
	return nil
}
