package product

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"sync"
	"time"

	"flightdesk/api"
)

// MaxSize is the maximum size of files in bytes.
const MaxSize = 1 << 30

// ElevationMap is a deliverable of the v2 API only.
const ElevationMap = api.DeliverableElevationMap

//go:embed fixtures.zip
var fixturesZip []byte

var openFixtures = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(fixturesZip), int64(len(fixturesZip)))
})

const fixtureDay = "2024:06:21" // day on which the fixtures were taken according to their metadata

// fixtureNames are the files of each deliverable.
var fixtureNames = map[api.Deliverable][]string{
	api.DeliverableJPG:    {"photo-0001.jpg", "photo-0002.jpg", "photo-0003.jpg"},
	"_2dMap":              {"orthomosaic.tif"},
	"_3dMap":              {"3d-map.glb"},
	"_3dModel":            {"model.glb"},
	"digitalTerrainModel": {"dtm.tif"},
	"digitalSurfaceModel": {"dsm.tif"},
	"topographicMap":      {"contours.geojson"},
	ElevationMap:          {"elevation.geojson"},
	"thermalMap":          {"thermal.tif"},
	"ndvi":                {"ndvi.tif"},
	"multispectral":       {"multispectral.tif"},
	"hyperspectral":       {"hyperspectral.tif"},
	"streamedData":        {"clip.avi"},
	"raw":                 {"raw-0001.dng"},
	"panoramas":           {"panorama-0001.jpg"},
	"LiDAR":               {"lidar.las"},
	"pointCloud":          {"point-cloud.las"},
}

// mediaTypes are the media types by file name extension.
var mediaTypes = map[string]string{
	".jpg": "image/jpeg", ".tif": "image/tiff", ".glb": "model/gltf-binary", ".geojson": "application/geo+json",
	".avi": "video/vnd.avi", ".dng": "image/x-adobe-dng", ".las": "application/vnd.las",
}

// Mission is the data of a mission from which files are created.
type Mission struct {
	Location     []api.Point
	Deliverables []api.Deliverable
	Flown        time.Time // if it is zero, the files have the date of the fixtures

	Partial   []api.Deliverable // rasters that miss the east of the site
	InDegrees []api.Deliverable // rasters in EPSG:4326 instead of the UTM zone of the site

	// FixedMargin is set if the margin around the site does not grow with the site, as in the files
	// of earlier versions.
	FixedMargin bool
}

// siteOf returns the area that the files of a deliverable cover. A deliverable in m.Partial
// misses the east of the site. A deliverable in m.InDegrees uses EPSG:4326.
func (m *Mission) siteOf(kind api.Deliverable) site {
	s := locateSite(m.Location)
	if m.FixedMargin {
		s = locateSiteWithin(m.Location, siteMargin)
	}
	if slices.Contains(m.InDegrees, kind) {
		s = s.inDegrees()
	}
	if slices.Contains(m.Partial, kind) {
		s = s.withoutEast()
	}
	return s
}

// File is a file of a mission. Its content is created when it is opened.
type File struct {
	Name      string
	Kind      api.Deliverable
	MediaType string
	Size      int64 // bytes

	site  site
	spot  api.Point // position of a photo
	flown time.Time
}

// Files returns the sample files of a mission's deliverables, in the order of the deliverables.
// size is the total size of the files of each deliverable, in bytes. If size is too small, the
// files have their minimum size, which is some tens of kilobytes for each deliverable.
func Files(m Mission, size int64) ([]File, error) {
	if err := checkLocation(m.Location); err != nil {
		return nil, err
	}
	if size < 0 || size > MaxSize {
		return nil, fmt.Errorf("files of %d bytes cannot be made; the largest are of %d", size, MaxSize)
	}
	var all []File
	for _, kind := range m.Deliverables {
		names := fixtureNames[kind]
		if names == nil {
			return nil, fmt.Errorf("no sample file can be made of %q", kind)
		}
		s := m.siteOf(kind)
		for i, name := range names {
			fileSize, err := sizeOfFile(name, size/int64(len(names)))
			if err != nil {
				return nil, err
			}
			all = append(all, File{
				Name:      name,
				Kind:      kind,
				MediaType: mediaTypes[path.Ext(name)],
				Size:      fileSize,
				site:      s,
				spot:      m.Location[i*len(m.Location)/len(names)], // spreads the files over the points
				flown:     m.Flown,
			})
		}
	}
	return all, nil
}

