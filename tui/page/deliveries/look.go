package deliveries

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/picture"
)

const (
	textMost = 64 << 10 // bytes of a text that are read
	geoMost  = 16 << 20 // and of a GeoJSON
	rowsMost = 300      // rows of a CSV
)

// fileView is what there is to see of a file.
type fileView struct {
	name  string
	about string
	image *picture.Picture
	geo   *geoSummary
	lines []string
}

type lookAnswer = page.QuestionAnswer[*fileView]

// previewFile reads a file that is here, to be looked at.
func (p *Page) previewFile(path, name string) tea.Cmd {
	dir, graphics := p.Downloads.Dir(), p.Graphics
	return page.AskInBackground(p.Base, &p.opened, func(context.Context) (*fileView, error) {
		if _, err := openLocal(dir, path, false, func(string) error { return nil }); err != nil {
			return nil, err
		}
		s, err := readFile(path, graphics)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.name = name
		return s, nil
	})
}

// showRead shows what was read.
func (p *Page) showRead(msg lookAnswer) tea.Cmd {
	switch {
	case !msg.TakeAnswer():
		return nil
	case msg.Err != nil:
		return page.ShowToast(theme.Attention, layout.Clean(msg.Err.Error()))
	}
	s := msg.Value
	if s.image == nil && s.geo == nil {
		title := layout.CutMiddle(layout.Clean(s.name), 40) + "  " + s.about
		p.Overlay(&dialog.Reader{Theme: p.Theme, Title: title, Text: func(w int) []string {
			lines := make([]string, len(s.lines))
			for i, l := range s.lines {
				lines[i] = layout.CleanText(p.Theme.RaisedStyle(theme.Text), layout.CutLine(l, w))
			}
			return lines
		}})
		return nil
	}
	p.viewer = newViewerDialog(p.Theme, s)
	p.Overlay(p.viewer)
	return p.viewer.showPicture(p.Width, p.Height)
}

// readFile reads a file as its ending says.
func readFile(path string, g picture.Graphics) (s *fileView, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end := strings.ToLower(filepath.Ext(path))
	if isPicture(path) {
		return seeImage(f, g)
	}
	switch end {
	case ".geojson":
		return seeGeo(f)
	case ".csv":
		return seeCSV(f)
	case ".txt", ".json", ".md", ".xml", ".kml", ".gpx", ".prj", ".obj", ".log", ".wkt", ".tfw":
		return seeText(f)
	default:
		return nil, fmt.Errorf("no preview of %s files; o opens the file", layout.CutLine(layout.Clean(end), 12))
	}
}

func seeImage(f *os.File, g picture.Graphics) (*fileView, error) {
	p, err := picture.ReadPicture(f, g)
	if err != nil {
		return nil, fmt.Errorf("%w; o opens it", err)
	}
	about := pixelText(p) + " · " + p.Format
	if p.Values != nil {
		about += " · " + measuredText(p.Values)
	}
	return &fileView{image: p, about: about}, nil
}

// readStart reads the first bytes of a file, and whether there are more.
func readStart(r io.Reader, most int) (text []byte, cut bool, err error) {
	text, err = io.ReadAll(io.LimitReader(r, int64(most)+1))
	if len(text) > most {
		text, cut = text[:most], true
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), cut, err
}

func seeText(f io.Reader) (*fileView, error) {
	text, cut, err := readStart(f, textMost)
	switch {
	case err != nil:
		return nil, err
	case bytes.ContainsRune(text, 0):
		return nil, errors.New("not a text file; press o to open it")
	}
	s := &fileView{about: "text"}
	if cut {
		s.about = "first " + format.Bytes(textMost)
	}
	for line := range strings.Lines(strings.ToValidUTF8(string(text), "�")) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		s.lines = append(s.lines, layout.Clean(line))
	}
	return s, nil
}

// seeCSV shows the first rows of a table, their columns aligned.
func seeCSV(f io.Reader) (*fileView, error) {
	text, cut, err := readStart(f, textMost)
	if err != nil {
		return nil, err
	}
	if cut {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		r.Comma = ';'
	}
	var rows [][]string
	for len(rows) < rowsMost {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || !utf8.Valid(text) {
			return seeText(bytes.NewReader(text))
		}
		rows = append(rows, row)
	}
	s := &fileView{about: format.Count(max(0, len(rows)-1), "row", "rows")}
	if cut || len(rows) == rowsMost {
		s.about = "first " + s.about
	}
	s.lines = alignRows(rows)
	return s, nil
}

