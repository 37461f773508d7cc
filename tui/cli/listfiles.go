package cli

import (
	"cmp"
	"fmt"
	"strings"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/columns"
)

func listFiles(l *listing) error {
	missions := eachOf(l.ordersOf(), func(order *api.Order) ([]api.Mission, error) { return order.Missions, nil })
	code := orderCode(l.Of)
	if strings.HasPrefix(code, "MSN-") {
		mission, err := fetch.FindMission(l.call, l.call.Service.Client, code)
		missions = oneRow(&mission, err)
	}
	return printFormattedRows(l.call, "file", columns.Files(),
		"missionCode orderCode version fileName fileDataType fileSize status", eachOf(missions, l.filesOf))
}

// filesOf returns the files in the packages of a mission, or none if no flight of the mission
// is scheduled yet. If some packages cannot be read, it returns the files of the others and an
// error.
func (l *listing) filesOf(m *api.Mission) ([]columns.ListedFile, error) {
	if m.Status == api.MissionAwaitingPilot || m.Status == api.MissionPilotAssigned {
		return nil, nil
	}
	l.call.Names.AddRow(m)
	unread := &api.PartsError{}
	packages, err := l.call.Service.Client.Missions.Packages(l.call, m.UUID)
	if err != nil {
		unread.Add(fmt.Errorf("mission %s: %w", m.MissionCode, err))
	}
	var list []columns.ListedFile
	for _, pack := range packages {
		files, err := l.filesIn(m, &pack)
		if err != nil {
			unread.Add(fmt.Errorf("mission %s, package %s: %w", m.MissionCode, cmp.Or(pack.Name, pack.UUID), err))
		}
		list = append(list, files...)
	}
	return list, unread.ErrorOrNil()
}

// filesIn returns the files in a package of a mission. If some files cannot be read, it returns the others and an
// error.
func (l *listing) filesIn(m *api.Mission, pack *api.DeliveryPackage) ([]columns.ListedFile, error) {
	files, err := l.call.Service.Client.Files.List(l.call, pack.UUID)
	var listed []columns.ListedFile
	for _, file := range files {
		listed = append(listed, columns.ListedFile{
			OrderCode:    m.OrderCode,
			MissionCode:  m.MissionCode,
			PackageUID:   pack.UUID,
			Version:      pack.Version,
			Package:      pack.Extra,
			DeliveryFile: file,
		})
	}
	return listed, err
}

func listDatasets(l *listing) error {
	return printFormattedRows(l.call, "dataset", columns.Datasets(nil),
		"id datasetName categories locationLabel dateCompleted baseFiles",
		l.call.Service.Client.Library.All(l.call, api.DatasetListOptions{}))
}
