//go:build unix

package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api/server"
)

// typedIn are the documents with commands for people to type.
var typedIn = []string{
	"README.md", "CONTRIBUTING.md", "tui/README.md", "tui/cli/README.md",
	"tui/guides/first-order.md", "tui/guides/support.md", "tui/guides/training.md", "tui/guides/running.md",
}

// commandsOf returns the commands in the blocks of a document, without comments.
func commandsOf(text string) (all []string) {
	for _, block := range blocks(text, "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, "  #")
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				all = append(all, line)
			}
		}
	}
	return all
}

// desktop is a folder in which commands run: with survey files, and with an order.toml and a
// configuration as the documents show them. It has a running service.
type desktop struct {
	dir     string
	vars    []string
	service *server.Server
}

func newDesktop(t *testing.T) *desktop {
	t.Helper()
	d := &desktop{dir: t.TempDir(), service: &server.Server{Demo: true}}
	if err := d.service.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.service.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := d.service.Listen(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(d.dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"flightdesk", "curl"} {
		if err := os.Symlink(self, filepath.Join(bin, program)); err != nil {
			t.Fatal(err)
		}
	}
	surveys := filepath.Join(root, "api", "server", "internal", "demodata", "surveys")
	for name, from := range map[string]string{"sites.kml": "harbour.kml", "sites.csv": "masts.csv", "sites.kmz": "harbour.kml"} {
		data, err := os.ReadFile(filepath.Join(surveys, from))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".kmz" {
			data = zipped(t, data)
		}
		d.write(t, name, string(data))
	}
	d.vars = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FLIGHTDESK_") }),
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+d.dir, "XDG_CONFIG_HOME="+d.dir, "XDG_STATE_HOME="+d.dir, "XDG_DATA_HOME="+d.dir,
		"FLIGHTDESK_BASE_URL="+d.service.BaseURL(), "FLIGHTDESK_LEGACY_BASE_URL="+d.service.LegacyURL(), "FLIGHTDESK_API_KEY="+d.service.Accounts()[0].Key,
		"FLIGHTDESK_OPS_URL="+d.service.OpsURL(), "FLIGHTDESK_OPS_KEY="+d.service.OpsKey)
	return d
}

// zipped returns a KML file as KMZ.
func zipped(t *testing.T, kml []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("doc.kml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(kml); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (d *desktop) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// types runs a line in a shell.
func (d *desktop) types(t *testing.T, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = d.dir, d.vars
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v\n%s", line, err, errs.String())
	} else if out.Len() == 0 {
		t.Errorf("%s says nothing", line)
	}
}

// Every command in the documents is run, except for the commands that run these tests.
func TestCommandsOfTheDocumentsWork(t *testing.T) {
	t.Parallel()
	docs, d := documents(t), newDesktop(t)
	for _, block := range blocks(docs["tui/cli/README.md"], "toml") {
		if strings.HasPrefix(block, "# order.toml") {
			d.write(t, "order.toml", block)
		}
	}
	special := map[string]func(*testing.T, string){
		"go run . demo":           playsDemo,
		"flightdesk serve --demo": d.serves,
		"go install .":            d.installs,
		"go test ":                namesTests,
		".ci/":                    isThere,
		"go build ./...":          runsWithThis,
		"go run ./screenshots":    runsWithThis,
		"export KEY=":             d.exports,
		"flightdesk login":        d.logsIn,
		"flightdesk check":        d.checks,
	}
	for _, file := range typedIn {
		for _, line := range commandsOf(docs[file]) {
			t.Run(file+": "+line, func(t *testing.T) {
				for begin, run := range special {
					if strings.HasPrefix(line, begin) {
						run(t, line)
						return
					}
				}
				line = strings.ReplaceAll(line, "http://127.0.0.1:8080", strings.TrimSuffix(d.service.BaseURL(), server.PublicPath))
				d.types(t, line)
			})
		}
	}
}

// exports sets the variable of the key that a service printed.
func (d *desktop) exports(t *testing.T, line string) {
	if !strings.HasPrefix(line, "export KEY=fd_test_") || !strings.HasPrefix(d.service.Accounts()[0].Key, "fd_test_") {
		t.Errorf("%q is no key as the service prints it: %q", line, d.service.Accounts()[0].Key)
	}
	d.vars = append(d.vars, "KEY="+d.service.Accounts()[0].Key)
}

// checks runs a check that finds the problems of the demo's delivery, which its exit status says.
func (d *desktop) checks(t *testing.T, line string) {
	d.types(t, "out=$("+line+"); test $? -eq 1 && echo \"$out\" | grep ' delivered for Block A$'")
}

// logsIn adds a profile for operations, with the key on standard input.
func (d *desktop) logsIn(t *testing.T, line string) {
	line = strings.ReplaceAll(line, "desk.example", strings.TrimSuffix(d.service.BaseURL(), server.PublicPath)+" --name desk")
	d.types(t, "echo $FLIGHTDESK_OPS_KEY | "+line)
}

// serves starts the service and waits for its first output.
func (d *desktop) serves(t *testing.T, line string) {
	x := inTerminal(t, nil, append(strings.Fields(line)[1:], "--addr", "127.0.0.1:0")...)
	x.sees("curl -H")
	if err := x.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case <-x.ended:
	case <-time.After(patience):
		t.Error("an interrupt does not end it")
	}
}

