package checking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/crs"
	"flightdesk/tui/app/checking/container"
	"flightdesk/tui/app/checking/geotiff"
	"flightdesk/tui/app/checking/las"
	"flightdesk/tui/app/checking/photo"
	"flightdesk/tui/app/checking/vector"
	"flightdesk/tui/format"
)

// FileReport is the result of checking one file.
type FileReport struct {
	Package string          `json:"package"` // ID
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Mission string          `json:"mission"` // code
	Product api.Deliverable `json:"product,omitempty"`
	Path    string          `json:"path,omitempty"` // on disk
	Level   Level           `json:"level"`
	Text    string          `json:"text,omitempty"` // the problem or the note; "" if Level is OK
	Facts   []Fact          `json:"facts,omitempty"`

	system    *crs.System
	surface   surface // ground that a raster or a point cloud covers; nil for other files
	isPhoto   bool
	isVector  bool
	isUnread  bool       // reading the file took too long
	basisNote string     // why the rectangle around a raster or a point cloud counts as covered, or ""
	outline   orb.Ring   // rectangle around a raster or a point cloud
	bound     *orb.Bound // rectangle around the features of a vector file
	photo     photo.Photo
	mediaType string
	digest    string
}

// Fact is a property of a file to display, for example the label "Resolution" with the text "2 cm".
type Fact struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

func (f *FileReport) addFact(label, text string) {
	if text != "" {
		f.Facts = append(f.Facts, Fact{label, text})
	}
}

// setLevel records a problem or a note. A note does not replace a problem.
func (f *FileReport) setLevel(l Level, text string) {
	if f.Level.isWorse(l) {
		return
	}
	f.Level = l
	f.Text = text
}

const (
	maxSidecar    = 64 << 10
	shapeSidecar  = 64 << 20
	fileTimeout   = 10 * time.Minute // of a raster without overviews on a slow disk
	smallTimeout  = 20 * time.Second
	signatureSize = 512
)

var errTooSlow = errors.New("reading it was too slow")

// inspect reads a file on disk within a time limit and records what is wrong with it. It returns an error
// only if ctx ends.
func (f *FileReport) inspect(ctx context.Context, limit time.Duration, progress func(share float64)) error {
	file, err := os.Open(f.Path)
	if err != nil {
		f.setLevel(Problem, "cannot be opened: "+plainError(err))
		return nil
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		f.setLevel(Problem, "is not a regular file")
		return nil
	}
	if fault := f.contentFault(file, info.Size()); fault != "" {
		f.setLevel(Problem, fault)
		return nil
	}
	readCtx, cancel := context.WithTimeoutCause(ctx, limit, errTooSlow)
	defer cancel()
	readErr := f.read(readCtx, file, info.Size(), progress)
	if ctx.Err() != nil { // the whole check ends
		return context.Cause(ctx)
	}
	isTooSlow := readErr != nil && errors.Is(context.Cause(readCtx), errTooSlow)
	if isTooSlow {
		f.isUnread = true
		f.setLevel(Note, "is not checked: "+errTooSlow.Error())
		return nil
	}
	if readErr != nil {
		f.setLevel(Problem, sentenceOf(readErr))
	}
	return nil
}

// contentFault returns a message if a file is empty, or if its content does not fit its name or media
// type. Otherwise it returns "".
func (f *FileReport) contentFault(file io.ReaderAt, size int64) string {
	if size == 0 {
		return "is empty: 0 bytes"
	}
	head := make([]byte, min(size, signatureSize))
	_, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "cannot be read: " + plainError(err)
	}
	if !fetch.IsPlausible(head, f.Name, f.mediaType) {
		return describeContent(head, f.Name)
	}
	return ""
}

// describeContent returns a message about a file whose content does not fit its name. head is the beginning
// of the file. A typical case is a web page with an error, which a server sent instead of the file.
func describeContent(head []byte, name string) string {
	text := strings.ToLower(string(head))
	if strings.Contains(text, "<html") || strings.Contains(text, "<!doctype html") {
		return "is a web page (HTML), not data"
	}
	return "does not have the content of a " + strings.ToUpper(strings.TrimPrefix(filepath.Ext(name), ".")) + " file"
}

// plainError returns the text of a file error without the path.
func plainError(err error) string {
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		return failed.Err.Error()
	}
	return err.Error()
}

