package kmlcsv

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/thedatashed/xlsxreader"
)

// parseWorkbook reads the first sheet with coordinates as the table that it is.
func parseWorkbook(archive *zip.Reader, opts Options) (*Result, *Error) {
	book, failed := openWorkbook(archive, opts.MaxBytes)
	if failed != nil {
		return nil, failed
	}
	var res *Result
	for _, sheet := range book.Sheets {
		if opts.Sheet != "" && sheet != opts.Sheet {
			continue
		}
		text, err := sheetText(book, sheet, opts.MaxBytes)
		if err != nil {
			return nil, err
		}
		found, err := parseCSV(text, opts)
		if found != nil {
			found.Layout.Sheet, found.Layout.Sheets = sheet, book.Sheets
		}
		if err == nil {
			return found, nil
		}
		if failed == nil || failed.Code == NoColumns || failed.Code == EmptyFile {
			res, failed = found, err
		}
	}
	if failed == nil {
		failed = newError(NoRows, "no sheet named %s", []byte(opts.Sheet))
	}
	return res, failed
}

// maxEntries bounds the files of a workbook.
const maxEntries = 1000

// openWorkbook opens a workbook that is sound and not too large.
func openWorkbook(archive *zip.Reader, limit int64) (*xlsxreader.XlsxFile, *Error) {
	total := uint64(0)
	for _, f := range archive.File {
		total += f.UncompressedSize64
	}
	if len(archive.File) > maxEntries || total > uint64(4*limit) {
		return nil, newError(TooLarge, "the workbook is too large: it expands to over %s", humanize.IBytes(uint64(4*limit)))
	}
	damaged := newError(BadArchive, "the workbook is damaged; save it again, or as CSV")
	for _, f := range archive.File {
		if !isSound(f) {
			return nil, damaged
		}
	}
	book, err := xlsxreader.NewReaderZip(archive)
	if err != nil || len(book.Sheets) == 0 {
		return nil, damaged
	}
	return book, nil
}

// isSound reports whether a file of a workbook is all there, if it is a sheet, and
// has no negative index or large count: the library stops at damage without a word,
// and panics on such numbers.
func isSound(f *zip.File) bool {
	r, err := f.Open()
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }() // only read
	isIndex := false
	for decoder := xml.NewDecoder(r); ; {
		token, err := decoder.Token()
		if err != nil {
			return errors.Is(err, io.EOF) || !strings.HasPrefix(f.Name, "xl/worksheets/")
		}
		switch t := token.(type) {
		case xml.StartElement:
			isIndex = attributeOf(t, "t") == "s" && t.Name.Local == "c" || isIndex && t.Name.Local != "c"
			n, _ := strconv.ParseInt(attributeOf(t, "count"), 10, 64) // 0 or the largest for what is none
			if n < 0 || n > 1<<21 {
				return false
			}
		case xml.CharData:
			if isIndex && bytes.HasPrefix(t, []byte("-")) {
				return false
			}
		}
	}
}

func attributeOf(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// sheetText writes a sheet as CSV, its rows where they are.
func sheetText(book *xlsxreader.XlsxFile, sheet string, limit int64) ([]byte, *Error) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	row := 0
	var failed *Error
	for r := range book.ReadRows(sheet) {
		switch {
		case failed != nil: // the reader is to come to its end
			continue
		case r.Error != nil:
			failed = newError(BadArchive, "the sheet %s is damaged; save the workbook again", []byte(sheet))
			continue
		case int64(text.Len()) > limit || r.Index > 1<<20:
			failed = newError(
				TooLarge,
				"the sheet %s is too large: over %s",
				[]byte(sheet),
				humanize.IBytes(uint64(limit)),
			)
			continue
		}
		for row++; row < r.Index; row++ {
			w.Flush()
			text.WriteByte('\n')
		}
		var cells []string
		for _, cell := range r.Cells {
			column := cell.ColumnIndex()
			if column < 0 || column >= maxColumns {
				continue
			}
			for len(cells) <= column {
				cells = append(cells, "")
			}
			cells[column] = cell.Value
		}
		_ = w.Write(cells) // to memory
	}
	w.Flush()
	return text.Bytes(), failed
}
