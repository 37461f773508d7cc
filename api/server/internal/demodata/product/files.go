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

// MaxSize is the largest size that can be asked for, in bytes.
const MaxSize = 1 << 30

// ElevationMap is a kind of the v2 API alone.
const ElevationMap = api.DeliverableElevationMap

//go:embed fixtures.zip
var fixturesZip []byte

var openFixtures = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(fixturesZip), int64(len(fixturesZip)))
})

const fixtureDay = "2024:06:21" // that they say they were taken on

// fixtureNames are the files of each kind.
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

// mediaTypes are those of the files, by how their names end.
var mediaTypes = map[string]string{
	".jpg": "image/jpeg", ".tif": "image/tiff", ".glb": "model/gltf-binary", ".geojson": "application/geo+json",
	".avi": "video/vnd.avi", ".dng": "image/x-adobe-dng", ".las": "application/vnd.las",
}

// Mission is what files are made for.
type Mission struct {
	Location     []api.Point
	Deliverables []api.Deliverable
	Flown        time.Time // zero: the day of the fixtures
}

// File is a file of a mission, which is made when it is opened.
type File struct {
	Name      string
	Kind      api.Deliverable
	MediaType string
	Size      int64 // bytes

	site  site
	spot  api.Point // that a photo is taken at
	flown time.Time
}

// Files returns the files of a mission's deliverables, in their order. Each kind
// takes size bytes, or some tens of kilobytes where that is more.
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
			if larger := size / int64(len(names)) &^ 3; larger > f.Size+chunkHead {
				f.Size = larger
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

// placeFixture returns a fixture as it is at the file's site.
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

// chunkHead is the length of what tells the kind and the length of a chunk.
const chunkHead = 8

// addPadding begins what fills the file up: in formats that tell their own length a last
// chunk that readers skip. The others may be followed by zeros.
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

// Close has nothing to release.
func (contentReader) Close() error { return nil }

// paddedContent goes on without end after its bytes, so that large files take no memory.
type paddedContent struct {
	bytes   []byte
	padding byte
}

// ReadAt fills all of b.
func (c paddedContent) ReadAt(b []byte, at int64) (int, error) {
	n := copy(b, c.bytes[min(at, int64(len(c.bytes))):])
	for i := n; i < len(b); i++ {
		b[i] = c.padding
	}
	return len(b), nil
}