// isPanic reports whether err comes from a panic that was recovered.
func isPanic(err error) bool {
	_, ok := errors.AsType[*api.PanicError](err)
	return ok
}

// sentenceOf turns an error into text that continues a sentence about the file. For example, it turns
// "the file is truncated" into "is truncated".
func sentenceOf(err error) string {
	if isPanic(err) {
		return "cannot be read"
	}
	text := err.Error()
	for _, subject := range []string{"the file ", "the photo ", "the video ", "the drawing "} {
		if rest, ok := strings.CutPrefix(text, subject); ok {
			return rest
		}
	}
	return "cannot be read: " + text
}

// read reads a file with the reader for its extension, and records facts and problems.
func (f *FileReport) read(ctx context.Context, file *os.File, size int64, progress func(share float64)) error {
	ending := strings.ToLower(filepath.Ext(f.Name))
	switch {
	case isRaster(ending):
		return f.readRaster(ctx, file, size, progress)
	case ending == ".las" || ending == ".laz":
		return f.readCloud(ctx, file, size, progress)
	case ending == ".jpg" || ending == ".jpeg" || ending == ".dng":
		return f.readPhoto(file, size)
	case vector.Knows(ending):
		return f.readVector(ctx, file, size)
	case container.Knows(ending):
		return f.readContainer(ctx, ending, file, size)
	}
	f.setLevel(Note, "has a format that is not checked")
	return nil
}

// timeout returns the time limit for reading a file.
func (c Checker) timeout(f *FileReport) time.Duration {
	if c.readTimeout > 0 {
		return c.readTimeout
	}
	if isRaster(strings.ToLower(filepath.Ext(f.Name))) {
		return fileTimeout
	}
	return smallTimeout
}

func isRaster(ending string) bool { return ending == ".tif" || ending == ".tiff" }

// sidecar reads a companion file: for "a.shp" and the extension ".prj", it reads "a.prj" in the same
// folder. It returns the first such file, or nil if there is none or it is larger than limit bytes.
func (f *FileReport) sidecar(limit int64, endings ...string) []byte {
	stem := strings.TrimSuffix(f.Path, filepath.Ext(f.Path))
	for _, ending := range endings {
		for _, name := range []string{stem + ending, stem + strings.ToUpper(ending)} {
			info, err := os.Lstat(name)
			if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
				continue
			}
			if data, err := os.ReadFile(name); err == nil {
				return data
			}
		}
	}
	return nil
}

// readRaster reads a GeoTIFF, its facts and the ground that it covers.
func (f *FileReport) readRaster(ctx context.Context, file *os.File, size int64, progress func(float64)) error {
	mask := openSidecar(f.Path + ".msk")
	defer mask.close()
	overviews := openSidecar(f.Path + ".ovr")
	defer overviews.close()
	maskOverviews := openSidecar(f.Path + ".msk.ovr")
	defer maskOverviews.close()
	beside := geotiff.Sidecars{
		World:         f.sidecar(maxSidecar, ".tfw", ".tifw", ".wld"),
		Projection:    f.sidecar(maxSidecar, ".prj"),
		Mask:          mask.Sidecar,
		Overviews:     overviews.Sidecar,
		MaskOverviews: maskOverviews.Sidecar,
	}
	raster, err := geotiff.Open(file, size, beside)
	if err != nil {
		return err
	}
	f.system = raster.System
	f.addRasterFacts(raster)
	if !raster.IsPlaced {
		f.setLevel(Note, "does not say where it is: no GeoTIFF position and no world file")
		return nil
	}
	footprint, err := raster.Footprint(ctx, progress)
	if err != nil {
		return err
	}
	f.addFact("Valid pixels by", describeBasis(footprint))
	f.basisNote = footprint.Fault
	if f.system != nil {
		f.surface = footprint
		f.outline = raster.Outline()
	}
	return nil
}

// addRasterFacts adds the size, the bands, the reference system and the resolution of a raster to the facts.
func (f *FileReport) addRasterFacts(raster *geotiff.File) {
	f.addFact("Size", format.GroupInt(raster.Width)+" × "+format.GroupInt(raster.Height)+" px")
	bands := format.Count(raster.Bands, "band") + ", " + raster.Type
	if raster.HasAlpha {
		bands += ", with alpha"
	}
	f.addFact("Bands", bands)
	f.addSystem(raster.SystemFault)
	if resolution := raster.Resolution(); resolution > 0 {
		f.addFact("Resolution", describeResolution(resolution))
	}
}

