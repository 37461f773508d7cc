// Mutants measures how many small faults the tests notice. It compiles a sample of
// faults into a package, each switched on by a variable of the environment, and runs the
// package's tests, and those of the packages above it, once for each fault:
//
//	go run ./.ci/mutants -n 25 -above ./api/server ./api/server/internal/domain
//
// What nobody notices is printed with its place.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// switchVariable names the fault that is on.
const switchVariable = "FLIGHTDESK_MUTANT"

// mutant is a fault in a source file.
type mutant struct {
	at   token.Position
	what string
	make func(id int) // changes the syntax tree
}

func main() {
	log.SetFlags(0)
	many := flag.Int("n", 25, "faults in a package")
	seed := flag.Uint64("seed", 1, "of the sample")
	above := flag.String("above", "", "packages, with commas, whose tests are run where its own notice nothing")
	limit := flag.Duration("timeout", 2*time.Minute, "for the tests of a package; longer is noticed")
	flag.Parse()
	killed, all := 0, 0
	for _, dir := range flag.Args() {
		k, n, err := measurePackage(dir, *many, *seed, *above, *limit)
		if err != nil {
			log.Fatalf("%s: %v", dir, err)
		}
		fmt.Printf("%s: %d of %d noticed\n", dir, k, n)
		killed, all = killed+k, all+n
	}
	fmt.Printf("%d of %d noticed, %.0f %%\n", killed, all, 100*float64(killed)/float64(max(1, all)))
}

// measurePackage returns how many of a sample of faults are noticed.
func measurePackage(dir string, many int, seed uint64, above string, limit time.Duration) (killed, n int, err error) {
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(work)
	sample, overlay, err := plantFaults(dir, work, many, seed)
	if err != nil {
		return 0, 0, err
	}
	var programs []testProgram
	for _, p := range append([]string{dir}, strings.FieldsFunc(above, func(r rune) bool { return r == ',' })...) {
		program := testProgram{filepath.Join(work, strings.ReplaceAll(filepath.ToSlash(p), "/", "_")+".test"), p}
		out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program.path, p).CombinedOutput()
		if err != nil {
			return 0, 0, fmt.Errorf("go test -c %s: %w\n%s", p, err, out)
		}
		if _, err := os.Stat(program.path); err == nil { // else it has no tests
			programs = append(programs, program)
		}
	}
	for _, p := range programs {
		if p.notices(0, limit) {
			return 0, 0, fmt.Errorf("the tests of %s fail without a fault", p.dir)
		}
	}
	for id, m := range sample {
		if slices.ContainsFunc(programs, func(p testProgram) bool { return p.notices(id+1, limit) }) {
			killed++
		} else {
			fmt.Printf("%s:%d: %s\n", m.at.Filename, m.at.Line, m.what)
		}
	}
	return killed, len(sample), nil
}

// testProgram is the compiled tests of a package.
type testProgram struct{ path, dir string }

// notices reports whether the tests fail, or take too long, with a fault.
func (p testProgram) notices(id int, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, "-test.failfast", "-test.short")
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", switchVariable, id))
	cmd.WaitDelay = time.Second
	return cmd.Run() != nil
}

// plantFaults writes the sources of a package with faults into a folder, and the file
// that has the go command use them.
func plantFaults(dir, work string, many int, seed uint64) (sample []mutant, overlay string, err error) {
	files := token.NewFileSet()
	isProduct := func(f os.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(files, dir, isProduct, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, "", err
	}
	var all []mutant
	trees, name := map[string]*ast.File{}, ""
	for _, p := range packages {
		for path, tree := range p.Files {
			if isForThisSystem(path, tree) {
				trees[path], name = tree, p.Name
				all = append(all, findFaults(files, tree)...)
			}
		}
	}
	slices.SortFunc(all, func(a, b mutant) int {
		if c := strings.Compare(a.at.Filename, b.at.Filename); c != 0 {
			return c
		}
		return a.at.Offset - b.at.Offset
	})
	rand.New(rand.NewPCG(seed, seed)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	sample = all[:min(many, len(all))]
	for id, m := range sample {
		m.make(id + 1)
	}
	replace := map[string]string{}
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
			return nil, "", err
		}
		if err := write(path, text.Bytes()); err != nil {
			return nil, "", err
		}
	}
	text := fmt.Sprintf(switches, name, switchVariable)
	if err := write(filepath.Join(dir, "mutants_switches.go"), []byte(text)); err != nil {
		return nil, "", err
	}
	named, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay = filepath.Join(work, "overlay.json")
	return sample, overlay, os.WriteFile(overlay, named, 0o600)
}

// switches is what the changed sources call.
const switches = `package %s

import "os"

var mutantOn = os.Getenv(%q)

func isMutant(id string) bool { return mutantOn == id }

func mutantBool(id string, is, other bool) bool {
	if mutantOn == id {
		return other
	}
	return is
}
`

// isForThisSystem reports whether a file is compiled here without tags, and has no
// directives that would be lost with its comments.
func isForThisSystem(path string, tree *ast.File) bool {
	for _, suffix := range []string{"_windows.go", "_darwin.go", "_bsd.go", "_other.go", "_unix.go", "_linux.go"} {
		if strings.HasSuffix(path, suffix) {
			return false
		}
	}
	for _, g := range tree.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:") {
				return false
			}
		}
	}
	return true
}

// findFaults lists what could be changed in a file: comparisons are negated or shifted,
// and becomes or, calls and assignments are left out.
func findFaults(files *token.FileSet, tree *ast.File) (all []mutant) {
	add := func(at token.Pos, what string, do func(id int)) {
		all = append(all, mutant{files.Position(at), what, do})
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.BinaryExpr:
			if other, is := shifted[n.Op]; is && isPlain(n.X) && isPlain(n.Y) {
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
			addStatements(n.List, add)
		case *ast.CaseClause:
			addStatements(n.Body, add)
		}
		return true
	})
	return all
}

// addStatements adds the calls and assignments that can be left out.
func addStatements(list []ast.Stmt, add func(token.Pos, string, func(id int))) {
	for i, s := range list {
		what := ""
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
