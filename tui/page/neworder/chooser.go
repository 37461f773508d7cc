package neworder

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"flightdesk/tui/app/ordering"
)

// entry is a line of the file list.
type entry struct {
	name   string
	path   string
	folder bool
	size   int64
	at     time.Time
}

// listing is what a folder holds for us: folders and survey files.
type listing struct {
	folder  string
	entries []entry
}

// surveyFile reports whether a name looks like a survey file's.
func surveyFile(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".kml", ".kmz", ".csv", ".tsv", ".txt", ".wpml":
		return true
	}
	return false
}

// readFolder lists a folder: the way up, folders, then survey files.
func readFolder(_ context.Context, folder string) (listing, error) {
	l := listing{folder: folder}
	found, err := os.ReadDir(folder)
	if err != nil {
		return l, fmt.Errorf("%s: %w", folder, ordering.FileReason(err))
	}
	if parent := filepath.Dir(folder); parent != folder {
		l.entries = append(l.entries, entry{name: "..", path: parent, folder: true})
	}
	for _, f := range found {
		path := filepath.Join(folder, f.Name())
		info, err := os.Stat(path) // follows links
		if err != nil || !info.IsDir() && (!surveyFile(f.Name()) || !info.Mode().IsRegular()) {
			continue
		}
		l.entries = append(l.entries, entry{f.Name(), path, info.IsDir(), info.Size(), info.ModTime()})
	}
	slices.SortStableFunc(l.entries, func(a, b entry) int {
		return cmp.Or(kindOrder(a)-kindOrder(b), strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)))
	})
	return l, nil
}

func kindOrder(e entry) int {
	switch {
	case e.name == "..":
		return 0
	case e.folder:
		return 1
	default:
		return 2
	}
}

// typedPath turns what was typed or pasted into a path: quotes and escapes of
// a shell, file: addresses, ~ and relative paths.
func typedPath(typed, home, folder string) string {
	s := strings.TrimSpace(typed)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	if u, err := url.Parse(s); err == nil && u.Scheme == "file" {
		s = u.Path
	} else if os.PathSeparator == '/' {
		s = strings.NewReplacer(`\ `, " ", `\(`, "(", `\)`, ")", `\'`, "'", `\&`, "&").Replace(s)
	}
	if s == "~" || strings.HasPrefix(s, "~/") {
		s = home + s[1:]
	}
	if s != "" && !filepath.IsAbs(s) {
		s = filepath.Join(folder, s) + trailing(s)
	}
	return s
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

func trailing(s string) string {
	if strings.HasSuffix(s, string(filepath.Separator)) {
		return string(filepath.Separator)
	}
	return ""
}