// describeBasis returns what shows which pixels of a raster are valid, such as "nodata value". If
// only some blocks of the raster were read, it also returns their share.
func describeBasis(p *geotiff.Footprint) string {
	if p.Inferred == 0 {
		return p.Basis
	}
	return fmt.Sprintf("%s, in %.0f %% of the blocks", p.Basis, 100*(1-p.Inferred))
}

// openedSidecar is an open companion file of a raster, such as its mask. The zero value means that there is no file.
type openedSidecar struct {
	geotiff.Sidecar
	file *os.File
}

// openSidecar opens a companion file of a raster. It returns the zero value if there is no regular
// file at path or it cannot be opened.
func openSidecar(path string) (s openedSidecar) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return s
	}
	s.file, err = os.Open(path)
	if err != nil {
		return openedSidecar{}
	}
	s.Sidecar = geotiff.Sidecar{R: s.file, Size: info.Size()}
	return s
}

// close closes the file, if there is one.
func (s *openedSidecar) close() {
	if s.file != nil {
		_ = s.file.Close() // it was only read
	}
}

// describeResolution formats the ground resolution of a raster. side is the side of a pixel in metres.
func describeResolution(side float64) string {
	cm := side * 100
	if cm < 10 {
		return format.GroupDigits(cm, 2) + " cm"
	}
	if cm < 99.95 {
		return format.GroupDigits(cm, 1) + " cm"
	}
	return format.GroupDigits(side, 2) + " m"
}

// describeDensity formats the density of a point cloud in points per m².
func describeDensity(density float64) string {
	if density < 0.01 {
		return "less than 0.01 points per m²"
	}
	if density < 10 {
		return format.GroupDigits(density, 2) + " points per m²"
	}
	return format.GroupDigits(density, 0) + " points per m²"
}

// addSystem adds the reference system of the file to the facts. If the system is unknown, it adds fault as a note.
func (f *FileReport) addSystem(fault string) {
	if f.system == nil {
		f.setLevel(Note, fault)
		return
	}
	name := f.system.Name()
	if code := f.system.Reference(); code != "" && code != name {
		name = code + " " + name
	}
	f.addFact("System", name)
}

// readCloud reads a point cloud (LAS or LAZ), its facts and the ground that it covers.
func (f *FileReport) readCloud(ctx context.Context, file *os.File, size int64, progress func(float64)) error {
	cloud, err := las.Open(file, size)
	if err != nil {
		return err
	}
	f.system = cloud.System
	f.addSystem(cloud.SystemFault)
	pointCount := int(min(cloud.Points, math.MaxInt)) // a damaged file can declare more
	f.addFact("Points", format.GroupInt(pointCount))
	if cloud.Points == 0 {
		return errors.New("the file has no points")
	}
	// The sample of a compressed file has no points: it is the rectangle that the header declares.
	sample, err := cloud.Sample(ctx, progress)
	if err != nil {
		return err
	}
	isMostlyOutside := 2*sample.Outside > sample.Points // a few stray points are common
	if isMostlyOutside {
		return errors.New("the file has points outside the extent that it declares")
	}
	if cloud.Compression != las.None {
		f.basisNote = "only the header of a compressed point cloud (" + cloud.Compression + ") is read"
	}
	f.addDensity(cloud, sample)
	f.addFact("Classes", describeClasses(sample.Classes))
	if f.system != nil {
		f.surface = sample
		f.outline = rectangleOutline(f.system, cloud.Min[0], cloud.Min[1], cloud.Max[0], cloud.Max[1])
	}
	return nil
}

// addDensity adds the point density of a cloud to the facts, unless it is unknown.
func (f *FileReport) addDensity(cloud *las.File, sample *las.Sample) {
	pointsPerSquareUnit := sample.Density(cloud.Points)
	squareMetresPerUnit := squareMetresPerUnitOf(cloud)
	isKnown := pointsPerSquareUnit > 0 && squareMetresPerUnit > 0 // false for NaN
	if !isKnown {
		return
	}
	density := describeDensity(pointsPerSquareUnit / squareMetresPerUnit)
	if cloud.Compression != las.None {
		density += ", if the points fill their rectangle"
	}
	f.addFact("Density", density)
}

