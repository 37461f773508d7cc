package deliveries

import (
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// lines are the facts of a row; place is whether it is known where that was
// captured.
func (p *Page) lines(r *deliveries.Row, w, h int) (lines []string, place bool) {
	drawn := false
	switch {
	case r.IsPackage():
		lines = p.packageLines(r, w)
	case r.IsRun():
		lines, drawn = p.withGlance(p.runLines(r, w), w, h)
	default:
		lines, drawn = p.withGlance(p.fileLines(r, w), w, h)
	}
	return lines, r.Package.Location != nil && !drawn
}

// fact is a line of a label and a value.
func (p *Page) fact(label, value string, role theme.Role, w int) string {
	return widget.FactLine(p.Theme, 10, w, widget.Fact{Label: label, Value: value, Role: role})
}

// place is a fact that is a file or a folder: as a line that is cut.
func (p *Page) place(label, path string, w int) string {
	text := layout.CutMiddle(page.Short(&p.Files, path), max(1, w-12))
	return p.linked(label, text, path, w)
}

func (p *Page) linked(label, text, path string, w int) string {
	return layout.Cut(" "+layout.Text(p.Theme.Style(theme.Muted), layout.Left(label, 10))+page.FileLink(&p.Look, theme.Text, text, path), w)
}

// whole is a fact that is a file, in as many lines as it takes.
func (p *Page) whole(label, path string, w int) (lines []string) {
	for rest := page.Short(&p.Files, path); rest != ""; label = "" {
		part := layout.Cut(rest, max(1, w-12))
		if layout.Width(rest) > max(1, w-12) {
			part = strings.TrimSuffix(part, "…")
		}
		lines, rest = append(lines, p.linked(label, part, path, w)), strings.TrimPrefix(rest, part)
		if part == "" {
			break
		}
	}
	return lines
}

// foot is the path of the selected file, where that is not beside the list.
func (p *Page) foot(w int) []string {
	if p.Width >= listpage.Wide || !p.isLocal() {
		return nil
	}
	return p.whole("Path", p.Current().Stand(p.Downloads).Path, w)
}

func (p *Page) packageLines(r *deliveries.Row, w int) []string {
	pkg, s := r.Package, r.Stand(p.Downloads)
	lines := []string{
		layout.Cut(" "+layout.Text(p.Theme.Title, layout.Clean(pkg.Title)), w-1),
		p.fact("Local", inWords(s), s.Role, w),
		p.fact("Contents", r.Holds(), theme.Text, w),
	}
	if !pkg.Created.IsZero() {
		lines = append(lines, p.fact("Delivered", format.Date(pkg.Created, p.Now())+" · "+format.Ago(pkg.Created, p.Now()), theme.Text, w))
	}
	if pkg.Order != "" {
		lines = append(lines, p.fact("Order", pkg.Order, theme.Text, w))
	}
	if pkg.Place != "" {
		lines = append(lines, p.fact("Place", pkg.Place, theme.Text, w))
	}
	lines = append(lines, p.place("Folder", p.Downloads.Dir(), w))
	return append(lines, p.unknown(pkg.Extra, w)...)
}

// unknown are members that this program does not know.
func (p *Page) unknown(members api.Extra, w int) []string {
	return widget.FactLines(p.Theme, 10, w, widget.Facts(columns.Unknown(members))...)
}

// runLines are the facts of files that are numbered on.
func (p *Page) runLines(r *deliveries.Row, w int) []string {
	pkg, s := r.Package, r.Stand(p.Downloads)
	return []string{
		layout.Cut(" "+layout.Text(p.Theme.Title, layout.CutMiddle(layout.Clean(r.Name()), w-2)), w),
		p.fact("Product", labels.Deliverable(pkg.Files[r.File].Product).Label, theme.Text, w),
		p.fact("Local", inWords(s), s.Role, w),
		p.fact("Contents", r.Holds(), theme.Text, w),
		p.fact("Package", pkg.Title, theme.Text, w),
		"",
		layout.Cut(" "+layout.Text(p.Theme.Key, "enter")+layout.Text(p.Theme.Style(theme.Muted), " shows or hides the photos"), w),
	}
}

func (p *Page) fileLines(r *deliveries.Row, w int) []string {
	pkg, s := r.Package, r.Stand(p.Downloads)
	f := &pkg.Files[r.File]
	size := "size known after the download"
	if f.Size >= 0 {
		size = format.Bytes(f.Size)
	}
	kind := labels.Deliverable(f.Product).Label
	if f.MediaType != "" {
		kind += " · " + f.MediaType
	}
	lines := []string{
		layout.Cut(" "+layout.Text(p.Theme.Title, layout.CutMiddle(layout.Clean(f.Name), w-2)), w),
		p.fact("Product", kind, theme.Text, w),
		p.fact("Size", size, theme.Text, w),
		p.fact("Package", pkg.Title, theme.Text, w),
		p.fact("Local", inWords(s), s.Role, w),
	}
	if s.Item.Err != nil && s.Busy {
		for _, part := range layout.Wrap(layout.Clean(s.Item.Err.Error()), w-3) {
			lines = append(lines, layout.Text(p.Theme.Style(theme.Bad), "  "+part))
		}
	}
	if s.Step == deliveries.Here {
		lines = append(lines, p.whole("Path", s.Path, w)...)
	} else {
		lines = append(lines, p.fact("Link", p.link(pkg), theme.Text, w))
	}
	sums, by := pkg.Digest(r.File, s)
	if name, sum := sums.Best(); sum != "" {
		lines = append(lines, p.fact(name, sum, theme.Text, w), p.fact("Verified", "by "+proof(by), theme.Good, w))
	} else if s.Step != deliveries.Here {
		lines = append(lines, p.fact("Digest", "checked during the download", theme.Muted, w))
	}
	return append(lines, p.unknown(f.Extra, w)...)
}

// inWords says where a file stands, in words.
func inWords(s deliveries.Standing) string {
	switch s.Step {
	case deliveries.New:
		return "New"
	case deliveries.Here:
		return "✓ Downloaded"
	case deliveries.Moved:
		return "Moved: downloaded earlier, no longer in its folder"
	case deliveries.Parted:
		return s.Text + ", f continues"
	case deliveries.Failed:
		return "Failed; f retries"
	case deliveries.Coming:
		if s.Item.Note != "" {
			return s.Item.Note
		}
		return deliveries.Share(s.Item.Done, s.Item.Size) + " · " + downloads.Share(s.Item.Done, s.Item.Size) + " · " + downloads.Lasts(s.Item.Left)
	default:
		return s.Item.State.String() + " · " + downloads.Share(s.Item.Done, s.Item.Size)
	}
}

// link says how long the link holds. A fetch renews it by itself.
func (p *Page) link(pkg *deliveries.Package) string {
	left := deliveries.LinkLife - p.Now().Sub(pkg.Read)
	if left <= 0 {
		return "expired; a download renews it"
	}
	return fmt.Sprintf("valid for %s; a download renews it", downloads.Lasts(left.Round(time.Minute)))
}

func proof(by fetch.Proof) string {
	switch by {
	case fetch.ByReprDigest:
		return "the service's digest"
	case fetch.ByETag:
		return "its ETag, a digest"
	default:
		return "its size only; the service sends no digest"
	}
}
