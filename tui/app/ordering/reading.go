package ordering

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
)

// ServiceReading compares how the service and this program read a survey file.
type ServiceReading struct {
	File        string              `json:"file"`
	Here        int                 `json:"local"`   // placemarks that this program reads
	Service     int                 `json:"service"` // placemarks that the service reads
	Message     string              `json:"message"` // message of the service, or why it rejects the file
	Error       string              `json:"error"`   // why this program cannot read the file, or ""
	Refused     bool                `json:"refused"` // the service rejects the file
	Differences []ReadingDifference `json:"differences"`
}

// ReadingDifference is a difference in how the service and this program read a placemark. If only one of
// them reads the placemark, What is "placemark", and Here or Service is "" for the other.
type ReadingDifference struct {
	Placemark string `json:"placemark"` // name of the placemark
	What      string `json:"what"`      // "name", "country", "city", "points" or "placemark"
	Here      string `json:"local"`     // what this program reads
	Service   string `json:"service"`   // what the service reads
}

// CountSummary returns in one line how many placemarks both sides read.
func (r *ServiceReading) CountSummary() string {
	here := cmp.Or(r.Error, format.Count(r.Here, "placemark"))
	return here + "; " + r.serviceSummary()
}

func (r *ServiceReading) serviceSummary() string {
	if r.Message == notSent || r.Message == tooLargeToSend {
		return r.Message
	}
	if r.Refused {
		return "the service rejects the file"
	}
	count := "the service reads " + groupDigits(r.Service)
	if r.Error != "" {
		return count
	}
	if len(r.Differences) == 0 {
		return count + ", no differences"
	}
	return count + ", with " + format.Count(len(r.Differences), "difference")
}

// notSent is the message for a file format that the service does not read.
const notSent = "not sent; the service reads only KML, KMZ and CSV"

// tooLargeToSend is the message for a file that exceeds the limit of the service.
var tooLargeToSend = fmt.Sprintf("not sent; the service reads files of at most %d MiB", api.MaxUploadBytes>>20)

// CompareReadings compares how the service and this program read the content of a survey file. The options have the
// name of the file. It is not an error if one side rejects the file.
func CompareReadings(
	ctx context.Context,
	client *api.Client,
	data []byte,
	opts kmlcsv.Options,
) (*ServiceReading, error) {
	ours, parseErr := kmlcsv.ParseContext(ctx, data, opts)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(data) == 0 { // parseErr says that the file is empty
		return nil, fmt.Errorf("%s: %w", opts.Name, parseErr)
	}
	r := &ServiceReading{File: opts.Name, Differences: []ReadingDifference{}}
	if parseErr != nil {
		r.Error = parseErr.Error()
	} else {
		r.Here = len(ours.Placemarks)
	}
	parse := parserOf(client, fileFormat(opts.Name, ours), data) // even if this program cannot read the file
	theirs, err := r.readOnService(ctx, parse, data)
	if err != nil {
		return nil, err
	}
	haveBothRead := parseErr == nil && theirs != nil // theirs is nil if the service rejects the file
	if haveBothRead {
		r.compareRows(toAPIPlacemarks(ours), theirs.Placemarks)
	}
	return r, nil
}

// readOnService sends the file to the service with parse and records the result. It returns nil if the
// service does not read the file. parse is nil if the service cannot read the format.
func (r *ServiceReading) readOnService(
	ctx context.Context, parse surveyParser, data []byte,
) (*api.ParseResult, error) {
	if len(data) > api.MaxUploadBytes {
		r.refuse(tooLargeToSend)
		return nil, nil
	}
	if parse == nil {
		r.refuse(notSent)
		return nil, nil
	}
	theirs, err := parse(ctx, filepath.Base(r.File), data)
	if refusal := refusalIn(err); refusal != nil {
		r.refuse(refusal.Message)
		return nil, nil //nolint:nilerr // the refusal is the result
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.File, err)
	}
	r.Message = theirs.Message
	r.Service = len(theirs.Placemarks)
	return theirs, nil
}

// refusalIn returns the response of the service if err says that the service cannot read the file. For any
// other error it returns nil.
func refusalIn(err error) *api.Error {
	response, ok := errors.AsType[*api.Error](err)
	if !ok || response.Foreign {
		return nil
	}
	if response.Status != http.StatusBadRequest && response.Status != http.StatusUnprocessableEntity {
		return nil
	}
	return response
}

