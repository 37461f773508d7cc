package operations

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/filepicker"
)

// localUpload is a file on this machine to upload.
type localUpload struct {
	path string
	name string
	kind api.Deliverable
}

// pickFiles returns the dialog that chooses one file, or several with a kind each.
func pickFiles(
	b page.Base,
	title string,
	kinds []api.Deliverable,
	onDone func([]localUpload) tea.Cmd,
) *filepicker.Dialog {
	of := map[string]api.Deliverable{} // by path, if the user changed the guessed kind
	kind := func(e filepicker.FolderEntry) api.Deliverable {
		if k, ok := of[e.Path]; ok {
			return k
		}
		return guessKind(e.Name, kinds)
	}
	o := filepicker.PickerOptions{Hint: "part of a name, or a path", None: func() string { return "No matching names" }}
	d := &filepicker.Dialog{Title: title, OnDone: func(files []filepicker.FolderEntry) tea.Cmd {
		uploads := make([]localUpload, len(files))
		for i, e := range files {
			uploads[i] = localUpload{e.Path, e.Name, kind(e)}
		}
		return onDone(uploads)
	}}
	if len(kinds) > 0 {
		d.Several = "deliver"
		o.About, o.Says = "Kind", func(e filepicker.FolderEntry) string { return labels.DeliverableWord(kind(e)).Label }
		d.Turn = func(e filepicker.FolderEntry, n int) {
			at := slices.Index(kinds, kind(e))
			of[e.Path] = kinds[((at+n)%len(kinds)+len(kinds))%len(kinds)]
		}
	}
	d.Picker = filepicker.New(b, o)
	return d
}

// hints lists words in file names that suggest a kind, most specific first.
var hints = []struct {
	kind  api.Deliverable
	words []string
}{
	{"digitalSurfaceModel", []string{"dsm", "surface"}},
	{"digitalTerrainModel", []string{"dtm", "terrain"}},
	{"thermalMap", []string{"thermal"}},
	{"ndvi", []string{"ndvi"}},
	{"multispectral", []string{"multispectral"}},
	{"hyperspectral", []string{"hyperspectral"}},
	{"topographicMap", []string{"contour", "topo", ".dxf"}},
	{"_3dModel", []string{".obj", ".glb", ".ply", "model"}},
	{"LiDAR", []string{"lidar", ".laz", ".las"}},
	{"pointCloud", []string{"cloud", ".laz", ".las"}},
	{"panoramas", []string{"pano"}},
	{"streamedData", []string{".mp4", ".mov"}},
	{"raw", []string{".dng"}},
	{"_3dMap", []string{"3d"}},
	{"_2dMap", []string{"ortho", "mosaic", "2d", ".tif"}},
}

// guessKind returns the first kind suggested by a file's name, otherwise photos.
func guessKind(name string, kinds []api.Deliverable) api.Deliverable {
	name = strings.ToLower(name)
	for _, h := range hints {
		if slices.Contains(kinds, h.kind) &&
			slices.ContainsFunc(h.words, func(w string) bool { return strings.Contains(name, w) }) {
			return h.kind
		}
	}
	return api.DeliverableJPG
}

// openedFiles are files open for an upload.
type openedFiles struct {
	inputs []api.FileInput
	files  []*os.File
}

// openFiles opens files for an upload. A positive limit is the largest size of each in
// bytes. Errors name the file.
func openFiles(uploads []localUpload, limit int64) (*openedFiles, error) {
	o := &openedFiles{}
	for _, u := range uploads {
		f, info, err := commands.OpenFile(u.path)
		switch name := filepath.Base(u.path); {
		case err != nil:
			err = fmt.Errorf("%s: %w", name, ordering.FileReason(err))
		case limit > 0 && info.Size() > limit:
			err = fmt.Errorf(
				"%s is %s; the service accepts at most %s",
				name,
				format.Bytes(info.Size()),
				format.Bytes(limit),
			)
		default:
			o.inputs = append(o.inputs, api.FileInput{Name: name, FileDataType: u.kind, Content: f})
		}
		if f != nil {
			o.files = append(o.files, f)
		}
		if err != nil {
			o.closeAll()
			return nil, err
		}
	}
	return o, nil
}

func (o *openedFiles) closeAll() {
	for _, f := range o.files {
		_ = f.Close()
	}
}
