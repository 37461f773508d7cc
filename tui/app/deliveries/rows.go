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
	// runFrom is the number of consecutively numbered files that are collapsed into one row.
	runFrom = 3
	// shutFrom is the number of rows in a package from which the package is collapsed.
	shutFrom = 13
	// maxOpenRows is the number of rows above which all packages are collapsed, so that the user sees every
	// package. A high window shows more rows.
	maxOpenRows = 20
)

// DeliveryRow is a row of a list: a package, a file, or a run of numbered files.
type DeliveryRow struct {
	Package   *DeliveredPackage
	File, End int // index of the first file and after the last; -1 and 0 for a package

	open   bool // its files are displayed below it
	indent int  // indentation of its name
}

// IsPackage reports whether the row is a whole package.
func (r *DeliveryRow) IsPackage() bool { return r.File < 0 }

// IsRun reports whether the row is a run of files.
func (r *DeliveryRow) IsRun() bool { return r.End > r.File+1 }

// IsFile reports whether the row is one file.
func (r *DeliveryRow) IsFile() bool { return r.File >= 0 && r.End == r.File+1 }

// IsOpen reports whether the files of a package or a run have rows below it. It returns false for a file.
func (r *DeliveryRow) IsOpen() bool { return r.open }

// FileSpan returns the index of the row's first file, and the index after its last file.
func (r *DeliveryRow) FileSpan() (from, to int) {
	if r.IsPackage() {
		return 0, len(r.Package.Files)
	}
	return r.File, r.End
}

// ID returns a unique ID.
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

// inTree returns the name with its indentation and a mark for an open or closed row. The mark is hollow, because the
// filled triangle ▸ is the mark of the selected row.
func (r *DeliveryRow) inTree() string {
	mark := "▹ "
	if r.IsFile() {
		mark = ""
	} else if r.open {
		mark = "▿ "
	}
	return format.BlankCells(r.indent) + mark + r.Name()
}

// Size returns the total size; exact is false if some sizes are unknown.
func (r *DeliveryRow) Size() (sum int64, exact bool) {
	from, to := r.FileSpan()
	return fetch.Package{Files: r.Package.Files[from:to]}.TotalSize()
}

// DescribeContents returns the number and total size of the files.
func (r *DeliveryRow) DescribeContents() string {
	from, to := r.FileSpan()
	count := format.Count(to-from, "file")
	size, exact := r.Size()
	if !exact {
		return count + ", sizes known after the download"
	}
	return count + " · " + format.Bytes(size)
}

// RowTree says which rows of packages are displayed. In the zero value, runs are closed, and packages are open
// if there are few rows.
type RowTree struct {
	Flat bool // only files, without their packages
	Open bool // all rows are open
	Room int  // rows that the window shows, if it shows more than maxOpenRows

	chosen map[string]bool // by ID of a package or a run: the user opened (true) or closed it
}

// Toggle opens a closed row, or closes an open one.
func (t *RowTree) Toggle(r *DeliveryRow) {
	if t.chosen == nil {
		t.chosen = map[string]bool{}
	}
	t.chosen[r.ID()] = !r.open
}

// isOpen reports whether a row is open. It returns otherwise if the user has neither opened nor closed the row.
func (t *RowTree) isOpen(r *DeliveryRow, otherwise bool) bool {
	if t.Open {
		return true
	}
	if isOpen, isChosen := t.chosen[r.ID()]; isChosen {
		return isOpen
	}
	return otherwise
}

// TreeRows returns the rows of packages. During a search all files have rows.
func (t *RowTree) TreeRows(packages []*DeliveredPackage, isSearch bool) []*DeliveryRow {
	if t.Flat {
		return flatRows(packages)
	}
	isShort := len(packages) == 1 || countOpenRows(packages) <= max(maxOpenRows, t.Room)
	var rows []*DeliveryRow
	for _, p := range packages {
		runs := p.FileRuns()
		row := &DeliveryRow{Package: p, File: -1}
		isOpenAtFirst := isShort && len(runs) < shutFrom
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

// countOpenRows returns the number of rows that packages have if all of them are open, and all runs closed.
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

// runRows returns the rows of a run of files below its package. A single file is a run as well.
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

// FileRuns returns the files of a package. Files of one product are in one row if their names differ only in an
// increasing number.
func (p *DeliveredPackage) FileRuns() (rows []*DeliveryRow) {
	for i := 0; i < len(p.Files); {
		end := p.runEnd(i)
		if end-i < runFrom {
			end = i + 1
		}
		rows = append(rows, &DeliveryRow{Package: p, File: i, End: end})
		i = end
	}
	return rows
}

// runEnd returns the index after the last file of the run that begins at index i.
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

// splitNumbered splits a name before the number at its end. Names with the same series can be in the same run: the
// text before the number, the number of digits and the file extension are the same. ok is false if there is no number
// of two digits or more.
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

// PackageColumn is the column with the package of a file, which only a flat list has.
const PackageColumn = "package"

// FileColumns returns the columns of the delivery tree.
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
			return rankedCell(state.Text, state.Role, int(state.Step))
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

// rankedCell returns a cell that is sorted by a rank.
func rankedCell(text string, role format.Tone, rank int) columns.Cell {
	return columns.Cell{
		Text:  text,
		Code:  text,
		Role:  role,
		Num:   float64(rank),
		Known: true,
	}
}

// changedAt returns when the file or the package was created.
func (r *DeliveryRow) changedAt() time.Time {
	if r.IsFile() && r.File < len(r.Package.Changed) {
		return r.Package.Changed[r.File]
	}
	return r.Package.Created
}