// refuse records that the service does not read the file. message is the reason.
func (r *ServiceReading) refuse(message string) {
	r.Refused = true
	r.Message = message
}

// surveyParser is an operation of the service that reads a survey file.
type surveyParser func(ctx context.Context, name string, data []byte) (*api.ParseResult, error)

// parserOf returns the operation of the service that reads files of a format, or nil if there is none.
func parserOf(client *api.Client, format kmlcsv.Format, data []byte) surveyParser {
	isWorkbook := bytes.HasPrefix(data, []byte("PK")) // kmlcsv reads it as CSV, the service does not
	if format == kmlcsv.FormatCSV && !isWorkbook {
		return client.Surveys.ParseCSV
	}
	if format == kmlcsv.FormatKML {
		return client.Surveys.ParseKML
	}
	return nil
}

// toAPIPlacemarks converts the placemarks of a survey file to the type of the API.
func toAPIPlacemarks(ours *kmlcsv.Result) (rows []api.Placemark) {
	for _, p := range ours.Placemarks {
		rows = append(rows, api.Placemark{
			LocationLabel: p.Name, Country: p.Country, City: p.City, LocationMap: WirePoints(p.Points()),
		})
	}
	return rows
}

// fileFormat returns the format that the parser has detected or, if the file could not be read, the format
// for its file extension. It returns FormatAuto for an unknown extension.
func fileFormat(name string, read *kmlcsv.Result) kmlcsv.Format {
	if read != nil && read.Format != kmlcsv.FormatAuto {
		return read.Format
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv", ".txt":
		return kmlcsv.FormatCSV
	case "", ".kml", ".kmz", ".wpml", ".xml":
		return kmlcsv.FormatKML
	}
	return kmlcsv.FormatAuto
}

// compareRows compares the placemarks of both readings and records the differences. Placemarks are matched
// by name and points, then by name, then by points, then by position.
func (r *ServiceReading) compareRows(ours, theirs []api.Placemark) {
	partners := matchPlacemarks(ours, theirs)
	isMatched := make([]bool, len(theirs))
	for i, j := range partners {
		if j < 0 {
			r.comparePair(&ours[i], nil)
			continue
		}
		isMatched[j] = true
		r.comparePair(&ours[i], &theirs[j])
	}
	for j, p := range theirs {
		if !isMatched[j] {
			r.addDifference(p.LocationLabel, "placemark", "", pointCount(len(p.LocationMap)))
		}
	}
}

// matchPlacemarks finds the matching placemark of the service (theirs) for each placemark of this program
// (ours). The result has an index of theirs for each placemark of ours, or -1.
func matchPlacemarks(ours, theirs []api.Placemark) []int {
	partners := slices.Repeat([]int{-1}, len(ours))
	isMatched := make([]bool, len(theirs))
	for _, keyOf := range []func(*api.Placemark) string{nameAndPoints, nameOf, pointsKey, noKey} {
		unmatched := map[string][]int{} // indexes in theirs, by key
		for j := range theirs {
			if !isMatched[j] {
				key := keyOf(&theirs[j])
				unmatched[key] = append(unmatched[key], j)
			}
		}
		for i := range ours {
			key := keyOf(&ours[i])
			if partners[i] >= 0 || len(unmatched[key]) == 0 {
				continue
			}
			partner := unmatched[key][0]
			unmatched[key] = unmatched[key][1:]
			partners[i] = partner
			isMatched[partner] = true
		}
	}
	return partners
}

func nameAndPoints(p *api.Placemark) string { return p.LocationLabel + "\x00" + pointsKey(p) }
func nameOf(p *api.Placemark) string        { return p.LocationLabel }
func pointsKey(p *api.Placemark) string     { return fmt.Sprint(openRing(p.LocationMap)) }
func noKey(*api.Placemark) string           { return "" }

