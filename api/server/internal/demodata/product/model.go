package product

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"image/jpeg"
	"io"
	"math"
)

const (
	vertexBytes   = 32 // position, normal, place in the picture
	largestSkin   = 4_000_000
	skinPixels    = 20_000
	quadBytes     = vertexBytes + 24.0
	mostQuads     = 16_000_000
	wholeNumber   = 5125 // the type of indices
	floatNumber   = 5126
	vertexTarget  = 34962
	indicesTarget = 34963
)

// mesh is the surface of the covered pixels of a grid: a quad each, between
// their corners.
type mesh struct {
	s               *surveyedSite
	g               SampleGrid
	vertices, quads int
	min, max        [3]float32
	base            float64 // height that others are told from
}

// modelFiles returns the surface with a picture on it, as binary glTF: x is east, y up,
// z south, in metres from the origin told in the asset's extras.
func (s *surveyedSite) modelFiles(name string, least int) []File {
	return []File{{Name: name, MediaType: "model/gltf-binary", write: func(w io.Writer) error {
		m := &mesh{s: s, g: s.ground.Grid(min(s.pieceCount(least, quadBytes*1.2), mostQuads), leastMap)}
		m.measure()
		skin, err := m.skin()
		if err != nil {
			return err
		}
		b := bufio.NewWriter(w)
		if err := m.head(b, len(skin)); err != nil {
			return err
		}
		m.rows(func(row int, corners []bool, _ []bool, _, _ []uint32) { m.corners(b, row, corners) })
		m.rows(func(_ int, _, pixels []bool, above, below []uint32) { triangles(b, pixels, above, below) })
		_, _ = b.Write(append(skin, make([]byte, -len(skin)&3)...))
		return b.Flush()
	}}}
}

// rows visits the rows of corners from the north: which are used, which pixels
// north of them are covered, and the numbers of the corners above and below
// those.
func (m *mesh) rows(visit func(row int, corners, pixels []bool, above, below []uint32)) {
	north, south := make([]bool, m.g.Width), make([]bool, m.g.Width)
	corners := make([]bool, m.g.Width+1)
	above, below := make([]uint32, m.g.Width+1), make([]uint32, m.g.Width+1)
	number := uint32(0)
	for row := range m.g.Height + 1 {
		north, south = south, north
		clear(south)
		if row < m.g.Height {
			m.g.Columns(row, func(c int) { south[c] = true })
		}
		clear(corners)
		for c := range m.g.Width {
			if north[c] || south[c] {
				corners[c], corners[c+1] = true, true
			}
		}
		above, below = below, above
		for c, used := range corners {
			if used {
				below[c] = number
				number++
			}
		}
		visit(row, corners, north, above, below)
	}
}

// place returns a corner's, and the height of its surface.
func (m *mesh) place(column, row int) (x, y, height float64) {
	x, y = m.g.Left+float64(column)*m.g.Pixel, m.g.Top-float64(row)*m.g.Pixel
	return x, y, m.s.land.At(x, y).Surface
}

func (m *mesh) measure() {
	m.base = math.Floor(m.s.land.At((m.g.MinX+m.g.MaxX)/2, (m.g.MinY+m.g.MaxY)/2).Ground)
	for i := range m.min {
		m.min[i], m.max[i] = math.MaxFloat32, -math.MaxFloat32
	}
	m.rows(func(row int, corners, pixels []bool, _, _ []uint32) {
		for c, used := range corners {
			if !used {
				continue
			}
			m.vertices++
			for i, v := range m.vertex(c, row) {
				m.min[i], m.max[i] = min(m.min[i], v), max(m.max[i], v)
			}
		}
		for _, covered := range pixels {
			if covered {
				m.quads++
			}
		}
	})
}

func (m *mesh) vertex(column, row int) [3]float32 {
	x, y, h := m.place(column, row)
	return [3]float32{float32(x), float32(h - m.base), float32(-y)}
}

func (m *mesh) corners(w *bufio.Writer, row int, used []bool) {
	var room [vertexBytes]byte
	for c := range used {
		if !used[c] {
			continue
		}
		b := room[:0]
		float := func(v float32) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v)) }
		for _, v := range m.vertex(c, row) {
			float(v)
		}
		_, _, west := m.place(c-1, row)
		_, _, east := m.place(c+1, row)
		_, _, north := m.place(c, row-1)
		_, _, south := m.place(c, row+1)
		nx, nz := (west-east)/(2*m.g.Pixel), (north-south)/(2*m.g.Pixel)
		length := math.Sqrt(nx*nx + nz*nz + 1)
		float(float32(nx / length))
		float(float32(1 / length))
		float(float32(nz / length))
		float(float32(c) / float32(m.g.Width))
		float(float32(row) / float32(m.g.Height))
		_, _ = w.Write(b) // Flush tells
	}
}

