// Package photo reads where and when a delivered photo was taken: from its Exif, and from its XMP if
// the Exif has no position. It reads JPEG and DNG.
package photo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bep/imagemeta"
)

// Photo has the position, the time and the camera from the metadata of a photo.
type Photo struct {
	Lat, Lng    float64 // WGS 84
	HasPosition bool
	Taken       time.Time // local time of the camera's clock, stored as UTC; zero if unknown
	Camera      string    // make and model, or ""
}

// tags has the names of the Exif tags to read.
var tags = map[string]bool{
	"GPSLatitude": true, "GPSLatitudeRef": true, "GPSLongitude": true, "GPSLongitudeRef": true,
	"DateTimeOriginal": true, "DateTime": true, "CreateDate": true, "ModifyDate": true,
	"Make": true, "Model": true,
}

// ErrTruncated is returned for a JPEG file whose end is missing.
var ErrTruncated = errors.New("the photo is truncated: its end is missing")

// Read reads a photo of size bytes. A photo without a position or a time is valid.
func Read(r io.ReaderAt, size int64) (Photo, error) {
	head := make([]byte, 4)
	if _, err := r.ReadAt(head, 0); err != nil {
		return Photo{}, errors.New("the photo is too short")
	}
	if string(head) == "II*\x00" || string(head) == "MM\x00*" {
		// Its XMP is not read: the XMP of a DNG can declare any length, which would be allocated.
		return readTags(r, size, imagemeta.DNG, imagemeta.EXIF)
	}
	if !bytes.HasPrefix(head, []byte("\xff\xd8\xff")) {
		return Photo{}, errors.New("the file is neither a JPEG nor a DNG")
	}
	if !hasEnd(r, size) {
		return Photo{}, ErrTruncated
	}
	p, err := readTags(r, size, imagemeta.JPEG, imagemeta.EXIF)
	if err != nil {
		return Photo{}, err
	}
	if p.HasPosition {
		return p, nil
	}
	fromXMP, err := readTags(r, size, imagemeta.JPEG, imagemeta.XMP)
	if err != nil {
		return p, nil //nolint:nilerr // the XMP is optional
	}
	if fromXMP.HasPosition {
		p.Lat = fromXMP.Lat
		p.Lng = fromXMP.Lng
		p.HasPosition = true
	}
	return p, nil
}

// endSize is the number of bytes at the end of a JPEG in which hasEnd looks for the end marker.
// Cameras can append previews and padding after the marker.
const endSize = 64 << 10

// hasEnd reports whether a JPEG file seems to be complete. It is if the end marker is among the last bytes. It
// also counts as complete if the last bytes are only padding, because the marker can be before the padding.
func hasEnd(r io.ReaderAt, size int64) bool {
	last := make([]byte, min(size, endSize))
	if _, err := r.ReadAt(last, size-int64(len(last))); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	return bytes.Contains(last, []byte("\xff\xd9")) || len(bytes.Trim(last, "\x00")) == 0
}

// readTags reads the metadata of a photo from one source in the file: Exif or XMP.
func readTags(r io.ReaderAt, size int64, format imagemeta.ImageFormat, source imagemeta.Source) (Photo, error) {
	isXMP := source == imagemeta.XMP
	var found imagemeta.Tags
	_, err := imagemeta.Decode(imagemeta.Options{
		R:           io.NewSectionReader(r, 0, size),
		ImageFormat: format,
		Sources:     source,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool {
			return tags[tag.Tag] || isXMP && strings.HasPrefix(tag.Tag, "G")
		},
		HandleTag: func(tag imagemeta.TagInfo) error {
			found.Add(tag)
			return nil
		},
	})
	if err != nil {
		return Photo{}, fmt.Errorf("the description of the photo is damaged: %w", err)
	}
	values := found.EXIF()
	if isXMP {
		values = found.XMP()
	}
	return photoOf(values), nil
}

// photoOf builds a Photo from the values of Exif or XMP tags.
func photoOf(values map[string]imagemeta.TagInfo) Photo {
	var p Photo
	lat := number(values["GPSLatitude"].Value)
	lng := number(values["GPSLongitude"].Value)
	if text(values["GPSLatitudeRef"].Value) == "S" {
		lat = -lat
	}
	if text(values["GPSLongitudeRef"].Value) == "W" {
		lng = -lng
	}
	isPossible := math.Abs(lat) <= 90 && math.Abs(lng) <= 180
	isSet := lat != 0 || lng != 0 // cameras without a fix write zeros
	if isPossible && isSet {
		p.Lat = lat
		p.Lng = lng
		p.HasPosition = true
	}
	for _, name := range []string{"DateTimeOriginal", "CreateDate", "DateTime", "ModifyDate"} {
		taken, err := time.Parse("2006:01:02 15:04:05", text(values[name].Value))
		if err == nil && p.Taken.IsZero() {
			p.Taken = taken
		}
	}
	p.Camera = strings.TrimSpace(text(values["Make"].Value) + " " + text(values["Model"].Value))
	return p
}

// number converts a value to a number. It parses a text such as "8.5", and returns NaN if the value is not a number.
func number(value any) float64 {
	switch v := value.(type) {
	case float64:
		return v
	case string:
		if n, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return n
		}
	}
	return math.NaN()
}

// text returns a value if it is a string, otherwise "".
func text(value any) string {
	s, _ := value.(string)
	return strings.TrimSpace(s)
}