// comparePair records the differences between two placemarks. theirs is nil if the service does
// not read the placemark.
func (r *ServiceReading) comparePair(ours, theirs *api.Placemark) {
	name := ours.LocationLabel
	ourPoints := openRing(ours.LocationMap)
	if theirs == nil {
		r.addDifference(name, "placemark", pointCount(len(ourPoints)), "")
		return
	}
	r.addDifference(name, "name", name, theirs.LocationLabel)
	r.addDifference(name, "country", ours.Country, theirs.Country)
	r.addDifference(name, "city", ours.City, theirs.City)
	theirPoints := openRing(theirs.LocationMap)
	if len(ourPoints) != len(theirPoints) {
		r.addDifference(name, "points", pointCount(len(ourPoints)), pointCount(len(theirPoints)))
		return
	}
	for i := range ourPoints {
		if !areNear(ourPoints[i], theirPoints[i]) {
			r.addDifference(name, "points", pointAt(i, ourPoints[i]), pointAt(i, theirPoints[i]))
			return
		}
	}
}

// addDifference records a difference if the values differ.
func (r *ServiceReading) addDifference(placemark, what, here, service string) {
	if here != service {
		difference := ReadingDifference{Placemark: placemark, What: what, Here: here, Service: service}
		r.Differences = append(r.Differences, difference)
	}
}

func pointCount(n int) string { return format.Count(n, "point") }

// pointAt formats a point for a difference. It has 7 decimal places, so that points that are not near each
// other look different.
func pointAt(i int, p api.Point) string {
	return fmt.Sprintf("point %d at %.7f, %.7f", i+1, p.Lat, p.Lng)
}

// openRing returns the points of a ring without the closing point.
func openRing(points []api.Point) []api.Point {
	if n := len(points); n > 3 && points[0] == points[n-1] {
		return points[:n-1]
	}
	return points
}

// areNear reports whether two points are equal except for rounding: their latitudes and longitudes differ
// by less than about a centimetre.
func areNear(a, b api.Point) bool {
	return math.Abs(a.Lat-b.Lat) < 1e-7 && math.Abs(a.Lng-b.Lng) < 1e-7
}

// FileRead is the result of reading a survey file or pasted text.
type FileRead struct {
	Path       string         // path of the file, or the name of the pasted text
	Pasted     string         // the pasted text, or "" for a file
	Options    kmlcsv.Options // options that the user chose
	Again      bool           // read again with other options; removed sites stay removed
	Remembered bool           // Options are those of an earlier file with the same header
	Folder     bool           // the path is a folder
	Result     *kmlcsv.Result
}

// IsQuestion reports whether the file can be read once the user answers a question, such as which columns
// have the coordinates. err is the error of reading the file.
func (r *FileRead) IsQuestion(err error) bool {
	failed, ok := errors.AsType[*kmlcsv.Error](err)
	if !ok || r.Again || r.Result == nil {
		return false
	}
	switch failed.Code {
	case kmlcsv.NeedsAnswer:
		return true
	case kmlcsv.NoColumns, kmlcsv.ProjectedCoords, kmlcsv.NothingUsable:
		return len(r.Result.Layout.Rows) > 0
	}
	return false
}

// LeftOut returns how much of a file was left out, such as "3 of 200 rows left out", and
// the reason for the first record. Both are "" if nothing was left out.
func (r *FileRead) LeftOut() (count, reason string) {
	count = strings.Join(countLeftOut(r.Result.Accounts), ", ")
	if count == "" && r.Result.Skipped > 0 {
		count = format.Count(r.Result.Skipped, "part")
	}
	if count == "" {
		return "", ""
	}
	count += " left out"
	for _, w := range r.Result.Warnings {
		if w.Skipped {
			return count, describeWarning(w, r.Result.Format)
		}
	}
	return count, ""
}

// countLeftOut returns how many records were left out, with a text such as "3 of 200 rows" for each kind
// of record.
func countLeftOut(accounts []kmlcsv.Account) (counts []string) {
	var units []string
	left := map[string]int{}
	total := map[string]int{}
	for _, a := range accounts {
		if !slices.Contains(units, a.Unit) {
			units = append(units, a.Unit)
		}
		left[a.Unit] += a.Skipped
		total[a.Unit] += a.Total - a.Other
	}
	for _, unit := range units {
		if left[unit] > 0 {
			counts = append(counts, groupDigits(left[unit])+" of "+countRecords(total[unit], unit))
		}
	}
	return counts
}

func countRecords(n int, unit string) string {
	if unit == "geometry" {
		return format.Count(n, unit, "geometries")
	}
	return format.Count(n, unit)
}

