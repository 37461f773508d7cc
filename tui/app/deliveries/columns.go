package deliveries

import (
	"time"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// PackageColumn is the column that says which package a file is of. A flat list
// has it, a tree shows it by its rows.
const PackageColumn = "package"

// Columns are those of delivered files, of rows in a tree.
func Columns(d *downloads.State, now func() time.Time) []columns.Column[Row] {
	all := columns.Of(columns.Files(), func(r *Row) *columns.ListedFile { return &r.ListedFile })
	all = columns.With(all, "fileName", func(r *Row) columns.Cell { return columns.Label(r.inTree(), r.Name()) })
	product := columns.Pick(all, "fileDataType")[0].Value
	all = columns.With(all, "fileDataType", func(r *Row) columns.Cell {
		if from, to := r.Span(); r.IsPackage() {
			return columns.Text(format.Count(to-from, "file", "files")).In(labels.Muted)
		}
		return product(r).In(labels.Muted)
	})
	all = columns.With(all, "fileSize", func(r *Row) columns.Cell {
		if size, exact := r.Size(); exact {
			return columns.Num(size)
		}
		return columns.None()
	})
	all = append(all, columns.Column[Row]{
		Spec: columns.Spec{Title: "Package", Name: PackageColumn}, Value: func(r *Row) columns.Cell { return columns.Text(r.Package.Title).In(labels.Muted) },
	}, columns.Column[Row]{
		Spec: columns.Spec{Title: "Age", Name: "createdAt", Kind: columns.Date}, Value: func(r *Row) columns.Cell {
			cell := columns.Day(r.changed())
			if cell.Known {
				cell.Text = format.Age(cell.Time, now())
			}
			return cell
		},
	}, columns.Column[Row]{
		Spec: columns.Spec{Title: "Local", Name: "here", Kind: columns.Status}, Value: func(r *Row) columns.Cell {
			s := r.Stand(d)
			return columns.Cell{Text: s.Text, Code: s.Text, Role: s.Role, Num: float64(s.Step), Known: true}
		},
	})
	return columns.Lay(all,
		columns.Spec{Name: "fileName", Width: 20, Fill: 1, Middle: true},
		columns.Spec{Name: PackageColumn, Width: 20, Fill: 1, Middle: true, Off: true},
		columns.Spec{Name: "fileDataType", Width: 15, Drop: 2},
		columns.Spec{Name: "fileSize", Width: 8},
		columns.Spec{Name: "createdAt", Right: true, Drop: 1},
		columns.Spec{Name: "here", Width: 9},
		columns.Spec{Name: "missionCode", Width: 10, Drop: 3, Off: true},
		columns.Spec{Name: "orderCode", Width: 10, Drop: 3, Off: true},
		columns.Spec{Name: "fileType", Width: 18, Drop: 4, Off: true},
	)
}

// changed is when a file was made, or its package.
func (r *Row) changed() time.Time {
	if r.IsFile() && r.File < len(r.Package.Changed) {
		return r.Package.Changed[r.File]
	}
	return r.Package.Created
}
