// Command screenshots draws the pictures of the documentation from the app
// itself, which it drives on the service with its sample orders at a fixed
// time. It needs no terminal and no network.
//
//	go run ./screenshots          rewrites the pictures that have changed
//	go run ./screenshots -check   fails if there are any
//
// Beside the pictures of a scene, dark and light, lies its text. Pictures and
// texts that no scene makes are removed.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image/gif"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "write nothing, fail if a picture is stale")
	dir := flag.String("dir", "screenshots", "folder of the pictures")
	flag.Parse()
	if err := run(*dir, *check); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(dir string, check bool) error {
	home, err := os.MkdirTemp("", "screenshots")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(home) }()
	for name, value := range environment(home) {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	drawn, err := drawAll(home)
	if err != nil {
		return err
	}
	return drawn.update(os.Stdout, dir, check)
}

// pictures are the contents of the files by their names.
type pictures map[string][]byte

// drawAll plays all scenes in all themes.
func drawAll(home string) (pictures, error) {
	drawn := pictures{}
	l, err := newLetters()
	if err != nil {
		return nil, err
	}
	folder, err := surveys(home)
	if err != nil {
		return nil, err
	}
	for _, th := range themes {
		for _, s := range scenes {
			img, text, err := s.play(l, th, folder)
			var file bytes.Buffer
			if err == nil {
				err = png.Encode(&file, img)
			}
			if err == nil {
				err = drawn.add(s.name, th, ".png", file.Bytes(), text)
			}
			if err != nil {
				return nil, err
			}
		}
		film, text, err := takeTour(l, th, folder)
		var file bytes.Buffer
		if err == nil {
			err = gif.EncodeAll(&file, film)
		}
		if err == nil {
			err = drawn.add(tourName, th, ".gif", file.Bytes(), text)
		}
		if err != nil {
			return nil, err
		}
	}
	if missing := slices.Sorted(maps.Keys(l.missing)); len(missing) > 0 {
		return nil, fmt.Errorf("no font has %q; fonts/README.md says how to add them", missing)
	}
	return drawn, nil
}

// add keeps the picture of a scene, and its text, which is the same in every theme.
func (p pictures) add(name, theme, ending string, file []byte, text string) error {
	p[name+"-"+theme+ending] = file
	if other, ok := p[name+".txt"]; ok && string(other) != text {
		return fmt.Errorf("%s: the text is another one in the theme %s", name, theme)
	}
	p[name+".txt"] = []byte(text)
	return nil
}

// update writes what is stale in dir and lists it, or with check only fails. Files that
// no scene makes are removed.
func (p pictures) update(list io.Writer, dir string, check bool) error {
	old, err := p.listStale(dir)
	if err != nil {
		return err
	}
	if check && len(old) > 0 {
		return fmt.Errorf("stale in %s: %s; run go run ./screenshots", dir, strings.Join(old, ", "))
	}
	for _, name := range old {
		path := filepath.Join(dir, name)
		fmt.Fprintln(list, path)
		if file, ok := p[name]; ok {
			err = os.WriteFile(path, file, 0o644)
		} else {
			err = os.Remove(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listStale names the files in dir that are not as drawn, those that are missing,
// and those that no scene makes.
func (p pictures) listStale(dir string) (old []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if err != nil || !bytes.Equal(file, p[name]) {
			old = append(old, name)
		}
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		_, made := p[e.Name()]
		if !made && slices.Contains([]string{".png", ".gif", ".txt"}, filepath.Ext(e.Name())) {
			old = append(old, e.Name())
		}
	}
	return old, err
}
