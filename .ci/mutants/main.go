// Mutants measures how many small faults the tests notice. It compiles a sample of
// faults into packages, each switched on by a variable of the environment, and runs the
// tests of the package once for each fault; for what these do not notice, those tests of
// the packages above that come to its place:
//
//	go run ./.ci/mutants -n 25 -above ./api/server ./api/server/internal/domain
//
// What nobody notices is printed with its place.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// switchVariable names the fault that is on, reachedVariable a file for those that are
// come to.
const (
	switchVariable  = "FLIGHTDESK_MUTANT"
	reachedVariable = "FLIGHTDESK_MUTANTS_REACHED"
)

// mutant is a fault in a source file.
type mutant struct {
	at   token.Position
	what string
	make func(id int) // changes the syntax tree
	dir  string
	id   int
}

// String returns the place of a fault and what it is.
func (m mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.at.Filename, m.at.Line, m.what) }

func main() {
	log.SetFlags(0)
	many := flag.Int("n", 25, "faults in a package")
	seed := flag.Uint64("seed", 1, "of the sample")
	above := flag.String("above", "", "packages, with commas, whose tests are run where the own ones notice nothing")
	slow := flag.Duration("slow", 20*time.Second, "tests of the packages above that take longer are left out")
	flag.Func("tags", "build tags of the tests, as of go test", func(tags string) error {
		build.Default.BuildTags = strings.Split(tags, ",")
		return os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -tags="+tags)
	})
	flag.Parse()
	log.SetOutput(os.Stdout)
	higher := strings.FieldsFunc(*above, func(r rune) bool { return r == ',' })
	if err := measure(flag.Args(), higher, *many, *seed, *slow); err != nil {
		log.Fatal(err)
	}
}

// measure prints how many of a sample of faults in packages are noticed.
func measure(dirs, above []string, many int, seed uint64, slow time.Duration) error {
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	overlay := filepath.Join(work, "overlay.json")
	sample, err := plantAll(dirs, work, overlay, many, seed)
	if err != nil {
		return err
	}
	left := slices.Clone(sample)
	for _, dir := range dirs {
		p, err := compileTests(dir, work, overlay)
		if err != nil {
			return err
		}
		begun := time.Now()
		if p.notices(0, "", time.Hour) {
			return fmt.Errorf("the tests of %s fail without a fault", dir)
		}
		limit := patience(time.Since(begun))
		left = slices.DeleteFunc(left, func(m mutant) bool {
			is := m.dir == dir
			noticed := is && p.notices(m.id, "", limit)
			if is && !noticed {
				log.Printf("not by its own tests: %v", m)
			}
			return noticed
		})
		printScore(dir+", own tests", inDir(sample, dir), inDir(left, dir))
	}
	for _, dir := range above {
		p, err := compileTests(dir, work, overlay)
		if err != nil {
			return err
		}
		reach := p.findReach(work, slow)
		left = slices.DeleteFunc(left, func(m mutant) bool {
			r := reach[m.id]
			return r != nil && p.notices(m.id, "^("+strings.Join(r.tests, "|")+")$", patience(r.took))
		})
	}
	for _, dir := range dirs {
		for _, m := range inDir(left, dir) {
			log.Print(m)
		}
		printScore(dir, inDir(sample, dir), inDir(left, dir))
	}
	printScore("all", sample, left)
	return nil
}

// patience is how long tests may run that usually take so long; with what takes longer
// they hang.
func patience(usual time.Duration) time.Duration { return 10*time.Second + 5*usual }

func inDir(all []mutant, dir string) []mutant {
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return m.dir != dir })
}

func printScore(what string, sample, left []mutant) {
	all := len(sample)
	noticed := all - len(left)
	log.Printf("%s: %d of %d noticed, %.0f %%", what, noticed, all, 100*float64(noticed)/float64(max(1, all)))
}

// testProgram is the compiled tests of a package.
type testProgram struct{ path, dir string }

