package product

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

const (
	geoTIFF   = "image/tiff"
	noData    = -9999.0
	noDataU16 = 65535
	leastMap  = 0.02 // metres of a pixel
)

// elevationPixels is the size of elevation grids; contours are of the same.
const elevationPixels = 24_000

// grid lays pixels that take about so many bytes each in a file.
func (s *surveyedSite) grid(least int, bytes float64) SampleGrid {
	return s.ground.Grid(s.pieceCount(least, bytes), leastMap)
}

// metres rounds a height to centimetres, as elevation grids have it.
func metres(height float64) float32 { return float32(math.Round(height*100) / 100) }

func (s *surveyedSite) orthomosaicFiles() []File {
	g := s.grid(50_000, 2)
	r := s.raster(g, 4, 8)
	r.Photometric, r.Alpha = PhotometricRGB, true
	r.Row = func(row int, to []byte) {
		g.Columns(row, func(c int) {
			p := to[4*c:][:4]
			p[0], p[1], p[2] = s.land.At(g.X(c), g.Y(row)).RGB()
			p[3] = 255
		})
	}
	return one("orthomosaic.tif", r)
}

func one(name string, r *Raster) []File {
	return []File{{Name: name, MediaType: geoTIFF, write: func(w io.Writer) error {
		_, err := r.WriteTo(w)
		return err
	}}}
}

// raster returns a map of the mission.
func (s *surveyedSite) raster(g SampleGrid, bands, bits int) *Raster {
	r := &Raster{Width: g.Width, Height: g.Height, Bands: bands, Bits: bits, Photometric: PhotometricGrey}
	r.Tags.Place(g)
	s.sign(&r.Tags)
	return r
}

// sign tells what a file is of, and that it is made up.
func (s *surveyedSite) sign(d *TIFFDir) {
	d.ASCII(TagDescription, s.Code+", made up by flightdesk")
	d.ASCII(TagSoftware, software)
	d.ASCII(TagDateTime, s.Flown.Format(exifTime))
}

const (
	software = "flightdesk sample data"
	exifTime = "2006:01:02 15:04:05"
)

// values returns a map of one number a pixel.
func (s *surveyedSite) values(name, band string, g SampleGrid, value func(GroundLook) float32) []File {
	r := s.raster(g, 1, 32)
	r.Float = true
	r.Tags.NoData(noData)
	r.Tags.Metadata(bands(band))
	r.Row = func(row int, to []byte) {
		for c := range g.Width {
			binary.LittleEndian.PutUint32(to[4*c:], math.Float32bits(noData))
		}
		g.Columns(row, func(c int) {
			v := value(s.land.At(g.X(c), g.Y(row)))
			binary.LittleEndian.PutUint32(to[4*c:], math.Float32bits(v))
		})
	}
	return one(name, r)
}

// bands names them the way of GDAL.
func bands(names ...string) string {
	var b strings.Builder
	b.WriteString("<GDALMetadata>")
	for i, name := range names {
		fmt.Fprintf(&b, `<Item name="DESCRIPTION" sample="%d" role="description">%s</Item>`, i, name)
	}
	b.WriteString("</GDALMetadata>")
	return b.String()
}

func (s *surveyedSite) terrainFiles() []File {
	g := s.grid(elevationPixels, 1)
	return s.values("dtm.tif", "terrain height, m", g, func(k GroundLook) float32 { return metres(k.Ground) })
}

func (s *surveyedSite) surfaceFiles() []File {
	g := s.grid(elevationPixels, 1.3)
	return s.values("dsm.tif", "surface height, m", g, func(k GroundLook) float32 { return metres(k.Surface) })
}

func (s *surveyedSite) thermalFiles() []File {
	g := s.grid(20_000, 2)
	return s.values("thermal.tif", "surface temperature, deg C", g, func(k GroundLook) float32 {
		return float32(math.Round(k.Celsius()*20) / 20)
	})
}

func (s *surveyedSite) indexFiles() []File {
	g := s.grid(20_000, 2.2)
	return s.values("ndvi.tif", "NDVI", g, func(k GroundLook) float32 {
		return float32(math.Round(k.NDVI()*500) / 500)
	})
}

// wavelength is a band of a spectral map.
type wavelength struct {
	name string
	nm   float64
}

func (s *surveyedSite) multispectralFiles() []File {
	return s.spectrum("multispectral.tif", 8_000, []wavelength{
		{"blue 475 nm", 475},
		{"green 560 nm", 560},
		{"red 670 nm", Red},
		{"red edge 717 nm", 717},
		{"near infrared 850 nm", NearInfrared},
	})
}

func (s *surveyedSite) hyperspectralFiles() []File {
	var list []wavelength
	for nm := 400.0; nm <= 1000; nm += 20 {
		list = append(list, wavelength{fmt.Sprintf("%.0f nm", nm), nm})
	}
	return s.spectrum("hyperspectral.tif", 1_500, list)
}

// spectrum returns a map of reflectances in ten-thousandths.
func (s *surveyedSite) spectrum(name string, least int, list []wavelength) []File {
	n := len(list)
	g := s.grid(least, 1.2*float64(n))
	r := s.raster(g, n, 16)
	names := make([]string, n)
	for i, b := range list {
		names[i] = b.name
	}
	r.Tags.NoData(noDataU16)
	r.Tags.Metadata(bands(names...))
	r.Row = func(row int, to []byte) {
		for i := range to {
			to[i] = 0xff
		}
		g.Columns(row, func(c int) {
			k := s.land.At(g.X(c), g.Y(row))
			for i, b := range list {
				binary.LittleEndian.PutUint16(to[2*(c*n+i):], uint16(math.Round(k.Reflectance(b.nm)*10_000)))
			}
		})
	}
	return one(name, r)
}
