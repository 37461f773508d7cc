package kmlcsv

import (
	"bytes"
	"html"
)

const (
	maxDepth    = 256     // maximum number of nested elements
	maxTag      = 1 << 20 // maximum length of a tag in bytes
	maxBindings = 256     // maximum number of namespaces that are declared at the same time
)

// xmlScanner reads the elements of an XML document in one pass, without building a tree. It checks that tags
// are well-formed and match. It only reads text on request.
//
// The scanner is always inside an element. nextElement goes to the next child, which becomes the current
// element, and returns false at the end of the element. For each child, the caller must then call elementText
// or skipElement, or call nextElement until it returns false. After an error, nextElement returns false and the
// other methods do nothing.
type xmlScanner struct {
	data  []byte
	pos   int
	stack []dataSpan // names of the open elements
	el    string     // current element, "" if it is not one of elementNames
	name  []byte     // name of the current element as written, with its prefix
	named []byte     // value of the attribute "name" of the current element
	attrs []byte     // all attributes of the current element as written
	empty bool       // the current element is written as <name/>; nextElement still has to return false for its end
	err   *Error
	notes textNotes
	ns    namespaceScope

	buf     []byte // memory for the text of an element, if the text is in several pieces
	linePos int    // position of the last call of lineAt
	lineNum int    // number of line breaks before linePos
}

// dataSpan is a part of the data.
type dataSpan struct{ from, to int }

// textNotes tells which faults or special forms the last text has: CDATA, ampersands without an escape, or HTML
// entities.
type textNotes struct{ cdata, ampersand, entity bool }

// nextElement goes to the next child element. It returns false if there is none.
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

// textAhead returns the text up to the next '<'. It fails if the data ends before the '<' or directly after it, so
// callers can read the byte after the '<'.
func (s *xmlScanner) textAhead() []byte {
	i := bytes.IndexByte(s.data[s.pos:], '<')
	if i < 0 || s.pos+i+1 >= len(s.data) {
		s.failTruncated()
		return nil
	}
	return s.data[s.pos : s.pos+i]
}

// skipElement skips the current element.
func (s *xmlScanner) skipElement() {
	for depth := len(s.stack); len(s.stack) >= depth && s.err == nil; {
		s.nextElement()
	}
}

// startTag reads the start tag at pos. It returns false if the tag is not well-formed; s.err then says why.
func (s *xmlScanner) startTag() bool {
	from := s.pos + 1
	to := skipName(s.data, from)
	if to == from || !nameStart(s.data[from]) {
		s.failAt(BadXML, "a '<' does not start a tag; write it as &lt;")
		return false
	}
	if len(s.stack) >= maxDepth {
		s.failAt(TooDeep, "more than %d nested elements", maxDepth)
		return false
	}
	s.stack = append(s.stack, dataSpan{from, to})
	s.name = s.data[from:to]
	s.named = nil
	s.attrs = nil
	if to < len(s.data) && s.data[to] == '>' {
		s.pos = to + 1
	} else if !s.readAttributes(to) {
		return false
	}
	s.el = s.ns.resolveName(s.name)
	return true
}

