package kmlcsv

import (
	"bytes"
	"fmt"
)

const (
	maxDepth    = 256     // nested elements
	maxTag      = 1 << 20 // bytes of a tag
	maxBindings = 256     // namespace declarations in force
)

// scanner reads the elements of an XML document in one pass, without building
// anything. It checks that tags are well-formed and match; text is looked at
// only where asked for.
//
// It stands inside an element. next goes to the next child and reports false
// at the element's end; of a child either text, skip or a loop over next must
// follow. After an error all of them report an end.
type scanner struct {
	data  []byte
	pos   int
	stack []span
	el    element
	name  []byte // of el as written, with its prefix
	attrs []byte // of el
	empty bool   // el closed itself; its end is still to be reported
	err   *Error
	notes notes
	ns    namespaces

	buf              []byte // text that is not one piece of data
	linePos, lineNum int    // where lines were counted to
}

// span is a part of the data.
type span struct{ from, to int }

// notes tells what was lenient in the last text.
type notes struct{ cdata, ampersand, entity bool }

// next goes to the next child element.
func (s *scanner) next() bool {
	if s.empty {
		s.empty = false
		s.pop()
		return false
	}
	for s.err == nil {
		i := bytes.IndexByte(s.data[s.pos:], '<')
		if i < 0 || s.pos+i+1 >= len(s.data) {
			s.truncated()
			return false
		}
		s.pos += i
		switch c := s.data[s.pos+1]; c {
		case '/':
			s.endTag()
			return false
		case '!', '?':
			s.markup()
		default:
			return s.startTag()
		}
	}
	return false
}

// skip goes past the element that next went to.
func (s *scanner) skip() {
	for depth := len(s.stack); len(s.stack) >= depth && s.err == nil; {
		s.next()
	}
}

// startTag reads the tag at pos.
func (s *scanner) startTag() bool {
	from := s.pos + 1
	to := from
	for to < len(s.data) && nameByte[s.data[to]] {
		to++
	}
	if to == from || !nameStart(s.data[from]) {
		s.fail(BadXML, "a '<' does not start a tag; write it as &lt;")
		return false
	}
	if len(s.stack) >= maxDepth {
		s.fail(TooDeep, "more than %d nested elements", maxDepth)
		return false
	}
	s.stack = append(s.stack, span{from, to})
	s.name, s.attrs = s.data[from:to], nil
	if to < len(s.data) && s.data[to] == '>' {
		s.pos = to + 1
	} else if !s.attributes(to) {
		return false
	}
	s.el = s.ns.resolve(s.name)
	return true
}

// attributes checks the attributes from i on and reads past the tag.
func (s *scanner) attributes(i int) bool {
	from := i
	data := s.data[:min(len(s.data), s.pos+maxTag)]
	for {
		i = space(data, i)
		if i+1 >= len(data) {
			return s.endless()
		}
		if data[i] == '>' || data[i] == '/' && data[i+1] == '>' {
			break
		}
		if i = s.attribute(data, i); i < 0 {
			return false
		}
	}
	s.attrs = data[from:i]
	s.empty = data[i] == '/'
	s.pos = i + 1
	if s.empty {
		s.pos++
	}
	return true
}

// attribute reads name="value" at i and returns where it ends, -1 where it is
// not one.
func (s *scanner) attribute(data []byte, i int) int {
	from := i
	for i < len(data) && nameByte[data[i]] {
		i++
	}
	name := data[from:i]
	if i = space(data, i); i >= len(data) {
		s.endless()
		return -1
	}
	if len(name) == 0 || data[i] != '=' {
		s.fail(BadXML, "an attribute of <%s> is not written as name=\"value\"", oneLine(s.name))
		return -1
	}
	if i = space(data, i+1); i >= len(data) {
		s.endless()
		return -1
	}
	quote := data[i]
	if quote != '"' && quote != '\'' {
		s.fail(BadXML, "an attribute value of <%s> is not quoted", oneLine(s.name))
		return -1
	}
	end := bytes.IndexByte(data[i+1:], quote)
	if end < 0 {
		s.endless()
		return -1
	}
	if name[0] == 'x' && !s.declare(name, data[i+1:i+1+end]) {
		return -1
	}
	return i + end + 2
}

// declare notes an attribute that declares a namespace.
func (s *scanner) declare(name, value []byte) bool {
	if !bytes.HasPrefix(name, xmlns) {
		return true
	}
	prefix := name[len(xmlns):]
	if len(prefix) > 0 {
		if prefix[0] != ':' {
			return true
		}
		prefix = prefix[1:]
	}
	if len(s.ns.bindings) >= maxBindings {
		s.fail(TooComplex, "more than %d namespaces", maxBindings)
		return false
	}
	s.ns.bind(prefix, value, len(s.stack), len(s.stack) == 1 && s.prefixed(prefix))
	return true
}

// prefixed reports whether the current element has that prefix, "" for none.
func (s *scanner) prefixed(prefix []byte) bool {
	i := max(0, bytes.IndexByte(s.name, ':'))
	return string(s.name[:i]) == string(prefix)
}

// endless fails for a tag without an end.
func (s *scanner) endless() bool {
	if len(s.data)-s.pos > maxTag {
		s.fail(TooComplex, "a tag of more than %d bytes", maxTag)
	} else {
		s.truncated()
	}
	return false
}

