package ordering

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// FileReader reads survey files and pasted text. The zero value has only the limits of package kmlcsv.
type FileReader struct {
	MaxBytes  int64 // maximum size of a file; 0 for the limit of kmlcsv
	MaxSites  int   // maximum number of sites in a file and in a draft; 0 for the limit of kmlcsv in a file
	MaxPoints int   // maximum number of points in a file and in a draft; 0 for no limit

	// Wait blocks until another file may be read. The reader calls done when it has read the file. If
	// Wait is nil, any number of files are read at the same time.
	Wait func(ctx context.Context) (done func(), err error)
}

// ReadFile reads and parses a survey file. Its errors begin with the file name. If the
// columns of a CSV file are unknown, the result has the header and an error is returned as
// well.
func (r *FileReader) ReadFile(ctx context.Context, path string, opts kmlcsv.Options) (FileRead, error) {
	return r.ReadWith(ctx, FileRead{Path: path}, opts)
}

// ReadPasted parses pasted text. name identifies the text in the draft, like the path of a file. It
// returns the same results and errors as [FileReader.ReadFile].
func (r *FileReader) ReadPasted(ctx context.Context, name, text string, opts kmlcsv.Options) (FileRead, error) {
	return r.ReadWith(ctx, FileRead{Path: name, Pasted: text}, opts)
}

// ReadWith reads a file or pasted text with the given options. file has its path or text.
func (r *FileReader) ReadWith(ctx context.Context, file FileRead, opts kmlcsv.Options) (FileRead, error) {
	reading := FileRead{Path: file.Path, Pasted: file.Pasted, Options: opts}
	done, err := r.wait(ctx)
	if err != nil {
		return reading, err
	}
	defer done()
	if reading.Pasted == "" {
		return r.readFromDisk(ctx, reading)
	}
	reading.Result, err = r.parsePasted(ctx, reading.Pasted, opts)
	if err != nil {
		return reading, fmt.Errorf("%s: %w", reading.Path, err)
	}
	offerSimplified(reading.Result)
	return reading, nil
}

// readFromDisk reads and parses the file at reading.Path with reading.Options. If the path is a folder, it
// only sets Folder.
func (r *FileReader) readFromDisk(ctx context.Context, reading FileRead) (FileRead, error) {
	data, isFolder, err := r.readData(reading.Path)
	if err != nil {
		return reading, err
	}
	if isFolder {
		reading.Folder = true
		return reading, nil
	}
	fileOptions := reading.Options // a copy, because reading.Options has only what the user chose
	fileOptions.Name = reading.Path
	fileOptions.Beside = r.ReadBeside(reading.Path)
	reading.Result, err = r.parse(ctx, data, fileOptions)
	if err != nil {
		return reading, fmt.Errorf("%s: %w", filepath.Base(reading.Path), err)
	}
	offerSimplified(reading.Result)
	return reading, nil
}

