package kmlcsv

import (
	"bytes"
	"fmt"

	"github.com/paulmach/orb"
)

// kmlReader reads a KML document in one pass over its elements.
type kmlReader struct {
	*builder
	s scanner

	count   int   // placemarks so far, skipped ones included
	unnamed int   // of those
	folders int   // that are open
	links   int   // network links
	updates int   // changes to other files
	miscase bool  // an element that is one but for its case
	noted   notes // the leniencies that the file was warned about

	holes    [][]orb.Point // of the polygon being read
	outlines []outlineRing
}

// readKML reads a document in UTF-8.
func (b *builder) readKML(data []byte) (*Result, *Error) {
	r := &kmlReader{builder: b, s: scanner{data: data}}
	b.progress = func() float64 { return float64(r.s.pos) / float64(len(data)) }
	r.document()
	if r.s.err != nil {
		return b.res, r.s.err
	}
	r.epilogue()
	if r.s.err != nil {
		return b.res, r.s.err
	}
	r.leniencies()
	res, err := b.done()
	if err == nil && len(res.Placemarks) == 0 {
		err = r.nothing()
	}
	return res, err
}

// document reads the prolog and the root element.
func (r *kmlReader) document() {
	s := &r.s
	for s.err == nil {
		s.pos = space(s.data, s.pos)
		rest := s.data[s.pos:]
		switch {
		case len(rest) < 2:
			s.truncated()
		case rest[0] != '<':
			s.fail(WrongType, "this is not KML: it has text before the first element")
		case bytes.HasPrefix(rest, []byte("<!DOCTYPE")):
			r.doctype(rest)
		case rest[1] == '!' || rest[1] == '?':
			s.markup()
		default:
			if s.startTag() {
				r.root()
			}
			return
		}
	}
}

// doctype reads past a document type declaration. Nothing that it names is
// opened, and one that declares anything itself is refused.
func (r *kmlReader) doctype(rest []byte) {
	end := bytes.IndexAny(rest[:min(len(rest), maxTag)], "[>")
	switch {
	case end < 0:
		r.s.truncated()
	case rest[end] == '[':
		r.s.fail(HasDTD, "a document type with declarations (DTD) is not allowed; remove it")
	case bytes.Contains(bytes.ToLower(rest[:end]), []byte("html")):
		r.s.fail(WrongType, "this is an HTML page, not KML; perhaps a saved login page")
	default:
		r.s.pos += end + 1
	}
}

// root reads the root element.
func (r *kmlReader) root() {
	s := &r.s
	switch s.el {
	case elKML:
		r.container(false)
	case elDocument, elFolder:
		r.file(UnusualRoot, "the file starts with <%s> instead of <kml>", oneLine(s.name))
		r.container(s.el == elFolder)
	case elPlacemark:
		r.file(UnusualRoot, "the file starts with <%s> instead of <kml>", oneLine(s.name))
		r.placemark()
	case elPoint, elLineString, elLinearRing, elPolygon, elMultiGeometry, elTrack, elMultiTrack:
		s.fail(NoPlacemarks, "the file is a <%s> without a <Placemark> around it", oneLine(s.name))
	case elNetworkLink, elNetworkLinkControl, elUpdate, elGroundOverlay, elPhotoOverlay, elScreenOverlay:
		r.aside()
	default:
		r.stranger()
	}
}

// stranger reads a root element that is none of KML's.
func (r *kmlReader) stranger() {
	s := &r.s
	name := bytes.ToLower(s.name)
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	switch string(name) {
	case "kml":
		r.container(false)
	case "html", "gpx", "svg":
		s.fail(WrongType, "this is %s, not KML", bytes.ToUpper(name))
	default:
		s.fail(WrongType, "this is not KML: its root element is <%s>", oneLine(s.name))
	}
}

// epilogue checks that nothing follows the root element.
func (r *kmlReader) epilogue() {
	s := &r.s
	for s.err == nil {
		s.pos = space(s.data, s.pos)
		rest := s.data[s.pos:]
		switch {
		case len(rest) == 0:
			return
		case bytes.HasPrefix(rest, []byte("<!--")), bytes.HasPrefix(rest, []byte("<?")):
			s.markup()
		case len(bytes.Trim(rest, "\x00 \t\r\n\x1a")) == 0:
			r.file(TrailingBytes, "%d bytes after the end of the document were ignored", len(rest))
			return
		default:
			s.fail(BadXML, "there is content after the end of the document")
		}
	}
}

