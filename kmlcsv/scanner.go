package kmlcsv

import (
	"bytes"
	"html"
)

const (
	maxDepth    = 256     // nested elements
	maxTag      = 1 << 20 // bytes of a tag
	maxBindings = 256     // namespace declarations in force
)

// xmlScanner reads the elements of an XML document in one pass, without building
// anything. It checks that tags are well-formed and match; text is looked at
// only where asked for.
//
// It stands inside an element. next goes to the next child and reports false
// at the element's end; of a child either text, skip or a loop over next must
// follow. After an error all of them report an end.
type xmlScanner struct {
	data  []byte
	pos   int
	stack []dataSpan
	el    string
	name  []byte // of el as written, with its prefix
	named []byte // value of its attribute "name"
	attrs []byte // all its attributes as written
	empty bool   // el closed itself; its end is still to be reported
	err   *Error
	notes textNotes
	ns    namespaceScope

	buf              []byte // text that is not one piece of data
	linePos, lineNum int    // where lines were counted to
}

// dataSpan is a part of the data.
type dataSpan struct{ from, to int }

// textNotes tells what was lenient in the last text.
type textNotes struct{ cdata, ampersand, entity bool }

// nextElement goes to the next child element.
func (s *xmlScanner) nextElement() bool {
	if s.empty {
		s.empty = false
		s.popElement()
		return false
	}
	for s.err == nil {
		s.pos += len(s.textAhead())
		if s.err != nil {
			return false
		}
		switch s.data[s.pos+1] {
		case '/':
			s.endTag()
			return false
		case '!', '?':
			s.skipMarkup()
		default:
			return s.startTag()
		}
	}
	return false
}

// textAhead returns what there is before the next markup, of which at least two bytes
// follow.
func (s *xmlScanner) textAhead() []byte {
	i := bytes.IndexByte(s.data[s.pos:], '<')
	if i < 0 || s.pos+i+1 >= len(s.data) {
		s.failTruncated()
		return nil
	}
	return s.data[s.pos : s.pos+i]
}

// skipElement goes past the element that next went to.
func (s *xmlScanner) skipElement() {
	for depth := len(s.stack); len(s.stack) >= depth && s.err == nil; {
		s.nextElement()
	}
}

// startTag reads the tag at pos.
func (s *xmlScanner) startTag() bool {
	from := s.pos + 1
	to := from
	for to < len(s.data) && nameByte[s.data[to]] {
		to++
	}
	if to == from || !nameStart(s.data[from]) {
		s.failAt(BadXML, "a '<' does not start a tag; write it as &lt;")
		return false
	}
	if len(s.stack) >= maxDepth {
		s.failAt(TooDeep, "more than %d nested elements", maxDepth)
		return false
	}
	s.stack = append(s.stack, dataSpan{from, to})
	s.name, s.named, s.attrs = s.data[from:to], nil, nil
	if to < len(s.data) && s.data[to] == '>' {
		s.pos = to + 1
	} else if !s.readAttributes(to) {
		return false
	}
	s.el = s.ns.resolveName(s.name)
	return true
}

// readAttributes checks the attributes from i on and reads past the tag.
func (s *xmlScanner) readAttributes(i int) bool {
	from := i
	data := s.data[:min(len(s.data), s.pos+maxTag)]
	for {
		i = skipSpace(data, i)
		if i+1 >= len(data) {
			s.failEndless()
			return false
		}
		if data[i] == '>' || data[i] == '/' && data[i+1] == '>' {
			break
		}
		i = s.readAttribute(data, i)
	}
	s.attrs = data[from:i]
	s.empty = data[i] == '/'
	s.pos = i + 1
	if s.empty {
		s.pos++
	}
	return true
}

// attribute returns the value of an attribute of the current element as it is written,
// nil for none. A prefix of its name does not matter.
func (s *xmlScanner) attribute(name string) []byte {
	for rest := s.attrs; len(rest) > 0; {
		equals := bytes.IndexByte(rest, '=')
		if equals < 0 {
			return nil
		}
		start := skipSpace(rest, equals+1)
		length := bytes.IndexByte(rest[start+1:], rest[start])
		if string(localName(bytes.TrimSpace(rest[:equals]))) == name {
			return rest[start+1 : start+1+length]
		}
		rest = rest[start+length+2:]
	}
	return nil
}

// attributeText returns the value of an attribute with its entities replaced, "" for
// none.
func (s *xmlScanner) attributeText(name string) string {
	return string(s.appendUnescaped(nil, s.attribute(name)))
}

// local returns the name of the current element without a prefix.
func (s *xmlScanner) local() string { return string(localName(s.name)) }

