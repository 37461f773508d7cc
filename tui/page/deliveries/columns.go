package deliveries

import (
	"time"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// shownRow is a row with its package, as it is shown.
type shownRow struct {
	row
	pkg  *Package
	open bool // its files are shown below it
	flat bool // files are shown without their packages
}

func (r *shownRow) name() string {
	if r.isFile() {
		indent := map[bool]int{false: 2}[r.flat]
		if r.deep {
			indent += 2
		}
		return layout.Blank(indent) + r.pkg.Files[r.file].Name
	}
	mark := map[bool]string{true: "- ", false: "+ "}[r.open]
	if r.isRun() {
		return "  " + mark + r.pkg.runTitle(r.row)
	}
	return mark + r.pkg.Title
}

func (r *shownRow) product() string {
	if from, to := r.span(r.pkg); r.isPackage() {
		return format.Count(to-from, "file", "files")
	}
	return string(r.pkg.Files[r.file].Product)
}

func (r *shownRow) changed() time.Time {
	if r.isFile() && r.file < len(r.pkg.Changed) {
		return r.pkg.Changed[r.file]
	}
	return r.pkg.Created
}

// columns are the columns of a package, a run of its files, or a file.
func (b *browser) columns() []columns.Column[shownRow] {
	return []columns.Column[shownRow]{
		{Spec: columns.Spec{Title: "File", Name: "fileName", Width: 23, Fill: 1, Middle: true}, Value: func(r *shownRow) columns.Cell { return columns.Text(r.name()) }},
		{Spec: columns.Spec{Title: "Kind", Name: "fileDataType", Width: 14, Drop: 2}, Value: func(r *shownRow) columns.Cell {
			return columns.Text(r.product()).In(theme.Muted)
		}},
		{Spec: columns.Spec{Title: "Size", Name: "fileSize", Kind: columns.Bytes, Width: 8}, Value: func(r *shownRow) columns.Cell { return r.pkg.sizeCell(r.row) }},
		{Spec: columns.Spec{Title: "Age", Name: "createdAt", Kind: columns.Date, Right: true, Drop: 1}, Value: func(r *shownRow) columns.Cell {
			cell := columns.Day(r.changed())
			if cell.Known {
				cell.Text = format.Age(cell.Time, b.Now())
			}
			return cell
		}},
		{Spec: columns.Spec{Title: "Here", Name: "here", Width: 9, Kind: columns.Status}, Value: func(r *shownRow) columns.Cell {
			s := r.pkg.sum(b.Downloads, r.row)
			if r.isFile() {
				s = r.pkg.stand(b.Downloads, r.file)
			}
			return columns.Cell{Text: s.text, Code: s.text, Role: s.role, Num: float64(s.step), Known: true}
		}},
		{Spec: columns.Spec{Title: "Mission", Name: "missionCode", Width: 10, Drop: 3, Off: true}, Value: func(r *shownRow) columns.Cell { return columns.Text(r.pkg.Mission) }},
		{Spec: columns.Spec{Title: "Order", Name: "orderCode", Width: 10, Drop: 3, Off: true}, Value: func(r *shownRow) columns.Cell { return columns.Text(r.pkg.Order) }},
		{Spec: columns.Spec{Title: "Type", Name: "fileType", Width: 18, Drop: 4, Off: true}, Value: func(r *shownRow) columns.Cell {
			if !r.isFile() {
				return columns.Cell{}
			}
			return columns.Text(r.pkg.Files[r.file].MediaType)
		}},
	}
}
