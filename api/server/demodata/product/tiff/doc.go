// Package tiff writes TIFF structures: the directories of tags that GeoTIFF,
// Exif and DNG are made of, and rasters.
package tiff
