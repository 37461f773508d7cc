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
	// shutFrom is the number of rows from which a package is collapsed.
	shutFrom = 13
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

// FileSpan returns the indexes of the first file and after the last.
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

// Name returns the title of the package or the name of the file. For a run it returns the
// name of the first file with the last number and the number of files.
func (r *DeliveryRow) Name() string {
	if r.IsPackage() {
		return r.Package.Title
	}
	first, last := r.Package.Files[r.File].Name, r.Package.Files[r.End-1].Name
	if r.IsFile() {
		return first
	}
	end := path.Ext(first)
	to := strings.TrimSuffix(last, path.Ext(last))
	number := to[len(strings.TrimRight(to, "0123456789")):]
	return fmt.Sprintf(
		"%s…%s%s ×%d",
		strings.TrimSuffix(first, end),
		number,
		end,
		r.End-r.File,
	)
}

// inTree returns the name with its indentation and a mark for an open or closed row.
func (r *DeliveryRow) inTree() string {
	mark := "+ "
	switch {
	case r.IsFile():
		mark = ""
	case r.open:
		mark = "- "
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

// RowTree says which rows of packages are displayed.
type RowTree struct {
	Flat   bool            // only files, without their packages
	Turned map[string]bool // IDs of packages and runs that the user opened or closed
	Open   bool            // all rows are open
}

// TreeRows returns the rows of packages. During a search all files have rows.
func (t *RowTree) TreeRows(packages []*DeliveredPackage, searched bool) (rows []*DeliveryRow) {
	for _, p := range packages {
		whole, runs := &DeliveryRow{Package: p, File: -1}, p.FileRuns()
		if !t.Flat {
			rows = append(rows, whole)
		}
		whole.open = t.Open || searched || (len(runs) < shutFrom) != t.Turned[p.ID]
		if !t.Flat && !whole.open {
			continue
		}
		for _, r := range runs {
			indent := 2
			switch {
			case t.Flat:
				indent = 0
			case r.IsRun() && !searched:
				rows, r.indent, indent = append(rows, r), indent, 4
				if r.open = t.Open || t.Turned[r.ID()]; !r.open {
					continue
				}
			}
			for k := r.File; k < r.End; k++ {
				rows = append(rows, &DeliveryRow{
					Package: p,
					File:    k,
					End:     k + 1,
					indent:  indent,
				})
			}
		}
	}
	return rows
}

// FileRuns returns the files of a package. Files of one product whose names differ only in
// an increasing number are one row.
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
	before, number, ok := splitNumbered(p.Files[i].Name)
	end := i + 1
	for ok && end < len(p.Files) && p.Files[end].Product == p.Files[i].Product {
		like, next, numbers := splitNumbered(p.Files[end].Name)
		if !numbers || like != before || next <= number {
			break
		}
		number = next
		end++
	}
	return end
}

// splitNumbered splits a name that ends with a number. Before identifies the names that
// can be in the same run: the text before the number, the number of digits and the file
// extension.
func splitNumbered(name string) (before string, number int, ok bool) {
	end := path.Ext(name)
	stem := strings.TrimSuffix(name, end)
	digits := len(stem) - len(strings.TrimRight(stem, "0123456789"))
	if digits < 2 || digits > 9 {
		return "", 0, false
	}
	number, err := strconv.Atoi(stem[len(stem)-digits:])
	return stem[:len(stem)-digits] + "\x00" + strconv.Itoa(digits) + strings.ToLower(end), number, err == nil
}

// PackageColumn is the column with the package of a file, which only a flat list has.
const PackageColumn = "package"

// FileColumns returns the columns of the delivery tree.
func FileColumns(d *Downloads, now func() time.Time) []columns.Column[*DeliveryRow] {
	return columns.MakeColumns("packageFiles", columns.Values[*DeliveryRow]{
		"fileName":    func(r *DeliveryRow) columns.Cell { return columns.LabelCell(r.inTree(), r.Name()) },
		PackageColumn: func(r *DeliveryRow) columns.Cell { return columns.TextCell(r.Package.Title).WithTone(format.Muted) },
		"fileDataType": func(r *DeliveryRow) columns.Cell {
			if from, to := r.FileSpan(); r.IsPackage() {
				return columns.TextCell(format.Count(to-from, "file")).WithTone(format.Muted)
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
			s := r.RowStanding(d)
			return columns.Cell{
				Text:  s.Text,
				Code:  s.Text,
				Role:  s.Role,
				Num:   float64(s.Step),
				Known: true,
			}
		},
		"checked": func(r *DeliveryRow) columns.Cell {
			c := r.CheckState(d)
			if c.Rank == 0 {
				return columns.NoCell()
			}
			return columns.Cell{Text: c.Text, Code: c.Text, Role: c.Role, Num: float64(c.Rank), Known: true}
		},
	})
}

// changedAt returns when the file or the package was created.
func (r *DeliveryRow) changedAt() time.Time {
	if r.IsFile() && r.File < len(r.Package.Changed) {
		return r.Package.Changed[r.File]
	}
	return r.Package.Created
}
