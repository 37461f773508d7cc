package kmlcsv

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
)

var damagedArchive = newError(BadArchive, "the archive is damaged; export it again")

// maxArchives is the maximum depth of archives inside archives.
const maxArchives = 3

// parseZip reads a ZIP file: a KMZ, a workbook, or an archive with survey files. It writes no file to disk. It uses
// the names of the files in the archive only to decide how to read them.
func parseZip(data []byte, opts readOptions) (*Result, *Error) {
	if opts.Format == FormatCSV {
		return nil, newError(
			WrongType,
			"this is a ZIP archive (an Excel workbook, a KMZ?), not CSV; save the sheet as CSV",
		)
	}
	if opts.work.depth >= maxArchives {
		return nil, newError(TooDeep, "archives are inside one another more than %d deep", maxArchives)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damagedArchive
	}
	opts.work.depth++
	defer func() { opts.work.depth-- }()
	kind := documentKind(archive.File)
	isArchive := kind == ""
	if isArchive {
		r := &archiveReader{opts: opts}
		return r.read(archive.File)
	}
	if opts.Format != FormatAuto {
		return nil, newError(WrongType, "this is %s, not a KMZ; export the sites as KML or CSV", kind)
	}
	switch kind {
	case excelKind:
		return parseWorkbook(archive, opts)
	case calcKind:
		return parseCalc(archive, opts)
	}
	return nil, newError(WrongType, "this is %s; export the sites as KML, CSV or XLSX", kind)
}

const (
	excelKind = "an Excel workbook"
	calcKind  = "an OpenDocument spreadsheet"
)

// documentKind returns the kind of document that an archive is, such as "a Word document",
// or "" if it is an ordinary archive.
func documentKind(files []*zip.File) string {
	kind := ""
	for _, f := range files {
		name := memberName(f)
		switch {
		case strings.HasPrefix(name, "word/"):
			return "a Word document"
		case strings.HasPrefix(name, "ppt/"):
			return "a PowerPoint presentation"
		case name == "xl/workbook.bin":
			return "a binary Excel workbook (.xlsb)"
		case name == "[content_types].xml", name == "xl/workbook.xml":
			kind = excelKind
		case name == "mimetype" && kind == "":
			kind = openDocumentKind(f)
		}
	}
	return kind
}

// openDocumentKind returns the kind of an OpenDocument file. f is the member "mimetype" of the file,
// which names the kind.
func openDocumentKind(f *zip.File) string {
	head := make([]byte, 200)
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer func() { _ = r.Close() }() // only read
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	text := string(head[:n])
	switch {
	case strings.Contains(text, "opendocument.spreadsheet"):
		return calcKind
	case strings.Contains(text, "opendocument.text"):
		return "an OpenDocument text"
	case strings.Contains(text, "epub"):
		return "an e-book"
	default:
		return "an OpenDocument file"
	}
}

