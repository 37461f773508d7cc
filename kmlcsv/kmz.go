package kmlcsv

import (
	"archive/zip"
	"bytes"
	"cmp"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

var damagedKMZ = newError(BadArchive, "the KMZ is damaged; export it again")

// parseZip reads the KML inside a KMZ. Names in the archive only choose the
// file; nothing is ever written under them.
func parseZip(data []byte, opts Options) (*Result, *Error) {
	if opts.Format == FormatCSV {
		return nil, newError(
			WrongType,
			"this is a ZIP archive (an Excel workbook, a KMZ?), not CSV; save the sheet as CSV",
		)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damagedKMZ
	}
	documents, kind := documentsIn(archive.File)
	if len(documents) == 0 {
		return parseOtherArchive(archive, kind, opts)
	}
	return parseDocuments(documents, opts)
}

// parseOtherArchive reads an archive without KML, of the kind that it is.
func parseOtherArchive(archive *zip.Reader, kind string, opts Options) (*Result, *Error) {
	switch {
	case kind == officeKind && opts.Format == FormatAuto:
		return parseWorkbook(archive, opts)
	case kind == shapefileKind && opts.Format == FormatAuto:
		return parseShapefiles(archive.File, opts)
	case kind != "":
		return nil, newError(WrongType, "this is %s, not a KMZ; export the sites as KML or CSV", kind)
	}
	return nil, newError(NoKML, "no KML file in the archive")
}

// parseDocuments reads the documents of a KMZ: all of them, or the first that has
// placemarks.
func parseDocuments(documents []*zip.File, opts Options) (*Result, *Error) {
	several := len(documents) > 1 && !isWaylines(documents[1])
	var all, res *Result
	var failed *Error
	left := opts.MaxBytes
	for _, file := range documents {
		if all != nil && isWaylines(file) {
			break // its sites are those of the template
		}
		text, err := inflateFile(file, left)
		if err != nil && err.Code == TooLarge {
			err = newError(TooLarge, "the KMZ is too large: it expands to over %s", humanize.IBytes(uint64(opts.MaxBytes)))
		}
		if err != nil {
			return nil, err
		}
		left -= int64(len(text))
		res, failed = parseKML(text, opts)
		switch {
		case several && isReadable(failed):
			opts.MaxWarnings = max(1, cmp.Or(opts.MaxWarnings, DefaultMaxWarnings)-len(res.Warnings))
			all = res.joinTo(all, strings.TrimSuffix(path.Base(file.Name), path.Ext(file.Name)))
		case !isWithoutSites(failed):
			return res, failed
		}
	}
	if all != nil && len(all.Placemarks) > 0 {
		return all, nil
	}
	return res, failed
}

func isWaylines(file *zip.File) bool { return path.Ext(file.Name) == ".wpml" }

// isWithoutSites reports whether a document has no placemark, so that another may.
func isWithoutSites(failed *Error) bool { return failed.isOf(NoPlacemarks) || failed.isOf(OnlyLinks) }

// isReadable reports whether a document was read, though nothing of it may be usable.
func isReadable(failed *Error) bool { return failed == nil || failed.Code == NothingUsable }

// unnamedText is the name of a placemark that has none.
var unnamedText = regexp.MustCompile(`^Placemark( [0-9]+)`)

// joinTo appends the result of one document of several to those before, nil for
// none. Placemarks without a name have that of the document.
func (r *Result) joinTo(all *Result, document string) *Result {
	document = oneLine([]byte(document))
	name := func(label string) string {
		return unnamedText.ReplaceAllString(label, strings.ReplaceAll(document, "$", "$$")+"$1")
	}
	if all == nil {
		all = &Result{Format: r.Format, Columns: r.Columns}
	}
	for _, w := range r.Warnings {
		if w.Index >= 0 {
			w.Index += len(all.Placemarks)
		}
		w.Placemark, w.Message = name(w.Placemark), document+": "+w.Message
		all.Warnings = append(all.Warnings, w)
	}
	for _, p := range r.Placemarks {
		p.Name = name(p.Name)
		all.Placemarks = append(all.Placemarks, p)
	}
	all.Skipped += r.Skipped
	return all
}

// documentsIn returns the files of an archive to read: doc.kml, else every KML; DJI's
// waylines last, since its template may hold no placemark. Without any, kind names what the
// archive is, where that is known.
func documentsIn(files []*zip.File) (documents []*zip.File, kind string) {
	var doc, waylines *zip.File
	for _, f := range files {
		name := strings.ToLower(strings.TrimLeft(strings.ReplaceAll(f.Name, `\`, "/"), "/"))
		kind = cmp.Or(kind, archiveOf(name))
		switch {
		case name == "doc.kml":
			doc = cmp.Or(doc, f)
		case path.Ext(name) == ".kml" && !strings.Contains(name, "__macosx"):
			documents = append(documents, f)
		case path.Ext(name) == ".wpml":
			waylines = cmp.Or(waylines, f)
		}
	}
	slices.SortStableFunc(documents, func(a, b *zip.File) int {
		return cmp.Compare(strings.Count(a.Name, "/"), strings.Count(b.Name, "/"))
	})
	if doc != nil {
		documents = []*zip.File{doc}
	}
	if waylines != nil {
		documents = append(documents, waylines)
	}
	return documents, kind
}

const (
	officeKind    = "an Office document"
	shapefileKind = "a zipped shapefile"
)

// archiveOf names what an archive with a file of that name is, where it tells.
func archiveOf(name string) string {
	switch {
	case name == "[content_types].xml":
		return officeKind
	case name == "mimetype":
		return "an OpenDocument file"
	case path.Ext(name) == ".shp":
		return shapefileKind
	}
	return ""
}

// inflateFile reads a file of an archive, of at most limit bytes. What the archive
// says about its size is not believed.
func inflateFile(file *zip.File, limit int64) ([]byte, *Error) {
	if file.UncompressedSize64 > uint64(max(limit, 0)) {
		return nil, newError(TooLarge, "")
	}
	r, err := file.Open()
	if err != nil {
		return nil, newError(BadArchive, "the KMZ is damaged or encrypted; export it again")
	}
	defer func() { _ = r.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case int64(len(data)) > limit:
		return nil, newError(TooLarge, "")
	case err != nil:
		return nil, damagedKMZ
	case len(data) == 0:
		return nil, newError(EmptyFile, "the KML in the archive is empty")
	}
	return data, nil
}
