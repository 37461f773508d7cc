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

// describe returns what there is to know of a row, and where its files are.
func (p *Page) describe(r *row) page.RowAbout {
	pkg, s, now := r.Package, r.RowStanding(p.Env.Profile.Downloads), p.Env.Clock.Now()
	facts := []widget.Fact{widget.Toned("Local", inWords(s), s.Role)}
	label, path, unknown := "", "", api.ExtraMembers(nil)
	switch {
	case r.IsPackage():
		delivered := ""
		if !pkg.Created.IsZero() {
			delivered = format.WithAge(format.Date(pkg.Created, now), " · ", pkg.Created, now)
		}
		label, path, unknown = "Folder", p.Env.Profile.Downloads.Dir(), pkg.Extra
		facts = append(facts, widget.Texts(
			"Contents", r.DescribeContents(), "Delivered", delivered, "Order", pkg.Order, "Place", pkg.Place)...)
	case r.IsRun():
		facts = append(facts, widget.Texts("Product", format.Word(pkg.Files[r.File].Product).Label,
			"Contents", r.DescribeContents(), "Package", pkg.Title, "Photos", "enter shows or hides them")...)
	default:
		if s.Step == deliveries.Here {
			label, path = "Path", s.Path
		}
		facts, unknown = append(facts, p.fileFacts(r, s)...), pkg.Files[r.File].Extra
	}
	if checked := r.CheckState(p.Env.Profile.Downloads); checked.Rank > 0 {
		text := checked.Text
		if checked.Why != "" {
			text = format.Clean(r.Name() + " " + checked.Why)
		}
		facts = append(facts, widget.Toned("Checked", text, checked.Role))
	}
	facts = slices.DeleteFunc(facts, func(f widget.Fact) bool { return f.Value == "" })
	return page.RowAbout{
		Title: r.Name(), Facts: append(facts, widget.Facts(columns.UnknownMembers(unknown))...),
		Place: pkg.Location != nil,
		More:  func(w, h int) []string { return p.withGlance(p.renderPath(label, path, w), w, h) },
	}
}

// renderPath returns a fact that is a file or a folder, in as many lines as it takes; none
// without a path.
func (p *Page) renderPath(label, path string, w int) (lines []string) {
	if path == "" {
		return nil
	}
	shown := format.Clean(p.Env.Files.ShortPath(path))
	for part := range strings.SplitSeq(ansi.Hardwrap(shown, max(1, w-factLabel-2), true), "\n") {
		link := p.Env.Look.FileLink(theme.Text, part, path)
		lines = append(lines, format.CutLine(" "+p.Env.Look.Theme.PaintMuted(format.FitLeft(label, factLabel))+link, w))
		label = ""
	}
	return lines
}

const factLabel = 12 // cells of the names of facts

// renderFoot returns the path of the selected file, where that is not beside the list.
func (p *Page) renderFoot(w int) []string {
	if p.Env.Look.Width >= page.Wide || !p.isLocal() {
		return nil
	}
	return p.renderPath("Path", p.Current().RowStanding(p.Env.Profile.Downloads).Path, w)
}

// fileFacts returns what a file is, and what it is proved by.
func (p *Page) fileFacts(r *row, s deliveries.FileState) []widget.Fact {
	pkg := r.Package
	f := &pkg.Files[r.File]
	size, kind, here := "size known after the download", format.Word(f.Product).Label, s.Step == deliveries.Here
	if f.Size >= 0 {
		size = format.Bytes(f.Size)
	}
	if f.MediaType != "" {
		kind += " · " + f.MediaType
	}
	facts := widget.Texts("Product", kind, "Size", size, "Package", pkg.Title)
	if s.Item.Err != nil && !s.Item.State.IsFinal() {
		facts = append(facts, widget.Toned("Error", s.Item.Err.Error(), theme.Bad))
	}
	if !here {
		facts = append(facts, widget.Text("Link", p.linkAge(pkg)))
	}
	sums, by := pkg.FileDigest(r.File, s)
	if name, sum := sums.Strongest(); sum != "" {
		facts = append(
			facts,
			widget.Text(name, sum),
			widget.Toned("Verified", "by "+proofText(by), theme.Good),
		)
	} else if !here {
		facts = append(facts, widget.Toned("Digest", "checked during the download", theme.Muted))
	}
	return facts
}

// inWords says where a file stands, in words.
func inWords(s deliveries.FileState) string {
	it := &s.Item
	share := deliveries.Share(it.Done, it.Size)
	switch s.Step {
	case deliveries.New:
		return "New"
	case deliveries.Here:
		return "✓ Downloaded"
	case deliveries.Missing:
		return "Missing: downloaded earlier, no longer in its folder; f downloads it again"
	case deliveries.Changed:
		return "Changed since the download; f downloads it again and keeps this one beside it"
	case deliveries.Parted:
		return s.Text + ", f continues"
	case deliveries.Failed:
		return "Failed; f retries"
	case deliveries.Coming:
		if it.Note != "" {
			return it.Note
		}
		return deliveries.PercentOf(it.Done, it.Size) + " · " + share + " · " + deliveries.Lasts(it.Left)
	default:
		return it.State.String() + " · " + share
	}
}

// linkAge says how long the link holds. A fetch renews it by itself.
func (p *Page) linkAge(pkg *deliveries.DeliveredPackage) string {
	left := deliveries.LinkLife - p.Env.Clock.Now().Sub(pkg.Read)
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
