package deliveries

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

const (
	// minRunLength is the minimum number of consecutively numbered files that are collapsed into one row.
	minRunLength = 3
	// minCollapsedRows is the number of rows from which a package is collapsed at first.
	minCollapsedRows = 13
	// maxOpenRows is the maximum number of rows with which packages are expanded at first. With more rows
	// all packages are collapsed, so that the user sees every package. In a window with room for more
	// rows, the limit is [RowTree.Room].
	maxOpenRows = 20
)

// DeliveryRow is a row in the tree of delivered packages: a package, a file, or a run of consecutively
// numbered files such as the tiles of a map.
type DeliveryRow struct {
	Package   *DeliveredPackage
	File, End int // the row has Package.Files[File:End]; for a whole package they are -1 and 0

	open   bool // expanded: its files are displayed below it
	indent int  // indentation of its name
}

// IsPackage reports whether the row is a whole package.
func (r *DeliveryRow) IsPackage() bool { return r.File < 0 }

// IsRun reports whether the row is a run of consecutively numbered files, such as "tile_001…120.tif ×120".
func (r *DeliveryRow) IsRun() bool { return r.End > r.File+1 }

// IsFile reports whether the row is a single file.
func (r *DeliveryRow) IsFile() bool { return r.File >= 0 && r.End == r.File+1 }

// IsOpen reports whether the row is expanded, so that its files have their own rows below it. It is false
// for a file.
func (r *DeliveryRow) IsOpen() bool { return r.open }

// FileSpan returns the index of the row's first file, and the index after its last file.
func (r *DeliveryRow) FileSpan() (from, to int) {
	if r.IsPackage() {
		return 0, len(r.Package.Files)
	}
	return r.File, r.End
}

// ID returns an ID that identifies the row among all rows, also after the rows were built again.
func (r *DeliveryRow) ID() string {
	switch {
	case r.IsPackage():
		return r.Package.ID
	case r.IsRun():
		return r.Package.ID + "/" + r.Package.Files[r.File].ID + "/on"
	default:
		return r.Package.ID + "/" + r.Package.Files[r.File].ID
	}
}

// Name returns the title of the package or the name of the file. For a run of files, it returns a text such as
// "tile_001…120.tif ×120": the name of the first file, the number of the last file, and the number of files.
func (r *DeliveryRow) Name() string {
	if r.IsPackage() {
		return r.Package.Title
	}
	firstName := r.Package.Files[r.File].Name
	if r.IsFile() {
		return firstName
	}
	lastName := r.Package.Files[r.End-1].Name
	lastStem := strings.TrimSuffix(lastName, path.Ext(lastName))
	lastNumber := lastStem[len(strings.TrimRight(lastStem, "0123456789")):]
	extension := path.Ext(firstName)
	firstStem := strings.TrimSuffix(firstName, extension)
	return fmt.Sprintf("%s…%s%s ×%d", firstStem, lastNumber, extension, r.End-r.File)
}

// inTree returns the name as the tree shows it: indented, and with a triangle for an expanded or collapsed
// row. The triangle is hollow, because the filled triangle ▸ marks the selected row.
func (r *DeliveryRow) inTree() string {
	mark := "▹ "
	if r.IsFile() {
		mark = ""
	} else if r.open {
		mark = "▿ "
	}
	return format.BlankCells(r.indent) + mark + r.Name()
}

// Size returns the total size of the row's files in bytes. exact is false if the size of a file is
// unknown.
func (r *DeliveryRow) Size() (sum int64, exact bool) {
	from, to := r.FileSpan()
	return fetch.Package{Files: r.Package.Files[from:to]}.TotalSize()
}

// DescribeContents returns the number and the total size of the row's files, such as "3 files · 1.2 GB".
func (r *DeliveryRow) DescribeContents() string {
	from, to := r.FileSpan()
	count := format.Count(to-from, "file")
	size, exact := r.Size()
	if !exact {
		return count + ", sizes known after the download"
	}
	return count + " · " + format.Bytes(size)
}

