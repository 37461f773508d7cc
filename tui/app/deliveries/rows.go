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
	// runFrom is how many files in a row, named alike and numbered on, are shown
	// as one until that is opened.
	runFrom = 3
	// shutFrom is from how many rows on a package is shut until it is opened.
	shutFrom = 13
)

// DeliveryRow is a row of a list: a package, one of its files, or a run of them.
type DeliveryRow struct {
	Package   *DeliveredPackage
	File, End int // files from one to before the other; -1 and 0 for the package

	open   bool // its files are shown below it
	indent int  // cells before its name, which tell what it is below
}

// IsPackage reports whether the row is a whole package.
func (r *DeliveryRow) IsPackage() bool { return r.File < 0 }

// IsRun reports whether the row is a run of files.
func (r *DeliveryRow) IsRun() bool { return r.End > r.File+1 }

// IsFile reports whether the row is one file.
func (r *DeliveryRow) IsFile() bool { return r.File >= 0 && r.End == r.File+1 }

// FileSpan returns the row's files, from one to before the other.
func (r *DeliveryRow) FileSpan() (from, to int) {
	if r.IsPackage() {
		return 0, len(r.Package.Files)
	}
	return r.File, r.End
}

// ID returns what the row is known by.
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

// Name returns the title of the package, the name of the file, or of a run that of
// its first file, the number of its last one and how many they are.
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

// inTree returns the name as it is shown below its package.
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

// Size returns the sum of the row's files; exact is false where some are not known.
func (r *DeliveryRow) Size() (sum int64, exact bool) {
	from, to := r.FileSpan()
	return fetch.Package{Files: r.Package.Files[from:to]}.TotalSize()
}

// DescribeContents says what the row's files are together.
func (r *DeliveryRow) DescribeContents() string {
	from, to := r.FileSpan()
	count := format.Count(to-from, "file")
	size, exact := r.Size()
	if !exact {
		return count + ", sizes known after the download"
	}
	return count + " · " + format.Bytes(size)
}

// RowTree says which rows of packages are shown.
type RowTree struct {
	Flat   bool            // files alone, without their packages
	Turned map[string]bool // packages and runs that were opened or shut, by id
	Open   bool            // all of them are open
}

// TreeRows returns the rows of packages. While one searches, all files are rows.
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

// FileRuns returns a package's files, those that are numbered on as one row: of one
// product and named alike but for a number that grows.
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

// runEnd returns where the files end that go on from the i-th.
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

// splitNumbered takes a name apart where it is numbered at its end: before is what
// comes before the number, with the number's width and the ending.
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

// PackageColumn is the column that says which package a file is of. A flat list
// has it, a tree shows it by its rows.
const PackageColumn = "package"

// FileColumns returns those of delivered files, of rows in a tree.
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
	})
}

// changedAt returns when a file was made, or its package.
func (r *DeliveryRow) changedAt() time.Time {
	if r.IsFile() && r.File < len(r.Package.Changed) {
		return r.Package.Changed[r.File]
	}
	return r.Package.Created
}