func compileTests(dir, work, overlay string) (testProgram, error) {
	p := testProgram{filepath.Join(work, strings.ReplaceAll(filepath.ToSlash(dir), "/", "_")+".test"), dir}
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", p.path, dir).CombinedOutput()
	if err != nil {
		return p, fmt.Errorf("go test -c %s: %w\n%s", dir, err, out)
	}
	return p, nil
}

// reachingTests are the tests that come to a fault, and how long they take.
type reachingTests struct {
	tests []string
	took  time.Duration
}

// notices reports whether the tests fail, or take too long, with a fault.
func (p testProgram) notices(id int, tests string, limit time.Duration) bool {
	if _, err := os.Stat(p.path); err != nil { // the package has no tests
		return false
	}
	return p.run(limit, fmt.Sprintf("%s=%d", switchVariable, id), "-test.failfast", "-test.run", tests) != nil
}

func (p testProgram) run(limit time.Duration, variable string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, append(args, "-test.short")...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), variable)
	cmd.WaitDelay = time.Second
	return cmd.Run()
}

// findReach runs each test alone and returns the tests that come to each fault, those
// that take least time first.
func (p testProgram) findReach(work string, slow time.Duration) map[int]*reachingTests {
	list := exec.Command(p.path, "-test.list", "^(Test|Example)")
	list.Dir = p.dir
	names, err := list.Output()
	if err != nil {
		log.Fatal(err)
	}
	type result struct {
		name string
		took time.Duration
		ids  []string
	}
	var results []result
	for _, name := range strings.Fields(string(names)) {
		to, begun := filepath.Join(work, "reached"), time.Now()
		os.Remove(to)
		if err := p.run(slow, reachedVariable+"="+to, "-test.run", "^"+name+"$"); err != nil {
			log.Printf("%s in %s is left out: %v", name, p.dir, err)
			continue
		}
		ids, _ := os.ReadFile(to) // none is no file
		results = append(results, result{name, time.Since(begun), strings.Fields(string(ids))})
	}
	slices.SortFunc(results, func(a, b result) int { return int(a.took - b.took) })
	reach := map[int]*reachingTests{}
	for _, r := range results {
		for _, text := range r.ids {
			id, err := strconv.Atoi(text)
			if err != nil {
				continue // two processes wrote at once
			}
			if reach[id] == nil {
				reach[id] = &reachingTests{}
			}
			if to := reach[id]; !slices.Contains(to.tests, r.name) {
				to.tests, to.took = append(to.tests, r.name), to.took+r.took
			}
		}
	}
	return reach
}

// plantAll writes the sources of packages with faults into a folder, and the file that
// has the go command use them.
func plantAll(dirs []string, work, overlay string, many int, seed uint64) (all []mutant, err error) {
	replace := map[string]string{}
	for i, dir := range dirs {
		to := filepath.Join(work, strconv.Itoa(i))
		if err := os.Mkdir(to, 0o700); err != nil {
			return nil, err
		}
		sample, err := plantFaults(dir, to, replace, many, seed, len(all)+1)
		if err != nil {
			return nil, err
		}
		all = append(all, sample...)
	}
	named, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return all, os.WriteFile(overlay, named, 0o600)
}

// readFaults returns the sources of a package that can be changed, its name and what could
// be changed in them.
func readFaults(files *token.FileSet, dir string) (trees map[string]*ast.File, name string, all []mutant, err error) {
	isProduct := func(f os.FileInfo) bool {
		is, err := build.Default.MatchFile(dir, f.Name())
		return err == nil && is && !strings.HasSuffix(f.Name(), "_test.go")
	}
	packages, err := parser.ParseDir(files, dir, isProduct, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, "", nil, err
	}
	trees = map[string]*ast.File{}
	for _, p := range packages {
		name = p.Name
		info, err := findTypes(files, dir, slices.Collect(maps.Values(p.Files)))
		if err != nil {
			return nil, "", nil, err
		}
		for path, tree := range p.Files {
			source, err := os.ReadFile(path)
			if err != nil {
				return nil, "", nil, err
			}
			if hasDirectives(tree) {
				continue
			}
			trees[path] = tree
			lines := strings.Split(string(source), "\n")
			all = append(all, slices.DeleteFunc(findFaults(files, tree, info), func(m mutant) bool {
				return isEquivalent(m, strings.TrimSpace(lines[m.at.Line-1]))
			})...)
		}
	}
	return trees, name, all, nil
}

