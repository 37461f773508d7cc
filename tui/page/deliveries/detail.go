package deliveries

import (
	"fmt"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// detailLines are the facts of what is selected; place is whether it is known
// where that was captured.
func (b *browser) detailLines(w, h int) (lines []string, place bool) {
	p, r, ok := b.current()
	drawn := false
	switch {
	case !ok:
		return nil, false
	case r.isPackage():
		lines = b.packageLines(p, r, w)
	case r.isRun():
		lines = b.runLines(p, r, w)
	default:
		lines, drawn = b.withGlance(b.fileLines(p, r.file, w), w, h)
	}
	return append(lines, ""), p.Location != nil && !drawn
}

// fact is a line of a label and a value.
func (b *browser) fact(label, value string, role theme.Role, w int) string {
	return widget.FactLine(b.Theme, 10, w, widget.Fact{Label: label, Value: value, Role: role})
}

// place is a fact that is a file or a folder.
func (b *browser) place(label, path string, w int) string {
	text := layout.CutMiddle(page.Short(&b.Files, path), max(1, w-12))
	return layout.Cut(" "+layout.Text(b.Theme.Style(theme.Muted), layout.Left(label, 10))+page.FileLink(&b.Look, theme.Text, text, path), w)
}

func (b *browser) packageLines(p *Package, r row, w int) []string {
	s := p.sum(b.Downloads, r)
	lines := []string{
		layout.Cut(" "+layout.Text(b.Theme.Title, layout.Clean(p.Title)), w-1),
		b.fact("Here", s.text, s.role, w),
		b.fact("Holds", p.holds(r), theme.Text, w),
	}
	if !p.Created.IsZero() {
		lines = append(lines, b.fact("Delivered", format.Date(p.Created, b.Now())+" · "+format.Ago(p.Created, b.Now()), theme.Text, w))
	}
	if p.Order != "" {
		lines = append(lines, b.fact("Order", p.Order, theme.Text, w))
	}
	if p.Place != "" {
		lines = append(lines, b.fact("Place", p.Place, theme.Text, w))
	}
	lines = append(lines, b.place("Folder", b.Downloads.Dir(), w))
	return append(lines, b.unknown(p.Extra, w)...)
}

// unknown are members that this program does not know.
func (b *browser) unknown(members api.Extra, w int) []string {
	return widget.FactLines(b.Theme, 10, w, widget.Facts(columns.Unknown(members))...)
}

// runLines are the facts of files that are numbered on.
func (b *browser) runLines(p *Package, r row, w int) []string {
	s := p.sum(b.Downloads, r)
	return []string{
		layout.Cut(" "+layout.Text(b.Theme.Title, layout.CutMiddle(layout.Clean(p.runTitle(r)), w-2)), w),
		b.fact("Kind", labels.Deliverable(p.Files[r.file].Product).Label, theme.Text, w),
		b.fact("Here", s.text, s.role, w),
		b.fact("Holds", p.holds(r), theme.Text, w),
		b.fact("Package", p.Title, theme.Text, w),
		"",
		layout.Cut(" "+layout.Text(b.Theme.Key, "enter")+layout.Text(b.Theme.Style(theme.Muted), " opens or shuts the run"), w),
	}
}

func (b *browser) fileLines(p *Package, i, w int) []string {
	f, s := &p.Files[i], p.stand(b.Downloads, i)
	size := "size not known before the fetch"
	if f.Size >= 0 {
		size = format.Bytes(f.Size)
	}
	kind := labels.Deliverable(f.Product).Label
	if f.MediaType != "" {
		kind += " · " + f.MediaType
	}
	lines := []string{
		layout.Cut(" "+layout.Text(b.Theme.Title, layout.CutMiddle(layout.Clean(f.Name), w-2)), w),
		b.fact("Kind", kind, theme.Text, w),
		b.fact("Size", size, theme.Text, w),
		b.fact("Package", p.Title, theme.Text, w),
		b.fact("Here", b.stands(s), s.role, w),
	}
	if s.item.Err != nil && s.busy {
		for _, part := range layout.Wrap(layout.Clean(s.item.Err.Error()), w-3) {
			lines = append(lines, layout.Text(b.Theme.Style(theme.Bad), "  "+part))
		}
	}
	if s.step == here {
		lines = append(lines, b.place("Path", s.path, w))
	} else {
		lines = append(lines, b.fact("Link", b.link(p), theme.Text, w))
	}
	sums, by := p.entry(i, s)
	if name, sum := sums.Best(); sum != "" {
		lines = append(lines, b.fact(name, sum, theme.Text, w), b.fact("Verified", "by "+proof(by), theme.Good, w))
	} else if s.step != here {
		lines = append(lines, b.fact("Digest", "checked as it comes", theme.Muted, w))
	}
	return append(lines, b.unknown(f.Extra, w)...)
}

// stands says where a file stands, in words.
func (b *browser) stands(s standing) string {
	switch s.step {
	case isNew:
		return "new"
	case here:
		return "✓ downloaded"
	case moved:
		return "fetched once, and moved away since"
	case parted:
		return s.text + ", f goes on with it"
	case failed:
		return "failed, f tries again"
	case coming:
		if s.item.Note != "" {
			return s.item.Note
		}
		return share(s.item.Done, s.item.Size) + " · " + downloads.Share(s.item.Done, s.item.Size) + " · " + downloads.Lasts(s.item.Left)
	default:
		return s.item.State.String() + " · " + downloads.Share(s.item.Done, s.item.Size)
	}
}

// link says how long the link holds. A fetch renews it by itself.
func (b *browser) link(p *Package) string {
	left := linkLife - b.Now().Sub(p.Read)
	if left <= 0 {
		return "expired; a fetch renews it"
	}
	return fmt.Sprintf("holds %s; a fetch renews it", downloads.Lasts(left.Round(time.Minute)))
}

func proof(by fetch.Proof) string {
	switch by {
	case fetch.ByReprDigest:
		return "the digest that the service sent"
	case fetch.ByETag:
		return "the ETag, which is a digest"
	default:
		return "its size; the service says no digest"
	}
}
