package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"strings"
	"time"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
)

// The tour is a short film of one way through the app. Under the screen stand
// the key that was pressed last and what is going on.
const (
	tourName     = "tour"
	tourShades   = 5       // few keep the film small
	tourW, tourH = 120, 30 // cells, of which the last row is the caption
	keyW         = 10      // cells of the caption's row for the key
	glance       = 250 * time.Millisecond
	letterTime   = 90 * time.Millisecond
	read         = 2200 * time.Millisecond
	tickOfGIF    = 10 * time.Millisecond
	opaqueEnough = 128 // of 255; a GIF knows no shades of transparency
	coloursOfGIF = 256 // the first is see-through: as in the frame before
)

// toured plays the tour.
func toured(r *reel) {
	r.press("n")
	r.say("A survey file becomes an order", read/2)
	r.write("elbe")
	r.press("enter")
	r.say("Its sites and their map, with suggested fixes", read)
	r.press("]")
	r.say("Details: type a few letters to select", read/2)
	r.press("tab", "tab", "tab", "tab", "tab")
	r.write("wat")
	r.press("ctrl+s")
	r.say("The review: exactly what will be sent", read/2)
	r.press("S")
	r.say("Confirm before it is sent", read/2)
	r.press("enter")
	r.say("Placed; its page shows the progress", read)

	r.press("4")
	r.d.Advance(time.Second) // the quotes of each order are read
	r.say("Quotes to decide, the soonest expiry first", read)
	r.press("enter")
	r.say("Side by side: price, time, and what differs", read/2)
	r.press("right", "right")
	r.rest(read)

	r.press("3")
	r.say("The missions of all orders", read/2)
	r.press("v")
	r.say("On a map", read/2)
	r.press("v")
	r.say("And as a month", read)

	r.press("5", "j", "space", "space")
	r.say("Delivered files, selected for download", read)
	r.press(":")
	r.write("levee")
	r.say("The palette finds everything by a few letters", read)
	r.press("esc", "1")
	r.say("Home: decisions, flights and new data", read)
}

// reel takes up the tour.
type reel struct {
	d       *tuitest.Driver
	l       *letters
	th      *theme.Theme
	key     string // pressed last
	caption string
	frames  []frame
	err     error
}

// frame is a picture and how long it stands.
type frame struct {
	img  *image.Paletted
	text string
	time time.Duration
}

// say sets the caption, for a time.
func (r *reel) say(text string, t time.Duration) {
	r.caption = text
	if t > 0 {
		r.take(t)
	}
}

// press presses keys one by one.
func (r *reel) press(keys ...string) {
	for _, k := range keys {
		r.d.Press(k)
		r.key = k
		r.take(glance)
	}
}

// write types a text letter by letter.
func (r *reel) write(text string) {
	for _, c := range text {
		r.d.Type(string(c))
		r.key = string(c)
		r.take(letterTime)
	}
}

// rest leaves the screen as it is for a time.
func (r *reel) rest(t time.Duration) { r.take(t) }

// take adds what is on the screen. What stays the same stays longer.
func (r *reel) take(t time.Duration) {
	if r.err != nil {
		return
	}
	r.d.Advance(t) // as the time of the tour goes by, so does that of the app
	view := r.d.View()
	view.Content += "\n" + r.strip()
	if view.Cursor != nil && view.Cursor.Y >= tourH-1 {
		view.Cursor = nil
	}
	img, err := paint(r.l, view, tourW, tourH, tourShades, r.th.Rule.LipglossStyle().GetForeground())
	if err != nil {
		r.err = fmt.Errorf("the tour at %q: %w", r.caption, err)
		return
	}
	text := r.d.Screen() + "\n" + r.caption + "\n"
	if n := len(r.frames); n > 0 && samePixels(r.frames[n-1].img, img) {
		r.frames[n-1].time += t
		return
	}
	r.frames = append(r.frames, frame{img, text, t})
}

// strip returns the row under the screen.
func (r *reel) strip() string {
	back := r.th.RaisedStyle(theme.Text)
	key := back.Render(layout.FitLeft("", keyW))
	if r.key != "" {
		key = back.Render(" ") + r.th.SelectedStyle(theme.Accent).Bold(true).Render(" "+r.key+" ")
		key += back.Render(strings.Repeat(" ", max(0, keyW-layout.Width(key))))
	}
	return key + back.Render(layout.FitLeft(r.caption, tourW-layout.Width(key)))
}