// RowTree decides which packages and runs of files are expanded in the tree. In the zero value, runs are
// collapsed, and packages are expanded if there are few rows.
type RowTree struct {
	Flat bool // list only files, without their packages
	Open bool // expand all rows
	Room int  // number of rows that fit into the window; has no effect below maxOpenRows

	chosen map[string]bool // true if the user expanded a row, false if collapsed; by [DeliveryRow.ID]
}

// Toggle expands a collapsed row, or collapses an expanded one.
func (t *RowTree) Toggle(r *DeliveryRow) {
	if t.chosen == nil {
		t.chosen = map[string]bool{}
	}
	t.chosen[r.ID()] = !r.open
}

// isOpen reports whether a row is expanded. If the user has neither expanded nor collapsed the row, isOpen
// returns otherwise.
func (t *RowTree) isOpen(r *DeliveryRow, otherwise bool) bool {
	if t.Open {
		return true
	}
	if isOpen, isChosen := t.chosen[r.ID()]; isChosen {
		return isOpen
	}
	return otherwise
}

// TreeRows returns the rows of packages, without the files of collapsed rows. If isSearch is true,
// everything is expanded, so that the search sees all files.
func (t *RowTree) TreeRows(packages []*DeliveredPackage, isSearch bool) []*DeliveryRow {
	if t.Flat {
		return flatRows(packages)
	}
	isShort := len(packages) == 1 || countOpenRows(packages) <= max(maxOpenRows, t.Room)
	var rows []*DeliveryRow
	for _, p := range packages {
		runs := p.FileRuns()
		row := &DeliveryRow{Package: p, File: -1}
		isOpenAtFirst := isShort && len(runs) < minCollapsedRows
		row.open = isSearch || t.isOpen(row, isOpenAtFirst)
		rows = append(rows, row)
		if !row.open {
			continue
		}
		for _, run := range runs {
			rows = append(rows, t.runRows(run, isSearch)...)
		}
	}
	return rows
}

// flatRows returns a row for each file of packages.
func flatRows(packages []*DeliveredPackage) []*DeliveryRow {
	var rows []*DeliveryRow
	for _, p := range packages {
		for _, run := range p.FileRuns() {
			rows = append(rows, run.fileRows(0)...)
		}
	}
	return rows
}

// countOpenRows returns the number of rows if all packages are expanded and all runs of files are
// collapsed.
func countOpenRows(packages []*DeliveredPackage) int {
	rows := len(packages)
	for _, p := range packages {
		rows += len(p.FileRuns())
	}
	return rows
}

const (
	itemIndent = 2 // indentation of a file or a run below its package
	fileIndent = 4 // indentation of a file below its run
)

// runRows returns the row of a run of files and, if it is expanded, the rows of its files. If run is a
// single file, runRows returns only the row of the file.
func (t *RowTree) runRows(run *DeliveryRow, isSearch bool) []*DeliveryRow {
	if isSearch || !run.IsRun() {
		return run.fileRows(itemIndent)
	}
	run.indent = itemIndent
	run.open = t.isOpen(run, false)
	rows := []*DeliveryRow{run}
	if run.open {
		rows = append(rows, run.fileRows(fileIndent)...)
	}
	return rows
}

// fileRows returns a row for each file of the run.
func (r *DeliveryRow) fileRows(indent int) []*DeliveryRow {
	var rows []*DeliveryRow
	for i := r.File; i < r.End; i++ {
		rows = append(rows, &DeliveryRow{
			Package: r.Package,
			File:    i,
			End:     i + 1,
			indent:  indent,
		})
	}
	return rows
}

// FileRuns returns a row for each file of the package. Consecutively numbered files of the same product
// share a row, such as "tile_001.tif" to "tile_120.tif", if there are at least minRunLength of them.
func (p *DeliveredPackage) FileRuns() (rows []*DeliveryRow) {
	for i := 0; i < len(p.Files); {
		end := p.runEnd(i)
		if end-i < minRunLength {
			end = i + 1
		}
		rows = append(rows, &DeliveryRow{Package: p, File: i, End: end})
		i = end
	}
	return rows
}

