package product

import (
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"
	"strings"
)

const (
	jpegType      = "image/jpeg"
	leastPhotos   = 3
	photoQuality  = 90
	photoBytes    = 0.17 // of a pixel
	largestPhoto  = 8_000_000
	mostPhotos    = 300
	smallestPhoto = 384 * 256
)

// escapeXML makes text part of XML.
func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes all
	return b.String()
}

// splitSize shares the size out to pictures: larger ones first, then more.
func (s *surveyedSite) splitSize(least, smallest int, bytes float64) (n, pixels int) {
	total := s.pieceCount(least*smallest, bytes)
	grow := float64(total) / float64(least*smallest)
	n = min(max(least, int(float64(least)*math.Cbrt(grow))), mostPhotos)
	if total/n > largestPhoto {
		n = min(total/largestPhoto+1, mostPhotos)
	}
	return n, min(total/n, largestPhoto)
}

func (s *surveyedSite) photoFiles() []File {
	n, pixels := s.splitSize(leastPhotos, smallestPhoto, photoBytes)
	height := int(math.Sqrt(float64(pixels)/1.5)) / 2 * 2
	width := height * 3 / 2
	var list []File
	for i, h := range s.shots(n) {
		list = append(list, File{
			Name: fmt.Sprintf("photo-%04d.jpg", i+1), MediaType: jpegType,
			write: func(w io.Writer) error {
				var d TIFFDir
				s.exif(&d, h, width, height)
				addSampling(&d)
				return writeJPEG(w, s.drawView(h, width, height), photoQuality, EncodeTIFF(&d), s.xmp(h, ""))
			},
		})
	}
	return list
}

// addSampling sets what Exif demands of a JPEG picture, whether it means anything
// or not.
func addSampling(d *TIFFDir) {
	const xResolution, yResolution, resolutionUnit, positioning, inches = 282, 283, 296, 531, 2
	d.Rational(xResolution, 1, 72)
	d.Rational(yResolution, 1, 72)
	d.Short(resolutionUnit, inches)
	d.Short(positioning, 1)
}

// drawView returns what the camera sees.
func (s *surveyedSite) drawView(h shot, width, height int) *image.RGBA {
	return drawImage(width, height, func(column, row int) (r, g, b uint8) {
		u, v := (float64(column)+0.5)/float64(width)-0.5, (float64(row)+0.5)/float64(height)-0.5
		return s.land.At(h.spot(u, v)).RGB()
	})
}

// drawImage makes a picture, with the noise of a sensor.
func drawImage(width, height int, colour func(column, row int) (r, g, b uint8)) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	noise := uint32(1)
	for row := range height {
		line := m.Pix[row*m.Stride:]
		for column := range width {
			p := line[4*column:][:4]
			p[0], p[1], p[2] = colour(column, row)
			p[3] = 255
			for i := range 3 {
				noise = noise*1664525 + 1013904223
				p[i] = uint8(min(255, int(p[i])+int(noise>>29)))
			}
		}
	}
	return m
}

// writeJPEG writes a picture with its descriptions.
func writeJPEG(w io.Writer, m image.Image, quality int, exif []byte, xmp string) error {
	head := []byte{0xff, 0xd8}
	head = jpegSegment(head, "Exif\x00\x00", exif)
	head = jpegSegment(head, "http://ns.adobe.com/xap/1.0/\x00", []byte(xmp))
	if _, err := w.Write(head); err != nil {
		return err
	}
	return jpeg.Encode(&skippingWriter{w: w, skip: 2}, m, &jpeg.Options{Quality: quality})
}

// jpegSegment appends a description to a head.
func jpegSegment(head []byte, name string, content []byte) []byte {
	head = append(head, 0xff, 0xe1)
	head = binary.BigEndian.AppendUint16(head, uint16(2+len(name)+len(content)))
	return append(append(head, name...), content...)
}

// skippingWriter leaves the first bytes out.
type skippingWriter struct {
	w    io.Writer
	skip int
}

// Write passes on what is not skipped.
func (s *skippingWriter) Write(b []byte) (int, error) {
	skip := min(s.skip, len(b))
	s.skip -= skip
	if skip == len(b) {
		return skip, nil
	}
	n, err := s.w.Write(b[skip:])
	return skip + n, err
}

// panoramaFiles looks around from the middle of the mission.
func (s *surveyedSite) panoramaFiles() []File {
	const smallest = 512 * 256
	n, pixels := s.splitSize(1, smallest, 0.15)
	height := int(math.Sqrt(float64(pixels)/2)) / 2 * 2
	width := 2 * height
	var list []File
	for i, h := range s.shots(n) {
		h.height, h.heading = 40, 0
		list = append(list, File{
			Name: fmt.Sprintf("panorama-%04d.jpg", i+1), MediaType: jpegType,
			write: func(w io.Writer) error {
				var d TIFFDir
				s.exif(&d, h, width, height)
				addSampling(&d)
				return writeJPEG(w, s.drawAround(h, width, height), photoQuality, EncodeTIFF(&d), s.xmp(h, sphereXMP(width, height)))
			},
		})
	}
	return list
}

// sphereXMP tells viewers that a picture goes all around.
func sphereXMP(width, height int) string {
	return fmt.Sprintf(` xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" GPano:ProjectionType="equirectangular" `+
		`GPano:UsePanoramaViewer="True" GPano:PoseHeadingDegrees="0" GPano:FullPanoWidthPixels="%[1]d" `+
		`GPano:FullPanoHeightPixels="%[2]d" GPano:CroppedAreaImageWidthPixels="%[1]d" GPano:CroppedAreaImageHeightPixels="%[2]d" `+
		`GPano:CroppedAreaLeftPixels="0" GPano:CroppedAreaTopPixels="0"`, width, height)
}

// drawAround draws all directions: the frame's north in the middle.
func (s *surveyedSite) drawAround(h shot, width, height int) *image.RGBA {
	eye := h.ground + h.height
	return drawImage(width, height, func(column, row int) (r, g, b uint8) {
		azimuth := ((float64(column)+0.5)/float64(width) - 0.5) * 2 * math.Pi
		down := ((float64(row)+0.5)/float64(height) - 0.5) * math.Pi
		sin, cos := math.Sincos(azimuth)
		slope := math.Tan(down)
		far := h.height / max(slope, 1e-3)
		if down <= 0.01 || far > 4000 {
			return skyColour(down)
		}
		// Where the line of sight meets the surface, from the plane on.
		k := s.land.At(h.x+sin*far, h.y+cos*far)
		far = min(max((eye-k.Surface)/slope, 0), 4000)
		r, g, b = s.land.At(h.x+sin*far, h.y+cos*far).RGB()
		haze := 1 - math.Exp(-far/2500)
		hr, hg, hb := skyColour(0)
		return blendBytes(r, hr, haze), blendBytes(g, hg, haze), blendBytes(b, hb, haze)
	})
}

func skyColour(down float64) (r, g, b uint8) {
	up := min(1, math.Max(0, -down)/1.2)
	return uint8(206 - 130*up), uint8(220 - 90*up), uint8(232 - 32*up)
}

func blendBytes(a, b uint8, share float64) uint8 {
	return uint8(float64(a) + (float64(b)-float64(a))*share)
}
