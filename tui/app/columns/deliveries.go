package columns

import (
	"slices"

	"flightdesk/api"
)

// Packages returns the columns of a delivery package.
func Packages() []Column[api.DeliveryPackage] {
	return FillMembers([]Column[api.DeliveryPackage]{
		{ColumnSpec{Title: "Package", Name: "version"}, nil},
		{ColumnSpec{Title: "Name", Name: "name", Least: 12}, nil},
		{ColumnSpec{Title: "Status", Name: "status"}, nil},
		{ColumnSpec{Title: "Files", Name: "fileCount"}, nil},
		{ColumnSpec{Title: "Size", Name: "totalSize", Kind: Bytes}, nil},
		{ColumnSpec{Title: "Delivered", Name: "createdAt", Ago: true}, nil},
	})
}

// knownCell returns a count or a size, none where it is not known.
func knownCell[T int | int64](n T) Cell {
	if n < 0 {
		return NoCell()
	}
	return NumberCell(n)
}

// ListedFile is a delivered file with what it belongs to.
type ListedFile struct {
	OrderCode   string           `json:"orderCode"`
	MissionCode string           `json:"missionCode"`
	PackageUID  string           `json:"packageUid"`
	Version     int              `json:"version"` // of the package
	Package     api.ExtraMembers `json:"-"`       // members of the package that this program does not know
	api.DeliveryFile
}

// Files returns the columns of a delivered file.
func Files() []Column[ListedFile] {
	return FillMembers([]Column[ListedFile]{
		{ColumnSpec{Title: "Mission", Name: "missionCode"}, nil},
		{ColumnSpec{Title: "Order", Name: "orderCode"}, nil},
		{ColumnSpec{Title: "Version", Name: "version"}, nil},
		{ColumnSpec{Title: "File", Name: "fileName", Least: 16}, nil},
		{ColumnSpec{Title: "Product", Name: "fileDataType"}, nil},
		{ColumnSpec{Title: "Size", Name: "fileSize", Kind: Bytes}, nil},
		{ColumnSpec{Title: "Status", Name: "status"}, nil},
		{ColumnSpec{Title: "Type", Name: "fileType", Off: true}, nil},
		{ColumnSpec{Name: "uuid", Shell: true}, nil},
	})
}

// Datasets returns the columns of a purchased dataset. local is how much of it is
// on this machine; nil leaves that column out.
func Datasets(local func(*api.Dataset) Cell) []Column[api.Dataset] {
	list := []Column[api.Dataset]{
		{ColumnSpec{Title: "Name", Name: "datasetName", Width: 24, Fill: 2, Least: 12}, nil},
		{ColumnSpec{Title: "Categories", Name: "categories", Width: 14, Fill: 1, Drop: 2, Least: 10}, nil},
		{ColumnSpec{Title: "Goals", Name: "sdgGoals", Width: 14, Fill: 1, Drop: 3}, nil},
		{ColumnSpec{Title: "Place", Name: "locationLabel", Width: 12, Fill: 1, Drop: 1, Least: 8}, nil},
		{ColumnSpec{Title: "Completed", Name: "dateCompleted"}, nil},
		{ColumnSpec{Title: "Local", Name: "local", Kind: Status, Width: 9}, local},
		{ColumnSpec{Title: "Dataset", Name: "id", Shell: true}, nil},
		{
			ColumnSpec{Title: "Files", Name: "baseFiles", Kind: Number, Shell: true},
			func(d *api.Dataset) Cell { return NumberCell(d.DeliveryFiles.Len()) },
		},
	}
	if local == nil {
		list = slices.DeleteFunc(list, func(c Column[api.Dataset]) bool { return c.Name == "local" })
	}
	return FillMembers(list)
}
