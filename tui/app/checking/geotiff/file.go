package geotiff

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"flightdesk/kmlcsv/crs"
)

// File is an open GeoTIFF raster.
type File struct {
	Width, Height int
	Bands         int    // number of bands without the alpha band
	HasAlpha      bool   // there is an alpha band in addition to Bands
	Type          string // type of the samples, such as "8-bit" or "32-bit float"
	Big           bool   // the file is a BigTIFF
	Overviews     int    // number of smaller copies of the image

	System      *crs.System // reference system; nil if unknown
	SystemFault string      // why System is nil, such as "has no reference system", or ""
	IsPlaced    bool        // the position of the pixels on the ground is known

	transform affine // from pixels to coordinates of System
	raster    *image
	others    []*image // overviews and masks
	noData    *float64
}

// Sidecars has the companion files of a raster, with the same name and the extension in the comment. They are used for
// information that the raster itself lacks. The zero value of a field means that there is no such file.
type Sidecars struct {
	World         []byte  // .tfw: position of the pixels
	Projection    []byte  // .prj: reference system
	Mask          Sidecar // .tif.msk: valid pixels
	Overviews     Sidecar // .tif.ovr: smaller copies of the image
	MaskOverviews Sidecar // .tif.msk.ovr: smaller copies of the mask
}

// Sidecar is an open companion file of a raster. The zero value means that there is no file.
type Sidecar struct {
	R    io.ReaderAt
	Size int64
}

// Open reads the tags of a raster of size bytes, and of its companion files beside it.
func Open(r io.ReaderAt, size int64, beside Sidecars) (*File, error) {
	s := &source{r: r, size: size}
	images, err := s.readImages()
	if err != nil {
		return nil, err
	}
	m := images[0]
	hasAlpha := m.alpha >= 0
	bands := m.samples
	if hasAlpha {
		bands--
	}
	f := &File{
		Width:    m.width,
		Height:   m.height,
		Bands:    bands,
		HasAlpha: hasAlpha,
		Type:     m.sampleType(),
		Big:      s.big,
		raster:   m,
		others:   images[1:],
	}
	if err := f.readNoData(); err != nil {
		return nil, err
	}
	if err := f.readMask(beside.Mask, beside.MaskOverviews); err != nil {
		return nil, err
	}
	if err := f.readOverviews(beside.Overviews); err != nil {
		return nil, err
	}
	f.Overviews = len(f.overviews())
	if err := f.readPlace(beside.World); err != nil {
		return nil, err
	}
	if err := f.readSystem(beside.Projection); err != nil {
		return nil, err
	}
	return f, nil
}

// readImages reads the tags of all images in the file. The first image is the raster. Other images
// with an unknown layout are skipped. It fails if the file ends before the data of an image.
func (s *source) readImages() ([]*image, error) {
	first, err := s.readHeader()
	if err != nil {
		return nil, err
	}
	var images []*image
	seen := map[uint64]bool{}
	queue := []uint64{first}
	for len(queue) > 0 {
		offset := queue[0]
		queue = queue[1:]
		if offset == 0 {
			continue
		}
		if seen[offset] {
			return nil, errors.New("the directories of the file form a loop")
		}
		if len(seen) == maxDirectories {
			return nil, errManyDirectories
		}
		seen[offset] = true
		dir, following, err := s.readLinked(offset)
		if err != nil {
			return nil, err
		}
		queue = append(queue, following...)
		m, err := s.parseImage(dir)
		if err != nil {
			isOptional := len(images) > 0 && !errors.Is(err, errTruncated)
			if isOptional {
				continue
			}
			return nil, err
		}
		images = append(images, m)
	}
	if len(images) == 0 {
		return nil, errors.New("the file has no image")
	}
	return images, nil
}

var errManyDirectories = fmt.Errorf("the file has more than %d directories", maxDirectories)

