package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Handlers translate requests and responses, and the domain makes the decisions, so handlers do not
// use the store. No type has too many methods.
func TestHandlersReachTheStoreThroughTheDomain(t *testing.T) {
	const most = 70
	handlers := map[string]bool{"handlerBase": true, "publicHandlers": true, "legacyHandlers": true, "operationsHandlers": true, "fileUploads": true, "testControls": true}
	methods := map[string]int{}
	for _, f := range parsedFiles(t) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			name := receiverOf(fn)
			methods[name]++
			if !handlers[name] {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, _ := s.X.(*ast.SelectorExpr)
				if s.Sel.Name == "store" || s.Sel.Name == "Store" && of != nil && of.Sel.Name == "domain" {
					t.Errorf("%s.%s reaches the store past the domain", name, fn.Name.Name)
				}
				return true
			})
		}
	}
	for name := range handlers {
		if methods[name] == 0 {
			t.Errorf("there is no handler type %s", name)
		}
	}
	for name, n := range methods {
		if n > most {
			t.Errorf("%s has %d methods; more than %d belong to several types", name, n, most)
		}
	}
}

func parsedFiles(t *testing.T) []*ast.File {
	var files []*ast.File
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func receiverOf(fn *ast.FuncDecl) string {
	recv := fn.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = star.X
	}
	if id, ok := recv.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
