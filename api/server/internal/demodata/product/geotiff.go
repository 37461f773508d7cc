package product

import (
	"strconv"
)

// Tags of georeferenced rasters, and of point clouds with the same keys.
const (
	tagPixelScale = 33550
	tagTiepoint   = 33922
	TagGeoKeys    = 34735
	tagMetadata   = 42112
	tagNoData     = 42113
)

// GeoKeys returns the keys that name a reference system.
func GeoKeys(f Frame) []uint16 {
	const (
		model, rasterType, geographic, angular = 1024, 1025, 2048, 2054
		projected, linear                      = 3072, 3076
	)
	if f.Geographic() {
		return []uint16{
			1, 1, 0, 4, model, 0, 1, 2, rasterType, 0, 1, 1, geographic, 0, 1, uint16(f.EPSG), angular, 0, 1, 9102,
		}
	}
	return []uint16{
		1, 1, 0, 4, model, 0, 1, 1, rasterType, 0, 1, 1, projected, 0, 1, uint16(f.EPSG), linear, 0, 1, 9001,
	}
}

// Place tells where the pixels of a grid are.
func (d *TIFFDir) Place(g SampleGrid) {
	east, north := g.Unit()
	d.Double(tagPixelScale, g.Pixel*east, g.Pixel*north, 0)
	e, n := g.Coordinates(g.Left, g.Top)
	d.Double(tagTiepoint, 0, 0, 0, e, n, 0)
	d.Short(TagGeoKeys, GeoKeys(g.Frame)...)
}

// NoData tells which value stands for none.
func (d *TIFFDir) NoData(value float64) {
	d.ASCII(tagNoData, strconv.FormatFloat(value, 'f', -1, 64))
}

// Metadata writes GDAL metadata: XML with the names of the bands.
func (d *TIFFDir) Metadata(xml string) { d.Text(tagMetadata, xml) }