func localName(name []byte) []byte { return name[bytes.IndexByte(name, ':')+1:] }

// startRoot reads up to the root element and its tag. format names what the document
// should be.
func (s *xmlScanner) startRoot(format string) bool {
	for s.err == nil {
		s.pos = skipSpace(s.data, s.pos)
		rest := s.data[s.pos:]
		switch {
		case len(rest) < 2:
			s.failTruncated()
		case rest[0] != '<':
			s.failAt(WrongType, "this is not %s: it has text before the first element", format)
		case bytes.HasPrefix(rest, []byte("<!DOCTYPE")):
			s.skipDoctype(rest)
		case rest[1] == '!' || rest[1] == '?':
			s.skipMarkup()
		default:
			return s.startTag()
		}
	}
	return false
}

// skipDoctype reads past a document type declaration. Nothing that it names is
// opened, and one that declares anything itself is refused.
func (s *xmlScanner) skipDoctype(rest []byte) {
	end := bytes.IndexAny(rest[:min(len(rest), maxTag)], "[>")
	switch {
	case end < 0:
		s.failTruncated()
	case rest[end] == '[':
		s.failAt(HasDTD, "a document type with declarations (DTD) is not allowed; remove it")
	case bytes.Contains(bytes.ToLower(rest[:end]), []byte("html")):
		s.failAt(WrongType, "this is an HTML page, not KML; perhaps a saved login page")
	default:
		s.pos += end + 1
	}
}

// readAttribute reads name="value" at i and returns where it ends, the end of the data
// where it is not one.
func (s *xmlScanner) readAttribute(data []byte, i int) int {
	from := i
	for i < len(data) && nameByte[data[i]] {
		i++
	}
	name := data[from:i]
	equals := skipSpace(data, i)
	i = skipSpace(data, equals+1)
	switch {
	case equals >= len(data):
	case len(name) == 0 || data[equals] != '=':
		s.failAt(BadXML, "an attribute of <%s> is not written as name=\"value\"", s.name)
	case i >= len(data):
	case data[i] != '"' && data[i] != '\'':
		s.failAt(BadXML, "an attribute value of <%s> is not quoted", s.name)
	default:
		value, _, ok := bytes.Cut(data[i+1:], data[i:i+1])
		if !ok {
			break
		}
		if name[0] == 'x' {
			s.declareNamespace(name, value)
		} else if s.named == nil && string(name) == "name" {
			s.named = value
		}
		return i + len(value) + 2
	}
	s.failEndless() // unless it failed already
	return len(data)
}

// declareNamespace notes an attribute that declares a namespace.
func (s *xmlScanner) declareNamespace(name, value []byte) {
	word, prefix, _ := bytes.Cut(name, colon)
	switch own := s.name[:max(0, bytes.IndexByte(s.name, ':'))]; {
	case string(word) != "xmlns":
	case len(s.ns.bindings) >= maxBindings:
		s.failAt(TooComplex, "more than %d namespaces", maxBindings)
	default:
		s.ns.bindPrefix(prefix, value, len(s.stack), len(s.stack) == 1 && bytes.Equal(own, prefix))
	}
}

// failEndless fails for a tag without an end.
func (s *xmlScanner) failEndless() {
	if len(s.data)-s.pos > maxTag {
		s.failAt(TooComplex, "a tag of more than %d bytes", maxTag)
	} else {
		s.failTruncated()
	}
}

// endTag reads the end tag at pos, which must be that of the open element.
func (s *xmlScanner) endTag() {
	if len(s.stack) == 0 {
		s.failAt(BadXML, "an end tag without a start tag")
		return
	}
	open := s.stack[len(s.stack)-1]
	name := s.data[open.from:open.to]
	rest := s.data[s.pos+2:]
	i := skipSpace(rest, len(name))
	switch isSame := bytes.HasPrefix(rest, name); {
	case isSame && i == len(rest):
		s.failTruncated()
	case !isSame || rest[i] != '>':
		s.failMismatch(name, rest)
	default:
		s.pos += 2 + i + 1
		s.popElement()
	}
}

func (s *xmlScanner) failMismatch(name, rest []byte) {
	end := 0
	for end < len(rest) && end < 64 && nameByte[rest[end]] {
		end++
	}
	if end == len(rest) {
		s.failTruncated()
		return
	}
	s.failAt(BadXML, "</%s> found where </%s> was expected", rest[:end], name)
}

func (s *xmlScanner) popElement() {
	s.stack = s.stack[:len(s.stack)-1]
	s.ns.leaveDepth(len(s.stack))
}