// plantFaults writes the sources of a package with faults, numbered from first on, into a
// folder, and notes what they replace.
func plantFaults(
	dir, work string, replace map[string]string, many int, seed uint64, first int,
) (sample []mutant, err error) {
	files := token.NewFileSet()
	trees, name, all, err := readFaults(files, dir)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b mutant) int {
		if c := strings.Compare(a.at.Filename, b.at.Filename); c != 0 {
			return c
		}
		return a.at.Offset - b.at.Offset
	})
	rand.New(rand.NewPCG(seed, seed)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	sample = all[:min(many, len(all))]
	for i := range sample {
		sample[i].dir, sample[i].id = dir, first+i
		sample[i].make(first + i)
	}
	write := func(path string, text []byte) error {
		to := filepath.Join(work, filepath.Base(path))
		full, err := filepath.Abs(path)
		replace[full] = to
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o600)
	}
	for path, tree := range trees {
		tree.Comments = slices.DeleteFunc(tree.Comments, func(c *ast.CommentGroup) bool { return c.Pos() > tree.Package })
		var text bytes.Buffer
		if err := format.Node(&text, files, tree); err != nil {
			return nil, err
		}
		if err := write(path, text.Bytes()); err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf(switches, name, switchVariable, reachedVariable)
	return sample, write(filepath.Join(dir, "mutants_switches.go"), []byte(text))
}

// switches is what the changed sources call.
const switches = `package %s

import (
	"os"
	"sync"
)

var (
	mutantOn       = os.Getenv(%q)
	mutantsFile    = os.Getenv(%q)
	mutantsReached sync.Map
)

func isMutant(id string) bool {
	if mutantsFile != "" {
		if _, before := mutantsReached.LoadOrStore(id, true); !before {
			f, err := os.OpenFile(mutantsFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err == nil {
				f.WriteString(id + "\n")
				f.Close()
			}
		}
	}
	return mutantOn == id
}

func mutantBool(id string, is, other bool) bool {
	if isMutant(id) {
		return other
	}
	return is
}
`

// findTypes returns the types of the expressions in the sources of a package.
func findTypes(files *token.FileSet, dir string, trees []*ast.File) (*types.Info, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", dir)
	compiled, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", dir, err)
	}
	lookup := func(path string) (io.ReadCloser, error) {
		for line := range strings.Lines(string(compiled)) {
			if name, file, _ := strings.Cut(strings.TrimSpace(line), " "); name == path && file != "" {
				return os.Open(file)
			}
		}
		return nil, fmt.Errorf("%s is not compiled", path)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Importer: importer.ForCompiler(files, "gc", lookup)}
	_, err = check.Check(dir, files, trees, info)
	return info, err
}

// hasDirectives reports whether a file has directives, which would be lost with its
// comments.
func hasDirectives(tree *ast.File) bool {
	for _, g := range tree.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:") {
				return true
			}
		}
	}
	return false
}

// equivalent lists faults that change nothing: file, line of code, fault, and why that is
// so.
//
//go:embed equivalent.tsv
var equivalent string

// isEquivalent reports whether a fault in a line of code changes nothing.
func isEquivalent(m mutant, code string) bool {
	row := strings.Join([]string{filepath.ToSlash(filepath.Clean(m.at.Filename)), code, m.what, ""}, "\t")
	return strings.HasPrefix(equivalent, row) || strings.Contains(equivalent, "\n"+row)
}

// isFloat reports whether an expression is a floating-point number: whether the border
// of a comparison belongs to one side makes no difference between two that were computed.
func isFloat(info *types.Info, e ast.Expr) bool {
	basic, is := info.TypeOf(e).Underlying().(*types.Basic)
	return is && basic.Info()&types.IsFloat != 0
}

