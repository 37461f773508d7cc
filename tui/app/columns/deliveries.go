package columns

import (
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
)

// Packages are the columns of a delivery package.
func Packages() []Column[api.DeliveryPackage] {
	return []Column[api.DeliveryPackage]{
		{Spec{Title: "Package", Name: "version", Kind: Number}, func(p *api.DeliveryPackage) Cell { return Num(p.Version) }},
		{Spec{Title: "Name", Name: "name", Least: 12}, func(p *api.DeliveryPackage) Cell { return Text(p.Name) }},
		{Spec{Title: "Status", Name: "status"}, func(p *api.DeliveryPackage) Cell { return Label(labels.Delivery(p.Status).Label, string(p.Status)) }},
		{Spec{Title: "Files", Name: "fileCount", Kind: Number}, func(p *api.DeliveryPackage) Cell { return orUnread(known(p.FileCount), p.Extra, "fileCount") }},
		{Spec{Title: "Size", Name: "totalSize", Kind: Bytes}, func(p *api.DeliveryPackage) Cell { return orUnread(known(p.TotalSize), p.Extra, "totalSize") }},
		{Spec{Title: "Delivered", Name: "createdAt", Kind: Date, Ago: true}, func(p *api.DeliveryPackage) Cell { return At(p.CreatedAt) }},
	}
}

// known is a count or a size, none where it is not known.
func known[T int | int64](n T) Cell {
	if n < 0 {
		return None()
	}
	return Num(n)
}

// ListedFile is a delivered file with what it belongs to.
type ListedFile struct {
	OrderCode   string    `json:"orderCode"`
	MissionCode string    `json:"missionCode"`
	PackageUID  string    `json:"packageUid"`
	Version     int       `json:"version"` // of the package
	Package     api.Extra `json:"-"`       // members of the package that this program does not know
	api.DeliveryFile
}

// Files are the columns of a delivered file.
func Files() []Column[ListedFile] {
	return []Column[ListedFile]{
		{Spec{Title: "Mission", Name: "missionCode"}, func(f *ListedFile) Cell { return Text(f.MissionCode) }},
		{Spec{Title: "Order", Name: "orderCode"}, func(f *ListedFile) Cell { return Text(f.OrderCode) }},
		{Spec{Title: "Version", Name: "version", Kind: Number}, func(f *ListedFile) Cell { return Num(f.Version) }},
		{Spec{Title: "File", Name: "fileName", Least: 16}, func(f *ListedFile) Cell { return Text(f.FileName) }},
		{Spec{Title: "Product", Name: "fileDataType"}, func(f *ListedFile) Cell { return labelOf(f.FileDataType, labels.Deliverable) }},
		{Spec{Title: "Size", Name: "fileSize", Kind: Bytes}, func(f *ListedFile) Cell { return orUnread(known(f.FileSize), f.Extra, "fileSize") }},
		{Spec{Title: "Status", Name: "status"}, func(f *ListedFile) Cell { return Label(labels.Delivery(f.Status).Label, string(f.Status)) }},
		{Spec{Title: "Type", Name: "fileType"}, func(f *ListedFile) Cell { return Text(f.FileType) }},
		{Spec{Name: "uuid", Shell: true}, func(f *ListedFile) Cell { return Text(f.UUID) }},
	}
}

// Datasets are the columns of a purchased dataset. local is how much of it is
// on this machine.
func Datasets(local func(*api.Dataset) Cell) []Column[api.Dataset] {
	return []Column[api.Dataset]{
		{Spec{Title: "Name", Name: "datasetName", Width: 24, Fill: 2, Least: 12}, func(d *api.Dataset) Cell { return Text(d.DatasetName) }},
		{Spec{Title: "Categories", Name: "categories", Width: 14, Fill: 1, Drop: 2, Least: 10}, func(d *api.Dataset) Cell {
			return Text(strings.Join(d.Categories, ", ")).In(labels.Muted)
		}},
		{Spec{Title: "Goals", Name: "sdgGoals", Width: 14, Fill: 1, Drop: 3}, func(d *api.Dataset) Cell {
			return Text(strings.Join(d.SDGGoals, ", ")).In(labels.Muted)
		}},
		{Spec{Title: "Place", Name: "locationLabel", Width: 12, Fill: 1, Drop: 1, Least: 8}, func(d *api.Dataset) Cell { return Text(d.LocationLabel) }},
		{Spec{Title: "Completed", Name: "dateCompleted", Kind: Date}, func(d *api.Dataset) Cell {
			cell := Day(d.DateCompleted.Time)
			cell.Data = d.DateCompleted.String()
			return cell
		}},
		{Spec{Title: "Local", Name: "here", Kind: Status, Width: 9}, local},
		{Spec{Title: "Dataset", Name: "id", Shell: true}, func(d *api.Dataset) Cell { return Text(d.ID) }},
		{Spec{Title: "Files", Name: "baseFiles", Kind: Number, Shell: true}, func(d *api.Dataset) Cell { return Num(d.DeliveryFiles.Len()) }},
	}
}
