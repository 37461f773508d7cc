package deliveries

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// renderLines returns the facts of a row; place is whether it is known where that was
// captured.
func (p *Page) renderLines(r *row, w, h int) (lines []string, place bool) {
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

// renderPath returns a fact that is a file or a folder, in as many lines as it takes.
func (p *Page) renderPath(label, path string, w int) (lines []string) {
	shown := format.Clean(p.ShortPath(path))
	for part := range strings.SplitSeq(ansi.Hardwrap(shown, max(1, w-12), true), "\n") {
		link := p.FileLink(theme.Text, part, path)
		lines = append(lines, format.CutLine(" "+p.Theme.PaintMuted(format.FitLeft(label, 10))+link, w))
		label = ""
	}
	return lines
}

// renderFoot returns the path of the selected file, where that is not beside the list.
func (p *Page) renderFoot(w int) []string {
	if p.Width >= page.Wide || !p.isLocal() {
		return nil
	}
	return p.renderPath("Path", p.Current().RowStanding(p.Downloads).Path, w)
}

// renderFacts returns facts in a line each below a title, beginning with where the row is; those
// without a value are left out.
func (p *Page) renderFacts(title string, s deliveries.FileState, w int, texts ...string) []string {
	head := format.CutLine(" "+p.Theme.PaintTitle(format.CutMiddle(format.Clean(title), w-2)), w)
	facts := append(
		[]widget.Fact{widget.Toned("Local", inWords(s), s.Role)},
		widget.Texts(texts...)...)
	facts = slices.DeleteFunc(facts, func(f widget.Fact) bool { return f.Value == "" })
	return append([]string{head}, widget.FactLines(p.Theme, 10, w, facts...)...)
}

func (p *Page) packageLines(r *row, w int) []string {
	pkg, now, delivered := r.Package, p.Now(), ""
	if !pkg.Created.IsZero() {
		delivered = format.WithAge(format.Date(pkg.Created, now), " · ", pkg.Created, now)
	}
	lines := p.renderFacts(pkg.Title, r.RowStanding(p.Downloads), w,
		"Contents", r.DescribeContents(), "Delivered", delivered, "Order", pkg.Order, "Place", pkg.Place)
	lines = append(lines, p.renderPath("Folder", p.Downloads.Dir(), w)...)
	return append(lines, p.renderUnknown(pkg.Extra, w)...)
}

// renderUnknown returns members that this program does not know.
func (p *Page) renderUnknown(members api.ExtraMembers, w int) []string {
	return widget.FactLines(p.Theme, 10, w, widget.Facts(columns.UnknownMembers(members))...)
}

// runLines returns the facts of files that are numbered on.
func (p *Page) runLines(r *row, w int) []string {
	lines := p.renderFacts(
		r.Name(),
		r.RowStanding(p.Downloads),
		w,
		"Product",
		format.Word(r.FileDataType).Label,
		"Contents",
		r.DescribeContents(),
		"Package",
		r.Package.Title,
	)
	return append(
		lines,
		"",
		format.CutLine(" "+p.Theme.PaintHint("enter", "shows or hides the photos"), w),
	)
}

func (p *Page) fileLines(r *row, w int) []string {
	pkg, s := r.Package, r.RowStanding(p.Downloads)
	f := &pkg.Files[r.File]
	size, kind := "size known after the download", format.Word(f.Product).Label
	if f.Size >= 0 {
		size = format.Bytes(f.Size)
	}
	if f.MediaType != "" {
		kind += " · " + f.MediaType
	}
	lines := p.renderFacts(
		f.Name,
		s,
		w,
		"Product",
		kind,
		"Size",
		size,
		"Package",
		pkg.Title,
	)
	if s.Item.Err != nil && s.Busy {
		lines = append(lines, p.Theme.PaintLines(theme.Bad, "  ", format.Clean(s.Item.Err.Error()), w-3)...)
	}
	var more []widget.Fact
	here := s.Step == deliveries.Here
	if here {
		lines = append(lines, p.renderPath("Path", s.Path, w)...)
	} else {
		more = append(more, widget.Text("Link", p.linkAge(pkg)))
	}
	sums, by := pkg.FileDigest(r.File, s)
	if name, sum := sums.Strongest(); sum != "" {
		verified := widget.Toned("Verified", "by "+proofText(by), theme.Good)
		more = append(more, widget.Text(name, sum), verified)
	} else if !here {
		more = append(
			more,
			widget.Toned("Digest", "checked during the download", theme.Muted),
		)
	}
	lines = append(lines, widget.FactLines(p.Theme, 10, w, more...)...)
	return append(lines, p.renderUnknown(f.Extra, w)...)
}

// inWords says where a file stands, in words.
func inWords(s deliveries.FileState) string {
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
		it := &s.Item
		return deliveries.PercentOf(
			it.Done,
			it.Size,
		) + " · " + deliveries.Share(
			it.Done,
			it.Size,
		) + " · " + deliveries.Lasts(
			it.Left,
		)
	default:
		return s.Item.State.String() + " · " + deliveries.Share(s.Item.Done, s.Item.Size)
	}
}

// linkAge says how long the link holds. A fetch renews it by itself.
func (p *Page) linkAge(pkg *deliveries.DeliveredPackage) string {
	left := deliveries.LinkLife - p.Now().Sub(pkg.Read)
	if left <= 0 {
		return "expired; a download renews it"
	}
	return fmt.Sprintf("valid for %s; a download renews it", deliveries.Lasts(left.Round(time.Minute)))
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
