package main

import (
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"strings"
	"time"

	"flightdesk/tui/format"
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

// tour is what is done one after the other, and what is said about it for a time.
var tour = []struct {
	steps, caption string
	time           time.Duration
}{
	{"n", "A survey file becomes an order", read / 2},
	{"=elbe enter", "Its sites and their map, with suggested fixes", read},
	{"]", "Details: type a few letters to select", read / 2},
	{"=wat ctrl+s", "The review: exactly what will be sent", read / 2},
	{"S", "Confirm before it is sent", read / 2},
	{"enter", "Placed; its page shows the progress", read},
	{"4 wait", "Quotes to decide, the soonest expiry first", read}, // the quotes of each order are read
	{"enter", compared, read / 2},
	{"right right", compared, read},
	{"3", "The missions of all orders", read / 2},
	{"v", "On a map", read / 2},
	{"v", "And as a month", read},
	{"5 j space space", "Delivered files, selected for download", read},
	{": =levee", "The palette finds everything by a few letters", read},
	{"esc 1", "Home: decisions, flights and new data", read},
}

const compared = "Side by side: price, time, and what differs"

// reel takes up the tour.
type reel struct {
	*tuitest.Driver
	l       *letters
	th      *theme.Theme
	key     string // pressed last
	caption string
	frames  []frame
}

// frame is a picture and how long it stands.
type frame struct {
	img             *image.Paletted
	screen, caption string
	time            time.Duration
}

// Press presses keys one by one.
func (r *reel) Press(keys ...string) {
	for _, k := range keys {
		r.Driver.Press(k)
		r.key = k
		r.take(glance)
	}
}

// Type types a text letter by letter.
func (r *reel) Type(text string) {
	for _, c := range text {
		r.Driver.Type(string(c))
		r.key = string(c)
		r.take(letterTime)
	}
}

// take adds what is on the screen. What stays the same stays longer.
func (r *reel) take(t time.Duration) {
	r.Advance(t) // as the time of the tour goes by, so does that of the app
	view := r.View()
	view.Content += "\n" + r.strip()
	if view.Cursor != nil && view.Cursor.Y >= tourH-1 {
		view.Cursor = nil
	}
	img, err := paint(r.l, view, tourW, tourH, tourShades, r.th.Rule.LipglossStyle().GetForeground())
	if err != nil {
		panic(lostWay(r.caption + ": " + err.Error()))
	}
	if n := len(r.frames); n > 0 && findChange(r.frames[n-1].img, img).Empty() {
		r.frames[n-1].time += t
		return
	}
	r.frames = append(r.frames, frame{img, r.Screen(), r.caption, t})
}

// strip returns the row under the screen.
func (r *reel) strip() string {
	back := r.th.RaisedStyle(theme.Text)
	key := back.Render(format.FitLeft("", keyW))
	if r.key != "" {
		key = back.Render(" ") + r.th.SelectedStyle(theme.Accent).Bold().Render(" "+r.key+" ")
		key += back.Render(strings.Repeat(" ", max(0, keyW-format.Width(key))))
	}
	return key + back.Render(format.FitLeft(r.caption, tourW-format.Width(key)))
}

// takeTour goes the tour's way in a theme, and returns the film and its words:
// the captions in their order and the last screen.
func takeTour(l *letters, themeName, folder string) (*gif.GIF, string, error) {
	r := &reel{l: l}
	s := scene{tourName, tourW, tourH - 1, func(d *tuitest.Driver) {
		r.Driver = d
		for _, part := range tour {
			follow(r, part.steps)
			r.caption = part.caption
			r.take(part.time)
		}
	}}
	var err error
	if r.th, err = theme.NamedTheme(themeName, themeName == "dark"); err != nil {
		return nil, "", err
	}
	if _, _, err = s.play(l, themeName, folder); err != nil {
		return nil, "", err
	}
	film, err := develop(r.frames)
	return film, r.words(), err
}

// words returns the captions, each with the last screen that it stood under.
func (r *reel) words() string {
	var b strings.Builder
	for i, f := range r.frames {
		if i+1 == len(r.frames) || r.frames[i+1].caption != f.caption {
			fmt.Fprintf(&b, "%s\n%s\n%s\n", f.caption, strings.Repeat("=", len(f.caption)), f.screen)
		}
	}
	return b.String()
}

// develop makes the film: of each frame but the first only what has changed.
func develop(frames []frame) (*gif.GIF, error) {
	film := &gif.GIF{}
	var before *image.Paletted
	for _, f := range frames {
		part, err := cutChange(before, f.img)
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

// cutChange returns the part of a picture that differs from the one before, see-through
// where it does not; the whole one where there is none before.
func cutChange(before, now *image.Paletted) (*image.Paletted, error) {
	area := now.Rect
	if before != nil {
		area = findChange(before, now)
	}
	if area.Empty() {
		area = image.Rect(0, 0, 1, 1) // a GIF has no empty frames
	}
	part := image.NewPaletted(area, color.Palette{color.NRGBA{}})
	known := map[color.NRGBA]uint8{}
	for i := range part.Pix {
		x, y := area.Min.X+i%area.Dx(), area.Min.Y+i/area.Dx()
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
			known[c], part.Palette = n, append(part.Palette, c)
		}
		part.Pix[i] = n
	}
	return part, nil
}

// findChange returns the smallest rectangle around all that differs.
func findChange(a, b *image.Paletted) (area image.Rectangle) {
	for i := range b.Pix {
		x, y := i%b.Stride, i/b.Stride
		if solid(a, x, y) != solid(b, x, y) {
			area = area.Union(image.Rect(x, y, x+1, y+1))
		}
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
