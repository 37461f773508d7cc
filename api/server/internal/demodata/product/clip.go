package product

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"io"
	"math"
)

const (
	framesPerSecond = 12
	leastFrames     = 24
	mostFrames      = 3600
	smallestFrame   = 256 * 144
	largestFrame    = 1280 * 720
	frameBytes      = 0.12 // of a pixel
)

// clipFiles returns a flight over the mission: JPEG pictures in an AVI file, which needs
// no codec that anybody lacks.
func (s *surveyedSite) clipFiles() []File {
	total := s.pieceCount(leastFrames*smallestFrame, frameBytes)
	frames := min(max(leastFrames, int(leastFrames*math.Sqrt(float64(total)/(leastFrames*smallestFrame)))), mostFrames)
	frames = max(frames, min(total/largestFrame, mostFrames))
	height := int(math.Sqrt(float64(min(total/frames, largestFrame))*9/16)) / 2 * 2
	width := height * 16 / 9 / 2 * 2
	return []File{{Name: "clip.avi", MediaType: "video/vnd.avi", write: func(w io.Writer) error {
		return s.writeFilm(w, frames, width, height)
	}}}
}

func (s *surveyedSite) writeFilm(w io.Writer, frames, width, height int) error {
	h := s.shots(1)[0]
	h.height *= 2
	strip := s.drawStrip(h, width, height)
	pieces, err := MeasurePieces(frames, func(i int, to *bytes.Buffer) error {
		// There and back, slow at both ends.
		along := (1 - math.Cos(2*math.Pi*float64(i)/float64(frames))) / 2
		top := int(math.Round(along * float64(height)))
		return writeChunk(to, strip.SubImage(image.Rect(0, top, width, top+height)))
	})
	if err != nil {
		return err
	}
	if _, err := w.Write(aviHead(pieces, width, height)); err != nil {
		return err
	}
	if _, err := pieces.WriteTo(w); err != nil {
		return err
	}
	_, err = w.Write(aviIndex(pieces))
	return err
}

// drawStrip returns the land under the flight, twice as high as a picture.
func (s *surveyedSite) drawStrip(h shot, width, height int) *image.RGBA {
	return drawImage(width, 2*height, func(column, row int) (r, g, b uint8) {
		u := (float64(column)+0.5)/float64(width) - 0.5
		v := ((float64(row)+0.5)/float64(2*height) - 0.5) * 2 * widthRatio * float64(height) / float64(width)
		return s.land.At(h.spot(u, v)).RGB()
	})
}

// writeChunk returns a picture as the film has it, of an even length.
func writeChunk(to *bytes.Buffer, m image.Image) error {
	to.Write([]byte("00dc\x00\x00\x00\x00"))
	if err := jpeg.Encode(to, m, &jpeg.Options{Quality: 68}); err != nil {
		return err
	}
	if to.Len()%2 == 1 {
		to.WriteByte(0) // what follows a picture's end is no part of it
	}
	binary.LittleEndian.PutUint32(to.Bytes()[4:], uint32(to.Len()-8))
	return nil
}

// riffChunk makes a chunk.
func riffChunk(name string, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	return append(append([]byte(name), littleEndianWords(uint32(len(all)))...), all...)
}

func littleEndianWords(values ...uint32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// aviHead returns what comes before the pictures.
func aviHead(p *Pieces, width, height int) []byte {
	const hasIndex = 0x10
	n := uint32(len(p.Sizes))
	largest := uint32(0)
	for _, size := range p.Sizes {
		largest = max(largest, uint32(size))
	}
	w, h := uint32(width), uint32(height)
	main := riffChunk("avih", littleEndianWords(1_000_000/framesPerSecond, largest*framesPerSecond, 0, hasIndex, n, 0, 1, largest, w, h, 0, 0, 0, 0))
	stream := riffChunk("strh", []byte("vidsMJPG"), littleEndianWords(0, 0, 0, 1, framesPerSecond, 0, n, largest, math.MaxUint32, 0, 0, h<<16|w))
	format := riffChunk("strf", littleEndianWords(40, w, h, 24<<16|1), []byte("MJPG"), littleEndianWords(w*h*3, 0, 0, 0, 0))
	streams := riffChunk("LIST", []byte("strl"), stream, format)
	head := riffChunk("LIST", []byte("hdrl"), main, streams)
	movie := 4 + uint32(p.Total())
	b := append([]byte("RIFF"), littleEndianWords(4+uint32(len(head))+8+movie+8+16*n)...)
	b = append(append(b, "AVI "...), head...)
	return append(append(append(b, "LIST"...), littleEndianWords(movie)...), "movi"...)
}

// aviIndex returns what comes after them: where each is.
func aviIndex(p *Pieces) []byte {
	const key = 0x10
	b := append([]byte("idx1"), littleEndianWords(16*uint32(len(p.Sizes)))...)
	at := uint32(4)
	for _, size := range p.Sizes {
		// A chunk's size leaves its own head out.
		b = append(append(b, "00dc"...), littleEndianWords(key, at, uint32(size)-8)...)
		at += uint32(size)
	}
	return b
}
