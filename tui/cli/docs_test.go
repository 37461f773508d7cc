package cli

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// root is the path of the repository's root.
const root = "../.."

// documents returns the Markdown files of the repository, by their paths.
func documents(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && file != "." {
			return cmpErr(err, fs.SkipDir)
		}
		if path.Ext(file) != ".md" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		docs[file] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "api/README.md", "tui/README.md", "tui/cli/README.md", "tui/KEYS.md"} {
		if docs[file] == "" {
			t.Errorf("there is no %s", file)
		}
	}
	return docs
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

var (
	linked = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
)

func TestLinksOfTheDocumentsHaveATarget(t *testing.T) {
	docs, seen := documents(t), 0
	for file, text := range docs {
		for _, m := range linked.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			to := m[1] + m[2]
			if strings.Contains(to, "://") {
				continue // tests use no network
			}
			seen++
			name, anchor, _ := strings.Cut(to, "#")
			target := file
			if name != "" {
				target = path.Join(path.Dir(file), name)
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
					t.Errorf("%s links to %s, which is not there", file, to)
					continue
				}
			}
			if anchor != "" && !slices.Contains(anchors(docs[target]), anchor) {
				t.Errorf("%s links to %s, which has no such heading; it has %q", file, to, anchors(docs[target]))
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d links were found", seen)
	}
}

// anchors returns the anchors of the headings of a document.
func anchors(text string) (all []string) {
	for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
		title, found := strings.CutPrefix(strings.TrimLeft(strings.TrimSpace(line), "#"), " ")
		if !found || !strings.HasPrefix(line, "#") {
			continue
		}
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, title))
	}
	return all
}

// Each picture has a text beside it for readers who cannot see it.
func TestPicturesOfTheDocumentsHaveATextBesideThem(t *testing.T) {
	readme := documents(t)["README.md"]
	image := regexp.MustCompile(`<img ([^>]*)>`)
	pictures := image.FindAllStringSubmatch(readme, -1)
	if len(pictures) != 7 {
		t.Errorf("README shows %d pictures, want six and a tour", len(pictures))
	}
	for _, p := range pictures {
		alt := regexp.MustCompile(`alt="([^"]*)"`).FindStringSubmatch(p[1])
		if alt == nil || len(alt[1]) < 40 {
			t.Errorf("a picture without words: %s", p[0])
		}
		src := regexp.MustCompile(`src="([^"]*)-dark\.(?:png|gif)"`).FindStringSubmatch(p[1])
		if src == nil {
			t.Errorf("a picture that is not a dark one: %s", p[0])
			continue
		}
		if !strings.Contains(readme, `srcset="`+src[1]+"-light.") {
			t.Errorf("%s has no light form", src[1])
		}
		if _, err := os.Stat(filepath.Join(root, src[1]+".txt")); err != nil {
			t.Errorf("%s has no text", src[1])
		}
	}
}

// blocks returns the fenced blocks of a language in a document.
func blocks(text, language string) (all []string) {
	for _, m := range fenced.FindAllStringSubmatch(text, -1) {
		if m[1] == language {
			all = append(all, m[2])
		}
	}
	return all
}

// The Go code of the readme is the code of an example that is tested.
func TestTheGoCodeOfTheReadmeIsATestedExample(t *testing.T) {
	example, err := os.ReadFile(filepath.Join(root, "api", "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(example), "\t// README begins\n")
	body, _, found := strings.Cut(body, "\t// README ends\n")
	if !found {
		t.Fatal("the example has lost its marks")
	}
	var want strings.Builder
	for line := range strings.Lines(body) {
		want.WriteString(strings.TrimPrefix(line, "\t"))
	}
	got := blocks(documents(t)["README.md"], "go")
	if !slices.Contains(got, want.String()) {
		t.Errorf("README has\n%s\nwant\n%s", strings.Join(got, "---\n"), want.String())
	}
}

// curl is a stand-in for the program curl with the options that the documents use.
func curl() {
	req, _ := http.NewRequest(http.MethodGet, os.Args[len(os.Args)-1], http.NoBody)
	for i := 1; i+1 < len(os.Args)-1; i += 2 {
		switch name, value, _ := strings.Cut(os.Args[i+1], ": "); os.Args[i] {
		case "-H":
			req.Header.Set(name, value)
		case "-F":
			body, kind, err := requestBody("", strings.TrimPrefix(os.Args[i+1], "file=@"))
			if err != nil {
				os.Exit(26)
			}
			posted, _ := http.NewRequest(http.MethodPost, req.URL.String(), body)
			posted.Header = req.Header
			posted.Header.Set("Content-Type", kind)
			req = posted
		default:
			os.Exit(2)
		}
	}
	res, err := (&http.Client{Timeout: patience}).Do(req)
	if err != nil {
		os.Exit(7)
	}
	_, err = os.Stdout.ReadFrom(res.Body)
	if errors.Join(err, res.Body.Close()) != nil || res.StatusCode > 299 {
		os.Exit(22)
	}
}