// endTag reads the end tag at pos, which must be that of the open element.
func (s *scanner) endTag() {
	if len(s.stack) == 0 {
		s.fail(BadXML, "an end tag without a start tag")
		return
	}
	open := s.stack[len(s.stack)-1]
	name := s.data[open.from:open.to]
	rest := s.data[s.pos+2:]
	if len(rest) > len(name) && rest[len(name)] == '>' && string(rest[:len(name)]) == string(name) {
		s.pos += len(name) + 3
		s.pop()
		return
	}
	if !bytes.HasPrefix(rest, name) {
		s.mismatch(name, rest)
		return
	}
	i := space(rest, len(name))
	switch {
	case i == len(rest):
		s.truncated()
	case rest[i] != '>':
		s.mismatch(name, rest)
	default:
		s.pos += 2 + i + 1
		s.pop()
	}
}

func (s *scanner) mismatch(name, rest []byte) {
	end := 0
	for end < len(rest) && end < 64 && nameByte[rest[end]] {
		end++
	}
	if end == len(rest) {
		s.truncated()
		return
	}
	s.fail(BadXML, "</%s> found where </%s> was expected", oneLine(rest[:end]), oneLine(name))
}

func (s *scanner) pop() {
	s.stack = s.stack[:len(s.stack)-1]
	s.ns.leave(len(s.stack))
}

// markup reads past a comment, a processing instruction or a CDATA section
// outside text.
func (s *scanner) markup() {
	rest := s.data[s.pos:]
	switch {
	case rest[1] == '?':
		s.past(rest, "?>", 2)
	case bytes.HasPrefix(rest, []byte("<!--")):
		s.past(rest, "-->", 4)
	case bytes.HasPrefix(rest, cdataStart):
		s.past(rest, "]]>", len(cdataStart))
	default:
		s.fail(BadXML, "a '<!' starts neither a comment nor CDATA")
	}
}

func (s *scanner) past(rest []byte, end string, from int) {
	i := bytes.Index(rest[from:], []byte(end))
	if i < 0 {
		s.truncated()
		return
	}
	s.pos += from + i + len(end)
}

// text returns the text of the element that next went to, that of elements
// inside it included, and goes past it. It is valid until the next call.
func (s *scanner) text() []byte {
	s.notes = notes{}
	if s.empty {
		s.next()
		return nil
	}
	i := bytes.IndexByte(s.data[s.pos:], '<')
	if i < 0 || s.pos+i+1 >= len(s.data) {
		s.truncated()
		return nil
	}
	text := s.data[s.pos : s.pos+i]
	if s.data[s.pos+i+1] == '/' && bytes.IndexByte(text, '&') < 0 {
		s.pos += i
		s.endTag()
		return text
	}
	return s.pieces()
}

// pieces collects text that is not in one piece.
func (s *scanner) pieces() []byte {
	s.buf = s.buf[:0]
	for depth := len(s.stack); len(s.stack) >= depth && s.err == nil; {
		if s.empty {
			s.next()
			continue
		}
		i := bytes.IndexByte(s.data[s.pos:], '<')
		if i < 0 || s.pos+i+1 >= len(s.data) {
			s.truncated()
			break
		}
		s.buf = s.unescape(s.buf, s.data[s.pos:s.pos+i])
		s.pos += i
		if c := s.data[s.pos+1]; c != '!' && c != '?' {
			s.next()
			continue
		}
		from := s.pos
		if s.markup(); s.err == nil && bytes.HasPrefix(s.data[from:], cdataStart) {
			s.notes.cdata = true
			s.buf = append(s.buf, s.data[from+len(cdataStart):s.pos-len("]]>")]...)
		}
	}
	return s.buf
}

// attr returns the value of an attribute of the element that next went to.
func (s *scanner) attr(key string) string {
	rest := s.attrs
	for {
		rest = rest[space(rest, 0):]
		i := bytes.IndexByte(rest, '=')
		if i < 0 {
			return ""
		}
		name := bytes.TrimSpace(rest[:i])
		rest = rest[space(rest, i+1):]
		end := bytes.IndexByte(rest[1:], rest[0])
		if string(name) == key {
			return string(s.unescape(nil, rest[1:1+end]))
		}
		rest = rest[end+2:]
	}
}

// line returns the line of a position, which must not be before the last one
// that it was asked for.
func (s *scanner) line(pos int) int {
	s.lineNum += bytes.Count(s.data[s.linePos:pos], newline)
	s.linePos = pos
	return s.lineNum + 1
}

func (s *scanner) truncated() {
	s.pos = len(s.data)
	if len(s.stack) == 0 {
		s.fail(Truncated, "the file ends before the next element")
		return
	}
	open := s.stack[len(s.stack)-1]
	s.fail(Truncated, "the file ends inside <%s>; it is incomplete", oneLine(s.data[open.from:open.to]))
}

func (s *scanner) fail(code Code, format string, args ...any) {
	if s.err != nil {
		return
	}
	pos := min(s.pos, len(s.data))
	start := bytes.LastIndexByte(s.data[:pos], '\n') + 1
	s.err = &Error{
		Code: code, Line: bytes.Count(s.data[:pos], newline) + 1, Column: pos - start + 1,
		Message: fmt.Sprintf(format, args...),
	}
}

var (
	newline    = []byte{'\n'}
	cdataStart = []byte("<![CDATA[")
	xmlns      = []byte("xmlns")
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

// space returns where white space from i on ends.
func space(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }
