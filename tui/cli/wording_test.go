package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// translated matches phrases that are grammatical but that nobody writes, and terms for which this
// program has another word.
var translated = regexp.MustCompile(`(?i)\b(anew|read again|as it is|as it came|of (its|one's|your|their) own|(is|are|was|were) told|tells?|stands|lies|looks whether|has left|leaves|takes|is no [a-z]+ like|there (is|are) no|may not|goes on|go on|comes? back|so that|so many|by hand|by itself|put (away|aside)|turn(ed|s)? down|no way back|gone with|what (was|moved)|pilots?|document of the permission|second generation|2nd address|both ends|trials|live feed|workbench|desk|held|gaps?|missed|story|stories)\b|, too\b`)

// legitimate are correct uses of such phrases, with the reason.
var legitimate = map[string]string{
	"leaves open":     "of a specification",
	"leaves them out": "what an option does to sites",
	"live feed":       "a key of what is kept, which nobody reads",
	"desk looked at":  "a key of what is kept, which nobody reads",
}

// named matches keys of settings, names of pictures and addresses, which are not translated phrases.
var named = regexp.MustCompile("`[^`]*`|<[^>]*>|\\S+\\.example\\S*|login desk\\.|pass show desk")

// query matches the beginning of an SQL statement, which is not a text for people.
var query = regexp.MustCompile(`^\s*\(?(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|ALTER|CASE|ORDER BY|WHERE|AND|SET)\b`)

// The texts of the program, the API description and the documents follow the editorial standard.
func TestTextsAreWrittenInPlainEnglish(t *testing.T) {
	used := map[string]bool{}
	check := func(where, text string) {
		for _, found := range translated.FindAllString(named.ReplaceAllString(text, ""), -1) {
			if phrase := exempt(text, found); phrase != "" {
				used[phrase] = true
				continue
			}
			t.Errorf("%s uses %q: %q", where, found, text)
		}
	}
	eachText(t, check)
	for phrase := range legitimate {
		if !used[phrase] {
			t.Errorf("the exception %q is not needed", phrase)
		}
	}
}

// exempt returns the exception that allows a phrase in a text, or "".
func exempt(text, found string) string {
	for phrase := range legitimate {
		if strings.Contains(phrase, found) && strings.Contains(text, phrase) {
			return phrase
		}
	}
	return ""
}

// eachText calls check with the literals of several words in the code except tests, the descriptions
// of the API and the lines of the documents.
func eachText(t *testing.T, check func(where, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		where, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != root || slices.Contains([]string{"testdata", "gen", "demodata", "tuitest", "storetest"}, entry.Name())):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			return eachLiteral(path, func(line int, text string) { check(where+":"+strconv.Itoa(line), text) })
		case strings.HasSuffix(path, ".tsv"):
			return eachLine(path, func(line int, text string) {
				for field := range strings.SplitSeq(text, "\t") {
					if strings.Contains(field, " ") {
						check(where+":"+strconv.Itoa(line), field)
					}
				}
			})
		case strings.HasSuffix(path, ".md") || strings.HasSuffix(path, "openapi.yaml") || strings.HasSuffix(path, "operations.json"):
			return eachLine(path, func(line int, text string) { check(where+":"+strconv.Itoa(line), text) })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func eachLiteral(path string, check func(line int, text string)) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind == token.STRING && err == nil && strings.Contains(strings.TrimSpace(text), " ") && !query.MatchString(text) {
				check(set.Position(n.Pos()).Line, text)
			}
		}
		return true
	})
	return nil
}

// eachLine calls check with the lines of a document, except lines for typing.
func eachLine(path string, check func(line int, text string)) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	typed := false
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			typed = !typed
		} else if !typed {
			check(i+1, strings.TrimSpace(line))
		}
	}
	return nil
}
