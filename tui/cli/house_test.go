package cli

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pkg is the information of go list about a package.
type pkg struct {
	ImportPath string
	Dir        string
	Doc        string // beginning of the package comment
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,GoFiles,Imports", "flightdesk/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 20 {
		t.Fatalf("only %d packages are listed", len(all))
	}
	return all
}

// within reports whether a package is one of the folders or below it. A folder that ends in $ does
// not include packages below it.
func within(path string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		alone, isAlone := strings.CutSuffix("flightdesk/"+f, "$")
		return path == alone || !isAlone && strings.HasPrefix(path, alone+"/")
	})
}

// leaves are packages that import no other package of the project, and that every package can
// import.
var leaves = []string{"config/atomicfile"}

// Imports have one direction: the command line and the pages import the application, which imports
// the client and the files but nothing of the screen; the client imports nothing else of the
// project.
func TestImportsPointOneWay(t *testing.T) {
	allowed := []struct {
		folder string
		may    []string
	}{
		{"tui/cli", []string{
			"tui$", "tui/sshserver", "tui/app", "tui/action", "tui/format", "tui/theme", "tui/widget/picture$", "api", "config", "kmlcsv",
		}},
		{"tui/app/changes", []string{"api$", "config/atomicfile"}},
		{"tui/app/ordering", []string{"tui/app/cache", "tui/app/changes", "tui/format", "api$", "kmlcsv", "config"}},
		{"tui/widget/geomap", []string{"kmlcsv", "tui/format", "tui/theme"}},
		{"tui/widget", []string{"tui/widget", "tui/format", "tui/theme", "tui/app/columns"}},
		{"tui/action", nil},
		{"tui/page$", []string{"tui/app", "tui/action", "tui/format", "tui/theme", "tui/widget", "api$", "api/ops$", "api/fetch$"}},
		{"tui/format", []string{"api$"}},
		{"tui/theme", []string{"tui/format"}},
		{"tui/app", []string{"tui/app", "tui/format", "api$", "api/ops$", "api/fetch$", "kmlcsv", "config"}},
		{"tui/tuitest", []string{"tui/action", "tui/theme"}},
		{"tui/apptest", []string{"tui", "api", "kmlcsv"}},
		{"tui", []string{"tui", "api$", "api/ops$", "api/fetch$", "kmlcsv"}},
		{"api/server/internal/store", []string{"api$", "api/ops$", "api/server/internal/store"}},
		{"api/server/internal/domain", []string{"api$", "api/ops$", "api/server/internal/domain", "api/server/internal/store"}},
		{"api/server", []string{"api", "kmlcsv"}},
		{"api/fetch", []string{"api$", "api/fetch$", "api/internal"}},
		{"api/ops", []string{"api$"}},
		{"api", []string{"api/internal"}},
		{"api/standin", nil},
		{"config/atomicfile", nil},
		{"config", nil},
		{"kmlcsv", []string{"kmlcsv"}},
		{"screenshots", []string{"tui", "api", "kmlcsv"}},
	}
	for _, p := range packages(t) {
		for _, rule := range allowed {
			if !within(p.ImportPath, rule.folder) {
				continue
			}
			for _, imp := range p.Imports {
				if strings.HasPrefix(imp, "flightdesk/") && !within(imp, rule.may...) && !within(imp, leaves...) {
					t.Errorf("%s imports %s, which %s may not", p.ImportPath, imp, rule.folder)
				}
			}
			break
		}
	}
}

// Commands of a client reach the service only through its API, and draw no screen.
func TestCommandsImportNeitherServerNorScreen(t *testing.T) {
	may := strings.Fields("app.go backup.go cli.go demo.go localservice.go serve.go servebanner.go ssh.go")
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			if !within(p.ImportPath, "tui/cli") || slices.Contains(may, name) {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, imp := range file.Imports {
				if within(strings.Trim(imp.Path.Value, `"`), "api/server", "tui$", "tui/sshserver") {
					t.Errorf("%s imports %s", name, imp.Path.Value)
				}
			}
		}
	}
}

// Packages with state, rules and labels do not draw, because the command line uses them too.
func TestStateAndRulesDoNotImportTheTerminalPackages(t *testing.T) {
	for _, p := range packages(t) {
		if !within(p.ImportPath, "tui/app", "tui/format") {
			continue
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, "charm.land/") {
				t.Errorf("%s imports %s", p.ImportPath, imp)
			}
		}
	}
}

// The terminal program does not import unsafe.
func TestTheTerminalProgramDoesNotImportUnsafe(t *testing.T) {
	for _, p := range packages(t) {
		if within(p.ImportPath, "tui") && slices.Contains(p.Imports, "unsafe") {
			t.Errorf("%s imports unsafe", p.ImportPath)
		}
	}
}

// A panic in an unguarded goroutine ends the process and leaves the terminal in raw mode.
func TestGoroutinesOfTheTerminalProgramAreGuarded(t *testing.T) {
	for _, p := range packages(t) {
		if !within(p.ImportPath, "tui") {
			continue
		}
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s: begin it with api.Go", files.Position(n.Pos()))
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "sync" && n.Sel.Name == "WaitGroup" {
						t.Errorf("%s: take a api.Group", files.Position(n.Pos()))
					}
				}
				return true
			})
		}
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	for _, p := range packages(t) {
		if p.Doc == "" && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}