// squareMetresPerUnitOf returns how many m² a square unit of the cloud's reference system has on the ground, for
// example 1 for a system in metres. It measures at the centre of the cloud. It returns 0 if the area is unknown.
func squareMetresPerUnitOf(cloud *las.File) float64 {
	if cloud.System == nil {
		return 0
	}
	x := (cloud.Min[0] + cloud.Max[0]) / 2
	y := (cloud.Min[1] + cloud.Max[1]) / 2
	step := 10.0
	if cloud.System.IsGeographic() {
		step = 1e-4
	}
	return groundArea(cloud.System, x, y, step) / (step * step)
}

// groundArea returns the area on the ground, in m², of a square with the centre x, y in a reference
// system. It returns 0 if the square cannot be converted to WGS 84.
func groundArea(system *crs.System, x, y, side float64) float64 {
	var ring orb.Ring
	for _, corner := range [4][2]float64{{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}} {
		lng, lat, err := system.ToWGS84(x+corner[0]*side, y+corner[1]*side)
		if err != nil {
			return 0
		}
		ring = append(ring, orb.Point{lng, lat})
	}
	return kmlcsv.AreaOf(orb.Polygon{append(ring, ring[0])})
}

// classNames has the names of the point classes that surveys use (LAS 1.4-R15, table 17).
var classNames = map[uint8]string{
	0: "never classified", 1: "unclassified", 2: "ground", 3: "low vegetation", 4: "medium vegetation",
	5: "high vegetation", 6: "buildings", 7: "low noise", 9: "water", 10: "rail", 11: "road", 14: "wires",
	15: "towers", 17: "bridges", 18: "high noise",
}

// describeClasses returns a text with the names of point classes.
func describeClasses(classes []uint8) string {
	var names []string
	for _, class := range classes {
		names = append(names, cmp.Or(classNames[class], fmt.Sprintf("class %d", class)))
	}
	return strings.Join(names, ", ")
}

// readPhoto reads the position and the time of a photo.
func (f *FileReport) readPhoto(file *os.File, size int64) error {
	p, err := photo.Read(file, size)
	if err != nil {
		return err
	}
	f.isPhoto = true
	f.photo = p
	f.addFact("Camera", p.Camera)
	if p.HasPosition {
		f.addFact("Position", format.Coordinate(p.Lat, p.Lng))
	}
	if !p.Taken.IsZero() {
		f.addFact("Taken", p.Taken.Format("2 Jan 2006 15:04"))
	}
	return nil
}

// readVector reads the number and the extent of the features in a vector file.
func (f *FileReport) readVector(ctx context.Context, file *os.File, size int64) error {
	f.isVector = true
	beside := map[string][]byte{}
	if strings.EqualFold(filepath.Ext(f.Name), ".shp") {
		for _, ending := range []string{".dbf", ".prj", ".cpg"} {
			if data := f.sidecar(shapeSidecar, ending); data != nil {
				beside[ending] = data
			}
		}
	}
	layer, err := vector.Read(ctx, f.Name, file, size, beside)
	if errors.Is(err, vector.ErrTooLarge) {
		f.setLevel(Note, "is not checked: "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	if layer.Features > 0 {
		f.addFact("Features", format.GroupInt(layer.Features))
	}
	if layer.HasBound {
		f.bound = &layer.Bound
	}
	if layer.Note != "" {
		f.setLevel(Note, layer.Note)
	}
	return nil
}

// readContainer reads the header of a model, a document or a video.
func (f *FileReport) readContainer(ctx context.Context, ending string, file *os.File, size int64) error {
	c, err := container.Read(ctx, ending, file, size)
	if err != nil {
		return err
	}
	f.addFact("Opens as", c.Kind)
	if c.Vertices > 0 {
		f.addFact("Vertices", format.GroupInt(int(c.Vertices)))
	}
	if c.Pages > 0 {
		f.addFact("Pages", format.GroupInt(c.Pages))
	}
	if c.Duration > 0 {
		f.addFact("Duration", c.Duration.Round(time.Second/10).String())
	}
	return nil
}

// factText returns the text of the fact with the given label, or "".
func (f *FileReport) factText(label string) string {
	for _, fact := range f.Facts {
		if fact.Label == label {
			return fact.Text
		}
	}
	return ""
}