// DescribeAccount returns how many records of a file were read and left out, such as "200
// rows: 197 read, 3 left out".
func DescribeAccount(a kmlcsv.Account) string {
	var parts []string
	addCount := func(n int, what string) {
		if n > 0 {
			parts = append(parts, groupDigits(n)+" "+what)
		}
	}
	addCount(a.Sites, "read")
	addCount(a.Parts, "parts of a site")
	addCount(a.Skipped, "left out")
	addCount(a.Other, "without data")
	return countRecords(a.Total, a.Unit) + ": " + strings.Join(parts, ", ")
}

// describeWarning returns a warning with its line or row.
func describeWarning(w kmlcsv.Warning, in kmlcsv.Format) string {
	if w.Line == 0 {
		return w.Message
	}
	return lineName(w.Line, in) + ": " + w.Message
}

// lineName returns "row 4" for a table and "line 4" for other files.
func lineName(line int, in kmlcsv.Format) string {
	if in == kmlcsv.FormatCSV {
		return fmt.Sprintf("row %d", line)
	}
	return fmt.Sprintf("line %d", line)
}

// readingsFile is the file with the options that the user chose for survey files. The key is the header of
// a file, so that another file with the same header is read in the same way.
const readingsFile = "readings.json"

// ReadFile reads a survey file. If the user has chosen options for a file with the same header before, it
// uses these options. If the file does not name its coordinate system, the systems that fit the points in
// near are suggested first. It does I/O: call it in the background.
func (k *Drafts) ReadFile(ctx context.Context, path string, near []orb.Point) (FileRead, error) {
	return k.readAsChosen(ctx, FileRead{Path: path}, near)
}

// ReadPasted parses pasted text like [Drafts.ReadFile]. name identifies the text in the draft.
func (k *Drafts) ReadPasted(ctx context.Context, name, text string, near []orb.Point) (FileRead, error) {
	return k.readAsChosen(ctx, FileRead{Path: name, Pasted: text}, near)
}

// readAsChosen reads a file with the options that the user last chose for its header. It uses the default
// options if there are none, or if the file cannot be read with them.
func (k *Drafts) readAsChosen(ctx context.Context, file FileRead, near []orb.Point) (FileRead, error) {
	read, readErr := k.Reader.ReadWith(ctx, file, kmlcsv.Options{Near: near})
	if read.Result == nil || len(read.Result.Header) == 0 {
		return read, readErr
	}
	opts, ok := k.chosenOptions(read.Result.Header)
	if !ok {
		return read, readErr
	}
	if opts.HeaderRow > 0 { // the header may be in another row of this file
		opts.HeaderRow = read.Result.Layout.HeaderRow
	}
	opts.Near = near
	again, err := k.Reader.ReadWith(ctx, file, opts)
	if err != nil {
		return read, readErr
	}
	again.Remembered = true
	return again, nil
}

// chosenOptions returns the options that the user last chose for a file with this header. It returns false
// if there are none.
func (k *Drafts) chosenOptions(header []string) (kmlcsv.Options, bool) {
	k.mu.Lock()
	data, _ := k.readIfExists(readingsFile) // an unreadable file has no options
	k.mu.Unlock()
	chosen := map[string]kmlcsv.Options{}
	_ = decodeIfExists(data, &chosen)
	opts, ok := chosen[headerKey(header)]
	return opts, ok
}

// RememberReading saves the options of a reading for other files with the same header. It
// does I/O: call it in the background.
func (k *Drafts) RememberReading(ctx context.Context, read FileRead) error {
	found, _ := k.Reader.ReadWith(ctx, read, kmlcsv.Options{})
	if found.Result == nil || len(found.Result.Header) == 0 {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.updateFile(readingsFile, func(data []byte) ([]byte, error) {
		known := map[string]kmlcsv.Options{}
		_ = decodeIfExists(data, &known) // an unreadable file is replaced
		known[headerKey(found.Result.Header)] = read.Options
		return json.Marshal(known, json.Deterministic(true))
	})
}

func headerKey(header []string) string { return digestOf([]byte(strings.Join(header, "\x1f"))) }

// FileReason returns the reason of a file error without the path, such as "permission denied".
func FileReason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
