package las

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"flightdesk/kmlcsv/crs"
	"flightdesk/tui/app/checking/geotiff"
)

// Compressions of points.
const (
	None = ""
	LAZ  = "LAZ"
	COPC = "COPC"
)

// File is an open point cloud in the format LAS or LAZ.
type File struct {
	Version     string // version of LAS, such as "1.4"
	Format      int    // format of the points, from 0 to 10
	Compression string
	Points      uint64
	Min, Max    [3]float64 // x, y and z in the units of System

	System      *crs.System // reference system; nil if unknown
	SystemFault string      // why System is nil, such as "has no reference system", or ""

	r            io.ReaderAt
	size         int64
	dataStart    uint64
	recordLength int
	scale        [3]float64
	offset       [3]float64
}

const (
	headerSize  = 227     // bytes of a header of version 1.0 to 1.2
	maxRecords  = 10_000  // variable length records that are looked at
	maxRecord   = 1 << 20 // bytes of a record that is read
	recordHead  = 54
	recordHead4 = 60 // of an extended record
)

// recordLengths has the minimum size of a point in bytes, by the format of the points.
var recordLengths = [11]int{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67}

var errTruncated = errors.New("the file is truncated: it ends before data that it declares")

// Offsets of fields in the header.
const (
	atMajorVersion = 24
	atMinorVersion = 25
	atHeaderSize   = 94 // the records follow the header
	atRecordCount  = 100
)

// Open reads the header and the records of a file of size bytes.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	head, err := f.read(0, headerSize)
	if err != nil || string(head[:4]) != "LASF" {
		return nil, errors.New("the file is not a LAS file")
	}
	major := head[atMajorVersion]
	minor := head[atMinorVersion]
	if major != 1 || minor > 4 {
		return nil, fmt.Errorf("the version %d.%d of the LAS file is not known", major, minor)
	}
	f.Version = fmt.Sprintf("%d.%d", major, minor)
	f.parseHeader(head)
	var extended extendedRecords // none before version 1.4
	if minor == 4 {
		extended, err = f.readHeader4()
		if err != nil {
			return nil, err
		}
	}
	if err := f.checkLayout(); err != nil {
		return nil, err
	}
	if err := f.readSystem(head, extended); err != nil {
		return nil, err
	}
	return f, nil
}

// readSystem reads the reference system from the records in the file that define it.
func (f *File) readSystem(head []byte, extended extendedRecords) error {
	order := binary.LittleEndian
	start := uint64(order.Uint16(head[atHeaderSize:]))
	count := int(order.Uint32(head[atRecordCount:]))
	found := systemRecords{}
	if err := f.collectRecords(found, start, count); err != nil {
		return err
	}
	if err := f.collectExtended(found, extended); err != nil {
		return err
	}
	f.System, f.SystemFault = found.system()
	return nil
}

// parseHeader parses the header: the format, the number, the position in the file and the extent of the points.
func (f *File) parseHeader(head []byte) {
	order := binary.LittleEndian
	f.dataStart = uint64(order.Uint32(head[96:]))
	f.Format = int(head[104] & 0x3f)
	isCompressed := head[104]&0xc0 != 0
	if isCompressed {
		f.Compression = LAZ
	}
	f.recordLength = int(order.Uint16(head[105:]))
	f.Points = uint64(order.Uint32(head[107:]))
	f.parseExtent(head[131:])
}

// readHeader4 reads the part of the header that version 1.4 added: the number of points with 64 bits,
// and the position of the extended records.
func (f *File) readHeader4() (extendedRecords, error) {
	const size = 375 // of the header of version 1.4
	head, err := f.read(0, size)
	if err != nil {
		return extendedRecords{}, errTruncated
	}
	order := binary.LittleEndian
	f.Points = order.Uint64(head[247:])
	return extendedRecords{
		start: order.Uint64(head[235:]),
		count: int(order.Uint32(head[243:])),
	}, nil
}

// read returns n bytes at an offset.
func (f *File) read(offset uint64, n int) ([]byte, error) {
	if offset > uint64(f.size) || uint64(n) > uint64(f.size)-offset {
		return nil, errTruncated
	}
	data := make([]byte, n)
	if _, err := f.r.ReadAt(data, int64(offset)); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}

