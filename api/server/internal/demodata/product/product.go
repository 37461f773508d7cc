package product

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"flightdesk/api"
)

// MaxSize is the largest size that can be asked for, in bytes.
const MaxSize = 1 << 30

// ElevationMap is a kind of the v2 API alone.
const ElevationMap = api.DeliverableElevationMap

// Mission is what files are made for.
type Mission struct {
	UUID         string // the seed: another one has another land
	Code         string
	Name         string
	Type         api.MissionType // one that is not known counts as an asset
	Location     []api.Point
	Deliverables []api.Deliverable
	Operator     string
	Flown        time.Time // zero: a day in the past
}

// File is a file that can be made.
type File struct {
	Name      string
	Kind      api.Deliverable
	MediaType string

	write func(io.Writer) error
}

// WriteTo makes the file. It keeps little of it in memory, whatever its size.
func (f File) WriteTo(w io.Writer) (int64, error) {
	c := &countingWriter{w: w}
	if err := f.write(c); err != nil {
		return c.n, fmt.Errorf("making %s: %w", f.Name, err)
	}
	return c.n, nil
}

type countingWriter struct {
	w io.Writer
	n int64
}

// Write passes on.
func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// Open returns a reader that makes the file as it is read. It is for one
// goroutine, and must be closed.
func (f File) Open() io.ReadCloser {
	next, stop := iter.Pull2(func(yield func([]byte, error) bool) {
		if _, err := f.WriteTo(chunkYielder(yield)); err != nil && !errors.Is(err, errClosed) {
			yield(nil, err)
		}
	})
	return &fileReader{next: next, stop: stop}
}

var errClosed = errors.New("nobody reads on")

// chunkYielder hands over what is written.
type chunkYielder func([]byte, error) bool

// Write hands b over; it has been read when it returns.
func (p chunkYielder) Write(b []byte) (int, error) {
	if len(b) > 0 && !p(b, nil) {
		return 0, errClosed
	}
	return len(b), nil
}

type fileReader struct {
	next func() ([]byte, error, bool)
	stop func()
	rest []byte
}

// Read makes more of the file.
func (r *fileReader) Read(b []byte) (int, error) {
	if len(r.rest) == 0 && len(b) > 0 {
		more, err, ok := r.next()
		switch {
		case err != nil:
			return 0, err
		case !ok:
			return 0, io.EOF
		}
		r.rest = more
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close ends the making.
func (r *fileReader) Close() error {
	r.stop()
	return nil
}

// surveyedSite is a mission's ground and land, and how large its files shall be.
type surveyedSite struct {
	Mission
	ground *Ground
	land   *Land
	size   int64 // bytes of each kind; 0: small
}

// Files returns the files of a mission's deliverables, in their order. Each
// kind takes about size bytes, or some tens of kilobytes with size 0. Kinds
// whose files are made in memory, in part, do not grow beyond some tens of
// megabytes a file.
func Files(m Mission, size int64) ([]File, error) {
	s, err := surveySite(m, size)
	if err != nil {
		return nil, err
	}
	var list []File
	for _, kind := range m.Deliverables {
		files := fileMakers[kind]
		if files == nil {
			return nil, fmt.Errorf("no sample file can be made of %q", kind)
		}
		for _, f := range files(s) {
			f.Kind = kind
			list = append(list, f)
		}
	}
	return list, nil
}

func surveySite(m Mission, size int64) (*surveyedSite, error) {
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
	if m.Flown.IsZero() {
		m.Flown = time.Date(2024, 6, 21, 9, 30, 0, 0, time.UTC)
	}
	m.Flown = m.Flown.UTC().Truncate(time.Second)
	g := NewGround(m.Type, m.Location)
	var masts [][2]float64
	if g.Assets {
		masts = g.Sites
	}
	return &surveyedSite{
		Mission: m, ground: g, size: size,
		land: NewLand(m.UUID, g.MinX, g.MinY, g.MaxX, g.MaxY, masts),
	}, nil
}

// fileMakers make the files of each kind.
var fileMakers = map[api.Deliverable]func(*surveyedSite) []File{
	api.DeliverableJPG:    (*surveyedSite).photoFiles,
	"_2dMap":              (*surveyedSite).orthomosaicFiles,
	"_3dMap":              func(s *surveyedSite) []File { return s.modelFiles("3d-map.glb", 900) },
	"_3dModel":            func(s *surveyedSite) []File { return s.modelFiles("model.glb", 2500) },
	"digitalTerrainModel": (*surveyedSite).terrainFiles,
	"digitalSurfaceModel": (*surveyedSite).surfaceFiles,
	"topographicMap":      func(s *surveyedSite) []File { return s.contourFiles("contours.geojson") },
	ElevationMap:          func(s *surveyedSite) []File { return s.contourFiles("elevation.geojson") },
	"thermalMap":          (*surveyedSite).thermalFiles,
	"ndvi":                (*surveyedSite).indexFiles,
	"multispectral":       (*surveyedSite).multispectralFiles,
	"hyperspectral":       (*surveyedSite).hyperspectralFiles,
	"streamedData":        (*surveyedSite).clipFiles,
	"raw":                 (*surveyedSite).rawFiles,
	"panoramas":           (*surveyedSite).panoramaFiles,
	"LiDAR":               func(s *surveyedSite) []File { return s.pointFiles("lidar.las", true) },
	"pointCloud":          func(s *surveyedSite) []File { return s.pointFiles("point-cloud.las", false) },
}

// pieceCount returns how many things of so many bytes make up the size, from least
// on; least itself where the size is small.
func (s *surveyedSite) pieceCount(least int, bytes float64) int {
	return max(least, int(float64(s.size)/bytes))
}
