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

// The tour is a short film that shows the app. The row under the screen shows the key
// that was pressed last, and a caption.
const (
	tourName     = "tour"
	tourShades   = 5       // few shades keep the film small
	tourW, tourH = 120, 30 // cells, of which the last row is the caption
	keyW         = 10      // cells of the caption's row for the key
	glance       = 250 * time.Millisecond
	letterTime   = 90 * time.Millisecond
	read         = 2200 * time.Millisecond
	tickOfGIF    = 10 * time.Millisecond
	opaqueEnough = 128 // of 255; a pixel of a GIF is either opaque or transparent
	coloursOfGIF = 256 // the first is transparent, which leaves the pixel of the previous frame
)

// tour has the parts of the tour: steps, and the caption that is shown after them for a time.
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
	{"4 wait", "Quotes to decide, the soonest expiry first", read}, // waits until the quotes of each order are loaded
	{"enter", compared, read / 2},
	{"right right", compared, read},
	{"3", "The missions of all orders", read / 2},
	{"v", "On a map", read / 2},
	{"v", "And as a month", read},
	{"5 enter j space space", "Delivered files, selected for download", read},
	{": =levee", "The palette finds everything by a few letters", read},
	{"esc 1", "Home: decisions, flights and new data", read},
}

const compared = "Side by side: price, time, and what differs"

// recorder carries out steps like its driver, and records a frame after each of them.
type recorder struct {
	*tuitest.Driver
	l       *letters
	th      *theme.Theme
	key     string // key that was pressed last
	caption string
	frames  []frame
}

// frame is a picture of the film, with the time for which it is shown.
type frame struct {
	img             *image.Paletted
	screen, caption string
	time            time.Duration
}

// Press presses keys one by one.
func (r *recorder) Press(keys ...string) {
	for _, k := range keys {
		r.Driver.Press(k)
		r.key = k
		r.record(glance)
	}
}

// Type types a text letter by letter.
func (r *recorder) Type(text string) {
	for _, c := range text {
		r.Driver.Type(string(c))
		r.key = string(c)
		r.record(letterTime)
	}
}

// record adds the screen as a frame that is shown for a time. If the screen has not changed, it
// shows the last frame longer instead.
func (r *recorder) record(t time.Duration) {
	r.Advance(t) // the clock of the app follows the time of the film
	view := r.View()
	view.Content += "\n" + r.strip()
	if view.Cursor != nil && view.Cursor.Y >= tourH-1 {
		view.Cursor = nil
	}
	img, err := paint(r.l, view, tourW, tourH, tourShades, frameColour(r.th))
	if err != nil {
		panic(sceneError(r.caption + ": " + err.Error()))
	}
	if n := len(r.frames); n > 0 && findChange(r.frames[n-1].img, img).Empty() {
		r.frames[n-1].time += t
		return
	}
	r.frames = append(r.frames, frame{img, r.Screen(), r.caption, t})
}

// strip returns the row under the screen.
func (r *recorder) strip() string {
	back := r.th.RaisedStyle(theme.Text)
	key := back.Render(format.FitLeft("", keyW))
	if r.key != "" {
		key = back.Render(" ") + r.th.SelectedStyle(theme.Accent).Bold().Render(" "+r.key+" ")
		key += back.Render(strings.Repeat(" ", max(0, keyW-format.Width(key))))
	}
	return key + back.Render(format.FitLeft(r.caption, tourW-format.Width(key)))
}

// takeTour records the tour in a theme. It returns the film and the text of the film; see
// [recorder.text].
func takeTour(l *letters, themeName, folder string) (*gif.GIF, string, error) {
	th, err := namedTheme(themeName)
	if err != nil {
		return nil, "", err
	}
	r := &recorder{l: l, th: th}
	s := scene{tourName, tourW, tourH - 1, r.recordTour}
	if _, _, err := s.play(l, themeName, folder); err != nil {
		return nil, "", err
	}
	film, err := makeFilm(r.frames)
	if err != nil {
		return nil, "", err
	}
	return film, r.text(), nil
}

// recordTour carries out the steps of the tour and records them.
func (r *recorder) recordTour(d *tuitest.Driver) {
	r.Driver = d
	for _, part := range tour {
		runSteps(r, part.steps)
		r.caption = part.caption
		r.record(part.time)
	}
}

// text returns the captions in their order. Each caption is followed by the last screen with this caption.
func (r *recorder) text() string {
	var b strings.Builder
	for i, f := range r.frames {
		if i+1 == len(r.frames) || r.frames[i+1].caption != f.caption {
			fmt.Fprintf(&b, "%s\n%s\n%s\n", f.caption, strings.Repeat("=", len(f.caption)), f.screen)
		}
	}
	return b.String()
}

// makeFilm returns the film of the frames. After the first frame, it only has the part of each
// frame that differs from the previous frame.
func makeFilm(frames []frame) (*gif.GIF, error) {
	film := &gif.GIF{}
	var previous *image.Paletted
	for _, f := range frames {
		part, err := cutChange(previous, f.img)
		if err != nil {
			return nil, err
		}
		film.Image = append(film.Image, part)
		film.Delay = append(film.Delay, int(f.time/tickOfGIF))
		film.Disposal = append(film.Disposal, gif.DisposalNone)
		previous = f.img
	}
	if len(frames) > 0 {
		size := frames[0].img.Rect
		film.Config = image.Config{Width: size.Dx(), Height: size.Dy()}
	}
	return film, nil
}

// cutChange returns the smallest part of a picture that has all differences from the previous
// picture. Pixels that do not differ are transparent. If previous is nil, it returns the whole picture.
func cutChange(previous, current *image.Paletted) (*image.Paletted, error) {
	area := current.Rect
	if previous != nil {
		area = findChange(previous, current)
	}
	if area.Empty() {
		area = image.Rect(0, 0, 1, 1) // a GIF has no empty frames
	}
	transparent := color.NRGBA{}
	part := image.NewPaletted(area, color.Palette{transparent})
	indexes := map[color.NRGBA]uint8{transparent: 0} // indexes of the colours in the palette
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			colour := changedColour(previous, current, x, y)
			index, isKnown := indexes[colour]
			if !isKnown && len(part.Palette) == coloursOfGIF {
				return nil, fmt.Errorf("a frame has more than %d colours", coloursOfGIF-1)
			}
			if !isKnown {
				index = uint8(len(part.Palette))
				indexes[colour] = index
				part.Palette = append(part.Palette, colour)
			}
			part.SetColorIndex(x, y, index)
		}
	}
	return part, nil
}

// changedColour returns the colour of a pixel, or a transparent colour if the previous picture has the
// same colour there. previous can be nil.
func changedColour(previous, current *image.Paletted, x, y int) color.NRGBA {
	colour := solid(current, x, y)
	if previous != nil && solid(previous, x, y) == colour {
		return color.NRGBA{}
	}
	return colour
}

// findChange returns the smallest rectangle around all pixels that differ between two pictures.
func findChange(a, b *image.Paletted) (area image.Rectangle) {
	for i := range b.Pix {
		x, y := i%b.Stride, i/b.Stride
		if solid(a, x, y) != solid(b, x, y) {
			area = area.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	return area
}

// solid returns the colour of a pixel, either opaque or completely transparent, because a GIF has
// no partly transparent pixels.
func solid(img *image.Paletted, x, y int) color.NRGBA {
	c := img.Palette[img.ColorIndexAt(x, y)].(color.NRGBA)
	if c.A < opaqueEnough {
		return color.NRGBA{}
	}
	c.A = 255
	return c
}
