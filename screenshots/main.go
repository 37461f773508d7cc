// Command screenshots draws the pictures of the documentation. It runs the app
// with the sample orders of the service at a fixed time. It needs no terminal
// and no network.
//
//	go run ./screenshots          rewrites the pictures that have changed
//	go run ./screenshots -check   fails if pictures have changed
//
// Each scene has a dark and a light picture, and a file with the text of the
// screen. Pictures and texts that do not belong to a scene are removed.
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

// drawAll draws all scenes and the tour in all themes.
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
	for _, themeName := range themes {
		for _, s := range scenes {
			if err := drawn.drawScene(s, l, themeName, folder); err != nil {
				return nil, err
			}
		}
		if err := drawn.drawTour(l, themeName, folder); err != nil {
			return nil, err
		}
	}
	if missing := slices.Sorted(maps.Keys(l.missing)); len(missing) > 0 {
		return nil, fmt.Errorf("no font has %q; fonts/README.md says how to add them", missing)
	}
	return drawn, nil
}

// drawScene adds the picture and the text of a scene.
func (p pictures) drawScene(s scene, l *letters, themeName, folder string) error {
	img, text, err := s.play(l, themeName, folder)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		return err
	}
	return p.add(s.name, themeName, ".png", file.Bytes(), text)
}

// drawTour adds the film and the text of the tour.
func (p pictures) drawTour(l *letters, themeName, folder string) error {
	film, text, err := takeTour(l, themeName, folder)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := gif.EncodeAll(&file, film); err != nil {
		return err
	}
	return p.add(tourName, themeName, ".gif", file.Bytes(), text)
}

// add adds the picture and the text of a scene. The text must be the same in every theme.
func (p pictures) add(name, themeName, ending string, file []byte, text string) error {
	p[name+"-"+themeName+ending] = file
	if other, ok := p[name+".txt"]; ok && string(other) != text {
		return fmt.Errorf("%s: the text is another one in the theme %s", name, themeName)
	}
	p[name+".txt"] = []byte(text)
	return nil
}

// update writes the files in dir that are missing or differ from the drawn files, removes files that do not
// belong to a scene, and prints the paths of all these files to out. If check is set, it changes nothing and
// returns an error if there are such files.
func (p pictures) update(out io.Writer, dir string, check bool) error {
	stale, err := p.listStale(dir)
	if err != nil {
		return err
	}
	if check && len(stale) > 0 {
		return fmt.Errorf("stale in %s: %s; run go run ./screenshots", dir, strings.Join(stale, ", "))
	}
	for _, name := range stale {
		path := filepath.Join(dir, name)
		fmt.Fprintln(out, path)
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

// listStale compares dir with the drawn files. It returns the names of drawn files that are missing or different
// in dir. It also returns the names of files in dir that no scene draws.
func (p pictures) listStale(dir string) (stale []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		file, err := os.ReadFile(filepath.Join(dir, name))
		isMissing := errors.Is(err, os.ErrNotExist)
		if err != nil && !isMissing {
			return nil, err
		}
		if isMissing || !bytes.Equal(file, p[name]) {
			stale = append(stale, name)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		_, isDrawn := p[e.Name()]
		if !isDrawn && slices.Contains([]string{".png", ".gif", ".txt"}, filepath.Ext(e.Name())) {
			stale = append(stale, e.Name())
		}
	}
	return stale, nil
}
