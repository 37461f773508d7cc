package deliveries

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// describe returns the details of a row: the facts about its package, run or file, the result
// of its last check, its path on disk, and the selected picture.
func (p *Page) describe(r *row) page.RowDetails {
	state := r.RowState(p.Env.Profile.Downloads)
	isEmpty := func(f widget.Fact) bool { return f.Value == "" }
	facts := slices.DeleteFunc(rowFacts(p.Env, r, state), isEmpty)
	// Unknown members are added last: unlike other facts, they are shown even if they are empty.
	facts = append(facts, widget.Facts(columns.UnknownMembers(unknownMembers(r)))...)
	return page.RowDetails{
		Title: r.Name(),
		Facts: facts,
		Place: r.Package.Location != nil,
		More: func(w, h int) []string {
			lines := renderLocalPath(p.Env, r, state, w)
			if p.Map.Focused || !p.glance.isAt(p.Env, p.Current()) {
				return lines
			}
			return p.glance.appendTo(lines, p.Env.Look.Theme, w, h)
		},
	}
}

// rowFacts returns the facts about the package, run or file of a row. Some of them can be empty.
func rowFacts(env *page.Env, r *row, state deliveries.FileState) []widget.Fact {
	downloads := env.Profile.Downloads
	now := env.Clock.Now()
	facts := []widget.Fact{widget.Toned("Local", localText(r, state), state.Role)}
	if r.IsPackage() {
		facts = append(facts, packageFacts(r, now)...)
	} else if r.IsRun() {
		facts = append(facts, runFacts(r)...)
	} else {
		facts = append(facts, fileFacts(r, state)...)
	}
	checked := r.CheckState(downloads)
	hasResult := checked.Rank > 0 // all files were checked, or at least one of them has a problem
	if hasResult {
		facts = append(facts, widget.Toned("Checked", checkText(r, checked), checked.Role))
	}
	return append(facts, mapFacts(downloads.Checks, r)...)
}

// unknownMembers returns the JSON members of a row's package or file that this version of the app does not know.
func unknownMembers(r *row) api.ExtraMembers {
	if r.IsPackage() {
		return r.Package.Extra
	}
	if r.IsRun() {
		return nil
	}
	return r.Package.Files[r.File].Extra
}

// checkText returns the result of the last check of a row, with the reason for a problem or a note.
func checkText(r *row, checked deliveries.CheckState) string {
	if checked.Why == "" {
		return checked.Text
	}
	if r.IsFile() { // the reason is a sentence about the file without its subject
		return format.Clean(r.Name() + " " + checked.Why)
	}
	return checked.Text + ": " + format.Clean(checked.Why)
}

// renderLocalPath returns the lines with the path of a downloaded file. It returns nil for any other row.
func renderLocalPath(env *page.Env, r *row, state deliveries.FileState, w int) []string {
	if r.IsFile() && state.Status == deliveries.Here {
		return renderPath(env, "Path", state.Path, w)
	}
	return nil
}

// packageFacts returns the facts about the package of a row. Some of them can be empty.
func packageFacts(r *row, now time.Time) []widget.Fact {
	pkg := r.Package
	delivered := ""
	if !pkg.Created.IsZero() {
		delivered = format.WithAge(format.Date(pkg.Created, now), " · ", pkg.Created, now)
	}
	products := ""
	if !r.IsOpen() { // otherwise the rows below have them
		products = describeProducts(pkg)
	}
	return widget.Texts(
		"Contents", r.DescribeContents(),
		"Products", products,
		"Delivered", delivered,
		"Order", pkg.Order,
		"Place", pkg.Place,
	)
}

// describeProducts returns the products in a package in the order of its files, such as "3 × Photos (JPEG), 2D map".
func describeProducts(pkg *deliveries.DeliveredPackage) string {
	var products []string
	counts := map[string]int{}
	for i := range pkg.Files {
		product := format.Word(pkg.Files[i].Product).Label
		if counts[product] == 0 {
			products = append(products, product)
		}
		counts[product]++
	}
	for i, product := range products {
		if counts[product] > 1 {
			products[i] = fmt.Sprintf("%d × %s", counts[product], product)
		}
	}
	return strings.Join(products, ", ")
}

// runFacts returns the facts about a run of photos.
func runFacts(r *row) []widget.Fact {
	return widget.Texts(
		"Product", format.Word(r.Package.Files[r.File].Product).Label,
		"Contents", r.DescribeContents(),
		"Package", r.Package.Title,
		"Photos", action.KeyOf(action.Open, action.Deliveries)+" shows or hides them",
	)
}

