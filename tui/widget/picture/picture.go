package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"math"
	"strings"

	"charm.land/lipgloss/v2"
	ximage "golang.org/x/image/draw"
	"golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"flightdesk/tui/format"
)

// Picture is an image that was scaled down for drawing.
type Picture struct {
	Width, Height int           // of the original image, in pixels
	Format        string        // jpeg, png, tiff or webp
	Values        *RasterValues // the values of a raster of measurements; nil for a photo or drawing

	small  *image.RGBA
	upload string // upload for a terminal with graphics, or ""
	placed [2]int // columns and rows of the last PlaceIn
	w, h   int    // of the last drawing
	plain  bool
	lines  []string
}

const (
	// MaxPixels is the usual limit for ReadUpTo, which decodes the whole image in memory.
	MaxPixels = 60_000_000
	smallSide = 400
)

// ErrTooLarge is returned if an image exceeds the limit of pixels.
var ErrTooLarge = errors.New("the image is too large for a preview")

// ReadUpTo reads an image and scales it down. If the terminal has graphics, it also encodes the image for the
// terminal. A TIFF file with measured values is coloured. ReadUpTo returns ErrTooLarge if the image has more pixels
// than the limit.
func ReadUpTo(r io.ReaderAt, g Graphics, pixels int) (*Picture, error) {
	p := &Picture{}
	img, err := p.decode(r, pixels)
	if err != nil {
		return nil, err
	}
	if err := p.scaleDown(img, g); err != nil {
		return nil, err
	}
	return p, nil
}

// decode decodes an image, or colours a raster of measured values. It sets the size and the format of the picture.
func (p *Picture) decode(r io.ReaderAt, pixels int) (image.Image, error) {
	img, err := p.decodeImage(r, pixels)
	_, isUnsupported := errors.AsType[tiff.UnsupportedError](err)
	if !isUnsupported {
		return img, err
	}
	img, err = p.readValues(r, pixels) // the TIFF file may be a raster of measured values
	if err != nil {
		return nil, readingFault(err)
	}
	return img, nil
}

// decodeImage decodes an image and sets the size and the format of the picture.
func (p *Picture) decodeImage(r io.ReaderAt, pixels int) (image.Image, error) {
	config, name, err := image.DecodeConfig(io.NewSectionReader(r, 0, math.MaxInt64))
	if err != nil {
		return nil, readingFault(err)
	}
	p.Width = config.Width
	p.Height = config.Height
	p.Format = name
	if err := p.checkSize(pixels); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(io.NewSectionReader(r, 0, math.MaxInt64))
	if err != nil {
		return nil, readingFault(err)
	}
	return img, nil
}

// readingFault converts an error of an image decoder to an error with a message for the user.
func readingFault(err error) error {
	if errors.Is(err, image.ErrFormat) {
		return errors.New("no preview for this image format")
	}
	return fmt.Errorf("reading the image: %w", err)
}

// readValues reads a raster of measured values and colours them.
func (p *Picture) readValues(r io.ReaderAt, pixels int) (image.Image, error) {
	file, err := openRaster(r)
	if err != nil {
		return nil, err
	}
	p.Width = file.width
	p.Height = file.height
	p.Format = "tiff"
	if err := p.checkSize(pixels); err != nil {
		return nil, err
	}
	grid, err := file.readGrid(largeSide)
	if err != nil {
		return nil, err
	}
	sorted := grid.sortedValues()
	if len(sorted) == 0 {
		return nil, errors.New("the raster has no values")
	}
	p.Values = &RasterValues{What: file.bandName(), Low: sorted[0], High: sorted[len(sorted)-1]}
	extreme := len(sorted) / 50 // the number of values in 2 percent
	return grid.drawColours(sorted[extreme], sorted[len(sorted)-1-extreme]), nil
}

