package product

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

const (
	blackLevel = 256
	whiteLevel = 4095
)

// balance is what neutral grey is in the camera's own red, green and blue.
var balance = [3]float64{0.5, 1, 0.625}

// rawFiles photos are those of the sensor, one colour a pixel.
func (s *surveyedSite) rawFiles() []File {
	const smallest = 288 * 192
	n, pixels := s.splitSize(1, smallest, 2)
	height := int(math.Sqrt(float64(pixels)/1.5)) / 2 * 2
	width := height * 3 / 4 * 2
	var list []File
	for i, h := range s.shots(n) {
		list = append(list, File{
			Name: fmt.Sprintf("raw-%04d.dng", i+1), MediaType: "image/x-adobe-dng",
			write: func(w io.Writer) error {
				return WriteTIFFPair(w, s.preview(h, width, height), s.mosaic(h, width, height))
			},
		})
	}
	return list
}

// preview returns the small picture, with what is told of the whole file.
func (s *surveyedSite) preview(h shot, width, height int) *Raster {
	const (
		dngVersion, dngBackward, uniqueModel, matrix, neutral, illuminant = 50706, 50707, 50708, 50721, 50728, 50778
		d65                                                               = 21
	)
	r := &Raster{Width: 120, Height: 80, Bands: 3, Bits: 8, Photometric: PhotometricRGB, Plain: true}
	r.Row = func(row int, to []byte) {
		for c := range r.Width {
			x, y := h.spot((float64(c)+0.5)/float64(r.Width)-0.5, (float64(row)+0.5)/float64(r.Height)-0.5)
			to[3*c], to[3*c+1], to[3*c+2] = s.land.At(x, y).RGB()
		}
	}
	d := &r.Tags
	s.exif(d, h, width, height)
	d.Long(TagNewSubfileType, 1)
	d.Bytes(dngVersion, 1, 4, 0, 0)
	d.Bytes(dngBackward, 1, 1, 0, 0)
	d.ASCII(uniqueModel, cameraMake+" "+cameraModel)
	// From XYZ to the camera's colours: those of sRGB, each times its balance.
	d.SRational(
		matrix, 10_000,
		3.2406*balance[0], -1.5372*balance[0], -0.4986*balance[0],
		-0.9689, 1.8758, 0.0415,
		0.0557*balance[2], -0.2040*balance[2], 1.0570*balance[2],
	)
	d.Rational(neutral, 1000, balance[0], balance[1], balance[2])
	d.Short(illuminant, d65)
	return r
}

// mosaic returns the sensor's picture: red and green in even rows, green and blue
// in odd ones.
func (s *surveyedSite) mosaic(h shot, width, height int) *Raster {
	const (
		patternSize, pattern, planes, layout, black, white = 33421, 33422, 50710, 50711, 50714, 50717
	)
	r := &Raster{Width: width, Height: height, Bands: 1, Bits: 16, Photometric: PhotometricCFA, Plain: true}
	r.Row = func(row int, to []byte) {
		for c := range width {
			x, y := h.spot((float64(c)+0.5)/float64(width)-0.5, (float64(row)+0.5)/float64(height)-0.5)
			band := row%2 + c%2 // 0, 1, 2: red, green, blue
			light := s.land.At(x, y).Linear()[band] * balance[band]
			binary.LittleEndian.PutUint16(to[2*c:], uint16(blackLevel+light*(whiteLevel-blackLevel)))
		}
	}
	d := &r.Tags
	d.Long(TagNewSubfileType, 0)
	d.Short(TagOrientation, 1)
	d.Short(patternSize, 2, 2)
	d.Bytes(pattern, 0, 1, 1, 2)
	d.Bytes(planes, 0, 1, 2)
	d.Short(layout, 1)
	d.Short(black, blackLevel)
	d.Long(white, whiteLevel)
	return r
}
