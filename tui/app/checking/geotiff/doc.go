// Package geotiff reads what a delivered raster says about itself: its reference system, its
// ground resolution, its bands, and which part of it has valid pixels. It reads TIFF, BigTIFF
// and Cloud Optimized GeoTIFF, and never loads a whole image.
//
//	f, err := geotiff.Open(file, size, geotiff.Sidecars{})
//	footprint, err := f.Footprint(ctx, nil)
//	covered := footprint.Covers(x, y) // coordinates of f.System
//
// Valid pixels are found in the smallest suitable overview, which can be in a file beside the raster. They are
// found by an internal mask, otherwise by an alpha band, otherwise by a nodata value. If a file has none of
// these, or its pixels have a compression that this package does not know, its rectangle counts as valid, and
// [Footprint.Basis] says so.
//
// A file is hostile until proven otherwise: every offset and every count is compared with the
// size of the file before memory is allocated, directories cannot form loops, and the memory in
// use does not depend on the sizes that the file declares.
//
// It follows the TIFF 6.0 specification (Adobe, 1992) with its Technical Note 2
// (JPEG) and Technical Note 3 (floating-point predictor), the BigTIFF design (AWare Systems,
// 2007), the GeoTIFF standard 1.1 (OGC 19-008r4), and the tags of GDAL (gdal.org, "GTiff --
// GeoTIFF File Format": GDAL_NODATA, internal masks and sparse blocks).
package geotiff
