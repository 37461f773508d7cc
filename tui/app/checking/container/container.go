// Package container reads the headers of delivered models, documents and videos. It checks whether a file can be
// opened, and how many vertices, pages or seconds it has. It does not decode the content.
//
// It follows the specifications of glTF 2.0 (Khronos, section "GLB File Format"), Wavefront OBJ, PLY
// (Stanford), PDF (ISO 32000-1), QuickTime and MP4 (ISO 14496-12, "Movie Header Box"), and AVI
// (Microsoft, "AVI RIFF File Reference").
package container

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
)

// Container has the numbers from the header of a model, document or video. Unknown numbers are 0.
type Container struct {
	Kind     string // "3D model", "point cloud", "document" or "video"
	Vertices int64  // of a model or point cloud
	Pages    int    // of a document
	Duration time.Duration
}

// The kinds of containers.
const (
	Model    = "3D model"
	Cloud    = "point cloud"
	Document = "document"
	Video    = "video"
)

var errTruncated = errors.New("the file is truncated: it ends before data that it declares")

// readers has the function that reads a file, by the extension of its name.
var readers = map[string]func(context.Context, *io.SectionReader) (Container, error){
	".glb": readGLB, ".obj": readOBJ, ".ply": readPLY, ".pdf": readPDF,
	".mp4": readMP4, ".mov": readMP4, ".m4v": readMP4, ".avi": readAVI,
}

// Knows reports whether [Read] supports files with an extension such as ".glb". Case does not matter.
func Knows(ending string) bool { return readers[strings.ToLower(ending)] != nil }

// Read reads the header of a model, document or video. size is the size of the file in bytes, ending is
// the extension of its name, such as ".glb". It returns an error if the file is damaged or of another
// format.
func Read(ctx context.Context, ending string, r io.ReaderAt, size int64) (Container, error) {
	read := readers[strings.ToLower(ending)]
	if read == nil {
		return Container{}, errors.New("the format is not known")
	}
	return read(ctx, io.NewSectionReader(r, 0, size))
}

// readAt returns n bytes at an offset, or an error if the file ends before.
func readAt(r *io.SectionReader, offset int64, n int64) ([]byte, error) {
	if offset < 0 || n < 0 || offset > r.Size() || n > r.Size()-offset {
		return nil, errTruncated
	}
	data := make([]byte, n)
	_, err := r.ReadAt(data, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}