// playsDemo runs the demo in a terminal, with the command for a clone of the repository.
func playsDemo(t *testing.T, line string) {
	folder, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	caches, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOPATH", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	of := strings.Fields(string(caches))
	vars := append(os.Environ(), "GOCACHE="+of[0], "GOPATH="+of[1], "GOMODCACHE="+of[2])
	words := strings.Fields(line)
	program, err := exec.LookPath(words[0])
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), program, "build", "-o", os.DevNull, ".") // can take longer than patience
	build.Dir, build.Env = folder, vars
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	x := programInTerminal(t, &exec.Cmd{Path: program, Args: words, Dir: folder, Env: vars})
	x.sees("ORD-1")
	x.keys("q")
	x.ends(exitDone)
}

// installs builds the program into a folder of the test.
func (d *desktop) installs(t *testing.T, line string) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOBIN="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(strings.TrimPrefix(cmd.Env[len(cmd.Env)-1], "GOBIN="), "flightdesk")
	if out, err := exec.CommandContext(t.Context(), program, "version").Output(); err != nil || !bytes.HasPrefix(out, []byte("flightdesk ")) {
		t.Errorf("the program says %q, %v", out, err)
	}
}

var testNames = regexp.MustCompile(`-(?:run|fuzz) '?([^' ]+)'?`)

// namesTests checks that the tests exist that a command names. It does not run them.
func namesTests(t *testing.T, line string) {
	folder := strings.TrimSuffix(line[strings.LastIndex(line, " ")+1:], "/...")
	if folder == "-update" {
		folder = "./tui"
	}
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if folder != "." && (err != nil || len(files) == 0) {
		t.Errorf("there are no tests in %s", folder)
	}
	var source strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	for _, m := range testNames.FindAllStringSubmatch(line, -1) {
		if m[1] == "^$" {
			continue // no other tests run
		}
		name := regexp.MustCompile(`(?m)^func (\w*` + strings.Trim(m[1], "^$") + `\w*)\(`)
		if !name.MatchString(source.String()) {
			t.Errorf("%s has no test %s", folder, m[1])
		}
	}
}

// isThere checks that a script exists and is executable.
func isThere(t *testing.T, line string) {
	info, err := os.Stat(filepath.Join(root, strings.Fields(line)[0]))
	if err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%s cannot be run: %v", line, err)
	}
}

// runsWithThis is for commands that other tests run.
func runsWithThis(t *testing.T, line string) {
	if folder := strings.Fields(line)[2]; folder != "./..." {
		if _, err := os.Stat(filepath.Join(root, folder, "main_test.go")); err != nil {
			t.Error(err)
		}
	}
}

// The configurations in the documents are valid, except for the keys, which only readers have.
func TestConfigurationsOfTheDocumentsAreValid(t *testing.T) {
	docs, seen := documents(t), 0
	for _, file := range typedIn {
		for _, block := range blocks(docs[file], "toml") {
			if strings.HasPrefix(block, "# order.toml") {
				continue
			}
			seen++
			d := newDesktop(t)
			d.write(t, "config.toml", block)
			d.vars = append(d.vars, "SURVEY_API_KEY="+d.service.Accounts()[0].Key, "FLIGHTDESK_CONFIG="+filepath.Join(d.dir, "config.toml"))
			d.types(t, "flightdesk config check")
		}
	}
	if seen < 2 {
		t.Errorf("only %d configurations are shown", seen)
	}
}
