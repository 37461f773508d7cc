package kmlcsv

import (
	"bytes"
	"slices"

	"github.com/paulmach/orb"
)

// kmlReader reads a KML document in one pass over its elements.
type kmlReader struct {
	out *resultBuilder
	s   xmlScanner

	count   int       // number of placemarks so far, including those that were skipped
	unnamed int       // number of placemarks without a name
	folders int       // number of folders around the current element
	links   int       // number of network links that were not followed
	classes []string  // elements that a Schema declares to be placemarks
	updates int       // number of Update and NetworkLinkControl elements, which change other documents
	miscase bool      // an element is named placemark or PLACEMARK
	noted   textNotes // kinds of tolerated faults in texts for which there is a warning already
	field   extendedName
	fields  map[string]fieldRole // cached roles of extended data, by the names of the fields

	free     []orb.Point   // unused memory after the points that were read; the next points are stored there
	holes    [][]orb.Point // holes of the current polygon
	outlines []tupleReader // outer boundaries of the current polygon
}

// readKML reads a KML document. data must be in UTF-8.
func (b *resultBuilder) readKML(data []byte) (*Result, *Error) {
	r := &kmlReader{out: b, s: xmlScanner{data: data}}
	r.out.openAccount("", "placemark")
	b.progress = func() float64 { return float64(r.s.pos) / float64(len(data)) }
	if r.s.startRoot("KML") {
		r.readRoot()
	}
	r.checkEpilogue()
	if r.s.err != nil {
		return b.res, r.s.err
	}
	r.warnNamespaces()
	return b.finishResult(r.explainNothing())
}

func (r *kmlReader) readRoot() {
	s := &r.s
	switch s.el {
	case "kml":
		r.readContainer()
	case "Document", "Folder", "Placemark":
		r.out.warnFile(UnusualRoot, "the file starts with <%s> instead of <kml>", s.name)
		if s.el == "Placemark" {
			r.readPlacemark()
		} else {
			r.readContainer()
		}
	case "Point", "LineString", "LinearRing", "Polygon", "MultiGeometry", "Track", "MultiTrack":
		s.failAt(NoPlacemarks, "the file is a <%s> without a <Placemark> around it", s.name)
	case "NetworkLink":
		r.readLink()
	case "NetworkLinkControl", "Update", "GroundOverlay", "PhotoOverlay", "ScreenOverlay":
		r.skipElement()
	default:
		r.readForeignRoot()
	}
}

// readForeignRoot reads a root element that is not an element of KML. If it is named kml, but has an unknown namespace
// or capital letters, it is read like a kml element. Any other root element is an error.
func (r *kmlReader) readForeignRoot() {
	s := &r.s
	name := bytes.ToLower(s.name)
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	switch string(name) {
	case "kml":
		r.readContainer()
	case "html", "gpx", "svg":
		s.failAt(WrongType, "this is %s, not KML", bytes.ToUpper(name))
	default:
		s.failAt(WrongType, "this is not KML: its root element is <%s>", s.name)
	}
}

// checkEpilogue sets an error if anything but comments follows the root element. For zero bytes, it only adds a
// warning.
func (r *kmlReader) checkEpilogue() {
	s := &r.s
	for s.err == nil {
		s.pos = skipSpace(s.data, s.pos)
		rest := s.data[s.pos:]
		switch {
		case len(rest) == 0:
			return
		case bytes.HasPrefix(rest, []byte("<!--")), bytes.HasPrefix(rest, []byte("<?")):
			s.skipMarkup()
		case len(bytes.Trim(rest, "\x00 \t\r\n\x1a")) == 0:
			r.out.warnFile(TrailingBytes, "%d bytes after the end of the document were ignored", len(rest))
			return
		default:
			s.failAt(BadXML, "there is content after the end of the document")
		}
	}
}

// kmlContainer is a kml, Document or Folder element that is being read. The fields since, waiting and unnamed have
// values from before the element, so that the placemarks inside it can be found or replaced later.
type kmlContainer struct {
	since   resultMark // what the result had before the container
	waiting int        // length of r.out.waiting before the container
	unnamed int        // number of placemarks without a name before the container

	isFolder bool
	name     string // name of the folder, "" for other containers
	direct   int    // placemarks so far that are directly in the container
}

