package deliveries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
)

// fileOpener opens downloaded files and their folders in other programs, and previews pictures.
type fileOpener struct {
	base    page.Base
	reading page.Request // reads a picture to preview
	viewer  *pictureView // the last preview, or nil
}

func (o *fileOpener) downloads() *deliveries.Downloads { return o.base.Env.Profile.Downloads }

// redrawPreview draws the picture of the last preview again after the window got another size.
func (o *fileOpener) redrawPreview(w, h int) tea.Cmd {
	if o.viewer == nil {
		return nil
	}
	return o.viewer.drawGraphics("", w, h)
}

// folderReason returns why no folder can be opened, or "" if folders can be opened.
func (o *fileOpener) folderReason(*row) string { return openerReason(&o.base.Env.Files) }

// openerReason returns why no other program can open a file or folder, or "".
func openerReason(files *page.FileAccess) string {
	if files.Confined {
		return page.NotForGuests
	}
	return page.TextIf(files.Opener == nil, noOpener)
}

// openReason returns why enter cannot open the row, or "".
func (o *fileOpener) openReason(r *row) string {
	downloads := o.downloads()
	if isLocal(downloads, r) {
		return o.openFileReason(r)
	}
	if r.IsFile() && o.base.Env.Look.Width >= page.Wide {
		return notHere(downloads, r)
	}
	return ""
}

// openFile opens the row's file in the system's program for it.
func (o *fileOpener) openFile(r *row) tea.Cmd {
	return openLocal(o.base, pathOf(o.downloads(), r), false)
}

// copyPath copies the path of the row's file to the clipboard.
func (o *fileOpener) copyPath(r *row) tea.Cmd {
	return o.base.Env.Files.CopyText(pathOf(o.downloads(), r), "the path")
}

const noOpener = "no app found to open it; install xdg-utils"

// harmless lists the extensions of files that programs display and never run.
const harmless = ".jpg .jpeg .png .webp .tif .tiff .dng .pdf .csv .txt .json .geojson .kml .kmz .gpx .dxf .shp " +
	".prj .tfw .las .laz .ply .obj .glb .gltf .avi .mp4 .mov .zip"

// openFileReason returns why the selected file cannot be opened in another program, or "".
func (o *fileOpener) openFileReason(r *row) string {
	if !r.IsFile() {
		return "no file selected; select one of a package"
	}
	if !isLocal(o.downloads(), r) {
		return notHere(o.downloads(), r)
	}
	if reason := openerReason(&o.base.Env.Files); reason != "" {
		return reason
	}
	extension := filepath.Ext(pathOf(o.downloads(), r))
	if extension == "" {
		return "a file without an extension may be a program" + folderAdvice()
	}
	if !slices.Contains(strings.Fields(harmless), strings.ToLower(extension)) {
		return format.CutLine(format.Clean(extension), 12) + " files may run programs" + folderAdvice()
	}
	return ""
}

// folderAdvice returns the end of a sentence that advises the user to open the folder of a file.
func folderAdvice() string {
	return "; " + action.KeyOf(action.OpenFolder, action.Deliveries) + " opens the folder"
}

// notHere returns why the file of a row cannot be opened or checked: it was not downloaded, or it was changed or
// deleted after the download.
func notHere(downloads *deliveries.Downloads, r *row) string {
	switch r.RowState(downloads).Status {
	case deliveries.Coming, deliveries.Waiting, deliveries.Paused:
		return "not downloaded completely yet"
	case deliveries.Changed:
		return "changed since the download; press " + fetchKey()
	case deliveries.Missing:
		return "no longer in its folder; press " + fetchKey()
	case deliveries.Unseen:
		return "the download folder is not read yet"
	default:
		return "not downloaded yet; press " + fetchKey()
	}
}

