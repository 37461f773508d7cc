package container_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"flightdesk/tui/app/checking/container"
)

// files are small containers by their endings.
func files() map[string][]byte {
	scene := `{"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"count":42}]} `
	glb := append([]byte("glTF\x02\x00\x00\x00"), binary.LittleEndian.AppendUint32(nil, uint32(20+len(scene)))...)
	glb = append(binary.LittleEndian.AppendUint32(glb, uint32(len(scene))), "JSON"+scene...)
	header := append([]byte("\x00\x00\x00\x28mvhd"), make([]byte, 32)...)
	binary.BigEndian.PutUint32(header[20:], 1000)
	binary.BigEndian.PutUint32(header[24:], 2500)
	mp4 := append([]byte("\x00\x00\x00\x08ftyp\x00\x00\x00\x30moov"), header...)
	avi := append([]byte("RIFF\x50\x00\x00\x00AVI LIST\x00\x00\x00\x00hdrlavih"), make([]byte, 60)...)
	binary.LittleEndian.PutUint32(avi[32:], 40_000) // microseconds per frame
	binary.LittleEndian.PutUint32(avi[48:], 50)
	return map[string][]byte{
		".glb": glb,
		".obj": []byte("# model\nv 0 0 0\nv 1 0 0\nvn 0 0 1\nv 0 1 0\nf 1 2 3\n"),
		".ply": []byte("ply\nformat ascii 1.0\nelement vertex 7\nproperty float x\nend_header\n1\n"),
		".pdf": []byte("%PDF-1.4\n1 0 obj<</Type /Pages/Count 2>>\n2 0 obj<</Type /Page>>\n3 0 obj<</Type/Page >>\n%%EOF\n"),
		".mp4": mp4,
		".avi": avi,
	}
}

func TestContainersSayWhatIsInThem(t *testing.T) {
	want := map[string]container.Container{
		".glb": {Kind: container.Model, Vertices: 42},
		".obj": {Kind: container.Model, Vertices: 3},
		".ply": {Kind: container.Cloud, Vertices: 7},
		".pdf": {Kind: container.Document, Pages: 2},
		".mp4": {Kind: container.Video, Duration: 2500 * time.Millisecond},
		".avi": {Kind: container.Video, Duration: 2 * time.Second},
	}
	for ending, file := range files() {
		got, err := container.Read(t.Context(), ending, bytes.NewReader(file), int64(len(file)))
		if err != nil || got != want[ending] {
			t.Errorf("%s: %+v, %v", ending, got, err)
		}
	}
}

func TestACutContainerIsRefused(t *testing.T) {
	for _, ending := range []string{".glb", ".pdf", ".mp4", ".avi"} {
		file := files()[ending]
		file = file[:len(file)-6]
		if got, err := container.Read(t.Context(), ending, bytes.NewReader(file), int64(len(file))); err == nil {
			t.Errorf("%s: %+v", ending, got)
		}
	}
}

// Whatever a file declares, it is read or refused.
func FuzzRead(f *testing.F) {
	for ending, file := range files() {
		f.Add(ending, file)
	}
	f.Fuzz(func(t *testing.T, ending string, file []byte) {
		_, _ = container.Read(t.Context(), ending, bytes.NewReader(file), int64(len(file)))
	})
}