// runEnd returns the index after the last file of the run of numbered files that begins at index i.
func (p *DeliveredPackage) runEnd(i int) int {
	series, number, ok := splitNumbered(p.Files[i].Name)
	end := i + 1
	if !ok {
		return end
	}
	for end < len(p.Files) && p.Files[end].Product == p.Files[i].Product {
		nextSeries, nextNumber, isNumbered := splitNumbered(p.Files[end].Name)
		if !isNumbered || nextSeries != series || nextNumber <= number {
			break
		}
		number = nextNumber
		end++
	}
	return end
}

// splitNumbered splits a file name such as "tile_001.tif" into its series and its number. Names in the
// same series have the same text before the number, the same number of digits and the same extension. ok
// is false if the name has no number, or a number of one digit.
func splitNumbered(name string) (series string, number int, ok bool) {
	extension := path.Ext(name)
	stem := strings.TrimSuffix(name, extension)
	digits := len(stem) - len(strings.TrimRight(stem, "0123456789"))
	if digits < 2 || digits > 9 {
		return "", 0, false
	}
	text := stem[:len(stem)-digits]
	number, err := strconv.Atoi(stem[len(text):])
	if err != nil {
		return "", 0, false
	}
	return text + "\x00" + strconv.Itoa(digits) + strings.ToLower(extension), number, true
}

// PackageColumn is the ID of the column with the package of a file. Only a list of files needs it: the
// tree shows files below their package.
const PackageColumn = "package"

// FileColumns returns the columns of the tree of delivered packages and their files.
func FileColumns(d *Downloads, now func() time.Time) []columns.Column[*DeliveryRow] {
	return columns.MakeColumns("packageFiles", columns.Values[*DeliveryRow]{
		"fileName":    func(r *DeliveryRow) columns.Cell { return columns.LabelCell(r.inTree(), r.Name()) },
		PackageColumn: func(r *DeliveryRow) columns.Cell { return columns.TextCell(r.Package.Title).WithTone(format.Muted) },
		"fileDataType": func(r *DeliveryRow) columns.Cell {
			if r.IsPackage() {
				return columns.TextCell(format.Count(len(r.Package.Files), "file")).WithTone(format.Muted)
			}
			return columns.WordCell(&r.Package.Files[r.File].Product).WithTone(format.Muted)
		},
		"fileSize": func(r *DeliveryRow) columns.Cell {
			if size, exact := r.Size(); exact {
				return columns.NumberCell(size)
			}
			return columns.NoCell()
		},
		"fileType": func(r *DeliveryRow) columns.Cell {
			if !r.IsFile() {
				return columns.NoCell()
			}
			return columns.TextOr(r.Package.Files[r.File].MediaType)
		},
		"createdAt": func(r *DeliveryRow) columns.Cell {
			cell := columns.DayCell(r.changedAt())
			if cell.Known {
				cell.Text = format.Age(cell.Time, now())
			}
			return cell
		},
		"local": func(r *DeliveryRow) columns.Cell {
			state := r.RowState(d)
			return rankedCell(state.Text, state.Role, int(state.Status))
		},
		"checked": func(r *DeliveryRow) columns.Cell {
			state := r.CheckState(d)
			if state.Rank == rankUnknown {
				return columns.NoCell()
			}
			return rankedCell(state.Text, state.Role, state.Rank)
		},
	})
}

// rankedCell returns a cell that displays text and is sorted by rank.
func rankedCell(text string, role format.Tone, rank int) columns.Cell {
	return columns.Cell{
		Text:  text,
		Code:  text,
		Role:  role,
		Num:   float64(rank),
		Known: true,
	}
}

// changedAt returns when the file of the row was created or, if that is unknown, when its package was
// created.
func (r *DeliveryRow) changedAt() time.Time {
	if r.IsFile() && r.File < len(r.Package.Changed) {
		return r.Package.Changed[r.File]
	}
	return r.Package.Created
}
