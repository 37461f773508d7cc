package deliveries

import (
	"path"
	"strconv"
	"strings"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/table"
)

// runFrom is how many files in a row, named alike and numbered on, are shown as
// one until that is opened.
const runFrom = 3

// row is a line of the table: a package, one of its files, or a run of them.
type row struct {
	pkg       int
	file, end int  // files from one to before the other; -1 and 0 for the package
	deep      bool // below an open run
}

func packageRow(pkg int) row { return row{pkg: pkg, file: -1} }

// isPackage reports whether the row is a whole package.
func (r row) isPackage() bool { return r.file < 0 }

// isRun reports whether the row is a run of files.
func (r row) isRun() bool { return r.end > r.file+1 }

// isFile reports whether the row is one file.
func (r row) isFile() bool { return r.file >= 0 && r.end == r.file+1 }

// span are the row's files, from one to before the other.
func (r row) span(p *Package) (from, to int) {
	if r.isPackage() {
		return 0, len(p.Files)
	}
	return r.file, r.end
}

// id is what a row of a package is known by.
func (r row) id(p *Package) string {
	switch {
	case r.isPackage():
		return p.ID
	case r.isRun():
		return p.ID + "/" + p.Files[r.file].ID + "/on"
	default:
		return p.ID + "/" + p.Files[r.file].ID
	}
}

// numbered takes a name apart where it is numbered at its end: before is what
// comes before the number, with the number's width and the ending.
func numbered(name string) (before string, number int, ok bool) {
	end := path.Ext(name)
	stem := strings.TrimSuffix(name, end)
	digits := len(stem) - len(strings.TrimRight(stem, "0123456789"))
	if digits < 2 || digits > 9 {
		return "", 0, false
	}
	number, err := strconv.Atoi(stem[len(stem)-digits:])
	return stem[:len(stem)-digits] + "\x00" + strconv.Itoa(digits) + strings.ToLower(end), number, err == nil
}

// runs are a package's files, those that are numbered on as one row: of one
// product and named alike but for a number that grows.
func (p *Package) runs(pkg int) []row {
	if p.folded == nil {
		for i := 0; i < len(p.Files); {
			end := p.runEnd(i)
			if end-i < runFrom {
				end = i + 1
			}
			p.folded = append(p.folded, [2]int{i, end})
			i = end
		}
	}
	rows := make([]row, len(p.folded))
	for i, span := range p.folded {
		rows[i] = row{pkg: pkg, file: span[0], end: span[1]}
	}
	return rows
}

// runEnd is where the files end that go on from the i-th.
func (p *Package) runEnd(i int) int {
	before, number, ok := numbered(p.Files[i].Name)
	end := i + 1
	for ok && end < len(p.Files) && p.Files[end].Product == p.Files[i].Product {
		like, next, numbers := numbered(p.Files[end].Name)
		if !numbers || like != before || next <= number {
			break
		}
		number = next
		end++
	}
	return end
}

// runTitle names a run by its first file, the number of its last one and how
// many they are.
func (p *Package) runTitle(r row) string {
	first, last := p.Files[r.file].Name, p.Files[r.end-1].Name
	stem := strings.TrimSuffix(first, path.Ext(first))
	to := strings.TrimSuffix(last, path.Ext(last))
	return stem + "…" + to[len(strings.TrimRight(to, "0123456789")):] + path.Ext(first) + " ×" + strconv.Itoa(r.end-r.file)
}

// size is the sum of a row's files; exact is false where some are not known.
func (p *Package) size(r row) (sum int64, exact bool) {
	some := fetch.Package{Files: p.Files}
	from, to := r.span(p)
	some.Files = some.Files[from:to]
	return some.Size()
}

// holds says what a row's files are together.
func (p *Package) holds(r row) string {
	from, to := r.span(p)
	count := format.Count(to-from, "file", "files")
	size, exact := p.size(r)
	if !exact {
		return count + ", sizes not known before the fetch"
	}
	return count + " · " + format.Bytes(size)
}

// sizeCell is the size of a row.
func (p *Package) sizeCell(r row) table.Cell {
	size, exact := p.size(r)
	if !exact {
		return columns.None()
	}
	return columns.Num(size)
}