// readAttributes reads the rest of a start tag, such as ` id="p1" name="Site 1">`. i is the index where the rest
// begins. It checks the attributes, and goes to the end of the tag. It returns false if the tag has no end. If an
// attribute is not valid, it sets s.err.
func (s *xmlScanner) readAttributes(i int) bool {
	from := i
	data := s.data[:min(len(s.data), s.pos+maxTag)]
	for {
		i = skipSpace(data, i)
		if i+1 >= len(data) {
			s.failEndless()
			return false
		}
		isTagEnd := data[i] == '>' || data[i] == '/' && data[i+1] == '>'
		if isTagEnd {
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

// attribute returns the value of an attribute of the current element as written in the file, or nil. It ignores the
// prefixes of attributes.
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

// attributeText returns the value of an attribute, with its entities replaced by characters. It returns "" if the
// element does not have the attribute.
func (s *xmlScanner) attributeText(name string) string {
	return string(s.appendUnescaped(nil, s.attribute(name)))
}

// local returns the name of the current element without its prefix.
func (s *xmlScanner) local() string { return string(localName(s.name)) }

func localName(name []byte) []byte { return name[bytes.IndexByte(name, ':')+1:] }

// startRoot reads the start tag of the root element. It returns false if it fails. format is the name of the expected
// format, for messages.
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

// skipDoctype skips a document type declaration. It never loads the file that a declaration can name. It fails if the
// declaration has declarations of its own in brackets.
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

// readAttribute reads the attribute that begins at i, such as name="Site 1". It returns the index after the attribute.
// If it fails, it returns the end of the data.
func (s *xmlScanner) readAttribute(data []byte, i int) int {
	nameEnd := skipName(data, i)
	name := data[i:nameEnd]
	equals := skipSpace(data, nameEnd)
	if equals >= len(data) {
		s.failEndless()
		return len(data)
	}
	if len(name) == 0 || data[equals] != '=' {
		s.failAt(BadXML, "an attribute of <%s> is not written as name=\"value\"", s.name)
		return len(data)
	}
	value, end := s.readQuoted(data, skipSpace(data, equals+1))
	if s.err != nil {
		return len(data)
	}
	if name[0] == 'x' { // perhaps xmlns; a comparison of the whole word here would be slower
		s.declareNamespace(name, value)
	} else if s.named == nil && string(name) == "name" {
		s.named = value
	}
	return end
}

// readQuoted returns the text in quotes that begins at start, and the index after its closing quote. It fails if there
// is no quoted text.
func (s *xmlScanner) readQuoted(data []byte, start int) (text []byte, end int) {
	if start >= len(data) {
		s.failEndless()
		return nil, start
	}
	quote := data[start]
	if quote != '"' && quote != '\'' {
		s.failAt(BadXML, "an attribute value of <%s> is not quoted", s.name)
		return nil, start
	}
	length := bytes.IndexByte(data[start+1:], quote)
	if length < 0 {
		s.failEndless()
		return nil, start
	}
	closing := start + 1 + length
	return data[start+1 : closing], closing + 1
}

// declareNamespace adds the declaration of a namespace if the attribute is xmlns or begins with "xmlns:". It ignores
// other attributes.
func (s *xmlScanner) declareNamespace(name, value []byte) {
	word, prefix, _ := bytes.Cut(name, colon)
	if string(word) != "xmlns" {
		return
	}
	if len(s.ns.bindings) >= maxBindings {
		s.failAt(TooComplex, "more than %d namespaces", maxBindings)
		return
	}
	prefixOfElement := s.name[:max(0, bytes.IndexByte(s.name, ':'))]
	isOfRoot := len(s.stack) == 1 && bytes.Equal(prefixOfElement, prefix) // the root element itself is in this namespace
	s.ns.bindPrefix(prefix, value, len(s.stack), isOfRoot)
}

// failEndless sets the error for a tag that has no end or is longer than maxTag.
func (s *xmlScanner) failEndless() {
	if len(s.data)-s.pos > maxTag {
		s.failAt(TooComplex, "a tag of more than %d bytes", maxTag)
	} else {
		s.failTruncated()
	}
}

// endTag reads the end tag at pos. It fails unless the tag closes the current element.
func (s *xmlScanner) endTag() {
	if len(s.stack) == 0 {
		s.failAt(BadXML, "an end tag without a start tag")
		return
	}
	open := s.stack[len(s.stack)-1]
	name := s.data[open.from:open.to]
	rest := s.data[s.pos+len("</"):]
	if !bytes.HasPrefix(rest, name) {
		s.failMismatch(name, rest)
		return
	}
	bracket := skipSpace(rest, len(name))
	if bracket == len(rest) {
		s.failTruncated()
		return
	}
	if rest[bracket] != '>' { // the name of the tag goes on
		s.failMismatch(name, rest)
		return
	}
	s.pos += len("</") + bracket + 1
	s.popElement()
}

// failMismatch sets the error for an end tag that does not close the current element. name is the name of the current
// element, and rest is the data after "</".
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

// skipMarkup skips a comment, a processing instruction or a CDATA section.
func (s *xmlScanner) skipMarkup() {
	rest := s.data[s.pos:]
	switch {
	case rest[1] == '?':
		s.skipPast(rest, "?>", len("<?"))
	case bytes.HasPrefix(rest, []byte("<!--")):
		s.skipPast(rest, "-->", len("<!--"))
	case bytes.HasPrefix(rest, cdataStart):
		s.skipPast(rest, cdataEnd, len(cdataStart))
	default:
		s.failAt(BadXML, "a '<!' starts neither a comment nor CDATA")
	}
}

// skipPast goes past the next occurrence of end. rest is the data at pos; the search begins at the index from in rest.
func (s *xmlScanner) skipPast(rest []byte, end string, from int) {
	i := bytes.Index(rest[from:], []byte(end))
	if i < 0 {
		s.failTruncated()
		return
	}
	s.pos += from + i + len(end)
}

// elementText returns the text of the current element, including the texts of child elements, and goes to the end of
// the element. The text is valid until the next call of elementText.
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
	isWhole := s.data[s.pos+len(text)+1] == '/' // the end tag follows
	if isWhole && bytes.IndexByte(text, '&') < 0 {
		s.pos += len(text)
		s.endTag()
		return text
	}
	return s.collectText()
}

// collectText returns the text of the current element and its child elements, and goes to the end of the element.
// The text can be in several pieces, and it can have entities and CDATA.
func (s *xmlScanner) collectText() []byte {
	s.buf = s.buf[:0]
	depth := len(s.stack)
	for len(s.stack) >= depth && s.err == nil { // after the end tag of the element, the stack is shorter than depth
		if s.empty {
			s.nextElement() // goes to the end of a child without text
			continue
		}
		text := s.textAhead()
		if s.err != nil {
			break
		}
		s.buf = s.appendUnescaped(s.buf, text)
		s.pos += len(text)
		switch s.data[s.pos+1] {
		case '!', '?':
			s.collectMarkup()
		default:
			s.nextElement() // a child starts or ends, or the element ends
		}
	}
	return s.buf
}

// collectMarkup skips the comment, processing instruction or CDATA section at pos. It adds the text in a CDATA section
// to the text of the element.
func (s *xmlScanner) collectMarkup() {
	from := s.pos
	s.skipMarkup()
	if s.err != nil || !bytes.HasPrefix(s.data[from:], cdataStart) {
		return
	}
	s.notes.cdata = true
	s.buf = append(s.buf, s.data[from+len(cdataStart):s.pos-len(cdataEnd)]...)
}

// lineAt returns the line number of a position in the data. The position must not be smaller than in the last call,
// because lineAt counts lines from there.
func (s *xmlScanner) lineAt(pos int) int {
	s.lineNum += bytes.Count(s.data[s.linePos:pos], newline)
	s.linePos = pos
	return s.lineNum + 1
}

// failTruncated sets the error for data that ends inside an element.
func (s *xmlScanner) failTruncated() {
	s.pos = len(s.data)
	if len(s.stack) == 0 {
		s.failAt(Truncated, "the file ends before the next element")
		return
	}
	open := s.stack[len(s.stack)-1]
	s.failAt(Truncated, "the file ends inside <%s>; it is incomplete", s.data[open.from:open.to])
}

// failAt sets the error, with the line and the column of pos. It does nothing if there is an error already.
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

const cdataEnd = "]]>"

// nameByte marks the bytes that can be in the name of a tag or an attribute.
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

// skipName returns the index after the name of a tag or an attribute that begins at i.
func skipName(b []byte, i int) int {
	for i < len(b) && nameByte[b[i]] {
		i++
	}
	return i
}

// skipSpace returns the index of the first character from i on that is not white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// appendUnescaped appends text to dst, with its entities replaced by characters. It keeps an ampersand that does not
// start an entity.
func (s *xmlScanner) appendUnescaped(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '&')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i:]
		value, length := readEntity(text)
		if length == 0 {
			s.notes.ampersand = true
			dst = append(dst, '&')
			text = text[1:]
			continue
		}
		if !isXMLEntity(text[:length]) {
			s.notes.entity = true
		}
		dst = append(dst, value...)
		text = text[length:]
	}
}

// maxEntity is the maximum length of an entity in bytes. The entities of HTML are shorter.
const maxEntity = 40

// readEntity returns the characters that an entity at the start of text means, and the length of the entity. If text
// does not start with an entity, the length is 0.
func readEntity(text []byte) (value string, length int) {
	semicolon := bytes.IndexByte(text[:min(len(text), maxEntity)], ';')
	if semicolon < 0 {
		return "", 0
	}
	entity := string(text[:semicolon+1])
	value = html.UnescapeString(entity)
	isUnknown := value == entity
	isPartial := len(value) > 1 && value[len(value)-1] == ';' // the entity is only the start of this name
	if isUnknown || isPartial {
		return "", 0
	}
	return value, len(entity)
}

// isXMLEntity reports whether an entity is defined in XML, too, and not only in HTML. XML only defines &amp;, &lt;,
// &gt;, &quot; and &apos;, and character numbers such as &#176;.
func isXMLEntity(entity []byte) bool {
	switch string(entity) {
	case "&amp;", "&lt;", "&gt;", "&quot;", "&apos;":
		return true
	}
	return entity[1] == '#'
}