// triangles writes two for each covered pixel, counter-clockwise from above.
func triangles(w *bufio.Writer, pixels []bool, above, below []uint32) {
	var room [24]byte
	for c, covered := range pixels {
		if !covered {
			continue
		}
		b := room[:0]
		for _, v := range []uint32{above[c], below[c], below[c+1], above[c], below[c+1], above[c+1]} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		_, _ = w.Write(b)
	}
}

// skin returns the picture on the surface.
func (m *mesh) skin() ([]byte, error) {
	pixels := min(max(skinPixels, m.quads), largestSkin)
	scale := math.Sqrt(float64(pixels) / float64(m.g.Width*m.g.Height))
	width, height := max(8, int(float64(m.g.Width)*scale)), max(8, int(float64(m.g.Height)*scale))
	dx, dy := m.g.Pixel*float64(m.g.Width)/float64(width), m.g.Pixel*float64(m.g.Height)/float64(height)
	img := drawImage(width, height, func(column, row int) (r, g, b uint8) {
		return m.s.land.At(m.g.Left+(float64(column)+0.5)*dx, m.g.Top-(float64(row)+0.5)*dy).RGB()
	})
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 75})
	return b.Bytes(), err
}

type object = map[string]any

// head writes what comes before the numbers.
func (m *mesh) head(w *bufio.Writer, skin int) error {
	vertices, indices := m.vertices*vertexBytes, m.quads*24
	east, north := m.s.ground.Coordinates(0, 0)
	vec := func(offset int, kind string) object {
		return object{"bufferView": 0, "byteOffset": offset, "componentType": floatNumber, "count": m.vertices, "type": kind}
	}
	position := vec(0, "VEC3")
	position["min"], position["max"] = m.min, m.max
	total := vertices + indices + (skin+3)&^3
	text, err := json.Marshal(object{
		"asset": object{"version": "2.0", "generator": software, "extras": object{
			"epsg": m.s.ground.EPSG, "origin": []float64{east, north, m.base}, "mission": m.s.Code,
		}},
		"scene": 0, "scenes": []object{{"nodes": []int{0}}},
		"nodes": []object{{"mesh": 0, "name": m.s.Name}},
		"meshes": []object{{"primitives": []object{{
			"attributes": object{"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}, "indices": 3, "material": 0,
		}}}},
		"materials": []object{{
			"pbrMetallicRoughness": object{"baseColorTexture": object{"index": 0}, "metallicFactor": 0, "roughnessFactor": 1},
			"doubleSided":          true,
		}},
		"textures": []object{{"source": 0, "sampler": 0}},
		"samplers": []object{{"magFilter": 9729, "minFilter": 9729, "wrapS": 33071, "wrapT": 33071}},
		"images":   []object{{"bufferView": 2, "mimeType": jpegType}},
		"accessors": []object{
			position, vec(12, "VEC3"), vec(24, "VEC2"),
			{"bufferView": 1, "componentType": wholeNumber, "count": m.quads * 6, "type": "SCALAR"},
		},
		"bufferViews": []object{
			{"buffer": 0, "byteLength": vertices, "byteStride": vertexBytes, "target": vertexTarget},
			{"buffer": 0, "byteOffset": vertices, "byteLength": indices, "target": indicesTarget},
			{"buffer": 0, "byteOffset": vertices + indices, "byteLength": skin},
		},
		"buffers": []object{{"byteLength": total}},
	})
	if err != nil {
		return err
	}
	text = append(text, bytes.Repeat([]byte{' '}, -len(text)&3)...)
	whole := 12 + 8 + len(text) + 8 + total
	if whole > math.MaxUint32 {
		return errors.New("a binary glTF file cannot be longer than 4 GiB")
	}
	b := append([]byte("glTF"), 2, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(whole))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = append(append(b, "JSON"...), text...)
	b = binary.LittleEndian.AppendUint32(b, uint32(total))
	b = append(b, 'B', 'I', 'N', 0)
	_, _ = w.Write(b)
	return nil
}
