package columns

import "flightdesk/api"

// Packages returns the columns of a delivery package.
func Packages() []Column[api.DeliveryPackage] {
	return MakeColumns([]ColumnSpec{
		{Title: "Package", Name: "version"},
		{Title: "Name", Name: "name", Least: 12},
		{Title: "Status", Name: "status"},
		{Title: "Files", Name: "fileCount"},
		{Title: "Size", Name: "totalSize", Kind: Bytes},
		{Title: "Delivered", Name: "createdAt", Ago: true},
	}, Values[api.DeliveryPackage]{})
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
	return MakeColumns([]ColumnSpec{
		{Title: "Mission", Name: "missionCode"},
		{Title: "Order", Name: "orderCode"},
		{Title: "Version", Name: "version"},
		{Title: "File", Name: "fileName", Least: 16},
		{Title: "Product", Name: "fileDataType"},
		{Title: "Size", Name: "fileSize", Kind: Bytes},
		{Title: "Status", Name: "status"},
		{Title: "Type", Name: "fileType", Off: true},
		{Name: "uuid", Shell: true},
	}, Values[ListedFile]{})
}

// Datasets returns the columns of a purchased dataset. local is how much of it is
// on this machine; nil leaves that column out.
func Datasets(local func(*api.Dataset) Cell) []Column[api.Dataset] {
	all := MakeColumns([]ColumnSpec{
		{Title: "Name", Name: "datasetName", Width: 24, Fill: 2, Least: 12},
		{Title: "Categories", Name: "categories", Width: 14, Fill: 1, Drop: 2, Least: 10},
		{Title: "UN goals", Name: "sdgGoals", Width: 14, Fill: 1, Drop: 3},
		{Title: "Place", Name: "locationLabel", Width: 12, Fill: 1, Drop: 1, Least: 8},
		{Title: "Completed", Name: "dateCompleted"},
		{Title: "Dataset", Name: "id", Shell: true},
		{Title: "Files", Name: "baseFiles", Kind: Number, Shell: true},
	}, Values[api.Dataset]{
		"baseFiles": func(d *api.Dataset) Cell { return NumberCell(d.DeliveryFiles.Len()) },
	})
	if local == nil {
		return all
	}
	return append(
		all,
		Column[api.Dataset]{ColumnSpec{Title: "Local", Name: "local", Kind: Status, Width: 9}, local},
	)
}