// pathOf returns the local path of the row's file, or of the first file of a package or run. If r is nil or that
// path is unknown, it returns the download folder.
func pathOf(downloads *deliveries.Downloads, r *row) string {
	if r != nil && len(r.Package.Files) > 0 {
		state := r.Package.FileState(downloads, max(0, r.File))
		if state.Path != "" {
			return state.Path
		}
	}
	return downloads.Dir()
}

// openFolder opens the folder of the row's file, or the download folder if the file has no
// local path.
func (o *fileOpener) openFolder(r *row) tea.Cmd {
	path := pathOf(o.downloads(), r)
	if path != o.downloads().Dir() {
		path = filepath.Dir(path)
	}
	return openLocal(o.base, path, true)
}

// OpenFolder opens the download folder.
func OpenFolder(b page.Base) tea.Cmd { return openLocal(b, b.Env.Profile.Downloads.Dir(), true) }

// openLocal opens a downloaded file, or a folder of downloads, in the system's program for it.
// A toast shows the result.
func openLocal(b page.Base, path string, folder bool) tea.Cmd {
	dir := b.Env.Profile.Downloads.Dir()
	opener := b.Env.Files.Opener
	return func() tea.Msg {
		full, err := localPath(dir, path, folder)
		if err == nil {
			err = opener(full)
		}
		if err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: format.Clean(err.Error())}
		}
		return page.ToastMsg{Role: theme.Good, Text: "Opened " + b.Env.Files.ShortPath(full)}
	}
}

// localPath returns the absolute path of a file below dir. If isFolder is true, the path is the path of a folder.
// localPath fails for a path outside of dir and for a symbolic link.
func localPath(dir, path string, isFolder bool) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(relative) {
		return "", fmt.Errorf("%s is not in %s", path, dir)
	}
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s does not exist", path)
	}
	if err != nil {
		return "", err
	}
	if isFolder && !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", path)
	}
	if !isFolder && !info.Mode().IsRegular() { // for example a symbolic link, which Lstat does not follow
		return "", fmt.Errorf("%s is not a downloaded file", path)
	}
	return path, nil
}

// isLocal reports whether a row is a downloaded file. r may be nil.
func isLocal(downloads *deliveries.Downloads, r *row) bool {
	return r != nil && r.IsFile() && r.RowState(downloads).Status == deliveries.Here
}

// previewFile reads the picture of a row in the background and opens its preview.
func (o *fileOpener) previewFile(r *row) tea.Cmd {
	path := pathOf(o.downloads(), r)
	name := r.Name()
	dir := o.downloads().Dir()
	graphics := o.base.Env.Look.Graphics
	openKey := action.KeyOf(action.OpenFile, action.Deliveries)
	openHint := page.TextIf(o.openFileReason(r) == "", "; "+openKey+" opens the file")
	hasColors := o.base.Env.Look.Theme.Name != "none"
	read := func(context.Context) (*pictureView, error) {
		if !isPicture(path) {
			extension := format.CutLine(format.Clean(filepath.Ext(path)), 12)
			return nil, fmt.Errorf("%s: no preview of %s files%s", name, extension, openHint)
		}
		image, err := readPicture(dir, path, graphics, picture.MaxPixels)
		if err != nil {
			return nil, fmt.Errorf("%s: %w%s", name, err, openHint)
		}
		isRaw := hasColors && image.SendToTerminal() != ""
		return &pictureView{name: name, image: image, raw: isRaw}, nil
	}
	return page.RunInBackground(o.base, &o.reading, read, o.showRead)
}

// showRead opens the preview of a picture, or shows err as a toast.
func (o *fileOpener) showRead(view *pictureView, err error) tea.Cmd {
	if err != nil {
		return page.ShowToast(theme.Attention, format.Clean(err.Error()))
	}
	o.viewer = view
	o.base.Env.Nav.Overlay(o.viewer)
	return o.viewer.drawGraphics(view.image.SendToTerminal(), o.base.Env.Look.Width, o.base.Env.Look.Height)
}
