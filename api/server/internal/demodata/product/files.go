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
	Flown        time.Time // zero: the day of the fixtures
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

// Files returns the files of a mission's deliverables, in their order. The files of each
// type have size bytes in total, or their minimum of some tens of kilobytes.
func Files(m Mission, size int64) ([]File, error) {
	if len(m.Location) == 0 {
		return nil, errors.New("the mission has no location")
	}
	for _, p := range m.Location {
		if !(math.Abs(p.Lat) <= 90 && math.Abs(p.Lng) <= 180) {
			return nil, fmt.Errorf("%v, %v is no place on earth", p.Lat, p.Lng)
		}
	}
	if size < 0 || size > MaxSize {
		return nil, fmt.Errorf("files of %d bytes cannot be made; the largest are of %d", size, MaxSize)
	}
	fixtures, err := openFixtures()
	if err != nil {
		return nil, err
	}
	s := locateSite(m.Location)
	var list []File
	for _, kind := range m.Deliverables {
		names := fixtureNames[kind]
		if names == nil {
			return nil, fmt.Errorf("no sample file can be made of %q", kind)
		}
		for i, name := range names {
			f := File{
				Name:      name,
				Kind:      kind,
				MediaType: mediaTypes[path.Ext(name)],
				site:      s,
				flown:     m.Flown,
			}
			f.spot = m.Location[i*len(m.Location)/len(names)]
			fixture, err := fs.Stat(fixtures, name)
			if err != nil {
				return nil, err
			}
			f.Size = fixture.Size()
			wanted := size / int64(len(names)) &^ 3 // a multiple of 4, as GLB requires
			if wanted > f.Size+chunkHead {
				f.Size = wanted
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// Open returns a reader of the file.
func (f File) Open() (io.ReadSeekCloser, error) {
	content, err := f.placeFixture()
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", f.Name, err)
	}
	padding := byte(0)
	if path.Ext(f.Name) == ".geojson" {
		padding = ' '
	}
	return contentReader{io.NewSectionReader(paddedContent{f.addPadding(content), padding}, 0, f.Size)}, nil
}

// placeFixture returns a fixture with the location of the file's site.
func (f File) placeFixture() ([]byte, error) {
	fixtures, err := openFixtures()
	if err != nil {
		return nil, err
	}
	content, err := fs.ReadFile(fixtures, f.Name)
	if err != nil {
		return nil, err
	}
	if !f.flown.IsZero() {
		content = bytes.ReplaceAll(content, []byte(fixtureDay), []byte(f.flown.UTC().Format("2006:01:02")))
	}
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
	return content, err
}

// chunkHead is the length of a chunk's header, which has its type and length.
const chunkHead = 8

// addPadding begins the padding of a file. Formats that contain their own length get a
// last chunk that readers skip. Other formats can be followed by any padding.
func (f File) addPadding(content []byte) []byte {
	rest := f.Size - int64(len(content)) - chunkHead
	if rest < 0 {
		return content
	}
	length := binary.LittleEndian.AppendUint32(nil, uint32(rest))
	switch path.Ext(f.Name) {
	case ".glb":
		binary.LittleEndian.PutUint32(content[8:], uint32(f.Size))
		content = append(append(content, length...), "PADD"...)
	case ".avi":
		binary.LittleEndian.PutUint32(content[4:], uint32(f.Size-chunkHead))
		content = append(append(content, "JUNK"...), length...)
	}
	return content
}

type contentReader struct{ *io.SectionReader }

// Close does nothing.
func (contentReader) Close() error { return nil }

// paddedContent returns its bytes and then the padding without end, so that large files
// need no memory.
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
