package container

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"time"
)

const (
	maxDocument = 32 << 20 // bytes of a PDF in which pages are counted
	maxBoxes    = 10_000
)

var (
	pdfPage  = regexp.MustCompile(`/Type\s*/Page[^s]`)
	pdfCount = regexp.MustCompile(`/Count\s+(\d{1,6})\b`)
)

// readPDF checks the start and the end of a PDF and counts its pages, if they are not compressed.
func readPDF(_ context.Context, r *io.SectionReader) (Container, error) {
	head, err := readAt(r, 0, min(r.Size(), 1024))
	if err != nil || !bytes.Contains(head, []byte("%PDF-")) {
		return Container{}, errors.New("the file is not a PDF")
	}
	tailSize := min(r.Size(), 4096)
	tail, err := readAt(r, r.Size()-tailSize, tailSize)
	if err != nil {
		return Container{}, err
	}
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return Container{}, errors.New("the PDF is truncated: its end is missing")
	}
	data, err := readAt(r, 0, min(r.Size(), maxDocument))
	if err != nil {
		return Container{}, err
	}
	return Container{Kind: Document, Pages: countPages(data)}, nil
}

// countPages counts the page objects of a PDF. If they are compressed, it returns the largest count
// that the page tree declares.
func countPages(data []byte) int {
	pages := len(pdfPage.FindAllIndex(data, -1))
	if pages > 0 {
		return pages
	}
	for _, match := range pdfCount.FindAllSubmatch(data, -1) {
		count, _ := strconv.Atoi(string(match[1])) // at most six digits
		pages = max(pages, count)
	}
	return pages
}

// box is a section of an MP4 or QuickTime file: a name and its content.
type box struct {
	name       string
	start, end int64 // offsets of the content in the file
}

// readMP4 reads the duration from the movie header of an MP4 or QuickTime file.
func readMP4(_ context.Context, r *io.SectionReader) (Container, error) {
	movie, err := findBox(r, box{end: r.Size()}, "moov")
	if err != nil {
		return Container{}, err
	}
	header, err := findBox(r, movie, "mvhd")
	if err != nil {
		return Container{}, err
	}
	data, err := readAt(r, header.start, min(32, header.end-header.start))
	if err != nil || len(data) < 20 {
		return Container{}, errTruncated
	}
	scale := uint64(binary.BigEndian.Uint32(data[12:]))
	length := uint64(binary.BigEndian.Uint32(data[16:]))
	if data[0] == 1 && len(data) >= 32 {
		scale = uint64(binary.BigEndian.Uint32(data[20:]))
		length = binary.BigEndian.Uint64(data[24:])
	}
	return Container{Kind: Video, Duration: duration(float64(length), float64(scale))}, nil
}

// duration converts the length of a video, given in units of 1/unitsPerSecond seconds. It returns 0 if the
// numbers are impossible.
func duration(length, unitsPerSecond float64) time.Duration {
	seconds := length / unitsPerSecond
	if math.IsNaN(seconds) || seconds > 1e6 {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// findBox returns the first box with the given name in the content of the box parent.
func findBox(r *io.SectionReader, parent box, name string) (box, error) {
	offset := parent.start
	for range maxBoxes {
		found, err := readBox(r, offset, parent.end)
		if err != nil {
			return box{}, err
		}
		if found.name == name {
			return found, nil
		}
		offset = found.end
	}
	return box{}, errors.New("the video has too many parts")
}

// boxHead is the size of the head of a box in bytes: four bytes for the size of the box and four for its
// name.
const boxHead = 8

// readBox reads the head of the box at an offset. The box must end before limit.
func readBox(r *io.SectionReader, offset, limit int64) (box, error) {
	if offset+boxHead > limit { // the movie header, which is the index of the video, was not found
		return box{}, errors.New("the video has no index; the recording may be truncated")
	}
	head, err := readAt(r, offset, boxHead)
	if err != nil {
		return box{}, err
	}
	size := int64(binary.BigEndian.Uint32(head))
	contentStart := offset + boxHead
	switch size {
	case 0: // the box continues to the end
		size = limit - offset
	case 1: // the size has 64 bits and follows the head
		longSize, err := readAt(r, contentStart, 8)
		if err != nil {
			return box{}, err
		}
		size = int64(min(binary.BigEndian.Uint64(longSize), math.MaxInt64))
		contentStart += 8
	}
	if size < contentStart-offset {
		return box{}, errors.New("the video is damaged")
	}
	if size > limit-offset {
		return box{}, errTruncated
	}
	return box{name: string(head[4:]), start: contentStart, end: offset + size}, nil
}

// readAVI reads the duration from the main header of an AVI file. The header is at a fixed offset, after
// the heads of the two lists that contain it.
func readAVI(_ context.Context, r *io.SectionReader) (Container, error) {
	head, err := readAt(r, 0, 56)
	if err != nil || string(head[:4]) != "RIFF" || string(head[8:12]) != "AVI " {
		return Container{}, errors.New("the file is not an AVI")
	}
	if int64(binary.LittleEndian.Uint32(head[4:]))+8 > r.Size() {
		return Container{}, errTruncated
	}
	if string(head[20:28]) != "hdrlavih" {
		return Container{}, errors.New("the AVI has no header")
	}
	perFrame := float64(binary.LittleEndian.Uint32(head[32:])) // microseconds
	frames := float64(binary.LittleEndian.Uint32(head[48:]))
	return Container{Kind: Video, Duration: duration(perFrame*frames, 1e6)}, nil
}
