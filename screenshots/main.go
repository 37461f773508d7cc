package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
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
	drawn, err := draw(home)
	if err != nil {
		return err
	}
	for _, r := range drawn.boxes {
		fmt.Fprintf(os.Stderr, "no font has %q, it is drawn as a box\n", r)
	}
	return drawn.update(os.Stdout, dir, check)
}

// pictures are the files of the scenes by their names.
type pictures struct {
	images map[string]*image.Paletted
	films  map[string]*gif.GIF
	texts  map[string]string
	boxes  []rune // characters that no font has
}

// draw plays all scenes in all themes.
func draw(home string) (pictures, error) {
	drawn := pictures{images: map[string]*image.Paletted{}, films: map[string]*gif.GIF{}, texts: map[string]string{}}
	l, err := newLetters()
	if err != nil {
		return drawn, err
	}
	folder, err := surveys(home)
	if err != nil {
		return drawn, err
	}
	for _, th := range themes {
		for _, s := range scenes {
			img, text, err := s.play(l, th, folder)
			if err != nil {
				return drawn, err
			}
			drawn.images[s.name+"-"+th+".png"] = img
			if err := drawn.say(s.name, text, th); err != nil {
				return drawn, err
			}
		}
		film, text, err := takeTour(l, th, folder)
		if err != nil {
			return drawn, err
		}
		drawn.films[tourName+"-"+th+".gif"] = film
		if err := drawn.say(tourName, text, th); err != nil {
			return drawn, err
		}
	}
	drawn.boxes = slices.Sorted(maps.Keys(l.missing))
	return drawn, nil
}

// say keeps the text of a scene, which is the same in every theme.
func (p pictures) say(name, text, theme string) error {
	file := name + ".txt"
	if other, ok := p.texts[file]; ok && other != text {
		return fmt.Errorf("%s: the text is another one in the theme %s", name, theme)
	}
	p.texts[file] = text
	return nil
}

// names returns the names of all files in their order.
func (p pictures) names() []string {
	return slices.Sorted(
		slices.Values(
			slices.Concat(
				slices.Collect(maps.Keys(p.images)),
				slices.Collect(maps.Keys(p.films)),
				slices.Collect(maps.Keys(p.texts)),
			),
		),
	)
}

// update writes what is stale in dir and lists it, or with check only fails.
func (p pictures) update(list io.Writer, dir string, check bool) error {
	old, err := p.stale(dir)
	if err != nil {
		return err
	}
	if check && len(old) > 0 {
		return fmt.Errorf("stale in %s: %s; run go run ./screenshots", dir, strings.Join(old, ", "))
	}
	for _, name := range old {
		fmt.Fprintln(list, filepath.Join(dir, name))
		if err := p.write(dir, name); err != nil {
			return err
		}
	}
	return nil
}

// stale names the files in dir that are not as drawn, those that are missing,
// and those that no scene makes. Pictures are compared by their pixels, as
// their compression may differ.
func (p pictures) stale(dir string) ([]string, error) {
	var old []string
	for _, name := range p.names() {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if err != nil || !p.same(name, data) {
			old = append(old, name)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		kind := filepath.Ext(e.Name())
		if (kind == ".png" || kind == ".gif" || kind == ".txt") && !slices.Contains(p.names(), e.Name()) {
			old = append(old, e.Name())
		}
	}
	return old, nil
}

// same tells whether a file's content is what was drawn.
func (p pictures) same(name string, data []byte) bool {
	if text, ok := p.texts[name]; ok {
		return string(data) == text
	}
	if film, ok := p.films[name]; ok {
		return sameFilm(data, film)
	}
	want := p.images[name]
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return false
	}
	got, ok := decoded.(*image.Paletted)
	return ok && got.Rect == want.Rect && bytes.Equal(got.Pix, want.Pix) &&
		slices.EqualFunc(got.Palette, want.Palette, func(a, b color.Color) bool {
			return color.NRGBAModel.Convert(a) == color.NRGBAModel.Convert(b)
		})
}

// write brings a file up to date; one that no scene makes is removed.
func (p pictures) write(dir, name string) error {
	path := filepath.Join(dir, name)
	if text, ok := p.texts[name]; ok {
		return os.WriteFile(path, []byte(text), 0o644)
	}
	var b bytes.Buffer
	if film, ok := p.films[name]; ok {
		if err := gif.EncodeAll(&b, film); err != nil {
			return err
		}
		return os.WriteFile(path, b.Bytes(), 0o644)
	}
	img, ok := p.images[name]
	if !ok {
		return os.Remove(path)
	}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