// parseExtent parses the scale and the offset of coordinates, and their extent.
func (f *File) parseExtent(data []byte) {
	number := func(i int) float64 {
		return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	for axis := range 3 {
		f.scale[axis] = number(axis)
		f.offset[axis] = number(3 + axis)
		f.Max[axis] = number(6 + 2*axis)
		f.Min[axis] = number(7 + 2*axis)
	}
}

// checkLayout checks that the numbers of the header are possible, and that the file has all points.
func (f *File) checkLayout() error {
	if f.Points > 0 && !f.isExtentPossible() {
		return errors.New("the extent of the points is not possible")
	}
	if f.Format >= len(recordLengths) {
		return fmt.Errorf("the point format %d is not known", f.Format)
	}
	if f.recordLength < recordLengths[f.Format] {
		return fmt.Errorf("points of format %d have %d bytes; at least %d are needed",
			f.Format, f.recordLength, recordLengths[f.Format])
	}
	if f.dataStart > uint64(f.size) {
		return errTruncated
	}
	left := uint64(f.size) - f.dataStart
	if f.Compression == None && f.Points > left/uint64(f.recordLength) {
		return fmt.Errorf("the file is truncated: it declares %d points and has %d", f.Points, left/uint64(f.recordLength))
	}
	return nil
}

// isExtentPossible reports whether the extent and the scale of each axis are possible.
func (f *File) isExtentPossible() bool {
	for axis := range 3 {
		width := f.Max[axis] - f.Min[axis]
		hasWidth := width >= 0 && !math.IsInf(width, 0) // false for NaN
		hasScale := f.scale[axis] != 0 && !math.IsNaN(f.scale[axis])
		if !hasWidth || !hasScale {
			return false
		}
	}
	return true
}

// systemRecords has the contents of the records that define the reference system, by record number.
type systemRecords map[uint16][]byte

// Numbers of records.
const (
	recordGeoKeys = 34735
	recordGeoText = 34737
	recordWKT     = 2112
	recordLAZ     = 22204
	recordCOPC    = 1
)

// collectRecords reads the records between the header and the points. It adds records about the
// reference system to found.
func (f *File) collectRecords(found systemRecords, offset uint64, count int) error {
	if count > maxRecords {
		return fmt.Errorf("the file declares %d records before its points; at most %d are read", count, maxRecords)
	}
	for range count {
		head, err := f.read(offset, recordHead)
		if err != nil {
			return err
		}
		length := uint64(binary.LittleEndian.Uint16(head[20:]))
		offset += recordHead
		if err := f.readRecord(head, offset, length, found); err != nil {
			return err
		}
		offset += length
		if offset > f.dataStart {
			return errors.New("the records before the points are longer than their space")
		}
	}
	return nil
}

// extendedRecords says where the records after the points begin, and how many there are.
type extendedRecords struct {
	start uint64
	count int
}

// collectExtended reads the records after the points. It adds records about the reference system to found.
func (f *File) collectExtended(found systemRecords, e extendedRecords) error {
	if e.count > maxRecords {
		return fmt.Errorf("the file declares %d records after its points; at most %d are read", e.count, maxRecords)
	}
	offset := e.start
	for range e.count {
		head, err := f.read(offset, recordHead4)
		if err != nil {
			return err
		}
		length := binary.LittleEndian.Uint64(head[20:])
		offset += recordHead4
		if length > uint64(f.size) || offset > uint64(f.size)-length {
			return errTruncated
		}
		if err := f.readRecord(head, offset, length, found); err != nil {
			return err
		}
		offset += length
	}
	return nil
}

// readRecord reads one record. It adds a record about the reference system to found, sets
// f.Compression if the record describes the compression, and ignores all other records.
func (f *File) readRecord(head []byte, offset, length uint64, found systemRecords) error {
	user := string(bytes.TrimRight(head[2:18], "\x00"))
	number := binary.LittleEndian.Uint16(head[18:])
	if user == "copc" && number == recordCOPC {
		f.Compression = COPC
	}
	if user == "laszip encoded" && number == recordLAZ && f.Compression == None {
		f.Compression = LAZ
	}
	if user != "LASF_Projection" {
		return nil
	}
	if length > maxRecord {
		return fmt.Errorf("the reference system has %d bytes; at most %d are read", length, maxRecord)
	}
	data, err := f.read(offset, int(length))
	if err != nil {
		return err
	}
	found[number] = data
	return nil
}

// system returns the reference system that the records define. If it is unknown, system is nil and fault says why.
func (s systemRecords) system() (system *crs.System, fault string) {
	if wkt := strings.TrimRight(string(s[recordWKT]), "\x00 "); wkt != "" {
		if system, err := crs.Parse(wkt); err == nil {
			return system, ""
		}
		fault = "has a reference system that is not readable"
	}
	data := s[recordGeoKeys]
	directory := make([]uint64, len(data)/2)
	for i := range directory {
		directory[i] = uint64(binary.LittleEndian.Uint16(data[2*i:]))
	}
	system, keyFault := geotiff.ParseGeoKeys(directory, s[recordGeoText]).System()
	if fault == "" {
		fault = keyFault
	}
	if system != nil {
		fault = ""
	}
	return system, fault
}