// renderPath returns lines of w cells with a label and a path, wrapped if necessary. The path is a link to the file.
// renderPath returns nil if the path is "".
func renderPath(env *page.Env, label, path string, w int) []string {
	if path == "" {
		return nil
	}
	var lines []string
	shown := format.Clean(env.Files.ShortPath(path))
	for part := range strings.SplitSeq(ansi.Hardwrap(shown, max(1, w-factLabel-2), true), "\n") {
		link := env.Look.FileLink(theme.Text, part, path)
		lines = append(lines, format.CutLine(" "+env.Look.Theme.PaintMuted(format.FitLeft(label, factLabel))+link, w))
		label = ""
	}
	return lines
}

const factLabel = 12 // width of the labels of facts, in cells

// fileFacts returns the facts about the file of a row: its product, size and package, the
// error of its download, and its digest.
func fileFacts(r *row, state deliveries.FileState) []widget.Fact {
	pkg := r.Package
	file := &pkg.Files[r.File]
	product := format.Word(file.Product).Label
	if file.MediaType != "" {
		product += " · " + file.MediaType
	}
	facts := widget.Texts("Product", product, "Size", sizeText(file, state), "Package", pkg.Title)
	download := &state.Item
	if download.Err != nil && !download.State.IsFinal() { // a finished download needs no attention
		facts = append(facts, widget.Toned("Error", "! "+download.Err.Error(), theme.Bad))
	}
	return append(facts, digestFacts(r, state)...)
}

// sizeText returns the size of a file. If the service does not report the size, sizeText returns a text that says that
// the size is known after the download. It returns "" if the size is unknown even after the download.
func sizeText(file *fetch.File, state deliveries.FileState) string {
	if file.Size >= 0 {
		return format.Bytes(file.Size)
	}
	if state.Status != deliveries.Here {
		return "size known after the download"
	}
	if state.Item.Size > 0 {
		return format.Bytes(state.Item.Size)
	}
	return ""
}

// digestFacts returns the digest of a downloaded file and how the file was verified, or nil without a digest.
func digestFacts(r *row, state deliveries.FileState) []widget.Fact {
	digests, verifiedBy := r.Package.FileDigest(r.File, state)
	algorithm, digest := digests.Strongest()
	if digest == "" {
		return nil
	}
	return []widget.Fact{widget.Text(algorithm, digest), proofFact(verifiedBy)}
}

// localText returns the download state of a row as text. For a row with several files, the text can have the number
// of downloaded files, such as "2 of 5 downloaded".
func localText(r *row, state deliveries.FileState) string {
	from, to := r.FileSpan()
	if r.IsFile() || to-from == 1 && state.Status == deliveries.New {
		return inWords(state)
	}
	switch state.Status {
	case deliveries.Here:
		if to == from {
			return state.Text
		}
		return inWords(state)
	case deliveries.Failed:
		return state.Text + " downloaded; " + fetchKey() + " retries the failed files"
	case deliveries.Missing:
		return state.Text + "; " + fetchKey() + " downloads again"
	case deliveries.New, deliveries.Unseen:
		return inWords(state)
	case deliveries.Coming, deliveries.Paused:
		return state.Text + " downloaded"
	default:
		return state.Text
	}
}

// inWords returns the state of a file as a sentence for the details, with the progress of a download. The text for
// a column, state.Text, is shorter.
func inWords(state deliveries.FileState) string {
	item := &state.Item
	sizeDone := deliveries.SizeDone(item.Done, item.Size)
	switch state.Status {
	case deliveries.New:
		return "New"
	case deliveries.Here:
		return "✓ Downloaded"
	case deliveries.Missing:
		return "Missing: downloaded earlier, no longer in its folder; " + fetchKey() + " downloads it again"
	case deliveries.Changed:
		return "Changed since the download; " + fetchKey() + " downloads it again and keeps this one beside it"
	case deliveries.Parted:
		return state.Text + ", " + fetchKey() + " continues"
	case deliveries.Failed:
		return "Failed; " + fetchKey() + " retries"
	case deliveries.Coming:
		if item.Note != "" { // why the download waits
			return item.Note
		}
		percent := deliveries.PercentOf(item.Done, item.Size)
		return percent + " · " + sizeDone + " · " + deliveries.Lasts(item.Left)
	default:
		return item.State.String() + " · " + sizeDone
	}
}

// proofFact says how the content of a downloaded file was verified, for example by the digest that the service sent.
func proofFact(verifiedBy fetch.VerifiedBy) widget.Fact {
	const label = "Verified"
	switch verifiedBy {
	case fetch.ByReprDigest:
		return widget.Text(label, "✓ by the service's digest")
	case fetch.ByETag:
		return widget.Text(label, "✓ by its ETag, a digest")
	default:
		return widget.Toned(label, "by its size only; the service sends no digest", theme.Muted)
	}
}