// container reads what kml, Document and Folder hold.
func (r *kmlReader) container(folder bool) {
	since, waiting, unnamed := r.mark(), len(r.waiting), r.unnamed
	name, direct := "", 0
	if folder {
		r.folders++
		defer func() { r.folders-- }()
	}
	for r.s.next() {
		switch r.s.el {
		case elPlacemark:
			direct++
			r.placemark()
		case elDocument, elFolder:
			r.container(r.s.el == elFolder)
		case elName:
			warnings := len(r.res.Warnings)
			if n := r.text(r.s.line(r.s.pos)); folder {
				name = n
			}
			for i := warnings; i < len(r.res.Warnings); i++ {
				r.res.Warnings[i].Index = -1 // not about a placemark
			}
		default:
			r.aside()
		}
	}
	if r.s.ns.waylines && !r.opts.Waypoints && direct > 1 && r.unnamed-unnamed == direct && r.join(since, name, direct) {
		return
	}
	if name != "" {
		r.inherit(waiting, name)
	}
}

// aside reads past an element that holds no placemarks.
func (r *kmlReader) aside() {
	s := &r.s
	line := s.line(s.pos)
	switch s.el {
	case elNetworkLink:
		r.links++
		r.warn(Warning{Code: LinkIgnored, Line: line, Index: -1, Message: "a network link was not followed"})
	case elGroundOverlay, elPhotoOverlay:
		r.warn(Warning{Code: OverlaySkipped, Line: line, Index: -1, Message: "image overlay skipped; only placemarks become sites"})
	case elNetworkLinkControl, elUpdate:
		r.updates++
		r.warn(Warning{Code: UpdateSkipped, Line: line, Index: -1, Message: "an update for another file was skipped"})
	case other:
		if string(s.name) == "placemark" || string(s.name) == "PLACEMARK" {
			r.miscase = true
		}
	}
	s.skip()
}

// text reads a name.
func (r *kmlReader) text(line int) string {
	text := r.s.text()
	if r.s.notes != (notes{}) {
		r.lenient(line)
		if r.s.notes.cdata {
			text = stripTags(text)
		}
	}
	return r.name(text, line)
}

// lenient warns about what the scanner put up with, once a file for each kind.
func (r *kmlReader) lenient(line int) {
	if n := r.s.notes; n.ampersand && !r.noted.ampersand {
		r.noted.ampersand = true
		r.note(BareAmpersand, line, "an unescaped '&' was read literally; it should be &amp;")
	}
	if n := r.s.notes; n.entity && !r.noted.entity {
		r.noted.entity = true
		r.note(HTMLEntity, line, "HTML entities were replaced with their characters")
	}
}

// leniencies warns about what held for the file as a whole.
func (r *kmlReader) leniencies() {
	if ns := r.s.ns.unknown; ns != "" {
		r.file(UnknownNamespace, "%q is not a KML namespace", oneLine([]byte(ns)))
	}
	if prefix := r.s.ns.undeclared; prefix != "" {
		r.file(UndeclaredPrefix, "the prefix %q is not declared", oneLine([]byte(prefix)))
	}
}

// nothing says why a document has no placemark.
func (r *kmlReader) nothing() *Error {
	switch {
	case r.links > 0:
		return fail(OnlyLinks, "the file contains only network links; open it in Google Earth and save the places as KML")
	case r.updates > 0:
		return fail(NoPlacemarks, "the file only updates placemarks of another file; open that file")
	case r.miscase:
		return fail(NoPlacemarks, "no placemark: element names are case-sensitive, <Placemark> not <placemark>")
	default:
		return fail(NoPlacemarks, "no placemark in the file")
	}
}

// inherit gives the placemarks that wait for a name that of the folder.
func (r *kmlReader) inherit(waiting int, name string) {
	list := r.waiting[waiting:]
	for i, u := range list {
		if len(list) > 1 {
			r.rename(u.placemarks, u.warnings, r.numbered(name, i+1))
		} else {
			r.rename(u.placemarks, u.warnings, name)
		}
	}
	r.waiting = r.waiting[:waiting]
}

// join makes one line of the waypoints that are all a folder holds, without
// names. It reports whether it did.
func (r *kmlReader) join(since mark, name string, direct int) bool {
	n := len(r.res.Placemarks) - since.placemarks
	if n != direct {
		return false
	}
	line := make([]orb.Point, 0, n)
	for _, p := range r.res.Placemarks[since.placemarks:] {
		point, ok := p.Geometry.(orb.Point)
		if !ok {
			return false
		}
		if k := len(line); k == 0 || line[k-1] != point {
			line = append(line, point)
		}
	}
	first := r.res.Placemarks[since.placemarks]
	r.res.Placemarks = r.res.Placemarks[:since.placemarks]
	for len(r.waiting) > 0 && r.waiting[len(r.waiting)-1].placemarks.from >= since.placemarks {
		r.waiting = r.waiting[:len(r.waiting)-1]
	}
	r.res.Warnings = r.res.Warnings[:since.warnings]
	r.note(WaypointsJoined, first.Line, fmt.Sprintf("%d waypoints without names were joined into one line", n))
	r.add(figure{kind: lineFigure, points: line, line: first.Line})
	r.end(since, name, first.Country, first.City)
	return true
}