// CompareFile compares how the service and this program read a survey file.
func (r *FileReader) CompareFile(
	ctx context.Context, client *api.Client, path string, opts kmlcsv.Options,
) (*ServiceReading, error) {
	done, err := r.wait(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	data, isFolder, err := r.readData(path)
	if err != nil {
		return nil, err
	}
	if isFolder {
		return nil, fmt.Errorf("%s: this is a folder", path)
	}
	opts.Name = path
	opts.Beside = r.ReadBeside(path)
	opts.MaxBytes = r.MaxBytes
	opts.MaxSites = r.MaxSites
	return CompareReadings(ctx, client, data, opts)
}

func (r *FileReader) wait(ctx context.Context) (done func(), err error) {
	if r.Wait == nil {
		return func() {}, nil
	}
	return r.Wait(ctx)
}

func (r *FileReader) parse(ctx context.Context, data []byte, opts kmlcsv.Options) (*kmlcsv.Result, error) {
	opts.MaxBytes = r.MaxBytes
	opts.MaxSites = r.MaxSites
	res, err := kmlcsv.ParseContext(ctx, data, opts)
	return r.checkPoints(res, err)
}

func (r *FileReader) parsePasted(ctx context.Context, text string, opts kmlcsv.Options) (*kmlcsv.Result, error) {
	opts.MaxBytes = r.MaxBytes
	opts.MaxSites = r.MaxSites
	res, err := kmlcsv.ParsePasted(ctx, text, opts)
	return r.checkPoints(res, err)
}

// checkPoints passes on the result and the error of a parser. If the result has more than MaxPoints
// points, it returns an error instead.
func (r *FileReader) checkPoints(res *kmlcsv.Result, err error) (*kmlcsv.Result, error) {
	if res == nil || r.MaxPoints == 0 {
		return res, err
	}
	if n := countPoints(res); n > r.MaxPoints {
		return nil, fmt.Errorf("its sites have %s points, more than the %s that can be read here; simplify or split it",
			groupDigits(n), groupDigits(r.MaxPoints))
	}
	return res, err
}

func countPoints(res *kmlcsv.Result) (n int) {
	for _, p := range res.Placemarks {
		n += pointsOf(p.Geometry)
	}
	return n
}

// pointsOf returns the number of points of a geometry, including its holes.
func pointsOf(g orb.Geometry) (n int) {
	switch g := g.(type) {
	case orb.Point:
		return 1
	case orb.LineString:
		return len(g)
	case orb.Polygon:
		for _, ring := range g {
			n += len(ring)
		}
	}
	return n
}

// CheckDraft returns an error if the draft would have too many sites or points with the given files. All
// sites of a draft are kept in memory, so their number must be limited.
func (r *FileReader) CheckDraft(d *Draft, readings ...FileRead) error {
	isReplaced := map[string]bool{} // by path
	sites := 0
	points := 0
	for _, reading := range readings {
		isReplaced[reading.Path] = true
		sites += len(reading.Result.Placemarks)
		points += countPoints(reading.Result)
	}
	for _, s := range d.Sites {
		if !isReplaced[s.File] {
			sites++
			points += pointsOf(s.Geometry)
		}
	}
	if r.MaxSites > 0 && sites > r.MaxSites {
		return fmt.Errorf("a draft can have %s sites here, not %s; place an order, then start another draft",
			groupDigits(r.MaxSites), groupDigits(sites))
	}
	if r.MaxPoints > 0 && points > r.MaxPoints {
		return fmt.Errorf("the sites of a draft can have %s points here, not %s; place an order, then start another draft",
			groupDigits(r.MaxPoints), groupDigits(points))
	}
	return nil
}

// readData reads a survey file, or reports that the path is a folder.
func (r *FileReader) readData(path string) (data []byte, isFolder bool, err error) {
	info, err := os.Stat(path) // opening a pipe would wait for its writer
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, FileReason(err))
	}
	if info.IsDir() {
		return nil, true, nil
	}
	if !info.Mode().IsRegular() {
		return nil, false, fmt.Errorf("%s: not a regular file", path)
	}
	data, err = r.readStart(path)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, FileReason(err))
	}
	return data, false, nil
}

func (r *FileReader) readStart(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return r.ReadSurvey(f)
}

// ReadSurvey reads a survey file. If a regular file is larger than MaxBytes, it returns an error
// without reading the file. Other input, such as a pipe, has no known size: ReadSurvey reads at
// most one byte more than MaxBytes, and the parser reports that these data are too large.
func (r *FileReader) ReadSurvey(from io.Reader) ([]byte, error) {
	size := int64(0)
	if f, ok := from.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	if err := kmlcsv.CheckSize(size, r.MaxBytes); err != nil {
		return nil, err
	}
	limit := r.MaxBytes
	if limit == 0 {
		limit = kmlcsv.DefaultMaxBytes
	}
	var data bytes.Buffer
	data.Grow(int(size) + bytes.MinRead)
	_, err := data.ReadFrom(io.LimitReader(from, limit+1))
	return data.Bytes(), err
}

// ReadBeside reads the files that belong to the file at path and have the same name with another
// extension: the attributes and the coordinate system of a .shp file, and the write-ahead log of a
// GeoPackage. The result has the content by extension, for [kmlcsv.Options].
func (r *FileReader) ReadBeside(path string) map[string][]byte {
	extension := filepath.Ext(path)
	base := strings.TrimSuffix(path, extension)
	var wanted []string
	switch strings.ToLower(extension) {
	case ".shp":
		wanted = []string{".dbf", ".prj", ".cpg"}
	case ".gpkg":
		wanted = []string{"-wal"}
	}
	contents := map[string][]byte{}
	for _, ending := range wanted {
		for _, name := range []string{base + ending, base + strings.ToUpper(ending), path + ending} {
			data, _, err := r.readData(name)
			if err == nil && len(contents[ending]) == 0 {
				contents[ending] = data
			}
		}
	}
	return contents
}