// alignRows writes rows with their columns below each other.
func alignRows(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = min(24, max(widths[i], layout.Width(layout.Clean(text))))
		}
	}
	lines := make([]string, len(rows))
	for k, row := range rows {
		var line strings.Builder
		for i, text := range row {
			line.WriteString(layout.FitLeft(layout.CutLine(layout.Clean(text), widths[i]), widths[i]) + "  ")
		}
		lines[k] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// viewerDialog is the dialog of a picture or a map.
type viewerDialog struct {
	theme *theme.Theme
	sight *fileView
	smap  *sitemap.SiteMap
	shut  bool
}

func newViewerDialog(th *theme.Theme, s *fileView) *viewerDialog {
	v := &viewerDialog{theme: th, sight: s}
	if s.geo != nil {
		v.smap = sitemap.New()
		v.smap.SetFeatures(s.geo.features)
		v.smap.FitAll()
	}
	return v
}

// drawsGraphics reports whether the terminal itself draws the picture.
func (v *viewerDialog) drawsGraphics() bool {
	return v.sight.image != nil && v.sight.image.SendToTerminal() != "" && v.theme.Name != "none"
}

// showPicture has a terminal with graphics keep the picture, and draw it in a window
// of w by h cells.
func (v *viewerDialog) showPicture(w, h int) tea.Cmd {
	if !v.drawsGraphics() {
		return nil
	}
	return tea.Raw(v.sight.image.SendToTerminal() + v.placePicture(w, h))
}

// fitWindow has it drawn for another window.
func (v *viewerDialog) fitWindow(w, h int) tea.Cmd {
	if v.shut || !v.drawsGraphics() {
		return nil
	}
	return tea.Raw(v.placePicture(w, h))
}

// placePicture returns what the terminal is told for a window of w by h cells: of a dialog
// it leaves two cells at each side, and of those the frame takes as many.
func (v *viewerDialog) placePicture(w, h int) string {
	return v.sight.image.PlaceIn(max(1, w-8), max(1, h-6))
}

// Update closes, or moves the map.
func (v *viewerDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key.String() {
	case "esc", "q", "enter":
		v.shut = true
		if v.drawsGraphics() {
			return tea.Raw(picture.ForgetPicture()), true
		}
		return nil, true
	}
	if v.smap == nil {
		return nil, false
	}
	switch key.String() {
	case "+", "=":
		v.smap.Zoom(1.5)
	case "-":
		v.smap.Zoom(1 / 1.5)
	case "0":
		v.smap.FitAll()
	case "h", "left":
		v.smap.Pan(-0.25, 0)
	case "l", "right":
		v.smap.Pan(0.25, 0)
	case "k", "up":
		v.smap.Pan(0, -0.25)
	case "j", "down":
		v.smap.Pan(0, 0.25)
	}
	return nil, false
}

// View draws the box.
func (v *viewerDialog) View(w, h int) string {
	s, inner := v.sight, max(1, w-4)
	hint := "esc close"
	var body string
	var lines []string
	if s.geo != nil {
		hint = "+ - 0 arrows   esc close"
		for _, l := range s.geo.lines {
			lines = append(lines, layout.CleanText(v.theme.RaisedStyle(theme.Text), layout.CutLine(layout.Clean(l), inner)))
		}
		lines = lines[:min(len(lines), max(0, h/3))]
		body = v.smap.View(v.theme, inner, max(1, h-2-len(lines)))
	} else {
		body = s.image.View(inner, max(1, h-2), v.theme.Name == "none")
	}
	title := layout.CutMiddle(layout.Clean(s.name), 40) + "  " + s.about
	return dialog.DrawFrame(v.theme, title, hint, append(lines, layout.SplitLines(body)...), w)
}

// Cursor returns nil.
func (v *viewerDialog) Cursor() *tea.Cursor { return nil }
