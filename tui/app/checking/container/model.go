package container

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

const (
	maxScene  = 16 << 20  // bytes of the JSON of a GLB
	maxHeader = 64 << 10  // bytes of the header of a PLY
	maxText   = 256 << 20 // bytes of an OBJ that are read
)

// scene has those parts of the JSON of a glTF file that are needed to count its vertices.
type scene struct {
	Asset  struct{ Version string } `json:"asset"`
	Meshes []struct {
		Primitives []struct {
			Attributes map[string]int `json:"attributes"`
		} `json:"primitives"`
	} `json:"meshes"`
	Accessors []struct {
		Count int64 `json:"count"`
	} `json:"accessors"`
}

// glbHead is the size in bytes of the head of a binary glTF file. It has the format's name, the version
// and the file size, then the size and format of the JSON that follows.
const glbHead = 20

// readGLB counts the vertices of a binary glTF file.
func readGLB(_ context.Context, r *io.SectionReader) (Container, error) {
	head, err := readAt(r, 0, glbHead)
	if err != nil || string(head[:4]) != "glTF" {
		return Container{}, errors.New("the file is not a GLB")
	}
	version := binary.LittleEndian.Uint32(head[4:])
	fileSize := int64(binary.LittleEndian.Uint32(head[8:]))
	sceneSize := int64(binary.LittleEndian.Uint32(head[12:]))
	sceneFormat := string(head[16:20])
	if version != 2 {
		return Container{}, fmt.Errorf("the version %d of the GLB is not known", version)
	}
	if fileSize > r.Size() {
		return Container{}, errTruncated
	}
	if sceneFormat != "JSON" {
		return Container{}, errors.New("the GLB does not begin with its description")
	}
	if sceneSize > maxScene { // too large to count its vertices
		return Container{Kind: Model}, nil
	}
	text, err := readAt(r, glbHead, sceneSize)
	if err != nil {
		return Container{}, err
	}
	var s scene
	if err := json.Unmarshal(bytes.TrimRight(text, " \x00"), &s); err != nil {
		return Container{}, errors.New("the description in the GLB is damaged")
	}
	return Container{Kind: Model, Vertices: s.countVertices()}, nil
}

// countVertices returns the number of vertices of all meshes. Vertices that several meshes share are
// counted once.
func (s *scene) countVertices() (vertices int64) {
	isCounted := map[int]bool{} // by index of the accessor
	for _, mesh := range s.Meshes {
		for _, primitive := range mesh.Primitives {
			i, hasPositions := primitive.Attributes["POSITION"]
			isValid := hasPositions && i >= 0 && i < len(s.Accessors)
			if isValid && !isCounted[i] {
				isCounted[i] = true
				vertices += max(0, s.Accessors[i].Count)
			}
		}
	}
	return vertices
}

var errNoVertices = errors.New("the OBJ has no vertices")

// readOBJ counts the vertices of a Wavefront OBJ file.
func readOBJ(ctx context.Context, r *io.SectionReader) (Container, error) {
	c := Container{Kind: Model}
	lines := bufio.NewReaderSize(io.LimitReader(r, maxText), 1<<16)
	for {
		if ctx.Err() != nil {
			return Container{}, context.Cause(ctx)
		}
		line, isLong, err := readLine(lines)
		isEnd := errors.Is(err, io.EOF)
		if err != nil && !isEnd {
			return Container{}, err
		}
		if bytes.HasPrefix(line, []byte("v ")) {
			c.Vertices++
		}
		if isLong && c.Vertices == 0 { // probably binary data, so do not read all of it
			return Container{}, errNoVertices
		}
		if isEnd {
			break
		}
	}
	if c.Vertices == 0 {
		return Container{}, errNoVertices
	}
	return c, nil
}

// readLine reads a line and returns its beginning, which is valid until the next call. isLong is true if the line
// does not fit into the buffer. The last line is returned with io.EOF.
func readLine(lines *bufio.Reader) (begin []byte, isLong bool, err error) {
	line, err := lines.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, false, err
	}
	begin = bytes.Clone(line[:min(len(line), 16)]) // skipping the rest overwrites the buffer
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = lines.ReadSlice('\n')
	}
	return begin, true, err
}

// plySizes has the size in bytes of each number type of the PLY format.
var plySizes = map[string]int64{
	"char": 1, "uchar": 1, "int8": 1, "uint8": 1, "short": 2, "ushort": 2, "int16": 2, "uint16": 2,
	"int": 4, "uint": 4, "int32": 4, "uint32": 4, "float": 4, "float32": 4, "double": 8, "float64": 8,
}

// readPLY reads the number of vertices from the header of a PLY file, and checks that the file is
// long enough for them.
func readPLY(_ context.Context, r *io.SectionReader) (Container, error) {
	head, err := readAt(r, 0, min(r.Size(), maxHeader))
	if err != nil {
		return Container{}, err
	}
	text, _, ok := strings.Cut(string(head), "end_header")
	if !ok || !strings.HasPrefix(text, "ply") {
		return Container{}, errors.New("the file is not a PLY")
	}
	header, err := parsePLY(text)
	if err != nil {
		return Container{}, err
	}
	if header.isBinary && header.vertexSize > 0 && header.vertices > r.Size()/header.vertexSize {
		return Container{}, errTruncated
	}
	c := Container{Kind: Cloud, Vertices: header.vertices}
	if header.hasFaces {
		c.Kind = Model
	}
	return c, nil
}

// plyHeader is the content of a PLY header.
type plyHeader struct {
	isBinary   bool
	vertices   int64
	vertexSize int64 // smallest size of a vertex in a binary file, in bytes
	hasFaces   bool
}

// parsePLY parses the header of a PLY file. A line such as "element vertex 8" declares an element,
// and the lines after it, such as "property float x", declare the properties of that element.
func parsePLY(text string) (plyHeader, error) {
	var header plyHeader
	element := ""
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "format":
			header.isBinary = strings.HasPrefix(words[1], "binary")
		case "element":
			if len(words) < 3 {
				continue
			}
			element = words[1]
			if err := header.addElement(element, words[2]); err != nil {
				return plyHeader{}, err
			}
		case "property":
			// vertexSize is the smallest possible size, so lists and unknown types add nothing to it.
			isScalar := len(words) == 3 // a list has more words
			if element == "vertex" && isScalar {
				header.vertexSize += plySizes[words[1]]
			}
		}
	}
	return header, nil
}

// addElement adds an element of the header, such as the vertices. count is the number of these elements in the file.
func (h *plyHeader) addElement(name, count string) error {
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n < 0 {
		return errors.New("the PLY declares an impossible number of elements")
	}
	if name == "vertex" {
		h.vertices = n
	} else if name == "face" && n > 0 {
		h.hasFaces = true
	}
	return nil
}
