package product

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// pdfPage is a single page of A4 in the fonts that every reader of PDF has. Those
// know the characters of Windows-1252.
type pdfPage struct{ content bytes.Buffer }

// A4, and what is left white around, in points.
const (
	pageWidth  = 595.0
	pageHeight = 842.0
	pageMargin = 64.0
)

// writeText writes a line; bold and size choose the font.
func (p *pdfPage) writeText(x, y, size float64, bold bool, text string) {
	font := "F1"
	if bold {
		font = "F2"
	}
	fmt.Fprintf(&p.content, "BT /%s %.1f Tf %.1f %.1f Td (%s) Tj ET\n", font, size, x, y, latinText(text))
}

// latinText writes text as a string of the page. Letters that its fonts lack lose
// their marks; of other scripts question marks are left.
func latinText(text string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(text) {
		c, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			c = plainByte(r)
		}
		switch {
		case c == '(' || c == ')' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, max(c, ' '))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// strokes are the letters that have a mark within, which no table takes off.
var strokes = map[rune]byte{'Ł': 'L', 'ł': 'l', 'Đ': 'D', 'đ': 'd', 'Ħ': 'H', 'ħ': 'h', 'ı': 'i'}

func plainByte(r rune) byte {
	if c, ok := strokes[r]; ok {
		return c
	}
	if bare := []rune(norm.NFD.String(string(r)))[0]; bare < 0x80 {
		return byte(bare)
	}
	return '?'
}

// titleText returns text in any script, as a document's properties have it.
func titleText(text string) string {
	var b strings.Builder
	b.WriteString("<FEFF")
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, "%04X", unit)
	}
	b.WriteByte('>')
	return b.String()
}

// pdfInfo are a document's properties.
type pdfInfo struct{ title, author, date string }

// writePDF writes the page as a document.
func (p *pdfPage) writePDF(w io.Writer, about pdfInfo) error {
	font := "<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.0f %.0f] /Contents 4 0 R "+
			"/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>", pageWidth, pageHeight),
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", p.content.Len(), p.content.String()),
		fmt.Sprintf(font, "Helvetica"),
		fmt.Sprintf(font, "Helvetica-Bold"),
		fmt.Sprintf("<< /Title %s /Author %s /Creator (%s) /CreationDate (%s) >>",
			titleText(about.title), titleText(about.author), software, about.date),
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, len(objects), start)
	_, err := w.Write(b.Bytes())
	return err
}