// skipMarkup reads past a comment, a processing instruction or a CDATA section
// outside text.
func (s *xmlScanner) skipMarkup() {
	rest := s.data[s.pos:]
	switch {
	case rest[1] == '?':
		s.skipPast(rest, "?>", 2)
	case bytes.HasPrefix(rest, []byte("<!--")):
		s.skipPast(rest, "-->", 4)
	case bytes.HasPrefix(rest, cdataStart):
		s.skipPast(rest, "]]>", len(cdataStart))
	default:
		s.failAt(BadXML, "a '<!' starts neither a comment nor CDATA")
	}
}

func (s *xmlScanner) skipPast(rest []byte, end string, from int) {
	i := bytes.Index(rest[from:], []byte(end))
	if i < 0 {
		s.failTruncated()
		return
	}
	s.pos += from + i + len(end)
}

// elementText returns the text of the element that next went to, that of elements
// inside it included, and goes past it. It is valid until the next call.
func (s *xmlScanner) elementText() []byte {
	s.notes = textNotes{}
	if s.empty {
		s.nextElement()
		return nil
	}
	text := s.textAhead()
	if s.err != nil {
		return nil
	}
	if s.data[s.pos+len(text)+1] == '/' && bytes.IndexByte(text, '&') < 0 {
		s.pos += len(text)
		s.endTag()
		return text
	}
	return s.collectText()
}

// collectText collects text that is not in one piece.
func (s *xmlScanner) collectText() []byte {
	s.buf = s.buf[:0]
	for depth := len(s.stack); len(s.stack) >= depth && s.err == nil; {
		if s.empty {
			s.nextElement()
			continue
		}
		text := s.textAhead()
		if s.err != nil {
			break
		}
		s.buf = s.appendUnescaped(s.buf, text)
		s.pos += len(text)
		if c := s.data[s.pos+1]; c != '!' && c != '?' {
			s.nextElement()
			continue
		}
		from := s.pos
		if s.skipMarkup(); s.err == nil && bytes.HasPrefix(s.data[from:], cdataStart) {
			s.notes.cdata = true
			s.buf = append(s.buf, s.data[from+len(cdataStart):s.pos-len("]]>")]...)
		}
	}
	return s.buf
}

// lineAt returns the line of a position, which must not be before the last one
// that it was asked for.
func (s *xmlScanner) lineAt(pos int) int {
	s.lineNum += bytes.Count(s.data[s.linePos:pos], newline)
	s.linePos = pos
	return s.lineNum + 1
}

func (s *xmlScanner) failTruncated() {
	s.pos = len(s.data)
	if len(s.stack) == 0 {
		s.failAt(Truncated, "the file ends before the next element")
		return
	}
	open := s.stack[len(s.stack)-1]
	s.failAt(Truncated, "the file ends inside <%s>; it is incomplete", s.data[open.from:open.to])
}

func (s *xmlScanner) failAt(code Code, format string, args ...any) {
	if s.err != nil {
		return
	}
	pos := min(s.pos, len(s.data))
	start := bytes.LastIndexByte(s.data[:pos], '\n') + 1
	s.err = &Error{
		Code: code, Line: bytes.Count(s.data[:pos], newline) + 1, Column: pos - start + 1,
		Message: writeMessage(format, args...),
	}
}

var (
	newline    = []byte{'\n'}
	cdataStart = []byte("<![CDATA[")
	colon      = []byte{':'}
)

// nameByte marks the bytes that a tag or attribute name may hold.
var nameByte = func() (t [256]bool) {
	for c := range t {
		switch c {
		case ' ', '\t', '\r', '\n', '<', '>', '/', '=', '"', '\'', '&', 0:
		default:
			t[c] = true
		}
	}
	return t
}()

func nameStart(c byte) bool { return isLetter(c) || c == '_' || c == ':' || c >= 0x80 }

// skipSpace returns where white space from i on ends.
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// appendUnescaped appends text to dst with its entities replaced. A '&' that starts
// none stays as it is.
func (s *xmlScanner) appendUnescaped(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '&')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i:]
		end := 1 + bytes.IndexByte(text[:min(len(text), 40)], ';')
		value := html.UnescapeString(string(text[:end]))
		if value == string(text[:end]) || len(value) > 1 && value[len(value)-1] == ';' { // of a part of the name
			s.notes.ampersand = true
			value, end = "&", 1
		}
		switch string(text[:end]) {
		case "&", "&amp;", "&lt;", "&gt;", "&quot;", "&apos;":
		default:
			s.notes.entity = s.notes.entity || text[1] != '#'
		}
		dst, text = append(dst, value...), text[end:]
	}
}