// isUnseen reports whether a statement does nothing that could be seen but in a log or in
// the memory that is used.
func isUnseen(info *types.Info, s ast.Stmt) (unseen bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		if called, is := call.Fun.(*ast.SelectorExpr); is {
			used := info.Uses[called.Sel]
			inLog := used != nil && used.Pkg() != nil && used.Pkg().Path() == "log/slog"
			unseen = inLog || called.Sel.Name == "Grow"
		}
		return false
	})
	return unseen
}

// findFaults lists what could be changed in a file: comparisons are negated or, but for
// floating-point numbers, shifted, and becomes or, calls and assignments are left out.
func findFaults(files *token.FileSet, tree *ast.File, info *types.Info) (all []mutant) {
	add := func(at token.Pos, what string, do func(id int)) {
		all = append(all, mutant{at: files.Position(at), what: what, make: do})
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.BinaryExpr:
			other, is := shifted[n.Op]
			if negated, ordered := opposite[n.Op]; ordered && isFloat(info, n.X) {
				other = negated
			}
			if is && isPlain(n.X) && isPlain(n.Y) {
				what := n.Op.String() + " is " + other.String()
				if n.Op == token.LAND || n.Op == token.LOR {
					what = "the left side of " + n.Op.String() + " is negated"
				}
				add(n.OpPos, what, func(id int) { switchOperator(n, other, id) })
			}
		case *ast.IfStmt:
			add(n.If, "the condition is negated", func(id int) {
				n.Cond = &ast.BinaryExpr{X: callSwitch(id), Op: token.NEQ, Y: &ast.ParenExpr{X: n.Cond}}
			})
		case *ast.BlockStmt:
			addStatements(n.List, info, add)
		case *ast.CaseClause:
			addStatements(n.Body, info, add)
		}
		return true
	})
	return all
}

// addStatements adds the calls and assignments that can be left out.
func addStatements(list []ast.Stmt, info *types.Info, add func(token.Pos, string, func(id int))) {
	for i, s := range list {
		what := ""
		if isUnseen(info, s) {
			continue
		}
		switch s := s.(type) {
		case *ast.ExprStmt:
			what = "the call is left out"
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				what = "the assignment is left out"
			}
		}
		if what != "" {
			add(s.Pos(), what, func(id int) {
				not := &ast.UnaryExpr{Op: token.NOT, X: callSwitch(id)}
				list[i] = &ast.IfStmt{Cond: not, Body: &ast.BlockStmt{List: []ast.Stmt{s}}}
			})
		}
	}
}

// shifted are operators and what they are mistaken for; of and and or, the left side is
// negated instead.
var shifted = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.ILLEGAL, token.LOR: token.ILLEGAL,
}

// opposite are the operators of order and their negation.
var opposite = map[token.Token]token.Token{
	token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ, token.GEQ: token.LSS,
}

// isPlain reports whether an expression can be written twice: it has no function.
func isPlain(e ast.Expr) bool {
	plain := true
	ast.Inspect(e, func(n ast.Node) bool {
		if _, is := n.(*ast.FuncLit); is {
			plain = false
		}
		return plain
	})
	return plain
}

// switchOperator replaces an operator by one that depends on the switch.
func switchOperator(n *ast.BinaryExpr, other token.Token, id int) {
	if other == token.ILLEGAL {
		left := &ast.ParenExpr{X: n.X}
		n.X = &ast.ParenExpr{X: &ast.BinaryExpr{X: left, Op: token.NEQ, Y: callSwitch(id)}}
		return
	}
	is := &ast.BinaryExpr{X: n.X, Op: n.Op, Y: n.Y}
	not := &ast.BinaryExpr{X: n.X, Op: other, Y: n.Y}
	call := &ast.CallExpr{Fun: ast.NewIdent("mutantBool"), Args: []ast.Expr{idOf(id), is, not}}
	n.X, n.Op, n.Y = call, token.EQL, ast.NewIdent("true")
}

func idOf(id int) ast.Expr {
	return &ast.BasicLit{Kind: token.STRING, Value: fmt.Sprintf("%q", fmt.Sprint(id))}
}

func callSwitch(id int) ast.Expr {
	return &ast.CallExpr{Fun: ast.NewIdent("isMutant"), Args: []ast.Expr{idOf(id)}}
}