// checkSize returns an error if the image is empty or has too many pixels.
func (p *Picture) checkSize(pixels int) error {
	if p.Width <= 0 || p.Height <= 0 {
		return errors.New("the image is empty")
	}
	if p.Width > pixels/p.Height {
		return fmt.Errorf("%w: %d × %d px", ErrTooLarge, p.Width, p.Height)
	}
	return nil
}

// scaleDown scales the image down, and encodes it if the terminal has graphics.
func (p *Picture) scaleDown(img image.Image, g Graphics) error {
	if g == Kitty {
		large := scaleImage(img, largeSide)
		upload, err := encodeForTerminal(large)
		if err != nil {
			return fmt.Errorf("preparing the image: %w", err)
		}
		p.upload = upload
		img = large
	}
	p.small = scaleImage(img, smallSide)
	return nil
}

// scaleImage scales an image down to fit into a square, on a grey background.
func scaleImage(img image.Image, side int) *image.RGBA {
	w := img.Bounds().Dx()
	h := img.Bounds().Dy()
	if w > side || h > side {
		w, h = fitWithin(w, h, side, side)
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	grey := image.NewUniform(color.Gray{Y: 128})
	draw.Draw(small, small.Rect, grey, image.Point{}, draw.Src)
	ximage.ApproxBiLinear.Scale(small, small.Rect, img, img.Bounds(), draw.Over, nil)
	return small
}

// fitWithin returns the largest size with the given aspect ratio within w by h.
func fitWithin(width, height, w, h int) (int, int) {
	if width*h > height*w {
		return w, max(1, height*w/width)
	}
	return max(1, width*h/height), h
}

// shades represent brightness without colour, from dark to light.
const shades = " ░▒▓█"

// View draws the image, centred in exactly h lines of w cells. If plain is true, it draws without colour. After
// [Picture.PlaceIn] with the same size it returns placeholders, over which the terminal draws the picture.
func (p *Picture) View(w, h int, plain bool) string {
	if w <= 0 || h <= 0 {
		return format.FitBox(nil, w, h)
	}
	isCached := p.lines != nil && p.w == w && p.h == h && p.plain == plain
	if !isCached {
		p.w = w
		p.h = h
		p.plain = plain
		p.lines = p.drawCells()
	}
	if !plain && p.placed == [2]int{w, h} {
		return format.FitBox(p.placeholderLines(w, h), w, h)
	}
	return format.FitBox(p.lines, w, h)
}

// drawCells draws the image centred in lines of cells. A cell is about twice as high as it is wide, so it shows two
// square pixels, one above the other.
func (p *Picture) drawCells() []string {
	const perCell = 2 // pixels
	maxHeight := perCell * p.h
	w, h := fitWithin(p.small.Rect.Dx(), p.small.Rect.Dy(), p.w, maxHeight)
	rows := max(1, (h+1)/perCell) // an odd row of pixels is stretched to a row of cells
	fitted := image.NewRGBA(image.Rect(0, 0, w, min(rows*perCell, maxHeight)))
	ximage.ApproxBiLinear.Scale(fitted, fitted.Rect, p.small, p.small.Rect, draw.Src, nil)

	indent := format.BlankCells((p.w - w) / 2)
	var lines []string
	for y := 0; y < fitted.Rect.Dy(); y += perCell {
		var line strings.Builder
		line.WriteString(indent)
		for x := range w {
			line.WriteString(p.drawCell(fitted.RGBAAt(x, y), fitted.RGBAAt(x, y+1)))
		}
		lines = append(lines, line.String())
	}
	return lines
}

// drawCell draws two pixels, one above the other.
func (p *Picture) drawCell(top, bottom color.RGBA) string {
	if !p.plain {
		return lipgloss.NewStyle().Foreground(top).Background(bottom).Render("▀")
	}
	brightness := grayLevel(top) + grayLevel(bottom)
	all := []rune(shades)
	return string(all[min(len(all)-1, brightness*len(all)/511)])
}

// grayLevel returns the brightness of a colour from 0 to 255.
func grayLevel(c color.RGBA) int { return int(color.GrayModel.Convert(c).(color.Gray).Y) }