// readLinked reads the directory at an offset. following are the offsets of the directories that it links
// to: its subdirectories, and the next directory in the file's chain of directories.
func (s *source) readLinked(offset uint64) (dir directory, following []uint64, err error) {
	dir, next, err := s.readDirectory(offset)
	if err != nil {
		return nil, nil, err
	}
	following, err = s.integers(dir, tagSubDirectories)
	if err != nil {
		return nil, nil, err
	}
	if len(following) > maxDirectories {
		return nil, nil, errManyDirectories
	}
	return dir, append(following, next), nil
}

// sampleType returns the type of the samples for display, such as "8-bit" or "32-bit float".
func (m *image) sampleType() string {
	text := strconv.Itoa(m.bits) + "-bit"
	switch m.format {
	case formatSigned:
		text += " signed"
	case formatFloat:
		text += " float"
	}
	return text
}

// readNoData reads the nodata value, which marks pixels without data.
func (f *File) readNoData() error {
	text, err := f.raster.text(f.raster.dir, tagNoData)
	if err != nil || text == "" {
		return err
	}
	if value, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		f.noData = &value
	}
	return nil
}

// readMask adds the images of a mask file, which GDAL writes. It is a TIFF with one band and the size of the raster;
// the value 0 marks invalid pixels. Smaller copies of the mask are in the same file or in a separate overview file.
func (f *File) readMask(mask, overviews Sidecar) error {
	if mask.R == nil {
		return nil
	}
	images, err := mask.readImages()
	if err != nil {
		return fmt.Errorf("its mask file (.msk) is damaged: %w", err)
	}
	hasRasterSize := images[0].width == f.Width && images[0].height == f.Height
	if !hasRasterSize {
		return errOtherMask
	}
	for _, m := range images {
		if !m.hasMaskSamples() {
			return errOtherMask
		}
		m.isMask = true
		f.others = append(f.others, m)
	}
	return f.readMaskOverviews(overviews)
}

var errOtherMask = errors.New("its mask file (.msk) is not a mask of the raster")

// readMaskOverviews adds the images of a mask's overview file.
func (f *File) readMaskOverviews(overviews Sidecar) error {
	if overviews.R == nil {
		return nil
	}
	images, err := overviews.readImages()
	if err != nil {
		return fmt.Errorf("the overview file of its mask (.msk.ovr) is damaged: %w", err)
	}
	for _, m := range images {
		if m.hasMaskSamples() && f.isSmaller(m) {
			m.isMask = true
			m.isOverview = true
			f.others = append(f.others, m)
		}
	}
	return nil
}

// readOverviews adds the images of an overview file: copies of the raster, or of its mask, with fewer
// pixels. It skips images that are not smaller than the raster, and images with other bands or sample
// types. The raster can be read without them.
func (f *File) readOverviews(overviews Sidecar) error {
	if overviews.R == nil {
		return nil
	}
	images, err := overviews.readImages()
	if err != nil {
		return fmt.Errorf("its overview file (.ovr) is damaged: %w", err)
	}
	for _, m := range images {
		isUsable := m.isMask || m.hasSamplesOf(f.raster)
		if isUsable && f.isSmaller(m) {
			m.isOverview = true
			f.others = append(f.others, m)
		}
	}
	return nil
}

// hasSamplesOf reports whether two images have the same number of bands and the same sample type.
func (m *image) hasSamplesOf(other *image) bool {
	hasBands := m.samples == other.samples && m.alpha == other.alpha
	hasType := m.bits == other.bits && m.format == other.format
	return hasBands && hasType
}

// isSmaller reports whether an image is smaller than the raster and has the same proportions.
func (f *File) isSmaller(m *image) bool {
	height := float64(f.Height) * float64(m.width) / float64(f.Width)
	return m.width < f.Width && math.Abs(float64(m.height)-height) <= 1+0.01*height
}

// readImages reads the images of the file.
func (s Sidecar) readImages() ([]*image, error) {
	return (&source{r: s.R, size: s.Size}).readImages()
}
