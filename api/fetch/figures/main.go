package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"flightdesk/api/fetch"
)

func main() {
	dir := flag.String("dir", "", "folder to work in; a tmpfs measures the programs, a disk the disk as well")
	rounds := flag.Int("rounds", 3, "runs of each program")
	only := flag.String("only", "", "part of the name of the scenarios to run")
	serve := flag.String("serve", "", "serve this folder (used by the program itself)")
	rate := flag.Int64("rate", 0, "bytes per second of each connection of -serve")
	digests := flag.Bool("digests", false, "have -serve give digests")
	bring := flag.String("fetch", "", "fetch what this address lists (used by the program itself)")
	flag.Parse()
	var err error
	switch {
	case *serve != "":
		err = serveFolder(*serve, *rate, *digests)
	case *bring != "":
		err = fetchAll(*bring, *dir)
	default:
		err = measure(*dir, *rounds, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// scenario is a set of files and the line that they come over.
type scenario struct {
	name  string
	count int
	size  int64
	rate  int64 // bytes per second of each connection; 0 is no bound
	sums  bool  // the server gives digests
	rival []rival
}

// rival is a program with its arguments for a scenario.
type rival struct {
	name  string
	needs string // program that has to be installed
	args  func(base, list, to string) []string
}

func scenarios() []scenario {
	rclone := rival{"rclone --transfers 8", "rclone", func(base, _, to string) []string {
		return []string{"rclone", "copy", "--transfers", "8", "--checkers", "8", "--config", os.DevNull, "--http-url", base, ":http:", to}
	}}
	summed := rival{"rclone, then sha256sum", "rclone", func(base, list, to string) []string {
		copied := strings.Join(rclone.args(base, list, to), "' '")
		return []string{"sh", "-c", "'" + copied + "' && cd '" + to + "' && ls | xargs -P2 -n50 sha256sum > ../sums.txt"}
	}}
	aria := func(name string, more ...string) rival {
		return rival{name, "aria2c", func(_, list, to string) []string {
			return append([]string{"aria2c", "-q", "--allow-overwrite=true", "-d", to, "-i", list}, more...)
		}}
	}
	curl := rival{"curl", "curl", func(base, _, to string) []string {
		return []string{"curl", "-s", "-o", filepath.Join(to, "0000.bin"), base + "0000.bin"}
	}}
	curled := rival{"curl, then sha256sum", "curl", func(base, list, to string) []string {
		return []string{"sh", "-c", "'" + strings.Join(curl.args(base, list, to), "' '") + "' && sha256sum '" + to + "'/* > '" + to + "'/../sums.txt"}
	}}
	return []scenario{
		{"200 files of 5 MB", 200, 5_000_000, 0, false, []rival{rclone, aria("aria2c"), aria("aria2c -j8", "-j8")}},
		{"200 files of 5 MB with digests", 200, 5_000_000, 0, true, []rival{rclone, summed}},
		{"1 file of 2 GB", 1, 2_000_000_000, 0, false, []rival{curl}},
		{"1 file of 2 GB with its digest", 1, 2_000_000_000, 0, true, []rival{curl, curled}},
		{"1 file of 256 MB, 25 MB/s a connection", 1, 256_000_000, 25_000_000, true, []rival{
			curl, aria("aria2c -x4 -s4", "-x4", "-s4", "-k1M"),
		}},
	}
}

// run is what one program took once.
type run struct {
	seconds, cpu float64
	resident     int64 // bytes at most
}

func measure(dir string, rounds int, only string) error {
	work, err := os.MkdirTemp(dir, "figures-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	fmt.Printf("%s, %d cores, %s/%s, medians of %d\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, rounds)
	for _, s := range scenarios() {
		if !strings.Contains(s.name, only) {
			continue
		}
		if err := s.measure(work, rounds); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (s scenario) measure(work string, rounds int) (err error) {
	from := filepath.Join(work, "from")
	if err := makeFiles(from, s.count, s.size); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(from)) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	base, stop, err := startServer(self, from, s.rate, s.sums)
	if err != nil {
		return err
	}
	defer stop()
	list := filepath.Join(work, "list.txt")
	if err := writeList(list, base, s.count); err != nil {
		return err
	}
	programs := append([]rival{{"flightdesk", self, func(base, _, to string) []string {
		return []string{self, "-dir", to, "-fetch", base}
	}}}, s.rival...)
	programs = slices.DeleteFunc(programs, func(p rival) bool {
		_, err := exec.LookPath(p.needs)
		return err != nil
	})
	runs := make([][]run, len(programs))
	for round := range rounds + 1 {
		for k := range programs {
			i := (round + k) % len(programs)
			one, err := once(programs[i], base, list, filepath.Join(work, "to"))
			if err != nil {
				return fmt.Errorf("%s: %w", programs[i].name, err)
			}
			if round > 0 { // the first one finds the machine cold
				runs[i] = append(runs[i], one)
			}
		}
	}
	fmt.Printf("\n%-40s %8s %8s %8s %8s\n", s.name, "MB/s", "ratio", "CPU s", "MB")
	bytes := float64(s.size) * float64(s.count) / 1e6
	ours := middle(runs[0]).seconds
	for i, p := range programs {
		m := middle(runs[i])
		fmt.Printf("  %-38s %8.0f %8.2f %8.2f %8.0f\n", p.name, bytes/m.seconds, m.seconds/ours, m.cpu, float64(m.resident)/1e6)
	}
	return nil
}

func middle(runs []run) run {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.seconds, b.seconds) })
	return runs[len(runs)/2]
}

// once runs a program into an empty folder.
func once(p rival, base, list, to string) (one run, err error) {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(to)) }()
	args := p.args(base, list, to)
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return one, err
	}
	one.seconds = time.Since(began).Seconds()
	state := cmd.ProcessState
	one.cpu = (state.UserTime() + state.SystemTime()).Seconds()
	one.resident = resident(state)
	return one, nil
}

// fetchAll is the downloader as a program.
func fetchAll(base, to string) error {
	files, err := listed(base)
	if err != nil {
		return err
	}
	q, err := fetch.New(fetch.Options{Dir: to})
	if err != nil {
		return err
	}
	defer q.Close()
	if _, err := q.Add(fetch.Package{ID: "figures", Kind: "delivery", Folder: []string{"got"}, Files: files}, 0); err != nil {
		return err
	}
	if err := q.Wait(context.Background()); err != nil {
		return err
	}
	for _, it := range q.Snapshot() {
		if it.State != fetch.Done {
			return fmt.Errorf("%s is %s: %w", it.Name, it.State, it.Err)
		}
	}
	return nil
}