// readContainer reads the content of the current element: kml, Document or Folder. Placemarks in a folder that have no
// name get the name of the folder. In a file from DJI, which makes drones, a container that has only waypoints without
// names becomes one line.
func (r *kmlReader) readContainer() {
	c := kmlContainer{
		since:    r.out.currentMark(),
		waiting:  len(r.out.waiting),
		unnamed:  r.unnamed,
		isFolder: r.s.el == "Folder",
	}
	if c.isFolder {
		r.folders++
	}
	for r.s.nextElement() {
		r.readMember(&c)
	}
	isJoined := r.isFlight(&c) && r.joinWaypoints(&c)
	if !isJoined && c.name != "" { // joinWaypoints gives the name to the line
		r.inheritName(c.waiting, c.name)
	}
	if c.isFolder {
		r.folders--
	}
}

// readMember reads the current element, which is directly in container c.
func (r *kmlReader) readMember(c *kmlContainer) {
	switch r.s.el {
	case "Placemark":
		c.direct++
		r.readPlacemark()
	case "Document", "Folder":
		r.readContainer()
	case "name":
		name := r.readContainerName()
		if c.isFolder {
			c.name = name
		}
	case "Schema":
		r.readSchema()
	case "NetworkLink":
		r.readLink()
	default:
		isDeclared := len(r.classes) > 0 && slices.Contains(r.classes, r.s.local()) // a Schema declares it to be a placemark
		if !isDeclared {
			r.skipElement()
			return
		}
		c.direct++
		r.readPlacemark()
	}
}

// readContainerName reads the name of a container. Warnings about the name are not assigned to a placemark.
func (r *kmlReader) readContainerName() string {
	r.out.startPlacemark(r.s.lineAt(r.s.pos))
	name := r.readName()
	r.out.detachWarnings()
	return name
}

// isFlight reports whether a container may be a DJI flight. The file must be from DJI. The container must have several
// sites, all of them without a name and not inside another container.
func (r *kmlReader) isFlight(c *kmlContainer) bool {
	areAllNameless := r.unnamed-c.unnamed == c.direct
	areAllDirect := len(r.out.res.Placemarks)-c.since.placemarks == c.direct
	return r.s.ns.waylines && c.direct > 1 && areAllNameless && areAllDirect
}

// readSchema reads a Schema, which can declare another element to be a placemark.
func (r *kmlReader) readSchema() {
	if string(r.s.attribute("parent")) == "Placemark" && len(r.s.named) > 0 && len(r.classes) < maxBindings {
		r.classes = append(r.classes, string(r.s.named))
	}
	r.s.skipElement()
}

// readLink reads a network link. If it names a file in the same archive, this file is read after the document. Any
// other link is ignored with a warning.
func (r *kmlReader) readLink() {
	line := r.s.lineAt(r.s.pos)
	target := r.readLinkTarget()
	if r.out.opts.followLink != nil && r.out.opts.followLink(target) {
		return
	}
	r.out.draft.line = line
	r.links++
	r.out.warnLine(LinkIgnored, "a network link was not followed: %s", []byte(target))
}

// readLinkTarget reads the children of a network link and returns the address in its Link or Url element.
func (r *kmlReader) readLinkTarget() (target string) {
	for r.s.nextElement() {
		if r.s.el != "Link" && r.s.el != "Url" {
			r.s.skipElement()
			continue
		}
		for r.s.nextElement() {
			if r.s.el == "href" {
				target = string(bytes.TrimSpace(r.s.elementText()))
			} else {
				r.s.skipElement()
			}
		}
	}
	return target
}

// skipElement skips an element that is not read. It adds a warning for an image overlay, and for an update, which would
// change another document.
func (r *kmlReader) skipElement() {
	s := &r.s
	r.out.draft.line = s.lineAt(s.pos)
	switch s.el {
	case "GroundOverlay", "PhotoOverlay":
		r.out.warnLine(OverlaySkipped, "image overlay skipped; only placemarks become sites")
	case "NetworkLinkControl", "Update":
		r.updates++
		r.out.warnLine(UpdateSkipped, "an update for another file was skipped")
	case "":
		if string(s.name) == "placemark" || string(s.name) == "PLACEMARK" {
			r.miscase = true
		}
	}
	s.skipElement()
}

func (r *kmlReader) readName() string {
	text := r.s.elementText()
	if r.s.notes != (textNotes{}) {
		r.warnTextFaults()
		if r.s.notes.cdata {
			text = stripTags(text)
		}
	}
	return r.out.makeName(text)
}

