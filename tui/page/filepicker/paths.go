package filepicker

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/anmitsu/go-shlex"

	"flightdesk/tui/page"
)

// typedPath turns what was typed or pasted into a path: quotes and escapes of
// a shell, file: addresses, ~ and relative paths.
func typedPath(files *page.FileAccess, typed string) string {
	s := strings.TrimSpace(typed)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	if os.PathSeparator == '/' && !strings.HasPrefix(s, "file:") {
		s = strings.NewReplacer(`\ `, " ", `\(`, "(", `\)`, ")", `\'`, "'", `\&`, "&").Replace(s)
	}
	if s == "" {
		return ""
	}
	return strings.TrimSuffix(pathOf(files, s), slash) + trailingSlash(s)
}

// freshPath returns the path that was begun anew behind another one, as in
// /home/anna//tmp or /home/anna/~/surveys; "" where there is none.
func freshPath(typed string) string {
	if strings.HasPrefix(strings.TrimLeft(typed, `"' `), "file:") {
		return ""
	}
	at := max(strings.LastIndex(typed, "//"), strings.LastIndex(typed, "/~"))
	if at < 0 || at == 0 && !strings.HasPrefix(typed, "/~") && !strings.HasPrefix(typed, "//") {
		return ""
	}
	return typed[at+1:]
}

const slash = string(filepath.Separator)

func trailingSlash(s string) string {
	if strings.HasSuffix(s, slash) {
		return slash
	}
	return ""
}

// SeveralPaths returns the paths of a text that is nothing but paths, as file
// managers drop and copy them: one a line, or in quotes or with escaped spaces
// one after the other. It is nil for any other text.
func SeveralPaths(files *page.FileAccess, text string) []string {
	var paths []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") { // of a text/uri-list
			continue
		}
		words := shellWords(line)
		if strings.HasPrefix(line, "file:") && len(words) < 2 {
			words = []string{line}
		}
		for _, word := range words {
			if !beginsPath(word) {
				return nil
			}
			paths = append(paths, pathOf(files, word))
		}
	}
	return paths
}

// IsPath reports whether pasted text is a path of its own rather than a piece of
// the one being typed.
func IsPath(pasted string) bool { return beginsPath(strings.TrimLeft(pasted, `"'`)) }

// beginsPath reports whether a word begins as a whole path does.
func beginsPath(word string) bool {
	return filepath.IsAbs(word) || word == "~" || strings.HasPrefix(word, "~"+slash) ||
		strings.HasPrefix(word, "file:")
}

// pathOf returns the path of a word whose quotes are gone.
func pathOf(files *page.FileAccess, word string) string {
	if u, err := url.Parse(word); err == nil && u.Scheme == "file" {
		return filepath.Clean(u.Path)
	}
	return files.FullPath(word)
}

// shellWords splits a line as a shell does: at spaces that are neither in quotes nor
// escaped. What follows a quote that is not closed is a word.
func shellWords(line string) []string {
	if os.PathSeparator != '/' { // there a backslash parts folders
		line = strings.ReplaceAll(line, `\`, `\\`)
	}
	words, _ := shlex.Split(line, true)
	return words
}
