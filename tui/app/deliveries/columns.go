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

// FileColumns returns those of delivered files, of rows in a tree.
func FileColumns(d *downloads.State, now func() time.Time) []columns.Column[DeliveryRow] {
	all := columns.ColumnsOf(columns.Files(), func(r *DeliveryRow) *columns.ListedFile { return &r.ListedFile })
	all = columns.WithValue(all, "fileName", func(r *DeliveryRow) columns.Cell { return columns.LabelCell(r.inTree(), r.Name()) })
	product := columns.PickColumns(all, "fileDataType")[0].Value
	all = columns.WithValue(all, "fileDataType", func(r *DeliveryRow) columns.Cell {
		if from, to := r.FileSpan(); r.IsPackage() {
			return columns.TextCell(format.Count(to-from, "file", "files")).WithTone(labels.Muted)
		}
		return product(r).WithTone(labels.Muted)
	})
	all = columns.WithValue(all, "fileSize", func(r *DeliveryRow) columns.Cell {
		if size, exact := r.Size(); exact {
			return columns.NumberCell(size)
		}
		return columns.NoCell()
	})
	all = append(all, columns.Column[DeliveryRow]{
		ColumnSpec: columns.ColumnSpec{Title: "Package", Name: PackageColumn}, Value: func(r *DeliveryRow) columns.Cell { return columns.TextCell(r.Package.Title).WithTone(labels.Muted) },
	}, columns.Column[DeliveryRow]{
		ColumnSpec: columns.ColumnSpec{Title: "Age", Name: "createdAt", Kind: columns.Date}, Value: func(r *DeliveryRow) columns.Cell {
			cell := columns.DayCell(r.changedAt())
			if cell.Known {
				cell.Text = format.Age(cell.Time, now())
			}
			return cell
		},
	}, columns.Column[DeliveryRow]{
		ColumnSpec: columns.ColumnSpec{Title: "Local", Name: "local", Kind: columns.Status}, Value: func(r *DeliveryRow) columns.Cell {
			s := r.RowStanding(d)
			return columns.Cell{Text: s.Text, Code: s.Text, Role: s.Role, Num: float64(s.Step), Known: true}
		},
	})
	return columns.LayColumns(all,
		columns.ColumnSpec{Name: "fileName", Width: 20, Fill: 1, Middle: true},
		columns.ColumnSpec{Name: PackageColumn, Width: 20, Fill: 1, Middle: true, Off: true},
		columns.ColumnSpec{Name: "fileDataType", Width: 15, Drop: 2},
		columns.ColumnSpec{Name: "fileSize", Width: 8},
		columns.ColumnSpec{Name: "createdAt", Right: true, Drop: 1},
		columns.ColumnSpec{Name: "local", Width: 9},
		columns.ColumnSpec{Name: "missionCode", Width: 10, Drop: 3, Off: true},
		columns.ColumnSpec{Name: "orderCode", Width: 10, Drop: 3, Off: true},
		columns.ColumnSpec{Name: "fileType", Width: 18, Drop: 4, Off: true},
	)
}

// changedAt returns when a file was made, or its package.
func (r *DeliveryRow) changedAt() time.Time {
	if r.IsFile() && r.File < len(r.Package.Changed) {
		return r.Package.Changed[r.File]
	}
	return r.Package.Created
}