// takeTour goes the tour's way in a theme, and returns the film and its words:
// the captions in their order and the last screen.
func takeTour(l *letters, themeName, folder string) (*gif.GIF, string, error) {
	r := &reel{l: l}
	s := scene{tourName, tourW, tourH - 1, func(d *tuitest.Driver) {
		r.d = d
		toured(r)
	}}
	var err error
	if r.th, err = theme.NamedTheme(themeName, themeName == "dark"); err != nil {
		return nil, "", err
	}
	if _, _, err = s.play(l, themeName, folder); err != nil {
		return nil, "", err
	}
	if r.err != nil {
		return nil, "", r.err
	}
	film, err := develop(r.frames)
	return film, r.words(), err
}

// words returns the captions, each with the last screen that it stood under.
func (r *reel) words() string {
	var b strings.Builder
	for i, f := range r.frames {
		if i+1 == len(r.frames) || caption(r.frames[i+1].text) != caption(f.text) {
			fmt.Fprintf(
				&b,
				"%s\n%s\n%s\n",
				caption(f.text),
				strings.Repeat("=", len(caption(f.text))),
				strings.TrimSuffix(f.text, "\n"+caption(f.text)+"\n"),
			)
		}
	}
	return b.String()
}

func caption(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// develop makes the film: of each frame but the first only what has changed.
func develop(frames []frame) (*gif.GIF, error) {
	film := &gif.GIF{}
	var before *image.Paletted
	for _, f := range frames {
		part, err := change(before, f.img)
		if err != nil {
			return nil, err
		}
		film.Image = append(film.Image, part)
		film.Delay = append(film.Delay, int(f.time/tickOfGIF))
		film.Disposal = append(film.Disposal, gif.DisposalNone)
		before = f.img
	}
	if len(frames) > 0 {
		size := frames[0].img.Rect
		film.Config = image.Config{Width: size.Dx(), Height: size.Dy()}
	}
	return film, nil
}

// change returns the part of a picture that differs from the one before, see-through
// where it does not; the whole one where there is none before.
func change(before, now *image.Paletted) (*image.Paletted, error) {
	area := now.Rect
	if before != nil {
		area = differing(before, now)
	}
	part := image.NewPaletted(area, color.Palette{color.NRGBA{}})
	known := map[color.NRGBA]uint8{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := solid(now, x, y)
			if c.A == 0 || before != nil && solid(before, x, y) == c {
				continue // the first colour, which is see-through
			}
			n, ok := known[c]
			if !ok {
				if len(part.Palette) == coloursOfGIF {
					return nil, fmt.Errorf("a frame has more than %d colours", coloursOfGIF-1)
				}
				n = uint8(len(part.Palette))
				known[c] = n
				part.Palette = append(part.Palette, c)
			}
			part.SetColorIndex(x, y, n)
		}
	}
	return part, nil
}

// differing returns the smallest rectangle around all that differs; never empty, as
// a GIF has no empty frames.
func differing(a, b *image.Paletted) image.Rectangle {
	var area image.Rectangle
	for y := b.Rect.Min.Y; y < b.Rect.Max.Y; y++ {
		for x := b.Rect.Min.X; x < b.Rect.Max.X; x++ {
			if solid(a, x, y) != solid(b, x, y) {
				area = area.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if area.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return area
}

// solid returns a pixel's colour as a GIF can have it.
func solid(img *image.Paletted, x, y int) color.NRGBA {
	c := img.Palette[img.ColorIndexAt(x, y)].(color.NRGBA)
	if c.A < opaqueEnough {
		return color.NRGBA{}
	}
	c.A = 255
	return c
}

func samePixels(a, b *image.Paletted) bool {
	if a.Rect != b.Rect {
		return false
	}
	for i := range a.Pix {
		if a.Palette[a.Pix[i]] != b.Palette[b.Pix[i]] {
			return false
		}
	}
	return true
}

// sameFilm tells whether a file holds the film, however it is compressed.
func sameFilm(data []byte, want *gif.GIF) bool {
	got, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil || len(got.Image) != len(want.Image) {
		return false
	}
	for i, img := range got.Image {
		if got.Delay[i] != want.Delay[i] || img.Rect != want.Image[i].Rect {
			return false
		}
		for p, n := range img.Pix {
			if solidOf(img.Palette[n]) != solidOf(want.Image[i].Palette[want.Image[i].Pix[p]]) {
				return false
			}
		}
	}
	return true
}

func solidOf(c color.Color) color.NRGBA { return color.NRGBAModel.Convert(c).(color.NRGBA) }