// checkLocation returns an error if there are no points, or one is not on earth.
func checkLocation(points []api.Point) error {
	if len(points) == 0 {
		return errors.New("the mission has no location")
	}
	for _, p := range points {
		isOnEarth := math.Abs(p.Lat) <= 90 && math.Abs(p.Lng) <= 180 // false for NaN
		if !isOnEarth {
			return fmt.Errorf("%v, %v is no place on earth", p.Lat, p.Lng)
		}
	}
	return nil
}

// sizeOfFile returns the size of a sample file in bytes. wanted is the requested size. A file has
// at least the size of its fixture. A larger file ends with padding.
func sizeOfFile(name string, wanted int64) (int64, error) {
	fixtures, err := openFixtures()
	if err != nil {
		return 0, err
	}
	fixture, err := fs.Stat(fixtures, name)
	if err != nil {
		return 0, err
	}
	wanted = wanted / 4 * 4 // GLB requires a multiple of 4
	if wanted <= fixture.Size()+chunkHead {
		return fixture.Size(), nil // there is no room for padding
	}
	return wanted, nil
}

// Open returns a reader of the file.
func (f File) Open() (io.ReadSeekCloser, error) {
	content, err := f.fixtureOnSite()
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", f.Name, err)
	}
	padding := byte(0)
	if path.Ext(f.Name) == ".geojson" {
		padding = ' '
	}
	padded := paddedContent{f.startPadding(content), padding}
	return contentReader{io.NewSectionReader(padded, 0, f.Size)}, nil
}

// fixtureOnSite returns the content of the file's fixture, with the location of the file's site
// and the day of its flight.
func (f File) fixtureOnSite() ([]byte, error) {
	fixtures, err := openFixtures()
	if err != nil {
		return nil, err
	}
	content, err := fs.ReadFile(fixtures, f.Name)
	if err != nil {
		return nil, err
	}
	if !f.flown.IsZero() {
		flightDay := f.flown.UTC().Format("2006:01:02")
		content = bytes.ReplaceAll(content, []byte(fixtureDay), []byte(flightDay))
	}
	return f.place(content)
}

// place writes the location of f into content, which is the content of the fixture of f. It
// returns the result, and overwrites content.
func (f File) place(content []byte) ([]byte, error) {
	var err error
	switch path.Ext(f.Name) {
	case ".tif":
		err = f.site.placeRaster(content)
	case ".las":
		err = f.site.placeCloud(content)
	case ".jpg":
		err = placePhoto(content[exifStart:], f.spot)
	case ".dng":
		err = placePhoto(content, f.spot)
	case ".geojson":
		content, err = f.site.placeContours(content)
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}

// chunkHead is the length of a chunk's header, which has its type and length.
const chunkHead = 8

// startPadding prepares the content of a file for the padding that follows it. Formats with
// chunks, .glb and .avi, get a last chunk that readers skip: startPadding adds the header of the
// chunk, and the padding is the content of the chunk. It also updates the length in the header of
// the file. Other formats allow any bytes after the content.
func (f File) startPadding(content []byte) []byte {
	paddingLength := f.Size - int64(len(content)) - chunkHead
	if paddingLength < 0 {
		return content
	}
	chunkLength := binary.LittleEndian.AppendUint32(nil, uint32(paddingLength))
	switch path.Ext(f.Name) {
	case ".glb":
		binary.LittleEndian.PutUint32(content[8:], uint32(f.Size))
		return slices.Concat(content, chunkLength, []byte("PADD"))
	case ".avi":
		binary.LittleEndian.PutUint32(content[4:], uint32(f.Size-chunkHead))
		return slices.Concat(content, []byte("JUNK"), chunkLength)
	}
	return content
}

type contentReader struct{ *io.SectionReader }

// Close does nothing.
func (contentReader) Close() error { return nil }

// paddedContent is the content of a file with endless padding after it. The padding is generated
// when it is read, so large files need no memory for it.
type paddedContent struct {
	bytes   []byte
	padding byte
}

// ReadAt always fills b.
func (c paddedContent) ReadAt(b []byte, at int64) (int, error) {
	n := copy(b, c.bytes[min(at, int64(len(c.bytes))):])
	for i := n; i < len(b); i++ {
		b[i] = c.padding
	}
	return len(b), nil
}
