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

// renderLines returns the facts of a row; place is whether it is known where that was
// captured.
func (p *Page) renderLines(r *deliveries.DeliveryRow, w, h int) (lines []string, place bool) {
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

// renderPath returns a fact that is a file or a folder: as a line that is cut.
func (p *Page) renderPath(label, path string, w int) string {
	text := layout.CutMiddle(page.ShortPath(&p.FileAccess, path), max(1, w-12))
	return p.renderLink(label, text, path, w)
}

func (p *Page) renderLink(label, text, path string, w int) string {
	return layout.CutLine(
		" "+p.Theme.PaintMuted(layout.FitLeft(label, 10))+page.FileLink(&p.PageLook, theme.Text, text, path),
		w,
	)
}

// renderWhole returns a fact that is a file, in as many lines as it takes.
func (p *Page) renderWhole(label, path string, w int) (lines []string) {
	for rest := page.ShortPath(&p.FileAccess, path); rest != ""; label = "" {
		part := layout.CutLine(rest, max(1, w-12))
		if layout.Width(rest) > max(1, w-12) {
			part = strings.TrimSuffix(part, "…")
		}
		lines, rest = append(lines, p.renderLink(label, part, path, w)), strings.TrimPrefix(rest, part)
		if part == "" {
			break
		}
	}
	return lines
}

// renderFoot returns the path of the selected file, where that is not beside the list.
func (p *Page) renderFoot(w int) []string {
	if p.Width >= listpage.Wide || !p.isLocal() {
		return nil
	}
	return p.renderWhole("Path", p.Current().RowStanding(p.Downloads).Path, w)
}

// localFact returns the fact where a row is.
func localFact(s deliveries.FileStanding) widget.Fact {
	return widget.Fact{Label: "Local", Value: inWords(s), Role: s.Role}
}

// renderFacts returns facts in a line each, below a title.
func (p *Page) renderFacts(title string, w int, facts ...widget.Fact) []string {
	head := layout.CutLine(" "+p.Theme.PaintTitle(layout.CutMiddle(layout.Clean(title), w-2)), w)
	return append([]string{head}, widget.FactLines(p.Theme, 10, w, facts...)...)
}

func (p *Page) packageLines(r *deliveries.DeliveryRow, w int) []string {
	pkg := r.Package
	facts := []widget.Fact{localFact(r.RowStanding(p.Downloads)), widget.Text("Contents", r.DescribeContents())}
	if !pkg.Created.IsZero() {
		facts = append(
			facts,
			widget.Text("Delivered", format.Date(pkg.Created, p.Now())+" · "+format.Ago(pkg.Created, p.Now())),
		)
	}
	for _, f := range []widget.Fact{widget.Text("Order", pkg.Order), widget.Text("Place", pkg.Place)} {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	lines := append(p.renderFacts(pkg.Title, w, facts...), p.renderPath("Folder", p.Downloads.Dir(), w))
	return append(lines, p.renderUnknown(pkg.Extra, w)...)
}

// renderUnknown returns members that this program does not know.
func (p *Page) renderUnknown(members api.ExtraMembers, w int) []string {
	return widget.FactLines(p.Theme, 10, w, widget.Facts(columns.UnknownMembers(members))...)
}

// runLines returns the facts of files that are numbered on.
func (p *Page) runLines(r *deliveries.DeliveryRow, w int) []string {
	pkg := r.Package
	lines := p.renderFacts(
		r.Name(),
		w,
		widget.Text(
			"Product",
			labels.DeliverableWord(pkg.Files[r.File].Product).Label,
		),
		localFact(r.RowStanding(p.Downloads)),
		widget.Text("Contents", r.DescribeContents()),
		widget.Text("Package", pkg.Title),
	)
	return append(lines, "", layout.CutLine(" "+p.Theme.PaintHint("enter", "shows or hides the photos"), w))
}

func (p *Page) fileLines(r *deliveries.DeliveryRow, w int) []string {
	pkg, s := r.Package, r.RowStanding(p.Downloads)
	f := &pkg.Files[r.File]
	size := "size known after the download"
	if f.Size >= 0 {
		size = format.Bytes(f.Size)
	}
	kind := labels.DeliverableWord(f.Product).Label
	if f.MediaType != "" {
		kind += " · " + f.MediaType
	}
	lines := p.renderFacts(
		f.Name,
		w,
		widget.Text("Product", kind),
		widget.Text("Size", size),
		widget.Text("Package", pkg.Title),
		localFact(s),
	)
	if s.Item.Err != nil && s.Busy {
		lines = append(lines, p.Theme.PaintLines(theme.Bad, "  ", layout.Clean(s.Item.Err.Error()), w-3)...)
	}
	var more []widget.Fact
	if s.Step == deliveries.Here {
		lines = append(lines, p.renderWhole("Path", s.Path, w)...)
	} else {
		more = append(more, widget.Text("Link", p.linkAge(pkg)))
	}
	sums, by := pkg.FileDigest(r.File, s)
	if name, sum := sums.Strongest(); sum != "" {
		more = append(
			more,
			widget.Text(name, sum),
			widget.Fact{Label: "Verified", Value: "by " + proofText(by), Role: theme.Good},
		)
	} else if s.Step != deliveries.Here {
		more = append(more, widget.Fact{Label: "Digest", Value: "checked during the download", Role: theme.Muted})
	}
	lines = append(lines, widget.FactLines(p.Theme, 10, w, more...)...)
	return append(lines, p.renderUnknown(f.Extra, w)...)
}

// inWords says where a file stands, in words.
func inWords(s deliveries.FileStanding) string {
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
		return deliveries.PercentOf(
			s.Item.Done,
			s.Item.Size,
		) + " · " + downloads.Share(
			s.Item.Done,
			s.Item.Size,
		) + " · " + downloads.Lasts(
			s.Item.Left,
		)
	default:
		return s.Item.State.String() + " · " + downloads.Share(s.Item.Done, s.Item.Size)
	}
}

// linkAge says how long the link holds. A fetch renews it by itself.
func (p *Page) linkAge(pkg *deliveries.DeliveredPackage) string {
	left := deliveries.LinkLife - p.Now().Sub(pkg.Read)
	if left <= 0 {
		return "expired; a download renews it"
	}
	return fmt.Sprintf("valid for %s; a download renews it", downloads.Lasts(left.Round(time.Minute)))
}

func proofText(by fetch.VerifiedBy) string {
	switch by {
	case fetch.ByReprDigest:
		return "the service's digest"
	case fetch.ByETag:
		return "its ETag, a digest"
	default:
		return "its size only; the service sends no digest"
	}
}