// memberName returns the path of a member in lower case, with slashes.
func memberName(f *zip.File) string {
	return strings.ToLower(strings.TrimLeft(strings.ReplaceAll(f.Name, `\`, "/"), "/"))
}

// archiveReader reads the survey files in an archive. Comments in this file call the files in an archive members.
type archiveReader struct {
	opts    readOptions
	files   []*zip.File
	account Account

	all      *Result // result of all members that were read so far, nil if there is none
	warnings []Warning
	skipped  []string           // names of members that were not read
	tried    map[*zip.File]bool // documents that readDocument has read, or has failed to read

	failed       *Error  // error to return if no member has sites; nil if no member failed
	failedResult *Result // result to return together with failed, or nil
}

// memberKind is the kind of a member of an archive. Each kind is read in another way, or not at all.
type memberKind uint8

const (
	otherMember   memberKind = iota // folders, pictures and files of other programs; not read
	documentKML                     // KML
	waylinesDJI                     // flight path of a DJI mission; repeats the sites of the mission's KML template
	shapefilePart                   // a file of a shapefile
	surveyMember                    // any other file that may have sites
	foreignMember                   // a file that cannot be read
)

// surveyEndings are the file name endings of members that may have sites. The endings of KML and of shapefiles are
// not in this list.
var surveyEndings = strings.Fields(`.csv .tsv .txt .dat .gpx .json .geojson .geojsonl .ndjson .kmz .zip
	.xlsx .xlsm .ods .gpkg .plan .waypoints .mission .poly .wkt .wkb`)

// pictureEndings are the file name endings of pictures, styles and other files that never have sites.
var pictureEndings = strings.Fields(
	`.png .jpg .jpeg .gif .bmp .webp .svg .ico .tif .tiff .jp2 .dae .obj .mtl .css .js .html .htm .xsl .mp4 .mov .wav .mp3
	.md .qml .sld .lyr .lyrx .rels .ini .db .prj .cpg .kmlstyle .thm`)

// kindOf returns the kind of the member with the given name. shapefiles is the result of shapefileNames.
func kindOf(name string, shapefiles map[string]bool) memberKind {
	base, ending := shapefileOf(name)
	file := path.Base(name)
	switch { // the first case that applies decides
	case strings.HasSuffix(name, "/"), strings.Contains(name, "__macosx/"), strings.HasPrefix(file, "."):
		return otherMember
	case ending == ".kml":
		return documentKML
	case ending == ".wpml":
		return waylinesDJI
	case shapefiles[base] && (slices.Contains(layerEndings, ending) || slices.Contains(sideEndings, ending)):
		return shapefilePart
	case slices.Contains(surveyEndings, ending), ending == "":
		return surveyMember
	case slices.Contains(pictureEndings, ending), slices.Contains(sideEndings, ending):
		return otherMember
	}
	return foreignMember
}

// read reads the members of an archive and combines their results into one.
func (r *archiveReader) read(files []*zip.File) (*Result, *Error) {
	r.files = files
	r.tried = make(map[*zip.File]bool)
	r.account = Account{Container: "archive", Unit: "member", Total: len(files)}
	members := groupMembers(files)
	r.account.Other += len(members[otherMember])
	if failed := r.readMembers(members); failed != nil {
		return r.failedResult, failed // the result is nil, or has the questions that the error is about
	}
	for _, f := range members[foreignMember] {
		r.skipMember(f, newError(WrongType, "files of this kind are not read"))
	}
	return r.result()
}

// groupMembers sorts the members of an archive by their kind.
func groupMembers(files []*zip.File) map[memberKind][]*zip.File {
	shapefiles := shapefileNames(files)
	members := make(map[memberKind][]*zip.File)
	for _, f := range files {
		kind := kindOf(memberName(f), shapefiles)
		members[kind] = append(members[kind], f)
	}
	return members
}

// shapefileNames returns the names of the shapefiles in an archive, without their endings.
func shapefileNames(files []*zip.File) map[string]bool {
	names := make(map[string]bool)
	for _, f := range files {
		base, ending := shapefileOf(memberName(f))
		isMetadata := strings.Contains(base, "__macosx/")
		if ending == ".shp" && !isMetadata {
			names[base] = true
		}
	}
	return names
}

// readMembers reads the members that can have survey sites: first KML documents, then the flight paths of DJI
// missions, then shapefiles, then other files. If several members have the same sites in different formats, only the
// first of these members is used.
func (r *archiveReader) readMembers(members map[memberKind][]*zip.File) *Error {
	if failed := r.readDocuments(members[documentKML]); failed != nil {
		return failed
	}
	if failed := r.readWaylines(members[waylinesDJI], members[documentKML]); failed != nil {
		return failed
	}
	if failed := r.readShapefiles(members[shapefilePart]); failed != nil {
		return failed
	}
	return r.readSurveyMembers(members[surveyMember])
}

// sortDocuments returns KML documents in the order in which they are read: doc.kml first,
// then the documents in folders near the top.
func sortDocuments(files []*zip.File) []*zip.File {
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(a, b *zip.File) int {
		depth := func(f *zip.File) int {
			if memberName(f) == mainDocument {
				return -1
			}
			return strings.Count(memberName(f), "/")
		}
		return cmp.Compare(depth(a), depth(b))
	})
	return sorted
}

// readDocuments reads the KML documents. If the archive has a doc.kml, it reads this document and the documents that
// it links to, directly or through other documents, and skips all others. Without a doc.kml, it reads all documents.
func (r *archiveReader) readDocuments(files []*zip.File) *Error {
	sorted := sortDocuments(files)
	hasMain := len(sorted) > 0 && memberName(sorted[0]) == mainDocument
	for i, f := range sorted {
		isMain := hasMain && i == 0
		if hasMain && !isMain && !r.tried[f] {
			r.skipMember(f, newError(NotLinked, "doc.kml has no link to it, and Google Earth does not show it"))
			continue
		}
		if failed := r.readDocument(f); failed != nil {
			return failed
		}
	}
	return nil
}

// mainDocument is the document of a KMZ that Google Earth opens. Google Earth shows other documents only if this
// document links to them.
const mainDocument = "doc.kml"

// readDocument reads a KML document, and then the documents that it links to. It reads each document only once, even if
// documents link to each other.
func (r *archiveReader) readDocument(f *zip.File) *Error {
	if r.tried[f] {
		return nil
	}
	r.tried[f] = true
	text, failed := r.unpack(f)
	if failed != nil {
		return failed
	}
	if len(text) == 0 {
		return newError(EmptyFile, "the KML in the archive is empty")
	}
	res, linked, problem := r.parseDocument(f, text)
	if failed := r.addMember(f, res, problem); failed != nil {
		return failed
	}
	for _, target := range linked {
		if path.Ext(memberName(target)) != ".kml" {
			continue // not a KML document; readMembers reads it later
		}
		if failed := r.readDocument(target); failed != nil {
			return failed
		}
	}
	return nil
}

// parseDocument parses the text of a KML document. f is the member that has the document. The document can have network
// links to other members of the archive. linked are these members, in the order of the links.
func (r *archiveReader) parseDocument(f *zip.File, text []byte) (res *Result, linked []*zip.File, problem *Error) {
	opts := r.opts
	opts.followLink = func(href string) bool { // parseKML calls it for each network link
		target := r.findLink(f, href)
		if target == nil {
			return false
		}
		linked = append(linked, target)
		return true
	}
	res, problem = parseKML(text, opts)
	return res, linked, problem
}

// findLink returns the member that a link names, or nil if the link leads to no member of the archive. from is the
// document with the link, and href is the text of the link.
func (r *archiveReader) findLink(from *zip.File, href string) *zip.File {
	link, err := url.Parse(strings.TrimSpace(strings.ReplaceAll(href, `\`, "/")))
	if err != nil || link.Scheme != "" || link.Host != "" || link.Path == "" {
		return nil
	}
	target := strings.ToLower(link.Path)
	beside := path.Join(path.Dir(memberName(from)), target)
	fromTop := path.Clean(strings.TrimLeft(target, "/"))
	for _, name := range []string{beside, fromTop} {
		for _, f := range r.files {
			if memberName(f) == name {
				return f
			}
		}
	}
	return nil
}

// readWaylines reads the flight paths of DJI missions, which are WPML files. If the archive has KML documents with
// sites, it does not read the flight paths: they repeat the sites of the mission's KML template.
func (r *archiveReader) readWaylines(files, documents []*zip.File) *Error {
	for _, f := range files {
		if r.all != nil && len(documents) > 0 {
			r.account.Other++
			continue
		}
		if failed := r.readDocument(f); failed != nil {
			return failed
		}
	}
	return nil
}

// readShapefiles reads the shapefiles of the archive. A shapefile consists of several members, such as a.shp and a.dbf.
// In the account of the archive, one member of each shapefile counts as Sites, Other or Skipped, and its other members
// count as Parts.
func (r *archiveReader) readShapefiles(files []*zip.File) *Error {
	layers, failed := r.unpackLayers(files)
	if failed != nil {
		return failed
	}
	if len(layers) == 0 {
		return nil
	}
	b := newResultBuilder(r.opts, FormatShapefile)
	layersWithSites, failed := addLayers(b, layers)
	if failed != nil {
		r.failedResult = b.res // the result has the questions that the error is about
		return failed
	}
	r.account.Parts += len(files) - len(layers)
	r.account.Other += len(layers) - layersWithSites
	res, failed := b.finishGIS()
	if failed == nil && r.hasSitesOf(res) {
		r.account.Skipped += layersWithSites
		r.warnSkipped("the shapefile", repeatedSites)
		return nil
	}
	r.account.Sites += layersWithSites // each layer counts once, however many sites it has
	r.joinResult(res, failed, "")
	return nil
}

// addLayers adds the sites of shapefiles to a result, in the alphabetical order of the shapefiles' names. layers has
// the content of each file: layers["poles"][".shp"] is the content of poles.shp. withSites is the number of
// shapefiles that have sites.
func addLayers(out *resultBuilder, layers map[string]map[string][]byte) (withSites int, failed *Error) {
	for _, name := range sortedBases(layers) {
		sitesBefore := len(out.res.Placemarks)
		if failed := addShapefile(out, name, layers[name]); failed != nil {
			return withSites, failed
		}
		if len(out.res.Placemarks) > sitesBefore {
			withSites++
		}
	}
	return withSites, nil
}

// unpackLayers unpacks the files of shapefiles. It returns the content of each file by the name of its shapefile and
// its ending: the content of poles.shp is at ["poles"][".shp"].
func (r *archiveReader) unpackLayers(files []*zip.File) (map[string]map[string][]byte, *Error) {
	layers := make(map[string]map[string][]byte)
	for _, f := range files {
		base, ending := shapefileOf(memberName(f))
		if layers[base] == nil {
			layers[base] = make(map[string][]byte)
		}
		if !slices.Contains(layerEndings, ending) {
			continue
		}
		if r.opts.Format != FormatAuto {
			return nil, newError(WrongType, "this is a zipped shapefile, not a KMZ; export the sites as KML or CSV")
		}
		data, failed := r.unpack(f)
		if failed != nil {
			return nil, failed
		}
		layers[base][ending] = data
	}
	return layers, nil
}

var repeatedSites = newError(Repeated, "its sites are the sites of another file of the archive")

// readSurveyMembers reads the members that are neither KML nor shapefiles and may have sites.
func (r *archiveReader) readSurveyMembers(files []*zip.File) *Error {
	for _, f := range files {
		if r.opts.Format != FormatAuto {
			r.skipMember(f, newError(WrongType, "only KML is read from a KMZ here"))
			continue
		}
		if failed := r.readSurveyMember(f); failed != nil {
			return failed
		}
	}
	return nil
}

// readSurveyMember reads a member that is neither KML nor a part of a shapefile. An empty member is an error if the
// ending of its name is used only for survey files, such as .gpx. Otherwise an empty member is ignored.
func (r *archiveReader) readSurveyMember(f *zip.File) *Error {
	data, failed := r.unpack(f)
	if failed != nil {
		return failed
	}
	if len(data) == 0 && !isSurveyName(f) {
		r.account.Other++
		return nil
	}
	opts := r.opts
	opts.Name = f.Name
	res, problem := parseMember(data, opts)
	return r.addMember(f, res, problem)
}

// parseMember reads the content of a member. It returns EmptyFile if there is no content.
func parseMember(data []byte, opts readOptions) (*Result, *Error) {
	if len(data) == 0 {
		return nil, newError(EmptyFile, "it is empty")
	}
	return parseContent(data, opts)
}

// addMember adds the result of a member to the result of the archive. failed is the error that occurred when the member
// was read, or nil. If the member could not be read, addMember usually skips it with a warning. It returns the error
// instead if the whole archive must be rejected, because a limit was reached or a survey file is damaged.
func (r *archiveReader) addMember(f *zip.File, res *Result, failed *Error) *Error {
	name := strings.TrimSuffix(path.Base(memberPath(f)), path.Ext(f.Name))
	if wasRead(failed) {
		r.joinMember(f, res, failed, name)
		return nil
	}
	if isWithoutSites(failed) {
		r.account.Other++
		r.recordFailure(res, failed)
		if res != nil { // even without sites, the result can have warnings about links that were not followed
			r.addWarnings(res.Warnings, name)
		}
		return nil
	}
	isSurvey := isSurveyName(f)
	losesSites := isSurvey && isFatal(failed)
	if losesSites || isExhausted(failed) {
		return failed
	}
	r.skipMember(f, failed)
	if isSurvey {
		r.recordFailure(res, failed)
	}
	return nil
}

// joinMember counts a member that was read, and adds its result to the result of the archive. If another member has
// the same sites, it skips the member with a warning. failed is nil, or the NothingUsable error of a member whose
// sites were all skipped. name is the name of the member in warnings.
func (r *archiveReader) joinMember(f *zip.File, res *Result, failed *Error, name string) {
	if r.hasSitesOf(res) {
		r.skipMember(f, repeatedSites)
		return
	}
	if len(res.Placemarks) > 0 {
		r.account.Sites++
	} else {
		r.account.Skipped++
	}
	r.joinResult(res, failed, name)
}

func memberPath(f *zip.File) string { return strings.ReplaceAll(f.Name, `\`, "/") }

// isSurveyName reports whether the ending of a member's name is used only for survey files, such as .kml or .gpx. If
// such a member is damaged, sites are lost. The function returns false for .txt, .dat, .json, .zip and names without
// an ending, because these files often have no sites.
func isSurveyName(f *zip.File) bool {
	switch path.Ext(memberName(f)) {
	case ".txt", ".dat", ".json", ".zip", "":
		return false
	}
	return true
}

// isExhausted reports whether an error ends the reading of the whole archive: a limit was reached, or the caller
// cancelled.
func isExhausted(failed *Error) bool {
	return failed.Code == TooLarge || failed.Code == TooComplex || failed.Code == Stopped
}

// isFatal reports whether an error means that the content of a member is damaged, empty or cannot be opened. The
// sites of such a member cannot be read.
func isFatal(failed *Error) bool {
	switch failed.Code {
	case BadArchive, BadXML, BadJSON, Truncated, OpenQuote, BadEncoding, TooDeep, HasDTD, EmptyFile:
		return true
	}
	return false
}

// recordFailure stores the error and the result of a member that failed. The archive returns them if no member has
// sites. If several members failed, the first error is kept, with one exception: an error about content that was
// understood, such as a table without sites, replaces an error about damaged data.
func (r *archiveReader) recordFailure(res *Result, failed *Error) {
	if r.failed == nil || !wasUnderstood(r.failed) && wasUnderstood(failed) {
		r.failed = failed
		r.failedResult = res
	}
}

// skipMember counts a member as skipped and warns about it.
func (r *archiveReader) skipMember(f *zip.File, failed *Error) {
	r.account.Skipped++
	name := path.Base(memberPath(f))
	r.skipped = append(r.skipped, name)
	r.warnSkipped(oneLine([]byte(name)), failed)
}

func (r *archiveReader) warnSkipped(name string, failed *Error) {
	r.warnings = append(r.warnings, Warning{
		Code: failed.Code, Index: -1, Message: writeMessage("%s was not read: %s", name, failed.Message),
	})
}

// unpack returns the content of a member. It returns an error if the total size of all files that were unpacked so
// far exceeds the limit.
func (r *archiveReader) unpack(f *zip.File) ([]byte, *Error) {
	if failed := r.opts.work.check(); failed != nil {
		return nil, failed
	}
	return unpackFile(f, r.opts.work, "the archive")
}

// joinResult adds the result of a member to the result of the archive. If failed is not nil, it is the error of the
// member, and joinResult records it. If the member could not be read and has no sites, only its warnings are added.
// name is the name of the member in warnings.
func (r *archiveReader) joinResult(res *Result, failed *Error, name string) {
	if failed != nil {
		r.recordFailure(res, failed)
	}
	if res == nil {
		return
	}
	if len(res.Placemarks) == 0 && !wasRead(failed) {
		r.addWarnings(res.Warnings, name)
		return
	}
	if r.all == nil {
		r.all = &Result{
			Format: res.Format, Columns: res.Columns, Header: res.Header, Layout: res.Layout, Systems: res.Systems,
		}
	}
	res.joinTo(r.all, name)
	r.opts.work.checkSites(len(r.all.Placemarks))
}

// addWarnings adds the warnings of a member that has no sites. It puts the name of the member before each message.
func (r *archiveReader) addWarnings(warnings []Warning, name string) {
	for _, w := range warnings {
		w.Message = oneLine([]byte(name)) + ": " + w.Message
		r.warnings = append(r.warnings, w)
	}
}

// result returns the sites of all members, or the reason why there are none.
func (r *archiveReader) result() (*Result, *Error) {
	if r.all == nil {
		return r.resultWithoutSites()
	}
	r.all.nameParts()
	r.all.Warnings = append(r.all.Warnings, r.warnings...)
	r.all.Accounts = append(r.all.Accounts, r.account)
	r.all.cutWarnings(r.opts.MaxWarnings)
	if len(r.all.Placemarks) > 0 {
		return r.all, nil
	}
	if r.failed != nil {
		return r.all, r.failed
	}
	return r.all, newError(NoPlacemarks, "no site in the files of the archive")
}

// resultWithoutSites returns the error for an archive from which no result was read. If reading a member failed, it
// returns the error and the result of this member. Otherwise the archive has no survey file.
func (r *archiveReader) resultWithoutSites() (*Result, *Error) {
	if r.failed == nil {
		return nil, r.noSurveyFile()
	}
	if r.failedResult != nil {
		r.failedResult.Warnings = append(r.failedResult.Warnings, r.warnings...)
		r.failedResult.Accounts = append(r.failedResult.Accounts, r.account)
	}
	return r.failedResult, r.failed
}

// noSurveyFile returns the error for an archive without a survey file. It lists the files that were
// not read.
func (r *archiveReader) noSurveyFile() *Error {
	if len(r.skipped) == 0 {
		return newError(NoKML, "no survey file in the archive")
	}
	return newError(NoKML, "no survey file in the archive; it has %s", []byte(strings.Join(r.skipped, ", ")))
}

// hasSitesOf reports whether all sites in res were already read from a member in another format. Many archives have
// the same sites in several formats.
func (r *archiveReader) hasSitesOf(res *Result) bool {
	if r.all == nil || len(res.Placemarks) == 0 || res.Format == r.all.Format {
		return false
	}
	count := len(res.Placemarks)
	for from := 0; from+count <= len(r.all.Placemarks); from++ {
		if isSameSite(&r.all.Placemarks[from], &res.Placemarks[0]) {
			return sameSites(r.all.Placemarks[from:from+count], res.Placemarks)
		}
	}
	return false
}

func sameSites(a, b []Placemark) bool {
	for i := range b {
		if !isSameSite(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// isSameSite reports whether two placemarks have the same name and bounds, to about a
// metre.
func isSameSite(a, b *Placemark) bool {
	const tolerance = 1e-5
	boundA := a.Geometry.Bound()
	boundB := b.Geometry.Bound()
	for axis := range 2 {
		isMinFar := abs(boundA.Min[axis]-boundB.Min[axis]) > tolerance
		isMaxFar := abs(boundA.Max[axis]-boundB.Max[axis]) > tolerance
		if isMinFar || isMaxFar {
			return false
		}
	}
	return a.Kind() == b.Kind() && strings.EqualFold(a.Name, b.Name)
}

func abs(x float64) float64 { return max(x, -x) }

// isWithoutSites reports whether a document could be read but has no placemark. failed is the error of the document.
func isWithoutSites(failed *Error) bool { return failed.isOf(NoPlacemarks) || failed.isOf(OnlyLinks) }

// wasRead reports whether a document could be read. failed is the error of the document, or nil. A document with the
// error NothingUsable was read, but all its sites were skipped.
func wasRead(failed *Error) bool { return failed == nil || failed.Code == NothingUsable }

// unnamedText matches the name that the reader gives to a placemark without a name, such as "Placemark 3".
var unnamedText = newPattern(`^Placemark [0-9]+`)

// partResult records which document a part of a combined result comes from. Its spans are the indexes of the
// placemarks, warnings and accounts of this document.
type partResult struct {
	document   string
	placemarks indexSpan
	warnings   indexSpan
	accounts   indexSpan
}

// indexSpan is a range of indexes in a list, from the index from up to, but not including, the index to.
type indexSpan struct{ from, to int }

// nextSpan returns the span of the elements that are appended to a list. length is the length of the list before, and
// count is the number of appended elements.
func nextSpan(length, count int) indexSpan { return indexSpan{length, length + count} }

// joinTo appends the result of one document to the combined result all.
func (r *Result) joinTo(all *Result, document string) {
	all.parts = append(all.parts, partResult{
		document:   document,
		placemarks: nextSpan(len(all.Placemarks), len(r.Placemarks)),
		warnings:   nextSpan(len(all.Warnings), len(r.Warnings)),
		accounts:   nextSpan(len(all.Accounts), len(r.Accounts)),
	})
	for _, w := range r.Warnings {
		if w.Index >= 0 {
			w.Index += len(all.Placemarks)
		}
		all.Warnings = append(all.Warnings, w)
	}
	all.Placemarks = append(all.Placemarks, r.Placemarks...)
	all.Accounts = append(all.Accounts, r.Accounts...)
	all.Questions = append(all.Questions, r.Questions...)
	all.Skipped += r.Skipped
}

// nameParts adds document names to a result that was combined from several documents. Each account, each warning and
// each placemark without a name gets the name of the document that it comes from.
func (r *Result) nameParts() {
	if len(r.parts) < 2 {
		return
	}
	for _, part := range r.parts {
		document := oneLine([]byte(part.document))
		if document != "" {
			r.namePart(&part, document)
		}
	}
}

// namePart adds the name of a document to the accounts, the warnings and the unnamed placemarks of its part of the
// result.
func (r *Result) namePart(part *partResult, document string) {
	placemarks := r.Placemarks[part.placemarks.from:part.placemarks.to]
	for i := range placemarks {
		placemarks[i].Name = nameAfter(document, placemarks[i].Name)
	}
	warnings := r.Warnings[part.warnings.from:part.warnings.to]
	for i := range warnings {
		w := &warnings[i]
		w.Placemark = nameAfter(document, w.Placemark)
		w.Message = document + ": " + w.Message
		if w.Fixed != nil {
			w.Fixed.Name = nameAfter(document, w.Fixed.Name)
		}
	}
	accounts := r.Accounts[part.accounts.from:part.accounts.to]
	for i := range accounts {
		accounts[i].Container = strings.TrimSpace(document + " " + accounts[i].Container)
	}
}

// nameAfter names a placemark without a name after its document: "Placemark 3" of the document Plan
// becomes "Plan 3". Other names are returned unchanged.
func nameAfter(document, name string) string {
	if !unnamedText().MatchString(name) {
		return name
	}
	return document + strings.TrimPrefix(name, "Placemark")
}

// cutWarnings removes the warnings beyond limit, or beyond DefaultMaxWarnings if limit is 0. It then adds a warning
// that says how many warnings were removed. If the list is only one warning too long, nothing is removed, because the
// added warning would make the list as long as before.
func (r *Result) cutWarnings(limit int) {
	if limit <= 0 {
		limit = DefaultMaxWarnings
	}
	more := len(r.Warnings) - limit
	if more > 1 { // removing a single warning would save nothing, because the note also is a warning
		r.Warnings = append(r.Warnings[:limit:limit], Warning{
			Code: MoreWarnings, Index: -1, Message: writeMessage("%d more warnings", more),
		})
	}
}

// unpackFile returns the content of a file in an archive. It returns an error if the unpacked data would exceed the
// limit. It checks the limit before and after unpacking, because the size that the archive states may be wrong. kind
// is what errors call the archive, such as "the workbook".
func unpackFile(file *zip.File, limits *work, kind string) ([]byte, *Error) {
	if file.UncompressedSize64 > uint64(max(limits.bytesLeft, 0)) {
		return nil, limits.tooLarge(kind)
	}
	r, err := file.Open()
	if err != nil {
		return nil, newError(BadArchive, "%s is damaged or encrypted; export it again", kind)
	}
	defer func() { _ = r.Close() }() // only read
	const maxRatio = 1032            // the highest compression ratio of deflate
	var data bytes.Buffer
	data.Grow(int(min(file.UncompressedSize64, maxRatio*file.CompressedSize64)) + bytes.MinRead)
	_, err = data.ReadFrom(io.LimitReader(r, limits.bytesLeft+1))
	if !limits.useBytes(int64(data.Len())) {
		return nil, limits.tooLarge(kind)
	}
	if err != nil {
		return nil, newError(BadArchive, "%s is damaged; export it again", kind)
	}
	return data.Bytes(), nil
}