// warnTextFaults warns about the faults that the scanner tolerated in the current text. There is only one warning for
// each kind of fault in a file.
func (r *kmlReader) warnTextFaults() {
	if r.s.notes.ampersand && !r.noted.ampersand {
		r.noted.ampersand = true
		r.out.warnPlacemark(BareAmpersand, "an unescaped '&' was read literally; it should be &amp;")
	}
	if r.s.notes.entity && !r.noted.entity {
		r.noted.entity = true
		r.out.warnPlacemark(HTMLEntity, "HTML entities were replaced with their characters")
	}
}

// warnNamespaces warns about two faults that the scanner tolerated: an unknown namespace, and a prefix without a
// declaration.
func (r *kmlReader) warnNamespaces() {
	if ns := r.s.ns.unknown; ns != "" {
		r.out.warnFile(UnknownNamespace, "%q is not a KML namespace", []byte(ns))
	}
	if prefix := r.s.ns.undeclared; prefix != "" {
		r.out.warnFile(UndeclaredPrefix, "the prefix %q is not declared", []byte(prefix))
	}
}

// explainNothing returns the error for a document without placemarks. The error says why there are none.
func (r *kmlReader) explainNothing() *Error {
	switch {
	case r.links > 0:
		return newError(
			OnlyLinks,
			"the file contains only network links; open it in Google Earth and save the places as KML",
		)
	case r.updates > 0:
		return newError(NoPlacemarks, "the file only updates placemarks of another file; open that file")
	case r.miscase:
		return newError(NoPlacemarks, "no placemark: element names are case-sensitive, <Placemark> not <placemark>")
	default:
		return newError(NoPlacemarks, "no placemark in the file")
	}
}

// inheritName gives the name of a folder to the placemarks in the folder that have no name. If there are several such
// placemarks, it adds numbers to their names. r.out.waiting is the list of placemarks without a name, and before is the
// length of this list before the folder.
func (r *kmlReader) inheritName(before int, folderName string) {
	ofFolder := r.out.waiting[before:]
	for i, part := range ofFolder {
		name := folderName
		if len(ofFolder) > 1 {
			name = r.out.numberedName(folderName, i+1)
		}
		r.out.renamePlacemarks(part, name)
	}
	r.out.waiting = r.out.waiting[:before]
}

// joinWaypoints replaces the placemarks of a flight and their warnings by one line. If a placemark is not a point, it
// changes nothing and returns false.
func (r *kmlReader) joinWaypoints(c *kmlContainer) bool {
	placemarks := r.out.res.Placemarks[c.since.placemarks:]
	line, arePoints := pointsOfPlacemarks(placemarks)
	if !arePoints {
		return false
	}
	r.countAsParts(line)
	first := placemarks[0]
	r.out.res.Placemarks = r.out.res.Placemarks[:c.since.placemarks]
	r.out.waiting = r.out.waiting[:c.waiting]
	r.out.res.Warnings = r.out.res.Warnings[:c.since.warnings]
	r.out.draft = placemarkDraft{
		line:    first.Line,
		since:   c.since,
		name:    c.name,
		country: first.Country,
		city:    first.City,
	}
	r.out.warnPlacemark(WaypointsJoined, "%d waypoints without names were joined into one line", len(line))
	r.out.addFigure(rawFigure{kind: lineFigure, points: slices.Compact(line)})
	r.nameAndFinish()
	return true
}

// pointsOfPlacemarks returns the positions of placemarks. arePoints is false if any placemark is a line or an area.
func pointsOfPlacemarks(placemarks []Placemark) (points []orb.Point, arePoints bool) {
	points = make([]orb.Point, 0, len(placemarks))
	for _, p := range placemarks {
		point, isPoint := p.Geometry.(orb.Point)
		if !isPoint {
			return nil, false
		}
		points = append(points, point)
	}
	return points, true
}

// countAsParts corrects the account of the file after placemarks became the vertices of one line. The account has
// counted each placemark as a site. Now each of them counts as a part of a site. points are the positions of the
// placemarks.
func (r *kmlReader) countAsParts(points []orb.Point) {
	r.out.account().Sites -= len(points)
	r.out.account().Parts += len(points)
	for _, p := range points {
		if p == zeroPosition {
			r.out.zeroes = r.out.zeroes[:len(r.out.zeroes)-1]
		}
	}
}
